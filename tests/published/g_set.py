"""Writes set G: `g_set.py GRACE_CSV GRADIENTS_JSON OUT [--batch N] [--rows scored|fitted]`.

GRACE_CSV is the table of ResNet-50 of sands-lab/grace-data as CSV, GRADIENTS_JSON the sizes of its
gradients in ready order. grace-data carries no licence, so of the table only the figures that a
case scores are committed: by rule those of every scheme that gradwire knows with a run of two
workers, on 4 and 8 workers. What is fitted is fitted to the runs of one and two workers; `fitted`
plays those of two, for whoever has the table.
"""

import argparse
import csv
import json
import pathlib

import assumptions
import validation_text
from validation_text import gbps, seconds

BATCH = 128
ELEMENTS = 25557032
TENSORS = 161
FUSION_MIB = 64
# 1500-byte frames, gaps and preambles counted.
PAYLOAD_BYTES, WIRE_BYTES = 1448, 1538
OUTSIDE = 1 / 3
LATENCY_S = 50e-6
DEVICE_BYTES_PER_S = 800e9
LINKS = {"10g": ("10Gbps", 10e9), "1g": ("1Gbps", 1e9)}


class Scheme:
    """`message`: bytes that a worker sends. `moved`: bytes of its device's memory that decoding one
    message takes, by GRACE's operations on TensorFlow's tensors."""

    def __init__(self, spelling, message, moved=0, gathered=True):
        self.spelling, self.message, self.moved, self.gathered = spelling, message, moved, gathered

    def sent(self, workers):
        """By one worker, around a ring."""
        if self.gathered:
            return self.message * (workers - 1)
        return 2 * self.message * (workers - 1) / workers


# A byte an element and a norm a tensor.
BYTES = f"qsgd:bits=8,bucket={ELEMENTS // TENSORS + 1}"
# By GRACE's method, ratio and memory. Decoding a byte of signs: to float (5), times 2 (8), less 1
# (8), sum (8); of levels: to float (5), times norm (8), sum (8); Top-K: zeros (4), sum (12).
SCHEMES = {
    ("none", "n/a", "n/a"): Scheme("none", 4 * ELEMENTS, gathered=False),
    ("randomk", "0.01", "true"): Scheme("randomk:fraction=0.01", 4 * ELEMENTS // 100, gathered=False),
    ("topk", "0.01", "true"): Scheme("topk:fraction=0.01,index_bytes=4", 8 * ELEMENTS // 100, 16 * ELEMENTS),
    ("signsgd", "n/a", "false"): Scheme(BYTES, ELEMENTS, 29 * ELEMENTS),
    ("efsignsgd", "n/a", "true"): Scheme(BYTES, ELEMENTS, 29 * ELEMENTS),
    ("qsgd", "n/a", "false"): Scheme(BYTES, ELEMENTS, 21 * ELEMENTS),
}
NONE = "none", "n/a", "n/a"

SOURCE = ("Xu, Ho, Abdelmoniem, Dutta, Bergou, Karatsenidis, Canini, Kalnis (ICDCS 2021), "
          "github.com/sands-lab/grace-data, GRACE_data_release.pickle at 41915bbd5009, "
          "imagenet-classification, mode throughput: images a second, here as a batch of {} times "
          "the workers over it; V100, TensorFlow, Horovod over OpenMPI or NCCL")
CAUSE = ("what a message costs the processor in OpenMPI: all-gathers of a byte an element on 8 "
         "workers are up to 8 % too long at the rate of the all-reduces, Top-K with its small "
         "messages 9 % too short. What is left of an uncompressed run's gradients stands behind "
         "the backward pass here, where Horovod sends whatever is ready every few milliseconds (6 "
         "% too long over NCCL on 8 workers)")
CALIBRATED = (
    "the backward pass to the run of one worker; the software's rate over OpenMPI and over NCCL to "
    "the uncompressed runs of two workers at 10 Gbit/s; every scheme's cost to its own run of two "
    "workers at 10 Gbit/s, of which decoding is counted in bytes and the rest is encoding",
)


def assumed(batch):
    return (
        f"a batch of {batch} images a worker, which the table does not tell. Below 107 the "
        "uncompressed run on 8 workers at 1 Gbit/s would be faster than the link; with 64 "
        "(and without the four runs that cannot be then) the median error is 3.7 %, with 256 it is "
        "2.6 %, and uncompressed and qsgd at 1 Gbit/s come out 45 to 48 % too short",
        "what a scheme sends is read in GRACE's code for TensorFlow (sands-lab/grace at "
        "0bd31c5590f1): a sign of signsgd and efsignsgd is a bool of a byte, as is a level of qsgd "
        "with 64, so that all three are played as qsgd:bits=8; compressed after the backward pass",
        "Horovod fuses up to 64 MiB, its documented default; with 32 the run of two workers over "
        "NCCL would have sent more than its link carries",
    )


SKIPPED = (
    "powersgd: GRACE's matrices are a kernel's height by all the rest of it (TensorFlow's layout), "
    "so kernels of 1 x 1 are not compressed; that is another scheme than gradwire's",
    "schemes that gradwire does not know, settings without a run of two workers, and mode "
    "upper-bound, which is not documented",
    "CIFAR-10 and PTB: no gradient-ready times of these models on a V100 are known",
)


class Table:
    """Images a second by (backend, scheme, link, workers)."""

    def __init__(self, path):
        self.images = {}
        with open(path, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                scheme = row["method"], row["ratio"], row["memory"]
                if row["mode"] != "throughput" or scheme not in SCHEMES:
                    continue
                if row["method"] == "qsgd" and row["name"] != "qsgd_q=64":
                    continue
                key = row["backend"], scheme, row["bw"], int(row["workers"])
                self.images[key] = float(row["throughput"])


class Fit:
    """What the runs of one and two workers leave open."""

    def __init__(self, table, gradients, batch):
        self.table, self.batch = table, batch
        self.alone = self.time("mpi", NONE, "10g", 1)
        sizes = [4 * one["elems"] for one in gradients["tensors"]]
        filled = 0
        while filled < FUSION_MIB * 2**20:
            filled += sizes.pop(0)
        # The first bucket slows the backward pass beside it. The last one is ready at the end of
        # the pass and goes then, since the first one has gone before.
        bound = sum(sizes) + filled * (1 - 1 / assumptions.SLOWDOWN)
        self.rates = {
            backend: bound / (self.time(backend, NONE, "10g", 2) - self.alone - 2 * LATENCY_S)
            for backend in ("mpi", "nccl")}

    def time(self, backend, scheme, link, workers):
        return self.batch * workers / self.table.images[backend, scheme, link, workers]

    def costs(self, backend, scheme, workers):
        """(encode, decode) in seconds."""
        played = SCHEMES[scheme]
        rounds = 1 if played.gathered else 2
        sending = played.sent(2) / self.rates[backend] + rounds * LATENCY_S
        both = self.time(backend, scheme, "10g", 2) - self.alone - sending
        decode = played.moved / DEVICE_BYTES_PER_S
        return both - 2 * decode, workers * decode

    def is_faster_than_the_link(self, key):
        _, scheme, link, workers = key
        return SCHEMES[scheme].sent(workers) * 8 / LINKS[link][1] > self.time(*key)


def name_of(key):
    backend, scheme, link, workers = key
    return f"{scheme[0]} {backend} {LINKS[link][0]} {workers}"


def case_fields(fit, key):
    backend, scheme, link, workers = key
    fields = [("name", name_of(key)), ("workload", "ResNet-50"), ("ranks", workers),
              ("network", backend), ("bandwidth", LINKS[link][0]),
              ("first_bucket", f"{FUSION_MIB}MiB"), ("bucket_cap", f"{FUSION_MIB}MiB")]
    if scheme != NONE:
        encode, decode = fit.costs(backend, scheme, workers)
        fields += [("compressor", SCHEMES[scheme].spelling),
                   ("encode", seconds(encode)), ("decode", seconds(decode)),
                   ("cost_source", "fitted to the run of two workers; decoding: the bytes of every "
                                   "message's operations at 800 GB/s, assumed")]
    return fields + [("measured", seconds(fit.time(*key)))]


def network_fields(fit):
    for backend in ("mpi", "nccl"):
        yield [("name", backend), ("latency", seconds(LATENCY_S)),
               ("latency_source", "assumed: TCP between two hosts, software included"),
               ("payload_efficiency", round(PAYLOAD_BYTES / WIRE_BYTES, 4)),
               ("payload_efficiency_source", f"TCP's payload in frames of 1500 bytes: "
                                             f"{PAYLOAD_BYTES} of {WIRE_BYTES} bytes on the wire"),
               ("host_cap", gbps(fit.rates[backend])), ("host_cap_source", "fitted")]


def text(table_path, gradients_path, batch=BATCH, rows="scored"):
    gradients = json.loads(pathlib.Path(gradients_path).read_text(encoding="utf-8"))
    fit = Fit(Table(table_path), gradients, batch)
    known = [key for key in sorted(fit.table.images) if (*key[:2], "10g", 2) in fit.table.images]
    wanted = [key for key in known if (key[3] == 2 if rows == "fitted" else key[3] > 2)]
    faster = [key for key in wanted if fit.is_faster_than_the_link(key)]
    skipped = SKIPPED
    if faster:
        skipped += (f"{', '.join(map(name_of, faster))}: at a batch of {batch} the published time "
                    "is shorter than the link needs for the bytes",)
    return validation_text.set_text(
        ["Published runs with compressors: set G. Written by tests/published/g_set.py."],
        [("name", "G"),
         ("description", "whole iterations of ResNet-50 with GRACE's compressors on 4 and 8 V100, "
                         "one a node, over 10 and 1 Gbit/s"),
         ("source", SOURCE.format(batch)), ("scores", "iteration"),
         ("aim", [("median", 0.08), ("p90", 0.2)]), ("likely_cause", CAUSE), *assumptions.slowdown_fields(),
         ("calibrated", CALIBRATED), ("assumed", assumed(batch)), ("skipped", skipped),
         ("network", list(network_fields(fit))),
         ("workload", [("name", "ResNet-50"),
                       ("trace", "../../traces/data/v100-resnet50-b32/trace.gwt"),
                       ("alone", seconds(fit.alone * (1 - OUTSIDE))),
                       ("alone_source", "the run of one worker less what is outside the pass"),
                       ("outside", seconds(fit.alone * OUTSIDE)),
                       ("outside_source", "assumed: a third of the run of one worker, one matrix "
                                          "product forward for two backward")]),
         ("case", [case_fields(fit, key) for key in wanted if key not in faster])])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table")
    parser.add_argument("gradients")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--batch", type=int, default=BATCH)
    parser.add_argument("--rows", choices=("scored", "fitted"), default="scored")
    options = parser.parse_args()
    made = text(options.table, options.gradients, options.batch, options.rows)
    options.out.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
