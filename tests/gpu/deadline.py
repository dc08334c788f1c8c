"""A time budget that is kept: what no longer fits is skipped, and said to be."""

import time


class Deadline:
    """Runs named pieces of work while they still fit into the budget.

    The expected time of a piece is the longest that a piece of its kind has taken here, or the
    caller's guess before the first one; a margin allows for the next one being slower.
    """

    MARGIN = 1.2

    def __init__(self, seconds, clock=time.monotonic, before_each=lambda: None):
        self._clock = clock
        self._before_each = before_each
        self._end = clock() + seconds
        self._seen = {}
        self.skipped = []  # (name, reason)
        self.failed = []   # (name, reason)

    def remaining(self):
        return self._end - self._clock()

    def expected(self, kind, guess):
        return self.MARGIN * self._seen.get(kind, guess)

    def run(self, name, kind, guess, work):
        """work()'s result, or None when it did not fit or failed; both are kept with their reason."""
        self._before_each()
        needed = self.expected(kind, guess)
        if needed > self.remaining():
            self.skipped.append(
                (name, f"needs about {needed:.0f} s and {max(0.0, self.remaining()):.0f} s are left"))
            print(f"skipped {name}: {self.skipped[-1][1]}", flush=True)
            return None
        started = self._clock()
        try:
            result = work()
        except Exception as error:  # one mode or model that this PyTorch or GPU lacks costs only itself
            self.failed.append((name, one_line(error)))
            print(f"failed {name}: {self.failed[-1][1]}", flush=True)
            return None
        seconds = self._clock() - started
        self._seen[kind] = max(seconds, self._seen.get(kind, 0.0))
        print(f"done {name} in {seconds:.1f} s", flush=True)
        return result


def one_line(error):
    """An exception as one short line."""
    text = " ".join(str(error).split()) or type(error).__name__
    return f"{type(error).__name__}: {text}"[:300]


def share(total_seconds, mode_weights):
    """[(mode, weight)] -> function(mode, remaining): the seconds a mode may take.

    A mode gets its weight's part of what is left among the modes still to come, so that time which
    one mode does not use goes to the next ones.
    """
    order = [mode for mode, _ in mode_weights]
    weights = dict(mode_weights)

    def seconds(mode, remaining=total_seconds):
        later = sum(weights[name] for name in order[order.index(mode):])
        return max(0.0, remaining) * weights[mode] / later

    return seconds
