#!/usr/bin/env python3
"""The hook and the marks module with the tracer's own library: what is in the capture file.

usage: capture_test.py TRACER_LIBRARY PROTOC SOURCE_FOLDER
"""

import importlib.util
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

import hooked_run

TRACER, PROTOC, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
EVENT = re.compile(r"^events \{\n(.*?)^\}\n", re.M | re.S)
BASE = re.compile(r"^base_time_ns: (-?\d+)$", re.M)
FIELD = re.compile(r'^  (\w+): (?:"(.*)"|(\S+))$', re.M)
FIRST_FRAME = 12  # after magic and version
FRAME = 8  # length and CRC-32C before each chunk


def chunks(path):
    content, place = path.read_bytes(), FIRST_FRAME
    while place < len(content):
        length, = struct.unpack_from("<I", content, place)
        text = subprocess.run([PROTOC, "--decode=gradwire.schema.CaptureChunk", "-I", SOURCE,
                               SOURCE / "traces/schema/capture.proto"], check=True, capture_output=True,
                              input=content[place + FRAME:place + FRAME + length]).stdout.decode()
        yield text
        place += FRAME + length


def events(path):
    """[{field: text}] of the file's events: marks, parameters and facts, in their order; each with
    its `time`, nanoseconds of the clock."""
    found = []
    for text in chunks(path):
        base = BASE.search(text)
        for block in EVENT.findall(text):
            event = {name: quoted or plain for name, quoted, plain in FIELD.findall(block)}
            event["time"] = int(event.get("time_ns", "0")) + (int(base.group(1)) if base else 0)
            found.append(event)
    return found


def shape(event):
    """(dtype, sizes) of a PARAMETER event."""
    payload = event["payload"].encode().decode("unicode_escape").encode("latin-1")
    dtype, _, sizes = payload.partition(b"\0")
    return dtype.decode(), struct.unpack("<%dq" % (len(sizes) // 8), sizes)


class Capture(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="gradwire-capture-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def captured(self, script):
        run = hooked_run.start(str(script), folder=self.folder, library=TRACER, hooked=True,
                               GRADWIRE_KERNELS="0")
        _, errors, status = hooked_run.finish(run)
        self.assertEqual(status, 0, errors)
        self.assertEqual(errors, "")
        file, = self.folder.glob("capture.*.gwc")
        self.assertIn("closing: true", list(chunks(file))[-1])
        return events(file)

    def assert_marks(self, found, expected):
        """`expected` as in hooked_run.read_marks; the times of the marks never go back."""
        names = {event.get("id", "0"): event["text"] for event in found if event.get("kind") == "PARAMETER"}
        words, times = [], []
        for event in found:
            if "kind" in event:  # MARK is the kind that is not written
                continue
            letter = hooked_run.LETTERS[int(event["id"])]
            number = event.get("value", "0")
            words.append(letter + {"I": number, "i": number}.get(letter, ""))
            if letter == "g":
                words[-1] += "(%s)" % names[number]
            times.append(event["time"])
            self.assertGreater(int(event["thread"]), 0)
        self.assertEqual(" ".join(words), expected)
        self.assertEqual(times, sorted(times))

    def test_the_programs_own_marks(self):
        script = self.folder / "script.py"
        script.write_text("import gradwire_marks as marks\n"
                          "marks.fact('batch_size', 32)\n"
                          "for _ in range(2):\n"
                          "  with marks.iteration(), marks.backward():\n"
                          "    marks.gradient_ready('w', (2, 300), 'torch.float16')\n", encoding="utf-8")
        found = self.captured(script)
        self.assert_marks(found, "I0 B g(w) b i0 I1 B g(w) b i1")
        facts = {event["text"]: event["payload"] for event in found if event.get("kind") == "FACT"}
        self.assertEqual(facts, {"batch_size": "32", "marks": "program"})
        parameter, = (event for event in found if event.get("kind") == "PARAMETER")
        self.assertEqual(shape(parameter), ("float16", (2, 300)))

    @unittest.skipIf(importlib.util.find_spec("torch") is None, "PyTorch is not installed")
    def test_an_unmodified_training_script(self):
        found = self.captured(hooked_run.FOLDER / "scripts" / "plain.py")
        one = ("I%d F f B g(head.weight) g(body.2.bias) g(body.2.weight) g(body.0.bias) "
               "g(body.0.weight) b O o i%d")
        self.assert_marks(found, " ".join(one % (number, number) for number in range(3)))
        shapes = {event["text"]: shape(event) for event in found if event.get("kind") == "PARAMETER"}
        self.assertEqual(shapes["head.weight"], ("float32", (3, 5)))
        self.assertEqual(len(shapes), 5)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
