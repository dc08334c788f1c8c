#!/usr/bin/env python3
"""A study run in shards and merged is the folder of one run, and a shard that lacks something is named.

usage: study_shards_test.py GRADWIRE SOURCE_FOLDER
"""

import csv
import os
import re
import subprocess
import time

import program
from program import INCOMPLETE, INPUT_ERROR

STUDY = """
workload {{ trace: "{trace}" }}
compressor: ["none", "fp16", "powersgd:rank=4", "signsgd"]
grid {{
  name: "fast"
  cluster: "study-24x4-v100-10g"
  workers: [8, 96]
  bandwidth: [{speeds}]
  engine: ["recurrence", "formula"]
}}
grid {{
  name: "racks"
  cluster: "study-24x4-v100-10g-racks-4to1"
  workers: [16, 32]
  shuffles: 3
  engine: "simgrid"
}}
count {{ name: "all" cells {{ grid: "fast" }} cells {{ grid: "racks" }} }}
claim {{
  claim: "half of all win" standing: "made up" source: "this test"
  low: 50 measure: "win_share_percent" grid: "fast"
}}
sensitivity {{ grid: "fast" target_share: 0.03 target_source: "this test" }}
"""


class Shards(program.ProgramTest):

    def setUp(self):
        super().setUp()
        speeds = ", ".join(f'"{mbps}Mbps"' for mbps in range(1000, 31000, 1000))
        self.study = self.write("study.txtpb",
                                STUDY.format(trace=program.shipped_trace(), speeds=speeds))
        self.cells = 2 * 30 * 4 + 2 * 3 * 4
        self.parts = self.out / "parts"

    def run_shard(self, index, count, *arguments):
        return self.succeed("study", self.study, "-o", self.parts, "--shard", f"{index}/{count}",
                            *arguments)

    def files_of(self, name, *arguments):
        """What a run of the whole study, or a merge, leaves in a fresh folder."""
        self.succeed("study", self.study, "-o", self.out / name, *arguments)
        return {path.name: path.read_bytes() for path in (self.out / name).iterdir()}

    def long_study(self):
        """600 cells of some milliseconds each."""
        speeds = ", ".join(f'"{mbps}Mbps"' for mbps in range(1000, 31000, 50))
        return self.write("long.txtpb", f'workload {{ trace: "{program.shipped_trace()}" }}\n'
                          'grid { cluster: "study-24x4-v100-10g" workers: 96\n'
                          f'bandwidth: [{speeds}] engine: "simgrid" }}\n')

    def test_merged_shards_are_the_folder_of_one_run(self):
        whole = self.files_of("whole")
        self.assertEqual(sorted(whole), ["assumptions.txt", "finished.cells", "report.html",
                                         "results.csv", "study.path"])
        self.assertEqual(whole["results.csv"].count(b"\n"), self.cells + 1)
        for count in (1, 3, 100):
            for index in range(1, count + 1):
                if count == 100 and index % 9:
                    continue  # the others are run together with them below
                self.run_shard(index, count)
            if count == 100:
                continue
            self.assertFalse((self.parts / "results.csv").exists())
            self.assertEqual(self.files_of(f"merged{count}", "--merge", self.parts), whole)
            for path in self.parts.iterdir():
                path.unlink()
        self.assertEqual(len(list(self.parts.iterdir())), 11)

    def test_files_and_folders_merge_alike(self):
        for index in (1, 2):
            self.run_shard(index, 2)
        other = self.out / "other machine"
        other.mkdir()
        (self.parts / "shard-2-of-2.cells").rename(other / "shard-2-of-2.cells")
        merged = self.files_of("merged", "--merge", self.parts, other)
        self.assertEqual(merged, self.files_of("again", "--merge", other / "shard-2-of-2.cells",
                                               self.parts / "shard-1-of-2.cells"))

    def test_every_missing_shard_is_named(self):
        self.run_shard(2, 4)
        said = self.refuse(INPUT_ERROR, ("shard 1/4 is in none", "shard 3/4", "shard 4/4"), "study",
                           self.study, "-o", self.out / "merged", "--merge", self.parts)
        self.assertNotIn("shard 2/4", said)
        empty = self.out / "empty"
        empty.mkdir()
        self.refuse(INPUT_ERROR, ("--merge", empty, "shard-*.cells"), "study", self.study, "-o",
                    self.out / "merged", "--merge", empty)

    def test_a_shard_that_was_killed_is_named_and_goes_on(self):
        study = self.long_study()
        self.succeed("study", study, "-o", self.parts, "--shard", "1/2")
        process = subprocess.Popen([program.GRADWIRE, "study", study, "-o", self.parts, "--shard",
                                    "2/2", "--jobs", "1"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        journal = self.parts / "shard-2-of-2.cells"
        deadline = time.monotonic() + 60
        while not (journal.exists() and journal.stat().st_size > 5000):
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(process.poll(), "it ended before it could be killed")
            time.sleep(0.001)
        process.kill()
        process.wait()
        self.refuse(INCOMPLETE, ("shard 2/2 (", journal, "has not ended", "of its 300 cells"),
                    "study", study, "-o", self.out / "merged", "--merge", self.parts)
        said = self.succeed("study", study, "-o", self.parts, "--shard", "2/2")
        self.assertRegex(said, r"(?m)^\d+ cells were done before\.$")
        self.succeed("study", study, "-o", self.out / "merged", "--merge", self.parts)
        self.succeed("study", study, "-o", self.out / "whole")
        for name in ("results.csv", "report.html", "finished.cells"):
            self.assertEqual((self.out / "merged" / name).read_bytes(),
                             (self.out / "whole" / name).read_bytes(), name)

    def test_a_failed_cell_is_merged_as_one_and_its_shard_named(self):
        study = self.long_study()
        self.succeed("study", study, "-o", self.parts, "--shard", "1/2")
        process = subprocess.Popen([program.GRADWIRE, "study", study, "-o", self.parts, "--shard",
                                    "2/2", "--jobs", "1"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.kill_a_child_of(process)
        printed, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, INCOMPLETE, said)
        self.assertRegex(printed, r"(?m)^Failed: .*ended by signal 9")
        self.assertIn("1 of 300 cells have no answer; the lines above say why", said)
        done = self.run_program("study", study, "-o", self.out / "merged", "--merge", self.parts)
        self.assertEqual(done.returncode, INCOMPLETE, done.stderr)
        self.assertIn("1 of 600 cells have no answer, of shard 2/2; ", done.stderr)
        with open(self.out / "merged/results.csv", encoding="utf-8", newline="") as file:
            failures = [row["failure"] for row in csv.DictReader(file)]
        self.assertEqual(len(failures), 600)
        self.assertEqual([bool(failure) for failure in failures].count(True), 1)
        # The next run of the shard tries the cell again.
        said = self.succeed("study", study, "-o", self.parts, "--shard", "2/2")
        self.assertIn("299 cells were done before.", said)
        self.succeed("study", study, "-o", self.out / "merged", "--merge", self.parts)

    def test_shards_of_another_study_or_count_are_refused(self):
        self.run_shard(1, 2)
        other = self.write("other.txtpb", self.study.read_text().replace("30000Mbps", "31Gbps"))
        for arguments in (("--shard", "1/2"), ("--merge", self.parts)):
            self.refuse(INPUT_ERROR, ("shard-1-of-2.cells", "another study"), "study", other, "-o",
                        self.parts, *arguments)
        self.run_shard(2, 3)
        self.refuse(INPUT_ERROR, ("shard-2-of-3.cells is shard 2/3", "2 shards"), "study",
                    self.study, "-o", self.out / "merged", "--merge", self.parts)
        os.rename(self.parts / "shard-1-of-2.cells", self.parts / "shard-2-of-2.cells")
        self.refuse(INPUT_ERROR, ("shard-2-of-2.cells", "of shard 1/2"), "study", self.study, "-o",
                    self.parts, "--shard", "2/2")

    def test_shards_that_are_none_are_refused(self):
        for text in ("0/2", "3/2", "1", "1/0", "a/b", "1/2/3", "-1/2"):
            self.refuse(INPUT_ERROR, ("--shard", text, "from 1/5 to 5/5"), "study", self.study,
                        "-o", self.out / "r", f"--shard={text}")
        self.refuse(INPUT_ERROR, ("--shard", "--merge"), "study", self.study, "-o", self.out / "r",
                    "--shard", "1/2", "--merge", "x.cells")

    def test_the_shipped_map_is_one_of_placements_by_every_message(self):
        study = program.SOURCE / "examples/slurm/contended-map.txtpb"
        said = self.succeed("study", study, "-o", self.out, "--shard", "1/3600")
        self.assertTrue(re.search(r"\((\d+) of 28800 cells\)", said), said)
        self.assertEqual(re.search(r"\((\d+) of 28800 cells\)", said)[1], "8")


if __name__ == "__main__":
    program.main()
