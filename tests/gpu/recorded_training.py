"""A .gwt trace of a few training iterations, and how two of the same training differ.

The limits are those of the tracer's acceptance: kernel by kernel the same names, durations of
kernels of at least 20 us and their sum an iteration within 1 %, gradients in the same order and
ready with the same kernel.
"""

import collections
import statistics

from framed_messages import read_chunks

COMPUTE, COMMUNICATION = 1, 2  # KernelCategory
DEVICE_WORK = (COMPUTE, COMMUNICATION)
LONG_KERNEL_NS = 20_000
DURATION_SHARE = 0.01
READY_SHARE = 0.01  # of the backward pass, for the median distance of ready times


class RecordedTraining:
    """What a .gwt file holds, by iteration; times in ns."""

    def __init__(self, path):
        names, kernels, gradients, self._backward, self._marks = [], [], [], {}, []
        for chunk in read_chunks(path, checksums=False):
            names += chunk.get("names", [])
            kernels += chunk.get("kernels", [])
            gradients += chunk.get("gradients", [])
            self._marks += chunk.get("iterations", [])
            for mark in chunk.get("backwards", []):
                self._backward.setdefault(mark.get("iteration", 0),
                                          (mark.get("start_ns", 0), mark.get("end_ns", 0)))
        self._kernels = collections.defaultdict(list)  # by iteration, by start
        self._copies = collections.Counter()
        for kernel in kernels:
            if "iteration" not in kernel:
                continue
            iteration = kernel["iteration"]
            if kernel.get("category", 0) in DEVICE_WORK:
                start = kernel.get("start_ns", 0)
                self._kernels[iteration].append(
                    (start, start + kernel.get("duration_ns", 0), names[kernel.get("name", 0)]))
            else:
                self._copies[iteration] += 1
        self._gradients = collections.defaultdict(list)
        for gradient in gradients:
            self._gradients[gradient.get("iteration", 0)].append(
                (gradient.get("elements", 0), gradient.get("ready_ns", 0)))
        self.linked = sum("launch" in kernel for kernel in kernels)
        self.records = len(kernels)

    def iterations(self):
        return [index for index, mark in enumerate(self._marks)
                if mark.get("complete", False) and self._kernels[index]]

    def counts(self):
        """Kernels of each iteration."""
        return [len(self._kernels[index]) for index in self.iterations()]

    def names(self, index):
        return [name for _, _, name in self._kernels[index]]

    def typical(self):
        """The first iteration with as many kernels as most; None without any."""
        counts = self.counts()
        if not counts:
            return None
        usual = statistics.mode(counts)
        return next(index for index in self.iterations() if len(self._kernels[index]) == usual)

    def durations(self):
        """{name: [ns of each kernel of all iterations]}."""
        found = collections.defaultdict(list)
        for index in self.iterations():
            for start, end, name in self._kernels[index]:
                found[name].append(end - start)
        return found

    def sums(self):
        """The kernels' durations of each iteration."""
        return [sum(end - start for start, end, _ in self._kernels[index]) for index in self.iterations()]

    def gradient_order(self, index):
        """Their elements in ready order; those that are ready with the same kernel have none, so by size."""
        ready = zip(self.ready_kernels(index), (elements for elements, _ in self._gradients[index]))
        return [elements for _, elements in sorted(ready)]

    def ready_kernels(self, index):
        """For each gradient, how many kernels of its iteration have ended once it is ready."""
        ends = [end for _, end, _ in self._kernels[index]]
        return [sum(end <= ready for end in ends) for _, ready in self._gradients[index]]

    def ready_times(self):
        """For each gradient in order, the median over the iterations from the start of its backward pass."""
        columns = [[ready - self._backward[index][0] for _, ready in self._gradients[index]]
                   for index in self.iterations() if index in self._backward]
        if not columns or len(set(map(len, columns))) != 1:
            return []
        return [statistics.median(column) for column in zip(*columns)]

    def backward_span(self):
        spans = [end - start for index, (start, end) in self._backward.items() if self._kernels[index]]
        return statistics.median(spans) if spans else 0

    def figures(self):
        """Of the whole trace, for its page."""
        index = self.typical()
        return {"iterations": len(self.iterations()), "kernels": sum(self.counts()),
                "copies": sum(self._copies.values()), "linked": self.linked, "records": self.records,
                "gradients": 0 if index is None else len(self._gradients[index]),
                "elements": 0 if index is None else sum(self.gradient_order(index)),
                "kernel_ms": 0 if index is None else statistics.median(self.sums()) / 1e6,
                "backward_ms": self.backward_span() / 1e6}


def verdict(holds):
    return "ok" if holds else "FAILED"


def share(ours, other):
    return abs(ours / other - 1) if other else float("inf")


def differences(ours, other):
    """[(what, ours, other, verdict)]."""
    mine, its = ours.typical(), other.typical()
    if mine is None or its is None:
        return [("complete iterations", len(ours.iterations()), len(other.iterations()), "FAILED")]
    rows = [("kernels an iteration", *(" ".join(map(str, sorted(set(side.counts())))) for side in (ours, other)),
             verdict(set(ours.counts()) == set(other.counts())))]
    names, other_names = ours.names(mine), other.names(its)
    unlike = [k for k, (a, b) in enumerate(zip(names, other_names)) if a != b]
    same = not unlike and len(names) == len(other_names)
    at = unlike[0] if unlike else min(len(names), len(other_names))
    rows.append(("k-th kernel has another name", len(unlike),
                 "" if same else f"first at {at}", verdict(same)))
    rows += duration_differences(ours, other)
    order, other_order = ours.gradient_order(mine), other.gradient_order(its)
    rows.append(("gradients in order", len(order), len(other_order), verdict(order == other_order != [])))
    if order and len(order) == len(other_order):
        rows += ready_differences(ours, other, mine, its)
    return rows


def duration_differences(ours, other):
    durations, other_durations = ours.durations(), other.durations()
    long_names = {name: statistics.median(times) for name, times in other_durations.items()
                  if statistics.median(times) >= LONG_KERNEL_NS and name in durations}
    apart = sorted(((share(statistics.median(durations[name]), median), name)
                    for name, median in long_names.items()), reverse=True)
    rows = []
    if apart:
        bad = sum(distance > DURATION_SHARE for distance, _ in apart)
        rows.append((f"names of 20 us or more apart by over {100 * DURATION_SHARE:.0f} %", bad, f"of {len(apart)}",
                     verdict(bad == 0)))
        rows.append(("the furthest apart", f"{100 * apart[0][0]:.2f} %",
                     " ".join(apart[0][1].replace(",", ";").split())[:60], "shown"))
    total, other_total = statistics.median(ours.sums()), statistics.median(other.sums())
    rows.append(("kernel ms an iteration", f"{total / 1e6:.3f}", f"{other_total / 1e6:.3f}",
                 verdict(share(total, other_total) <= DURATION_SHARE)))
    return rows


def ready_differences(ours, other, mine, its):
    kernels, other_kernels = ours.ready_kernels(mine), other.ready_kernels(its)
    unlike = sum(a != b for a, b in zip(kernels, other_kernels))
    rows = [("gradients ready with another kernel", unlike, f"of {len(kernels)}", verdict(unlike == 0))]
    times, other_times = ours.ready_times(), other.ready_times()
    if times and len(times) == len(other_times):
        distance = statistics.median(abs(a - b) for a, b in zip(times, other_times))
        rows.append(("ready times apart us (median)", f"{distance / 1e3:.1f}",
                     f"of {other.backward_span() / 1e3:.0f}",
                     verdict(distance <= READY_SHARE * other.backward_span())))
    return rows
