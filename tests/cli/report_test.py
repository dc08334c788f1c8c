#!/usr/bin/env python3
"""`gradwire report`: from finished and unfinished folders, and what it refuses.

usage: report_test.py GRADWIRE SOURCE_FOLDER
"""

import csv
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import unittest

import program
from program import INPUT_ERROR

NAME = "</script><script>alert(1)</script> & <b>"
STUDY = """
name: "%s"
workload {{ name: "{name}" trace: "{trace}" recorded_batch: 32 }}
grid {{
  cluster: "study-24x4-v100-10g"
  workers: {workers}
  bandwidth: [{speeds}]
  compressor: ["powersgd:rank=4", "signsgd", "fp16"]
}}
""" % NAME


def page_report(page):
    """What the page is made of: the text of its data element, which ends where the first `</script` does."""
    text = pathlib.Path(page).read_text(encoding="utf-8")
    start = re.search(r'<script type="application/json" id="report">', text).end()
    return json.loads(text[start:text.index("</script", start)])


class Report(program.ProgramTest):

    def write_study(self, speeds='"10Gbps"', workers=8):
        return self.write("study.txtpb", STUDY.format(name="w" + NAME, trace=program.shipped_trace(), speeds=speeds,
                                                      workers=workers))

    def finished(self):
        study = self.write_study()
        said = self.succeed("study", study, "-o", self.out / "s")
        self.assertEqual(said.splitlines()[-1], f"Report: {self.out}/s/report.html")
        return self.out / "s"

    def test_names_that_look_like_markup_stay_data_and_one_value_an_axis_is_enough(self):
        report = page_report(self.finished() / "report.html")
        self.assertEqual(report["study"]["name"], NAME)
        self.assertEqual(report["workloads"][0]["name"], "w" + NAME)
        self.assertEqual(report["study"]["missing"], 0)
        self.assertEqual(report["chosen"], 0)

    def test_the_page_holds_every_number_of_results_csv_to_seven_digits(self):
        folder = self.finished()
        report = page_report(folder / "report.html")
        columns = {column["name"]: column for column in report["columns"]}
        with open(folder / "results.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 3)
        for name in rows[0]:
            for row, cell in enumerate(rows):
                if name not in columns:
                    self.assertEqual(cell[name], "", name)
                elif "texts" in columns[name]:
                    self.assertEqual(columns[name]["texts"][columns[name]["values"][row]], cell[name])
                elif cell[name] == "":
                    self.assertIsNone(columns[name]["values"][row])
                else:
                    value = float(cell[name])
                    self.assertLessEqual(abs(columns[name]["values"][row] - value), abs(value) * 1e-6, name)

    def test_the_command_writes_the_bytes_of_the_study(self):
        folder = self.finished()
        first = (folder / "report.html").read_bytes()
        (folder / "report.html").unlink()
        self.succeed("report", folder)
        self.assertEqual((folder / "report.html").read_bytes(), first)

    def test_another_cell_can_be_chosen(self):
        folder = self.finished()
        self.succeed("report", folder, "--cell", 1, "-o", self.out / "other.html")
        self.assertEqual(page_report(self.out / "other.html")["chosen"], 1)
        self.refuse(INPUT_ERROR, ("cell 7", "0 to 2"), "report", folder, "--cell", 7)

    def test_a_killed_study_has_a_report_that_counts_what_is_missing(self):
        study = self.write_study(", ".join(f'"{mbps}Mbps"' for mbps in range(1000, 31000, 10)), workers="[8, 96]")
        folder = self.out / "killed"
        process = subprocess.Popen([program.GRADWIRE, "study", study, "-o", folder, "--jobs", "1"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        journal = folder / "unfinished.cells"
        deadline = time.monotonic() + 60
        while not (journal.exists() and journal.stat().st_size > 20000):
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(process.poll(), "it ended before it could be killed")
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.wait()
        kept = journal.read_bytes()
        self.refuse(INPUT_ERROR, ("study.path", "--study"), "report", folder)
        said = self.succeed("report", folder, "--study", study)
        report = page_report(folder / "report.html")
        self.assertEqual(report["study"]["missing"], 18000 - len(report["cells"]))
        self.assertGreater(report["study"]["missing"], 0)
        self.assertGreater(len(report["cells"]), 0)
        self.assertIn(f"{report['study']['missing']} of 18000 cells are missing.", said)
        self.assertEqual(journal.read_bytes(), kept)

    def test_what_is_no_study_is_refused(self):
        self.refuse(INPUT_ERROR, ("finished.cells",), "report", self.out)
        folder = self.finished()
        study = self.write_study('"12Gbps"')
        self.refuse(INPUT_ERROR, ("finished.cells", "another study"), "report", folder)
        study.unlink()
        self.refuse(INPUT_ERROR, ("study.path", "study.txtpb", "--study"), "report", folder)

    def test_the_output_does_not_replace_an_input(self):
        folder = self.finished()
        self.refuse(INPUT_ERROR, ("study.txtpb",), "report", folder, "-o", self.folder / "study.txtpb")
        self.refuse(INPUT_ERROR, ("finished.cells",), "report", folder, "-o", folder / "finished.cells")

    def test_static_charts_are_files(self):
        if shutil.which("node") is None:
            self.skipTest("there is no node")
        self.succeed("report", self.finished(), "--static", self.out / "charts")
        made = sorted(name for name in os.listdir(self.out / "charts") if name.endswith(".svg"))
        self.assertEqual(made, [f"{name}.svg" for name in ("bandwidth", "batch", "budgets", "map", "parts", "plane",
                                                           "timeline", "workers")])
        for name in made:
            text = (self.out / "charts" / name).read_text(encoding="utf-8")
            self.assertGreater(text.count("<path"), 5, name)
        if shutil.which("rsvg-convert") is not None:
            self.assertTrue((self.out / "charts/map.png").read_bytes().startswith(b"\x89PNG"))

    def test_static_charts_without_node_name_the_package(self):
        folder = self.finished()
        done = subprocess.run([program.GRADWIRE, "report", folder, "--static", self.out / "charts"], text=True,
                              capture_output=True, check=False, env=dict(os.environ, PATH="/nowhere"))
        self.assertEqual(done.returncode, program.ENVIRONMENT_ERROR, done)
        self.assertIn("nodejs", done.stderr)
        self.assertFalse((self.out / "charts").exists())


if __name__ == "__main__":
    program.main()
