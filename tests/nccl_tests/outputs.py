"""What outputs of nccl-tests say, by way of `gradwire calibrate`."""

import functools
import json
import subprocess

MIB = 2**20


class Outputs:
    """The outputs in one folder. `fit` and `points` are those of one collective of one file."""

    def __init__(self, gradwire, folder):
        self.gradwire, self.folder = gradwire, folder

    def run(self, *arguments):
        done = subprocess.run([self.gradwire, *map(str, arguments)], text=True,
                              capture_output=True, check=True)
        return json.loads(done.stdout)

    @functools.lru_cache(maxsize=None)
    def fits(self, file, gpus_per_node, ranks):
        return self.run("calibrate", self.folder / file, "--gpus-per-node", gpus_per_node,
                        "--ranks", ranks, "--json")["collectives"]

    def fit(self, file, gpus_per_node, ranks, collective):
        return next(fit for fit in self.fits(file, gpus_per_node, ranks)
                    if fit["collective"] == collective)

    def points(self, file, gpus_per_node, ranks, collective):
        """{size in bytes: seconds}, out-of-place, the median of the rows of a size."""
        fit = self.fit(file, gpus_per_node, ranks, collective)
        return {point["size_bytes"]: point["time_s"] for point in fit["points"]}


def messages_in_turn(collective, ranks):
    """Of a ring: how many follow one another."""
    return (2 if collective == "all_reduce" else 1) * (ranks - 1)


def nearest_mib(size):
    """Whole MiB. Sizes of an all-gather among 10 ranks are no whole powers of two."""
    return round(size / MIB)
