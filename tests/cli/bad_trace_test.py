#!/usr/bin/env python3
"""Traces that cannot be read or used: import, inspect and simulate say so in one sentence.

usage: bad_trace_test.py GRADWIRE SOURCE_FOLDER
"""

import gzip
import json
import os

import program
from kineto_file import KinetoFile
from program import INPUT_ERROR

ALL_REDUCE = {"Collective name": "allreduce", "In msg nelems": 10408, "dtype": "Float",
              "Group size": 2}


class UnreadableFiles(program.ProgramTest):
    """Each is refused by every command that reads a trace, and nothing is written."""

    def refuse_everywhere(self, path, *fragments):
        self.refuse(INPUT_ERROR, (path, *fragments), "import", path, "-o", self.out / "t.gwt")
        self.refuse(INPUT_ERROR, (path, *fragments), "inspect", path)
        self.refuse(INPUT_ERROR, (path, *fragments), "simulate", "--trace", path, "--workers", "4",
                    "--timeline", self.out / "t.json")

    def test_missing_file(self):
        self.refuse_everywhere(self.folder / "absent.json", "No such file")

    def test_directory(self):
        folder = self.folder / "folder.json"
        folder.mkdir()
        self.refuse_everywhere(folder, "directory")

    def test_pipe(self):
        pipe = self.folder / "pipe.json"
        os.mkfifo(pipe)
        self.refuse_everywhere(pipe, "is a pipe", "accepted")

    def test_empty_file(self):
        self.refuse_everywhere(self.write("empty.json", ""), "is empty", "accepted")
        self.refuse_everywhere(self.write("empty.json.gz", gzip.compress(b"")), "is empty")

    def test_not_json(self):
        self.refuse_everywhere(self.write("notes.json", "step,time\n1,2\n"), "byte 0", "step,time",
                               "accepted")

    def test_json_of_another_tool(self):
        text = json.dumps({"nodes": [1, 2], "schema": "1.0"})
        self.refuse_everywhere(self.write("other.json", text), "traceEvents", "accepted")

    def test_no_kernels(self):
        text = KinetoFile(kernels=False).text()
        self.refuse_everywhere(self.write("cpu.json", text), "no GPU kernels",
                               "was CUDA activity enabled")

    def test_damaged_own_file(self):
        good = program.shipped_trace().read_bytes()
        damaged = bytearray(good)
        damaged[len(good) // 4] ^= 0xFF
        self.refuse_everywhere(self.write("damaged.gwt", bytes(damaged)), "byte")
        self.refuse_everywhere(self.write("newer.gwt", good[:8] + b"\2\0\0\0" + good[12:]),
                               "byte 8", "version 2 found", "version 1 is accepted")


class LossyFiles(program.ProgramTest):
    """What is left of a damaged file is kept and the loss is said; --strict refuses it."""

    def check_loss(self, path, *fragments):
        target = self.out / "t.gwt"
        self.refuse(INPUT_ERROR, (path, "--strict", *fragments), "import", path, "-o", target,
                    "--strict")
        said = self.succeed("import", path, "-o", target)
        self.assertIn("data loss", said)
        self.assertIn("DATA LOST", said)
        for fragment in fragments:
            self.assertIn(fragment, said)
        summary = json.loads(self.succeed("inspect", path, "--json"))
        self.assertIn("data loss", [defect["severity"] for defect in summary["defects"]])
        self.assertIn("the import lost data",
                      self.succeed("simulate", "--trace", path, "--workers", "4"))

    def test_truncated_json(self):
        text = KinetoFile(iterations=6).text()
        self.check_loss(self.write("cut.json", text[:int(len(text) * 0.9)]))

    def test_truncated_gzip(self):
        # Stored, not packed, so that the cut is where it looks to be.
        packed = gzip.compress(KinetoFile(iterations=6).text().encode(), compresslevel=0)
        self.check_loss(self.write("cut.json.gz", packed[:int(len(packed) * 0.9)]))

    def test_bad_event(self):
        text = KinetoFile(iterations=6).text()
        self.check_loss(self.write("odd.json", text.replace('"forward"', '"forw"ard"', 1)))

    def test_times_that_are_none(self):
        for bad in ("NaN", "-50", "Infinity"):
            with self.subTest(bad):
                text = KinetoFile(iterations=6).text().replace('"dur": 50', f'"dur": {bad}', 1)
                self.check_loss(self.write("times.json", text))


class UnusableTraces(program.ProgramTest):
    """They are imported and inspected, which says why; a question about them is refused."""

    def check_unusable(self, text, *fragments):
        path = self.write("trace.json", text)
        target = self.out / "t.gwt"
        self.succeed("import", path, "-o", target)
        for trace in (path, target):
            summary = json.loads(self.succeed("inspect", trace, "--json"))
            self.assertIsNone(summary["workload"])
            missing = " ".join(summary["missing"])
            for fragment in fragments:
                self.assertIn(fragment, missing)
            self.assertIn(fragments[0], self.succeed("inspect", trace))
            self.refuse(INPUT_ERROR, (trace, *fragments), "simulate", "--trace", trace,
                        "--workers", "4", "--timeline", self.out / "t.json")

    def test_no_backward_pass(self):
        self.check_unusable(KinetoFile(backward=False).text(), "backward pass")

    def test_no_sizes(self):
        self.check_unusable(KinetoFile(sizes=False).text(), "no size", "--parameters")

    def test_fsdp(self):
        trace = KinetoFile()
        for start in (1000, 2000):
            trace.communicate("ncclDevKernel_AllGather_RING_LL(x)", start + 5, thread=1)
            trace.communicate("ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(x)", start + 320, thread=2)
        self.check_unusable(trace.text(), "fsdp", "reduce-scatter")

    def test_tensor_parallel(self):
        trace = KinetoFile()
        for start in (1000, 2000):
            for at, thread in ((12, 1), (22, 1), (320, 2)):
                trace.communicate("ncclKernel_AllReduce_x(x)", start + at, thread, **ALL_REDUCE)
        self.check_unusable(trace.text(), "tensor-parallel")

    def test_pipeline_parallel(self):
        trace = KinetoFile()
        trace.host("cpu_op", "record_param_comms", 1005, 10, 1,
                   **{"Collective name": "send", "In msg nelems": 100})
        trace.communicate("ncclDevKernel_SendRecv(x)", 1008, thread=1)
        self.check_unusable(trace.text(), "pipeline-parallel")

    def test_no_sync_accumulation(self):
        trace = KinetoFile(iterations=0)
        trace.host("user_annotation", "ProfilerStep#5", 1000, 1900, thread=1)
        for start in (1000, 2000):
            trace.launch("forward", start + 10, start + 20, 50, thread=1)
            trace.backward(start + 200)
        self.check_unusable(trace.text(), "no-sync")

    def test_compiled_ddp(self):
        trace = KinetoFile()
        for start in (1000, 2000):
            trace.host("cpu_op", "CompiledFunctionBackward", start + 201, 40, 2)
            trace.communicate("ncclKernel_AllReduce_x(x)", start + 320, 2, **ALL_REDUCE)
        self.check_unusable(trace.text(), "compiled-ddp")


if __name__ == "__main__":
    program.main()
