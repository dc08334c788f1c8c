"""Runs the program under test in a folder of its own and checks how it refuses."""

import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import tempfile
import unittest

INPUT_ERROR = 2
ENVIRONMENT_ERROR = 3
INCOMPLETE = 4

GRADWIRE = None
SOURCE = None


def main():
    """Takes the program and the source folder off the command line, then runs the tests."""
    global GRADWIRE, SOURCE
    GRADWIRE = pathlib.Path(sys.argv[1]).resolve()
    SOURCE = pathlib.Path(sys.argv[2]).resolve()
    unittest.main(module="__main__", argv=[sys.argv[0], *sys.argv[3:]])


def fork_with_terminal():
    """As pty.fork; the test is skipped where no terminal can be made."""
    try:
        return pty.fork()
    except OSError as lacking:
        raise unittest.SkipTest(f"no terminal can be made here: {lacking}") from lacking


def shipped_trace():
    return SOURCE / "traces/data/v100-resnet50-b32/trace.gwt"


class ProgramTest(unittest.TestCase):
    """A test runs in a fresh folder with an empty folder `out` in it."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="gradwire-cli-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.out = self.folder / "out"
        self.out.mkdir()

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def run_program(self, *arguments, timeout=600):
        return subprocess.run([GRADWIRE, *map(str, arguments)], cwd=self.folder, text=True,
                              capture_output=True, timeout=timeout, check=False)

    def succeed(self, *arguments):
        """The standard output of a run that must end with 0 and say nothing on standard error but,
        on a slow machine, how far it is."""
        done = self.run_program(*arguments)
        said = re.sub(r"(?m)^\d+ of \d+ (cells|figures), .* left\n", "", done.stderr)
        self.assertEqual((done.returncode, said), (0, ""), arguments)
        return done.stdout

    def kill_a_child_of(self, process):
        """Kills one process that `process` has started; skips where the kernel does not list them."""
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        if not children.exists():
            process.kill()
            process.communicate()
            self.skipTest("this kernel does not list a process's children")
        while not children.read_text().split():
            self.assertIsNone(process.poll(), "it ended before a child could be killed")
        os.kill(int(children.read_text().split()[0]), signal.SIGKILL)

    def refuse(self, status, fragments, *arguments):
        """A refusal: this exit status, one line on standard error with all `fragments`, nothing on
        standard output, and nothing left behind in `out`."""
        before = sorted(os.listdir(self.out))
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, status, done)
        self.assertEqual(done.stdout, "", arguments)
        self.assertTrue(done.stderr.startswith("gradwire: "), done.stderr)
        self.assertTrue(done.stderr.endswith("\n"), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertNotIn("bug of gradwire", done.stderr)
        for fragment in fragments:
            self.assertIn(str(fragment), done.stderr)
        self.assertEqual(sorted(os.listdir(self.out)), before, "something was left behind")
        return done.stderr
