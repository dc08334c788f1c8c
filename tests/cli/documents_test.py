#!/usr/bin/env python3
"""What README.md and docs/study.md show is what the program prints.

usage: documents_test.py GRADWIRE SOURCE_FOLDER
"""

import csv
import re

import program


def blocks(text):
    """The fenced blocks of a Markdown text, as lists of lines."""
    return [block.strip("\n").split("\n") for block in re.findall(r"^```\n(.*?)^```$", text, re.M | re.S)]


class Documents(program.ProgramTest):

    def expect_lines(self, shown, printed):
        """Every line shown, "..." apart, is one that was printed."""
        lines = printed.split("\n")
        for line in shown:
            if line != "...":
                self.assertIn(line, lines)

    def setUp(self):
        super().setUp()
        self.study = self.succeed("study", program.SOURCE / "examples/utility-study.txtpb", "-o",
                                  self.out / "study")

    def test_the_documents_show_what_the_study_gives(self):
        with open(self.out / "study/results.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row for row in rows if row["failure"]], [])
        self.check_readme()
        self.check_study_page(rows)

    def check_readme(self):
        study, question = blocks((program.SOURCE / "README.md").read_text(encoding="utf-8"))
        self.expect_lines(study, self.study)
        self.expect_lines(question, self.succeed("simulate", "--trace", program.shipped_trace(),
                                                 "--workers", "64", "--compressor",
                                                 "powersgd:rank=4"))

    def check_study_page(self, rows):
        page = (program.SOURCE / "docs/study.md").read_text(encoding="utf-8")

        def cells(**wanted):
            return [row for row in rows if all(row[key] == value for key, value in wanted.items())]

        rank4 = "powersgd:rank=4,min_compression_rate=0"
        for workload, name in (("resnet50-b64", "ResNet-50 b64"), ("bert-b12", "BERT b12")):
            speedups = {float(row["bandwidth_bits_per_s"]) / 1e9: row["speedup_over_float32_ratio"]
                        for row in cells(grid="bandwidth", workload=workload, compressor=rank4)}
            shown = " | ".join(f"{float(speedups[gbps]):.2f}" for gbps in (1, 4, 8, 10, 15, 25, 30))
            self.assertIn(f"| {name} | {shown} |", page)
        for row, name in ((cells(grid="utility-overlapped", workload="resnet50-b64", workers="64",
                                 compressor=rank4)[0], "PowerSGD 4, ResNet-50 b64"),
                          (cells(grid="utility-overlapped", workload="bert-b12", workers="64",
                                 compressor=rank4)[0], "PowerSGD 4, BERT b12")):
            shown = " | ".join(f"{float(row[key]) * 1e3:.1f} ms" for key in (
                "serial_backward_sync_s", "recurrence_backward_sync_s", "overlap_hidden_s",
                "overlap_host_s", "overlap_stream_order_s", "overlap_device_share_s"))
            self.assertIn(f"| {name} | {shown} |", page)
        for growth in (1, 2, 3):
            shown = " | ".join(
                f"{float(row['recurrence_backward_sync_s']) * 1e3:.1f}"
                for row in cells(grid="encode-for-ratio", workload="resnet50-b64", compressor=rank4)
                if abs(float(row["payload_factor"]) / float(row["encode_divisor_factor"]) - growth)
                < 1e-9)
            self.assertIn(f"| {growth} | {shown} |", page)


if __name__ == "__main__":
    program.main()
