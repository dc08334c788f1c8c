"""Measures real DDP over shaped links: `emulate.py short|full OUT [--samples N]`.

Writes OUT/measured.jsonl, a line a cell, and OUT/alone.json, the models without communication. A
second run goes on where the first was ended. Needs Linux, PyTorch with Gloo, iproute2, and the
right to make network namespaces.
"""

import argparse
import dataclasses
import datetime
import importlib.util
import json
import os
import pathlib
import sys
import time

import cells
from cluster import Cluster
import links
import models

REAL_SAMPLES = 15
FIRST_SAMPLES = 5
PROBE_S = 2.0  # worth of a link
SMALL_WORDS, SMALL_MBIT, SMALL_SAMPLES, SMALL_IDLE_S = 1024, 1000, 20, 0.2


def facts():
    """Where and with what this is measured."""
    import torch  # pylint: disable=import-outside-toplevel

    cpu = [line.split(":")[1].strip()
           for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
           if line.startswith("model name")]
    return {"date": datetime.date.today().isoformat(), "processor": cpu[0] if cpu else "unknown",
            "cores": len(cpu), "kernel": links.kernel(), "torch": torch.__version__,
            "congestion_control": "cubic", "burst_s": links.BURST_S, "queue_ms": links.QUEUE_MS}


def spans(answers):
    """Of each sample, from the common start to the end of the last rank."""
    return [max(end for _, end in turn) - turn[0][0]
            for turn in zip(*(answer["times"] for answer in answers))]


class Measurement:
    """Cells in order, written as they are measured."""

    def __init__(self, out, wanted, samples):
        self._out, self._wanted, self._samples = out, wanted, samples
        self._file = out / "measured.jsonl"
        self._done = {json.loads(line)["name"] for line in self._lines()}
        self._setup = None

    def _lines(self):
        return self._file.read_text(encoding="utf-8").splitlines() if self._file.exists() else []

    def run(self):
        left = [cell for cell in self._wanted if cell.name() not in self._done]
        if not left:
            return
        with Cluster(max(cell.setup.ranks for cell in left)) as cluster:
            self._measure_alone(cluster)
            for number, cell in enumerate(left, 1):
                line = self._measure(cluster, cell)
                with self._file.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(line) + "\n")
                ordered = sorted(line["samples_s"])
                print(f"{number} of {len(left)}: {cell.name()}: {ordered[len(ordered) // 2]:.4f} s"
                      f" ({ordered[0]:.4f} to {ordered[-1]:.4f})", flush=True)

    def _measure_alone(self, cluster):
        path = self._out / "alone.json"
        if path.exists():
            return
        used = sorted({cell.setup.model for cell in self._wanted})
        found = {model: cluster.order(do="alone", model=model, samples=REAL_SAMPLES)[0]
                 for model in used}
        probes = [self._probe(cluster, mbit)
                  for mbit in sorted({cell.setup.mbit for cell in self._wanted})]
        small = [self._all_reduce(cluster, ranks)
                 for ranks in sorted({cell.setup.ranks for cell in self._wanted})]
        path.write_text(json.dumps({"facts": facts(), "models": found, "probes": probes,
                                    "small": small}), encoding="utf-8")

    @staticmethod
    def _all_reduce(cluster, ranks):
        """How long an all-reduce takes that is too small for its bytes to count."""
        cluster.links.shape(SMALL_MBIT)
        answers = cluster.order(do="all_reduce", ranks=ranks, words=SMALL_WORDS,
                                samples=SMALL_SAMPLES, idle_s=SMALL_IDLE_S)
        return {"ranks": ranks, "words": SMALL_WORDS, "mbit": SMALL_MBIT,
                "samples_s": spans(answers[:ranks])}

    @staticmethod
    def _probe(cluster, mbit):
        """What share of the links' rate two ranks get when they send to each other."""
        size = int(mbit * 1e6 / 8 * PROBE_S)
        cluster.links.shape(mbit)
        took = max(answer["took_s"] for answer in cluster.order(do="probe", bytes=size)[:2])
        return {"mbit": mbit, "bytes": size, "took_s": took, "efficiency": PROBE_S / took}

    def _measure(self, cluster, cell):
        setup = cell.setup
        if setup != self._setup:
            cluster.links.shape(setup.mbit)
            cluster.order(do="setup", model=setup.model, ranks=setup.ranks,
                          bucket_mib=setup.bucket_mib, slow_rank=1, slowness=setup.slowness)
            self._setup = setup
        second = setup.second_job
        if second:
            cluster.start_second_job(setup.ranks, second.payload_bytes, second.compute_s)
        samples = REAL_SAMPLES if setup.model in models.REAL else self._samples
        started = time.time()
        if cell.first:
            answers = cluster.order(do="first", samples=FIRST_SAMPLES)
        else:
            answers = cluster.order(do="measure", samples=samples, compression=cell.compression)
        turns = cluster.stop_second_job() if second else None
        line = {"name": cell.name(), **dataclasses.asdict(cell),
                "samples_s": spans(answers[:setup.ranks]),
                "took_s": time.time() - started}
        if second:
            line["second_job_turns"] = turns
        return line


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("form", choices=("short", "full"))
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--samples", type=int, default=10)
    arguments = parser.parse_args()
    lacking = links.missing() if links.INSIDE not in os.environ else ""
    if importlib.util.find_spec("torch") is None:
        lacking = "no PyTorch (package python3-torch)"
    if lacking:
        print(f"emulate.py: {lacking}", file=sys.stderr)
        return 3
    links.enter_hub()
    arguments.out.mkdir(parents=True, exist_ok=True)
    wanted = cells.full() if arguments.form == "full" else cells.short()
    Measurement(arguments.out, wanted, arguments.samples).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
