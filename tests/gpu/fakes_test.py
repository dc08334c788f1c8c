#!/usr/bin/env python3
"""The tracer's stages of run.sh under a fake driver and a fake CUPTI: fakes_test.py GRADWIRE TESTS_FOLDER

TESTS_FOLDER holds fakes/ and fake_training as they were built. The library, launcher, hook and importer
are the real ones; the records are real ones of CUPTI, filled by the fakes. The training needs PyTorch
and is left out without it.
"""

import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
GRADWIRE = None
TESTS = None
ITERATIONS, KERNELS = 10, 800
HALF = ITERATIONS * KERNELS // 2

# What fake_training says at its head that it does.
PROGRAM = {
    "iterations": ITERATIONS, "streams": 1, "graph_nodes": 3, "gradients": HALF,
    "kernels": {"forward": {"count": HALF, "graph": False}, "backward": {"count": HALF, "graph": False},
                "graph_node": {"count": 3 * ITERATIONS, "graph": True}},
    "copies": {"count": ITERATIONS, "bytes": ITERATIONS << 20},
    "memsets": {"count": ITERATIONS, "bytes": 4096 * ITERATIONS},
    "timed_stretch_ns": [],
}


def environment(**more):
    fakes = TESTS / "fakes"
    return dict(os.environ, LD_LIBRARY_PATH=str(fakes), GRADWIRE_CUPTI_LIB=str(fakes / "libcupti.so.13"), **more)


class Stages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name, "out")
        self.pack = pathlib.Path(folder.name, "pack")
        self.pack.mkdir()
        for name in ("gradwire", "libgradwire_tracer.so"):
            shutil.copy(GRADWIRE.with_name(name), self.pack)

    def run_stages(self, fault=""):
        """run.sh with fake_training as the program; `fault` is the fake CUPTI's."""
        (self.pack / "traced_program").write_text(
            f"#!/bin/sh\necho '{json.dumps(PROGRAM)}' > \"$1\"\n"
            f"exec '{TESTS / 'fake_training'}' iterations={ITERATIONS} kernels={KERNELS}\n")
        (self.pack / "traced_program").chmod(0o755)
        run = subprocess.run([HERE / "run.sh", self.pack, self.out, "self-trace", "check-trace"],
                             capture_output=True, text=True, env=environment(GRADWIRE_FAKE_CUPTI=fault))
        said = "".join((self.out / f"{stage}.txt").read_text() for stage in ("self-trace", "check-trace"))
        return run.returncode, run.stdout + said

    def test_a_capture_of_the_fakes_holds_just_what_the_program_did(self):
        status, said = self.run_stages()
        self.assertEqual(status, 0, said)
        self.assertIn(f"launches of forward,{HALF},{HALF},ok", said)
        self.assertIn(f"of these ready with the kernel launched last before their mark,{HALF},{HALF},ok", said)

    def test_records_that_the_profiler_drops_fail_the_check(self):
        status, said = self.run_stages("drop=3")
        self.assertEqual(status, 4)
        self.assertIn("dropped_records,0,3,FAILED", said)


@unittest.skipIf(importlib.util.find_spec("torch") is None, "PyTorch is not installed for this Python")
class Training(unittest.TestCase):
    def test_each_workload_is_found_in_a_trace_of_the_process_that_ran_them_all(self):
        from traced_window_checks import check_workloads
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder)
            run = subprocess.run([GRADWIRE, "trace", "--pytorch", "-o", out / "traced.gwt", "--", sys.executable,
                                  HERE / "fake_gpu_training.py", "--mode", "traced", "--device", "cpu", "--smoke",
                                  "--out", out, "--budget", "100"], capture_output=True, text=True,
                                 env=environment())
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            # A kernel a gradient and one of the forward pass.
            check_workloads(self, GRADWIRE, out, lambda parameters: parameters + 1)


if __name__ == "__main__":
    GRADWIRE, TESTS = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(2))
    unittest.main()
