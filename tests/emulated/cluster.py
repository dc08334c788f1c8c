"""The emulated cluster: rank processes behind shaped links, which take orders."""

import json
import pathlib
import subprocess
import sys

import links

RANK = pathlib.Path(__file__).with_name("rank.py")
FIRST_PORT, SECOND_PORT = 29501, 29601


class Cluster:
    """`ranks` processes, each in a namespace of its own. The caller is in a hub (links.py)."""

    def __init__(self, ranks, congestion_control="cubic"):
        self.ranks = ranks
        self._processes = [self._start(rank, FIRST_PORT, links.in_own_namespace)
                           for rank in range(ranks)]
        self._second = []
        self.links = links.Links([process.pid for process in self._processes], congestion_control)
        self._get_ready(self._processes)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self._processes + self._second:
            process.kill()
            process.wait()
            process.stdin.close()
            process.stdout.close()

    def order(self, **order):
        """Every rank's answer."""
        return self._order(self._processes, order)

    def start_second_job(self, ranks, payload_bytes, compute_s):
        """A second job on the links of the first `ranks` ranks."""
        self._second = [self._start(rank, SECOND_PORT,
                                    links.in_namespace_of(self._processes[rank].pid), ranks)
                        for rank in range(ranks)]
        self._get_ready(self._second)
        for process in self._second:
            self._say(process, {"do": "second_job", "payload_bytes": payload_bytes,
                                "compute_s": compute_s})

    def stop_second_job(self):
        for process in self._second:
            self._say(process, "stop")
        turns = [self._hear(process) for process in self._second][0]["turns"]
        for process in self._second:
            process.kill()
            process.wait()
        self._second = []
        return turns

    def _start(self, rank, port, between, ranks=None):
        return subprocess.Popen(  # pylint: disable=consider-using-with,subprocess-popen-preexec-fn
            [sys.executable, str(RANK), str(rank), str(ranks or self.ranks), str(port)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=between)

    def _get_ready(self, processes):
        for process in processes:
            self._say(process, "go")
        for process in processes:
            self._hear(process)

    def _order(self, processes, order):
        for process in processes:
            self._say(process, order)
        return [self._hear(process) for process in processes]

    @staticmethod
    def _say(process, what):
        process.stdin.write(json.dumps(what) + "\n")
        process.stdin.flush()

    @staticmethod
    def _hear(process):
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"a rank ended with status {process.wait()}")
        return json.loads(line)
