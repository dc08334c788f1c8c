#!/usr/bin/env python3
"""The structure test fails on each kind of violation, at the right file and line."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import check_includes

SCRIPT = pathlib.Path(check_includes.__file__)

SOUND = {
    "base/units.hpp": "#pragma once\n",
    "base/units.cpp": '#include "base/units.hpp"\n',
    "base/CMakeLists.txt": "gradwire_library(gradwire_base SOURCES units.cpp HEADERS units.hpp)\n",
    "traces/schema/trace.proto": 'syntax = "proto3";\n',
    "traces/model/trace_codec.cpp":
        '#include <google/protobuf/message.h>\n#include "traces/schema/trace.pb.h"\n',
    "traces/CMakeLists.txt": "gradwire_library(gradwire_traces SOURCES model/trace_codec.cpp)\n",
}


class CheckIncludes(unittest.TestCase):
    def violations(self, extra=None, listed=True):
        """Violations of the sound tree plus extra {path: text}; listed: all of it in a CMakeLists."""
        files = dict(SOUND, **(extra or {}))
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            if listed and extra:
                pathlib.Path(folder, "CMakeLists.txt").write_text(
                    "\n".join(name for name in extra), encoding="utf-8")
            return check_includes.violations(folder)

    def assert_only(self, found, start):
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(start), found[0])

    def test_a_sound_tree_passes(self):
        self.assertEqual(self.violations(), [])

    def test_an_include_pointing_upwards_fails(self):
        found = self.violations({
            "simulator/plan/plan.hpp": "#pragma once\n",
            "traces/model/trace.cpp": '// why\n#include "simulator/plan/plan.hpp"\n'})
        self.assert_only(found, "traces/model/trace.cpp:2: traces includes simulator/plan/plan.hpp: ")

    def test_an_include_pointing_downwards_over_floors_passes(self):
        self.assertEqual(self.violations({
            "simulator/cli/main.cpp": '#include "base/units.hpp"\n#include <CLI/CLI.hpp>\n'}), [])

    def test_wings_of_the_first_floor_never_see_each_other(self):
        found = self.violations({
            "traces/model/trace.hpp": "#pragma once\n",
            "platforms/model/cluster.cpp": '#include "traces/model/trace.hpp"\n'})
        self.assert_only(found, "platforms/model/cluster.cpp:1: ")

    def test_study_does_not_see_report_and_report_sees_study(self):
        headers = {"simulator/study/sweep.hpp": "#pragma once\n",
                   "simulator/report/csv.hpp": "#pragma once\n"}
        up = {"simulator/study/sweep.cpp": '#include "simulator/report/csv.hpp"\n'}
        down = {"simulator/report/csv.cpp": '#include "simulator/study/sweep.hpp"\n'}
        self.assert_only(self.violations({**headers, **up}), "simulator/study/sweep.cpp:1: ")
        self.assertEqual(self.violations({**headers, **down}), [])

    def test_formula_and_the_engines_never_see_each_other(self):
        headers = {"simulator/engine/engine.hpp": "#pragma once\n",
                   "simulator/engine/simgrid/run.hpp": "#pragma once\n",
                   "simulator/formula/formula.hpp": "#pragma once\n"}
        for source, included in (
                ("simulator/formula/formula.cpp", "simulator/engine/engine.hpp"),
                ("simulator/formula/formula.cpp", "simulator/engine/simgrid/run.hpp"),
                ("simulator/engine/recurrence/run.cpp", "simulator/engine/simgrid/run.hpp"),
                ("simulator/engine/simgrid/run.cpp", "simulator/formula/formula.hpp")):
            found = self.violations({**headers, source: f'#include "{included}"\n'})
            self.assert_only(found, f"{source}:1: ")

    def test_engines_see_the_headers_they_share(self):
        self.assertEqual(self.violations({
            "simulator/engine/engine.hpp": "#pragma once\n",
            "simulator/engine/simgrid/run.cpp": '#include "simulator/engine/engine.hpp"\n'}), [])

    def test_outside_libraries_stay_in_their_folders(self):
        for source, included in (
                ("simulator/plan/plan.cpp", "simgrid/s4u.hpp"),
                ("simulator/engine/recurrence/run.cpp", "xbt/log.h"),
                ("tracer/session.cpp", "cupti_activity.h"),
                ("tracer/session.cpp", "cuda_runtime.h"),
                ("compressors/reference/powersgd.cpp", "cublas_v2.h"),
                ("simulator/study/sweep.cpp", "spdlog/spdlog.h"),
                ("simulator/study/sweep.cpp", "CLI/CLI.hpp"),
                ("base/units_more.cpp", "gtest/gtest.h")):
            found = self.violations({source: f"\n#include <{included}>\n"})
            self.assert_only(found, f"{source}:2: includes {included}")
        for source, included in (
                ("simulator/engine/simgrid/run.cpp", "simgrid/s4u.hpp"),
                ("tracer/cupti/cupti_source.cpp", "cupti.h"),
                ("compressors/cuda/powersgd.cu", "cuda_runtime.h"),
                ("tests/base/units_test.cpp", "gtest/gtest.h")):
            self.assertEqual(self.violations({source: f"#include <{included}>\n"}), [])

    def test_a_header_of_simgrid_that_is_not_public_is_in_one_file(self):
        one = {"simulator/engine/simgrid/timer.cpp": "#include <simgrid/kernel/Timer.hpp>\n"}
        two = dict(one, **{"simulator/engine/simgrid/run.cpp": "\n#include <simgrid/kernel/A.hpp>\n"})
        self.assertEqual(self.violations(one), [])
        found = self.violations(two)
        self.assertEqual(len(found), 2)
        self.assertTrue(found[0].startswith("simulator/engine/simgrid/run.cpp:2: "), found[0])

    def test_generated_code_stays_in_the_codec_of_its_library(self):
        self.assert_only(
            self.violations({"traces/model/trace.cpp": '#include "traces/schema/trace.pb.h"\n'}),
            "traces/model/trace.cpp:1: ")
        self.assert_only(
            self.violations({"simulator/study/a_codec.cpp": '#include "traces/schema/trace.pb.h"\n'}),
            "simulator/study/a_codec.cpp:1: ")
        self.assert_only(
            self.violations({"traces/model/trace.cpp": "#include <google/protobuf/message.h>\n"}),
            "traces/model/trace.cpp:1: ")

    def test_a_file_over_400_lines_is_split_or_says_why(self):
        path = "base/long.cpp"
        self.assertEqual(self.violations({path: "\n" * 400}), [])
        self.assert_only(self.violations({path: "\n" * 401}), f"{path}:401: 401 lines")
        reason = "// over 400 lines: one table of a standard\n"
        self.assertEqual(self.violations({path: reason + "\n" * 401}), [])

    def test_a_source_that_no_cmake_file_lists_fails(self):
        for path in ("base/forgotten.cpp", "base/forgotten.hpp", "tests/base/forgotten_test.cpp"):
            found = self.violations({path: "#pragma once\n"}, listed=False)
            self.assert_only(found, f"{path}:1: no CMakeLists.txt lists it")
        # Only product headers are in a header set, which is what listing them is for.
        self.assertEqual(self.violations({"tests/support/a.hpp": "#pragma once\n"}, listed=False), [])

    def test_words_and_code_that_must_not_be_there_fail(self):
        for text, line in (("// TODO: later\n", 1), ("\n/* FIXME */\n", 2),
                           ("struct TraceManager {};\n", 1), ("void f() { std::exit(1); }\n", 1),
                           ("void f() { assert(true); }\n", 1)):
            found = self.violations({"base/bad.cpp": text})
            self.assert_only(found, f"base/bad.cpp:{line}: ")
        self.assert_only(
            self.violations({"base/bad.hpp": "#pragma once\nusing namespace std;\n"}),
            "base/bad.hpp:2: ")
        self.assert_only(self.violations({"base/bad.hpp": "\n"}), "base/bad.hpp:1: a header starts")

    def test_a_type_that_two_headers_define_fails(self):
        message = "#pragma once\nstruct Message {\n  int n;\n};\n"
        found = self.violations({"base/a.hpp": message, "traces/b.hpp": message})
        self.assert_only(found, "traces/b.hpp:2: Message is defined in base/a.hpp too")
        self.assertEqual(self.violations({
            "base/a.hpp": message,
            "traces/b.hpp": "#pragma once\nstruct Message;\nstruct B {\n  struct Message {};\n};\n",
        }), [])

    def test_comments_strings_and_the_cli_are_left_alone(self):
        self.assertEqual(self.violations({
            "base/good.cpp": '// exit(1) would lose data\nconst char* kText = "exit(1)";\n'
                             "void f() { static_assert(true); on_exit(1); }\n",
            "simulator/cli/main.cpp": "void f() { std::exit(2); }\n"}), [])

    def test_includes_are_written_from_the_root(self):
        self.assert_only(self.violations({"base/more.cpp": '#include "units.hpp"\n'}),
                         'base/more.cpp:1: include it by its path from the root: "base/units.hpp"')
        self.assert_only(self.violations({"base/more.cpp": '#include "base/gone.hpp"\n'}),
                         "base/more.cpp:1: includes base/gone.hpp, which does not exist")

    def test_a_folder_outside_the_floor_plan_fails(self):
        self.assert_only(self.violations({"simulator/attic/a.cpp": "\n"}), "simulator/attic/a.cpp:1: ")

    def test_the_script_exits_1_on_violations_and_2_on_an_empty_tree(self):
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([sys.executable, str(SCRIPT), folder], capture_output=True, text=True)
            self.assertEqual(run.returncode, 2)
            pathlib.Path(folder, "base").mkdir()
            pathlib.Path(folder, "base", "a.cpp").write_text("// TODO\n", encoding="utf-8")
            run = subprocess.run([sys.executable, str(SCRIPT), folder], capture_output=True, text=True)
            self.assertEqual(run.returncode, 1)
            self.assertIn("base/a.cpp:1: 'TODO'", run.stdout)


if __name__ == "__main__":
    unittest.main()
