// Under node: every chart of the chosen cell as an SVG file, in the light theme.
var fs = require('fs');
var path = require('path');
// What Vega calls an error it goes on after; a figure for a paper shall not. Its warnings are of the window
// that charts are dragged in, which is not there.
var logger = vega.logger(vega.Error, 'error', function (method, level, words) {
  console.error(level + ' ' + Array.from(words).join(' '));
  if (level === 'ERROR') process.exitCode = 1;
});
chartsOf(rowOfCell(report.chosen)).filter(function (chart) { return chart.spec; }).forEach(function (chart) {
  var spec = chart.spec({width: 640, height: chart.height}, themes.light);
  new vega.View(vega.parse(spec, config(themes.light)), {renderer: 'none', logger: logger}).toSVG().then(function (svg) {
    fs.writeFileSync(path.join(process.argv[2], chart.id + '.svg'), svg);
  }).catch(function (error) {
    console.error(chart.id + ': ' + error.message);
    process.exitCode = 1;
  });
});
