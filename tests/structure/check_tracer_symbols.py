#!/usr/bin/env python3
"""Fails when the tracer's library would not load on a GPU node, or shows more than its interface.

usage: check_tracer_symbols.py LIBRARY    (exit 77: readelf is not here, so nothing was checked)
"""

import re
import shutil
import subprocess
import sys

NEWEST_GLIBC = (2, 31)  # Ubuntu 20.04's; 22.04 has 2.35
NEEDED = {"libc.so.6", "libdl.so.2", "libpthread.so.0",
          "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
EXPORTED = {"InitializeInjection", "InitializeInjectionNvtx2", "gw_start", "gw_stop",
            "gw_recording", "gw_mark", "gw_parameter", "gw_fact"}
SKIPPED = 77


def readelf(*arguments):
    return subprocess.run(["readelf", "-W", *arguments], capture_output=True, text=True,
                          check=True).stdout


def findings(library):
    """What is wrong with it, a sentence each."""
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("-d", library)))
    found = [f"it needs {name}" for name in sorted(needed - NEEDED)]
    if "libc.so.6" not in needed:
        found.append("it does not need libc.so.6, so this is not the library or readelf changed")
    dynamic = readelf("-d", library)
    if re.search(r"\((RPATH|RUNPATH)\)", dynamic):
        found.append("it carries a search path of the machine it was built on")
    if "NODELETE" not in dynamic:
        found.append("it can be unloaded (-z nodelete is missing)")
    for version in sorted(set(re.findall(r"Name: GLIBC_([0-9.]+)", readelf("-V", library)))):
        if tuple(int(part) for part in version.split(".")) > NEWEST_GLIBC:
            found.append(f"it needs a symbol of GLIBC_{version}")
    exported = set()
    for line in readelf("--dyn-syms", library).splitlines():
        fields = line.split()
        if len(fields) >= 8 and fields[0][:-1].isdigit() and fields[6] != "UND":
            exported.add(fields[7].split("@")[0])
        # A weak one may be missing at run time; these two are of every shared library.
        if len(fields) >= 8 and fields[6] == "UND" and re.match(r"_Z|__cxa_(?!finalize|atexit)",
                                                                fields[7]):
            found.append(f"it needs {fields[7]} of a C++ run time")
    found += [f"it exports {name}" for name in sorted(exported - EXPORTED)]
    found += [f"it does not export {name}" for name in sorted(EXPORTED - exported)]
    return found


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    if shutil.which("readelf") is None:
        print("skipped: readelf (binutils) is not installed")
        return SKIPPED
    found = findings(arguments[0])
    for sentence in found:
        print(f"{arguments[0]}: {sentence}")
    print(f"{len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
