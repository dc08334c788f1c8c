#!/usr/bin/env python3
"""Our tracer beside PyTorch's profiler on the same training, and what each costs.

usage: compare_traces.py GRADWIRE FOLDER

FOLDER is what `capture_profiles.py --gradwire` brought back. Cuts our trace of all workloads into
one a workload (FOLDER/traced), imports the profiler's (FOLDER/profiled), prints a table and writes
what may be shipped (FOLDER/data: one iteration each and its provenance). Exit status: 0 when all
that was compared agrees, 4 when something does not or nothing could be compared, 2 for wrong
arguments.
"""

import csv
import json
import pathlib
import statistics
import subprocess
import sys

import provenance
from framed_messages import Damaged, read_chunks
from recorded_training import RecordedTraining, differences

OVERHEAD_GOAL, OVERHEAD_LIMIT = 0.02, 0.05  # of an iteration


class Report:
    def __init__(self):
        self.rows = ["workload,what,ours,other,verdict"]
        self.compared = 0  # workloads
        self.failed = 0

    def add(self, workload, what, ours, other, verdict):
        self.rows.append(f"{workload},{what},{ours},{other},{verdict}")
        self.failed += verdict == "FAILED"


def read_rows(path):
    if not path.is_file():
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def convert(gradwire, source, destination, *options):
    """gradwire import; what it said when it failed, else nothing."""
    destination.parent.mkdir(parents=True, exist_ok=True)
    run = subprocess.run([gradwire, "import", str(source), "-o", str(destination), *options],
                         capture_output=True, text=True)
    return "" if run.returncode == 0 else f"gradwire import: {' '.join(run.stderr.split())[:200]}"


def iteration_numbers(trace, begin_ns, end_ns):
    """First and last number of the iterations that ran inside a stretch of the epoch; None without any."""
    first = next(iter(read_chunks(trace, checksums=False)))  # header and marks are in the first chunk
    base = first.get("header", {}).get("base_time_ns", 0)
    numbers = [mark.get("number", 0) for mark in first.get("iterations", [])
               if begin_ns <= base + mark.get("start_ns", 0) <= end_ns]
    return (numbers[0], numbers[-1]) if numbers else None


def cut_ours(gradwire, folder, window):
    """Our trace of one workload's timed iterations; (path, reason why there is none)."""
    trace = folder / "traced.gwt"
    if not trace.is_file():
        return None, "there is no traced.gwt"
    try:
        numbers = iteration_numbers(trace, int(window["begin_ns"]), int(window["end_ns"]))
    except (Damaged, StopIteration) as error:
        return None, f"traced.gwt: {error}"
    if numbers is None:
        return None, "no iteration of traced.gwt lies in its time"
    path = folder / "traced" / f"{window['workload']}.gwt"
    # The tracer notes one batch a process; here each workload has its own.
    said = convert(gradwire, trace, path, "--keep-iterations", f"{numbers[0]}..{numbers[1]}",
                   "--batch", window["workload"].rpartition("-b")[2])
    return (None, said) if said else (path, "")


def import_profile(gradwire, folder, workload):
    source = folder / "traces" / f"{workload}.json.gz"
    if not source.is_file():
        return None, "the profiler brought nothing back"
    path = folder / "profiled" / f"{workload}.gwt"
    said = convert(gradwire, source, path)
    return (None, said) if said else (path, "")


def ship(gradwire, folder, workload, ours, facts, overhead):
    """One iteration of ours with a page that says where it is from."""
    gpu = facts["device"].split()[-1].lower()
    target = folder / "data" / f"{gpu}-{workload}"
    said = convert(gradwire, ours, target / "trace.gwt", "--keep-iterations", "representative",
                   "--source", f"measured by gradwire's tests/gpu/run.sh on {facts['device']}",
                   "--licence", "Apache-2.0")
    if said:
        return said
    kept = RecordedTraining(target / "trace.gwt")
    provenance.write_text(str(target / "provenance.md"),
                          provenance.trace_page(facts, target.name, workload, kept.figures(), overhead))
    return ""


def medians(rows, mode):
    """{workload: (median, 10th percentile)} of a mode's iterations, ns."""
    times = {}
    for row in rows:
        if row["mode"] == mode:
            times.setdefault(row["workload"], []).append(int(row["iteration_ns"]))
    return {workload: (statistics.median(column), statistics.quantiles(column, n=10, method="inclusive")[0])
            for workload, column in times.items() if len(column) > 1}


def overhead_verdict(share):
    if share <= OVERHEAD_GOAL:
        return "ok"
    return "above the goal" if share <= OVERHEAD_LIMIT else "FAILED"


def compare_overhead(rows, report):
    """{workload: sentence}."""
    plain, said = medians(rows, "plain"), {}
    for mode, judged in (("traced", True), ("profile", False)):
        for workload, (median, p10) in medians(rows, mode).items():
            if workload not in plain:
                continue
            shares = (median / plain[workload][0] - 1, p10 / plain[workload][1] - 1)
            for name, share, value, base in zip(("median", "p10"), shares, (median, p10), plain[workload]):
                report.add(workload, f"{mode} over plain: {name} ms",
                           f"{value / 1e6:.3f} ({100 * share:+.2f} %)", f"{base / 1e6:.3f}",
                           overhead_verdict(share) if judged and name == "median" else "shown")
            if judged:
                said[workload] = (f"an iteration took {median / 1e6:.3f} ms with the tracer and "
                                  f"{plain[workload][0] / 1e6:.3f} ms without (medians, {100 * shares[0]:+.2f} %)")
    return said


def compare_workload(gradwire, folder, window, report):
    """Our trace of the workload, None where there is none."""
    workload = window["workload"]
    ours, why = cut_ours(gradwire, folder, window)
    if ours is None:
        report.add(workload, "our trace", why.replace(",", ";"), "", "missing")
        return None
    theirs, why = import_profile(gradwire, folder, workload)
    if theirs is None:
        report.add(workload, "the profiler's trace", "", why.replace(",", ";"), "missing")
        return ours
    report.compared += 1
    for row in differences(RecordedTraining(ours), RecordedTraining(theirs)):
        report.add(workload, *row)
    return ours


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    gradwire, folder = arguments[0], pathlib.Path(arguments[1])
    report = Report()
    overheads = compare_overhead(read_rows(folder / "iterations.csv"), report)
    facts_file = folder / "facts.json"
    facts = json.loads(facts_file.read_text(encoding="utf-8")) if facts_file.is_file() else None
    for window in read_rows(folder / "windows.csv"):
        if window["mode"] != "traced":
            continue
        ours = compare_workload(gradwire, folder, window, report)
        if ours is not None and facts is not None:
            said = ship(gradwire, folder, window["workload"], ours, facts,
                        overheads.get(window["workload"], ""))
            if said:
                report.add(window["workload"], "one iteration to ship", said.replace(",", ";"), "", "FAILED")
    print("\n".join(report.rows))
    if report.compared == 0:
        print("compare_traces: there was nothing to compare", file=sys.stderr)
    return 4 if report.failed or not report.compared else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
