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

    def test_simulate_scales_the_batch_that_it_states(self):
        study = program.SOURCE / "traces/data/v100-bert-study/gradients.csv"
        answer = json.loads(self.succeed("simulate", "--trace", study, "--workers", "1", "--batch", "6",
                                         "--json"))
        self.assertAlmostEqual(answer["result"]["backward_sync_s"], 117.5e-3, delta=1e-9)
        self.assertEqual((answer["batch"], answer["compute_standing"]), (6, "derived"))
        self.assertTrue(any("scaled by 0.5 from 235 ms at a batch of 12" in line
                            for line in answer["assumptions"]), answer["assumptions"])
        self.refuse(program.INPUT_ERROR, ["recorded_batch: 32 found", "states 12"],
                    "simulate", "--trace", study, "--workers", "1", "--recorded-batch", "32")

    def test_simulate_asks_for_the_batch_that_nobody_states(self):
        asked = ("simulate", "--trace", program.shipped_trace(), "--workers", "1", "--batch", "64")
        self.refuse(program.INPUT_ERROR, ["recorded_batch: none found", "--recorded-batch"], *asked)
        answer = json.loads(self.succeed(*asked, "--recorded-batch", "32", "--json"))
        self.assertAlmostEqual(answer["result"]["backward_sync_s"], 134.1e-3, delta=0.05e-3)
        self.assertIsNone(answer["result"]["iteration_s"])

    def test_simulate_takes_the_length_of_the_backward_pass(self):
        asked = ("simulate", "--trace", self.shipped(), "--workers", "1", "--backward-time")
        answer = json.loads(self.succeed(*asked, "230ms", "--json"))
        self.assertAlmostEqual(answer["result"]["backward_sync_s"], 0.23, delta=1e-9)
        self.assertIsNone(answer["batch"])
        self.assertTrue(any("230 ms (as given by --backward-time)" in line
                            for line in answer["warnings"]), answer["warnings"])
        self.refuse(program.INPUT_ERROR, ["--backward-time", "fast"], *asked, "fast")
        self.refuse(program.INPUT_ERROR, ["backward: 0 s found"], *asked, "0s")

    def test_reads_a_list_as_json(self):
        path = self.write("list.json", '{"tensors": [{"name": "a", "elems": 8, "dtype": "float32", '
                          '"gap_us": 5}]}')
        self.assertRegex(self.succeed("inspect", path), r"(?m)^format +gradient list, JSON$")
        bad = self.write("bad.json", '{"tensors": [{"name": "a", "elems": 0, "gap_us": 5}]}')
        self.refuse(program.INPUT_ERROR, ["bad.json: tensors[0]: elements is `0`"], "inspect", bad)

    def test_refusals_name_file_and_line(self):
        path = self.write("list.csv", "elements,dtype,ready_us\n8,float32,5\n8,float32,4\n")
        self.refuse(program.INPUT_ERROR, ["list.csv:3:", "gradient-ready order"], "inspect", path)


class Examples(program.ProgramTest):

    def test_every_example_study_answers_every_cell(self):
        # examples/utility-study.txtpb is run by documents_test.py.
        studies = sorted((program.SOURCE / "examples/study").glob("*.txtpb"))
        self.assertGreaterEqual(len(studies), 3)
        for study in studies:
            self.succeed("study", study, "-o", self.out / study.stem)
            rows = (self.out / study.stem / "results.csv").read_text().splitlines()
            self.assertGreater(len(rows), 1)
            self.assertTrue(all(row.endswith(",") for row in rows[1:]), study)  # no failure


if __name__ == "__main__":
    program.main()
