#!/usr/bin/env python3
"""Writes set N from outputs of nccl-tests: `make_set.py GRADWIRE OUTPUTS SET [--all]`.

OUTPUTS is a folder with the files that the sources below name. Fitted rows are never cases. SET
gets QUOTED_MIB of the sources without a licence and every size from LEAST_MIB to MOST_MIB of the
others; with --all of all of them, which is for a look and not for publication.
"""

import json
import pathlib
import sys

import networks
from outputs import MIB, Outputs, nearest_mib

# DDP's first bucket is 1 MiB or more; 1 GiB are the gradients of 268 million float32 parameters.
LEAST_MIB, MOST_MIB = 1, 1024
# Every second size, those next to what the DDP of set T sends among them: a first bucket of 8.2 MB
# and others of 26 to 31 MB.
QUOTED_MIB = (2, 8, 32, 128, 512)

NVLINK = {"A100": ("1920Gbps", "12 NVLinks of 20 GB/s each, as NCCL counts them (src/graph/topo.h)"),
          "hopper": ("2966.4Gbps", "18 NVLinks of 20.6 GB/s each, as NCCL counts them (src/graph/topo.h)")}
POLARIS_SETTINGS = {1: "NCCL's default, TCP sockets", 2: "TCP sockets, NCCL_CROSS_NIC",
                    3: "libfabric (AWS OFI plug-in)", 4: "libfabric, FI_CXI tuned",
                    5: "libfabric, tuned for all-to-all"}
POLARIS_RUNS = {"2_18": {2: "n2.g4.2024-04-29-18-41-24", 8: "n8.g4.2024-04-29-18-14-00"},
                "2_21": {2: "n2.g4.2024-04-29-19-08-14"}}
POLARIS = "github.com/argonne-lcf/alcf-nccl-tests, commit 385be33604cc, results_polaris/"
ALPS = ("github.com/boeschf/nccl-benchmark-on-alps-2025, commit 897cff446b5e, "
        "results/nccl-tests_nccl-2.23.4-1-aws-1.13.0-v0/")
H100 = ("github.com/xxrjun/nccl-tests-cluster (MIT), commit 455de4f8dee2, benchmarks/"
        "example-cluster01/nccl-benchmark-results/multi-node/runs/20260129-180219/without-debug/logs/")


def quoted(text):
    return json.dumps(text)


def network_text(name, source, lines, intra, generation, intra_latency=None):
    text = f"collective_network {{\n  name: {quoted(name)}\n  source: {quoted(source)}\n"
    text += f"  intra_bandwidth: {quoted(intra[0])}\n"
    told = intra[1]
    if intra_latency:
        text += f"  intra_latency: {quoted(intra_latency[0])}\n"
        told += "; latency: " + intra_latency[1]
    text += f"  intra_source: {quoted(told)}\n  gpu_generation: {quoted(generation)}\n"
    for line in lines:
        fields = "" if line.algorithm == "ring" else f'algorithm: "{line.algorithm}" '
        if line.first_message:
            fields += f'from: "{line.first_message}B" '
        fields += f'latency: "{line.latency_s * 1e6:.4g}us"'
        if line.bytes_per_s:
            fields += f' bandwidth: "{line.bytes_per_s * 8e-9:.5g}Gbps"'
        text += f"  line {{ {fields} }}\n"
    return text + "}\n"


class SetWriter:
    """Collects networks and cases."""

    def __init__(self, outputs, every_row):
        self.outputs, self.every_row = outputs, every_row
        self.networks, self.cases = [], []

    def add_cases(self, network, file, collective, ranks, gpus, nics, source, may_publish):
        for size, seconds in sorted(self.outputs.points(file, gpus, ranks, collective).items()):
            mib = nearest_mib(size)
            if not LEAST_MIB <= size / MIB * 1.001 or mib > MOST_MIB:
                continue
            if mib not in QUOTED_MIB and not (may_publish or self.every_row):
                continue
            name = f"{network}, {collective}, {ranks} ranks, {mib} MiB"
            self.cases.append(
                f"collective {{\n  name: {quoted(name)}\n  network: {quoted(network)}\n"
                f'  collective: "{collective}" size: "{size}B" ranks: {ranks} gpus_per_node: {gpus}'
                f' nics: {nics}\n  measured: "{seconds * 1e6:.6g}us"\n  source: {quoted(source)}\n}}\n')

    def polaris(self, version, setting):
        """Rings by the all-gathers of two nodes, trees by those of its all-reduces that are too
        fast for rings."""
        def file(nodes, collective):
            return f"polaris-nccl{version}-n{nodes}-{collective}-set{setting}.txt"

        def place(nodes, collective):
            return (f"{POLARIS}nccl_{version}/{POLARIS_RUNS[version][nodes]}/"
                    f"{collective}_output.dat.{setting}")

        name = f"Polaris, NCCL {version.replace('_', '.')}, setting {setting}"
        later = 8 in POLARIS_RUNS[version]
        lines = networks.ring_lines(self.outputs.fit(file(2, "all_gather"), 4, 8, "all_gather"),
                                    LEAST_MIB * MIB // 4)
        source = (f"Argonne's Polaris, {POLARIS_SETTINGS[setting]}: ring by gradwire calibrate on the "
                  "all-gathers of 8 ranks on 2 nodes")
        if later:
            points = self.outputs.points(file(2, "all_reduce"), 4, 8, "all_reduce")
            sizes = networks.first_without_ring(points, lines, 8, LEAST_MIB * MIB)
            if len(sizes) > 1:
                form = networks.TreeForm(self.outputs, 4, NVLINK["A100"][0])
                tree = networks.tree_line(form, [(8, size, points[size]) for size in sizes])
                if tree:
                    lines.append(tree)
                    source += (f"; double tree by their all-reduces of {LEAST_MIB} to "
                               f"{nearest_mib(sizes[-1])} MiB, which are too fast for that ring")
        self.networks.append(network_text(name, source, lines, NVLINK["A100"], "ampere"))
        for collective in ("all_reduce", "all_gather") if later else ("all_reduce",):
            nodes = 8 if later else 2
            self.add_cases(name, file(nodes, collective), collective, 4 * nodes, 4, 1,
                           place(nodes, collective), False)

    def alps(self):
        """Trees by 2 to 8 MiB of two and four nodes, rings by what four nodes take from 16 MiB on,
        where the time jumps."""
        def file(ranks):
            return f"alps-gh200-n{ranks}-allreduce.csv"

        name = "Alps, NCCL 2.23"
        lines = networks.ring_lines(self.outputs.fit(file(16), 4, 16, "all_reduce"), 16 * MIB)
        form = networks.TreeForm(self.outputs, 4, NVLINK["hopper"][0])
        lines.append(networks.tree_line(form, [
            (ranks, mib * MIB, self.outputs.points(file(ranks), 4, ranks, "all_reduce")[mib * MIB])
            for ranks in (8, 16) for mib in (2, 4, 8)]))
        self.networks.append(network_text(
            name, "CSCS Alps, 4 GH200 and 4 Slingshot NICs a node, which count as one: double tree by "
            "the all-reduces of 2 to 8 MiB on 8 and 16 ranks, ring by gradwire calibrate on those of "
            "16 ranks from 16 MiB on, where their time jumps fourfold", lines, NVLINK["hopper"], "hopper"))
        for ranks in (32, 64, 128, 256):
            source = f"{ALPS}job-n-{ranks:05}-N-{ranks // 4:04}.csv"
            self.add_cases(name, file(ranks), "all_reduce", ranks, 4, 1, source, False)

    def h100(self):
        """Rings by one GPU and NIC a node; several GPUs have a NIC each."""
        name = "H100"
        lines = networks.ring_lines(self.outputs.fit("h100-ib-n10-g1.txt", 1, 10, "all_reduce"), 0)
        self.networks.append(network_text(
            name, "10 nodes of H100, a NIC a GPU (of which kind is not told): ring by gradwire "
            "calibrate on the all-reduces of one GPU a node (nccl_N10_G1.log)", lines, NVLINK["hopper"],
            "hopper", ("3.4us", "of a ring's step over NVLink, protocol Simple (src/graph/tuning.cc of "
                       "NVIDIA/nccl at b6475625)")))
        for gpus in (2, 8):
            for collective in ("all_reduce", "all_gather", "reduce_scatter"):
                self.add_cases(name, f"h100-ib-n10-g{gpus}.txt", collective, 10 * gpus, gpus, gpus,
                               f"{H100}nccl_N10_G{gpus}.log", True)


def set_text(outputs, every_row, heading):
    writer = SetWriter(outputs, every_row)
    for setting in POLARIS_SETTINGS:
        writer.polaris("2_18", setting)
    for setting in (1, 4, 5):
        writer.polaris("2_21", setting)
    writer.alps()
    writer.h100()
    return heading + "".join(writer.networks) + "".join(writer.cases)


def heading():
    return (pathlib.Path(__file__).parent / "heading.txtpb").read_text(encoding="utf-8")


def main():
    gradwire, folder, target = map(pathlib.Path, sys.argv[1:4])
    text = set_text(Outputs(gradwire.resolve(), folder), "--all" in sys.argv[4:], heading())
    target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
