#!/usr/bin/env python3
"""The PyTorch hook on unmodified scripts: what it marks, and that nothing else changes.

usage: torch_hook_test.py RECORDER    (a library that writes down the gw_* calls; exit 77: no PyTorch)
"""

import importlib.util
import pathlib
import sys
import tempfile
import unittest

import hooked_run

RECORDER = pathlib.Path(sys.argv[1]).resolve()
NET = {"body.0.weight": ("float32", "5,6"), "body.0.bias": ("float32", "5"),
       "body.2.weight": ("float32", "5,5"), "body.2.bias": ("float32", "5"),
       "head.weight": ("float32", "3,5")}
# The order in which 1.13's engine comes to the net's parameters: weights after their bias or before,
# as their nodes stand in the graph; the layers from last to first.
LAYERS = ("head", "body.2", "body.0")


def gradients(marks):
    return [word[2:-1] for word in marks.split() if word[0] == "g"]


def frame(marks):
    """The marks without those of gradients."""
    return " ".join(word for word in marks.split() if word[0] != "g")


class TorchHook(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="gradwire-hook-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def run_both(self, script, *arguments, **more):
        """Runs it with and without the hook; both must print, say and return the same."""
        runs = [hooked_run.start(script, *arguments, folder=self.folder, library=RECORDER,
                                 hooked=hooked, **more) for hooked in (False, True)]
        without, hooked = map(hooked_run.finish, runs)
        self.assertEqual(hooked, without)
        self.status = hooked[2]
        return hooked_run.marked(self.folder)

    def run_one(self, script, *arguments, **more):
        found = self.run_both(script, *arguments, **more)
        self.assertEqual(len(found), 1)
        return found[0]

    def assert_layers(self, names, times):
        """Each iteration's gradients come layer by layer, from the last to the first."""
        self.assertEqual(len(names), times * len(NET))
        for first in range(0, len(names), len(NET)):
            part = names[first:first + len(NET)]
            self.assertEqual(sorted(part), sorted(NET))
            layers = [name.rpartition(".")[0] for name in part]
            self.assertEqual(layers, sorted(layers, key=LAYERS.index))

    def test_an_iteration_runs_from_forward_to_the_optimiser_and_evaluation_is_none(self):
        found = self.run_one("plain.py")
        self.assertEqual(self.status, 0)
        self.assertEqual(frame(found.marks), "I0 F f B b O o i0 I1 F f B b O o i1 I2 F f B b O o i2")
        self.assertEqual(found.parameters, NET)
        self.assert_layers(gradients(found.marks), 3)
        self.assertIn(("batch_size", "4"), found.facts)
        self.assertIn(("marks", "pytorch hook"), found.facts)
        self.assertEqual(found.facts[0][0], "pytorch")

    def test_accumulated_and_skipped_steps_stay_in_one_iteration(self):
        found = self.run_one("accumulate.py")
        self.assertEqual(frame(found.marks), "I0 F f B b F f B b O o i0 "
                         "I1 F f B b F f B b F f B b F f B b O o i1")
        self.assert_layers(gradients(found.marks), 6)

    def test_checkpointing_neither_nests_backward_nor_begins_a_forward(self):
        found = self.run_one("checkpointed.py")
        self.assertEqual(frame(found.marks), "I0 F f B b O o i0 I1 F f B b O o i1")
        self.assertEqual([name.split(".")[0] for name in gradients(found.marks)],
                         ["second", "second", "first", "first"] * 2)
        self.assertIn(("activation_checkpointing", "yes"), found.facts)

    def test_errors_that_the_program_catches_leave_the_next_iteration_whole(self):
        found = self.run_one("exceptions.py")
        self.assertEqual(self.status, 7)
        words = [word for word in frame(found.marks).split() if word != "f"]  # 1.13 has none after errors
        self.assertEqual(words[:7], "I0 F B b O o i0".split())
        # Two failed forwards, a failed backward, a failed step; it has no end since PyTorch 2.
        middle = "o i1 I2" if found.facts[0][1].startswith("1.") else ""
        last = "i2" if middle else "i1"
        self.assertEqual(" ".join(words[7:]), " ".join(
            ("I1 F F F B b F B b O", middle, "F B b O o", last)).replace("  ", " "))
        self.assertEqual(found.parameters, NET)

    def test_two_optimisers_end_one_iteration_and_two_models_have_distinct_names(self):
        found = self.run_one("several.py")
        one = "I%d F f F f B b O o O o i%d"
        closure = " I3 O F f B b F f B b o"
        self.assertIn(" ".join((one % (1, 1), one % (2, 2))), frame(found.marks))
        self.assertTrue(frame(found.marks).startswith("I0 F f F f B b O o i0 O o I1"))
        self.assertEqual(sorted(frame(found.marks).split("i2")[1].split()), sorted(closure.split()))
        self.assertEqual(found.parameters, {**NET, **{"Net." + name: value for name, value in NET.items()}})

    def test_shared_frozen_thawed_replaced_and_loose_parameters_are_named_once_each(self):
        found = self.run_one("changing.py")
        iterations = [sorted(gradients(part)) for part in found.marks.split(" I")][:7]
        first = ["first.weight", "head.bias", "head.weight", "second.bias", "words.weight"]
        self.assertEqual(iterations[0], first)
        self.assertEqual(iterations[1], first)
        self.assertEqual(iterations[2], sorted(first + ["first.bias"]))
        self.assertEqual(iterations[3], sorted(set(first + ["first.bias"]) - {"head.bias", "head.weight"}))
        # The new head has the name of the old one; the loose tensor is named by the second step with it.
        self.assertEqual(iterations[4], sorted(first + ["first.bias"]))
        for later in (5, 6):
            self.assertEqual(iterations[later], sorted(first + ["first.bias", "SGD.group0.6"]))
        self.assertEqual(found.parameters["words.weight"], ("float32", "7,4"))

    def test_workers_that_load_data_mark_nothing(self):
        found = self.run_one("loaders.py", "fork", "spawn")
        once = "I%d F f B b O o i%d"
        self.assertEqual(frame(found.marks), " ".join(once % (i, i) for i in range(4)))

    def test_each_rank_of_a_parallel_job_marks_the_inner_models_names(self):
        folders = [self.folder / name for name in ("without", "hooked")]
        results = []
        for hooked, folder in enumerate(folders):
            folder.mkdir()
            ranks = [hooked_run.start("parallel.py", str(rank), str(folder), folder=folder,
                                      library=RECORDER, hooked=bool(hooked)) for rank in range(2)]
            results.append([hooked_run.finish(rank) for rank in ranks])
        self.assertEqual(results[0], results[1])
        self.assertEqual([result[2] for result in results[1]], [0, 0])
        self.assertEqual(hooked_run.marked(folders[0]), [])
        found = hooked_run.marked(folders[1])
        self.assertEqual(len(found), 2)
        self.assertEqual(sorted(dict(rank.facts)["rank"] for rank in found), ["0", "1"])
        for rank in found:
            self.assertEqual(frame(rank.marks), "I0 F f B b O o i0 I1 F f B b O o i1")
            self.assertEqual(rank.parameters, NET)
            self.assert_layers(gradients(rank.marks), 2)
            facts = dict(rank.facts)
            self.assertEqual(facts["wrapper"], "DistributedDataParallel")
            self.assertEqual(facts["ddp_bucket_bytes"], str(2 * 1024 * 1024))
            self.assertEqual((facts["world_size"], facts["backend"]), ("2", "gloo"))

    def test_iterations_that_the_program_marks_are_not_marked_again(self):
        found = self.run_one("own_marks.py", PYTHONPATH=str(hooked_run.HOOK))
        one = "I%d F f B b O o F f B b O o i%d"
        self.assertEqual(frame(found.marks), " ".join((one % (0, 0), one % (1, 1))))
        self.assertIn(("marks", "program and pytorch hook"), found.facts)

    def test_without_a_module_the_optimiser_names_the_tensors(self):
        found = self.run_one("functional.py")
        self.assertEqual(found.marks, "I0 B b O o i0 I1 B b O o i1 I2 B g(SGD.group0.0) b O o i2")
        self.assertEqual(found.parameters, {"SGD.group0.0": ("float32", "3,2")})


if __name__ == "__main__":
    if importlib.util.find_spec("torch") is None:
        print("skipped: PyTorch is not installed (package python3-torch)")
        sys.exit(hooked_run.SKIPPED)
    unittest.main(argv=sys.argv[:1])
