"""Writes set H: `h_set.py HKBU_CSV OUT [--all]`.

HKBU_CSV is the table of HKBU-HPML/ddl-benchmarks, results/2020-05-29/README.md, as CSV (dnn, network,
method, gpus, samples_per_s, samples_per_s_1gpu, ...). The repository carries no licence, so of the
table only the figures that a case scores are written: by rule the rows of 16 and 32 GPUs. `--all`
scores the rows of 8 GPUs too, for whoever has the table. Everything that is fitted here is fitted to
rows that no case scores.
"""

import csv
import pathlib
import sys

import validation_text

BATCH = 64
GPUS_PER_NODE = 4
NETWORKS = {"10GbE with TCP/IP": ("10GbE", "10Gbps"), "100GbE with TCP/IP": ("100GbE", "100Gbps"),
            "100GbIB with RDMA": ("100Gb IB", "100Gbps")}
METHODS = ("BSP-A2A", "WFBP-A2A", "MG-WFBP", "BSP-PS", "WFBP-PS")
# Gradients and the share of an iteration that is not backward.
MODELS = {
    "ResNet-50": {"trace": "../../traces/data/v100-resnet50-b32/trace.gwt", "tensors": 161, "bytes": 4 * 25557032,
                  "outside": 1 / 3, "why": "assumed: a third, one matrix product forward for two backward"},
    "BERT-Base": {"trace": "../../traces/data/v100-bert-gradready/gradients.csv", "tensors": 199, "bytes": 4 * 108897794,
                  "outside": 0.355, "why": "the forward share of BERT-large on a V100, 83.0 of 234.3 ms (NeuSight, ASPLOS 2025, "
                                           "trsharm25/NeuSight at db1fdc966633, MIT); the optimiser counts as nothing"},
}
# Of a push and a pull through BytePS's threads.
SERVER_LATENCY_S = 100e-6
INTRA_LATENCY_S = 5e-6


class Table:
    """Times of an iteration in seconds."""

    def __init__(self, path):
        self.times, self.alone, self.table_names = {}, {}, {}
        with open(path, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                network = NETWORKS[row["network"]][0]
                self.times[row["dnn"], network, row["method"], int(row["gpus"])] = (
                    BATCH * int(row["gpus"]) / float(row["samples_per_s"]))
                self.alone[row["dnn"]] = BATCH / float(row["samples_per_s_1gpu"])

    def exposed(self, model, network, method, gpus):
        """What an iteration takes longer than on one GPU."""
        return self.times[model, network, method, gpus] - self.alone[model]


class Fit:
    """What is fitted, by closed forms of a ring and of servers; each figure to rows that are not scored."""

    def __init__(self, table):
        self.table = table
        names = [short for short, _ in NETWORKS.values()]
        # One node: a ring of 4 sends 1.5 times the gradients over PCIe.
        one_node = sum(table.exposed("ResNet-50", name, "BSP-A2A", 4) for name in names) / len(names)
        self.intra = 1.5 * MODELS["ResNet-50"]["bytes"] / one_node
        bert = sum(table.exposed("BERT-Base", name, "BSP-A2A", 4) for name in names) / len(names)
        self.extra = {"ResNet-50": 0.0, "BERT-Base": bert - 1.5 * MODELS["BERT-Base"]["bytes"] / self.intra}
        self.ring = {name: self.ring_rate(name) for name in names}
        self.latency = {name: self.ring_latency(name) for name in names}
        self.servers = {name: MODELS["BERT-Base"]["bytes"] / self.communicating("BERT-Base", name, "BSP-PS", 8) for name in names}

    def communicating(self, model, network, method, gpus):
        return self.table.exposed(model, network, method, gpus) - self.extra[model]

    def ring_rate(self, network):
        return 1.75 * MODELS["BERT-Base"]["bytes"] / self.communicating("BERT-Base", network, "BSP-A2A", 8)

    def outside(self, model):
        return MODELS[model]["outside"] * self.table.alone[model] + self.extra[model]

    def ring_latency(self, network):
        """161 all-reduces of 2 x 31 rounds, one behind the other from the first gradient on."""
        model = MODELS["ResNet-50"]
        busy = self.table.times["ResNet-50", network, "WFBP-A2A", 32] - self.outside("ResNet-50")
        return (busy - 62 / 32 * model["bytes"] / self.ring[network]) / (model["tensors"] * 62)


def gbps(bytes_per_s):
    return f"{bytes_per_s * 8e-9:.4g}Gbps"


def networks(fit):
    for short, _ in NETWORKS.values():
        yield [("name", f"{short} rings"),
               ("latency", validation_text.seconds(fit.latency[short])),
               ("latency_source", "fitted, Horovod's negotiation included: ResNet-50, WFBP-A2A, 32 GPUs, whose 161 all-reduces of 62 rounds follow each other"),
               ("host_rate", gbps(fit.ring[short])),
               ("host_rate_source", "fitted: BERT-Base, BSP-A2A, 8 GPUs"),
               ("intra_bandwidth", gbps(fit.intra)),
               ("intra_latency", validation_text.seconds(INTRA_LATENCY_S)),
               ("intra_source", "fitted: ResNet-50, BSP-A2A, 4 GPUs of one node (PCIe 3.0); the latency is assumed")]
        yield [("name", f"{short} servers"),
               ("latency", validation_text.seconds(SERVER_LATENCY_S)),
               ("latency_source", "assumed: a push and a pull through BytePS's threads and sockets"),
               ("host_rate", gbps(fit.servers[short])),
               ("host_rate_source", "fitted: BERT-Base, BSP-PS, 8 GPUs; local reduction, copies, push and pull of BytePS's 4 MB parts as one pipeline")]


def workloads(table, fit):
    for name, model in MODELS.items():
        extra = fit.extra[name]
        why = model["why"]
        if extra > 0:
            why += (f"; and {extra * 1e3:.1f} ms by which BSP-A2A on 4 GPUs of one node takes longer than one GPU and the ring together (fitted, not "
                    "scored): AdamW's launches, which a GPU alone hides behind its backward pass, would do that")
        yield [("name", name), ("trace", model["trace"]),
               ("alone", validation_text.seconds(table.alone[name] * (1 - model["outside"]))),
               ("alone_source", "the table's time of an iteration on one GPU less what is outside the backward pass"),
               ("outside", validation_text.seconds(fit.outside(name))), ("outside_source", why)]


def is_fitted(model, method, gpus):
    return (model == "BERT-Base" and method.startswith("BSP") and gpus == 8) or (
        model == "ResNet-50" and method == "WFBP-A2A" and gpus == 32)


def cases(table, counts):
    rates = dict(NETWORKS.values())
    for (model, network, method, gpus), measured in table.times.items():
        if gpus not in counts or method not in METHODS or is_fitted(model, method, gpus):
            continue
        fields = [("name", f"{model} {network} {method} {gpus}"), ("workload", model)]
        if method.endswith("-PS"):
            fields += [("ranks", gpus // GPUS_PER_NODE), ("network", f"{network} servers"), ("all_reduce", "in_network")]
        else:
            fields += [("ranks", gpus), ("gpus_per_node", GPUS_PER_NODE), ("network", f"{network} rings")]
        if method.startswith("BSP"):
            fields += [("first_bucket", "1GiB")]
        elif method.startswith("WFBP"):
            fields += [("first_bucket", "1B"), ("bucket_cap", "1B")]
        yield fields + [("bandwidth", rates[network]), ("measured", validation_text.seconds(measured))]


def write_set(table_path, out, counts, cause):
    table = Table(table_path)
    fit = Fit(table)
    fields = [
        ("name", "H"),
        ("description", "whole iterations on 16 and 32 GPUs, 4 a node: Horovod's rings over NCCL and BytePS's servers, over 10GbE, 100GbE and 100 Gb InfiniBand"),
        ("source", "Shi, Tang, Chu, Liu, Wang, Li, https://github.com/HKBU-HPML/ddl-benchmarks, results/2020-05-29/README.md at 30de09bc38a5: samples a second, "
                   "here as batch (64) times GPUs over it; PyTorch 1.4, NCCL 2.4, Horovod 0.19, BytePS 0.2, fp32. The GPU is not named with the table; the gradient-ready shapes are those of a V100"),
        ("scores", "iteration"),
        ("aim", [("median", 0.08), ("p90", 0.2)]),
        ("likely_cause", cause),
        ("calibrated", [
            "rates of rings and servers to BERT-Base BSP-A2A and BSP-PS on 8 GPUs, latencies to ResNet-50 WFBP-A2A on 32, PCIe and BERT's time outside the backward pass to BSP-A2A on 4",
            "nothing else; the methods are modelled by what their code does (same repository, at 565964abcd7c): BSP one merged tensor after the backward pass, WFBP a tensor at a time without fusion, MG-WFBP merged tensors, for which DDP's "
            "buckets of 25 MiB stand. Servers: as many as nodes, on machines of their own (byteps/launch.sh), so that a node sends its gradients once and is sent the sums once, which is what the algorithm in_network moves; the four GPUs of a node are one rank",
        ]),
        ("skipped", [
            "rows of 1 and 4 GPUs: one node",
            "ByteScheduler: it sends across iterations, which is not modelled; its A2A rows spread by up to a tenth",
            "BERT-Large: no gradient-ready times of it are known",
            "rows that were fitted to, and but for a run of tests/published beside the table those of 8 GPUs",
        ]),
        ("network", list(networks(fit))),
        ("workload", list(workloads(table, fit))),
        ("case", list(cases(table, counts))),
    ]
    text = validation_text.set_text(["Published runs of 8 to 32 GPUs: set H. Written by tests/published/h_set.py."], fields)
    pathlib.Path(out).write_text(text, encoding="utf-8")


CAUSE = "TODO"


def main():
    arguments = [word for word in sys.argv[1:] if word != "--all"]
    write_set(arguments[0], arguments[1], (8, 16, 32) if "--all" in sys.argv else (16, 32), CAUSE)


if __name__ == "__main__":
    main()
