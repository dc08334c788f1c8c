#!/usr/bin/env python3
"""bundle.py: what goes first, and what has no room."""

import pathlib
import random
import subprocess
import sys
import tarfile
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent


class Bundle(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name, "out")
        self.target = pathlib.Path(folder.name, "bundles")
        self.random = random.Random(1)

    def write(self, name, size):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.random.randbytes(size))  # as hard to compress as what is packed already

    def bundle(self, *options):
        """(run, [names of the members of each archive])."""
        run = subprocess.run([sys.executable, str(HERE / "bundle.py"), str(self.folder), str(self.target), *options],
                             capture_output=True, text=True)
        archives = sorted(self.target.glob("*"))
        for archive in archives:
            self.assertLessEqual(archive.stat().st_size, 1 << 20)
        members = []
        for archive in archives:
            with tarfile.open(archive) as tar:
                members.append(tar.getnames())
        return run, members

    def test_everything_comes_along_while_there_is_room(self):
        names = ["summary.csv", "pytorch/iterations.csv", "pytorch/data/x200-a/trace.gwt", "self.gwc"]
        for name in names:
            self.write(name, 1000)
        run, members = self.bundle("--mebibytes", "1")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(members, [names])  # the most wanted first

    def test_archives_keep_their_size_and_number_and_the_rest_is_named(self):
        for index in range(4):
            self.write(f"pytorch/traces/{index}.json.gz", 600_000 + index)
        self.write("pytorch/data/x200-a/trace.gwt", 300_000)
        self.write("pytorch/traced.gwt", 2_000_000)
        run, members = self.bundle("--files", "2", "--mebibytes", "1")
        self.assertEqual(run.returncode, 4)
        self.assertEqual(members, [["pytorch/data/x200-a/trace.gwt", "pytorch/traces/0.json.gz"],
                                   ["pytorch/traces/1.json.gz"]])
        for name in ("pytorch/traces/2.json.gz", "pytorch/traces/3.json.gz", "pytorch/traced.gwt"):
            self.assertIn(f"no room for {name}, ", run.stdout)

    def test_an_archive_holds_what_was_there(self):
        self.write("a/b.bin", 5000)
        self.bundle("--mebibytes", "1")
        with tarfile.open(self.target / "results-1.tar.gz") as tar:
            self.assertEqual(tar.extractfile("a/b.bin").read(), (self.folder / "a/b.bin").read_bytes())


if __name__ == "__main__":
    unittest.main()
