"""Draws what scale_bench measured: usage: scale_plot.py scale_bench.json figure.svg table.csv

scale_bench --benchmark_out=scale_bench.json --benchmark_out_format=json writes the first. The table has a line a
measurement: series, argument (workers, or buckets at 4096 workers), processor time in ms, peak memory in MiB.
"""
import csv
import json
import math
import sys
from html import escape

WIDTH, HEIGHT = 940, 420
COLOURS = {"ring": "#1f6f8b", "jitter": "#c0562f", "nccl": "#5b8c3a", "powersgd_overlapped": "#7a4f9a"}
NAMES = {"ring": "rings", "jitter": "rings, every rank of its own speed", "nccl": "what NCCL would take",
         "powersgd_overlapped": "PowerSGD, overlapped"}


def measurements(path):
    """(series, argument, ms, MiB) of each measurement."""
    with open(path, encoding="utf-8") as file:
        runs = json.load(file)["benchmarks"]
    rows = []
    for run in runs:
        parts = run["name"].split("/")
        if parts[0] == "nothing" or run.get("run_type") == "aggregate":
            continue
        if parts[0] == "with_buckets":
            series, argument = f"buckets {parts[1]}", int(run["buckets"])
        else:
            series, argument = f"{parts[0]} {parts[1]}", int(parts[2].split(":")[1])
        assert run["time_unit"] == "ms", run
        rows.append((series, argument, run["real_time"], run["peak_MiB"]))
    return rows


class Panel:
    """One pair of logarithmic axes."""

    def __init__(self, left, width, x_range, y_range):
        self.left, self.top, self.width, self.height = left, 40, width, HEIGHT - 100
        self.x_range, self.y_range = x_range, y_range
        self.parts = []

    def x(self, value):
        low, high = map(math.log, self.x_range)
        return self.left + self.width * (math.log(value) - low) / (high - low)

    def y(self, value):
        low, high = map(math.log, self.y_range)
        return self.top + self.height * (1 - (math.log(value) - low) / (high - low))

    def text(self, x, y, words, anchor="middle", colour="#333"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(words)}</text>')

    def axes(self, title, x_title, x_ticks, y_ticks):
        bottom = self.top + self.height
        self.text(self.left + self.width / 2, self.top - 16, title)
        self.text(self.left + self.width / 2, bottom + 38, x_title)
        for tick in x_ticks:
            self.parts.append(f'<line x1="{self.x(tick):.1f}" x2="{self.x(tick):.1f}" y1="{self.top}" y2="{bottom}" stroke="#e3e3e3"/>')
            self.text(self.x(tick), bottom + 16, f"{tick}")
        for tick, name in y_ticks:
            self.parts.append(f'<line x1="{self.left}" x2="{self.left + self.width}" y1="{self.y(tick):.1f}" y2="{self.y(tick):.1f}" stroke="#e3e3e3"/>')
            self.text(self.left - 6, self.y(tick) + 4, name, "end")

    def line(self, points, colour, dashed, name=None):
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        path = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.8"{dash}/>')
        self.parts += [f'<circle cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="2.2" fill="{colour}"/>' for x, y in points]
        if name:
            x, y = points[-1]
            self.text(self.x(x) + 6, self.y(y) + 4, name, "start", colour)


def figure(rows):
    """The picture: milliseconds against workers, and against buckets at 4096 workers."""
    times = {}
    for series, argument, milliseconds, _ in rows:
        times.setdefault(series, []).append((argument, milliseconds))
    y_ticks = [(10.0 ** power, name) for power, name in
               ((-2, "10 us"), (-1, "100 us"), (0, "1 ms"), (1, "10 ms"), (2, "100 ms"), (3, "1 s"))]
    workers = Panel(70, 480, (8, 65536), (5e-3, 3e3))
    workers.axes("an answer by workers", "workers", [8, 64, 512, 4096, 65536], y_ticks)
    for key, colour in COLOURS.items():
        for engine in ("recurrence", "coupled"):
            workers.line(times[f"{engine} {key}"], colour, engine == "coupled")
    for place, (key, colour) in enumerate(COLOURS.items()):
        workers.text(82, 58 + 16 * place, NAMES[key], "start", colour)
    workers.text(82, 58 + 16 * len(COLOURS), "solid: recurrence; dashed: SimGrid, coupled", "start")
    workers.line([(4096, 100.0)], "#000", False, "goal at 4096")
    buckets = Panel(640, 280, (1, 64), (5e-3, 3e3))
    buckets.axes("by all-reduces, 4096 workers, rings", "all-reduces of an iteration", [1, 4, 16, 64], y_ticks)
    for engine in ("recurrence", "coupled"):
        buckets.line(times[f"buckets {engine}"], COLOURS["ring"], engine == "coupled")
    body = "\n".join(workers.parts + buckets.parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12">\n'
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n{body}\n</svg>\n')


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    rows = measurements(sys.argv[1])
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(figure(rows))
    with open(sys.argv[3], "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["series", "workers_or_buckets", "processor_ms", "peak_mib"])
        writer.writerows((series, argument, f"{ms:.4g}", f"{mib:.4g}") for series, argument, ms, mib in rows)


if __name__ == "__main__":
    main()
