#!/usr/bin/env python3
"""Options, configuration files and output paths that are wrong.

usage: bad_option_test.py GRADWIRE SOURCE_FOLDER
"""

import json
import subprocess

import program
from program import ENVIRONMENT_ERROR, INPUT_ERROR

STUDY = """workload {{ trace: "{trace}" }}
grid {{ cluster: "study-24x4-v100-10g"
workers: [2, 4]
bandwidth: ["10Gbps"] }}
"""


class CommandLines(program.ProgramTest):

    def test_no_command(self):
        self.refuse(INPUT_ERROR, ("no command", "simulate"))

    def test_unknown_command(self):
        self.refuse(INPUT_ERROR, ("guess", "--help"), "guess")

    def test_what_ifs(self):
        ask = ("simulate", "--trace", program.shipped_trace(), "--workers", "8", "--what-if")
        for text, said in (("speed=2", "accepted: compute, kernels"),
                           ("compute=0", "above 0"),
                           ("bandwidth=10Gbps; bandwidth=25Gbps", "contradicts"),
                           ("kernels=warp:2", "class of kernels"),
                           ("workers=1000", "96 GPUs"),
                           ("batch=64", "--recorded-batch")):
            self.refuse(INPUT_ERROR, (said,), *ask, text)

    def test_unknown_option(self):
        for command in ("import", "inspect", "simulate", "collective", "study", "validate",
                        "measure-compressors"):
            self.refuse(INPUT_ERROR, (command, "--help"), command, "--colour", "red")
        self.refuse(INPUT_ERROR, ("--colour",), "inspect", "t.gwt", "--colour")

    def test_missing_argument(self):
        self.refuse(INPUT_ERROR, ("FILE",), "import", "-o", "t.gwt")
        self.refuse(INPUT_ERROR, ("--output",), "import", "t.json")
        self.refuse(INPUT_ERROR, ("TRACE",), "inspect")
        self.refuse(INPUT_ERROR, ("--workers",), "simulate", "--trace", program.shipped_trace())

    def test_two_commands(self):
        self.refuse(INPUT_ERROR, ("study",), "inspect", "t.gwt", "study")


class Questions(program.ProgramTest):

    def refuse_question(self, fragments, *arguments):
        self.refuse(INPUT_ERROR, fragments, "simulate", "--trace", program.shipped_trace(),
                    "--timeline", self.out / "t.json", *arguments)

    def test_workers(self):
        for count in ("0", "-3"):
            self.refuse_question(("workers", count, "1 to 96"), "--workers", count)
        self.refuse_question(("workers", "97", "96 GPUs"), "--workers", "97")
        self.refuse_question(("--workers", "many"), "--workers", "many")
        self.refuse_question(("64 GPUs",), "--workers", "65", "--nodes", "8", "--gpus-per-node", "8",
                             "--nic", "25Gbps")

    def test_units(self):
        for option, bad in (("--bandwidth", "10"), ("--bandwidth", "0Gbps"), ("--bandwidth", "0"),
                            ("--bandwidth", "fast"), ("--bandwidth", "-1Gbps"),
                            ("--bandwidth", "10us"), ("--nic-latency", "20"),
                            ("--nic-latency", "-1us"), ("--nic-latency", "nanus"),
                            ("--first-bucket", "1"), ("--bucket-cap", "25"),
                            ("--bucket-cap", "1.5B"), ("--bandwidth", "")):
            with self.subTest(option=option, bad=bad):
                self.refuse_question((option, bad, "accepted"), "--workers", "4", f"{option}={bad}")

    def test_empty_values(self):
        for option in ("--bandwidth", "--nic-latency", "--engine", "--cluster"):
            with self.subTest(option):
                self.refuse_question((option, "empty"), "--workers", "4", option, "")
        self.refuse(INPUT_ERROR, ("FILE", "empty"), "import", "", "-o", self.out / "t.gwt")

    def test_options_that_mean_nothing_without_another(self):
        for option, value in (("--nic", "1Gbps"), ("--gpus-per-node", "8"), ("--intra", "1GB/s"),
                              ("--intra-latency", "1us")):
            with self.subTest(option):
                self.refuse_question((option, "--nodes"), "--workers", "4", option, value)
        question = ("simulate", "--trace", program.shipped_trace(), "--workers", "4")
        self.refuse(INPUT_ERROR, ("--timeline-ranks", "--timeline"), *question, "--timeline-ranks",
                    "1")
        self.refuse(INPUT_ERROR, ("--show-simgrid-options", "--json"), *question, "--json",
                    "--show-simgrid-options")

    def test_caps_of_nothing(self):
        for option in ("--first-bucket", "--bucket-cap"):
            self.refuse_question(("0", "accepted"), "--workers", "4", option, "0B")
            self.refuse(INPUT_ERROR, ("0", "accepted"), "inspect", program.shipped_trace(), option,
                        "0B")

    def test_names(self):
        for option in ("--engine", "--replay", "--latency-mode", "--simgrid-mode"):
            with self.subTest(option):
                self.refuse_question(("guess", "accepted"), "--workers", "4", option, "guess")

    def test_ranks_of_the_timeline(self):
        self.refuse_question(("--timeline-ranks", "4", "0 to 3"), "--workers", "4",
                             "--timeline-ranks", "0,4")

    def test_iteration_that_is_not_there(self):
        self.refuse_question(("6", "0 to 5"), "--workers", "4", "--iteration", "6")

    def test_algorithm_of_all_reduces(self):
        self.refuse_question(("guess", "double_tree"), "--workers", "96", "--all-reduce", "guess")
        self.refuse_question(("hierarchical", "95"), "--workers", "95", "--all-reduce", "hierarchical")
        self.refuse_question(("shares links", "simgrid"), "--workers", "96", "--all-reduce", "hierarchical",
                             "--engine", "recurrence")

    def test_unknown_cluster(self):
        self.refuse_question(("moon", "study-24x4-v100-10g"), "--workers", "4", "--cluster", "moon")

    def test_nodes_without_a_network(self):
        self.refuse_question(("--nic",), "--workers", "4", "--nodes", "2")

    def test_collective(self):
        good = {"--algorithm": "ring", "--ranks": "96", "--size": "100MB", "--bandwidth": "10Gbps",
                "--latency": "20us"}
        for option, bad in (("--algorithm", "guess"), ("--ranks", "0"), ("--size", "100"),
                            ("--size", "0B"), ("--size", "2TB"),
                            ("--bandwidth", "10"), ("--latency", "20")):
            with self.subTest(option=option, bad=bad):
                arguments = [text for item in {**good, option: bad}.items() for text in item]
                self.refuse(INPUT_ERROR, (option.strip("-"), bad), "collective", *arguments)

    def refuse_collective(self, wanted, *arguments):
        self.refuse(INPUT_ERROR, wanted, "collective", "--size", "100MB", "--bandwidth", "10Gbps",
                    "--latency", "20us", *arguments)

    def test_collective_whose_messages_share_links(self):
        self.refuse_collective(("recurrence", "parameter_server", "simgrid"), "--ranks", "8",
                               "--algorithm", "parameter_server", "--engine", "recurrence")

    def test_collective_on_a_cluster_that_has_links_inside_or_no_closed_form(self):
        on_cluster = ("collective", "--ranks", "8", "--size", "100MB", "--cluster")
        for option in ("--intra-bandwidth", "--intra-latency", "--nics", "--gpus-per-node"):
            self.refuse(INPUT_ERROR, (option, "--cluster"), *on_cluster, "polaris", option, "1")
        figure = '{{ value: "{}" standing: ASSUMED source: "x" }}'.format
        shaped = self.write("shaped.txtpb", f"""name: "shaped" nodes {figure(8)} gpus_per_node {figure(1)}
nic {{ bandwidth {figure("10Gbps")} latency {figure("20us")} }}
shaper {{ rate {figure("5Gbps")} burst {figure("1MB")} }}""")
        self.refuse(INPUT_ERROR, ("formula", "no closed form", "simgrid"), *on_cluster, shaped, "--engine", "formula")
        self.assertIsNone(json.loads(self.succeed(*on_cluster, shaped, "--json"))["closed_form_s"])

    def test_a_collective_inside_one_node_has_the_textbook_form_of_its_links(self):
        said = json.loads(self.succeed("collective", "--ranks", "8", "--size", "100MB", "--cluster",
                                       "aws-p3-16xlarge", "--json"))
        self.assertAlmostEqual(said["textbook_form_s"], said["closed_form_s"], delta=1e-6)

    def test_collective_with_more_servers_than_ranks(self):
        self.refuse_collective(("parameter_server", "9", "1 to 8"), "--ranks", "8",
                               "--algorithm", "parameter_server", "--servers", "9")

    def test_collective_on_nodes_without_links_inside(self):
        self.refuse_collective(("--gpus-per-node", "--intra-bandwidth"), "--ranks", "8", "--gpus-per-node", "4")

    def test_collective_by_nodes_that_are_not_full(self):
        self.refuse_collective(("hierarchical", "6", "4"), "--ranks", "6", "--gpus-per-node", "4",
                               "--intra-bandwidth", "400Gbps", "--intra-latency", "3us", "--algorithm", "hierarchical")

    def test_collective_that_a_library_does_not_choose(self):
        for library, kind in (("nccl", "all_to_all"), ("gloo", "reduce_scatter")):
            self.refuse_collective((library, kind), "--ranks", "8", "--algorithm", library, "--collective", kind)


class ConfigurationFiles(program.ProgramTest):

    def write_study(self, text):
        return self.write("study.txtpb", text.format(trace=program.shipped_trace()))

    def test_unknown_key(self):
        study = self.write_study(STUDY + "  colour: 1\n")
        self.refuse(INPUT_ERROR, (f"{study}:5:", "colour"), "study", study, "-o", self.out / "r")
        cluster = self.write("c.txtpb", 'name: "c"\nvelocity: 3\n')
        self.refuse(INPUT_ERROR, (f"{cluster}:2:", "velocity"), "simulate", "--trace",
                    program.shipped_trace(), "--workers", "2", "--cluster", cluster)

    def test_syntax_error(self):
        study = self.write_study(STUDY + "replay: [\n")
        self.refuse(INPUT_ERROR, (f"{study}:5:",), "study", study, "-o", self.out / "r")

    def test_units_and_counts(self):
        for old, new, fragment in (("10Gbps\"]", "10\"]", "bandwidth"), ("[2, 4]", "[0]", "workers"),
                                   ("[2, 4]", "[97]", "96"), ("[2, 4]", "[]", "workers"),
                                   ("study-24x4-v100-10g", "moon", "cluster"),
                                   ("[2, 4]", "[2, 2]", "workers")):
            with self.subTest(new):
                study = self.write_study(STUDY.replace(old, new))
                self.refuse(INPUT_ERROR, (study, fragment), "study", study, "-o", self.out / "r")

    def test_missing_files(self):
        absent = self.folder / "absent.txtpb"
        self.refuse(INPUT_ERROR, (absent,), "study", absent, "-o", self.out / "r")
        study = self.write("study.txtpb", STUDY.format(trace="absent.gwt"))
        self.refuse(INPUT_ERROR, ("absent.gwt",), "study", study, "-o", self.out / "r")

    def test_parameter_list(self):
        trace = program.shipped_trace()
        short = self.write("short.csv", "parameter,shape\nfc.weight,1000x2048\n")
        self.refuse(INPUT_ERROR, (short, "161"), "import", trace, "--parameters", short, "-o",
                    self.out / "t.gwt")
        bad = self.write("bad.csv", "parameter,shape\nfc.weight,1000xmany\n")
        self.refuse(INPUT_ERROR, (f"{bad}:2",), "inspect", trace, "--parameters", bad)


class OutputPaths(program.ProgramTest):
    """/proc takes no new files, from nobody; a folder is no file; and so on."""

    def refuse_output(self, path, *fragments):
        trace = program.shipped_trace()
        self.refuse(ENVIRONMENT_ERROR, (path, *fragments), "import", trace, "-o", path)
        self.refuse(ENVIRONMENT_ERROR, (path, *fragments), "simulate", "--trace", trace, "--workers",
                    "2", "--timeline", path)

    def test_file_that_cannot_be_written(self):
        self.refuse_output("/proc/gradwire.out")
        self.refuse_output(self.out / "absent" / "t.gwt")
        self.refuse_output(self.out, "directory")

    def test_folder_that_cannot_be_made(self):
        study = self.write("study.txtpb", STUDY.format(trace=program.shipped_trace()))
        self.refuse(ENVIRONMENT_ERROR, ("/proc/gradwire.out",), "study", study, "-o",
                    "/proc/gradwire.out")
        file = self.write("file", "")
        self.refuse(ENVIRONMENT_ERROR, (file,), "study", study, "-o", file)

    def test_full_disk(self):
        self.refuse(ENVIRONMENT_ERROR, ("/dev/full",), "import", program.shipped_trace(), "-o",
                    "/dev/full")
        study = self.write("study.txtpb", STUDY.format(trace=program.shipped_trace()))
        for command in (("inspect", program.shipped_trace()),
                        ("inspect", program.shipped_trace(), "--json"), ("study", study, "-o", "r")):
            with self.subTest(command), open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([program.GRADWIRE, *map(str, command)], cwd=self.folder,
                                      stdout=full, stderr=subprocess.PIPE, text=True, check=False)
                self.assertEqual(done.returncode, ENVIRONMENT_ERROR, done.stderr)
                self.assertIn("standard output", done.stderr)

    def test_the_input_itself(self):
        content = program.shipped_trace().read_bytes()
        trace = self.write("t.gwt", content)
        self.refuse(INPUT_ERROR, (trace, "input"), "import", trace, "-o", trace)
        self.refuse(INPUT_ERROR, (trace, "input"), "simulate", "--trace", trace, "--workers", "4",
                    "--timeline", trace)
        self.assertEqual(trace.read_bytes(), content)


if __name__ == "__main__":
    program.main()
