#!/usr/bin/env python3
"""measure-compressors on the CPU: what it writes, what reads it, how it refuses. No time is checked.

usage: measure_compressors_test.py GRADWIRE SOURCE_FOLDER
"""

import json
import os
import re
import signal
import subprocess
import time

import program
from program import ENVIRONMENT_ERROR, INCOMPLETE, INPUT_ERROR

SHAPES = "parameter,shape,dtype\nfc.weight,40x30,float32\nfc.bias,40,float32\n"
GRADIENTS = """# device: {device}
# backward_us: 1000
parameter,shape,dtype,ready_us
fc.bias,40,float32,100
fc.weight,40x30,float32,900
"""


class Measuring(program.ProgramTest):

    def measure(self, *arguments):
        """What is said and the text of the profile."""
        path = self.out / "profile.txtpb"
        said = self.succeed("measure-compressors", "--cpu", "-o", path, "--samples", "2", *arguments)
        self.assertEqual(os.listdir(self.out), ["profile.txtpb"])
        return said, path.read_text(encoding="utf-8")

    def field(self, text, name):
        return re.findall(rf'(?m)^ *{name}: "?(.*?)"?$', text)

    def test_writes_a_figure_for_each_size_and_number_of_ranks(self):
        said, text = self.measure("--sizes", "2^4..2^5,100", "--model", "none", "--ranks", "3,2",
                                  "--compressor", "signsgd", "--compressor", "fp16")
        self.assertEqual(self.field(text, "scheme"), ["signsgd", "signsgd", "fp16"] * 3)
        self.assertEqual(self.field(text, "elements"), ["16"] * 3 + ["32"] * 3 + ["100"] * 3)
        self.assertEqual(self.field(text, "ranks"), ["2", "3"] * 3)
        self.assertEqual(self.field(text, "samples"), ["2"] * 9)
        self.assertEqual(self.field(text, "device_kind"), ["CPU"])
        self.assertEqual(self.field(text, "implementation"), ["reference"])
        self.assertEqual(set(self.field(text, "standing")), {"MEASURED"})
        self.assertEqual(self.field(text, "device"), self.field(text, "device_patterns"))
        self.assertEqual(len(re.findall(r"(?m)^(signsgd|fp16) ", said)), 9)
        self.assertIn("no GPU's", said)
        self.assertIn("(9 figures)", said)

    def test_knows_every_scheme_and_the_shapes_of_a_file(self):
        shapes = self.write("shapes.csv", SHAPES)
        _, text = self.measure("--sizes", "none", "--model", shapes, "--ranks", "2")
        self.assertEqual({scheme.split(":")[0] for scheme in self.field(text, "scheme")},
                         {"fp16", "bf16", "powersgd", "signsgd", "ef-signsgd", "mstopk", "topk",
                          "randomk", "qsgd"})
        self.assertEqual(set(self.field(text, "elements")), {"1240"})
        self.assertEqual(set(self.field(text, "tensors")), {"2"})
        self.assertIn("on shapes.csv", text)

    def test_a_gradient_list_has_the_shapes_of_its_parameter_list(self):
        figures = [self.measure("--sizes", "none", "--compressor", "powersgd:rank=1", "--model",
                                self.write(name, content))[1]
                   for name, content in (("a.csv", SHAPES), ("b.csv", GRADIENTS.format(device="X")))]
        self.assertEqual(self.field(figures[0], "elements"), ["1240"])
        self.assertEqual(self.field(figures[0], "elements"), self.field(figures[1], "elements"))
        self.assertEqual(self.field(figures[0], "tensors"), self.field(figures[1], "tensors"))

    def test_what_is_left_out_is_said_and_written(self):
        said, text = self.measure("--sizes", "2^4", "--model", "none", "--compressor", "powersgd",
                                  "--compressor", "fp16")
        reason = "powersgd:rank=4,min_compression_rate=0: its cost depends on the tensors' shapes"
        self.assertIn(f"Left out: {reason}", said)
        self.assertEqual(len(self.field(text, "left_out")), 1)

    def simulate(self, device, *compressor):
        trace = self.write("gradients.csv", GRADIENTS.format(device=device))
        return self.succeed("simulate", "--trace", trace, "--workers", "4", "--cost-profile",
                            self.out / "profile.txtpb", "--compressor", *compressor)

    def test_simulate_reads_it_and_tells_its_device_from_others(self):
        _, text = self.measure("--sizes", "2^10,2^11", "--model", self.write("s.csv", SHAPES),
                               "--ranks", "2,8", "--compressor", "powersgd:rank=1", "--compressor",
                               "signsgd", "--compressor", "topk:fraction=0.1")
        device = self.field(text, "device")[0]
        said = self.simulate(device, "powersgd:rank=1")
        self.assertIn("(measured: reference on " + device, said)
        self.assertIn("2 samples: encoding", said)
        self.assertNotIn("another device", said)
        said = self.simulate(device, "signsgd")
        self.assertIn("(interpolated: reference on " + device, said)
        self.assertIn("signsgd on 1240 elements in 2 tensors with 2 ranks; ", said)
        said = self.simulate("Tesla V100", "signsgd")
        self.assertIn(f"Warning: cost profile reference on {device} is of another device than "
                      f"\"Tesla V100\": it was measured on the CPU {device}", said)

    def test_compressors_shows_the_largest_figure_of_each_scheme_or_all_as_json(self):
        self.measure("--sizes", "2^4..2^6", "--model", "none", "--compressor", "fp16",
                     "--compressor", "signsgd", "--ranks", "2,4")
        profile = self.out / "profile.txtpb"
        said = self.succeed("compressors", "--cost-profile", profile)
        self.assertIn("Measured 20", said)
        self.assertIn("signsgd     measured: 6 figures; else unknown", said)
        self.assertIn("topk        unknown", said)
        self.assertEqual(len(re.findall(r"(?m)^(fp16|signsgd) +64 ", said)), 3)
        self.assertNotRegex(said, r"(?m)^(fp16|signsgd) +32 ")
        (found,) = json.loads(self.succeed("compressors", "--json", "--cost-profile",
                                           profile))["cost_profiles"]
        self.assertEqual(found["measuring"]["device_kind"], "CPU")
        self.assertEqual(len(found["entries"]), 9)
        self.assertEqual({entry["spread"]["samples"] for entry in found["entries"]}, {2})
        self.assertIsNone(found["model"])

    def test_simulate_refuses_what_lies_beyond_it(self):
        self.measure("--sizes", "2^4..2^5", "--model", "none", "--compressor", "signsgd", "--ranks",
                     "4")
        trace = self.write("gradients.csv", GRADIENTS.format(device="X"))
        self.refuse(INPUT_ERROR, ("no figure of signsgd for 1240 elements", "from 16 to 32 elements",
                                  "from 4 to 4 ranks"), "simulate", "--trace", trace, "--workers",
                    "4", "--compressor", "signsgd", "--cost-profile", self.out / "profile.txtpb")


class Refusals(program.ProgramTest):

    def refuse_options(self, fragments, *arguments):
        self.refuse(INPUT_ERROR, fragments, "measure-compressors", "-o", self.out / "p.txtpb",
                    *arguments)

    def test_one_device_is_needed(self):
        self.refuse_options(("--cpu, --device", "none found"))
        self.refuse_options(("--cpu, --device", "both found"), "--cpu", "--device", "0")

    def test_options_that_mean_nothing(self):
        for option, bad, fragment in (
                ("--sizes", "1e6", "2^10..2^20"), ("--sizes", "2^40", "2^40"),
                ("--sizes", "", "missing"), ("--ranks", "0", "0"), ("--ranks", "2,many", "many"),
                ("--samples", "0", "0"), ("--budget", "60", "unit"), ("--budget", "-1s", "-1s"),
                ("--compressor", "zip", "no known scheme"), ("--compressor", "none", "nothing"),
                ("--compressor", "topk:fraction=2", "fraction"), ("--model", "vgg16", "resnet50"),
                ("--implementation", "fused", "reference"), ("--device", "-1", "-1"),
                ("--device", "first", "first")):
            with self.subTest(option=option, bad=bad):
                cpu = () if option == "--device" else ("--cpu",)
                self.refuse_options((option.strip("-"), fragment), *cpu, f"{option}={bad}")

    def test_a_request_for_nothing(self):
        self.refuse_options(("nothing is left",), "--cpu", "--sizes", "none", "--model", "none")

    def test_a_scheme_twice(self):
        self.refuse_options(("signsgd stands there twice",), "--cpu", "--compressor", "signsgd",
                            "--compressor", "signsgd")

    def test_files_that_hold_no_shapes(self):
        for name, content, fragment in (("a.csv", "parameter,shape\nfc.weight,10xmany\n", ":2"),
                                        ("b.csv", "", "b.csv"), ("c.bin", b"\0\1\2", "c.bin"),
                                        ("d.csv", "parameter,shape\n", "d.csv")):
            with self.subTest(name):
                self.refuse_options((fragment,), "--cpu", "--model", self.write(name, content))
        self.refuse_options(("directory",), "--cpu", "--model", self.folder)

    def test_the_model_itself_is_no_output(self):
        shapes = self.write("shapes.csv", SHAPES)
        self.refuse(INPUT_ERROR, (shapes, "input"), "measure-compressors", "--cpu", "--model",
                    shapes, "-o", shapes)
        self.assertEqual(shapes.read_text(), SHAPES)

    def test_a_gpu_that_is_not_there(self):
        self.refuse(ENVIRONMENT_ERROR, ("--device 4096",), "measure-compressors", "--device", "4096",
                    "-o", self.out / "p.txtpb")

    def test_outputs_that_cannot_be_written(self):
        for path in ("/proc/gradwire.out", self.out, self.out / "absent" / "p.txtpb"):
            with self.subTest(path):
                self.refuse(ENVIRONMENT_ERROR, (path,), "measure-compressors", "--cpu", "-o", path,
                            "--sizes", "2^30", "--compressor", "qsgd")

    def test_4_when_nothing_fits(self):
        self.refuse(INCOMPLETE, ("nothing was measured", "budget"), "measure-compressors", "--cpu",
                    "-o", self.out / "p.txtpb", "--budget", "0s", "--sizes", "2^4")

    def test_130_and_nothing_written_when_interrupted(self):
        process = subprocess.Popen(
            [program.GRADWIRE, "measure-compressors", "--cpu", "-o", self.out / "p.txtpb", "--sizes",
             "2^16", "--model", "none", "--samples", "1000000", "--budget", "3000s", "--compressor",
             "qsgd"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, said)
        self.assertIn("interrupted after 0 of 4 figures", said)
        self.assertEqual(os.listdir(self.out), [])


if __name__ == "__main__":
    program.main()
