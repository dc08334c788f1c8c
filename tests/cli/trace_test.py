#!/usr/bin/env python3
"""`gradwire trace` as it deals with a command and with captures; these are made by hand, and no
library is loaded into anything.

usage: trace_test.py GRADWIRE SOURCE_FOLDER
"""

import json
import os
import pathlib
import signal
import stat
import subprocess
import sys
import time

import program
from program import ENVIRONMENT_ERROR, INPUT_ERROR

CAPTURE_MODULE = pathlib.Path(__file__).resolve().parent

# Says "ready", then which signals come, until SIGUSR1.
LISTENER = """import signal, sys, time
signals = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1]
signal.pthread_sigmask(signal.SIG_BLOCK, signals)
print("ready", flush=True)
while True:
    came = signal.sigwait(signals)
    if came == signal.SIGUSR1:
        sys.exit(9)
    print(came.name, flush=True)
"""


class TraceTest(program.ProgramTest):

    def setUp(self):
        super().setUp()
        library = self.write("tracer.so", "")
        self.output = self.out / "t.gwt"
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("GRADWIRE_", "CUDA_", "NVTX_", "PYTHONPATH"))}
        self.environment["GRADWIRE_TRACER_LIB"] = str(library)

    def trace(self, *arguments, command, **options):
        """One run with the output in `out`."""
        return subprocess.run([program.GRADWIRE, "trace", "-o", self.output, *arguments, "--", *command],
                              cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              timeout=120, check=False, **options)

    def start(self, command, **options):
        process = subprocess.Popen([program.GRADWIRE, "trace", "-o", self.output, "--", *command],
                                   cwd=self.folder, env=self.environment, **options)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def python(self, text, *arguments):
        """A command that runs `text`; it can write captures."""
        head = f"import sys; sys.path.insert(0, {str(CAPTURE_MODULE)!r})\nfrom capture_file import *\n"
        return [sys.executable, self.write("command.py", head + text), *arguments]

    def files(self):
        return sorted(os.listdir(self.out))


class Refusals(TraceTest):
    """One sentence, before anything is started."""

    def refuse_trace(self, status, fragments, *arguments):
        done = subprocess.run([program.GRADWIRE, "trace", *map(str, arguments)], cwd=self.folder,
                              env=self.environment, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for fragment in fragments:
            self.assertIn(str(fragment), done.stderr)
        self.assertFalse((self.folder / "started").exists())
        self.assertEqual([name for name in os.listdir(self.folder) if "gradwire" in name], [])

    def test_no_command(self):
        for arguments in ((), ("--",), ("-o", "t.gwt"), ("--", "")):
            self.refuse_trace(INPUT_ERROR, ("no command", "gradwire trace -o out.gwt -- python"), *arguments)

    def test_a_command_without_the_dashes(self):
        self.refuse_trace(INPUT_ERROR, ("touch found before `--`",), "touch", "started")
        self.refuse_trace(INPUT_ERROR, ("touch",), "touch", "started", "--iterations", "5")

    def test_options(self):
        for fragments, *arguments in ((("--iterations", "0", "from 1"), "--iterations", "0"),
                                      (("--iterations", "ten"), "--iterations", "ten"),
                                      (("--skip", "-1", "from 0"), "--skip=-1"),
                                      (("--device", "gpu0", "all"), "--device", "gpu0"),
                                      (("--colour", "--help"), "--colour", "red")):
            self.refuse_trace(INPUT_ERROR, fragments, *arguments, "--", "touch", "started")

    def test_outputs_that_cannot_be_written(self):
        for path in ("/proc/t.gwt", self.out / "absent/t.gwt", self.out, "/dev/null"):
            self.refuse_trace(ENVIRONMENT_ERROR, (path,), "-o", path, "--", "touch", "started")

    def test_another_tool_in_the_same_place(self):
        for name in ("CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"):
            self.environment[name] = "/opt/other.so"
            self.refuse_trace(ENVIRONMENT_ERROR, (name, "/opt/other.so", f"env -u {name}"), "--", "touch",
                              "started")
            del self.environment[name]

    def test_a_library_that_is_not_there(self):
        self.environment["GRADWIRE_TRACER_LIB"] = "/opt/absent.so"
        self.refuse_trace(ENVIRONMENT_ERROR, ("GRADWIRE_TRACER_LIB", "/opt/absent.so"), "--", "touch",
                          "started")


class Command(TraceTest):
    """What becomes of the command, recorded or not."""

    def test_its_exit_status_is_passed_on(self):
        self.assertEqual(self.trace(command=["sh", "-c", "exit 7"]).returncode, 7)
        self.assertEqual(self.trace(command=["sh", "-c", "exit 255"]).returncode, 255)

    def test_the_signal_that_ended_it_is_told(self):
        done = self.trace(command=["sh", "-c", "kill -KILL $$"])
        self.assertEqual(done.returncode, 128 + signal.SIGKILL)
        self.assertIn("ended by signal 9", done.stderr)

    def test_127_and_126_with_one_sentence(self):
        script = self.write("script", "echo")
        for command, status, said in ((["gradwire-absent"], 127, "gradwire-absent: command not found"),
                                      ([script], 126, "Permission denied"),
                                      ([self.folder], 126, "Permission denied")):
            done = self.trace(command=command)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (status, "", 1), done)
            self.assertIn(said, done.stderr)

    def test_a_script_without_a_first_line_runs_as_from_a_shell(self):
        script = self.write("script", "exit 5\n")
        script.chmod(0o755)
        self.assertEqual(self.trace(command=[script]).returncode, 5)

    def test_its_arguments_and_streams_are_its_own(self):
        words = ["[a,b]", "", "--", "-o", "two words", "{}", "study"]
        done = self.trace(command=["printf", "%s|", *words])
        self.assertEqual(done.stdout, "".join(word + "|" for word in words))
        self.assertEqual(self.trace(command=["cat"], input="through\n").stdout, "through\n")

    def test_signals_that_are_sent_to_us_reach_it_once(self):
        process = self.start(self.python(LISTENER), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.stdout.readline(), "ready\n")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            process.send_signal(number)
            self.assertEqual(process.stdout.readline(), f"{number.name}\n")
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        os.kill(int(children[0]), signal.SIGUSR1)
        self.assertEqual(process.stdout.read(), "")
        self.assertEqual(process.wait(), 9)

    def test_what_the_terminal_sends_reaches_it_once(self):
        # The terminal sends to the whole process group; passed on as well, it would come twice.
        child, terminal = program.fork_with_terminal()
        if child == 0:
            try:
                os.chdir(self.folder)
                os.execve(program.GRADWIRE, [program.GRADWIRE, "trace", "-o", self.output, "--",
                                             *map(str, self.python(LISTENER))], self.environment)
            finally:
                os._exit(125)  # it must not go on as a second run of the tests
        said = b""

        def read_until(text):
            nonlocal said
            while text not in said:
                said += os.read(terminal, 1024)

        read_until(b"ready")
        os.write(terminal, b"\x03")
        read_until(b"SIGINT")
        os.write(terminal, b"\x1c")
        read_until(b"SIGQUIT")
        (command,) = pathlib.Path(f"/proc/{child}/task/{child}/children").read_text().split()
        os.kill(int(command), signal.SIGUSR1)
        _, status = os.waitpid(child, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 9)
        try:
            while rest := os.read(terminal, 1024):
                said += rest
        except OSError:
            pass  # the terminal's other end is closed
        self.assertEqual((said.count(b"SIGINT"), said.count(b"SIGQUIT")), (1, 1), said)

    def environment_of(self, *arguments):
        done = self.trace(*arguments, command=["python3", "-c",
                                               "import json, os; print(json.dumps(dict(os.environ)))"])
        return json.loads(done.stdout)

    def test_its_environment(self):
        self.environment.update(GRADWIRE_KERNELS="0", GRADWIRE_ITERATIONS="3", PYTHONPATH="/opt/mine",
                                GRADWIRE_CUPTI_LIB="/opt/cupti.so")
        found = self.environment_of()
        library = self.environment["GRADWIRE_TRACER_LIB"]
        for name in ("GRADWIRE_TRACER_LIB", "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"):
            self.assertEqual(found[name], library)
        for name in ("ITERATIONS", "SKIP", "DEVICE", "KERNELS", "NVTX", "PYTORCH"):
            self.assertNotIn(f"GRADWIRE_{name}", found)
        self.assertEqual(found["GRADWIRE_CUPTI_LIB"], "/opt/cupti.so")
        folder = pathlib.Path(found["GRADWIRE_CAPTURE"]).parent
        self.assertEqual(folder.parent, self.out)
        self.assertEqual(found["PYTHONPATH"], f"{folder}/python:/opt/mine")
        self.assertFalse(folder.exists())
        changed = {name for name in found if found[name] != self.environment.get(name)}
        self.assertLessEqual(changed, {"GRADWIRE_CAPTURE", "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH",
                                       "PYTHONPATH", "LC_CTYPE"})  # the last by Python itself

    def test_options_become_variables(self):
        found = self.environment_of("--iterations", "10", "--skip", "5", "--device", "all", "--nvtx",
                                    "--pytorch")
        self.assertEqual({name: found[f"GRADWIRE_{name}"]
                          for name in ("ITERATIONS", "SKIP", "DEVICE", "NVTX", "PYTORCH")},
                         {"ITERATIONS": "10", "SKIP": "5", "DEVICE": "all", "NVTX": "1", "PYTORCH": "1"})

    def test_the_folder_is_private_and_the_marks_can_be_imported(self):
        text = ("import gradwire_marks, os, pathlib\n"
                "folder = pathlib.Path(os.environ['GRADWIRE_CAPTURE']).parent\n"
                "print(oct(folder.stat().st_mode), pathlib.Path(gradwire_marks.__file__).parent == folder / 'python')")
        done = self.trace(command=["python3", "-c", text])
        self.assertEqual(done.stdout, f"{oct(stat.S_IFDIR | 0o700)} True\n", done.stderr)

    def test_the_torch_hook_is_there_with_pytorch_alone(self):
        look = ["python3", "-c", "import os; print(sorted(os.listdir(os.environ['PYTHONPATH'])))"]
        self.assertEqual(self.trace(command=look).stdout, "['gradwire_marks.py']\n")
        self.assertIn("sitecustomize.py", self.trace("--pytorch", command=look).stdout)


class Captures(TraceTest):
    """What becomes of what was recorded."""

    def test_nothing_recorded_is_status_3_and_no_file(self):
        done = self.trace(command=["true"])
        self.assertEqual((done.returncode, done.stdout), (ENVIRONMENT_ERROR, ""))
        self.assertIn("nothing was recorded", done.stderr)
        self.assertEqual(self.files(), [])

    def test_an_older_trace_stays_when_nothing_is_recorded(self):
        self.output.write_text("older")
        self.trace(command=["true"])
        self.assertEqual(self.output.read_text(), "older")

    def test_kernels_become_a_trace_and_its_summary(self):
        done = self.trace(command=self.python("CaptureFile().train().write('a'); print('trained')"))
        self.assertEqual((done.returncode, done.stdout), (0, "trained\n"), done.stderr)
        self.assertEqual(self.files(), ["t.gwt"])
        found = json.loads(self.succeed("inspect", self.output, "--json"))
        self.assertEqual(found["kernels"]["all"], 12)
        self.assertEqual(len(found["iterations"]), 4)
        self.assertEqual(found["median"]["backward_kernels"], 2)
        self.assertIn("gradwire trace (gradwire", found["provenance"]["made_by"])
        self.assertFalse(found["provenance"]["source"])  # the capture's name has the host's in it
        shown = self.succeed("inspect", self.output).split("\n\n")
        self.assertIn(shown[1], done.stderr)  # the table of iterations
        self.assertIn("12 kernels, 0 copies and memsets, 16 marks; 0 dropped", done.stderr)

    def test_a_command_that_fails_leaves_a_trace_and_its_status(self):
        done = self.trace(command=self.python("CaptureFile().train().write('a'); sys.exit(5)"))
        self.assertEqual(done.returncode, 5)
        self.assertEqual(self.files(), ["t.gwt"])

    def test_ranks_have_a_file_each(self):
        done = self.trace(command=self.python(
            "for rank in (1, 0): CaptureFile(rank=rank).train().write(rank)\n"
            "CaptureFile(rank=0).train(kernels=False).write('0-before-exec')"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.files(), ["t.rank0.gwt", "t.rank1.gwt"])
        self.assertEqual(done.stderr.count("left out, since"), 1, done.stderr)
        self.assertRegex(done.stderr, r"gradwire trace-merge \S+/t\.rank0\.gwt \S+/t\.rank1\.gwt -o")

    def test_processes_without_a_rank_have_theirs_by_number(self):
        self.trace(command=self.python("for p in (4711, 4712): CaptureFile(process=p).train().write(p)"))
        self.assertEqual(self.files(), ["t.4711.gwt", "t.4712.gwt"])

    def test_several_processes_and_captures_of_one_rank_do_not_overwrite_each_other(self):
        self.trace(command=self.python(
            "for n, p in enumerate((4711, 4712, 4712)): CaptureFile(rank=3, process=p).train().write(n)"))
        self.assertEqual(self.files(), ["t.rank3.4711.gwt", "t.rank3.4712.2.gwt", "t.rank3.4712.gwt"])

    def test_marks_without_kernels_are_status_3_with_the_tracers_reason(self):
        done = self.trace(command=self.python(
            "CaptureFile(facts=[('kernels', 'there is no driver')]).train(kernels=False).write('a')"))
        self.assertEqual(done.returncode, ENVIRONMENT_ERROR)
        self.assertIn("recorded no kernels (16 marks): there is no driver", done.stderr)
        self.assertEqual(self.files(), [])

    def test_captures_are_kept_on_demand(self):
        done = self.trace("--keep-capture", command=self.python("CaptureFile().train().write('a')"))
        self.assertEqual(self.files(), ["t.gwc", "t.gwt"])
        self.assertIn("t.gwc", done.stderr)
        kept, made = (json.loads(self.succeed("inspect", self.out / name, "--json"))["iterations"]
                      for name in self.files())
        self.assertEqual(kept, made)

    def test_a_capture_that_gives_no_trace_is_kept(self):
        # A kernel name that is not in the file's table.
        done = self.trace(command=self.python(
            "c = CaptureFile().train(); c.chunk += content(4, number(2, 99)); c.write('a')"))
        if self.files() == ["t.gwt"]:
            return  # read all the same, with a defect
        self.assertEqual(done.returncode, ENVIRONMENT_ERROR, done.stderr)
        self.assertEqual(self.files(), ["t.gwc"])

    def test_what_is_no_capture_is_named_and_left(self):
        done = self.trace(command=self.python(
            "CaptureFile().train().write('a'); open(os.environ['GRADWIRE_CAPTURE'] + '.b.gwc', 'w')"))
        self.assertEqual(done.returncode, ENVIRONMENT_ERROR, done.stderr)
        self.assertIn("it is left there", done.stderr)
        (left,) = [name for name in self.files() if name != "t.gwt"]
        self.assertEqual(os.listdir(self.out / left), ["capture.b.gwc"])

    def test_losses_are_said(self):
        done = self.trace(command=self.python(
            "c = CaptureFile().train(); c.drop(17); c.write('a', closed=False)"))
        self.assertIn("16 marks; 17 dropped", done.stderr)
        self.assertIn("did not end in order", done.stderr)

    def test_a_process_that_goes_on_keeps_its_folder(self):
        done = self.trace(command=self.python(
            "import subprocess\n"
            "p = subprocess.Popen(['sleep', '30'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
            "CaptureFile(process=p.pid).train().write('a', closed=False); print(p.pid)"))
        self.addCleanup(os.kill, int(done.stdout), signal.SIGTERM)
        self.assertIn("still running", done.stderr)
        (left,) = [name for name in self.files() if name != "t.gwt"]
        self.assertEqual(sorted(os.listdir(self.out / left)), ["capture.a.gwc", "python"])

    def test_a_window_that_no_marks_bound_is_said(self):
        text = "c = CaptureFile()\nfor i in range(9): c.kernel('k', i, 2 * i, 2 * i + 1)\nc.write('a')"
        for option in ("--iterations", "--skip"):
            self.assertIn(f"{option}: no iteration was marked",
                          self.trace(option, "2", command=self.python(text)).stderr)
        marked = self.trace("--skip", "1", command=self.python("CaptureFile().train().write('a')"))
        self.assertNotIn("no iteration was marked", marked.stderr)

    def test_an_output_that_became_unwritable_keeps_the_capture(self):
        done = self.trace(command=self.python(
            f"CaptureFile().train().write('a'); os.mkdir({str(self.output)!r})"))
        self.assertEqual(done.returncode, ENVIRONMENT_ERROR, done.stderr)
        self.assertEqual(self.files(), ["t.gwc", "t.gwt"])
        self.assertIn("is a directory", done.stderr)

    def test_a_full_disk_keeps_the_capture(self):
        # A bound on the size of our files stands for it: the write fails in the same way.
        done = self.trace(command=self.python(
            "import resource; CaptureFile().train().write('a')\n"
            "resource.prlimit(os.getppid(), resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))"),
            restore_signals=False)  # SIGXFSZ stays ignored, as Python has it
        self.assertEqual(done.returncode, ENVIRONMENT_ERROR, done.stderr)
        self.assertIn("File too large", done.stderr)
        self.assertEqual(self.files(), ["t.gwc"])


class Ab(TraceTest):

    def test_compares_the_medians_of_two_runs(self):
        # 10 ms an iteration with marks alone, 11 ms traced; the first two, of 50 ms, are skipped.
        done = self.trace("--ab", "--skip", "2", command=self.python(
            "plain = os.environ.get('GRADWIRE_KERNELS') == '0'\n"
            "c, at = CaptureFile(), 0\n"
            "for i in range(15):\n"
            "    c.mark(ITERATION_BEGIN, at, i)\n"
            "    if not plain: c.kernel('k', at + 1, at + 2, at + 9)\n"
            "    at += 50_000 if i < 2 else 10_000 if plain else 11_000\n"
            "c.write('a')"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the command runs twice", done.stderr)
        self.assertIn("10 ms an iteration with marks alone (median of 12), 11 ms traced (median of 12): "
                      "ratio 1.1000, 10.00 % more", done.stderr)
        self.assertEqual(self.files(), ["t.gwt"])

    def test_compares_whole_runs_without_marks_and_says_so(self):
        done = self.trace("--ab", command=["sleep", "0.2"])
        self.assertRegex(done.stderr, r"--ab: no two iterations were marked.*whole runs.* 2\d\d(\.\d)? ms")

    def test_a_first_run_that_fails_has_no_second(self):
        done = self.trace("--ab", command=["sh", "-c", "echo ran; exit 4"])
        self.assertEqual((done.returncode, done.stdout), (4, "ran\n"), done.stderr)
        self.assertIn("there is no second", done.stderr)

    def test_a_signal_during_the_first_run_ends_both(self):
        process = subprocess.Popen([program.GRADWIRE, "trace", "--ab", "-o", self.output, "--",
                                    "sh", "-c", "trap 'exit 0' TERM; echo ready; while :; do sleep 0.05; done"],
                                   env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "ready\n")
        time.sleep(0.1)
        process.terminate()
        said = process.communicate(timeout=60)
        self.assertEqual((process.returncode, said[0]), (0, ""), said)
        self.assertIn("after a signal", said[1])


if __name__ == "__main__":
    program.main()
