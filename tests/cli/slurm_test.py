#!/usr/bin/env python3
"""A study as a job array of a real Slurm, by the shipped script: the bytes of a local run, whatever dies on the way.

usage: slurm_test.py GRADWIRE SOURCE_FOLDER
"""

import os
import pathlib
import signal
import tempfile
import unittest

import program
import slurm_node

RESULTS = ("assumptions.txt", "finished.cells", "report.html", "results.csv", "study.path")


class Slurm(program.ProgramTest):

    @classmethod
    def setUpClass(cls):
        missing = slurm_node.missing_programs()
        if missing:
            raise unittest.SkipTest(f"{', '.join(missing)} not found: packages slurmctld, slurmd, "
                                    "slurm-client and munge")
        holder = tempfile.TemporaryDirectory(prefix="gradwire-slurm-")
        cls.addClassCleanup(holder.cleanup)
        cls.node = slurm_node.SlurmNode(pathlib.Path(holder.name))
        cls.addClassCleanup(cls.node.stop)
        cls.node.start()

    def setUp(self):
        super().setUp()
        # Some seconds a shard, so that there is something to kill.
        speeds = ", ".join(f'"{mbps}Mbps"' for mbps in range(1000, 31000, 25))
        self.study = self.write("study.txtpb", f'workload {{ trace: "{program.shipped_trace()}" }}\n'
                                'grid { cluster: "study-24x4-v100-10g" workers: 96\n'
                                f'bandwidth: [{speeds}] engine: "simgrid" }}\n')

    def submit(self, *options, shards=()):
        script = program.SOURCE / "examples/slurm/study.sbatch"
        return self.node.submit(self.out, *options, script, self.study, self.out / "study", *shards,
                                environment={"GRADWIRE": str(program.GRADWIRE)})

    def submit_array(self, tasks):
        return self.submit(f"--array={tasks}", shards=[3])

    def merge_behind(self, array):
        return self.submit(f"--dependency=afterany:{array}")

    def log_of(self, task):
        return (self.out / f"gradwire-study-{task['JobId']}.log").read_text()

    def wait_for_some_cells(self, shard):
        """A shard that is at work, with cells done and cells to do."""
        cells = self.out / f"study/shard-{shard}-of-3.cells"
        self.node.wait_until(lambda: cells.exists() and cells.stat().st_size > 5000,
                             f"shard {shard}/3 has some cells")

    def process_of(self, shard):
        """The process of a shard that is not the child of one."""
        found = []
        for process in self.node.processes_of_jobs():
            try:
                words = pathlib.Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"--shard" in words and f"{shard}/3".encode() in words:
                found.append(process)
        return min(found)

    def assert_as_local(self):
        self.succeed("study", self.study, "-o", self.out / "local")
        self.assertEqual(sorted(os.listdir(self.out / "local")), sorted(RESULTS))
        for name in RESULTS:
            self.assertEqual((self.out / "study" / name).read_bytes(),
                             (self.out / "local" / name).read_bytes(), name)

    def test_a_node_that_dies_in_the_middle_changes_no_byte(self):
        array = self.submit_array("1-3")
        merge = self.merge_behind(array)
        self.wait_for_some_cells(2)
        self.node.kill_node()
        self.node.start_slurmd()
        (merged,) = self.node.wait_for(merge)
        self.assertEqual(merged["ExitCode"], "0:0", self.log_of(merged))
        tasks = {task["ArrayTaskId"]: task for task in self.node.tasks(array)}
        self.assertEqual(sorted(tasks), ["1", "2", "3"])
        self.assertEqual({task["JobState"] for task in tasks.values()}, {"COMPLETED"})
        log = self.log_of(tasks["2"])
        self.assertIn("shard 2/3 on node, restart 1", log)
        self.assertRegex(log, r"(?m)^\d+ cells were done before\.$")
        self.assert_as_local()

    def test_a_missing_and_a_failed_shard_are_named_and_run_again(self):
        array = self.submit_array("1,3")
        merge = self.merge_behind(array)
        self.wait_for_some_cells(3)
        os.kill(self.process_of(3), signal.SIGKILL)
        (merged,) = self.node.wait_for(merge)
        states = {task["ArrayTaskId"]: task["JobState"] for task in self.node.tasks(array)}
        self.assertEqual(states, {"1": "COMPLETED", "3": "FAILED"})
        self.assertEqual(merged["ExitCode"], f"{program.INPUT_ERROR}:0")
        said = self.log_of(merged)
        self.assertIn("shard 2/3 is in none of the files", said)
        self.assertIn(f"shard 3/3 ({self.out}/study/shard-3-of-3.cells) has not ended", said)
        self.assertNotIn("shard 1/3", said)
        self.assertFalse((self.out / "study/results.csv").exists())

        self.node.wait_for(self.submit_array("2"))
        (merged,) = self.node.wait_for(self.submit())
        self.assertEqual(merged["ExitCode"], f"{program.INCOMPLETE}:0")
        self.assertIn("shard 3/3 (", self.log_of(merged))

        (merged,) = self.node.wait_for(self.merge_behind(self.submit_array("3")))
        self.assertEqual(merged["ExitCode"], "0:0", self.log_of(merged))
        self.assert_as_local()


if __name__ == "__main__":
    program.main()
