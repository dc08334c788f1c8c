#!/usr/bin/env python3
"""The parts of the GPU script that need no PyTorch, and its refusals."""

import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import capture_profiles
import parameter_tables
import provenance
from deadline import Deadline, share

SCRIPT = pathlib.Path(capture_profiles.__file__)


class FakeClock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


class ParameterTables(unittest.TestCase):
    def test_the_models_have_the_tensors_and_elements_of_the_study(self):
        # torchvision's ResNets; BERT-base with the study's vocabulary of 21128 and 5 labels.
        for model, tensors, elements in (("resnet50", 161, 25_557_032), ("resnet101", 314, 44_549_160),
                                         ("bert-base", 201, 102_271_493)):
            table = parameter_tables.parameters(model)
            self.assertEqual(len(table), tensors)
            self.assertEqual(parameter_tables.elements(table), elements)
            self.assertEqual(len({name for name, _ in table}), tensors)

    def test_the_first_downsampling_block_of_resnet50_is_torchvisions(self):
        table = dict(parameter_tables.parameters("resnet50"))
        self.assertEqual(table["layer2.0.downsample.0.weight"], (512, 256, 1, 1))
        self.assertEqual(table["layer2.0.conv2.weight"], (128, 128, 3, 3))

    def test_csv_lines_hold_name_shape_and_dtype(self):
        self.assertEqual(parameter_tables.as_csv([("a.weight", (2, 3)), ("a.bias", (2,))]),
                         "parameter,shape,dtype\na.weight,2x3,float32\na.bias,2,float32\n")


class Deadlines(unittest.TestCase):
    def setUp(self):
        self.clock = FakeClock()
        self.deadline = Deadline(100, self.clock)

    def take(self, seconds):
        self.clock.now += seconds
        return seconds

    def test_work_that_fits_is_run_and_its_result_returned(self):
        self.assertEqual(self.deadline.run("a", "kind", 10, lambda: self.take(7)), 7)
        self.assertEqual(self.deadline.remaining(), 93)

    def test_work_whose_guess_does_not_fit_is_skipped_with_a_reason(self):
        self.assertIsNone(self.deadline.run("a", "kind", 90, lambda: self.fail("it was run")))
        # 1.2 x 90 s
        self.assertEqual(self.deadline.skipped, [("a", "needs about 108 s and 100 s are left")])

    def test_the_longest_of_a_kind_replaces_the_guess(self):
        self.deadline.run("a", "kind", 1, lambda: self.take(50))
        self.assertEqual(self.deadline.expected("kind", 1), 60)
        self.assertIsNone(self.deadline.run("b", "kind", 1, lambda: self.fail("it was run")))
        self.assertEqual(self.deadline.run("c", "other", 1, lambda: 3), 3)

    def test_a_failure_costs_only_itself(self):
        def fail():
            raise RuntimeError("CUDA out of memory.\nTried to allocate")
        self.assertIsNone(self.deadline.run("a", "kind", 1, fail))
        self.assertEqual(self.deadline.failed,
                         [("a", "RuntimeError: CUDA out of memory. Tried to allocate")])
        self.assertEqual(self.deadline.run("b", "kind", 1, lambda: 3), 3)

    def test_progress_is_saved_before_each_piece(self):
        saved = []
        deadline = Deadline(10, self.clock, before_each=lambda: saved.append(self.clock.now))
        deadline.run("a", "kind", 1, lambda: self.take(4))
        deadline.run("b", "kind", 1, lambda: self.take(1))
        self.assertEqual(saved, [100, 104])

    def test_modes_share_what_is_left(self):
        seconds = share(100, [("a", 0.5), ("b", 0.3), ("c", 0.2)])
        self.assertAlmostEqual(seconds("a"), 50)
        self.assertAlmostEqual(seconds("b", 50), 30)   # 0.3 of 0.5
        self.assertAlmostEqual(seconds("b", 80), 48)   # a left 30 s over
        self.assertAlmostEqual(seconds("c", 20), 20)   # the last one gets it all
        self.assertEqual(seconds("c", -3), 0)

    def test_the_default_budget_with_its_grace_ends_within_four_minutes(self):
        self.assertLess(capture_profiles.BUDGET_SECONDS + capture_profiles.GRACE_SECONDS, 240)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def test_gzip_keeps_the_content_and_leaves_no_plain_file(self):
        text = b'{"traceEvents": []}' * 100_000
        for name in ("a.json", "b.json"):
            pathlib.Path(self.path(name)).write_bytes(text)
            size = provenance.gzip_file(self.path(name), self.path(name + ".gz"))
            self.assertEqual(size, os.path.getsize(self.path(name + ".gz")))
        with gzip.open(self.path("a.json.gz"), "rb") as file:
            self.assertEqual(file.read(), text)
        self.assertEqual(pathlib.Path(self.path("a.json.gz")).read_bytes(),
                         pathlib.Path(self.path("b.json.gz")).read_bytes())
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.json.gz", "b.json.gz"])

    def test_text_appears_whole_or_not_at_all(self):
        provenance.write_text(self.path("a.txt"), "x\n")
        with self.assertRaises(TypeError):
            provenance.write_text(self.path("a.txt"), None)
        self.assertEqual(pathlib.Path(self.path("a.txt")).read_text(encoding="utf-8"), "x\n")

    FACTS = {"device": 'NVIDIA "X"', "date": "2024-01-31", "software": "torch 2.1"}

    @staticmethod
    def entry(scheme, parameter, bucket, elements, tensors, model="resnet50-b32"):
        return {"scheme": scheme, "parameter": parameter, "model": model, "bucket": bucket,
                "elements": elements, "tensors": tensors, "encode_ns": 1_500_000, "decode_ns": 250_000,
                "host_ns": 678, "samples": 10}

    def test_the_cost_profile_sums_buckets_and_is_the_one_that_gradwire_reads(self):
        entries = [self.entry("powersgd", "rank=4", 0, 2_049_000, 2),
                   self.entry("powersgd", "rank=4", 1, 23_508_032, 159),
                   self.entry("powersgd", "rank=4", 0, 25_557_032, 161, "resnet50-b16"),
                   self.entry("fp16", "", 0, 25_557_032, 161),
                   self.entry("powersgd-batched", "rank=4", 0, 25_557_032, 161)]
        golden = pathlib.Path(__file__).parent.parent / "golden" / "gpu-script-cost-profile.txtpb"
        self.assertEqual(provenance.cost_profile(self.FACTS, entries), golden.read_text(encoding="utf-8"))

    def test_the_times_of_each_bucket_are_one_row(self):
        text = provenance.bucket_csv([self.entry("powersgd-batched", "rank=4", 1, 100, 3)])
        self.assertEqual(text, "scheme,parameter,model,bucket,elements,tensors,encode_ns,decode_ns,host_ns,samples\n"
                               "powersgd-batched,rank=4,resnet50-b32,1,100,3,1500000,250000,678,10\n")

    def test_windows_are_one_row_each(self):
        self.assertEqual(provenance.windows_csv([("traced", "resnet50-b32", 5, 6)]),
                         "mode,workload,begin_ns,end_ns\ntraced,resnet50-b32,5,6\n")

    def test_the_page_of_a_shipped_trace_says_what_it_holds_and_what_tracing_cost(self):
        figures = {"iterations": 1, "kernels": 700, "copies": 20, "linked": 719, "records": 720, "gradients": 161,
                   "elements": 25_557_032, "kernel_ms": 41.25, "backward_ms": 30.5}
        facts = dict(self.FACTS, settings="TF32 on")
        page = provenance.trace_page(facts, "x-resnet50-b32", "resnet50-b32", figures, "1 % more")
        for text in ("# x-resnet50-b32\n", '"X"', "2024-01-31", "torch 2.1; TF32 on", "700 kernels and 20 copies",
                     "719 of 720 with the host call", "161 gradients (25557032 elements)", "41.250 ms of kernels",
                     "30.500 ms", "cost**: 1 % more."):
            self.assertIn(text, page)
        self.assertNotIn("cost", provenance.trace_page(facts, "x", "resnet50-b32", figures, ""))

    def test_iterations_are_one_row_each(self):
        self.assertEqual(provenance.iterations_csv([("plain", "resnet50-b32", [5, 6])]),
                         "mode,workload,iteration,iteration_ns\n"
                         "plain,resnet50-b32,0,5\nplain,resnet50-b32,1,6\n")

    def test_the_page_names_what_was_skipped_and_what_failed(self):
        result = {"seconds": 1.0, "done": [("a", "10 iterations")], "skipped": [("b", "no time")],
                  "failed": [("c", "out of memory")]}
        page = provenance.page({"device": "X"}, [("profile", result)], smoke=True)
        for line in ("- device: X", "- a: 10 iterations", "- b: skipped, no time",
                     "- c: failed, out of memory"):
            self.assertIn(line, page.splitlines())
        self.assertIn("smoke", page)

    def test_a_mode_that_left_nothing_is_read_as_none(self):
        self.assertIsNone(capture_profiles.read_result(self.folder, "plain"))
        provenance.write_text(capture_profiles.result_path(self.folder, "plain"), json.dumps({"a": 1}))
        self.assertEqual(capture_profiles.read_result(self.folder, "plain"), {"a": 1})


class Modes(unittest.TestCase):
    def command(self, mode, seconds=30):
        options = capture_profiles.parse(["--out", "results", "--gradwire", "pack/gradwire"])
        return capture_profiles.mode_command(options, mode, seconds)

    def test_the_traced_mode_is_a_process_as_the_others_are_but_below_gradwire(self):
        plain, traced = self.command("plain"), self.command("traced")
        at = traced.index("--")
        self.assertEqual(traced[:at], ["pack/gradwire", "trace", "--pytorch", "-o", "results/traced.gwt"])
        self.assertEqual(traced[at + 1:], [word.replace("plain", "traced") if word == "plain" else
                                           "24.0" if word == "30.0" else word for word in plain])

    def test_the_traced_mode_leaves_time_for_gradwire_to_write_its_trace(self):
        budget = self.command("traced", 40)
        self.assertEqual(float(budget[budget.index("--budget") + 1]), 40 - capture_profiles.CONVERSION_SECONDS)

    def test_weights_share_the_whole_budget(self):
        for weights in (capture_profiles.MODE_WEIGHTS, capture_profiles.WEIGHTS_WITH_TRACER):
            self.assertAlmostEqual(sum(weight for _, weight in weights), 1)


class CommandLine(unittest.TestCase):
    def run_script(self, *arguments, **environment):
        keep = {key: value for key, value in os.environ.items() if key != "OUT"}
        return subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True,
                              env={**keep, **environment})

    def test_wrong_arguments_are_exit_2(self):
        for arguments in ((), ("--out", "x", "--budget", "0"), ("--out", "x", "--device", "cpu"),
                          ("--out", "x", "--device", "tpu")):
            self.assertEqual(self.run_script(*arguments).returncode, 2, arguments)

    def test_the_output_folder_may_come_from_the_environment(self):
        self.assertEqual(capture_profiles.parse(["--out", "a"]).out, "a")
        with tempfile.TemporaryDirectory() as folder:
            run = self.run_script("--device", "cpu", OUT=folder)  # refused for the missing --smoke
            self.assertEqual(run.returncode, 2)
            self.assertIn("--smoke", run.stderr)

    def test_without_torch_it_refuses_in_one_line_with_exit_3_and_writes_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            # -S leaves out site-packages, and -E PYTHONPATH: no Python has torch then.
            run = subprocess.run([sys.executable, "-S", "-E", str(SCRIPT), "--out", out],
                                 capture_output=True, text=True)
            self.assertEqual(run.returncode, 3)
            self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
            self.assertIn("PyTorch", run.stderr)
            self.assertFalse(os.path.exists(out))


if __name__ == "__main__":
    unittest.main()
