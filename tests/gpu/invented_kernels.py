"""Kernels put around the marks of a capture that has none, as a CPU's training leaves it.

They stand where PyTorch would have launched them, and nothing more: names, times and durations are
made up. What our importer makes of marks and launches can be tested so; the profiler cannot.
"""

from framed_messages import read_chunks
from framed_writer import write_chunks

GRADIENT_READY, OPTIMIZER_BEGIN, FORWARD_BEGIN = 5, 6, 8  # tracer/marks/gradwire_tracer.h
MARK = 0
# Kind of mark -> name of its kernel (mangled), and how long before the mark (ns) it is launched.
LAUNCHES = {FORWARD_BEGIN: (0, -1000), GRADIENT_READY: (1, 1000), OPTIMIZER_BEGIN: (2, -1000)}
NAMES = [b"_Z7forwardv", b"_Z8backwardv", b"_Z9optimizerv"]
LAUNCH_CALLBACK = 211  # cudaLaunchKernel, CUpti_runtime_api_trace_cbid
CALL_NS, QUEUE_NS, KERNEL_NS = 200, 3000, 2000


def invent_kernels(source, target):
    """Writes the capture `source` with kernels to `target`; how many."""
    chunks = list(read_chunks(source))
    events = []
    for chunk in chunks:
        for event in chunk.get("events", []):
            events.append(dict(event, time_ns=event.get("time_ns", 0) + chunk.get("base_time_ns", 0)))
    base = min(event["time_ns"] for event in events) - 1_000_000
    calls, operations, free_at = [], [], 0
    for event in events:
        event["time_ns"] -= base
        if event.get("kind", MARK) != MARK or event.get("id", 0) not in LAUNCHES:
            continue
        name, before = LAUNCHES[event["id"]]
        correlation = len(calls) + 1
        calls.append({"callback": LAUNCH_CALLBACK, "start_ns": event["time_ns"] - before, "duration_ns": CALL_NS,
                      "thread": event["thread"], "correlation": correlation})
        start = max(free_at, event["time_ns"] - before + QUEUE_NS)
        free_at = start + KERNEL_NS
        operations.append({"kind": 0, "name": name, "start_ns": start, "duration_ns": KERNEL_NS, "context": 1,
                           "stream": 7, "correlation": correlation, "grid": [1, 1, 1], "block": [32, 1, 1]})
    whole = {"header": chunks[0]["header"], "base_time_ns": base, "names": NAMES, "operations": operations,
             "calls": calls, "events": events,
             "devices": [{"index": 0, "name": "invented", "multiprocessors": 1}]}
    tally = {"operations": len(operations), "calls": len(calls), "events": len(events)}
    write_chunks(target, [whole, {"tally": tally, "closing": True}])
    return len(operations)
