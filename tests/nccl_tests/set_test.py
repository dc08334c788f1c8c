#!/usr/bin/env python3
"""That the lines of set N are fitted as it says, and to nothing that it scores.

usage: set_test.py GRADWIRE SOURCE_FOLDER
"""

import pathlib
import re
import sys
import tempfile
import unittest

import make_set
import networks
from outputs import MIB, Outputs

GRADWIRE = None
SOURCE = None
RANKS = 8
LATENCY_S, BYTES_PER_S = 20e-6, 10e9


def all_gather_csv(ranks):
    """Rings in exactly (n-1) (latency + size / n / bandwidth)."""
    lines = ["size,count,type,redop,root,time,algbw,busbw,#wrong"]
    for exponent in range(16, 31):
        size = 2**exponent
        time_us = (ranks - 1) * (LATENCY_S + size / ranks / BYTES_PER_S) * 1e6
        algorithm = size / time_us * 1e-3
        bus = algorithm * (ranks - 1) / ranks
        lines.append(f"{size},{size // 4 // ranks},float,none,-1,{time_us:.4f},{algorithm:.2f},{bus:.2f},0")
    return "\n".join(lines) + "\n"


class Fits(unittest.TestCase):

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="gradwire-nccl-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.outputs = Outputs(GRADWIRE, self.folder)

    def test_a_rings_line_comes_back_from_its_own_times(self):
        (self.folder / "all_gather.csv").write_text(all_gather_csv(RANKS), encoding="utf-8")
        fit = self.outputs.fit("all_gather.csv", 4, RANKS, "all_gather")
        line, = networks.ring_lines(fit, MIB)
        self.assertAlmostEqual(line.latency_s / LATENCY_S, 1, places=3)
        self.assertAlmostEqual(line.bytes_per_s / BYTES_PER_S, 1, places=3)
        # An all-reduce of 8 MiB: 14 messages of 1 MiB.
        self.assertAlmostEqual(networks.ring_time([line], "all_reduce", 8 * MIB, RANKS),
                               14 * (LATENCY_S + MIB / BYTES_PER_S), places=6)

    def test_a_trees_line_comes_back_from_its_own_times(self):
        form = networks.TreeForm(self.outputs, 4, "1920Gbps")
        rows = []
        for ranks in (8, 16):
            for size in (2 * MIB, 8 * MIB):
                inside, crossing = form.inside_and_bytes(size, ranks)
                rows.append((ranks, size,
                             inside + form.hops(ranks) * LATENCY_S + crossing / BYTES_PER_S))
        line = networks.tree_line(form, rows)
        self.assertAlmostEqual(line.latency_s / LATENCY_S, 1, places=6)
        self.assertAlmostEqual(line.bytes_per_s / BYTES_PER_S, 1, places=6)

    def test_trees_are_the_sizes_up_to_the_first_that_a_ring_can_be(self):
        ring = [networks.Line("ring", 0, LATENCY_S, BYTES_PER_S)]
        points = {mib * MIB: networks.ring_time(ring, "all_reduce", mib * MIB, RANKS) * share
                  for mib, share in ((1, 0.5), (2, 0.9), (4, 0.97), (8, 0.5))}
        self.assertEqual(networks.first_without_ring(points, ring, RANKS, MIB), [MIB, 2 * MIB])

    def test_the_committed_set_is_what_the_outputs_make(self):
        folder = SOURCE / "../shared/traces-public/nccl"
        if not folder.is_dir():
            self.skipTest("the outputs of nccl-tests are not at hand: their sources have no licence")
        made = make_set.set_text(Outputs(GRADWIRE, folder), False, make_set.heading())
        committed = (SOURCE / "examples/validation/n.txtpb").read_text(encoding="utf-8")
        self.assertEqual(made.splitlines(), committed.splitlines())

    def test_no_row_is_quoted_that_a_line_is_fitted_to(self):
        text = (SOURCE / "examples/validation/n.txtpb").read_text(encoding="utf-8")
        cases = re.findall(r'network: "([^"]+)"\n  collective: "(\w+)".* ranks: (\d+) ', text)
        self.assertGreater(len(cases), 100)
        fitted = {"Alps": {8, 16}, "H100": {10}, "Polaris, NCCL 2.18": {8}}
        for network, collective, ranks in cases:
            for name, counts in fitted.items():
                self.assertFalse(network.startswith(name) and int(ranks) in counts, network)
            if network.startswith("Polaris, NCCL 2.21"):
                self.assertEqual(collective, "all_reduce")


if __name__ == "__main__":
    GRADWIRE = pathlib.Path(sys.argv[1]).resolve()
    SOURCE = pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
