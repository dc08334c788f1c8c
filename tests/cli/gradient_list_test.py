#!/usr/bin/env python3
"""What the commands make of a list of ready times, and that the example studies run."""

import json

import program

LIST = "traces/data/v100-resnet101-gradready/gradients.csv"


class GradientList(program.ProgramTest):

    def shipped(self):
        return program.SOURCE / LIST

    def test_inspect_shows_what_it_holds_and_what_it_cannot_tell(self):
        text = self.succeed("inspect", self.shipped())
        self.assertIn("1 iteration, backward pass 120.4 ms, no kernels recorded, 314 parameters of 178.2 MB",
                      text.splitlines()[0])
        self.assertRegex(text, r"(?m)^licence +Apache-2\.0$")
        self.assertRegex(text, r"(?m)^ +0 +120\.391 +0 +0 +- +- +120\.391 +representative, inferred$")
        self.assertRegex(text, r"(?m)^  - the batch size behind the ready times is unknown")
        self.assertNotIn("memcpy", text)
        self.assertNotIn("accumulating kernel", text)

    def test_inspect_as_json_has_null_for_busy_times(self):
        found = json.loads(self.succeed("inspect", self.shipped(), "--json"))
        self.assertIsNone(found["median"]["backward_busy_s"])
        self.assertIsNone(found["iterations"][0]["backward_kernel_busy_s"])
        self.assertIsNone(found["workload"]["backward_busy_s"])
        self.assertIsNone(found["batch_size"])
        self.assertAlmostEqual(found["workload"]["backward_span_s"], 120.391e-3, delta=1e-9)
        self.assertEqual(len(found["workload"]["buckets"]), 8)

    def test_states_its_batch(self):
        path = self.write("list.csv", "# batch: 24\nelements,dtype,ready_us\n8,float32,5\n")
        self.assertRegex(self.succeed("inspect", path), r"(?m)^batch +24 samples$")
        self.assertEqual(json.loads(self.succeed("inspect", path, "--json"))["batch_size"], 24)

    def test_becomes_our_own_format(self):
        own = self.out / "t.gwt"
        self.succeed("import", self.shipped(), "-o", own)
        found = json.loads(self.succeed("inspect", own, "--json"))
        self.assertEqual(found["parameters"]["elements"], 44549160)
        self.assertIn("gradwire import gradients.csv", found["provenance"]["made_by"])

    def test_takes_sizes_from_a_parameter_list(self):
        path = self.write("list.csv", "parameter,ready_us\nfc.bias,5\nfc.weight,9\n")
        sizes = self.write("sizes.csv", "parameter,shape,dtype\nfc.weight,4x2,float32\nfc.bias,4,float32\n")
        found = json.loads(self.succeed("inspect", path, "--parameters", sizes, "--json"))
        self.assertEqual(found["workload"]["buckets"][0]["elements"], 12)

    def test_simulate_replays_it_as_recorded_and_names_it_by_its_folder(self):
        answer = json.loads(self.succeed("simulate", "--trace", self.shipped(), "--workers", "8",
                                         "--json"))
        self.assertIsNone(answer["result"]["iteration_s"])
        self.assertEqual(answer["trace"], "v100-resnet101-gradready")
        self.refuse(program.INPUT_ERROR, ["gradients.csv", "no kernels", "--replay recorded"],
                    "simulate", "--trace", self.shipped(), "--workers", "8", "--replay", "compacted")

    def test_refusals_name_file_and_line(self):
        path = self.write("list.csv", "elements,dtype,ready_us\n8,float32,5\n8,float32,4\n")
        self.refuse(program.INPUT_ERROR, ["list.csv:3:", "gradient-ready order"], "inspect", path)


class Examples(program.ProgramTest):

    def test_every_example_study_answers_every_cell(self):
        studies = sorted((program.SOURCE / "examples/study").glob("*.txtpb"))
        self.assertGreaterEqual(len(studies), 3)
        for study in studies:
            self.succeed("study", study, "-o", self.out / study.stem)
            rows = (self.out / study.stem / "results.csv").read_text().splitlines()
            self.assertGreater(len(rows), 1)
            self.assertTrue(all(row.endswith(",") for row in rows[1:]), study)  # no failure


if __name__ == "__main__":
    program.main()
