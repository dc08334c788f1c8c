#!/usr/bin/env python3
"""check_trace.py on captures written by hand, and the reader of framed files on shipped ones."""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import framed_messages as framed
from framed_writer import write_chunks

HERE = pathlib.Path(__file__).resolve().parent
SHIPPED = HERE.parents[1] / "traces" / "data" / "v100-resnet50-b32" / "trace.gwt"

PROGRAM = {
    "iterations": 1, "streams": 2, "graph_nodes": 2, "gradients": 1,
    "kernels": {"shift_values": {"count": 2, "graph": False}, "replayed_step": {"count": 4, "graph": True},
                "timed_stretch": {"count": 1, "graph": False}},
    "copies": {"count": 1, "bytes": 4096}, "memsets": {"count": 1, "bytes": 128},
    "timed_stretch_ns": [502_000],
}


def good_chunks():
    """Two chunks of a capture of PROGRAM: a graph of two nodes was replayed twice."""
    operations = [{"kind": 0, "name": 0, "start_ns": 10 * i, "duration_ns": 5, "stream": 7 + i,
                   "correlation": 1 + i} for i in range(2)]
    operations += [{"kind": 0, "name": 1, "start_ns": 100 + i, "duration_ns": 1, "stream": 20 + i,
                    "correlation": 3 + i // 2, "graph": 1, "graph_node": 50 + i % 2} for i in range(4)]
    rest = [{"kind": 0, "name": 2, "start_ns": 0, "duration_ns": 500_000, "stream": 7, "correlation": 5},
            {"kind": 1, "start_ns": 600_000, "duration_ns": 9, "stream": 7, "correlation": 6, "bytes": 4096},
            {"kind": 3, "start_ns": 700_000, "duration_ns": 9, "stream": 8, "correlation": 7, "bytes": 128}]
    names = [b"_ZN12_GLOBAL__N_112shift_valuesEPfif", b"_ZN12_GLOBAL__N_113replayed_stepEPfi"]
    return [{"header": {"process": 1, "facts": [{"name": "cupti", "value": "130001"}]},
             "base_time_ns": 1_700_000_000_000_000_000, "names": names, "operations": operations,
             "events": [{"kind": 0, "id": 1, "thread": 9}, {"kind": 0, "id": 5, "thread": 9, "time_ns": 800},
                        {"kind": 0, "id": 2, "thread": 9, "time_ns": 900_000}]},
            {"base_time_ns": 1_700_000_000_000_001_000, "names": [b"_ZN12_GLOBAL__N_113timed_stretchEx"],
             "operations": rest, "calls": [{"correlation": i, "start_ns": 100 * i - 1000, "thread": 9} for i in range(1, 8)],
             "tally": {"operations": 9}, "closing": True}]


class CheckTrace(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.chunks = good_chunks()
        self.program = copy.deepcopy(PROGRAM)

    def check(self, status, *fragments, imported=None):
        write_chunks(self.folder / "a.gwc", self.chunks)
        (self.folder / "a.json").write_text(json.dumps(self.program))
        files = [self.folder / "a.gwc", self.folder / "a.json"]
        if imported is not None:
            files.append(self.folder / "a.gwt")
            write_chunks(files[-1], imported)
        run = subprocess.run([sys.executable, str(HERE / "check_trace.py"), *map(str, files)],
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        for fragment in fragments:
            self.assertIn(fragment, run.stdout + run.stderr)
        return run.stdout

    def test_a_capture_of_just_what_was_done_passes(self):
        self.assertNotIn("FAILED", self.check(0, "cupti: 130001", "of these with graph and node id,4,4,ok"))

    def test_a_missing_launch_fails(self):
        del self.chunks[0]["operations"][0]
        self.check(4, "launches of shift_values,2,1,FAILED", "operations by the tally,8,9,FAILED")

    def test_a_kernel_of_somebody_else_fails(self):
        self.chunks[0]["names"][0] = b"_Z13shift_values2v"
        self.check(4, "kernels that the program does not have,0,2,FAILED")

    def test_bytes_are_exact(self):
        self.chunks[1]["operations"][1]["bytes"] -= 1
        self.check(4, "bytes of copies,4096,4095,FAILED")

    def test_a_replayed_kernel_without_its_node_fails(self):
        self.chunks[0]["operations"][3]["graph_node"] = 0
        self.check(4, "of these with graph and node id,4,3,FAILED")

    def test_a_kernel_whose_launch_is_not_there_fails(self):
        self.chunks[1]["calls"] = self.chunks[1]["calls"][1:]
        self.check(4, "device operations with their launch,9,8,FAILED")

    def test_each_loss_fails(self):
        for loss in ("dropped_records", "dropped_events", "unknown_records", "lost_buffers",
                     "unreturned_buffers"):
            self.chunks = good_chunks()
            self.chunks[1]["tally"][loss] = 1
            self.check(4, f"{loss},0,1,FAILED")

    def test_a_time_apart_from_the_events_by_more_than_3_us_and_2_percent_fails(self):
        # 500 000 ns by the record: 502 000 may differ by 3000 + 10 040 ns, and 514 000 by 13 280.
        self.program["timed_stretch_ns"] = [513_000]
        self.check(0)
        self.program["timed_stretch_ns"] = [514_000]
        self.check(4, "FAILED")

    def good_import(self):
        """What gradwire should make of it; the gradient is ready with kernel `timed_stretch`."""
        kernels = [{"category": 1, "launch": {"start_ns": 1}} for _ in range(7)]
        kernels += [{"category": category, "launch": {"start_ns": 1}} for category in (3, 4)]
        return [{"header": {"base_time_ns": 1_700_000_000_000_000_500}, "iterations": [{"number": 0}]},
                {"kernels": kernels, "gradients": [{"ready_ns": 500_500}]}]

    def test_an_import_of_just_that_passes(self):
        self.check(0, "imported gradients,1,1,ok", imported=self.good_import())

    def test_an_import_that_lost_or_moved_something_fails(self):
        for fault, fragment in ((lambda chunks: chunks[1]["kernels"].pop(), "imported memsets,1,0,FAILED"),
                                (lambda chunks: chunks[1]["kernels"][0].pop("launch"),
                                 "imported with their launch,9,8,FAILED"),
                                (lambda chunks: chunks[0].pop("iterations"), "imported iterations,1,0,FAILED"),
                                (lambda chunks: chunks[1]["gradients"][0].update(ready_ns=500_501),
                                 "of these ready with the kernel launched last before their mark,1,0,FAILED")):
            chunks = self.good_import()
            fault(chunks)
            self.check(4, fragment, imported=chunks)

    def test_a_launch_of_another_thread_makes_no_gradient_ready(self):
        # The 5th launch, of timed_stretch, is another thread's: the replay before it counts.
        self.chunks[1]["calls"][4]["thread"] = 8
        chunks = self.good_import()
        self.check(4, "launched last before their mark,1,0,FAILED", imported=chunks)
        # Its second node ends at 103 + 1 ns behind the capture's base, 500 ns before the trace's.
        chunks[1]["gradients"][0]["ready_ns"] = 104 - 500
        self.check(0, imported=chunks)

    def test_a_capture_that_was_not_closed_fails(self):
        del self.chunks[1]["closing"]
        self.check(4, "closed in order,True,False,FAILED")

    def test_a_damaged_capture_is_no_capture(self):
        write_chunks(self.folder / "a.gwc", self.chunks)
        data = bytearray((self.folder / "a.gwc").read_bytes())
        data[40] ^= 1
        (self.folder / "b.gwc").write_bytes(data)
        with self.assertRaises(framed.Damaged):
            list(framed.read_chunks(self.folder / "b.gwc"))
        (self.folder / "b.gwc").write_bytes(data[:-1])
        with self.assertRaises(framed.Damaged):
            list(framed.read_chunks(self.folder / "b.gwc", checksums=False))


class FramedFiles(unittest.TestCase):
    def test_the_checksum_is_rfc_3720s(self):
        self.assertEqual(framed.crc32c(bytes(32)), 0x8A9136AA)  # appendix B.4, 32 bytes of zeroes

    def test_a_shipped_trace_holds_the_kernels_that_its_page_names(self):
        chunks = list(framed.read_chunks(SHIPPED))
        kernels = [kernel for chunk in chunks for kernel in chunk.get("kernels", [])]
        names = [name for chunk in chunks for name in chunk.get("names", [])]
        self.assertEqual(len(kernels), 8868 + 12 + 378)
        self.assertEqual({kernel["iteration"] for kernel in kernels if "iteration" in kernel}, set(range(6)))
        self.assertIn("volta_sgemm_64x64_nt", names)
        self.assertEqual(chunks[0]["header"]["devices"][0]["name"], "Tesla V100-DGXS-32GB")

    def test_negative_and_zigzag_numbers_are_read_as_they_were_written(self):
        messages = {"M": {1: ("a", "int64", False), 2: ("b", "sint64", False), 3: ("c", "uint64", False)}}
        from framed_writer import encode
        values = {"a": -5, "b": -7, "c": (1 << 64) - 1}
        self.assertEqual(framed.decode(messages, "M", encode(messages, "M", values)), values)


if __name__ == "__main__":
    unittest.main()
