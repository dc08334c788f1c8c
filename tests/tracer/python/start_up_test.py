#!/usr/bin/env python3
"""What the hook does at an interpreter's start, to programs without PyTorch and to newer versions of
it (a stub). Needs no PyTorch.

usage: start_up_test.py RECORDER    (a library that writes down the gw_* calls)
"""

import os
import pathlib
import sys
import tempfile
import unittest

import hooked_run

RECORDER = pathlib.Path(sys.argv[1]).resolve()
STUB = str(hooked_run.FOLDER / "stub")


class StartUp(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="gradwire-start-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.own = self.folder / "own"
        self.own.mkdir()

    def run_text(self, text, hooked=True, **more):
        script = self.folder / "script.py"
        script.write_text(text, encoding="utf-8")
        more.setdefault("PYTHONPATH", str(self.own))
        return hooked_run.finish(hooked_run.start(str(script), folder=self.folder, library=RECORDER,
                                                  hooked=hooked, **more))

    def assert_as_without(self, text, **more):
        """Returns what the program printed; nothing was marked."""
        without = self.run_text(text, hooked=False, **more)
        self.assertEqual(self.run_text(text, **more), without)
        self.assertEqual(hooked_run.marked(self.folder), [])
        return without[0]

    def test_a_program_without_torch_notices_nothing(self):
        before = self.run_text("import sys; print(sorted(sys.modules))", hooked=False)
        after = self.run_text("import sys; print(sorted(sys.modules))")
        new = set(after[0].split(", ")) - set(before[0].split(", "))
        self.assertLessEqual({name.strip("[]'\n") for name in new}, {"sitecustomize"})
        self.assertEqual(self.assert_as_without("raise SystemExit(5)"), "")
        self.assert_as_without("try:\n  import torch\nexcept ImportError as e: print(e.name)", flags=["-S"])

    def test_isolated_interpreters_are_left_alone(self):
        for flag in ("-S", "-I", "-E"):
            found = self.run_text("import sys; print('gradwire' in str(sys.meta_path), "
                                  "'_TorchFinder' in str(sys.meta_path))", flags=[flag])
            self.assertEqual(found, ("False False\n", "", 0))
        self.assertIn("True", self.run_text("import sys; print('_TorchFinder' in str(sys.meta_path))")[0])

    def test_without_the_launchers_variables_nothing_is_installed(self):
        for name in ("GRADWIRE_PYTORCH", "GRADWIRE_TRACER_LIB", "GRADWIRE_CAPTURE"):
            found = self.run_text("import sys; print('_TorchFinder' in str(sys.meta_path))", **{name: None})
            self.assertEqual(found, ("False\n", "", 0))

    def test_the_environments_own_start_up_runs_as_sitecustomize(self):
        (self.own / "sitecustomize.py").write_text(
            "import sys, os\nsys.path.append('/of/its/own')\nprint('own', __name__, __file__)\nVALUE = 3\n",
            encoding="utf-8")
        out = self.assert_as_without("import sys, sitecustomize\n"
                                     "print(sitecustomize.VALUE, sys.path.count('/of/its/own'))")
        self.assertEqual(out, "own sitecustomize %s\n3 1\n" % (self.own / "sitecustomize.py"))

    def test_errors_of_the_environments_own_start_up_are_reported_as_without_us(self):
        for text in ("raise ValueError('mine')", "import missing_module", "import sys; sys.exit(4)",
                     "from sitecustomize import nothing_there", "1 +"):
            (self.own / "sitecustomize.py").write_text(text, encoding="utf-8")
            without, hooked = (self.run_text("print('went on')", hooked=hooked) for hooked in (False, True))
            if "sys.exit" in text:  # ends the interpreter with a traceback, in which one line is ours
                without, hooked = ((out, errors.splitlines()[-1], status)
                                   for out, errors, status in (without, hooked))
            self.assertEqual(hooked, without)

    def test_a_usercustomize_runs_too(self):
        (self.own / "usercustomize.py").write_text("print('user')", encoding="utf-8")
        # Virtual environments have no user site: then neither run loads it.
        self.assert_as_without("print('script')")

    def test_what_fails_in_us_is_one_sentence_and_an_unmarked_run(self):
        broken = {"GRADWIRE_TRACER_LIB": str(self.folder / "none.so")}
        text = "import torch\nprint(torch.__version__, type(torch.__spec__.loader).__name__)"
        out, errors, status = self.run_text(text, PYTHONPATH=STUB, **broken)
        self.assertEqual((out, status), ("2.99.0 SourceFileLoader\n", 0))
        self.assertRegex(errors, r"\Agradwire: PyTorch is not marked: OSError: .*none\.so.*\n\Z")
        (self.own / "torch.py").write_text("print('another torch')", encoding="utf-8")
        out, errors, status = self.run_text("import torch")
        self.assertEqual((out, status), ("another torch\n", 0))
        self.assertRegex(errors, r"\Agradwire: PyTorch is not marked: [^\n]*torch[^\n]*\n\Z")

    def test_a_torch_that_fails_to_import_fails_as_without_us(self):
        (self.own / "torch.py").write_text("raise ImportError('libc10.so')", encoding="utf-8")
        self.assert_as_without("for _ in 'ab':\n  try:\n    import torch\n"
                               "  except ImportError as error: print(error)")

    def test_looking_for_torch_does_not_import_it(self):
        text = ("import importlib.util, sys\nprint(importlib.util.find_spec('torch') is not None, "
                "'torch' in sys.modules)\nimport torch\nprint('exec_module' in vars(torch.__spec__.loader))")
        self.assertEqual(self.assert_as_without(text, PYTHONPATH=STUB), "True False\nFalse\n")

    def test_with_the_hooks_of_newer_versions(self):
        path = os.pathsep.join([STUB])
        out, errors, status = hooked_run.finish(hooked_run.start(
            "newer.py", folder=self.folder, library=RECORDER, hooked=True, PYTHONPATH=path))
        self.assertEqual((out, errors, status), ("no\nno\nno\n", "", 0))
        found, = hooked_run.marked(self.folder)
        both = "g(bias) g(weight)"
        self.assertEqual(found.marks, " ".join((
            "I0 F f B", both, "b O o i0",
            "I1 F f F f F f B", both, "b O",  # two failed forwards; a step that failed has no end
            "F f B", both, "b O o i1",
            "I2 F f B g(weight) b i2",  # the optimiser ran inside
            "B", both, "b O o")))  # compiling: forward passes are not seen
        self.assertEqual(found.parameters, {"weight": ("float32", "3,2"), "bias": ("bfloat16", "3")})
        facts = dict(found.facts)
        self.assertEqual((facts["batch_size"], facts["pytorch"], facts["pytorch_cuda"]),
                         ("16", "2.99.0", "12.4"))
        self.assertEqual(facts["gradient_hook"], "after accumulation")

    def test_a_forked_child_marks_only_where_its_parent_has_not(self):
        text = ("import os, sys, torch\n"
                "w = torch.Tensor(2)\n"
                "loss = torch.Tensor()\n"
                "loss.of = [w]\n"
                "model = torch.nn.Module(lambda: loss, w=w)\n"
                "for who in sys.argv[1:]:\n"
                "  child = 0 if who == 'here' else os.fork()\n"
                "  if child: os.waitpid(child, 0)\n"
                "  else: model().backward()\n"
                "  if not child and who == 'child': os._exit(0)\n")
        script = self.folder / "script.py"
        script.write_text(text, encoding="utf-8")
        for order, expected in ((("child", "here"), 2), (("here", "child"), 1)):
            with self.subTest(order=order):
                out = self.folder / order[0]
                out.mkdir()
                run = hooked_run.start(str(script), *order, folder=out, library=RECORDER, hooked=True,
                                       PYTHONPATH=STUB)
                self.assertEqual(hooked_run.finish(run), ("", "", 0))
                found = hooked_run.marked(out)
                self.assertEqual([one.marks for one in found], ["I0 F f B g(w) b"] * expected)

    def test_own_marks_do_nothing_without_the_tracer_and_reach_it_with_it(self):
        text = ("import gradwire_marks as marks\nprint(marks.recording())\n"
                "marks.fact('batch_size', 32)\n"
                "for _ in range(2):\n"
                "  with marks.iteration():\n"
                "    try:\n"
                "      with marks.backward():\n"
                "        marks.gradient_ready('w', (2, 3), 'torch.float16')\n"
                "        raise ValueError('mine')\n"
                "    except ValueError as error: print(error)\n")
        hook = str(hooked_run.HOOK)
        self.assertEqual(self.run_text(text, hooked=False, PYTHONPATH=hook), ("False\nmine\nmine\n", "", 0))
        self.assertEqual(hooked_run.marked(self.folder), [])
        self.assertEqual(self.run_text(text), ("True\nmine\nmine\n", "", 0))
        found, = hooked_run.marked(self.folder)
        self.assertEqual(found.marks, "I0 B g(w) b i0 I1 B g(w) b i1")
        self.assertEqual(found.parameters, {"w": ("float16", "2,3")})
        self.assertEqual(found.facts, [("batch_size", "32"), ("marks", "program")])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
