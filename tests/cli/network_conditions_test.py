#!/usr/bin/env python3
"""What happens on a network meanwhile: what it changes, and what is refused.

usage: network_conditions_test.py GRADWIRE SOURCE_FOLDER
"""

import json

import program
from program import INPUT_ERROR

INCOMPLETE = 4


class NetworkConditions(program.ProgramTest):

    def question(self, *arguments):
        return ("simulate", "--trace", program.shipped_trace(), "--nodes", "8", "--nic", "10Gbps",
                "--workers", "8", *arguments)

    def answer(self, *arguments):
        return json.loads(self.succeed(*self.question("--json", *arguments)))

    def time(self, *arguments):
        return self.answer(*arguments)["result"]["backward_sync_s"]

    def test_each_slows_the_answer_and_is_said(self):
        plain = self.time()
        for option, value in (("--link-event", "nic 3 at 20ms x0.5"), ("--background", "0->3 4Gbps"),
                              ("--latency-jitter", "sigma=100%"), ("--shaper", "2Gbps,1MB")):
            answer = self.answer(option, value)
            self.assertGreater(answer["result"]["backward_sync_s"], plain, option)
            said = " ".join(answer["assumptions"])
            self.assertIn({"--latency-jitter": "sigma 100 %", "--shaper": "2.000 Gbps"}.get(option, value)
                          .replace("2.000 ", "2 "), said)
            self.assertIsNone(answer["study_formula_outside_s"])

    def test_simgrid_alone_plays_events_and_both_play_jitter_and_shaper(self):
        self.assertEqual(self.answer("--link-event", "nic 3 at 20ms x0.5")["other_estimates"], [])
        for arguments in (("--latency-jitter", "sigma=50%"), ("--shaper", "2Gbps,1MB")):
            answer = self.answer(*arguments)
            (other,) = answer["other_estimates"]
            self.assertEqual(other["estimator"], "recurrence")
            time = answer["result"]["backward_sync_s"]
            self.assertAlmostEqual(other["backward_sync_s"], time, delta=time * 1e-3)

    def test_the_same_seed_gives_the_same_bytes_and_another_does_not(self):
        arguments = self.question("--latency-jitter", "sigma=50%", "--samples", "50", "--json")
        first = self.succeed(*arguments, "--seed", "7")
        self.assertEqual(self.succeed(*arguments, "--seed", "7"), first)
        other = json.loads(self.succeed(*arguments, "--seed", "8"))
        self.assertNotEqual(other["result"]["backward_sync_s"],
                            json.loads(first)["result"]["backward_sync_s"])
        samples = json.loads(first)["samples"]
        self.assertLess(samples["backward_sync_p5_s"], samples["backward_sync_p95_s"])
        self.assertNotEqual(other["samples"], samples)

    def test_an_outage_is_said_to_stall(self):
        arguments = ("--link-event", "nic 3 at 60ms fails", "--link-event", "nic 3 at 160ms recovers")
        stalled = self.answer(*arguments)["result"]["stalled_on_failed_links_s"]
        self.assertGreater(stalled, 0.05)
        self.assertLessEqual(stalled, 0.1 + 1e-9)
        self.assertIn("link that they need is down", self.succeed(*self.question(*arguments)))

    def test_a_lost_link_is_an_incomplete_answer(self):
        self.refuse(INCOMPLETE, ("NIC of node 3", "60 ms", "does not recover", "8 ranks"),
                    *self.question("--link-event", "nic 3 at 60ms fails"))

    def test_garbage_is_refused_with_what_is_accepted(self):
        for option, values in (
                ("--link-event", ("", "nic", "nic 3", "nic x at 1ms fails", "nic 3 at 1 fails",
                                  "nic 3 at 1ms", "nic 3 at 1ms x2", "nic 3 at 1ms x0", "nic 3 at 1ms xnan",
                                  "nic 3 at 1ms fails now", "nic 8 at 1ms fails", "nic -1 at 1ms fails",
                                  "link 0 at 1ms fails", "link a>b at 1ms fails", "nic 3 at -1ms fails")),
                ("--background", ("", "0", "0->", "0->0", "0->8", "-1->2", "0->1 4", "0->1 4Gbps on",
                                  "0->1 4Gbps on 1ms", "0->1 on 0s off 1ms", "0->1 on 1us off 1us",
                                  "0->1 4Gbps on 1ms off 1ms more", "0->1 0Gbps")),
                ("--latency-jitter", ("20%", "sigma=20", "sigma=-1%", "sigma=nan%", "sigma=5%,seed=-1",
                                      "sigma=5%,", "sigma=2000%")),
                ("--shaper", ("5Gbps", "5Gbps,", ",5MB", "5,5MB", "5Gbps,-1B"))):
            for value in values:
                with self.subTest(option=option, value=value):
                    self.refuse(INPUT_ERROR, (), *self.question(f"{option}={value}"))
        self.refuse(INPUT_ERROR, ("accepted", "nic 3 at 12ms x0.5"),
                    *self.question("--link-event", "nonsense"))
        self.refuse(INPUT_ERROR, ("nic 0 to nic 7",), *self.question("--link-event", "nic 9 at 1ms fails"))

    def test_what_an_engine_does_not_play_it_refuses(self):
        for arguments in (("--link-event", "nic 3 at 1ms x0.5", "--engine", "recurrence"),
                          ("--background", "0->1", "--engine", "formula"),
                          ("--latency-jitter", "sigma=5%", "--engine", "formula"),
                          ("--latency-jitter", "sigma=5%", "--latency-mode", "overlapped"),
                          ("--shaper", "5Gbps,1MB", "--engine", "formula"),
                          ("--shaper", "5Gbps,1MB", "--simgrid-mode", "step"),
                          ("--shaper", "5Gbps,1MB", "--background", "0->1"),
                          ("--background", "0->1", "--simgrid-mode", "step"),
                          ("--link-event", "nic 3 at 1ms x0.5", "--link-event", "nic 3 out at 1ms fails")):
            with self.subTest(arguments=arguments):
                self.refuse(INPUT_ERROR, ("accepted",) if "overlapped" in arguments else (),
                            *self.question(*arguments))


if __name__ == "__main__":
    program.main()
