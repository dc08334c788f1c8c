#!/usr/bin/env python3
"""Holds a capture of traced_program against what the program says that it did.

usage: check_trace.py CAPTURE.gwc PROGRAM.json [IMPORTED.gwt]

Prints a table of checks; counts and bytes are exact. IMPORTED.gwt is what gradwire made of the
capture. Exit status: 0 when all checks pass, 4 when one fails, 2 for files that cannot be read.
"""

import bisect
import collections
import json
import statistics
import sys

from framed_messages import Damaged, read_chunks

KERNEL, MEMCPY, MEMSET = 0, 1, 3  # DeviceOperation.Kind
MARK = 0                          # HostEvent.Kind
ITERATION_BEGIN, ITERATION_END, GRADIENT_READY = 1, 2, 5  # tracer/marks/gradwire_tracer.h
COMPUTE, GWT_MEMCPY, GWT_MEMSET = 1, 3, 4  # KernelCategory of a .gwt
# By cudaEvent a kernel takes this much longer than by its own record at most.
EVENT_NS, EVENT_SHARE = 3_000, 0.02
LOSSES = ("dropped_records", "dropped_events", "unknown_records", "lost_buffers", "unreturned_buffers")


class Checks:
    def __init__(self):
        self.rows = []
        self.failed = 0

    def equal(self, what, expected, found):
        self.holds(what, expected, found, expected == found)

    def holds(self, what, expected, found, holds):
        self.rows.append((what, expected, found, "ok" if holds else "FAILED"))
        self.failed += not holds


def read_all(path):
    """All chunks of a capture as one, its times those of the epoch."""
    whole = collections.defaultdict(list)
    for chunk in read_chunks(path):
        base = chunk.get("base_time_ns", 0)
        for key, time in (("operations", "start_ns"), ("calls", "start_ns"), ("events", "time_ns")):
            for record in chunk.get(key, []):
                record[time] = record.get(time, 0) + base
        for key, value in chunk.items():
            if isinstance(value, list):
                whole[key] += value
            else:
                whole[key] = value
    return whole


def is_kernel(mangled, name):
    """The Itanium ABI writes a name behind its length."""
    return f"{len(name)}{name}" in mangled


def check_kernels(capture, program, checks):
    names = [name.decode("utf-8", "replace") for name in capture["names"]]
    kernels = collections.defaultdict(list)
    for operation in capture["operations"]:
        if operation.get("kind", KERNEL) == KERNEL:
            mangled = names[operation.get("name", 0)]
            known = next((name for name in program["kernels"] if is_kernel(mangled, name)), mangled)
            kernels[known].append(operation)
    for name, done in program["kernels"].items():
        seen = kernels.pop(name, [])
        checks.equal(f"launches of {name}", done["count"], len(seen))
        in_graph = sum(1 for kernel in seen if kernel.get("graph", 0) and kernel.get("graph_node", 0))
        checks.equal("of these with graph and node id", done["count"] if done["graph"] else 0, in_graph)
        if done["graph"]:
            checks.equal("nodes of the graph", program["graph_nodes"],
                         len({kernel.get("graph_node", 0) for kernel in seen}))
        if name == "timed_stretch":
            check_times(seen, program["timed_stretch_ns"], checks)
    checks.equal("kernels that the program does not have", 0, sum(map(len, kernels.values())))
    for name in sorted(kernels)[:3]:
        print(f"not of the program: {name}")


def check_times(kernels, events_ns, checks):
    if len(kernels) != len(events_ns) or not kernels:
        return  # the count has failed already
    kernels = sorted(kernels, key=lambda kernel: kernel["start_ns"])
    gaps = [event - kernel.get("duration_ns", 0) for kernel, event in zip(kernels, events_ns)]
    gap, length = statistics.median(gaps), statistics.median(events_ns)
    allowed = EVENT_NS + EVENT_SHARE * length
    checks.holds("timed_stretch by cudaEvent less by its record, ns (median)",
                 f"within {allowed:.0f} of {length:.0f}", f"{gap:.0f}", abs(gap) <= allowed)
    print(f"timed_stretch: cudaEvent less record from {min(gaps)} to {max(gaps)} ns")


def check_copies(capture, program, checks):
    for what, kind in (("copies", MEMCPY), ("memsets", MEMSET)):
        seen = [operation for operation in capture["operations"] if operation.get("kind", KERNEL) == kind]
        checks.equal(what, program[what]["count"], len(seen))
        checks.equal(f"bytes of {what}", program[what]["bytes"],
                     sum(operation.get("bytes", 0) for operation in seen))


def check_links(capture, program, checks):
    operations = capture["operations"]
    calls = {call.get("correlation", 0) for call in capture["calls"]}
    linked = sum(1 for operation in operations if operation.get("correlation", 0) in calls)
    checks.equal("device operations with their launch", len(operations), linked)
    checks.equal("device operations without a time", 0,
                 sum(1 for operation in operations if operation.get("untimed", False)))
    # A graph's nodes may run where the driver likes.
    checks.equal("streams of what no graph launched", program["streams"],
                 len({operation.get("stream", 0) for operation in operations if not operation.get("graph", 0)}))


def check_session(capture, program, checks):
    tally = capture["tally"] or {}
    for loss in LOSSES:
        checks.equal(loss, 0, tally.get(loss, 0))
    checks.equal("operations by the tally", len(capture["operations"]), tally.get("operations", 0))
    checks.equal("closed in order", True, bool(capture["closing"]))
    for what, kind, count in (("iteration begins", ITERATION_BEGIN, program["iterations"]),
                              ("iteration ends", ITERATION_END, program["iterations"]),
                              ("a ready gradient", GRADIENT_READY, program["gradients"])):
        checks.equal(f"marks of {what}", count, len(marks_of(capture, kind)))


def marks_of(capture, kind):
    return [event for event in capture["events"]
            if event.get("kind", MARK) == MARK and event.get("id", 0) == kind]


def ready_times(capture):
    """When each marked gradient is ready, ns of the epoch: the end of the kernel that the mark's thread
    launched last before it."""
    kernels = {operation.get("correlation", 0): operation for operation in capture["operations"]
               if operation.get("kind", KERNEL) == KERNEL}
    launches = collections.defaultdict(list)  # by thread
    for call in capture["calls"]:
        if call.get("correlation", 0) in kernels:
            launches[call.get("thread", 0)].append((call["start_ns"], call["correlation"]))
    for of_thread in launches.values():
        of_thread.sort()
    times = []
    for mark in marks_of(capture, GRADIENT_READY):
        of_thread = launches[mark.get("thread", 0)]
        before = bisect.bisect_right(of_thread, (mark["time_ns"], float("inf")))
        if before:
            kernel = kernels[of_thread[before - 1][1]]
            times.append(kernel["start_ns"] + kernel.get("duration_ns", 0))
    return sorted(times)


def check_import(path, capture, program, checks):
    """What gradwire made of the capture: the same work, linked, in as many iterations, and the gradients
    ready when the capture says it."""
    kernels, gradients, iterations, base = [], [], 0, 0
    for chunk in read_chunks(path):
        kernels += chunk.get("kernels", [])
        gradients += chunk.get("gradients", [])
        iterations += len(chunk.get("iterations", []))
        base = chunk.get("header", {}).get("base_time_ns", base)
    ready = sorted(base + gradient.get("ready_ns", 0) for gradient in gradients)
    checks.equal("imported gradients", program["gradients"], len(ready))
    wanted_times = ready_times(capture)
    checks.holds("of these ready with the kernel launched last before their mark", len(ready),
                 sum(a == b for a, b in zip(ready, wanted_times)), ready == wanted_times)
    wanted = sum(done["count"] for done in program["kernels"].values())
    for what, category, count in (("kernels", COMPUTE, wanted),
                                  ("copies", GWT_MEMCPY, program["copies"]["count"]),
                                  ("memsets", GWT_MEMSET, program["memsets"]["count"])):
        checks.equal(f"imported {what}", count,
                     sum(1 for kernel in kernels if kernel.get("category", 0) == category))
    checks.equal("imported with their launch", len(kernels), sum("launch" in kernel for kernel in kernels))
    checks.equal("imported iterations", program["iterations"], iterations)


def main(arguments):
    if len(arguments) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    checks = Checks()
    try:
        capture = read_all(arguments[0])
        with open(arguments[1], encoding="utf-8") as file:
            program = json.load(file)
        for check in (check_kernels, check_copies, check_links, check_session):
            check(capture, program, checks)
        if len(arguments) == 3:
            check_import(arguments[2], capture, program, checks)
    except (OSError, Damaged, ValueError, KeyError) as error:
        print(f"check_trace: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    for fact in capture["header"].get("facts", []) if capture["header"] else []:
        print(f"{fact.get('name', '')}: {fact.get('value', '')}")
    for row in checks.rows:
        print(",".join(map(str, row)))
    print(f"{len(checks.rows) - checks.failed} of {len(checks.rows)} checks passed")
    return 4 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
