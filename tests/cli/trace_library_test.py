#!/usr/bin/env python3
"""`gradwire trace` with the tracer's library inside the command, on programs that only make marks:
no CUDA, no driver.

usage: trace_library_test.py GRADWIRE SOURCE_FOLDER
"""

import os
import re
import signal
import subprocess
import sys

import program
from program import ENVIRONMENT_ERROR

LOOP = """import gradwire_marks, os, signal, sys, time
for i in range({count}):
    with gradwire_marks.iteration():
        time.sleep({seconds})
"""


class LibraryTest(program.ProgramTest):

    def trace(self, *arguments, command):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("GRADWIRE_", "CUDA_", "NVTX_", "PYTHONPATH"))}
        return subprocess.run([program.GRADWIRE, "trace", "-o", self.out / "t.gwt", *arguments, "--",
                               *map(str, command)],
                              cwd=self.folder, env=environment, capture_output=True, text=True,
                              timeout=120, check=False)

    def loop(self, count, seconds=0, then=""):
        """A command of so many marked iterations."""
        return [sys.executable, self.write("loop.py", LOOP.format(count=count, seconds=seconds) + then)]

    def marks(self, said):
        return [int(count) for count in re.findall(r"\((\d+) marks\)", said)]

    def files(self):
        return sorted(os.listdir(self.out))


class Help(LibraryTest):

    def test_names_every_option_and_the_dashes(self):
        text = self.succeed("trace", "--help")
        for word in ("--output", "--iterations", "--skip", "--device", "--pytorch", "--nvtx", "--ab",
                     "--keep-capture", "-- COMMAND"):
            self.assertIn(word, text)
        self.assertRegex(self.succeed("--help"), r"(?m)^  trace +Record")


class MarksAlone(LibraryTest):

    def test_marks_without_kernels_are_told_and_not_written(self):
        done = self.trace(command=self.loop(5))
        self.assertEqual(done.returncode, ENVIRONMENT_ERROR, done.stderr)
        self.assertEqual(self.marks(done.stderr), [10], done.stderr)
        self.assertEqual(self.files(), [])

    def test_the_command_is_what_it_is_without_us(self):
        done = self.trace(command=self.loop(5, then="print('out'); sys.exit(6)"))
        self.assertEqual((done.returncode, done.stdout), (6, "out\n"), done.stderr)

    def test_a_program_that_uses_nothing_of_ours_leaves_no_capture(self):
        done = self.trace("--keep-capture", command=[sys.executable, "-c", "print(1)"])
        self.assertEqual((done.returncode, done.stdout), (ENVIRONMENT_ERROR, "1\n"), done.stderr)
        self.assertIn("no process of the command started CUDA or made a mark", done.stderr)
        self.assertEqual(self.files(), [])

    def test_a_killed_process_keeps_its_marks(self):
        done = self.trace(command=self.loop(5, then="time.sleep(1); os.kill(os.getpid(), signal.SIGKILL)"))
        self.assertEqual(done.returncode, 128 + signal.SIGKILL)
        self.assertEqual(self.marks(done.stderr), [10], done.stderr)

    def test_a_process_that_leaves_by_exit_keeps_its_marks(self):
        done = self.trace(command=self.loop(5, then="time.sleep(1); os._exit(3)"))
        self.assertEqual(done.returncode, 3)
        self.assertEqual(self.marks(done.stderr), [10], done.stderr)

    def test_children_and_exec_have_a_capture_each(self):
        loop = self.loop(2, then="time.sleep(1)\nif len(sys.argv) > 1: os.execv(sys.executable, [sys.executable, __file__])")
        words = " ".join(map(str, loop))
        done = self.trace(command=["sh", "-c", f"RANK=0 {words}; RANK=1 {words} again"])
        self.assertEqual(self.marks(done.stderr), [4, 4, 4], done.stderr)
        self.assertEqual(done.stderr.count("rank 1"), 2, done.stderr)

    def test_a_capture_is_kept_on_demand(self):
        self.trace("--keep-capture", command=self.loop(5))
        self.assertEqual(self.files(), ["t.gwc"])

    def test_a_forked_child_writes_nothing_into_its_parents_capture(self):
        then = "\nif os.fork() == 0:\n    with gradwire_marks.iteration(): os._exit(0)\nos.wait()\n"
        self.assertEqual(self.marks(self.trace(command=self.loop(5, then=then)).stderr), [10])


class Ab(LibraryTest):

    def test_compares_iterations_of_both_runs(self):
        done = self.trace("--ab", command=self.loop(12, seconds=0.02))
        found = re.search(r"--ab: ([\d.]+) ms an iteration with marks alone \(median of 11\), "
                          r"([\d.]+) ms traced \(median of 11\)", done.stderr)
        self.assertIsNotNone(found, done.stderr)
        for time_ms in map(float, found.groups()):
            self.assertGreater(time_ms, 19.9)  # each sleeps 20 ms
            self.assertLess(time_ms, 100)

    def test_compares_the_iterations_of_the_window_alone(self):
        done = self.trace("--ab", "--skip", "2", "--iterations", "3", command=self.loop(12))
        self.assertRegex(done.stderr, r"\(median of 3\).*\(median of 3\)")


if __name__ == "__main__":
    program.main()
