#!/usr/bin/env python3
"""The timelines that simulate and study write, by what must hold of every one and by the answers.

usage: timeline_test.py GRADWIRE SOURCE_FOLDER
"""

import csv
import json

import program
import timeline_checks
from program import INPUT_ERROR

STUDY = """
workload {{ name: "resnet50" trace: "{trace}" }}
grid {{ cluster: "study-24x4-v100-10g" workers: [8, 64] bandwidth: "10Gbps"
        compressor: ["none", "powersgd:rank=4"] engine: ["formula", "recurrence"] }}
"""


def measured_trace(name):
    return program.SOURCE / "examples/validation/traces" / name


class Simulated(program.ProgramTest):

    def timeline(self, *arguments):
        path = self.out / "t.json"
        said = self.succeed("simulate", *arguments, "--timeline", path)
        self.assertTrue(said.splitlines()[-1].startswith("Timeline for ui.perfetto.dev"), said)
        return timeline_checks.check(self, path)

    def of_shipped(self, *arguments):
        return self.timeline("--trace", program.shipped_trace(), "--workers", "96", *arguments)

    def test_ranks_and_end(self):
        timeline = self.of_shipped("--timeline-ranks", "0,1,95")
        self.assertEqual(timeline.processes, {0: "rank 0", 1: "rank 1", 95: "rank 95",
                                              96: "links between nodes"})
        ends = [event["ts"] + event["dur"] for events in timeline.slices.values()
                for event in events]
        answer = json.loads(self.succeed("simulate", "--trace", program.shipped_trace(),
                                         "--workers", "96", "--json"))
        self.assertAlmostEqual(max(ends) * 1e-6, answer["result"]["backward_sync_s"], delta=1e-8)
        self.assertAlmostEqual(timeline.facts["end_us"], max(ends), places=3)
        self.assertEqual(timeline.facts["merged_slices"], 0)

    def test_every_bucket_leads_from_compute_to_its_collective(self):
        timeline = self.of_shipped()
        buckets = timeline.track("rank 0", "gradients and buckets")
        self.assertEqual(len(timeline.flows), len(buckets))
        for points in timeline.flows.values():
            names = [timeline.slice_at(point)["name"] for point in points]
            number = names[1].removeprefix("bucket ")
            self.assertEqual(names, ["C" + number, "bucket " + number, "A" + number])
        (gradients,) = timeline.instants.values()
        self.assertEqual(sum(event["args"]["bytes"] for event in gradients),
                         sum(event["args"]["bytes"] for event in buckets))

    def test_bytes_on_the_nic(self):
        # Node 0 holds ranks 0 to 3; of a ring over ranks in order, 3 sends over its NIC.
        timeline = self.of_shipped("--timeline-ranks", "3")
        sent = sum(event["args"].get("wire_bytes", 0) for event in
                   timeline.track("rank 3", "communication") if event["cat"] == "communication")
        changes = timeline.counters[96, "node 0 NIC out"]
        carried = sum(now["args"]["Gbit/s"] * (after["ts"] - now["ts"]) * 1e3 / 8
                      for now, after in zip(changes, changes[1:]))
        self.assertAlmostEqual(carried / sent, 1.0, places=3)

    def test_compression(self):
        for mode in ("serial", "overlapped"):
            timeline = self.of_shipped("--compressor", "powersgd:rank=4", "--mode", mode)
            self.assertTrue(timeline.track("rank 0", "encode/decode"))
            self.assertFalse([event for event in timeline.track("rank 0", "compute")
                              if event["cat"] != "compute"])
            for points in timeline.flows.values():
                kinds = [timeline.slice_at(point)["cat"] for point in points]
                self.assertEqual((kinds[0], kinds[-1]), ("compute", "decode"))
                self.assertIn("encode", kinds)

    def test_shared_network(self):
        self.of_shipped("--cluster", "study-24x4-v100-10g-racks-4to1", "--shuffle-seed", "3",
                        "--second-job", "100MB,50ms")

    def test_measured_beside_simulated(self):
        for name, workers, all_reduces in (("resnet50-ddp2-a100", 2, 5),
                                           ("resnet18-ddp8-mi300x", 8, 2)):
            timeline = self.timeline("--trace", measured_trace(name + ".gwt"), "--nodes", workers,
                                     "--nic", "25Gbps", "--workers", workers)
            (process,) = [text for text in timeline.processes.values()
                          if text.startswith("measured: " + name)]
            collectives = timeline.track(process, "communication")
            self.assertEqual([event["name"] for event in collectives],
                             ["all_reduce"] * all_reduces)
            # The buckets that the simulation exchanges are those that were recorded.
            simulated = [event["args"]["payload_bytes"] for event in
                         timeline.track("rank 0", "communication")
                         if event["cat"] == "communication"]
            self.assertEqual([event["args"]["payload_bytes"] for event in collectives], simulated)

    def test_traces_of_one_gpu_measured_no_communication(self):
        timeline = self.of_shipped()
        self.assertFalse([text for text in timeline.processes.values() if "measured" in text])


class OfACell(program.ProgramTest):

    def setUp(self):
        super().setUp()
        self.study = self.write("study.txtpb", STUDY.format(trace=program.shipped_trace()))

    def test_is_that_of_the_table(self):
        self.succeed("study", self.study, "-o", self.folder / "r")
        with open(self.folder / "r/results.csv", encoding="utf-8", newline="") as table:
            rows = list(csv.DictReader(table))
        self.assertEqual(len(rows), 4)
        for cell, row in enumerate(rows):
            path = self.out / f"{cell}.json"
            said = self.succeed("study", self.study, "--cell", cell, "--timeline", path)
            self.assertIn(f"Cell {cell} of 4: resnet50, workers {row['workers']}, 10 Gbps, ", said)
            self.assertIn("by recurrence", said)  # the formula plays nothing
            timeline = timeline_checks.check(self, path)
            self.assertEqual(timeline.facts["workers"], int(row["workers"]))
            self.assertAlmostEqual(timeline.facts["end_us"] * 1e-6,
                                   float(row["recurrence_backward_sync_s"]), delta=1e-8)

    def test_refusals(self):
        timeline = ("--timeline", self.out / "t.json")
        self.refuse(INPUT_ERROR, ("--cell", "4", "0 to 3"), "study", self.study, "--cell", "4",
                    *timeline)
        self.refuse(INPUT_ERROR, ("--cell",), "study", self.study, "--cell", "-1", *timeline)
        self.refuse(INPUT_ERROR, ("--timeline-ranks", "8", "0 to 7"), "study", self.study, "--cell",
                    "0", *timeline, "--timeline-ranks", "8")
        self.refuse(INPUT_ERROR, ("--cell", "--timeline"), "study", self.study, "--cell", "1")
        self.refuse(INPUT_ERROR, ("--cell", "--timeline"), "study", self.study, *timeline)
        self.refuse(INPUT_ERROR, ("--output", "--timeline"), "study", self.study, "--cell", "1",
                    *timeline, "-o", self.out / "r")
        self.refuse(INPUT_ERROR, ("--output",), "study", self.study)
        self.refuse(INPUT_ERROR, (self.study, "input"), "study", self.study, "--cell", "1",
                    "--timeline", self.study)


if __name__ == "__main__":
    program.main()
