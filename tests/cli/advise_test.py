#!/usr/bin/env python3
"""`gradwire advise`: its page beside its output, its verdicts beside those of `simulate`, and what is
refused.

usage: advise_test.py GRADWIRE SOURCE_FOLDER
"""

import json
import re

import program
from program import INPUT_ERROR

H100_LIST = """# device: NVIDIA H100 80GB HBM3
# batch: 32
# backward_us: 4120
parameter,shape,dtype,ready_us
fc.weight,1000x2048,float32,260
conv2.weight,512x512x3x3,float32,1200
conv1.weight,64x3x7x7,float32,4100
"""


class Advise(program.ProgramTest):

    def advise(self, *arguments):
        return self.succeed("advise", *arguments)

    def advise_shipped(self, *arguments, workers=64):
        return self.advise("--trace", program.shipped_trace(), "--workers", workers, *arguments)

    def expect_same_time(self, row, answer):
        """Advice is by the quick recurrence, which plays all ranks as one."""
        there = answer["result"]["backward_sync_s"]
        self.assertAlmostEqual(row["backward_sync_s"], there, delta=1e-5 * there)

    def test_the_page_shows_what_the_program_prints(self):
        page = (program.SOURCE / "docs/commands/advise.md").read_text(encoding="utf-8")
        shown = re.search(r"^```\n\$ gradwire advise.*?\n(.*?)^```$", page, re.M | re.S).group(1)
        printed = self.advise_shipped().split("\n")
        lines = [line for line in shown.split("\n") if line not in ("", "...")]
        self.assertGreater(len(lines), 20)
        for line in lines:
            self.assertIn(line, printed)

    def test_times_are_those_of_simulate(self):
        advice = json.loads(self.advise_shipped("--json"))
        rows = {(row["what"], row["mode"]): row for row in advice["ranked"]}
        for mode in ("serial", "overlapped"):
            answer = json.loads(self.succeed(
                "simulate", "--trace", program.shipped_trace(), "--workers", 64, "--compressor",
                "powersgd:rank=4", "--mode", mode, "--engine", "recurrence", "--json"))
            row = rows["powersgd:rank=4,min_compression_rate=0", mode]
            self.expect_same_time(row, answer)
            verdict = answer["compressor"]["verdicts"][1]
            self.assertEqual((verdict["baseline"], advice["best_baseline"]), ("fp16", "fp16"))
            self.assertEqual(row["outcome"], verdict["outcome"])
            for key in ("speedup_ratio", "speedup_low_ratio", "speedup_high_ratio"):
                self.assertAlmostEqual(row[key], verdict[key], 9)

    def test_faster_networks_and_larger_batches_are_simulates_too(self):
        rows = {row["what"]: row for row in json.loads(self.advise_shipped("--json"))["instead"]}
        answer = json.loads(self.succeed("simulate", "--trace", program.shipped_trace(), "--workers",
                                         64, "--bandwidth", "25Gbps", "--engine", "recurrence",
                                         "--json"))
        self.expect_same_time(rows["float32: NICs of 25 Gbps"], answer)
        answer = json.loads(self.succeed("simulate", "--trace", program.shipped_trace(), "--workers",
                                         64, "--recorded-batch", 32, "--batch", 64, "--engine",
                                         "recurrence", "--json"))
        self.expect_same_time(rows["float32: twice the batch"], answer)

    def test_the_verdict_turns_with_the_network(self):
        self.assertTrue(self.advise_shipped().startswith("Do not compress: "))
        slow = self.advise_shipped("--bandwidth", "1Gbps", workers=16)
        self.assertTrue(slow.startswith("Compress with powersgd:rank=1"), slow)

    def test_what_ifs_change_the_question_and_are_said(self):
        said = self.advise_shipped("--what-if", "bandwidth=25Gbps;workers=16")
        self.assertIn("16 workers at 25 Gbps", said)
        self.assertIn("asked: what if workers=16", said)
        plain = self.advise_shipped("--bandwidth", "25Gbps", workers=16)
        self.assertEqual(said.split("\n")[0], plain.split("\n")[0])

    def test_a_device_without_a_profile_gets_budgets_and_no_verdict(self):
        trace = self.write("h100.csv", H100_LIST)
        said = self.advise("--trace", trace, "--workers", 16)
        self.assertTrue(said.startswith('No cost profile fits "NVIDIA H100 80GB HBM3", so this is '
                                        "no verdict."), said)
        self.assertIn("gradwire measure-compressors --device 0 -o profile.txtpb", said)
        self.assertNotRegex(said, "(?m)^(Compress|Do not compress)")
        self.assertIsNone(json.loads(
            self.advise("--trace", trace, "--workers", 16, "--json"))["compress"])

    def test_a_profile_measured_elsewhere_is_assumed(self):
        profile = self.write("p.txtpb", 'name: "mine" device_patterns: "Chip" entry { scheme: '
                             '"signsgd" elements: 25557032 tensors: 161 encode_s: 0.001 decode_s: '
                             '0.001 standing: MEASURED date: "2026" source: "a test" }\n')
        said = self.advise_shipped("--cost-profile", profile)
        self.assertTrue(said.startswith("No cost profile fits "), said)
        self.assertRegex(said, r"(?m)^signsgd .* assumed$")
        self.assertIn("Not ranked: topk:fraction=0.01,index_bytes=4: cost profile mine", said)

    def test_gradients_stand_beside_the_times(self):
        files = [program.SOURCE / f"examples/gradients/rank{rank}.npy" for rank in range(4)]
        said = self.advise_shipped("--gradients", *files, "--gradient-parameters",
                                   program.SOURCE / "examples/gradients/parameters.csv")
        # As docs/commands/gradients.md has them.
        self.assertRegex(said, r"(?m)^powersgd:rank=4\S* .* 0\.647 +0\.341$")
        self.assertRegex(said, r"(?m)^float32 .* 3\.8e-08 +5\.9e-08$")
        self.assertIn("of another model: 13754 elements, the trace's has 25557032", said)

    def test_refusals(self):
        trace = program.shipped_trace()
        for fragments, arguments in (
                (["workers: 1 found", "2 or more"], ["--workers", "1"]),
                (["--mode", "--cost-profile is accepted"], ["--workers", "8", "--mode", "serial"]),
                (["payload: 2 times"], ["--workers", "8", "--what-if", "payload=2"]),
                (["--encode-time"], ["--workers", "8", "--encode-time", "1ms"]),
                (["--compressor: bf16 found"], ["--workers", "8", "--compressor", "bf16"]),
                (["squeeze", "accepted"], ["--workers", "8", "--compressor", "squeeze"]),
                (["--gradient-parameters"], ["--workers", "8", "--gradients", "none.npy"]),
                (["without --gradients"],
                 ["--workers", "8", "--gradient-parameters", "none.csv"]),
                (["none.txtpb"], ["--workers", "8", "--cost-profile", "none.txtpb"])):
            self.refuse(INPUT_ERROR, fragments, "advise", "--trace", trace, *arguments)

    def test_shapes_are_asked_for_where_a_list_has_none(self):
        trace = self.write("list.csv", "elements,dtype,ready_us\n1000,float32,5\n")
        self.refuse(INPUT_ERROR, ["no shape", "--parameters"], "advise", "--trace", trace,
                    "--workers", 8)


if __name__ == "__main__":
    program.main()
