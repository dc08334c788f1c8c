#!/usr/bin/env python3
"""Builds what needs the CUDA toolkit, where there is one: nvcc_build_test.py PROJECT_ROOT

Nothing is run. Exit status 77 where no nvcc is found.
"""

import os
import shutil
import subprocess
import sys
import tempfile


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    usual = os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin", "nvcc")
    nvcc = shutil.which("nvcc") or shutil.which(usual)
    if nvcc is None:
        print("skipped: no nvcc on the PATH, in $CUDA_HOME or in /usr/local/cuda")
        return 77
    with tempfile.TemporaryDirectory() as build:
        commands = (
            ["cmake", "-S", arguments[0], "-B", build, "-G", "Ninja", "-DGRADWIRE_CUDA=ON", "-DGRADWIRE_TESTS=ON",
             f"-DCMAKE_CUDA_COMPILER={nvcc}", "-DCMAKE_CUDA_ARCHITECTURES=90-real"],
            ["cmake", "--build", build, "--target", "gradwire_measure", "traced_program"])
        for command in commands:
            run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 text=True)
            if run.returncode != 0:
                print(run.stdout[-8000:])
                return 1
    print(f"built with {nvcc}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
