#!/usr/bin/env python3
"""That the emulated compressors send what gradwire says a scheme sends, and cells are what they say.

usage: wire_test.py GRADWIRE
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

import cells
import models
import sets
import wire

GRADWIRE = pathlib.Path(sys.argv[1]).resolve()
SCHEMES = (("powersgd", 1), ("powersgd", 4), ("powersgd", 200), ("signsgd",), ("topk", 0.01),
           ("topk", 0.333))


def told_bytes(folder, model, scheme):
    """The wire bytes of all gradients of `model` as gradwire has them."""
    rows, ready = [], 0.0
    for number, (shape, gap) in enumerate(models.ready_order(models.DEVICE_LIKE[model])):
        ready += gap
        rows.append((f"g{number}", shape, ready))
    path = folder / f"{model}.csv"
    path.write_text("# source: a test\n" + sets.rows_text(rows), encoding="utf-8")
    name, *parameters = scheme
    done = subprocess.run(
        [GRADWIRE, "simulate", "--trace", path, "--nodes", "2", "--nic", "1Gbps", "--workers", "2",
         "--compressor", sets.SPELLINGS[name].format(*parameters), "--encode-time", "1ms",
         "--decode-time", "1ms", "--json"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["compressor"]["wire_bytes"]


class Wire(unittest.TestCase):
    def test_the_real_collectives_carry_the_bytes_that_gradwire_says(self):
        with tempfile.TemporaryDirectory() as folder:
            for model, layers in models.DEVICE_LIKE.items():
                shapes = [shape for shape, _ in models.ready_order(layers)]
                for scheme in SCHEMES:
                    sent = 4 * sum(one.words for one in wire.collectives(scheme, shapes))
                    with self.subTest(model=model, scheme=scheme):
                        self.assertEqual(sent, told_bytes(pathlib.Path(folder), model, scheme))

    def test_signs_and_selections_are_gathered_and_factors_reduced(self):
        shapes = [(8, 16), (8,)]
        self.assertEqual(wire.collectives(("powersgd", 2), shapes),
                         [wire.Collective("all_reduce", words) for words in (8, 16, 32)])
        self.assertEqual(wire.collectives(("signsgd",), shapes), [wire.Collective("all_gather", 5)])
        self.assertEqual(wire.collectives(("topk", 0.1), shapes),
                         [wire.Collective("all_gather", 13)] * 2)


class Cells(unittest.TestCase):
    def test_the_full_form_has_pairs_on_both_sides_of_break_even_and_near_it(self):
        pairs = [cell for cell in cells.full() if cell.compression]
        self.assertGreaterEqual(len(pairs), 100)
        speedups = [variant.wanted for _, variants in cells.FULL for variant in variants]
        self.assertGreaterEqual(sum(speedup < 0.97 for speedup in speedups), 30)
        self.assertGreaterEqual(sum(abs(speedup - 1) < 0.1 for speedup in speedups), 20)

    def test_every_cell_has_a_name_of_its_own_and_an_uncompressed_partner(self):
        for listed in (cells.full(), cells.short()):
            names = [cell.name() for cell in listed]
            self.assertEqual(len(names), len(set(names)))
            plain = {cell.setup for cell in listed if cell.compression is None}
            self.assertLessEqual({cell.setup for cell in listed}, plain)

    def test_encode_and_decode_times_give_about_the_speed_up_that_is_wanted(self):
        for setup, variants in cells.FULL:
            for variant in variants:
                chosen = cells.cell_of(setup, variant).compression
                both = chosen["encode_s"] + chosen["decode_s"]
                reached = cells.uncompressed_s(setup) / cells.compressed_s(setup, variant, both)
                if both > cells.SHORTEST_S * 1.01:
                    self.assertTrue(math.isclose(reached, variant.wanted, rel_tol=1e-3), setup)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
