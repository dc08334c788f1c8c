#!/usr/bin/env python3
"""Stragglers and jitter: what they change, what they leave, and what is refused.

usage: uncertainty_test.py GRADWIRE SOURCE_FOLDER
"""

import json

import program
from program import INPUT_ERROR

BERT = "traces/data/v100-bert-study/gradients.csv"  # one iteration


class Uncertainty(program.ProgramTest):

    def question(self, *arguments, trace=None):
        return ("simulate", "--trace", trace or program.shipped_trace(), "--workers", "8", *arguments)

    def answer(self, *arguments):
        return json.loads(self.succeed(*self.question("--json", *arguments)))

    def refuse_question(self, fragments, *arguments, trace=None):
        self.refuse(INPUT_ERROR, fragments, *self.question(*arguments, trace=trace))

    def test_the_same_seed_gives_the_same_bytes_and_another_does_not(self):
        arguments = self.question("--jitter", "sigma=5%", "--compressor", "powersgd:rank=4",
                                  "--samples", "200", "--json")
        first = self.succeed(*arguments, "--seed", "7")
        self.assertEqual(self.succeed(*arguments, "--seed", "7"), first)
        self.assertEqual(self.succeed(*arguments), self.succeed(*arguments, "--seed", "1"))
        other = self.succeed(*arguments, "--seed", "8")
        self.assertNotEqual(json.loads(other)["samples"]["backward_sync_mean_s"],
                            json.loads(first)["samples"]["backward_sync_mean_s"])

    def test_a_straggler_slows_the_answer_of_every_estimator(self):
        # At 1 Tbps compute is all but everything.
        fast = ("--bandwidth", "1000Gbps", "--overlap-slowdown", "1")
        plain = self.answer(*fast)
        slow = self.answer(*fast, "--straggler", "rank=3,factor=1.5")
        for before, after in ((plain["result"], slow["result"]),
                              (plain["other_estimates"][0], slow["other_estimates"][0])):
            self.assertEqual(before["estimator"], after["estimator"])
            self.assertAlmostEqual(after["backward_sync_s"] / before["backward_sync_s"], 1.5, delta=0.02)
        self.assertIsNone(slow["samples"])
        self.assertIsNone(slow["result"]["iteration_s"])
        self.assertIsNone(slow["study_formula_outside_s"])
        self.assertEqual([one["estimator"] for one in slow["other_estimates"]], ["recurrence"])

    def test_without_either_nothing_changes(self):
        plain = self.answer()
        self.assertIsNone(plain["samples"])
        self.assertEqual(self.answer("--jitter", "none"), plain)
        still = self.answer("--jitter", "sigma=0%")
        samples = still.pop("samples")
        for name in ("p5", "p50", "p95"):
            recurrence = still["other_estimates"][0]
            self.assertEqual(recurrence["estimator"], "recurrence")
            self.assertAlmostEqual(samples[f"backward_sync_{name}_s"], recurrence["backward_sync_s"],
                                   delta=1e-15)
        self.assertEqual(still["result"], plain["result"])

    def test_jitter_of_the_trace_lies_between_its_iterations(self):
        inspected = json.loads(self.succeed("inspect", program.shipped_trace(), "--json"))
        spans = [one["backward_span_s"] for one in inspected["iterations"]]
        fast = ("--bandwidth", "1000Gbps", "--overlap-slowdown", "1")
        base = self.answer(*fast)
        answer = self.answer(*fast, "--jitter", "trace")
        replayed = base["result"]["breakdown"]["compute_s"]
        rest = base["result"]["backward_sync_s"] - replayed
        samples = answer["samples"]
        self.assertEqual((samples["count"], samples["seed"]), (1000, 1))
        # Of eight ranks all draw one of the five faster iterations in 23 % of the samples.
        self.assertAlmostEqual(samples["backward_sync_p95_s"] - rest, max(spans), delta=1e-5)
        self.assertLess(samples["backward_sync_p5_s"] - rest, max(spans) - 1e-5)
        self.assertGreater(samples["backward_sync_p5_s"] - rest, min(spans))
        self.assertIn("6 complete iterations", " ".join(answer["assumptions"]))

    def test_percentiles_are_said_in_text(self):
        text = self.succeed(*self.question("--jitter", "sigma=5%", "--samples", "50", "--compressor",
                                           "powersgd:rank=4"))
        self.assertRegex(text, r"p5 / p50 / p95 of backward plus synchronisation over 50 samples, "
                         r"seed 1, by the recurrence: [\d.]+ ms / [\d.]+ ms / [\d.]+ ms")
        self.assertRegex(text, r"(?m)^Against fp16 in the same samples: [\d.]+ / [\d.]+ / [\d.]+ "
                         r"times as fast; a win, by 3 % or more, in [\d.]+ % of them\.$")
        crowd = self.succeed("simulate", "--trace", program.shipped_trace(), "--workers", "64",
                             "--jitter", "trace")
        self.assertIn("of 64 ranks that draw from 6 iterations", crowd)

    def test_what_ifs_beside_stragglers(self):
        arguments = ("--what-if", "workers=4", "--jitter", "sigma=1%", "--samples", "10")
        self.refuse_question(("--straggler", "0 to 3"), *arguments, "--straggler", "rank=4,factor=2")
        answer = self.answer(*arguments, "--straggler", "rank=3,factor=2")
        self.assertEqual(answer["samples"]["count"], 10)
        self.assertIn("ranks of equal speed", " ".join(answer["warnings"]))
        self.assertNotIn("ranks of equal speed", " ".join(self.answer(*arguments)["warnings"]))

    def test_stragglers_that_are_none(self):
        for text, fragment in (("rank=8,factor=2", "0 to 7"), ("rank=-1,factor=2", "0 to 7"),
                               ("rank=5-3,factor=2", "ascending"), ("rank=3,factor=0", "above 0"),
                               ("rank=3,factor=-2", "above 0"), ("rank=3,factor=nan", "above 0"),
                               ("rank=3,factor=inf", "above 0"), ("rank=3", "sigma="),
                               ("factor=2", "rank=3"), ("rank=3,factor=two", "two"),
                               ("rank=3,speed=2", "speed"), ("rank=3,factor=2,", "accepted"),
                               ("rank=3,factor=2,factor=3", "accepted"), ("rank=3,sigma=5", "0% to"),
                               ("rank=3,sigma=-5%", "0% to"), ("rank=3,sigma=101%", "100%"),
                               ("3", "rank=3")):
            with self.subTest(text):
                self.refuse_question(("--straggler", fragment), "--straggler", text)
        self.refuse_question(("--straggler", "rank 3", "twice"), "--straggler", "rank=3,factor=2",
                             "--straggler", "rank=2-4,factor=3")

    def test_jitter_that_is_none(self):
        for text, fragment in (("5%", "trace, none, sigma=5%"), ("sigma=5", "0% to 100%"),
                               ("sigma=-1%", "0% to 100%"), ("sigma=nan%", "0% to 100%"),
                               ("sigma=%", "0% to 100%")):
            with self.subTest(text):
                self.refuse_question(("--jitter", fragment), "--jitter", text)
        self.refuse_question(("--jitter", "1 complete iterations", "3 or more"), "--jitter", "trace",
                             trace=program.SOURCE / BERT)

    def test_what_does_not_go_together(self):
        self.refuse_question(("--samples", "--jitter"), "--samples", "10")
        self.refuse_question(("--seed", "--jitter"), "--seed", "1", "--jitter", "none")
        self.refuse_question(("--samples", "0"), "--jitter", "sigma=1%", "--samples", "0")
        self.refuse_question(("jitter", "shared"), "--jitter", "trace", "--second-job", "1MB")
        for arguments in (("--jitter", "trace"), ("--straggler", "rank=0,factor=2")):
            self.refuse_question(("unequal", "overlapped", "serial"), *arguments, "--compressor",
                                 "powersgd:rank=4", "--mode", "overlapped")

    def test_seeds_are_whole_numbers(self):
        for option in (("--seed", "--jitter", "trace"), ("--shuffle-seed",)):
            for bad in ("-1", "1.5", "many", "18446744073709551616"):
                with self.subTest(option=option, bad=bad):
                    self.refuse_question((option[0], bad, "whole number"), *option[1:],
                                         f"{option[0]}={bad}")
        self.succeed(*self.question("--jitter", "sigma=1%", "--seed", "18446744073709551615"))


if __name__ == "__main__":
    program.main()
