"""Writes what was measured as validation sets: `sets.py MEASURED OUT [CAUSES]`.

MEASURED is emulate.py's folder. OUT gets one set for each kind of load that was measured, the
models' gradient lists and e2-samples.csv with every sample; `gradwire validate OUT` scores them.
CAUSES is JSON, set name -> why its predictions miss, by whoever looked. A `remark` among the facts
of MEASURED/alone.json, written by hand, joins the source of every set.
"""

import csv
import json
import pathlib
import statistics
import sys

import models

MIB = 2**20

# Gloo's costs, in CPU nanoseconds a byte, as in e-cubic.txtpb, where each has its source.
GLOO_COSTS = (
    ("copy_in", 0.085, "median of 6 to 12 runs by CPU time (getrusage), PyTorch 1.13.1 of Debian 12, 2 Xeon cores, December 2026"),
    ("copy_out", 0.074, "as copy_in"),
    ("wire", 1.0, "CPU time (getrusage) of ranks of DDP over such links: 0.95 s while 654 MB were sent, less copies and additions"),
    ("reduce", 0.1, "assumed: the addition of two buffers in cache, as the copies beside it"),
)

SPELLINGS = {"powersgd": "powersgd:rank={},min_compression_rate=0", "signsgd": "signsgd",
             "topk": "topk:fraction={},index_bytes=4"}

AIM = "aim { median: 0.015 p90: 0.05 baseline_share: 0.5 verdict_accuracy: 0.95 }\n"


def seconds(value):
    return f"{value:.6g}s"


def quoted(text):
    return json.dumps(text)


class Measured:
    """What emulate.py left: cells, the models without communication, the facts of the machine."""

    def __init__(self, folder):
        lines = (folder / "measured.jsonl").read_text(encoding="utf-8").splitlines()
        self.cells = [json.loads(line) for line in lines]
        alone = json.loads((folder / "alone.json").read_text(encoding="utf-8"))
        self.facts, self.models = alone["facts"], alone["models"]
        self.probes, self.small = alone["probes"], alone["small"]

    def source(self):
        facts = self.facts
        return (f"tests/emulated on {facts['date']}: PyTorch {facts['torch']} with Gloo, network "
                "namespaces and veth on one bridge, each link shaped both ways by tc tbf (burst "
                f"{facts['burst_s'] * 1e3:g} ms, queue {facts['queue_ms']} ms), TCP with "
                f"{facts['congestion_control'].upper()}; {facts['cores']} cores of "
                f"{facts['processor']}, Linux {facts['kernel']}; from a common start to the moment "
                "at which the last rank has all gradients, after 3 iterations of warm-up"
                + facts.get("remark", ""))

    def payload_efficiency(self):
        return statistics.median(probe["efficiency"] for probe in self.probes)

    def efficiency_source(self):
        listed = ", ".join(f"{probe['efficiency'] * 100:.1f} % at {probe['mbit']} Mbps"
                           for probe in self.probes)
        return ("measured by themselves on the same links: one TCP connection each way between two "
                f"ranks, no Gloo: {listed}; the median")

    def latency_s(self):
        """Of a message, with all that Gloo and the cores do about it."""
        return statistics.median(self._message_s(small) for small in self.small)

    @staticmethod
    def _message_s(small):
        return statistics.median(small["samples_s"]) / (2 * (small["ranks"] - 1))

    def latency_source(self):
        listed = ", ".join(f"{self._message_s(small) * 1e3:.2f} ms on {small['ranks']} ranks"
                           for small in self.small)
        words = self.small[0]["words"]
        return (f"measured by itself on the same links after idle ones: an all-reduce of {words} "
                f"floats over its 2(n-1) messages one after the other: {listed}; the median")


def gradient_list(measured, model):
    """The model's gradients in the order in which they are ready. Of a device-like one the times
    are its own; of a real one, medians of passes on one core without communication."""
    facts = measured.facts
    head = (f"# source: tests/emulated, {facts['date']}, PyTorch {facts['torch']}\n"
            f"# licence: this project's own\n")
    rows = []
    if model in models.DEVICE_LIKE:
        head = "## A device-like model of tests/emulated: times and sizes are ours.\n" + head
        ready = 0.0
        layers = models.DEVICE_LIKE[model]
        for number, (shape, gap) in enumerate(models.ready_order(layers)):
            ready += gap
            kind = "matrices" if len(shape) > 1 else "vectors"
            rows.append((f"{kind}.{len(layers) - 1 - number // 2}", shape, ready))
        return head + "# standing: given\n# batch: 1\n" + rows_text(rows)
    alone = measured.models[model]
    gathered = {}
    for one in alone["passes"]:
        for name, moment in one:
            gathered.setdefault(name, []).append(moment)
    ordered = sorted((statistics.median(moments), name) for name, moments in gathered.items())
    rows = [(name, alone["shapes"][name], ready) for ready, name in ordered]
    length = max(statistics.median(alone["lengths"]), rows[-1][2])
    return (f"## A model of tests/emulated that computes on one core; median of {len(alone['passes'])}"
            f" passes.\n{head}# standing: measured\n# batch: 1\n# backward_us: {length * 1e6:.1f}\n"
            + rows_text(rows))


def rows_text(rows):
    lines = [f"{name},{'x'.join(map(str, shape))},float32,{ready * 1e6:.1f}"
             for name, shape, ready in rows]
    return "parameter,shape,dtype,ready_us\n" + "\n".join(lines) + "\n"


def case_text(cell):
    setup, compression, samples = cell["setup"], cell["compression"], sorted(cell["samples_s"])
    lines = [f"name: {quoted(cell['name'])}",
             f"workload: {quoted(setup['model'])} ranks: {setup['ranks']} bandwidth: "
             f"\"{setup['mbit']}Mbps\" bucket_cap: \"{setup['bucket_mib']}MiB\""]
    if cell.get("first"):
        lines.append("buckets: \"initial\"")
    if setup["slowness"] != 1.0:
        lines.append(f"slow_rank: {setup['slowness']}")
    if setup["second_job"]:
        job = setup["second_job"]
        lines.append(f"second_job {{ payload: \"{job['payload_bytes'] // MIB}MiB\" "
                     f"compute: {quoted(seconds(job['compute_s']))} }}")
    if compression:
        name, *parameters = compression["scheme"]
        lines += [f"compressor: {quoted(SPELLINGS[name].format(*parameters))} "
                  f"mode: \"{'overlapped' if compression['overlapped'] else 'serial'}\"",
                  f"encode: {quoted(seconds(compression['encode_s']))} "
                  f"decode: {quoted(seconds(compression['decode_s']))} "
                  "cost_source: \"given to the hook, which waits so long\""]
    lines.append(f"measured: {quoted(seconds(statistics.median(samples)))} "
                 f"measured_low: {quoted(seconds(samples[0]))} "
                 f"measured_high: {quoted(seconds(samples[-1]))} samples: {len(samples)}")
    return "case {\n  " + "\n  ".join(lines) + "\n}\n"


def set_text(measured, name, description, cells, remarks, extra):
    used = sorted({cell["setup"]["model"] for cell in cells})
    text = (f"# {remarks}\n# Written by tests/emulated/sets.py.\nname: {quoted(name)}\n"
            f"description: {quoted(description)}\nsource: {quoted(measured.source())}\n{extra}"
            f"network {{\n  latency: {quoted(seconds(measured.latency_s()))}\n"
            f"  latency_source: {quoted(measured.latency_source())}\n"
            f"  payload_efficiency: {measured.payload_efficiency():.4f}\n"
            f"  payload_efficiency_source: {quoted(measured.efficiency_source())}\n}}\n")
    for model in used:
        text += (f"workload {{ name: {quoted(model)} trace: \"emulated/e2-{model}.csv\" "
                 f"registration: \"emulated/e2-{model}-parameters.txt\" }}\n")
    return text + "".join(case_text(cell) for cell in cells)


def gloo_text(facts, on_device):
    text = f"gloo {{\n  cores: {facts['cores']}\n  collectives_at_once: 2\n  segment: \"1MiB\"\n"
    if on_device:
        text += "  on_device: true\n"
    for what, cost, source in GLOO_COSTS:
        text += f"  cost {{ what: {quoted(what)} ns: {cost} source: {quoted(source)} }}\n"
    return text + "}\n"


APART = ("decode_apart: true\ndecode_apart_source: \"the hook waits in a thread of its own; nothing "
         "slows the backward pass\"\n")


def write_sets(measured, out, causes):
    (out / "emulated").mkdir(parents=True, exist_ok=True)
    device_like = [cell for cell in measured.cells if cell["setup"]["model"] in models.DEVICE_LIKE]
    kinds = (
        ("E2", "real DDP with Gloo over shaped links, a backward pass and compressors that take "
         "their time as a device would", [c for c in device_like if not c["setup"]["second_job"]],
         "Real collectives on a scheme's real bytes, between encoding and decoding that only wait.",
         AIM + APART + gloo_text(measured.facts, True)),
        ("E2-shared", "the same beside a second job that uses the links again and again",
         [c for c in device_like if c["setup"]["second_job"]],
         "Only SimGrid knows shared links.", APART),
        ("E2-compute", "models that compute on the processor, two ranks on two cores",
         [c for c in measured.cells if c["setup"]["model"] in models.REAL],
         "The distance outside the range of the samples is scored.",
         "error: \"outside_range\"\n" + gloo_text(measured.facts, False)),
    )
    for name, description, cells, remarks, extra in kinds:
        if cells:
            cause = causes.get(name)
            extra += f"likely_cause: {quoted(cause)}\n" if cause else ""
            (out / f"{name.lower()}.txtpb").write_text(
                set_text(measured, name, description, cells, remarks, extra), encoding="utf-8")
    for model in {cell["setup"]["model"] for cell in measured.cells}:
        (out / f"emulated/e2-{model}.csv").write_text(gradient_list(measured, model),
                                                      encoding="utf-8")
        (out / f"emulated/e2-{model}-parameters.txt").write_text(
            "\n".join(measured.models[model]["shapes"]) + "\n", encoding="utf-8")
    with (out / "emulated/e2-samples.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["cell", "sample", "backward_sync_s"])
        for cell in measured.cells:
            for number, sample in enumerate(cell["samples_s"], 1):
                table.writerow([cell["name"], number, f"{sample:.6f}"])


def main():
    measured, out = map(pathlib.Path, sys.argv[1:3])
    causes = json.loads(pathlib.Path(sys.argv[3]).read_text(encoding="utf-8")) \
        if len(sys.argv) > 3 else {}
    write_sets(Measured(measured), out, causes)


if __name__ == "__main__":
    main()
