#!/usr/bin/env python3
"""Packs what run.sh brought back into few files of bounded size, to be carried off the machine.

usage: bundle.py OUT_FOLDER TARGET_FOLDER [--files N] [--mebibytes SIZE]

At most N archives (default 8) of at most SIZE MiB (default 16): the tables first, then the traces
to ship, then the rest by size. What has no room is named. Exit status: 0, 4 when something was left
out.
"""

import argparse
import pathlib
import sys
import tarfile
import zlib

LEVEL = 6
# Of an archive: the header of each member and the end, before compression.
MEMBER_BYTES, END_BYTES = 2048, 20_480
# The most wanted first; what is not named comes last.
ORDER = ("", "pytorch", "pytorch/data", "pytorch/traced", "pytorch/traces", "pytorch/hook-traces")
LATE = {"self.gwc", "self.gwt", "traced.gwt"}  # the checks of these are in the tables


def rank(folder, path):
    parent = "" if path.parent == folder else path.parent.relative_to(folder).as_posix()
    place = next((index for index, start in reversed(list(enumerate(ORDER)))
                  if parent == start or (start and parent.startswith(start + "/"))), len(ORDER))
    return (place + len(ORDER) * (path.name in LATE or path.suffix == ".gwc"), path.stat().st_size, str(path))


def share_out(folder, files, size):
    """([[path]], [path left out]): first fit by compressed size."""
    bundles, room, left_out = [], [], []
    for path in sorted((path for path in folder.rglob("*") if path.is_file()), key=lambda p: rank(folder, p)):
        needed = len(zlib.compress(path.read_bytes(), LEVEL)) + MEMBER_BYTES
        place = next((index for index, free in enumerate(room) if needed <= free), None)
        if place is None:
            if len(bundles) == files or needed > size - END_BYTES:
                left_out.append(path)
                continue
            place = len(bundles)
            bundles.append([])
            room.append(size - END_BYTES)
        bundles[place].append(path)
        room[place] -= needed
    return bundles, left_out


def main(arguments):
    parser = argparse.ArgumentParser(prog="bundle.py", description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("target", type=pathlib.Path)
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--mebibytes", type=float, default=16)
    options = parser.parse_args(arguments)
    bundles, left_out = share_out(options.folder, options.files, int(options.mebibytes * (1 << 20)))
    options.target.mkdir(parents=True, exist_ok=True)
    for number, paths in enumerate(bundles, 1):
        archive = options.target / f"results-{number}.tar.gz"
        with tarfile.open(archive, "w:gz", compresslevel=LEVEL) as tar:
            for path in paths:
                tar.add(path, arcname=str(path.relative_to(options.folder)))
        print(f"{archive.name}: {len(paths)} files, {archive.stat().st_size} bytes")
    for path in left_out:
        print(f"no room for {path.relative_to(options.folder)}, {path.stat().st_size} bytes")
    return 4 if left_out else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
