#!/usr/bin/env python3
"""bootstrap's decisions, against stand-ins for apt-get, dpkg-query, cmake, ctest, id and sudo.

Each stand-in appends its name and arguments to a log; none of them does anything else.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEBIAN_12 = 'ID=debian\nVERSION_ID="12"\n'
# What bootstrap may use that is not under test.
REAL = ("bash", "dirname", "readlink", "nproc", "cat", "grep", "tail", "tee", "ls", "mkdir", "env")


class Bootstrap(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.tools = self.folder / "tools"
        self.tree = self.folder / "tree"
        self.log = self.folder / "log"
        self.installed = self.folder / "installed"
        self.installed.write_text("", encoding="utf-8")
        for path in (self.tools, self.tree / "build", self.tree / "build-ci"):
            path.mkdir(parents=True)
        shutil.copy(ROOT / "bootstrap", self.tree)
        for tool in REAL:
            (self.tools / tool).symlink_to(shutil.which(tool))
        self.stand_in("dpkg-query", f'grep -qx -- "$3" {self.installed} && echo installed')
        self.stand_in("apt-get", f'echo "apt-get $*" >> {self.log}')
        self.stand_in("cmake", f'echo "cmake $*" >> {self.log}')
        self.stand_in("ctest", f'echo "ctest $*" >> {self.log}\n'
                               'echo "100% tests passed, 0 tests failed out of 7"\n'
                               'echo "The following tests did not run:"')
        self.stand_in("id", "echo 0")
        program = self.tree / "build" / "gradwire"
        program.write_text(f'#!/bin/bash\necho "gradwire $*" >> {self.log}\n'
                           f"mkdir -p out/study\necho > out/study/results.csv\n", encoding="utf-8")
        program.chmod(0o755)

    def stand_in(self, name, script):
        path = self.tools / name
        path.write_text(f"#!{self.tools}/bash\n{script}\n", encoding="utf-8")
        path.chmod(0o755)

    def run_it(self, *arguments, os_release=DEBIAN_12, ci="", folder=None):
        (self.folder / "os-release").write_text(os_release, encoding="utf-8")
        self.log.write_text("", encoding="utf-8")
        environment = {"PATH": str(self.tools), "CI": ci, "LC_ALL": "C",
                       "GRADWIRE_OS_RELEASE": str(self.folder / "os-release"),
                       "GRADWIRE_USUAL_CUDA": str(self.folder / "cuda")}
        run = subprocess.run([str(self.tree / "bootstrap"), *arguments], env=environment,
                             cwd=folder or self.tree, capture_output=True, text=True)
        self.calls = self.log.read_text(encoding="utf-8").splitlines()
        return run

    def pretend_toolkit(self, release, header="include/cupti.h"):
        for path in ("cuda/bin/nvcc", f"cuda/{header}"):
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_text(
                f"#!{self.tools}/bash\necho 'Cuda compilation tools, release {release}, V{release}.88'\n",
                encoding="utf-8")
            (self.folder / path).chmod(0o755)

    def pretend_installed(self):
        """Runs `test` once and takes all it asked for as installed."""
        self.run_it("test", ci="true")
        words = [call for call in self.calls if " install " in call][0].split()
        self.installed.write_text("\n".join(words) + "\n", encoding="utf-8")

    def test_a_wrong_command_line_is_exit_2_with_usage(self):
        for arguments in ((), ("tests",), ("build", "now")):
            run = self.run_it(*arguments)
            self.assertEqual(run.returncode, 2)
            self.assertIn("usage: ./bootstrap study|test|build", run.stderr)
            self.assertEqual(self.calls, [])

    def test_help_is_exit_0(self):
        run = self.run_it("--help")
        self.assertEqual(run.returncode, 0)
        self.assertIn("usage:", run.stdout)

    def test_an_unknown_distribution_is_refused_in_one_line_with_exit_3(self):
        for text in ("ID=fedora\nVERSION_ID=40\n", 'ID=debian\nVERSION_ID="11"\n', "ID=arch\n"):
            run = self.run_it("build", os_release=text)
            self.assertEqual(run.returncode, 3)
            self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
            self.assertEqual(self.calls, [])

    def test_debian_13_and_ubuntu_24_04_are_known(self):
        for text in ('ID=debian\nVERSION_ID="13"\n', 'ID=ubuntu\nVERSION_ID="24.04"\n'):
            self.assertEqual(self.run_it("build", os_release=text).returncode, 0)

    def test_only_what_is_missing_is_installed_and_it_is_said(self):
        self.installed.write_text("g++\ncmake\n", encoding="utf-8")
        run = self.run_it("build")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.calls[0], "apt-get update -q")
        self.assertIn("--no-install-recommends", self.calls[1])
        words = self.calls[1].split()
        self.assertIn("libsimgrid-dev", words)
        self.assertNotIn("cmake", words)
        self.assertNotIn("libgtest-dev", words)
        self.assertIn("installing through apt: ninja-build ", run.stdout)

    def test_nothing_missing_means_no_apt(self):
        self.pretend_installed()
        for command in ("build", "study", "test"):
            run = self.run_it(command)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn("nothing to install", run.stdout)
            self.assertFalse([call for call in self.calls if call.startswith("apt-get")])

    def test_missing_packages_without_root_and_sudo_are_exit_3_in_one_line(self):
        self.stand_in("id", "echo 1000")
        run = self.run_it("build")
        self.assertEqual(run.returncode, 3)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        self.assertIn("libsimgrid-dev", run.stderr)
        self.assertEqual(self.calls, [])

    def test_a_user_with_sudo_installs_through_it(self):
        self.stand_in("id", "echo 1000")
        self.stand_in("sudo", f'echo "sudo $*" >> {self.log}')
        run = self.run_it("build")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.calls[0], "sudo apt-get update -q")
        self.assertTrue(self.calls[1].startswith("sudo env DEBIAN_FRONTEND=noninteractive apt-get"))

    def test_a_user_without_sudo_builds_when_nothing_is_missing(self):
        self.pretend_installed()
        self.stand_in("id", "echo 1000")
        self.assertEqual(self.run_it("build").returncode, 0)

    def test_a_failing_apt_is_exit_3(self):
        self.stand_in("apt-get", "exit 100")
        run = self.run_it("build")
        self.assertEqual(run.returncode, 3)
        self.assertIn("apt-get update failed", run.stderr)

    def test_build_makes_the_program_alone(self):
        self.pretend_installed()
        self.run_it("build")
        self.assertIn("--preset release", self.calls[0])
        self.assertNotIn("GRADWIRE_TESTS", self.calls[0])
        self.assertTrue(self.calls[1].endswith("--target gradwire"))

    def test_study_runs_the_shipped_study_from_any_folder(self):
        self.pretend_installed()
        run = self.run_it("study", folder=self.folder)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.calls[-1], "gradwire study examples/utility-study.txtpb -o out/study")
        self.assertIn(f"{self.tree}/out/study", run.stdout)
        self.assertIn("results.csv", run.stdout)

    def test_test_adds_the_tests_to_the_users_build_folder(self):
        self.pretend_installed()
        run = self.run_it("test")
        self.assertIn("-DGRADWIRE_TESTS=ON", self.calls[0])
        self.assertIn("--preset release", self.calls[0])
        self.assertIn("--test-dir build ", self.calls[-1])
        self.assertEqual(run.stdout.splitlines()[-1], "100% tests passed, 0 tests failed out of 7")

    def test_ci_uses_the_ci_preset_and_nobody_else_does(self):
        self.pretend_installed()
        self.run_it("test", ci="true")
        self.assertIn("--preset ci", self.calls[0])
        self.assertIn("--build --preset ci", self.calls[1])
        self.assertIn("--test-dir build-ci ", self.calls[-1])
        self.run_it("build", ci="true")
        self.assertIn("--preset release", self.calls[0])

    def test_test_uses_the_toolkit_that_is_there_and_says_so(self):
        self.pretend_installed()
        for header in ("include/cupti.h", "extras/CUPTI/include/cupti.h"):
            self.pretend_toolkit("13.0", header)
            run = self.run_it("test")
            self.assertIn(f"== CUDA toolkit 13.0 at {self.folder}/cuda: the tracer", run.stdout)
            for option in ("-DGRADWIRE_CUDA=ON", f"-DCUDAToolkit_ROOT={self.folder}/cuda",
                           f"-DCMAKE_CUDA_COMPILER={self.folder}/cuda/bin/nvcc",
                           "-DCMAKE_CUDA_ARCHITECTURES=90-real"):
                self.assertIn(option, self.calls[0].split())
            shutil.rmtree(self.folder / "cuda")

    def test_the_tests_are_built_for_the_gpu_that_is_there(self):
        self.pretend_installed()
        self.pretend_toolkit("13.0")
        self.stand_in("nvidia-smi", "echo 8.0")
        self.run_it("test")
        self.assertIn("-DCMAKE_CUDA_ARCHITECTURES=80-real", self.calls[0].split())

    def test_without_a_toolkit_or_with_an_old_one_test_says_what_is_left_out(self):
        self.pretend_installed()
        run = self.run_it("test")
        self.assertIn("no CUDA toolkit with CUPTI", run.stdout)
        self.assertNotIn("CUDA", self.calls[0])
        self.pretend_toolkit("12.4")
        run = self.run_it("test")
        self.assertIn("the CUDA toolkit here is 12.4 and 13 is needed", run.stdout)
        self.assertNotIn("CUDA", self.calls[0])

    def test_build_and_study_leave_the_toolkit_alone(self):
        self.pretend_installed()
        self.pretend_toolkit("13.0")
        for command in ("build", "study"):
            run = self.run_it(command)
            self.assertNotIn("CUDA", run.stdout + self.calls[0])

    def test_failed_tests_pass_their_status_on_and_keep_the_last_line(self):
        self.pretend_installed()
        self.stand_in("ctest", 'echo "86% tests passed, 1 tests failed out of 7"\n'
                               "echo 'Errors while running CTest'\nexit 8")
        run = self.run_it("test")
        self.assertEqual(run.returncode, 8)
        self.assertEqual(run.stdout.splitlines()[-1], "86% tests passed, 1 tests failed out of 7")


if __name__ == "__main__":
    unittest.main()
