#!/usr/bin/env python3
"""The shipped study's report in Chromium: it is quiet, offline, readable, and says what results.csv says.

usage: report_page_test.py GRADWIRE SOURCE_FOLDER
"""

import csv
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import browser

GRADWIRE = None
SOURCE = None
CHARTS = ("parts", "workers", "bandwidth", "batch", "map", "budgets", "plane", "timeline")
# A second study for what the first has not: a name that looks like markup, one value on every axis.
ODD = """
name: "</script><img src=x onerror=alert(1)>"
workload {{ name: "<b>bold</b>" trace: "{trace}" }}
grid {{ cluster: "study-24x4-v100-10g" workers: 8 compressor: "powersgd:rank=4" engine: "recurrence" }}
"""


class ReportPage(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="gradwire-browser-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        cls.study(SOURCE / "examples/utility-study.txtpb", "utility")
        cls.page = cls.folder / "utility/report.html"
        with open(cls.folder / "utility/results.csv", encoding="utf-8", newline="") as file:
            cls.rows = list(csv.DictReader(file))
        cls.browser = browser.Browser()
        cls.addClassCleanup(cls.browser.close)

    @classmethod
    def study(cls, spec, name):
        subprocess.run([GRADWIRE, "study", spec, "-o", cls.folder / name], stdout=subprocess.DEVNULL, check=True)

    def setUp(self):
        self.browser.complaints()
        self.browser.requests()

    def check_quiet(self, page):
        self.assertEqual(self.browser.complaints(), [])
        asked = self.browser.requests()
        self.assertIn(page.as_uri(), asked)
        self.assertEqual([url for url in asked if url != page.as_uri() and not url.startswith("data:")], [])

    def test_the_page_is_small(self):
        self.assertLess(self.page.stat().st_size, 3_000_000)

    def test_charts_have_marks_quietly_and_fit_at_both_widths_and_in_both_schemes(self):
        for width in (1280, 400):
            for scheme in ("light", "dark"):
                self.browser.show(self.page, width, scheme)
                with self.subTest(width=width, scheme=scheme):
                    self.check_quiet(self.page)
                    for chart in CHARTS:
                        marks = self.browser.run(
                            "return document.querySelectorAll('#chart-' + arguments[0] + ' svg .mark-symbol path, #chart-' +"
                            "arguments[0] + ' svg .mark-rect path').length", chart)
                        self.assertGreater(marks, 5, chart)
                        described = self.browser.run(
                            "return document.querySelector('#chart-' + arguments[0] + ' .chart').getAttribute('aria-label')",
                            chart)
                        self.assertGreater(len(described or ""), 20, chart)
                    self.assertEqual(self.browser.run("return document.documentElement.scrollWidth"), width)
                    self.assertEqual(self.browser.run("return window.getComputedStyle(document.body).backgroundColor"),
                                     {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 27)"}[scheme])
                    cut = self.browser.run("""return [...document.querySelectorAll('.chart')].filter(place => {
                        const box = place.querySelector('svg').getBoundingClientRect();
                        return [...place.querySelectorAll('svg text')].some(text => {
                          const own = text.getBoundingClientRect();
                          return own.width > 0 && (own.right > box.right + 2 || own.left < box.left - 2);
                        });
                      }).map(place => place.parentNode.id)""")
                    self.assertEqual(cut, [], "texts are cut off")

    def test_text_has_contrast(self):
        script = """
          const rgb = text => text.match(/[\\d.]+/g).slice(0, 3).map(Number);
          const light = colour => { const c = rgb(colour).map(v => v / 255).map(
            v => v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4));
            return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]; };
          const ground = light(getComputedStyle(document.body).backgroundColor);
          return arguments[0].map(selector => { const own = light(getComputedStyle(document.querySelector(selector)).color);
            return (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05); });"""
        selectors = ["#answer", "#study", ".note", ".badge.soft", ".outcome.win", ".outcome.loss", "thead button", "summary"]
        for scheme in ("light", "dark"):
            self.browser.show(self.page, 1280, scheme)
            for selector, contrast in zip(selectors, self.browser.run(script, selectors)):
                self.assertGreaterEqual(contrast, 4.5, (scheme, selector))

    def test_the_first_screen_answers_and_says_what_would_have_to_change(self):
        self.browser.show(self.page, 1280)
        self.assertEqual(self.browser.run("return document.querySelector('h1').textContent"),
                         "Does powersgd rank=4 help at 10 Gbps on 64 GPUs?")
        cells = [row for row in self.rows if row["grid"] == "utility" and row["workers"] == "64"
                 and row["compressor"].startswith("powersgd:rank=4,")]
        shown = self.browser.run("""return [...document.querySelectorAll('#verdicts tbody tr')].map(
            line => [...line.children].map(cell => cell.textContent))""")
        self.assertEqual([line[0] for line in shown], [row["workload"] for row in cells])
        wins = 0
        for line, row in zip(shown, cells):
            speedup = float(row["speedup_over_float32_ratio"])
            wins += speedup >= 1.03
            self.assertAlmostEqual(float(line[3]), speedup, delta=0.006)
            self.assertAlmostEqual(float(line[2]), float(row["simgrid_backward_sync_s"]) * 1e3, delta=0.06)
            self.assertEqual(line[6], "faster" if speedup >= 1.03 else "slower" if speedup <= 0.97 else "no difference")
            self.assertRegex(line[7], r"^up to [\d.]+ Gbps$")
            self.assertEqual(line[11], row["encode_standing"])
        self.assertIn(f"faster than float32 training on {wins} of 8 workloads",
                      self.browser.run("return document.getElementById('answer').textContent"))
        words = self.browser.run("return document.getElementById('words').textContent")
        for fragment in ("It pays at bandwidths up to", "encode and decode times up to", "recalled"):
            self.assertIn(fragment, words)
        bottom = self.browser.run("return document.querySelector('#words p:nth-child(3)').getBoundingClientRect().bottom")
        self.assertLess(bottom, 900)

    def test_the_count_is_that_of_results_csv(self):
        self.browser.show(self.page, 1280)
        speedups = [float(row["speedup_over_float32_ratio"]) for row in self.rows if row["grid"] == "utility"]
        wins = sum(speedup >= 1.03 for speedup in speedups)
        self.assertIn(f"{wins} of {len(speedups)} cells win",
                      self.browser.run("return document.querySelector('[data-count=float32]').textContent"))

    def test_the_table_of_all_cells_is_results_csv(self):
        self.browser.show(self.page, 1280)
        header, lines = self.browser.run("""
            const details = document.querySelector('#tables details');
            details.open = true;
            details.dispatchEvent(new Event('toggle'));
            details.querySelector('.more').click();
            return [[...details.querySelectorAll('thead th')].map(head => head.textContent),
                    [...details.querySelectorAll('tbody tr')].map(line => [...line.children].map(cell => cell.textContent))]""")
        self.assertEqual(len(lines), len(self.rows))
        for line, row in zip(lines, self.rows):
            for name, shown in zip(header[1:], line[1:]):
                if not re.fullmatch(r"-?\d.*", row[name]):
                    self.assertEqual(shown, row[name], name)
                else:
                    self.assertLessEqual(abs(float(shown) - float(row[name])), abs(float(row[name])) * 1e-5, name)

    def test_tables_sort_by_keyboard_and_copy_as_csv(self):
        self.browser.show(self.page, 1280)
        column = "return [...document.querySelectorAll('#verdicts tbody tr')].map(line => Number(line.children[3].textContent))"
        self.browser.press("#verdicts thead th:nth-child(4) button", browser.ENTER)
        self.assertEqual(self.browser.run(column), sorted(self.browser.run(column)))
        self.browser.press("#verdicts thead th:nth-child(4) button", browser.ENTER)
        self.assertEqual(self.browser.run(column), sorted(self.browser.run(column), reverse=True))
        self.assertEqual(self.browser.run("return document.querySelector('#verdicts th:nth-child(4)').getAttribute('aria-sort')"),
                         "descending")
        self.browser.run("window.copied = null; copyText = (text, done) => { window.copied = text; done(true); };")
        self.browser.press("#verdicts .copy", browser.ENTER)
        lines = list(csv.reader(self.browser.run("return window.copied").splitlines()))
        self.assertEqual(lines[0][:4], ["workload", "float32 ms", "compressed ms", "times as fast"])
        self.assertEqual(lines[1][0], self.browser.run("return document.querySelector('#verdicts tbody th').textContent"))
        self.assertEqual({len(line) for line in lines}, {12})

    def test_another_question_changes_the_whole_page(self):
        self.browser.show(self.page, 1280)
        self.browser.run("""const select = document.getElementById('axis-workers');
            select.value = [...select.options].find(option => option.text === '8').value;
            select.dispatchEvent(new Event('change'));""")
        self.browser.wait_for_charts()
        self.assertIn("on 8 GPUs", self.browser.run("return document.querySelector('h1').textContent"))
        words = self.browser.run("return document.getElementById('words').textContent")
        self.assertIn("gradwire report DIR --cell", words)
        self.check_quiet(self.page)

    def test_every_grid_and_compressor_can_be_shown(self):
        self.browser.show(self.page, 1280)
        self.browser.run("""report.grids.forEach((_, grid) => {
            const rows = allRows.filter(row => report.grid_of_row[row] === grid);
            distinct(rows, 'compressor').forEach(name => show(rows.find(row => value('compressor', row) === name)));
          });""")
        self.browser.wait_for_charts()
        self.check_quiet(self.page)

    def test_the_timeline_zooms_by_buttons_and_wheel(self):
        self.browser.show(self.page, 1280)
        span = "const shown = views.timeline.signal('shown'); return shown[1] - shown[0]"
        whole = self.browser.run(span)
        self.browser.press("#chart-timeline .buttons button:nth-child(1)", browser.ENTER)
        self.browser.wait_for_charts()
        self.assertAlmostEqual(self.browser.run(span), whole / 2, delta=whole * 1e-6)
        wheel = """const svg = document.querySelector('#chart-timeline svg');
            const box = svg.getBoundingClientRect();
            svg.dispatchEvent(new WheelEvent('wheel', {deltaY: -200, ctrlKey: arguments[0], bubbles: true, cancelable: true,
              clientX: box.left + box.width / 2, clientY: box.top + box.height / 2}));"""
        self.browser.run(wheel, False)
        self.browser.wait_for_charts()
        self.assertAlmostEqual(self.browser.run(span), whole / 2, delta=whole * 1e-6)
        self.browser.run(wheel, True)
        self.browser.wait_for_charts()
        self.assertLess(self.browser.run(span), whole * 0.45)
        self.browser.press("#chart-timeline .buttons button:nth-child(5)", browser.ENTER)
        self.browser.wait_for_charts()
        self.assertAlmostEqual(self.browser.run(span), whole, delta=whole * 1e-6)
        self.check_quiet(self.page)

    def test_hovering_a_collective_names_its_bytes_and_times(self):
        self.browser.show(self.page, 1280)
        said = self.browser.run("""
            const rects = [...document.querySelectorAll('#chart-timeline svg .mark-rect path')].filter(
              path => path.__data__ && path.__data__.tooltip && path.__data__.tooltip.includes('communication'));
            const box = rects[0].getBoundingClientRect();
            const event = name => rects[0].dispatchEvent(new MouseEvent(name, {bubbles: true, clientX: box.left + 3,
                                                                               clientY: box.top + 3}));
            event('mouseover'); event('mousemove');
            return document.getElementById('tooltip').textContent""")
        self.assertRegex(said, r"communication \S+: [\d.]+ to [\d.]+ ms .* [kMG]?B of this rank, .* sent by it")

    def test_print_is_light_and_without_controls(self):
        self.browser.show(self.page, 1280, "dark")
        self.browser.devtools("Emulation.setEmulatedMedia", media="print",
                              features=[{"name": "prefers-color-scheme", "value": "dark"}])
        self.browser.run("window.dispatchEvent(new Event('beforeprint'))")
        self.browser.wait_for_charts()
        self.assertEqual(self.browser.run("return getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
        self.assertEqual(self.browser.run("return getComputedStyle(document.getElementById('controls')).display"), "none")
        self.assertIn("#1b1f24", self.browser.run("return document.querySelector('#chart-workers svg').outerHTML"))
        self.browser.devtools("Emulation.setEmulatedMedia", media="")

    def test_names_that_look_like_markup_are_text(self):
        spec = self.folder / "odd.txtpb"
        spec.write_text(ODD.format(trace=SOURCE / "traces/data/v100-resnet50-b32/trace.gwt"))
        self.study(spec, "odd")
        page = self.folder / "odd/report.html"
        self.browser.show(page, 1280)
        self.check_quiet(page)
        self.assertIn("</script><img src=x onerror=alert(1)>",
                      self.browser.run("return document.getElementById('study').textContent"))
        self.assertEqual(self.browser.run("return document.querySelectorAll('img, b').length"), 0)
        self.assertIn("<b>bold</b>", self.browser.run("return document.getElementById('words').textContent"))


if __name__ == "__main__":
    if not browser.is_there():
        print("skipped: chromium and chromium-driver are needed")
        sys.exit(77)
    GRADWIRE = pathlib.Path(sys.argv[1]).resolve()
    SOURCE = pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
