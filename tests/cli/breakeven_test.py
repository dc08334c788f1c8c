#!/usr/bin/env python3
"""Inverse questions on the shipped trace, asked again by `gradwire simulate`, and refusals.

usage: breakeven_test.py GRADWIRE SOURCE_FOLDER
"""

import json
import re

import program
from program import INPUT_ERROR

RANK4 = ("--compressor", "powersgd:rank=4")


def scenario(workers=64):
    return ("--trace", program.shipped_trace(), "--workers", workers)


class BreakEven(program.ProgramTest):

    def ask(self, *arguments):
        return json.loads(self.succeed("breakeven", *scenario(), "--json", *arguments))

    def answer(self, found, find, goal):
        (answer,) = [item for item in found["compressors"][0]["answers"] + found["uncompressed"]["answers"]
                     if (item["find"], item["goal"]) == (find, goal)]
        return answer

    def speedup(self, *arguments, workers=64):
        """float32 over the compressor, by `gradwire simulate`."""
        found = json.loads(self.succeed("simulate", *scenario(workers), "--engine", "recurrence",
                                        "--json", *arguments))
        return found["compressor"]["verdicts"][0]["speedup_ratio"]

    def test_simulate_confirms_each_root(self):
        found = self.ask(*RANK4)
        (bandwidth,) = self.answer(found, "bandwidth", "faster")["holds"]
        self.assertEqual((bandwidth["from_is_root"], bandwidth["to_is_root"]), (False, True))
        root = bandwidth["to"]
        self.assertAlmostEqual(self.speedup(*RANK4, "--bandwidth", f"{root}bps"), 1.0, delta=1e-4)
        self.assertGreater(self.speedup(*RANK4, "--bandwidth", f"{root * 0.99}bps"), 1.0)
        self.assertLess(self.speedup(*RANK4, "--bandwidth", f"{root * 1.01}bps"), 1.0)
        (codec,) = self.answer(found, "codec", "faster")["holds"]
        self.assertAlmostEqual(self.speedup(*RANK4, "--encode-time", f"{codec['to']}s",
                                            "--decode-time", "0s"), 1.0, delta=1e-4)
        (workers,) = self.answer(found, "workers", "faster")["holds"]
        self.assertEqual(workers["to_is_root"], False)
        at = int(workers["from"])
        self.assertEqual(at, workers["from"])
        self.assertGreater(self.speedup(*RANK4, workers=at), 1.0)
        self.assertLessEqual(self.speedup(*RANK4, workers=at - 1), 1.0)

    def speedup_at_batch(self, batch):
        return self.speedup(*RANK4, "--recorded-batch", 32, "--batch", batch)

    def test_simulate_confirms_a_batch(self):
        found = self.ask(*RANK4, "--recorded-batch", "32", "--find", "batch")
        (batch,) = self.answer(found, "batch", "faster")["holds"]
        last = int(batch["to"])
        self.assertGreater(self.speedup_at_batch(last), 1.0)
        self.assertLessEqual(self.speedup_at_batch(last + 1), 1.0)

    def test_simulate_confirms_the_bandwidth_for_an_efficiency(self):
        found = self.ask("--find", "bandwidth", "--target-efficiency", "0.8")
        (answer,) = found["uncompressed"]["answers"]
        (holds,) = answer["holds"]
        self.assertEqual(found["compressors"], [])
        there = json.loads(self.succeed("simulate", *scenario(), "--json", "--bandwidth",
                                        f"{holds['from']}bps"))
        result = there["result"]
        self.assertAlmostEqual(result["breakdown"]["compute_s"] / result["backward_sync_s"], 0.8, delta=1e-3)

    def test_the_crossing_of_the_study(self):
        # The study's grid has cells at 9 and 10 Gbps and draws a line between them: 9.25 Gbps.
        found = self.ask(*RANK4, "--recorded-batch", "32", "--batch", "64", "--find", "bandwidth")
        (holds,) = self.answer(found, "bandwidth", "faster")["holds"]
        self.assertAlmostEqual(holds["to"] / 9.25e9, 1.0, delta=0.01)

    def test_plain_sentence_first(self):
        text = self.succeed("breakeven", *scenario(), *RANK4)
        self.assertRegex(text, r"^64 workers at 10 Gbps: powersgd:rank=4,min_compression_rate=0 is faster "
                               r"than float32 below [\d.]+ Gbps; here, at 10 Gbps, [\d.]+ % faster\.")
        self.assertIn("Not answered: batch: the trace does not state the batch", text)
        self.assertIn("--recorded-batch", text)

    def test_a_table_of_all_compressors(self):
        text = self.succeed("breakeven", *scenario(), "--all", "--recorded-batch", "32")
        self.assertRegex(text, r"^64 workers at 10 Gbps: \d+ of \d+ compressors are faster than float32\.\n")
        known = [item["name"] for item in json.loads(self.succeed("compressors", "--json"))["schemes"]]
        for name in known:
            self.assertEqual(bool(re.search(rf"(?m)^{name}[: ]", text)), name != "none", name)
        found = self.ask("--all", "--recorded-batch", "32")
        self.assertEqual(len(found["compressors"]), len(known) - 1)
        rank4 = [item for item in found["compressors"] if item["spelling"].startswith("powersgd")][0]
        alone = self.ask("--compressor", rank4["spelling"], "--find", "codec")
        self.assertEqual([item for item in rank4["answers"] if item["find"] == "codec"],
                         [self.answer(alone, "codec", "faster") | {"sentence": rank4["answers"][1]["sentence"]}])

    def test_without_a_cost_profile_only_the_budget_is_known(self):
        gradients = self.write("g.csv", "# device: Unheard 1000\n# backward_us: 10000\n"
                                        "parameter,shape,dtype,ready_us\na,1000x1000,float32,4000\n"
                                        "b,2000x1000,float32,10000\n")
        arguments = ("breakeven", "--trace", gradients, "--nodes", "8", "--nic", "1Gbps", "--workers", "8",
                     *RANK4)
        found = json.loads(self.succeed(*arguments, "--json"))
        (compressor,) = found["compressors"]
        self.assertEqual([item["find"] for item in compressor["answers"]], ["codec"])
        self.assertEqual((compressor["encode_s"], compressor["cost_standing"]), (None, "unknown"))
        self.assertIn("no cost profile fits the device", compressor["unanswered"][0])
        self.assertIn("is not known", self.succeed(*arguments))
        self.assertEqual(self.succeed(*arguments, "--find", "bandwidth").count("is faster than"), 0)

    def test_a_profile_without_a_figure_leaves_the_budget_of_that_compressor(self):
        profile = program.SOURCE / "tests/golden/gpu-script-cost-profile.txtpb"
        found = self.ask("--all", "--cost-profile", profile)
        by_name = {re.split("[:]", item["spelling"])[0]: item for item in found["compressors"]}
        self.assertEqual(by_name["fp16"]["cost_standing"], "not counted")
        standings = {item["cost_standing"] for item in found["compressors"]}
        self.assertIn("unknown", standings)
        for item in found["compressors"]:
            finds = [answer["find"] for answer in item["answers"]]
            self.assertEqual("bandwidth" in finds, item["cost_standing"] != "unknown", item["spelling"])

    def test_a_profile_of_one_number_of_workers_leaves_the_others_open(self):
        profile = self.write("p.txtpb", 'name: "one" device_patterns: "V100" entry { scheme: "signsgd" '
                                        'elements: 25557032 tensors: 161 ranks: 64 encode_s: 1e-3 decode_s: 2e-3 '
                                        'standing: MEASURED date: "2026-01" source: "a test" }')
        found = self.ask("--compressor", "signsgd", "--cost-profile", profile, "--find",
                         "bandwidth,codec,compute,workers")
        (compressor,) = found["compressors"]
        finds = {item["find"] for item in compressor["answers"]}
        self.assertEqual(finds, {"bandwidth", "codec", "compute"})
        self.assertTrue([line for line in compressor["unanswered"] if line.startswith("workers: ")])

    def test_a_narrower_range(self):
        found = self.ask(*RANK4, "--find", "bandwidth", "--from", "1Gbps", "--to", "2Gbps")
        answer = self.answer(found, "bandwidth", "faster")
        self.assertEqual(answer["range"], [1e9, 2e9])
        self.assertEqual(answer["holds"], [{"from": 1e9, "from_is_root": False,
                                            "to": 2e9, "to_is_root": False}])

    def test_no_efficiency_is_reached_and_why(self):
        text = self.succeed("breakeven", *scenario(), "--find", "ratio", "--nic-latency", "5ms")
        self.assertIn("with a compression ratio nowhere from 1 to 10000", text)
        self.assertRegex(text, r"At the highest ratio [\d.]+ ms of compute remain beside [\d.]+ s of latency")

    def test_the_page_shows_what_is_printed(self):
        page = (program.SOURCE / "docs/commands/breakeven.md").read_text(encoding="utf-8")
        examples = re.findall(r"(?m)^    \$ gradwire (.*)\n((?:(?:    .*)?\n)+)", page)
        self.assertEqual(len(examples), 3)
        for command, shown in examples:
            arguments = [program.SOURCE / word if word.startswith("traces/") else word
                         for word in command.split()]
            printed = self.succeed(*arguments).split("\n")
            for line in shown.strip("\n").split("\n"):
                if line.strip() != "...":
                    self.assertIn(line.strip(), printed)

    def refuse_question(self, fragments, *arguments):
        self.refuse(INPUT_ERROR, fragments, "breakeven", *scenario(), *arguments)

    def test_refusals(self):
        for target in ("0", "1", "1.5", "-1", "nan"):
            self.refuse_question(("--target-efficiency", target), "--target-efficiency", target)
        one = ("--find", "bandwidth")
        self.refuse_question(("--from", "--to"), *one, "--from", "10Gbps", "--to", "1Gbps")
        self.refuse_question(("--from", '"10"'), *one, "--from", "10")
        self.refuse_question(("--to", '"10ms"'), *one, "--to", "10ms")
        self.refuse_question(("--from", '"5"'), "--find", "codec", *RANK4, "--from", "5")
        self.refuse_question(("whole",), "--find", "workers", "--from", "2.5")
        self.refuse_question(("--from", "a number"), "--find", "workers", "--from", "2Gbps")
        self.refuse_question(("96 GPUs",), "--find", "workers", "--to", "97")
        self.refuse_question(("one --find",), "--from", "1Gbps")
        self.refuse_question(("--find", "latency", "bandwidth"), "--find", "latency")
        self.refuse_question(("no compressor",), "--find", "codec")
        self.refuse_question(("--recorded-batch",), "--find", "batch")
        self.refuse_question(("--baseline", "int8", "fp16"), "--baseline", "int8")
        self.refuse_question(("--all", "--compressor"), "--all", *RANK4)
        self.refuse_question(("--all", "ratio"), "--all", "--find", "ratio")
        self.refuse_question(("--encode-time", "--all"), "--all", "--encode-time", "1ms", "--decode-time",
                             "1ms")
        self.refuse_question(("--compressor",), "--mode", "overlapped")
        self.refuse_question(("--encode-time", "--decode-time"), *RANK4, "--encode-time", "1ms")
        self.refuse_question(("guess",), "--compressor", "guess")
        self.refuse(INPUT_ERROR, ("one worker",), "breakeven", *scenario(1), *one, *RANK4)


if __name__ == "__main__":
    program.main()
