"""Runs a script as users would, with and without the hook, and reads what the hook marked."""

import collections
import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
HOOK = FOLDER.parents[2] / "tracer" / "python"
SKIPPED = 77
# Of the kinds in gradwire_tracer.h: iteration, backward, gradient, optimiser, forward.
LETTERS = {1: "I", 2: "i", 3: "B", 4: "b", 5: "g", 6: "O", 7: "o", 8: "F", 9: "f"}

Marked = collections.namedtuple("Marked", "marks parameters facts")


def read_marks(path):
    """`marks`: "I0 F f B g(name) b O o i0"; `parameters`: {name: (dtype, shape)}, of the last that had the name."""
    names, parameters, facts, marks = {}, {}, [], []
    for line in path.read_text(encoding="utf-8").splitlines():
        kind, *rest = line.split("\t")
        if kind == "parameter":
            number, name, dtype, shape = rest
            assert number not in names, line
            names[number], parameters[name] = name, (dtype, shape)
        elif kind == "fact":
            facts.append(tuple(rest))
        else:
            letter = LETTERS[int(rest[0])]
            detail = {"I": rest[1], "i": rest[1], "g": "(%s)" % names.get(rest[1])}.get(letter, "")
            marks.append(letter + detail)
    return Marked(" ".join(marks), parameters, facts)


def environment(folder, hooked, library, **more):
    result = {key: value for key, value in os.environ.items() if not key.startswith("GRADWIRE_")}
    paths = [str(HOOK)] if hooked else []
    paths += [path for path in (more.pop("PYTHONPATH", ""), os.environ.get("PYTHONPATH", "")) if path]
    result.update(PYTHONPATH=os.pathsep.join(paths), PYTHONDONTWRITEBYTECODE="1", OMP_NUM_THREADS="1")
    if hooked:
        result.update(GRADWIRE_PYTORCH="1", GRADWIRE_TRACER_LIB=str(library),
                      GRADWIRE_CAPTURE=str(folder / "capture"))
    result.update(more)
    return {key: value for key, value in result.items() if value is not None}


def start(script, *arguments, folder, hooked, library, flags=(), **more):
    path = script if os.sep in str(script) else FOLDER / "scripts" / script
    return subprocess.Popen(  # pylint: disable=consider-using-with
        [sys.executable, *flags, str(path), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env=environment(folder, hooked, library, **more))


def finish(process):
    out, errors = process.communicate(timeout=240)
    return out, errors, process.returncode


def marked(folder):
    """What each process marked, by file."""
    return [read_marks(path) for path in sorted(folder.glob("capture.*.log"))]
