#!/usr/bin/env python3
"""Real DDP over shaped links, measured and simulated: the short form. Exit 77 where it cannot run.

usage: emulated_test.py GRADWIRE

How near prediction and measurement are depends on what else the machine does, so only what no load
can change is required: nothing beats the wire, every cell is scored, nothing is left behind.
"""

import csv
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import links

GRADWIRE = pathlib.Path(sys.argv[1]).resolve()
FOLDER = pathlib.Path(__file__).resolve().parent
SAMPLES = 4


def start(out):
    return subprocess.Popen(  # pylint: disable=consider-using-with
        [sys.executable, str(FOLDER / "emulate.py"), "short", str(out), "--samples", str(SAMPLES)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ranks_of(out):
    """Processes that a measurement into `out` started, wherever their parent went."""
    found = []
    for process in pathlib.Path("/proc").iterdir():
        try:
            words = (process / "cmdline").read_bytes().decode().split("\0")
            surroundings = (process / "environ").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if any(word.endswith("emulated/rank.py") for word in words) and str(out) in surroundings:
            found.append(int(process.name))
    return found


class Emulated(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="gradwire-emulated-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def test_what_is_measured_is_simulated_and_nothing_beats_the_wire(self):
        run = start(self.folder / "measured")
        out, errors = run.communicate(timeout=400)
        self.assertEqual(run.returncode, 0, out + errors)
        subprocess.run([sys.executable, str(FOLDER / "sets.py"), self.folder / "measured",
                        self.folder / "sets"], check=True)
        done = subprocess.run([GRADWIRE, "validate", self.folder / "sets", "--csv",
                               self.folder / "errors.csv"], capture_output=True, text=True,
                              check=False)
        print(out, done.stdout, sep="\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(self.folder / "errors.csv", encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["model"] == "gloo"]
        self.assertEqual(len(rows), 4)
        for row in rows:
            self.assertEqual(int(row["samples"]), SAMPLES)
            self.assertGreater(float(row["measured_s"]), 0.9 * float(row["predicted_s"]), row)

    def test_nothing_is_left_when_it_is_killed(self):
        out = self.folder / "killed"
        os.environ["GRADWIRE_EMULATED_OUT"] = str(out)
        self.addCleanup(os.environ.pop, "GRADWIRE_EMULATED_OUT")
        run = start(out)
        self.assertTrue(run.stdout.readline().startswith("1 of 4: "))
        self.assertEqual(len(ranks_of(out)), 3)
        run.kill()
        run.communicate()
        for _ in range(100):
            if not ranks_of(out):
                break
            time.sleep(0.1)
        self.assertEqual(ranks_of(out), [])
        links_here = subprocess.run(["ip", "link"], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("rank0", links_here)


def main():
    if importlib.util.find_spec("torch") is None:
        print("skipped: PyTorch is not installed (package python3-torch)")
        return 77
    lacking = links.missing()
    if lacking:
        print(f"skipped: {lacking}")
        return 77
    unittest.main(argv=sys.argv[:1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
