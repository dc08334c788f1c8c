#!/usr/bin/env python3
"""`gradwire calibrate` on outputs whose link is known, and the cluster that it writes.

usage: calibrate_test.py GRADWIRE SOURCE_FOLDER
"""

import json

import program
from program import INPUT_ERROR

RANKS = 4
BITS_PER_S = 10e9
LATENCY_US = 20


def all_reduce_csv():
    """Rings of 4 ranks in exactly 2 (n-1) (latency + size / n / bandwidth)."""
    lines = ["size,count,type,redop,root,time,algbw,busbw,#wrong"]
    for exponent in range(12, 30):
        size = 2**exponent
        time_us = 2 * (RANKS - 1) * (LATENCY_US + size / RANKS * 8 / BITS_PER_S * 1e6)
        algorithm = size / time_us * 1e-3
        bus = algorithm * 2 * (RANKS - 1) / RANKS
        lines.append(f"{size},{size // 4},float,sum,-1,{time_us:.4f},{algorithm:.2f},{bus:.2f},0")
    return "\n".join(lines) + "\n"


IPERF = {
    "start": {"test_start": {"protocol": "TCP", "num_streams": 1}},
    "intervals": [],
    "end": {"sum_sent": {"bits_per_second": 9.5e9, "retransmits": 3},
            "sum_received": {"bits_per_second": 9.4e9, "seconds": 10}},
}


class Calibrate(program.ProgramTest):

    def test_gives_back_the_link_and_simulate_reads_the_cluster(self):
        table = self.write("all_reduce.csv", all_reduce_csv())
        cluster = self.out / "model.txtpb"
        found = json.loads(self.succeed("calibrate", table, "--ranks", "4", "--gpus-per-node", "1",
                                        "--json", "-o", cluster))
        self.assertAlmostEqual(found["nic"]["bandwidth_bits_per_s"] / BITS_PER_S, 1, places=4)
        self.assertAlmostEqual(found["nic"]["latency_s"] * 1e6, LATENCY_US, places=2)
        (fit,) = found["collectives"]
        self.assertEqual((fit["collective"], fit["ranks"], fit["nodes"]), ("all_reduce", 4, 4))
        self.assertEqual(len(fit["points"]), 18)
        (piece,) = fit["pieces"]
        self.assertLess(piece["residual_largest_ratio"], 1e-4)
        trace = program.SOURCE / "traces/data/v100-resnet50-b32/trace.gwt"
        self.succeed("simulate", "--trace", trace, "--cluster", cluster, "--workers", "4")

    def test_says_residuals_sources_and_assumptions_to_people(self):
        said = self.succeed("calibrate", self.write("all_reduce.csv", all_reduce_csv()), "--ranks", "4",
                            "--gpus-per-node", "1")
        for text in ("residual % median", "largest", "all_reduce.csv:1", "one rank count, 4", "assumed: rings"):
            self.assertIn(text, said)

    def test_reads_iperf(self):
        found = json.loads(self.succeed("calibrate", self.write("i.json", json.dumps(IPERF)), "--json"))
        self.assertEqual(found["nic"]["bandwidth_bits_per_s"], 9.4e9)
        self.assertIsNone(found["nic"]["latency_s"])
        self.assertEqual(found["iperf"][0]["retransmits"], 3)

    def test_refuses_what_it_cannot_read_or_write(self):
        table = self.write("x.csv", all_reduce_csv())
        self.refuse(INPUT_ERROR, ("nothing to write",),
                    "calibrate", table, "-o", self.out / "m.txtpb")
        self.refuse(INPUT_ERROR, ("--placement", "sideways"), "calibrate", table, "--placement", "sideways")
        self.refuse(INPUT_ERROR, ("--collective", "gossip"), "calibrate", table, "--collective", "gossip")
        broken = self.write("y.csv", all_reduce_csv().replace(",0\n", "\n", 1))
        self.refuse(INPUT_ERROR, ("y.csv:2", "8 columns"), "calibrate", broken)


if __name__ == "__main__":
    program.main()
