#!/usr/bin/env python3
"""The shipped validation sets, and how far off the predictions may be.

usage: validate_test.py GRADWIRE SOURCE_FOLDER
"""

import csv
import statistics

import program

# Median of the scored errors by set, as it stands. A change that makes one more than a tenth worse
# fails; one that makes it better changes the figure here.
MEDIAN = {"emulated": 0.0377}


class Validate(program.ProgramTest):

    def test_no_set_gets_worse(self):
        self.succeed("validate", program.SOURCE / "examples/validation", "--csv", self.out / "v.csv")
        with open(self.out / "v.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({row["set"] for row in rows}, set(MEDIAN))
        for name, standing in MEDIAN.items():
            moved = [(row["case"], row["measured_s"], row["simgrid_s"], row["scored_error_ratio"])
                     for row in rows if row["set"] == name]
            median = statistics.median_low(float(error) for *_, error in moved)
            self.assertLessEqual(median, standing * 1.1, moved)
            self.assertGreater(median, standing * 0.5, "better: write the new median down")

    def test_says_whether_the_aim_is_met_and_why_not(self):
        text = self.succeed("validate", program.SOURCE / "examples/validation/emulated.txtpb")
        self.assertRegex(text, r"(?m)^Errors: median 3\.8 %")
        self.assertRegex(text, r"(?m)^Baseline \(.*\): median")
        self.assertRegex(text, r"(?m)^Aim: median 1\.5 %, nine tenths within 5\.0 %: missed\.$")
        self.assertRegex(text, r"(?m)^Most likely because: Gloo")

    def test_folders_without_sets_and_absent_files_are_refused(self):
        self.refuse(program.INPUT_ERROR, (self.out, "*.txtpb"), "validate", self.out)
        self.refuse(program.INPUT_ERROR, ("absent.txtpb",), "validate", "absent.txtpb")


if __name__ == "__main__":
    program.main()
