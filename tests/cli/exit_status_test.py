#!/usr/bin/env python3
"""Every exit status of docs/exit-status.md that can be provoked from outside.

usage: exit_status_test.py GRADWIRE SOURCE_FOLDER
"""

import csv
import os
import pathlib
import signal
import subprocess
import time

import program


class ExitStatus(program.ProgramTest):

    def start(self, *arguments):
        process = subprocess.Popen([program.GRADWIRE, *map(str, arguments)], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def write_long_study(self):
        """Thousands of cells: seconds of work."""
        speeds = ", ".join(f'"{mbps}Mbps"' for mbps in range(1000, 31000, 25))
        return self.write("long.txtpb",
                          f'workload {{ trace: "{program.shipped_trace()}" }}\n'
                          'grid { cluster: "study-24x4-v100-10g"\n'
                          f'workers: [92, 93, 94, 95, 96]\nbandwidth: [{speeds}] }}\n')

    def check_interrupt(self, number):
        process = self.start("study", self.write_long_study(), "-o", self.out / "r")
        while not (self.out / "r").exists() and process.poll() is None:
            time.sleep(0.01)
        time.sleep(1)
        process.send_signal(number)
        _, said = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 128 + number, said)
        self.assertIn("interrupted after", said)
        with open(self.out / "r/results.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertGreater(len(rows), 0)
        self.assertLess(len(rows), 6000)
        self.assertEqual(sorted(os.listdir(self.out / "r")), ["assumptions.txt", "report.html", "results.csv", "study.path", "unfinished.cells"])

    def test_130_when_interrupted(self):
        self.check_interrupt(signal.SIGINT)

    def test_143_when_terminated(self):
        self.check_interrupt(signal.SIGTERM)

    def start_long_simulation(self):
        """The program and the process of its simulation, which has minutes to go."""
        process = self.start("simulate", "--trace", program.shipped_trace(), "--nodes", "2048",
                             "--nic", "10Gbps", "--workers", "2048", "--simgrid-mode", "step",
                             "--timeline", self.out / "t.json")
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        if not children.exists():
            self.skipTest("this kernel does not list a process's children")
        deadline = time.monotonic() + 30
        while not children.read_text().split():
            self.assertLess(time.monotonic(), deadline, "no simulation was started")
            time.sleep(0.01)
        return process, int(children.read_text().split()[0])

    def test_nothing_is_left_when_killed(self):
        process, simulation = self.start_long_simulation()
        process.kill()
        process.wait()
        self.assertEqual(os.listdir(self.out), [])
        status = pathlib.Path(f"/proc/{simulation}/stat")
        deadline = time.monotonic() + 30
        try:
            while status.read_text().rpartition(")")[2].split()[0] != "Z":
                self.assertLess(time.monotonic(), deadline, "the simulation goes on")
                time.sleep(0.01)
        except (FileNotFoundError, ProcessLookupError):
            pass  # gone, as it shall be

    def test_4_when_a_simulation_is_lost(self):
        process, simulation = self.start_long_simulation()
        os.kill(simulation, signal.SIGKILL)
        _, said = process.communicate(timeout=30)
        self.assertEqual(process.returncode, program.INCOMPLETE, said)
        self.assertIn("ended by signal 9", said)
        self.assertEqual(os.listdir(self.out), [])

    def test_0_when_done(self):
        self.succeed("inspect", program.shipped_trace())
        self.succeed("--help")

    def test_2_for_input_and_usage(self):
        self.refuse(2, (), "inspect", "absent.gwt")
        self.refuse(2, (), "--guess")

    def test_3_for_the_surroundings(self):
        self.refuse(3, (), "import", program.shipped_trace(), "-o", "/proc/gradwire.out")


if __name__ == "__main__":
    program.main()
