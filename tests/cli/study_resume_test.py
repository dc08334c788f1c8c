#!/usr/bin/env python3
"""A study that is killed or run by several processes gives the bytes of one run.

usage: study_resume_test.py GRADWIRE SOURCE_FOLDER
"""

import csv
import os
import pathlib
import random
import signal
import subprocess
import time

import program

STUDY = """workload {{ trace: "{trace}" }}
grid {{
  name: "fast"
  cluster: "study-24x4-v100-10g"
  workers: [8, 96]
  bandwidth: [{speeds}]
  compressor: ["none", "fp16", "powersgd:rank=4", "signsgd"]
  engine: ["recurrence", "formula"]
}}
grid {{
  name: "simulated"
  cluster: "study-24x4-v100-10g"
  workers: [8, 96]
  bandwidth: ["1Gbps", "10Gbps", "25Gbps"]
  compressor: ["none", "signsgd"]
}}
"""


class Resume(program.ProgramTest):

    def setUp(self):
        super().setUp()
        speeds = ", ".join(f'"{mbps}Mbps"' for mbps in range(1000, 31000, 100))
        self.study = self.write("study.txtpb",
                                STUDY.format(trace=program.shipped_trace(), speeds=speeds))
        self.cells = 2 * 300 * 4 + 2 * 3 * 2

    def results(self, name, *arguments):
        self.succeed("study", self.study, "-o", self.out / name, *arguments)
        return (self.out / name / "results.csv").read_bytes()

    def test_any_count_of_processes_gives_the_same_bytes(self):
        one = self.results("one", "--jobs", "1")
        self.assertEqual(one.count(b"\n"), self.cells + 1)
        for jobs in (2, 7):
            self.assertEqual(self.results(f"jobs{jobs}", "--jobs", jobs), one)

    def test_a_run_killed_at_random_points_resumes_to_the_same_bytes(self):
        seed = int.from_bytes(os.urandom(4), "little")
        chance = random.Random(seed)
        whole = self.results("whole")
        out = self.out / "killed"
        kills = 0
        for _ in range(12):
            process = subprocess.Popen([program.GRADWIRE, "study", self.study, "-o", out],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(chance.uniform(0.0, 0.25))
            process.send_signal(signal.SIGKILL)
            kills += process.wait() == -signal.SIGKILL
        self.assertEqual(self.results("killed"), whole, f"seed {seed}, {kills} kills")
        self.assertEqual(sorted(os.listdir(out)), ["assumptions.txt", "finished.cells", "report.html", "results.csv", "study.path"])

    def test_what_was_done_before_an_interrupt_is_not_done_again(self):
        out = self.out / "stopped"
        process = subprocess.Popen([program.GRADWIRE, "study", self.study, "-o", out, "--jobs", "1"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        journal = out / "unfinished.cells"
        deadline = time.monotonic() + 30
        while not (journal.exists() and journal.stat().st_size > 10000):
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(process.poll(), "it ended before it could be stopped")
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), 130)
        said = self.succeed("study", self.study, "-o", out)
        self.assertRegex(said, r"(?m)^\d+ cells were done before\.$")
        self.assertEqual((out / "results.csv").read_bytes(), self.results("whole"))

    def test_a_worker_that_is_killed_costs_one_cell(self):
        speeds = ", ".join(f'"{mbps}Mbps"' for mbps in range(1000, 31000, 50))
        study = self.write("long.txtpb", f'workload {{ trace: "{program.shipped_trace()}" }}\n'
                           'grid { cluster: "study-24x4-v100-10g" workers: 96\n'
                           f'bandwidth: [{speeds}] engine: "simgrid" }}\n')
        process = subprocess.Popen([program.GRADWIRE, "study", study, "-o", self.out / "r"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.kill_a_child_of(process)
        printed, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, program.INCOMPLETE, said)
        self.assertIn("1 of 600 cells have no answer", said)
        self.assertRegex(printed, r"(?m)^Failed: .*ended by signal 9")
        with open(self.out / "r/results.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 600)
        self.assertEqual(sum(row["failure"] != "" for row in rows), 1)
        # Failed cells are not kept: the next run has them all.
        self.assertIn("599 cells were done before.", self.succeed("study", study, "-o",
                                                                  self.out / "r"))

    def test_the_forking_parent_has_one_thread(self):
        process = subprocess.Popen([program.GRADWIRE, "study", self.study, "-o", self.out / "r"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        seen = 0
        tasks = pathlib.Path(f"/proc/{process.pid}/task")
        while process.poll() is None:
            try:
                self.assertLessEqual(len(os.listdir(tasks)), 1)
            except FileNotFoundError:
                break
            seen += 1
        self.assertEqual(process.wait(), 0)
        self.assertGreater(seen, 0)


if __name__ == "__main__":
    program.main()
