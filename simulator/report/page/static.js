// Under node: every chart of the chosen cell as an SVG file, in the light theme.
var fs = require('fs');
var path = require('path');
chartsOf(rowOfCell(report.chosen)).filter(function (chart) { return chart.spec; }).forEach(function (chart) {
  var spec = chart.spec({width: 640, height: chart.height}, themes.light);
  new vega.View(vega.parse(spec, config(themes.light)), {renderer: 'none'}).toSVG().then(function (svg) {
    fs.writeFileSync(path.join(process.argv[2], chart.id + '.svg'), svg);
  }).catch(function (error) {
    console.error(chart.id + ': ' + error.message);
    process.exitCode = 1;
  });
});
