"""What the tests hold our trace of each workload's timed iterations to."""

import json

import compare_traces
import modes
import parameter_tables
from framed_messages import read_chunks
from recorded_training import RecordedTraining


def check_workloads(test, gradwire, out, kernels_of):
    """Cuts traced.gwt in `out` by the windows in traced.json. kernels_of(number of parameters): those of an
    iteration, of which each parameter's own makes its gradient ready, one after another."""
    with open(out / "traced.json", encoding="utf-8") as file:
        windows = json.load(file)["windows"]
    test.assertEqual(len(windows), len(modes.SMOKE_WORKLOADS))
    for mode, workload, begin, end in windows:
        window = {"mode": mode, "workload": workload, "begin_ns": begin, "end_ns": end}
        path, why = compare_traces.cut_ours(gradwire, out, window)
        test.assertEqual(why, "")
        table = parameter_tables.parameters(workload.rpartition("-b")[0])
        training = RecordedTraining(path)
        test.assertEqual(len(training.iterations()), modes.TIMED_ITERATIONS)
        test.assertEqual(set(training.counts()), {kernels_of(len(table))})
        test.assertEqual(sum(training.gradient_order(0)), parameter_tables.elements(table))
        # One kernel, the forward pass's, ended before the first gradient's own.
        test.assertEqual(training.ready_kernels(0), list(range(2, len(table) + 2)))
        chunks = list(read_chunks(path))
        named = [gradient["parameter"] for chunk in chunks for gradient in chunk.get("gradients", [])]
        test.assertEqual(set(named), {name for name, _ in table})
        test.assertEqual(chunks[0]["header"]["batch_size"], int(workload.rpartition("-b")[2]))
