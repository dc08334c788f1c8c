#!/usr/bin/env python3
"""`gradwire explain`: its page beside its output, the answer beside that of `simulate`, and what is
refused.

usage: explain_test.py GRADWIRE SOURCE_FOLDER
"""

import json
import re

import program
from program import INPUT_ERROR


class Explain(program.ProgramTest):

    def explain_shipped(self, *arguments, workers=64):
        return self.succeed("explain", "--trace", program.shipped_trace(), "--workers", workers,
                            *arguments)

    def test_the_page_shows_what_the_program_prints(self):
        page = (program.SOURCE / "docs/commands/explain.md").read_text(encoding="utf-8")
        shown = re.search(r"^```\n\$ gradwire explain.*?\n(.*?)^```$", page, re.M | re.S).group(1)
        printed = self.explain_shipped("--compressor", "powersgd:rank=4").split("\n")
        lines = [line for line in shown.split("\n") if line not in ("", "...")]
        self.assertGreater(len(lines), 20)
        for line in lines:
            self.assertIn(line, printed)

    def test_a_paragraph_comes_first_and_the_shares_sum_to_a_hundred(self):
        for arguments in ((), ("--compressor", "powersgd:rank=4", "--mode", "overlapped"),
                          ("--compressor", "fp16"), ("--bandwidth", "100Gbps")):
            with self.subTest(arguments):
                paragraph, _, rest = self.explain_shipped(*arguments).partition("\n\n")
                self.assertRegex(paragraph, r"^64 workers at .* The critical path consists of .*\.$")
                self.assertNotIn("\n", paragraph)
                table = rest.split("Critical path:")[0]
                shares = re.findall(r" (\d+)\.(\d) %  ", table)
                self.assertGreaterEqual(len(shares), 5)
                self.assertEqual(sum(int(whole) * 10 + int(tenth) for whole, tenth in shares), 1000)

    def check_json(self, *arguments, workers=64):
        """The invariants of an explanation; returns it."""
        found = json.loads(self.explain_shipped("--json", *arguments, workers=workers))
        answer = json.loads(self.succeed("simulate", "--trace", program.shipped_trace(), "--workers",
                                         workers, "--json", *arguments))
        whole = found["backward_sync_s"]
        self.assertEqual(whole, answer["result"]["backward_sync_s"])
        self.assertEqual(found["breakdown"], {key: answer["result"]["breakdown"][key]
                                              for key in found["breakdown"]})
        self.assertAlmostEqual(sum(found["breakdown"].values()), whole, places=12)
        self.assertAlmostEqual(sum(found["on_critical_path"].values()), whole, places=12)
        now = 0.0
        for segment in found["critical_path"]:
            self.assertEqual(segment["start_s"], now)
            now = segment["end_s"]
            on_network = segment["activity"] == "communication"
            self.assertEqual(segment["bounding_link"] is not None, on_network)
        self.assertEqual(now, whole)
        return found

    def test_json_of_training_without_a_compressor(self):
        found = self.check_json("--bandwidth", "10Gbps")
        (nic, inner) = found["links"]
        self.assertEqual((nic["kind"], nic["directions_used"]), ("NIC", 32))
        # 2 * 63 / 64 of 102.2 MB over every NIC, both directions of 16 nodes, but for what a float
        # a message makes.
        self.assertAlmostEqual(nic["busiest_bytes"], 2 * 63 / 64 * 4 * 25_557_032, delta=126 * 4 * 5)
        self.assertEqual((inner["kind"], inner["directions_used"]), ("link inside a node", 96))
        self.assertIsNone(found["compressor"])
        self.assertIsNone(found["float32"])
        self.assertIsNone(found["sensitivities"]["ms_per_encode_ms"])
        self.assertLess(found["sensitivities"]["ms_per_gbps"]["central"], 0)

    def test_json_of_compression_beside_the_backward_pass(self):
        found = self.check_json("--compressor", "powersgd:rank=4", "--mode", "overlapped")
        self.assertIn("host", {segment["stream"] for segment in found["critical_path"]})
        self.assertGreater(found["sensitivities"]["ms_per_encode_ms"]["central"], 0)
        without = json.loads(self.explain_shipped("--json"))
        self.assertEqual(found["float32"]["backward_sync_s"], without["backward_sync_s"])

    def test_json_on_oversubscribed_racks(self):
        found = self.check_json("--cluster", "study-24x4-v100-10g-racks-4to1", "--shuffle-seed", "3",
                                workers=96)
        bounds = {segment["bounding_link"]["kind"] for segment in found["critical_path"]
                  if segment["bounding_link"]}
        self.assertEqual(bounds, {"link between switches"})
        self.assertEqual([link["kind"] for link in found["links"]],
                         ["NIC", "link between switches", "link inside a node"])

    def test_sensitivities_are_what_simulating_again_finds(self):
        here = json.loads(self.explain_shipped("--json", "--bandwidth", "10Gbps", "--nic-latency",
                                               "25us"))
        for options, key, units in ((("--bandwidth", "10.05Gbps", "--nic-latency", "25us"),
                                     "ms_per_gbps", 0.05),
                                    (("--bandwidth", "10Gbps", "--nic-latency", "25.1us"), "ms_per_us",
                                     0.1)):
            there = json.loads(self.succeed("simulate", "--trace", program.shipped_trace(),
                                            "--workers", 64, "--json", *options))
            change = (there["result"]["backward_sync_s"] - here["backward_sync_s"]) * 1e3
            self.assertAlmostEqual(here["sensitivities"][key]["central"] * units, change,
                                   delta=0.01 * abs(change))

    def test_one_worker_is_compute_alone(self):
        found = self.check_json(workers=1)
        self.assertEqual(found["links"], [])
        self.assertEqual(len(found["critical_path"]), 1)

    def test_what_ifs_are_said(self):
        text = self.explain_shipped("--what-if", "bandwidth=20Gbps")
        self.assertIn("64 workers at 20 Gbps", text)
        self.assertIn("asked: what if bandwidth", text)

    def test_refusals(self):
        question = ("explain", "--trace", program.shipped_trace(), "--workers", "4")
        self.refuse(INPUT_ERROR, ("formula", "no timeline", "simgrid, recurrence"), *question,
                    "--engine", "formula")
        self.refuse(INPUT_ERROR, ("guess", "accepted"), *question, "--engine", "guess")
        self.refuse(INPUT_ERROR, ("share",), *question, "--nodes", "2", "--gpus-per-node", "2", "--nic",
                    "10Gbps", "--second-job", "1MB", "--engine", "recurrence")
        self.refuse(INPUT_ERROR, ("workers: 0", "1 to 96"), *question[:-1], "0")
        self.refuse(INPUT_ERROR, ("--trace",), "explain", "--workers", "4")


if __name__ == "__main__":
    program.main()
