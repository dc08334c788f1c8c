#!/usr/bin/env python3
"""Brings profiler traces and hook times back from whatever GPU is at hand.

usage: capture_profiles.py [--out DIR] [--budget SECONDS] [--device cuda|cpu] [--smoke]
                           [--gradwire PROGRAM]

With a gradwire program our own tracer records the same training too. Needs Python and PyTorch (1.13 or newer) and builds nothing. Exit status: 0 when something came
back, 3 when this machine has no PyTorch or no GPU, 4 when a mode brought nothing back.
See README.md beside it.
"""

import argparse
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time

import provenance
from deadline import Deadline, one_line, share

BUDGET_SECONDS = 225  # everything, imports included, within four minutes
GRACE_SECONDS = 8     # for a mode's last piece of work; then its process is ended
CONVERSION_SECONDS = 6  # gradwire's, of the capture into a trace, once the traced process has ended
# One process a mode, the most wanted first; the weights share the budget.
MODE_WEIGHTS = [("profile", 0.5), ("hooks", 0.38), ("plain", 0.12)]
WEIGHTS_WITH_TRACER = [("traced", 0.32), ("profile", 0.38), ("plain", 0.2), ("hooks", 0.1)]


def parse(arguments):
    parser = argparse.ArgumentParser(prog="capture_profiles.py", description=__doc__.split("\n")[0])
    parser.add_argument("--out", default=os.environ.get("OUT"),
                        help="output folder (default: the environment's OUT)")
    parser.add_argument("--budget", type=float, default=BUDGET_SECONDS, metavar="SECONDS",
                        help="time for everything (default %(default)s)")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--smoke", action="store_true",
                        help="tiny models: shows that the script works, measures nothing")
    parser.add_argument("--gradwire", metavar="PROGRAM",
                        help="trace the same training by this gradwire too")
    parser.add_argument("--mode", choices=[mode for mode, _ in WEIGHTS_WITH_TRACER], help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if not options.out:
        parser.error("give an output folder with --out, or in the environment's OUT")
    if not options.budget > 0:
        parser.error("the budget is a positive number of seconds")
    if options.device == "cpu" and not options.smoke:
        parser.error("a CPU can only run the tiny models: add --smoke")
    return options


def refuse(sentence):
    print(f"capture_profiles: {sentence}", file=sys.stderr)
    return 3


def run_mode(options):
    """The child: one mode in this process. Its result is a JSON file in the output folder."""
    started = time.monotonic()
    result = {"facts": {}, "iterations": [], "windows": [], "entries": [], "done": [], "failed": []}

    def save():
        text = dict(result, skipped=deadline.skipped, failed=result["failed"] + deadline.failed,
                    seconds=time.monotonic() - started)
        provenance.write_text(result_path(options.out, options.mode), json.dumps(text, indent=1))

    # Saved before each piece, so that a process that has to be ended loses only the piece it was at.
    deadline = Deadline(options.budget, before_each=save)
    import modes  # imports torch, which takes seconds of the budget
    try:
        device = modes.open_device(options.device)
    except modes.Unusable as error:
        return refuse(str(error))
    options.workloads = modes.SMOKE_WORKLOADS if options.smoke else modes.WORKLOADS
    options.hook_workloads = modes.SMOKE_WORKLOADS if options.smoke else modes.HOOK_WORKLOADS
    options.bucket_mb = modes.SMOKE_BUCKET_MB if options.smoke else 25
    os.makedirs(options.out, exist_ok=True)
    result["facts"] = modes.facts(device)
    try:
        modes.RUN[options.mode](device, deadline, options, result)
    except Exception as error:
        result["failed"].append((options.mode, one_line(error)))
    result["facts"]["libcupti"] = modes.mapped_cupti()
    save()
    return 0


def result_path(out, mode):
    return os.path.join(out, f"{mode}.json")


def traced_path(out):
    return os.path.join(out, "traced.gwt")


def mode_command(options, mode, seconds):
    """A mode as a process of its own; our tracer's starts the same program below gradwire."""
    tracing = mode == "traced"
    command = [sys.executable, os.path.abspath(__file__), "--mode", mode, "--out", options.out, "--budget",
               f"{max(0.1, seconds - CONVERSION_SECONDS if tracing else seconds):.1f}", "--device", options.device]
    command += ["--smoke"] if options.smoke else []
    if not tracing:
        return command
    return [options.gradwire, "trace", "--pytorch", "-o", traced_path(options.out), "--", *command]


def start_mode(options, mode, seconds):
    """Runs a mode in its own process and ends it when it overruns. Its exit status, None if ended."""
    if mode == "traced":
        os.makedirs(options.out, exist_ok=True)  # gradwire's trace goes there
    process = subprocess.Popen(mode_command(options, mode, seconds), start_new_session=True)
    try:
        return process.wait(timeout=seconds + GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # with gradwire, what it started
        process.wait()
        print(f"{mode} was ended: it did not keep its {seconds:.0f} s", flush=True)
        return None


def read_result(out, mode):
    try:
        with open(result_path(out, mode), encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return None


def write_summary(options, results):
    facts = results[0][1]["facts"]
    entries = [entry for _, result in results for entry in result["entries"]]
    rows = [row for _, result in results for row in result["iterations"]]
    windows = [row for _, result in results for row in result["windows"]]
    if entries:
        provenance.write_text(os.path.join(options.out, "cost_profile.txtpb"),
                              provenance.cost_profile(facts, entries))
        provenance.write_text(os.path.join(options.out, "hook-times.csv"), provenance.bucket_csv(entries))
    if rows:
        provenance.write_text(os.path.join(options.out, "iterations.csv"), provenance.iterations_csv(rows))
    if windows:
        provenance.write_text(os.path.join(options.out, "windows.csv"), provenance.windows_csv(windows))
    provenance.write_text(os.path.join(options.out, "facts.json"), json.dumps(facts, indent=1) + "\n")
    provenance.write_text(os.path.join(options.out, "provenance.md"),
                          provenance.page(facts, results, options.smoke))


def main(arguments):
    options = parse(arguments)
    if importlib.util.find_spec("torch") is None:
        return refuse("PyTorch is not installed for this Python, so there is nothing to profile.")
    if options.mode:
        return run_mode(options)
    started = time.monotonic()
    deadline = Deadline(options.budget)
    mode_weights = WEIGHTS_WITH_TRACER if options.gradwire else MODE_WEIGHTS
    seconds = share(options.budget, mode_weights)
    results = []
    for mode, _ in mode_weights:
        if os.path.exists(result_path(options.out, mode)):
            os.remove(result_path(options.out, mode))  # of an earlier run
    for mode, _ in mode_weights:
        print(f"== {mode}", flush=True)
        status = start_mode(options, mode, seconds(mode, deadline.remaining() - GRACE_SECONDS))
        if status == 3 and mode != "traced":  # it has said why; gradwire may lack what PyTorch does not
            return 3
        result = read_result(options.out, mode)
        if result is None:
            print(f"{mode} brought nothing back (exit status {status})", flush=True)
            continue
        if status is None:
            result["failed"].append((mode, "its process was ended at the deadline"))
        results.append((mode, result))
        os.remove(result_path(options.out, mode))
    if results:
        write_summary(options, results)
        print(f"== {options.out} after {time.monotonic() - started:.0f} s", flush=True)
    complete = len(results) == len(mode_weights) and all(result["done"] for _, result in results)
    return 0 if complete else 4


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
