"""What must hold of every timeline file, whatever it shows (docs/formats/timeline.md)."""

import collections
import json

PHASES = {"M", "X", "i", "C", "s", "t", "f"}


def nanoseconds(microseconds):
    return round(microseconds * 1000)


class Timeline:
    """A timeline file by its parts; times in whole nanoseconds."""

    def __init__(self, path):
        document = json.loads(path.read_text(encoding="utf-8"))
        self.facts = document["otherData"]
        self.events = document["traceEvents"]
        self.processes = {}
        self.threads = {}
        self.slices = collections.defaultdict(list)   # by (process, thread)
        self.instants = collections.defaultdict(list)
        self.counters = collections.defaultdict(list)  # by (process, name)
        self.flows = collections.defaultdict(list)
        for event in self.events:
            self._take(event)

    def _take(self, event):
        track = (event["pid"], event["tid"])
        if event["name"] == "process_name":
            self.processes[event["pid"]] = event["args"]["name"]
        elif event["name"] == "thread_name":
            self.threads[track] = event["args"]["name"]
        elif event["ph"] == "X":
            self.slices[track].append(event)
        elif event["ph"] == "i":
            self.instants[track].append(event)
        elif event["ph"] == "C":
            self.counters[event["pid"], event["name"]].append(event)
        elif event["ph"] in "stf":
            self.flows[event["id"]].append(event)

    def track(self, process, thread):
        """The slices of a named thread of a named process."""
        return [event for track, events in self.slices.items() for event in events
                if self.processes[track[0]] == process and self.threads[track] == thread]

    def slice_at(self, point):
        """The slice that a flow's point touches, None for none."""
        time = nanoseconds(point["ts"])
        for event in self.slices[point["pid"], point["tid"]]:
            start = nanoseconds(event["ts"])
            end = start + nanoseconds(event["dur"])
            if start <= time < end or start == time == end:
                return event
        return None


def check(test, path):
    """Asserts it on `test`, a unittest.TestCase; the Timeline."""
    timeline = Timeline(path)
    last = 0
    for event in timeline.events:
        test.assertIn(event["ph"], PHASES)
        test.assertIs(type(event["pid"]), int)
        test.assertIs(type(event["tid"]), int)
        test.assertIsInstance(event["args"], dict)
        if event["ph"] != "M":
            test.assertGreaterEqual(nanoseconds(event["ts"]), last, event)
            last = nanoseconds(event["ts"])
            test.assertIn(event["pid"], timeline.processes)
        if event["ph"] in ("X", "i", "s", "t", "f"):
            test.assertIn((event["pid"], event["tid"]), timeline.threads)
    for events in timeline.slices.values():
        end = 0
        for event in events:
            test.assertGreaterEqual(event["dur"], 0)
            test.assertGreaterEqual(nanoseconds(event["ts"]), end, event)
            end = nanoseconds(event["ts"]) + nanoseconds(event["dur"])
    for name, events in timeline.counters.items():
        test.assertEqual(events[-1]["args"]["Gbit/s"], 0.0, name)
        for event in events:
            for key, value in event["args"].items():
                test.assertGreaterEqual(value, 0.0)
                if key.startswith("%"):
                    test.assertLessEqual(value, 100.0, (name, event))
    for points in timeline.flows.values():
        phases = "".join(point["ph"] for point in points)
        test.assertRegex(phases, "^st*f$")
        for point in points:
            test.assertEqual(point["bp"], "e")
            test.assertIsNotNone(timeline.slice_at(point), point)
    return timeline
