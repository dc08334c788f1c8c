"""What came back and where it is from, as text: cost profile, provenance page, gzip. No PyTorch."""

import gzip
import os
import platform
import shutil
import subprocess

COPY_BYTES = 1 << 20


def write_text(path, text):
    """Whole or not at all: through a temporary name beside it."""
    temporary = f"{path}.part"
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(temporary, path)


def gzip_file(source, destination):
    """Compresses source into destination, whole or not at all, and removes source. Bytes written."""
    temporary = f"{destination}.part"
    with open(source, "rb") as plain, open(temporary, "wb") as raw:
        # No name and no time inside, so that equal traces are equal files.
        with gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=6, mtime=0) as packed:
            shutil.copyfileobj(plain, packed, COPY_BYTES)
    os.replace(temporary, destination)
    os.remove(source)
    return os.path.getsize(destination)


def quoted(text):
    """A protobuf text-format string."""
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return '"' + "".join(escapes.get(c, c) for c in str(text)) + '"'


BUCKET_FIELDS = ("scheme", "parameter", "model", "bucket", "elements", "tensors", "encode_ns",
                "decode_ns", "host_ns", "samples")


def bucket_csv(entries):
    """Every bucket's times: medians over the samples, device times by events around the hook's stages,
    launch gaps included; host_ns is how long the hook held the autograd thread."""
    lines = [",".join(BUCKET_FIELDS)]
    lines += [",".join(str(entry[key]) for key in BUCKET_FIELDS) for entry in entries]
    return "\n".join(lines) + "\n"


def spelling(scheme, parameter):
    """As gradwire reads a scheme; None for a hook that is none of its schemes."""
    if scheme in ("fp16", "bf16"):
        return scheme
    if scheme == "powersgd":  # PyTorch's default otherwise
        return f"powersgd:{parameter},min_compression_rate=2"
    return None


def whole_models(entries):
    """(spelling, elements, tensors) -> the entry of one exchange of a whole model: its buckets' sums.
    Of workloads that differ in their batch alone the first one stands."""
    runs = {}
    for entry in entries:
        runs.setdefault((entry["scheme"], entry["parameter"], entry["model"]), []).append(entry)
    found = {}
    for (scheme, parameter, model), buckets in runs.items():
        scheme = spelling(scheme, parameter)
        total = {key: sum(bucket[key] for bucket in buckets)
                 for key in ("elements", "tensors", "encode_ns", "decode_ns")}
        if scheme:
            found.setdefault((scheme, total["elements"], total["tensors"]),
                             dict(total, model=model, samples=buckets[0]["samples"], buckets=len(buckets)))
    return found


def cost_profile(facts, entries):
    """A cost profile as gradwire reads it (docs/formats/cost-profile.md), whole models. facts: device,
    date, software; entries: BUCKET_FIELDS."""
    lines = [
        "# Encode and decode times of PyTorch's own communication hooks, summed over DDP's buckets.",
        "# The buckets, and the hooks that are no scheme of gradwire, are in hook-times.csv.",
        f"name: {quoted('measured on ' + facts['device'])}",
        f"device_patterns: {quoted(facts['device'])}",
    ]
    for (scheme, elements, tensors), total in whole_models(entries).items():
        source = (f"PyTorch's hook on {total['model']}, {total['buckets']} buckets, medians of "
                  f"{total['samples']} iterations, one rank, collectives left out; {facts['software']}")
        lines += [
            "entry {",
            f"  scheme: {quoted(scheme)}",
            f"  elements: {elements}",
            f"  tensors: {tensors}",
            f"  encode_s: {total['encode_ns'] * 1e-9:.9f}",
            f"  decode_s: {total['decode_ns'] * 1e-9:.9f}",
            "  standing: MEASURED",
            f"  date: {quoted(facts['date'])}",
            f"  source: {quoted(source)}",
            "}",
        ]
    return "\n".join(lines) + "\n"


def iterations_csv(rows):
    """rows: (mode, workload, iteration_ns of each timed iteration)."""
    lines = ["mode,workload,iteration,iteration_ns"]
    for mode, workload, times in rows:
        lines += [f"{mode},{workload},{index},{time_ns}" for index, time_ns in enumerate(times)]
    return "\n".join(lines) + "\n"


def windows_csv(rows):
    """rows: (mode, workload, begin and end of its timed iterations, ns of CLOCK_REALTIME)."""
    lines = ["mode,workload,begin_ns,end_ns"]
    lines += [",".join(map(str, row)) for row in rows]
    return "\n".join(lines) + "\n"


def driver_version():
    """The NVIDIA driver's version, or an empty text."""
    try:
        run = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
                             capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return run.stdout.splitlines()[0].strip() if run.returncode == 0 and run.stdout else ""


def page(facts, results, smoke):
    """provenance.md: facts, what came back, what was skipped or failed."""
    lines = ["# Where these files come from", ""]
    if smoke:
        lines += ["**A smoke run of tiny models: it shows that the script works and measures nothing.**", ""]
    lines += ["Made by gradwire's tests/gpu/capture_profiles.py with random weights and random input.", ""]
    lines += [f"- {key}: {facts[key]}" for key in sorted(facts)]
    lines += [f"- python: {platform.python_version()}", ""]
    for mode, result in results:
        lines += [f"## {mode}", "", f"{result['seconds']:.1f} s", ""]
        lines += [f"- {name}: {sentence}" for name, sentence in result["done"]]
        lines += [f"- {name}: skipped, {reason}" for name, reason in result["skipped"]]
        lines += [f"- {name}: failed, {reason}" for name, reason in result["failed"]]
        lines.append("")
    return "\n".join(lines)


def trace_page(facts, name, workload, figures, overhead):
    """provenance.md of a trace that our tracer made. figures: RecordedTraining.figures(); overhead: a
    sentence, or nothing."""
    lines = [f"# {name}", "",
             f"{workload}, float32, random weights and random input, one {facts['device']}. One iteration: the "
             "one with the median backward span of ten timed ones.", "",
             f"- **Source**: measured by gradwire's own tracer on {facts['date']} with `tests/gpu/run.sh`; "
             f"{facts['software']}; {facts['settings']}.",
             "- **Licence**: Apache-2.0, gradwire's own.",
             "- **How it was made**: `gradwire trace --pytorch -- python3 tests/gpu/capture_profiles.py ...`, "
             "which trains several models in one process, each with 5 iterations of warm-up and 10 that are "
             "timed; then `gradwire import --keep-iterations` twice: the ten, and of these the "
             "representative one.",
             f"- **What is in it**: {figures['kernels']} kernels and {figures['copies']} copies and memsets, "
             f"{figures['linked']} of {figures['records']} with the host call that launched them; "
             f"{figures['gradients']} gradients ({figures['elements']} elements) with the times at which they "
             "are ready.",
             f"- **Figures**: {figures['kernel_ms']:.3f} ms of kernels; a backward pass of "
             f"{figures['backward_ms']:.3f} ms."]
    lines += [f"- **The tracer's own cost**: {overhead}."] if overhead else []
    return "\n".join(lines) + "\n"
