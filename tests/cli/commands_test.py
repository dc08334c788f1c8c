#!/usr/bin/env python3
"""What import, inspect, simulate and collective give on the shipped trace and on a small file.

usage: commands_test.py GRADWIRE SOURCE_FOLDER
"""

import csv
import gzip
import json
import re

import program
from kineto_file import KinetoFile


class Help(program.ProgramTest):

    def test_an_answer_names_the_caps_that_it_assumes(self):
        said = self.succeed("simulate", "--trace", program.shipped_trace(), "--workers", "64", "--cluster",
                            "aws-p3-16xlarge-one-flow")
        self.assertIn("a message between nodes gets at most 10 Gbps", said)
        said = self.succeed("simulate", "--trace", program.shipped_trace(), "--workers", "64", "--cluster",
                            "study-24x4-v100-10g")
        self.assertNotIn("gets at most", said)

    def test_every_command_explains_itself(self):
        text = self.succeed("--help")
        for command in ("trace", "trace-merge", "import", "inspect", "simulate", "explain", "breakeven", "advise",
                        "collective", "study", "compressors", "validate", "gradients", "calibrate", "cluster", "measure-compressors"):
            self.assertIn(command, text)
            self.assertIn("--help", self.succeed(command, "--help"))

    def test_version(self):
        self.assertRegex(self.succeed("--version"), r"^gradwire \d+\.\d+\.\d+\n$")


class TraceMerge(program.ProgramTest):

    def rank(self, rank, host_us):
        """A rank of a job of two, recorded from `host_us` on."""
        trace = KinetoFile()
        for event in trace.events:
            event["ts"] += host_us
        info = {"rank": rank, "world_size": 2, "backend": "nccl"}
        return self.write(f"rank{rank}.json", trace.text(distributedInfo=info))

    def test_joins_two_ranks_and_replays_the_lowest(self):
        epoch_us = 1_700_000_000_000_000
        files = self.rank(1, epoch_us + 30), self.rank(0, epoch_us)
        merged = self.out / "job.gwt"
        said = self.succeed("trace-merge", *files, "-o", merged)
        self.assertIn("device 0 of rank 1 is device 1", said)
        self.assertIn("2 iterations are in every trace, 0 are not", said)
        found = json.loads(self.succeed("inspect", merged, "--json"))
        self.assertEqual((found["rank"], found["world_size"]), (0, 2))
        said = self.succeed("simulate", "--trace", merged, "--workers", "4", "--bandwidth", "10Gbps")
        self.assertIn("the trace holds the ranks 0, 1: rank 0 is replayed, on device 0", said)

    def test_refuses_a_rank_that_is_there_twice(self):
        first = self.rank(0, 0)
        self.refuse(2, ("rank 0", "each rank once"), "trace-merge", first, first, "-o",
                    self.out / "job.gwt")


class Import(program.ProgramTest):

    def test_says_what_went_in_and_out(self):
        # Two iterations of a forward and two backward kernels; two gradients each, none with a
        # kernel of its own.
        trace = self.write("t.json.gz", gzip.compress(KinetoFile().text().encode()))
        said = self.succeed("import", trace, "-o", self.out / "t.gwt")
        self.assertIn("6 in, 6 kept", said)
        self.assertIn("6 kernels (100.0 %) to their launch: cudaLaunchKernel 6", said)
        self.assertIn("profiler step marks", said)
        self.assertIn("0 ready with their own kernel, 4 with the last one launched before", said)

    def test_shouts_when_few_kernels_are_linked(self):
        trace = KinetoFile()
        for event in trace.events:
            if event["cat"] == "kernel" and event["name"] == "forward":
                event["args"]["correlation"] += 1000
        said = self.succeed("import", self.write("t.json", trace.text()), "-o", self.out / "t.gwt")
        self.assertIn("DOUBTFUL: only 4 of 6 kernels (66.7 %) are linked", said)

    def test_gives_the_trace_that_the_file_itself_is(self):
        trace = self.write("t.json", KinetoFile(iterations=6).text())
        own = self.out / "t.gwt"
        self.succeed("import", trace, "-o", own)
        answers = [json.loads(self.succeed("simulate", "--trace", path, "--workers", "8", "--json"))
                   for path in (trace, own)]
        self.assertEqual(answers[0], answers[1])

    def test_keeps_what_is_said_about_the_source(self):
        trace = self.write("t.json", KinetoFile().text())
        own = self.out / "t.gwt"
        self.succeed("import", trace, "-o", own, "--source", "someone/somewhere", "--licence", "MIT")
        found = json.loads(self.succeed("inspect", own, "--json"))["provenance"]
        self.assertEqual((found["source"], found["licence"]), ("someone/somewhere", "MIT"))
        self.assertIn("gradwire import t.json", found["made_by"])
        self.assertNotIn(str(self.folder), json.dumps(found))
        self.assertIn("call stacks", found["left_out"])

    def test_keeps_the_iterations_that_are_asked_for(self):
        # Numbers 16 to 21, 1478 kernels each; 20 is the representative one of all six.
        for choice, numbers, representative in (("representative", [20], 20), ("17", [17], 17),
                                                ("17..19", [17, 18, 19], None)):
            own = self.out / "t.gwt"
            self.succeed("import", program.shipped_trace(), "-o", own, "--keep-iterations", choice)
            found = json.loads(self.succeed("inspect", own, "--json"))
            self.assertEqual([entry["number"] for entry in found["iterations"]], numbers)
            self.assertEqual({entry["kernels"] for entry in found["iterations"]}, {1478})
            self.assertEqual(found["parameters"]["elements"], 25_557_032)
            spans = sorted((entry["backward_span_s"], entry["number"]) for entry in found["iterations"])
            median = spans[(len(spans) - 1) // 2][1]
            self.assertEqual([entry["number"] for entry in found["iterations"] if entry["representative"]],
                             [representative or median])
            self.assertIn("all iterations but number", found["provenance"]["left_out"][-1])

    def test_replays_the_representative_iteration_alone_as_it_replays_it_among_the_others(self):
        own = self.out / "t.gwt"
        self.succeed("import", program.shipped_trace(), "-o", own, "--keep-iterations", "representative")
        found = [json.loads(self.succeed("inspect", path, "--json"))["workload"]
                 for path in (program.shipped_trace(), own)]
        for key in ("buckets", "backward_span_s", "backward_busy_s"):
            self.assertEqual(found[0][key], found[1][key])

    def test_takes_the_batch_that_the_trace_does_not_state(self):
        own = self.out / "t.gwt"
        self.succeed("import", program.shipped_trace(), "-o", own, "--batch", "32")
        self.assertEqual(json.loads(self.succeed("inspect", own, "--json"))["batch_size"], 32)
        self.refuse(2, ["--batch", "0 found"], "import", program.shipped_trace(), "-o", self.out / "u.gwt",
                    "--batch", "0")

    def test_refuses_iterations_that_are_not_there(self):
        for choice in ("22", "16..22", "19..17", "median", "1..", "..3"):
            self.refuse(2, ["--keep-iterations"], "import", program.shipped_trace(), "-o",
                        self.out / "t.gwt", "--keep-iterations", choice)

    def test_takes_sizes_from_a_parameter_list(self):
        trace = self.write("t.json", KinetoFile(sizes=False).text())
        sizes = self.write("sizes.csv", "parameter,shape,dtype\nfc.bias,1000,float32\n"
                                        "conv1.weight,64x3x7x7,float32\n")
        own = self.out / "t.gwt"
        self.succeed("import", trace, "-o", own, "--parameters", sizes)
        found = json.loads(self.succeed("inspect", own, "--json"))["parameters"]
        self.assertEqual((found["count"], found["named"], found["elements"]),
                         (2, 2, 64 * 3 * 7 * 7 + 1000))


class Inspect(program.ProgramTest):

    def test_shipped_trace_as_json(self):
        found = json.loads(self.succeed("inspect", program.shipped_trace(), "--json"))
        self.assertEqual(len(found["iterations"]), 6)
        self.assertEqual([item["representative"] for item in found["iterations"]].count(True), 1)
        self.assertEqual(found["median"]["kernels"], 1478)
        self.assertEqual(found["median"]["backward_kernels"], 557)
        self.assertAlmostEqual(found["median"]["backward_kernel_busy_s"], 64.565e-3, delta=5e-9)
        self.assertAlmostEqual(found["median"]["backward_span_s"], 67.2235e-3, delta=5e-7)
        self.assertEqual(found["parameters"]["count"], 161)
        self.assertEqual(found["parameters"]["ready_with_own_kernel"], 161)
        self.assertEqual(found["parameters"]["bytes"], 4 * 25_557_032)
        self.assertEqual([bucket["elements"] for bucket in found["workload"]["buckets"]],
                         [2049000, 7875584, 6563840, 6637568, 2431040])
        classes = {item["class"]: item["kernels_per_iteration"] for item in found["kernels"]["classes"]}
        self.assertEqual(classes, {"compute": 1478, "communication": 0, "memcpy": 2, "memset": 63})

    def test_shipped_trace_as_text(self):
        text = self.succeed("inspect", program.shipped_trace())
        self.assertIn("161 parameters, 25557032 elements", text)
        self.assertRegex(text, r"median +1478 +557 +64\.565 +64\.662 +67\.22")

    def test_bucket_caps(self):
        found = json.loads(self.succeed("inspect", program.shipped_trace(), "--json",
                                        "--first-bucket", "1GiB", "--bucket-cap", "1GiB"))
        self.assertEqual([bucket["parameters"] for bucket in found["workload"]["buckets"]], [161])


class CompressorTrace(program.ProgramTest):

    def test_the_kernels_of_a_compressor_are_replayed(self):
        trace = KinetoFile(iterations=0)
        trace.launch("encode", 100, 105, 2000, thread=1)
        trace.communicate("ncclDevKernel_AllGather", 3000, thread=1)
        trace.launch("decode", 4000, 4005, 3000, thread=1)
        recorded = self.write("compressor.json", trace.text())
        arguments = ("simulate", "--trace", program.shipped_trace(), "--workers", "8", "--compressor",
                     "signsgd", "--compressor-trace", recorded)
        answer = json.loads(self.succeed(*arguments, "--json"))
        self.assertAlmostEqual(answer["compressor"]["encode_s"], 2001e-6)  # launched in 1 us
        self.assertAlmostEqual(answer["compressor"]["decode_s"], 3001e-6)
        self.assertIn("encode 2.001 ms in 1 kernels", self.succeed(*arguments))
        self.refuse(program.INPUT_ERROR, ("--compressor-trace", "several"), *arguments,
                    "--encode-time", "1ms", "--decode-time", "1ms")
        self.refuse(program.INPUT_ERROR, ("--compressor-trace", "--mode serial"), *arguments, "--mode",
                    "overlapped")
        empty = self.write("empty.json", KinetoFile(iterations=0).text())
        self.refuse(program.INPUT_ERROR, ("empty.json",), *arguments[:-1], empty)


class Compressors(program.ProgramTest):

    def test_lists_what_carries_each_scheme_and_where_its_costs_come_from(self):
        text = self.succeed("compressors")
        self.assertRegex(text, r"(?m)^powersgd +all_reduce +rank=4, min_compression_rate=0, "
                         r"start_iter=0, hook_sync=true$")
        self.assertRegex(text, r"(?m)^signsgd +all_gather +none$")
        self.assertRegex(text, r"(?m)^powersgd +recalled: 3 figures; else derived by the model$")
        self.assertRegex(text, r"(?m)^signsgd +derived by the model; 1 alternative$")
        self.assertRegex(text, r"(?m)^none +nothing to do$")

    def test_as_json(self):
        found = json.loads(self.succeed("compressors", "--json"))
        carried = {item["name"]: item["carried_by"] for item in found["schemes"]}
        self.assertEqual(carried["powersgd"], ["all_reduce"])
        self.assertEqual(carried["mstopk"], ["all_gather"])
        (profile,) = found["cost_profiles"]
        self.assertEqual(profile["model"]["launch_s"]["standing"], "derived")
        self.assertAlmostEqual(sum(item["encode_s"] + item["decode_s"] for item in profile["entries"]
                                   if item["scheme"].startswith("powersgd")), 45e-3 + 64e-3 + 130e-3)
        self.assertEqual([item["scheme"] for item in profile["entries"] if item["alternative_because"]],
                         ["signsgd"])

    def test_every_listed_scheme_is_in_the_example_study_of_all_schemes(self):
        listed = [item["name"] for item in json.loads(self.succeed("compressors", "--json"))["schemes"]]
        study = (program.SOURCE / "examples/study/every-compressor.txtpb").read_text()
        compressors = study.split("compressor: [")[1].split("]")[0]
        self.assertEqual(sorted(re.findall(r'"([^"]+)"', compressors)), sorted(listed))


class WhatIfStudy(program.ProgramTest):

    def test_the_example_asks_every_verb_that_needs_no_other_trace(self):
        self.succeed("study", program.SOURCE / "examples/study/what-ifs.txtpb", "-o", self.out)
        with open(self.out / "results.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len({row["what_if"] for row in rows}), 16)
        times = {(row["what_if"], row["compressor"][:8]): float(row["recurrence_backward_sync_s"])
                 for row in rows}
        # Of a serial compressor: encode and decode in a quarter of the time, nothing else.
        saved = times["", "powersgd"] - times["codec=4", "powersgd"]
        cost = [float(row["encode_s"]) + float(row["decode_s"]) for row in rows
                if row["what_if"] == "" and row["compressor"].startswith("powersgd")]
        self.assertAlmostEqual(saved, cost[0] * 3 / 4, places=9)


class Simulate(program.ProgramTest):

    def test_first_line_is_the_plain_answer(self):
        text = self.succeed("simulate", "--trace", program.shipped_trace(), "--workers", "96",
                            "--bandwidth", "10Gbps")
        self.assertRegex(text.splitlines()[0], r"^96 workers at 10 Gbps: [\d.]+ ms .*, "
                                               r"[\d.]+ ms of it waiting for the network\.$")
        shares = [int(whole) * 10 + int(tenth)
                  for whole, tenth in re.findall(r"ms +(\d+)\.(\d) %$", text, re.MULTILINE)]
        self.assertEqual(sum(shares[:5]), 1000)

    def iteration(self, *arguments):
        answer = json.loads(self.succeed("simulate", "--trace", program.shipped_trace(), "--workers", "96",
                                         "--bandwidth", "10Gbps", "--json", *arguments))
        return answer["result"]["backward_sync_s"]

    def test_the_algorithm_of_all_reduces_matters_and_engines_agree_on_it(self):
        ring = self.iteration()
        self.assertEqual(self.iteration("--all-reduce", "ring"), ring)
        self.assertLess(self.iteration("--all-reduce", "in_network"), ring)
        self.assertLess(self.iteration("--all-reduce", "hierarchical"), ring)
        tree = self.iteration("--all-reduce", "double_tree")
        for engine in ("recurrence", "formula"):
            self.assertAlmostEqual(self.iteration("--all-reduce", "double_tree", "--engine", engine), tree,
                                   delta=1e-3 * tree)


class Collective(program.ProgramTest):

    def test_ring_of_the_literature(self):
        # 2 * 95 * (20 us + ceil(25e6 / 96) * 4 B / 1.25e9 B/s) = 162.13 ms
        text = self.succeed("collective", "--algorithm", "ring", "--ranks", "96", "--size", "100MB",
                            "--bandwidth", "10Gbps", "--latency", "20us")
        self.assertEqual(text.count("162.13"), 3, text)

    def collective(self, *arguments):
        return self.succeed("collective", "--size", "100MB", "--bandwidth", "10Gbps", "--latency", "20us",
                            *arguments)

    def test_every_algorithm_stands_beside_the_first(self):
        answer = json.loads(self.collective("--ranks", "24", "--json"))
        times = {other["algorithm"]: other["time_s"] for other in answer["algorithms"]}
        self.assertEqual(times["ring"], answer["time_s"])
        for name in ("double_tree", "halving_doubling", "recursive_doubling", "parameter_server", "in_network",
                     "gossip"):
            self.assertIn(name, times)
            self.assertRegex(self.collective("--ranks", "24"), rf"(?m)^{name} +{times[name] * 1e3:.6f} ")
        # One server of 24 ranks: 23 of 100 MB in and out again, each 80 ms.
        self.assertAlmostEqual(times["parameter_server"], 2 * (20e-6 + 23 * 80e-3), places=5)

    def test_incast_by_servers(self):
        answer = json.loads(self.collective("--ranks", "24", "--algorithm", "parameter_server", "--servers", "8",
                                            "--json"))
        self.assertAlmostEqual(answer["time_s"], 2 * (20e-6 + 23 * 10e-3), places=5)
        self.assertNotIn("algorithms", answer)

    def test_nodes_of_several_gpus(self):
        nodes = ("--gpus-per-node", "4", "--intra-bandwidth", "400Gbps", "--intra-latency", "3us", "--ranks", "24")
        # Inside 6 (3 us + 25 MB at 400 Gbps), across 10 (20 us + 4 * 25 MB / 6 at 10 Gbps).
        answer = json.loads(self.collective("--algorithm", "hierarchical", "--json", *nodes))
        expected = 6 * (3e-6 + 25e6 * 8 / 400e9) + 10 * (20e-6 + 100e6 / 6 * 8 / 10e9)
        self.assertAlmostEqual(answer["time_s"], expected, places=6)
        self.assertAlmostEqual(answer["closed_form_s"], expected, places=6)
        shared = json.loads(self.collective("--algorithm", "halving_doubling", "--json", *nodes))
        self.assertIsNone(shared["closed_form_s"])

    def test_what_nccl_and_gloo_take(self):
        small = self.succeed("collective", "--ranks", "96", "--size", "4KiB", "--bandwidth", "10Gbps",
                             "--latency", "20us", "--algorithm", "nccl")
        self.assertIn("NCCL takes double_tree with protocol LL,", small)
        self.assertIn("NCCL takes ring with protocol Simple,", self.collective("--ranks", "96", "--algorithm", "nccl"))
        self.assertIn("Gloo takes binomial", self.collective("--ranks", "8", "--algorithm", "gloo",
                                                             "--collective", "broadcast"))


if __name__ == "__main__":
    program.main()
