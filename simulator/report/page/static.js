// Under node: every chart of the chosen cell as an SVG file, in the light theme.
var fs = require('fs');
var path = require('path');
// What Vega calls an error it goes on after; a figure for a paper shall not.
var logger = vega.logger(vega.Warn, 'error', function (method, level, message) {
  console.error(level + ' ' + message);
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
