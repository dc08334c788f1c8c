#!/usr/bin/env python3
"""compare_traces.py on small profiler files: compare_traces_test.py GRADWIRE

Both sides are profiler files here, since the importer is not in question: what is tested is that
each difference is seen, and where it belongs.
"""

import copy
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
from kineto_file import KinetoFile  # noqa: E402

GRADWIRE = None
BASE_NS = 1_700_000_000_000_000_000
FACTS = {"device": "NVIDIA X200", "date": "2024-01-31", "software": "torch 2.1", "settings": "none"}
PAGE = "data/x200-a-b1/provenance.md"


class CompareTraces(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "traces").mkdir()
        # Eight iterations of 1 ms each: a-b1 ran in the 2nd to 4th of them, b-b4 in the 6th and 7th.
        self.ours = KinetoFile(iterations=8)
        self.windows = {"a-b1": (1_950, 4_950), "b-b4": (5_950, 7_950)}
        self.theirs = {"a-b1": KinetoFile(iterations=3), "b-b4": KinetoFile(iterations=2)}
        self.iterations = {"plain": [100, 100, 100], "traced": [101, 101, 90], "profile": [150, 150, 150]}

    def run_program(self, *arguments):
        return subprocess.run([sys.executable, str(HERE / "compare_traces.py"), *map(str, arguments)],
                              capture_output=True, text=True)

    def compare(self, status):
        """{(workload, what): [ours, other, verdict]}."""
        plain = self.folder / "ours.json"
        plain.write_text(self.ours.text(baseTimeNanoseconds=BASE_NS))
        subprocess.run([GRADWIRE, "import", plain, "-o", self.folder / "traced.gwt"], check=True,
                       capture_output=True)
        for workload, file in self.theirs.items():
            (self.folder / "traces" / f"{workload}.json.gz").write_bytes(gzip.compress(file.text().encode()))
        rows = [f"traced,{name},{BASE_NS + 1000 * begin},{BASE_NS + 1000 * end}"
                for name, (begin, end) in self.windows.items()]
        (self.folder / "windows.csv").write_text("mode,workload,begin_ns,end_ns\n" + "\n".join(rows) + "\n")
        rows = [f"{mode},a-b1,{i},{time * 1000}" for mode, times in self.iterations.items()
                for i, time in enumerate(times)]
        (self.folder / "iterations.csv").write_text("mode,workload,iteration,iteration_ns\n" + "\n".join(rows) + "\n")
        (self.folder / "facts.json").write_text(json.dumps(FACTS))
        run = self.run_program(GRADWIRE, self.folder)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        lines = [line.split(",") for line in run.stdout.splitlines()[1:]]
        return {(line[0], line[1]): line[2:] for line in lines}

    def kernels(self, file, name):
        return [event for event in file.events if event["name"] == name and event["cat"] == "kernel"]

    def test_the_same_training_twice_agrees(self):
        found = self.compare(0)
        self.assertEqual(found["a-b1", "kernels an iteration"], ["3", "3", "ok"])
        self.assertEqual(found["b-b4", "kernel ms an iteration"], ["0.230", "0.230", "ok"])  # 50 + 2 x 90 us
        self.assertEqual(found["b-b4", "gradients in order"], ["2", "2", "ok"])
        self.assertEqual(found["a-b1", "gradients ready with another kernel"], ["0", "of 2", "ok"])
        self.assertEqual(found["a-b1", "ready times apart us (median)"][2], "ok")

    def test_overhead_is_held_against_the_plain_iterations(self):
        found = self.compare(0)
        self.assertEqual(found["a-b1", "traced over plain: median ms"], ["0.101 (+1.00 %)", "0.100", "ok"])
        # The 10th percentile of 90, 101, 101 is a fifth of the way from 90 to 101.
        self.assertEqual(found["a-b1", "traced over plain: p10 ms"], ["0.092 (-7.80 %)", "0.100", "shown"])
        self.assertEqual(found["a-b1", "profile over plain: median ms"][2], "shown")
        self.iterations["traced"] = [104, 104, 104]
        self.assertEqual(self.compare(0)["a-b1", "traced over plain: median ms"][2], "above the goal")
        self.iterations["traced"] = [106, 106, 106]
        self.assertEqual(self.compare(4)["a-b1", "traced over plain: median ms"][2], "FAILED")

    def test_one_iteration_of_each_workload_is_ready_to_be_shipped(self):
        self.compare(0)
        run = subprocess.run([GRADWIRE, "inspect", self.folder / "data/x200-b-b4/trace.gwt", "--json"],
                             capture_output=True, text=True, check=True)
        found = json.loads(run.stdout)
        self.assertEqual(found["batch_size"], 4)
        self.assertEqual([entry["representative"] for entry in found["iterations"]], [True])
        self.assertEqual(found["provenance"]["licence"], "Apache-2.0")
        page = (self.folder / PAGE).read_text()
        for text in ("# x200-a-b1", "3 kernels and 0 copies", "2 gradients (10408 elements)", "torch 2.1",
                     "0.101 ms with the tracer and 0.100 ms without"):
            self.assertIn(text, page)

    def test_a_kernel_of_another_name_is_found_where_it_is(self):
        for kernel in self.kernels(self.theirs["b-b4"], "backward")[::2]:
            kernel["name"] = "other"
        found = self.compare(4)
        self.assertEqual(found["b-b4", "k-th kernel has another name"], ["1", "first at 1", "FAILED"])
        self.assertEqual(found["a-b1", "k-th kernel has another name"][2], "ok")

    def test_a_kernel_more_is_found(self):
        self.theirs["a-b1"].launch("backward", 3395, 3400, 1, thread=2)
        found = self.compare(4)
        self.assertEqual(found["a-b1", "kernels an iteration"], ["3", "3 4", "FAILED"])

    def test_durations_apart_by_more_than_one_percent_are_found(self):
        for kernel in self.kernels(self.ours, "backward"):
            kernel["dur"] = 90.8
        self.assertEqual(self.compare(0)["a-b1", "names of 20 us or more apart by over 1 %"], ["0", "of 2", "ok"])
        for kernel in self.kernels(self.ours, "backward"):
            kernel["dur"] = 91.8
        found = self.compare(4)
        self.assertEqual(found["a-b1", "names of 20 us or more apart by over 1 %"], ["1", "of 2", "FAILED"])
        self.assertEqual(found["a-b1", "the furthest apart"], ["2.00 %", "backward", "shown"])
        self.assertEqual(found["a-b1", "kernel ms an iteration"], ["0.234", "0.230", "FAILED"])

    def test_a_short_kernel_is_judged_in_the_sum_alone(self):
        for file in (self.ours, *self.theirs.values()):
            for kernel in self.kernels(file, "forward"):
                kernel["dur"] = 19
        for kernel in self.kernels(self.ours, "forward"):
            kernel["dur"] = 20
        self.assertEqual(self.compare(0)["a-b1", "names of 20 us or more apart by over 1 %"], ["0", "of 1", "ok"])

    def test_gradients_in_another_order_are_found(self):
        shapes = [event["args"]["Input Dims"] for event in self.theirs["a-b1"].events
                  if "AccumulateGrad" in event["name"]]
        for event, shape in zip((event for event in self.theirs["a-b1"].events if "AccumulateGrad" in event["name"]),
                                copy.deepcopy(shapes[1:] + shapes[:1])):
            event["args"]["Input Dims"] = shape
        found = self.compare(4)
        self.assertEqual(found["a-b1", "gradients in order"], ["2", "2", "FAILED"])

    def test_a_gradient_ready_with_another_kernel_is_found(self):
        # The first gradient of each iteration ends after the second kernel's launch too.
        for event in self.theirs["b-b4"].events:
            if "AccumulateGrad" in event["name"] and event["args"]["Input Dims"] == [[64, 3, 7, 7]]:
                event["ts"] += 60
        found = self.compare(4)
        self.assertEqual(found["b-b4", "gradients ready with another kernel"], ["1", "of 2", "FAILED"])

    def test_what_is_missing_on_one_side_is_said_and_stops_nothing(self):
        self.windows["b-b4"] = (50_000, 60_000)
        del self.theirs["a-b1"]
        found = self.compare(4)  # nothing could be compared
        self.assertEqual(found["b-b4", "our trace"], ["no iteration of traced.gwt lies in its time", "", "missing"])
        self.assertEqual(found["a-b1", "the profiler's trace"], ["", "the profiler brought nothing back", "missing"])
        self.assertTrue((self.folder / PAGE).is_file())

    def test_an_empty_folder_is_no_success(self):
        self.assertEqual(self.run_program(GRADWIRE, self.folder / "traces").returncode, 4)
        self.assertEqual(self.run_program(GRADWIRE).returncode, 2)


if __name__ == "__main__":
    GRADWIRE = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
