"""Writes set H: `h_set.py HKBU_CSV OUT [--rows scored|all|fitted]`.

HKBU_CSV is the table of HKBU-HPML/ddl-benchmarks, results/2020-05-29/README.md, as CSV (dnn,
network, method, gpus, samples_per_s, samples_per_s_1gpu, ...). The repository carries no licence,
so of the table only the figures that a case scores are committed: by rule those of 16 and 32 GPUs.
What is fitted is fitted to rows that no case scores. For whoever has the table, `all` scores the
rows of 8 GPUs too, and `fitted` plays the rows that were fitted to.
"""

import argparse
import csv
import pathlib

import assumptions
import validation_text
from validation_text import gbps, seconds

BATCH = 64
GPUS_PER_NODE = 4
NETWORKS = {"10GbE with TCP/IP": ("10GbE", "10Gbps"),
            "100GbE with TCP/IP": ("100GbE", "100Gbps"),
            "100GbIB with RDMA": ("100Gb IB", "100Gbps")}
METHODS = ("BSP-A2A", "WFBP-A2A", "MG-WFBP", "BSP-PS", "WFBP-PS")
OUTSIDE = 1 / 3
INTRA_LATENCY_S = 5e-6
SERVER_LATENCY_S = 100e-6


class Model:
    """`outside`: the share of an iteration on one GPU that is not its backward pass."""

    def __init__(self, trace, tensors, elements, why, outside=None):
        self.trace, self.tensors, self.bytes = trace, tensors, 4 * elements
        self.why, self.known_outside = why, outside

    @property
    def outside(self):
        return OUTSIDE if self.known_outside is None else self.known_outside


MODELS = {
    "ResNet-50": Model("../../traces/data/v100-resnet50-b32/trace.gwt", 161, 25557032,
                       "assumed: a third, one matrix product forward for two backward"),
    "BERT-Base": Model("../../traces/data/v100-bert-gradready/gradients.csv", 199, 108897794,
                       "the forward share of BERT-large on a V100, 298.7 of 841.1 ms "
                       "(trsharm25/NeuSight, scripts/asplos/label/Tesla_V100-PCIE-32GB/"
                       "bert_large-train-512-8.json at db1fdc966633, MIT); the optimiser counts "
                       "as nothing", outside=0.355),
}

SOURCE = ("Shi, Tang, Chu, Liu, Wang, Li, github.com/HKBU-HPML/ddl-benchmarks, "
          "results/2020-05-29/README.md at 30de09bc38a5: samples a second, here as the batch of 64 "
          "times the GPUs over it; PyTorch 1.4, NCCL 2.4, Horovod 0.19, BytePS 0.2, fp32. The "
          "table does not name the GPU")
CAUSE = ("furthest off are servers over TCP. ResNet-50's BSP-PS and WFBP-PS rows over 100GbE are "
         "within 1 % of those over 10GbE at every count, as if they had gone over that network (24 "
         "and 30 % too short here). One rate stands for BytePS whatever the count: over 100GbE "
         "BERT-Base gets faster with more servers, each with connections of its own (13 to 20 % "
         "too long). MG-WFBP on 32 GPUs over 10GbE takes as long as without any overlap (18 % too "
         "short for BERT-Base; with the merging of the authors' code in place of DDP's buckets it "
         "is no better). NCCL's rate over 100GbE falls with the count (8 % too short in "
         "BSP-A2A on 32)")
CALIBRATED = (
    "rates of rings and servers to BERT-Base, BSP-A2A and BSP-PS, on 8 GPUs; latencies to "
    "ResNet-50, WFBP-A2A, on 32; PCIe to ResNet-50 and BERT-Base's time outside the backward pass "
    "to BERT-Base, both BSP-A2A on 4 GPUs of one node",
)
ASSUMED = (
    "gradient-ready times have the shape of a V100's; BERT-Base is the published question "
    "answering model, 1 % smaller than the one that was trained for pre-training",
    "methods are what their code does (same repository at 565964abcd7c): BSP one merged tensor "
    "after the backward pass, WFBP a tensor at a time with Horovod's fusion switched off; DDP's "
    "buckets of 25 MiB stand for MG-WFBP's merging",
    "as many servers as nodes, on machines of their own (byteps/launch.sh there): a node sends its "
    "gradients once and is sent the sums once, at the same time, which is what the algorithm "
    "in_network moves. The four GPUs of a node are one rank; what they do among themselves is in "
    "the servers' rate",
)
SKIPPED = (
    "rows of 1 and 4 GPUs: one node",
    "rows of 8 GPUs and the three of ResNet-50, WFBP-A2A, on 32: they or their like were fitted "
    "to. tests/published scores those of 8 that were not, where the table is",
    "ByteScheduler: it sends across iterations, which is not modelled",
    "BERT-Large: no gradient-ready times of it are known",
)


class Table:
    """Times of an iteration in seconds, by (model, network, method, GPUs)."""

    def __init__(self, path):
        self.times, self.alone = {}, {}
        with open(path, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                key = row["dnn"], NETWORKS[row["network"]][0], row["method"], int(row["gpus"])
                self.times[key] = BATCH * key[3] / float(row["samples_per_s"])
                self.alone[row["dnn"]] = BATCH / float(row["samples_per_s_1gpu"])

    def longer(self, model, network, method, gpus):
        """By how much an iteration is longer than on one GPU."""
        return self.times[model, network, method, gpus] - self.alone[model]

    def longer_on_one_node(self, model):
        networks = [short for short, _ in NETWORKS.values()]
        return sum(self.longer(model, one, "BSP-A2A", GPUS_PER_NODE) for one in networks) / len(networks)


class Fit:
    """Closed forms of a ring and of servers, solved for what the fitted rows leave open."""

    def __init__(self, table):
        self.table = table
        # A ring of 4 sends 1.5 times the gradients.
        self.intra = 1.5 * MODELS["ResNet-50"].bytes / table.longer_on_one_node("ResNet-50")
        ring_of_4 = 1.5 * MODELS["BERT-Base"].bytes / self.intra
        self.extra = {"ResNet-50": 0.0,
                      "BERT-Base": table.longer_on_one_node("BERT-Base") - ring_of_4}
        self.rings, self.latencies, self.servers = {}, {}, {}
        for network, _ in NETWORKS.values():
            self.rings[network] = 1.75 * self.bert_rate(network, "BSP-A2A")
            self.servers[network] = self.bert_rate(network, "BSP-PS")
            self.latencies[network] = self.latency(network)

    def bert_rate(self, network, method):
        """Gradients over the time that they take."""
        sending = self.table.longer("BERT-Base", network, method, 8) - self.extra["BERT-Base"]
        return MODELS["BERT-Base"].bytes / sending

    def outside(self, model):
        return MODELS[model].outside * self.table.alone[model] + self.extra[model]

    def latency(self, network):
        """161 all-reduces of 2 x 31 rounds, one behind the other from the first gradient on."""
        model = MODELS["ResNet-50"]
        busy = self.table.times["ResNet-50", network, "WFBP-A2A", 32] - self.outside("ResNet-50")
        return (busy - 62 / 32 * model.bytes / self.rings[network]) / (model.tensors * 62)


def network_fields(fit):
    for short, _ in NETWORKS.values():
        yield [("name", f"{short} rings"),
               ("latency", seconds(fit.latencies[short])),
               ("latency_source", "fitted, Horovod's negotiation included"),
               ("host_cap", gbps(fit.rings[short])), ("host_cap_source", "fitted"),
               ("intra_bandwidth", gbps(fit.intra)), ("intra_latency", seconds(INTRA_LATENCY_S)),
               ("intra_source", "fitted (PCIe); the latency is assumed")]
        yield [("name", f"{short} servers"),
               ("latency", seconds(SERVER_LATENCY_S)),
               ("latency_source", "assumed: through BytePS's threads and sockets and back"),
               ("host_cap", gbps(fit.servers[short])),
               ("host_cap_source", "fitted: reduction inside the node, copies, push and pull of "
                                    "BytePS's parts of 4 MB as one pipeline")]


def workload_fields(table, fit):
    for name, model in MODELS.items():
        why = model.why
        if fit.extra[name] > 0:
            why += (f"; and {fit.extra[name] * 1e3:.1f} ms, fitted, by which 4 GPUs of one node "
                    "take longer than one GPU and the ring. Why is not known; AdamW's launches, "
                    "which one GPU alone hides behind its backward pass, would do that")
        yield [("name", name), ("trace", model.trace),
               ("alone", seconds(table.alone[name] * (1 - model.outside))),
               ("alone_source", "the table's iteration on one GPU less what is outside the pass"),
               ("outside", seconds(fit.outside(name))), ("outside_source", why)]


def is_fitted(model, method, gpus):
    if method == "WFBP-A2A":
        return model == "ResNet-50" and gpus == 32
    return model == "BERT-Base" and method in ("BSP-A2A", "BSP-PS") and gpus == 8


def is_wanted(rows, model, method, gpus):
    if method not in METHODS or gpus == GPUS_PER_NODE:
        return False
    if is_fitted(model, method, gpus) or rows == "fitted":
        return is_fitted(model, method, gpus) and rows == "fitted"
    return gpus > 8 or rows == "all"


def case_fields(key, measured):
    model, network, method, gpus = key
    fields = [("name", " ".join(map(str, key))), ("workload", model)]
    if method.endswith("-PS"):
        fields += [("ranks", gpus // GPUS_PER_NODE), ("network", f"{network} servers"),
                   ("all_reduce", "in_network")]
    else:
        fields += [("ranks", gpus), ("gpus_per_node", GPUS_PER_NODE),
                   ("network", f"{network} rings")]
    fields.append(("bandwidth", dict(NETWORKS.values())[network]))
    if method.startswith("BSP"):
        fields.append(("first_bucket", "1GiB"))
    elif method.startswith("WFBP"):
        fields += [("first_bucket", "1B"), ("bucket_cap", "1B")]
    return fields + [("measured", seconds(measured))]


def text(table_path, rows="scored"):
    table = Table(table_path)
    fit = Fit(table)
    return validation_text.set_text(
        ["Published runs on 16 and 32 GPUs: set H. Written by tests/published/h_set.py."],
        [("name", "H"),
         ("description", "whole iterations on 16 and 32 GPUs, 4 a node: Horovod's rings over NCCL "
                         "and BytePS's servers, over 10GbE, 100GbE and 100 Gb InfiniBand"),
         ("source", SOURCE), ("scores", "iteration"), ("aim", [("median", 0.08), ("p90", 0.2)]),
         ("likely_cause", CAUSE), *assumptions.slowdown_fields(), ("calibrated", CALIBRATED), ("assumed", ASSUMED),
         ("skipped", SKIPPED), ("network", list(network_fields(fit))),
         ("workload", list(workload_fields(table, fit))),
         ("case", [case_fields(key, measured) for key, measured in table.times.items()
                   if is_wanted(rows, key[0], key[2], key[3])])])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--rows", choices=("scored", "all", "fitted"), default="scored")
    options = parser.parse_args()
    options.out.write_text(text(options.table, options.rows), encoding="utf-8")


if __name__ == "__main__":
    main()
