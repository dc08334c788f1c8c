#!/usr/bin/env python3
"""`gradwire gradients` on the shipped gradients: figures beside arithmetic of our own, the page of
the command beside its output, and what is refused.

usage: gradients_test.py GRADWIRE SOURCE_FOLDER
"""

import array
import csv
import math
import re
import struct
import sys

import program
from program import INPUT_ERROR

RANKS = 4
ITERATIONS = 8


def shipped(name):
    return program.SOURCE / "examples/gradients" / name


def read_npy(path):
    """The rows of a two-dimensional .npy file of float32, format 1.0."""
    content = path.read_bytes()
    assert content[:8] == b"\x93NUMPY\x01\x00"
    end = 10 + struct.unpack("<H", content[8:10])[0]
    header = content[10:end].decode()
    assert "'<f4'" in header and "'fortran_order': False" in header, header
    rows, columns = map(int, re.search(r"\((\d+), (\d+)\)", header).groups())
    values = array.array("f", content[end:])
    if sys.byteorder == "big":
        values.byteswap()
    assert len(values) == rows * columns
    return [values[row * columns:(row + 1) * columns].tolist() for row in range(rows)]


def average(vectors):
    return [sum(values) / len(values) for values in zip(*vectors)]


def norm(vector):
    return math.sqrt(math.fsum(value * value for value in vector))


def relative_error(result, wanted):
    return norm([a - b for a, b in zip(result, wanted)]) / norm(wanted)


def cosine(result, wanted):
    return math.fsum(a * b for a, b in zip(result, wanted)) / (norm(result) * norm(wanted))


def median(values):
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


class ShippedGradients(program.ProgramTest):

    def setUp(self):
        super().setUp()
        self.files = [shipped(f"rank{rank}.npy") for rank in range(RANKS)]
        self.gradients = [read_npy(path) for path in self.files]  # by rank, then by iteration

    def run_command(self, *options):
        """What was printed, and the CSV's lines by scheme."""
        path = self.out / "errors.csv"
        text = self.succeed("gradients", *self.files, "--parameters", shipped("parameters.csv"),
                            "--csv", path, *options)
        with open(path, encoding="utf-8", newline="") as file:
            return text, {row["scheme"]: row for row in csv.DictReader(file)}

    def expect_figures(self, row, results, places):
        """`results`: one an iteration. `places`: relative precision."""
        wanted = [average(vectors) for vectors in zip(*self.gradients)]
        errors = [relative_error(*pair) for pair in zip(results, wanted)]
        cosines = [cosine(*pair) for pair in zip(results, wanted)]
        sums = [[sum(values) for values in zip(*vectors)] for vectors in (results, wanted)]
        for column, figure in (("relative_error_median_ratio", median(errors)),
                               ("relative_error_worst_ratio", max(errors)),
                               ("cosine_median_ratio", median(cosines)),
                               ("cosine_worst_ratio", min(cosines)),
                               ("sum_relative_error_ratio", relative_error(*sums)),
                               ("sum_cosine_ratio", cosine(*sums))):
            if row[column]:
                self.assertLess(abs(float(row[column]) / figure - 1), places, (row, column, figure))
            else:
                self.assertEqual(row["gives_average"], "false")
                self.assertIn("relative_error", column)

    def topk_results(self, k):
        """Stich et al.: send the k largest of gradient plus memory, keep the rest."""
        memories = [[0.0] * len(rank[0]) for rank in self.gradients]
        results = []
        for gradients in zip(*self.gradients):
            sent = []
            for memory, gradient in zip(memories, gradients):
                vector = [a + b for a, b in zip(gradient, memory)]
                chosen = set(sorted(range(len(vector)), key=lambda i: -abs(vector[i]))[:k])
                sent.append([v if i in chosen else 0.0 for i, v in enumerate(vector)])
                memory[:] = [0.0 if i in chosen else v for i, v in enumerate(vector)]
            results.append(average(sent))
        return results

    def test_topk_is_what_its_definition_gives(self):
        elements = len(self.gradients[0][0])
        _, rows = self.run_command("--compressor", "topk:fraction=0.1", "--compressor",
                                   "topk:fraction=0.01")
        for fraction in (0.1, 0.01):
            with self.subTest(fraction):
                k = int(fraction * elements)
                row = rows[f"topk:fraction={fraction},index_bytes=4"]
                self.assertEqual(int(row["wire_bytes"]), 8 * k)  # a value and an index, 4 each
                self.assertEqual(int(row["payload_bytes"]), 4 * elements)
                self.expect_figures(row, self.topk_results(k), 1e-4)

    def test_votes_are_what_their_definition_gives(self):
        _, rows = self.run_command("--compressor", "signsgd")
        votes = []
        for gradients in zip(*self.gradients):
            counts = [sum(-1 if value < 0 else 1 for value in values) for values in zip(*gradients)]
            votes.append([float((count > 0) - (count < 0)) for count in counts])
        self.expect_figures(rows["signsgd"], votes, 1e-9)
        self.assertEqual(rows["signsgd"]["relative_error_median_ratio"], "")

    def test_casts_are_within_their_rounding_and_lose_something(self):
        # Of p bits, an element is off by at most 2^-p of the ranks' mean magnitude for the cast and
        # as much for each of the three additions (the division by 4 is exact): 4 2^-p, and a
        # little for products of them. Below float16's normal numbers the cast and each rank's
        # division are off by at most 2^-25.
        _, rows = self.run_command("--compressor", "none", "--compressor", "fp16", "--compressor",
                                   "bf16")
        smallest = min(norm(average(vectors)) for vectors in zip(*self.gradients))
        absolute = 5 * 2**-25 * math.sqrt(len(self.gradients[0][0])) / smallest
        mean = [average([[abs(v) for v in vector] for vector in vectors])
                for vectors in zip(*self.gradients)]
        spread = max(norm(a) / norm(average(vectors))
                     for a, vectors in zip(mean, zip(*self.gradients)))
        for scheme, bits in (("none", 24), ("fp16", 11), ("bf16", 8)):
            worst = float(rows[scheme]["relative_error_worst_ratio"])
            self.assertGreater(worst, 2.0**-(bits + 3), scheme)
            self.assertLess(worst, 5 * 2.0**-bits * spread + (absolute if scheme == "fp16" else 0))

    def test_every_scheme_has_a_line_and_none_is_free_of_error(self):
        text, rows = self.run_command()
        known = set(re.findall(r"^([a-z0-9-]+): .*\.$", self.succeed("compressors"), re.M))
        self.assertEqual({scheme.partition(":")[0] for scheme in rows}, known)
        for scheme, row in rows.items():
            self.assertEqual((row["iterations"], row["measured_iterations"], row["ranks"]),
                             (str(ITERATIONS), str(ITERATIONS), str(RANKS)))
            self.assertIn(scheme, text)
            self.assertLess(float(row["cosine_median_ratio"]), 1, scheme)
            if row["gives_average"] == "true":
                self.assertGreater(float(row["relative_error_median_ratio"]), 0, scheme)
                self.assertGreater(float(row["sum_relative_error_ratio"]), 0, scheme)

        def error(scheme):
            return float(rows[scheme]["relative_error_median_ratio"])

        self.assertLess(error("none"), error("fp16"))
        self.assertLess(error("fp16"), error("bf16"))
        self.assertLess(error("qsgd:bits=8,bucket=512"), error("qsgd:bits=4,bucket=512"))
        self.assertLess(error("powersgd:rank=4,min_compression_rate=0"),
                        error("powersgd:rank=1,min_compression_rate=0"))

    def test_the_page_shows_what_is_printed(self):
        page = (program.SOURCE / "docs/commands/gradients.md").read_text(encoding="utf-8")
        shown = re.search(r"\n    \$ gradwire gradients (.*)\n((?:    .*\n|\n)+)", page)
        self.assertEqual(shown.group(1), "examples/gradients/rank*.npy --parameters "
                                         "examples/gradients/parameters.csv")
        text, _ = self.run_command()
        lines = [line[4:] for line in shown.group(2).split("\n") if line.strip()]
        self.assertEqual(lines, [line for line in text.split("\n") if line])

    def test_the_page_names_every_column(self):
        page = (program.SOURCE / "docs/commands/gradients.md").read_text(encoding="utf-8")
        _, rows = self.run_command("--compressor", "none")
        for column in rows["none"]:
            self.assertIn(f"`{column}`", page)


class Refusals(program.ProgramTest):

    def refuse_files(self, fragments, *files, options=()):
        self.refuse(INPUT_ERROR, fragments, "gradients", *files, "--parameters",
                    shipped("parameters.csv"), *options)

    def test_files(self):
        rank0 = shipped("rank0.npy")
        content = rank0.read_bytes()
        self.refuse_files(("absent.npy",), rank0, self.folder / "absent.npy")
        short = self.write("short.npy", content[:-4])
        self.refuse_files((short, "accepted"), rank0, short)
        big_endian = self.write("big.npy", content.replace(b"'<f4'", b"'>f4'"))
        self.refuse_files((big_endian, "big-endian"), big_endian)
        self.refuse_files((shipped("parameters.csv"), ".npy"), shipped("parameters.csv"))
        self.refuse(INPUT_ERROR, (rank0, "13754", "7"), "gradients", rank0, "--parameters",
                    self.write("other.csv", "parameter,shape\nweight,7\n"))

    def test_options(self):
        rank0 = shipped("rank0.npy")
        self.refuse_files(("zip", "topk"), rank0, options=("--compressor", "zip"))
        self.refuse_files(("rank", '"0"', "accepted"), rank0, options=("--compressor", "powersgd:rank=0"))
        for seed in ("-1", "1.5", "x", "99999999999999999999"):
            self.refuse_files(("--seed", seed), rank0, options=(f"--seed={seed}",))
        self.refuse(INPUT_ERROR, ("--parameters",), "gradients", rank0)
        self.refuse(INPUT_ERROR, ("RANK.npy",), "gradients", "--parameters",
                    shipped("parameters.csv"))

    def test_the_input_as_output(self):
        copy = self.write("rank0.npy", shipped("rank0.npy").read_bytes())
        self.refuse_files((copy, "input"), copy, options=("--csv", copy))
        self.assertEqual(copy.read_bytes(), shipped("rank0.npy").read_bytes())
        self.refuse(program.ENVIRONMENT_ERROR, ("/proc/gradwire.csv",), "gradients", copy,
                    "--parameters", shipped("parameters.csv"), "--csv", "/proc/gradwire.csv")


class UnsoundGradients(program.ProgramTest):

    def test_nan_is_named_and_in_no_figure(self):
        content = bytearray(shipped("rank0.npy").read_bytes())
        elements = (len(content) - 128) // 4 // ITERATIONS
        at = 128 + 4 * (2 * elements + 150)  # iteration 2, behind the 144 of 0.weight
        content[at:at + 4] = struct.pack("<f", math.nan)
        text = self.succeed("gradients", self.write("rank0.npy", bytes(content)), shipped("rank1.npy"),
                            "--parameters", shipped("parameters.csv"))
        self.assertIn("Iteration 2: 1 element of rank 0 NaN or infinite, the first in 1.weight",
                      text)
        table = text[text.index("scheme "):text.index("Iteration 2")]
        self.assertNotIn("nan", table)
        self.assertNotIn("inf", table)
        self.assertRegex(table, r"none +1 +[0-9.e-]+ +[0-9.e-]+ +1\.0000 +1\.0000 +- +-\n")


if __name__ == "__main__":
    program.main()
