#!/usr/bin/env python3
"""That the committed sets are played, and that no change makes a prediction worse unseen.

usage: validate_test.py GRADWIRE SOURCE_FOLDER
"""

import collections
import csv
import re
import statistics

import program

# Median error of each set by each model, as shares, as committed; a change that makes one worse by
# more than a tenth has to say so here. (`validate --csv` has the figures.)
FIGURES = "tests/cli/validation_medians.csv"
# What of a worsening is no news: a tenth of the figure, and rounding where the figure is 0.
TOLERANCE = 1.1
ROUNDING = 1e-9


class Validate(program.ProgramTest):

    def errors(self):
        """{(set, model): {case: error without sign}} of the committed sets."""
        path = self.out / "errors.csv"
        self.succeed("validate", program.SOURCE / "examples/validation", "--csv", path)
        found = collections.defaultdict(dict)
        with open(path, encoding="utf-8", newline="") as file:
            answered = (row for row in csv.DictReader(file) if row["scored_error"])
            for row in answered:
                found[row["set"], row["model"]][row["case"]] = abs(float(row["scored_error"]))
        return found

    def test_no_sets_median_is_more_than_a_tenth_worse_than_committed(self):
        errors = self.errors()
        with open(program.SOURCE / FIGURES, encoding="utf-8", newline="") as file:
            committed = {(row["set"], row["model"]): float(row["median_error"])
                         for row in csv.DictReader(file)}
        self.assertEqual(sorted(committed), sorted(errors), "a set or model came or went")
        moved = []
        for key, before in committed.items():
            now = statistics.median(errors[key].values())
            if now > before * TOLERANCE + ROUNDING:
                moved.append(f"{key[0]:<12} {key[1]:<12} {before:12.6f} {now:12.6f}")
        self.assertEqual(moved, [], "set          model           committed          now\n" + "\n".join(moved))

    def test_every_set_is_told_with_its_aim_and_its_baseline(self):
        text = self.succeed("validate", program.SOURCE / "examples/validation")
        for fragment in ("Set E2: ", "Set E2-shared", "Set E2-compute", "Set E-sleep", "Set E-cubic", "Set P", "Set E-compute", "Set N", "Set T", "Set X", "Set H", "Set G", "Aim: median of gloo",
                         "which is fitted to these very cases", "Not scored: "):
            self.assertIn(fragment, text)
        self.assertNotIn("nobody has looked yet", text)
        self.assertRegex(text, r"(?m)^E2 +gloo +140 .* met$")

    def test_published_runs_on_gpu_clusters_stay_within_what_the_page_says(self):
        bounds = {"H": (57, 0.036, 0.15, 0.31), "G": (20, 0.03, 0.09, 0.095)}
        errors = self.errors()
        for name, (cases, median, p90, worst) in bounds.items():
            with self.subTest(name):
                found = sorted(errors[name, "simgrid"].values())
                self.assertEqual(len(found), cases)
                self.assertLess(statistics.median(found), median)
                self.assertLess(statistics.quantiles(found, n=10)[-1], p90 + 0.01)
                self.assertLess(found[-1], worst)
        text = self.succeed("validate", program.SOURCE / "examples/validation/h.txtpb",
                            program.SOURCE / "examples/validation/g.txtpb")
        self.assertEqual(text.count("Aim: median of simgrid at most 8.00 %: met"), 2)
        self.assertEqual(text.count("Aim: p90 of simgrid at most 20.00 %: met"), 2)
        self.assertGreaterEqual(text.count("Calibrated on what is not scored: "), 2)

    def test_a_case_that_cannot_be_played_ends_with_4_and_the_others_are_told(self):
        self.write("w.csv", "elements,dtype,ready_us\n1000000,float32,10000\n")
        path = self.write("s.txtpb", """
source: "a test"
network { latency: "0s" latency_source: "a test" }
workload { name: "w" trace: "w.csv" }
workload { name: "gone" trace: "gone.csv" }
case { name: "one" workload: "w" ranks: 2 bandwidth: "1Gbps" measured: "42ms" }
case { name: "two" workload: "gone" ranks: 2 bandwidth: "1Gbps" measured: "42ms" }
""")
        done = self.run_program("validate", path)
        self.assertEqual(done.returncode, program.INCOMPLETE, done)
        self.assertIn("1 of 2 cases were not played", done.stderr)
        self.assertIn("Failed: two: ", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^one +0\.042")

    def test_the_page_holds_every_set_and_needs_nothing_else(self):
        path = self.out / "errors.html"
        self.succeed("validate", program.SOURCE / "examples/validation", "--html", path)
        page = path.read_text(encoding="utf-8")
        for name in ("E2", "E2-shared", "E2-compute", "E-sleep", "E-cubic", "E-compute", "N", "P", "T", "X", "H", "G"):
            self.assertIn(f'<h2 id="{name}">', page)
        self.assertNotRegex(page, r"(src|href)=|http")

    def test_verdicts_of_measured_pairs_are_scored_against_always_guessing_the_same(self):
        text = self.succeed("validate", program.SOURCE / "examples/validation/e2.txtpb")
        pairs, helps, harms, near = map(int, re.search(
            r"(\d+) pairs .*: (\d+) faster and (\d+) slower .*; (\d+) within 10 %", text).groups())
        self.assertGreaterEqual(pairs, 100)
        self.assertGreaterEqual(harms, 30)
        self.assertGreaterEqual(near, 20)
        self.assertGreater(helps, 0)
        self.assertRegex(text, r"Aim: balanced accuracy of gloo at least 95.00 %: met")

    def test_refuses_a_folder_without_sets(self):
        self.refuse(program.INPUT_ERROR, ["no .txtpb found"], "validate", self.out)

    def test_refuses_an_unknown_field_with_its_place(self):
        path = self.write("s.txtpb", 'name: "s"\nfudge: 2\n')
        self.refuse(program.INPUT_ERROR, ["s.txtpb:2", "fudge"], "validate", path)


if __name__ == "__main__":
    program.main()
