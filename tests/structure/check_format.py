#!/usr/bin/env python3
"""Fails on a first-party C++ file that clang-format 14 would change.

usage: check_format.py PROJECT_ROOT    (exit 77: clang-format 14 is not here, so nothing was checked)
"""

import re
import shutil
import subprocess
import sys

import check_includes

VERSION = 14  # Debian 12's; another version formats differently
SKIPPED = 77


def find_tool(name):
    """The path of version 14 of a clang tool, or None."""
    for candidate in (f"{name}-{VERSION}", name):
        path = shutil.which(candidate)
        if path:
            text = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
            if re.search(rf"version {VERSION}\.", text):
                return path
    return None


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    tool = find_tool("clang-format")
    if tool is None:
        print(f"skipped: clang-format {VERSION} is not installed")
        return SKIPPED
    tree = check_includes.Tree(arguments[0])
    names = [name for name, _ in tree.cpp_files()]
    run = subprocess.run([tool, "--dry-run", "--Werror", "--style=file", *names],
                         cwd=tree.root, capture_output=True, text=True)
    wrong = sorted({m.group(1) for m in re.finditer(r"^([^\s:]+):\d+:\d+: ", run.stderr, re.M)})
    for name in wrong:
        first = re.search(rf"^{re.escape(name)}:(\d+):", run.stderr, re.M).group(1)
        print(f"{name}:{first}: not formatted; clang-format -i {name} does it")
    if run.returncode != 0 and not wrong:
        print(run.stderr)
    print(f"{len(names)} files checked, {len(wrong)} not formatted")
    return 1 if run.returncode != 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
