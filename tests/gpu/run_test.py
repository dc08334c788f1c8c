#!/usr/bin/env python3
"""run.sh and compare_profiles.py with programs of our own in the place of what needs a GPU."""

import csv
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent

FUSED = '''name: "fused"
entry {
  scheme: "powersgd:rank=4,min_compression_rate=0"
  elements: 25557032
  tensors: 161
  encode_s: 1e-3
  decode_s: 5e-4
  standing: MEASURED
}
entry {
  scheme: "signsgd"
  elements: 1024
  tensors: 1
  ranks: 8
  encode_s: 1e-5
  decode_s: 1e-5
}
'''
STUDY = '''entry {
  scheme: "powersgd:rank=4,min_compression_rate=0"
  elements: 25557032
  tensors: 161
  encode_and_decode_s: 45e-3
}
entry {
  scheme: "powersgd:rank=8,min_compression_rate=0"
  elements: 25557032
  tensors: 161
  encode_and_decode_s: 1
}
entry {
  scheme: "signsgd"
  elements: 1024
  tensors: 1
  ranks: 32
  encode_s: 1
}
'''
HOOK = '''entry {
  scheme: "powersgd:rank=4"
  elements: 25557032
  tensors: 161
  encode_s: 6e-3
  decode_s: 0
}
'''


def compare(*paths):
    return subprocess.run([sys.executable, str(HERE / "compare_profiles.py"), *map(str, paths)],
                          capture_output=True, text=True)


class CompareProfiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, text in (("fused", FUSED), ("2021", STUDY), ("hook", HOOK)):
            (self.folder / f"{name}.txtpb").write_text(text)

    def path(self, name):
        return self.folder / f"{name}.txtpb"

    def test_says_how_many_times_longer_the_others_take(self):
        run = compare(self.path("2021"), self.path("hook"), self.path("fused"))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stdout.splitlines(), [
            "scheme,elements,tensors,ranks,2021_s,hook_s,fused_s,2021_over_fused,hook_over_fused",
            "powersgd;rank=4;min_compression_rate=0,25557032,161,0,0.045,0.006,0.0015,30,4"])

    def test_a_profile_that_is_not_there_leaves_its_column_empty(self):
        run = compare(self.path("2021"), self.path("nothing"), self.path("fused"))
        self.assertIn(",0.045,,0.0015,30,", run.stdout)

    def test_nothing_in_common_is_no_success(self):
        self.assertEqual(compare(self.path("nothing"), self.path("fused")).returncode, 4)


GRADWIRE = f'''case "$1" in
trace) [ "$2 $3" = "--keep-capture -o" ] && [ "$5" = -- ] || exit 2
  "$6" "$7" && echo capture > "${{4%.gwt}}.gwc" && echo trace > "$4" ;;
measure-compressors)
  for last; do :; done
  case "$*" in *2021*) cat > "$last" <<'X'
{STUDY}X
  ;; *) cat > "$last" <<'X'
{FUSED}X
  esac ;;
*) exit 2
esac'''
PROGRAMS = {"device_bandwidth_gpu": "echo $1 elements", "gradwire": GRADWIRE,
            "traced_program": "echo '{}' > $1"}
STAGES = ["machine", "self-trace", "check-trace", "pytorch", "compare-traces", "kernels", "bandwidth",
          "measure-fused", "measure-2021", "compare"]


class Run(unittest.TestCase):
    def run_script(self, tests_status, *stages):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        folder = pathlib.Path(temporary.name)
        pack = folder / "pack"
        pack.mkdir()
        for name, body in (("compressors_kernels_gpu_test", f"exit {tests_status}"), *PROGRAMS.items()):
            (pack / name).write_text(f"#!/usr/bin/env bash\n{body}\n")
            (pack / name).chmod(0o755)
        run = subprocess.run([str(HERE / "run.sh"), str(pack), str(folder / "out"), *stages],
                             capture_output=True, text=True, timeout=150)
        with open(folder / "out" / "summary.csv", encoding="utf-8") as file:
            statuses = {row["stage"]: int(row["status"]) for row in csv.DictReader(file)}
        return run, statuses, folder / "out"

    def test_a_failed_stage_stops_no_other_and_is_told(self):
        run, statuses, out = self.run_script(1)
        self.assertEqual(run.returncode, 4)
        self.assertEqual(list(statuses), STAGES)
        self.assertEqual(statuses["kernels"], 1)
        self.assertEqual([statuses[name] for name in ("self-trace", "bandwidth", "measure-fused", "measure-2021",
                                                      "compare")], [0] * 5)
        self.assertEqual((out / "bandwidth.txt").read_text(), "134217728 elements\n")
        self.assertIn("0.045", run.stdout)
        self.assertEqual(run.stdout.splitlines()[-1].split("\t")[::2], ["compare", "0"])

    def test_the_stand_ins_capture_is_checked_and_refused(self):
        _, statuses, out = self.run_script(0, "self-trace", "check-trace")
        self.assertEqual(statuses, {"self-trace": 0, "check-trace": 2})
        self.assertIn("does not begin as a .gwc file", (out / "check-trace.txt").read_text())

    def test_stages_can_be_run_alone(self):
        run, statuses, _ = self.run_script(0, "bandwidth", "kernels")
        self.assertEqual((run.returncode, statuses), (0, {"kernels": 0, "bandwidth": 0}))
        run, statuses, _ = self.run_script(0, "kernel")
        self.assertEqual((run.returncode, statuses), (2, {}))
        self.assertIn("no stage is called kernel", run.stderr)

    def test_the_limits_of_all_stages_are_within_five_minutes(self):
        limits = re.findall(r"^stage (\S+) (\d+) ", (HERE / "run.sh").read_text(encoding="utf-8"), re.M)
        self.assertEqual([name for name, _ in limits], STAGES)
        self.assertLess(sum(int(limit) for _, limit in limits), 300)

    def test_refuses_a_wrong_command_line(self):
        self.assertEqual(subprocess.run([str(HERE / "run.sh")], capture_output=True).returncode, 2)
        self.assertEqual(subprocess.run([str(HERE / "pack.sh")], capture_output=True).returncode, 2)


if __name__ == "__main__":
    unittest.main()
