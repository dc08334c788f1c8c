#!/usr/bin/env python3
"""`gradwire trace` end to end: the tracer's library records fake_training through the fake driver and
the fake CUPTI of tests/tracer/fakes. No GPU is involved.

usage: trace_fakes_test.py GRADWIRE SOURCE_FOLDER
"""

import json
import os
import re
import signal
import subprocess

import program
from program import ENVIRONMENT_ERROR

# Of one iteration of fake_training with kernels=10: 5 by the runtime, 5 by the driver in the backward
# pass, a graph of 3; a copy and a fill.
KERNELS, BACKWARD_KERNELS = 13, 5


class FakesTest(program.ProgramTest):

    def setUp(self):
        super().setUp()
        self.build = program.GRADWIRE.parent
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("GRADWIRE_", "CUDA_", "NVTX_", "LD_LIBRARY_PATH"))}

    def trace(self, *arguments, training=("iterations=5", "kernels=10"), command=None, fake=""):
        environment = {**self.environment, "LD_LIBRARY_PATH": str(self.build / "tests/fakes"),
                       "GRADWIRE_FAKE_CUPTI": fake}
        command = command or [self.build / "tests/fake_training", *training]
        return subprocess.run([program.GRADWIRE, "trace", "-o", self.out / "t.gwt", *arguments, "--", *command],
                              cwd=self.folder, env=environment, capture_output=True, text=True,
                              timeout=120, check=False)

    def files(self):
        return sorted(os.listdir(self.out))

    def inspect(self, name="t.gwt"):
        return json.loads(self.succeed("inspect", self.out / name, "--json"))


class Recorded(FakesTest):

    def test_every_kernel_with_its_launch_and_every_mark(self):
        done = self.trace()
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        found = self.inspect()
        self.assertEqual([item["kernels"] for item in found["iterations"]], [KERNELS] * 5)
        self.assertEqual([item["copies"] for item in found["iterations"]], [2] * 5)
        self.assertEqual({item["backward_kernels"] for item in found["iterations"]}, {BACKWARD_KERNELS})
        self.assertEqual((found["kernels"]["without_launch"], found["kernels"]["outside_iterations"]), (0, 0))
        self.assertEqual((found["parameters"]["count"], found["parameters"]["named"]), (5, 5))
        self.assertIn(f"{5 * KERNELS} kernels, 10 copies and memsets", done.stderr)

    def test_the_trace_can_be_simulated(self):
        self.trace()
        answer = json.loads(self.succeed("simulate", "--trace", self.out / "t.gwt", "--workers", "8", "--json"))
        self.assertGreater(answer["result"]["backward_sync_s"], 0)

    def test_the_window(self):
        done = self.trace("--skip", "3", "--iterations", "4", training=("iterations=30", "kernels=10"))
        self.assertEqual(done.returncode, 0, done.stderr)
        found = [item for item in self.inspect()["iterations"] if item["complete"]]
        self.assertEqual([item["number"] for item in found], [3, 4, 5, 6])

    def test_devices(self):
        everything = self.trace("--device", "all")
        self.assertIn(f"{5 * KERNELS} kernels", everything.stderr)
        other = self.trace("--device", "1")  # fake_training uses device 0
        self.assertEqual(other.returncode, ENVIRONMENT_ERROR, other.stderr)

    def test_two_ranks_have_a_file_each_which_can_be_joined(self):
        # Of one job are those that ran at one time: long enough for the second to start on a busy machine.
        training = f"{self.build}/tests/fake_training iterations=4000 kernels=4"
        done = self.trace(command=["sh", "-c", f"RANK=0 WORLD_SIZE=2 {training} & RANK=1 WORLD_SIZE=2 {training} & wait"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.files(), ["t.rank0.gwt", "t.rank1.gwt"])
        join = re.search(r"gradwire (trace-merge .*)", done.stderr).group(1).split()
        self.succeed(*join)
        self.assertIn("t.all.gwt", self.files())

    def test_without_marks_iterations_come_from_repetition_or_not_at_all(self):
        done = self.trace(training=("iterations=8", "kernels=10", "marks=0"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.inspect()["kernels"]["all"], 8 * (KERNELS + 2))


class Ends(FakesTest):

    def check(self, end, status):
        done = self.trace(training=("iterations=5", "kernels=10", f"end={end}"))
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(self.inspect()["kernels"]["all"], 5 * (KERNELS + 2))
        return done.stderr

    def test_killed(self):
        self.assertIn("did not end in order", self.check("kill", 128 + signal.SIGKILL))

    def test_aborted(self):
        self.check("abort", 128 + signal.SIGABRT)

    def test_left_by_exit(self):
        self.check("_exit", 7)

    def test_forked_workers_write_nothing(self):
        self.trace(training=("iterations=2", "kernels=10", "fork=1"))
        self.assertEqual(self.files(), ["t.gwt"])

    def test_a_program_that_becomes_another_has_two_files(self):
        self.trace(training=("iterations=2", "kernels=10", "end=exec"))
        self.assertEqual(len(self.files()), 2, self.files())


class NotRecorded(FakesTest):
    """The program runs as ever, and one sentence says why there is no trace."""

    def check(self, fragments, fake):
        """Once by the tracer in the process; then by us that there is no trace."""
        done = self.trace(fake=fake)
        self.assertEqual((done.returncode, done.stdout), (ENVIRONMENT_ERROR, ""), done.stderr)
        for fragment in fragments:
            self.assertIn(fragment, done.stderr)
        self.assertEqual(self.files(), [])

    def test_another_profiler_is_there(self):
        self.check(("another tool holds CUPTI", "nsys"), "busy=nsys")

    def test_the_driver_is_too_old(self):
        self.check(("the driver is older",), "olddriver")

    def test_no_permission(self):
        self.check(("NVreg_RestrictProfilingToAdminUsers",), "permission")

    def test_dropped_records_are_said(self):
        self.assertIn("17", self.trace(fake="drop=17").stderr)


class Ab(FakesTest):

    def test_both_runs_have_iterations(self):
        done = self.trace("--ab", training=("iterations=20", "kernels=10"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"(?m)^--ab: .*\(median of 19\).*\(median of 19\): ratio \d+\.\d+")
        self.assertEqual(self.files(), ["t.gwt"])


if __name__ == "__main__":
    program.main()
