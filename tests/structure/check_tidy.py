#!/usr/bin/env python3
"""Runs clang-tidy 14 (.clang-tidy says which checks) over the sources of the library folders.

usage: check_tidy.py PROJECT_ROOT BUILD_FOLDER [FILE ...]    (exit 77: nothing could be checked)
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

import check_format
import rules


def host_commands(build_folder):
    """The build folder's compile commands but nvcc's: clang does not know the newest CUDA, and g++
    compiles every kernel too."""
    commands = json.loads((build_folder / "compile_commands.json").read_text(encoding="utf-8"))
    return [command for command in commands
            if pathlib.Path(shlex.split(command["command"])[0]).name != "nvcc"]


def sources(root, commands):
    """The first-party sources of the product among `commands`, sorted."""
    names = set()
    for command in commands:
        path = pathlib.Path(command["directory"], command["file"]).resolve()
        if path.suffix in rules.SOURCE_ENDINGS and root in path.parents:
            name = path.relative_to(root).as_posix()
            if name.split("/")[0] in rules.PRODUCT_FOLDERS:
                names.add(name)
    return sorted(names)


def check(tool, root, database, name):
    """(name, findings of first-party files, seconds)."""
    started = time.monotonic()
    run = subprocess.run([tool, "-p", str(database), "--quiet", name],
                         cwd=root, capture_output=True, text=True)
    findings = re.findall(r"^\S+:\d+:\d+: (?:warning|error): .*$", run.stdout, re.M)
    if run.returncode != 0 and not findings:
        findings = [f"{name}:1: clang-tidy failed: {(run.stdout + run.stderr).strip()[-500:]}"]
    return name, findings, time.monotonic() - started


def main(arguments):
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    root, build_folder = (pathlib.Path(argument).resolve() for argument in arguments[:2])
    tool = check_format.find_tool("clang-tidy")
    if tool is None:
        print(f"skipped: clang-tidy {check_format.VERSION} is not installed")
        return check_format.SKIPPED
    if not (build_folder / "compile_commands.json").is_file():
        print(f"skipped: {build_folder} has no compile_commands.json")
        return check_format.SKIPPED
    commands = host_commands(build_folder)
    names = arguments[2:] or sources(root, commands)
    with tempfile.TemporaryDirectory(prefix="gradwire-tidy-") as database:
        pathlib.Path(database, "compile_commands.json").write_text(json.dumps(commands), encoding="utf-8")
        return check_all(tool, root, database, names)


def check_all(tool, root, database, names):
    """The exit status."""
    started = time.monotonic()
    seen = set()
    slowest = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, findings, seconds in pool.map(
                lambda name: check(tool, root, database, name), names):
            slowest.append((seconds, name))
            for finding in findings:  # a header's finding comes once for each source that sees it
                if finding not in seen:
                    seen.add(finding)
                    print(finding.replace(f"{root}/", ""), flush=True)
    for seconds, name in sorted(slowest, reverse=True)[:5]:
        print(f"{seconds:6.1f} s  {name}")
    print(f"{len(names)} sources checked in {time.monotonic() - started:.0f} s, {len(seen)} findings")
    return 1 if seen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
