#!/usr/bin/env python3
"""The GPU script's whole path on a CPU, with tiny models: smoke_test.py [GRADWIRE]

With gradwire and the tracer's library beside it, the traced mode too. Exit 77 where PyTorch is not
installed.
"""

import gzip
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

GRADWIRE = None
SCRIPT = pathlib.Path(__file__).resolve().with_name("capture_profiles.py")


class Models(unittest.TestCase):
    def test_the_models_are_what_their_tables_say(self):
        import models
        for name in models.MODELS:
            models.make_model(name)  # throws if not

    def test_a_tiny_model_learns(self):
        import torch
        import modes
        for workload in modes.SMOKE_WORKLOADS:
            training = modes.Training(workload, torch.device("cpu"))
            before = [p.detach().clone() for p in training._model.parameters()]
            training.iteration()
            self.assertTrue(any(not torch.equal(a, b) for a, b in zip(before, training._model.parameters())))


class Hooks(unittest.TestCase):
    def test_a_timed_hook_gives_the_gradients_that_the_hook_gives(self):
        # With one rank fp16's all-reduce changes nothing, so the gradients are the fp16-rounded ones.
        import torch
        import hooks
        from torch.distributed.algorithms.ddp_comm_hooks import default_hooks

        class Bucket:
            def __init__(self, tensor):
                self.tensor = tensor

            def buffer(self):
                return self.tensor

            def parameters(self):
                return [self.tensor]

            def index(self):
                return 0

        device = torch.device("cpu")
        with tempfile.TemporaryDirectory() as folder, hooks.one_rank(device, folder):
            timer = hooks.StageTimer(default_hooks.fp16_compress_hook, device)
            gradients = torch.randn(1000)
            rounded = gradients.half().float()
            result = timer.as_hook()(None, Bucket(gradients.clone())).wait()
        self.assertTrue(torch.equal(result, rounded))
        entry, = timer.entries()
        self.assertEqual((entry["elements"], entry["tensors"], entry["samples"]), (1000, 1, 1))
        self.assertGreater(entry["encode_ns"], 0)
        self.assertGreater(entry["decode_ns"], 0)
        self.assertLessEqual(entry["encode_ns"] + entry["decode_ns"], 2 * entry["host_ns"])


class WholeRun(unittest.TestCase):
    def test_a_smoke_run_brings_everything_back(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "out")
            run = subprocess.run([sys.executable, str(SCRIPT), "--device", "cpu", "--smoke", "--out", str(out),
                                  "--budget", "100"], capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            page = (out / "provenance.md").read_text(encoding="utf-8")
            self.assertNotIn("failed", page)
            self.assertNotIn("skipped", page)
            profile = (out / "cost_profile.txtpb").read_text(encoding="utf-8")
            for scheme in ("fp16", "bf16", "powersgd:rank=4,min_compression_rate=2"):
                self.assertIn(f'scheme: "{scheme}"', profile)
            times = (out / "hook-times.csv").read_text(encoding="utf-8")
            self.assertIn("\npowersgd-batched,rank=4,", times)
            rows = (out / "iterations.csv").read_text(encoding="utf-8").splitlines()
            self.assertEqual(len(rows), 1 + 2 * 2 * 10)  # two modes, two models, ten iterations
            traces = sorted(out.glob("*traces/*.json.gz"))
            self.assertEqual(len(traces), 2 + 2 * 8)  # a model each; 8 hooks and ranks on each
            for path in traces:
                with gzip.open(path, "rt", encoding="utf-8") as file:
                    trace = json.load(file)
                events = trace["traceEvents"] if isinstance(trace, dict) else trace
                names = {event.get("name", "") for event in events}
                self.assertTrue(any("AccumulateGrad" in name for name in names), path.name)
            leftovers = [name for _, _, files in os.walk(out) for name in files
                         if name.endswith((".part", ".json")) and name != "facts.json"]
            self.assertEqual(leftovers, [])

    def test_without_a_gpu_it_refuses_in_one_line_with_exit_3(self):
        import torch
        if torch.cuda.is_available():
            self.skipTest("there is a GPU")
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            run = subprocess.run([sys.executable, str(SCRIPT), "--out", out], capture_output=True, text=True)
            self.assertEqual(run.returncode, 3)
            self.assertIn("finds no GPU", run.stderr.splitlines()[-1])
            self.assertFalse(os.path.exists(out))


class Traced(unittest.TestCase):
    """The traced mode with the real launcher, library, hook and importer. There is no profiler without a
    GPU: the capture holds marks, around which kernels are invented."""

    def setUp(self):
        if GRADWIRE is None or not GRADWIRE.with_name("libgradwire_tracer.so").is_file():
            self.skipTest("gradwire with the tracer's library beside it is not built")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name)

    def test_each_workload_is_found_in_a_trace_of_the_process_that_ran_them_all(self):
        import compare_traces
        from invented_kernels import invent_kernels
        from traced_window_checks import check_workloads
        run = subprocess.run([GRADWIRE, "trace", "--pytorch", "--keep-capture", "-o", self.out / "traced.gwt", "--",
                              sys.executable, SCRIPT, "--mode", "traced", "--device", "cpu", "--smoke", "--out",
                              self.out, "--budget", "100"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)  # nothing ran on a GPU
        self.assertGreater(invent_kernels(self.out / "traced.gwc", self.out / "invented.gwc"), 0)
        said = compare_traces.convert(GRADWIRE, self.out / "invented.gwc", self.out / "traced.gwt")
        self.assertEqual(said, "")
        # A kernel a gradient, one of the forward pass and one of the optimiser.
        check_workloads(self, GRADWIRE, self.out, lambda parameters: parameters + 2)


if __name__ == "__main__":
    if importlib.util.find_spec("torch") is None:
        print("skipped: PyTorch is not installed for this Python")
        sys.exit(77)
    if len(sys.argv) > 1:
        GRADWIRE = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
