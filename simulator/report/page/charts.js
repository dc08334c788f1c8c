// Vega specifications of the figures. A theme has the colours; nothing here touches the page.

var themes = {
  light: {text: '#1b1f24', faint: '#59636e', grid: '#e3e6ea', ground: '#ffffff', strong: '#1b1f24', half: '#7d8590',
          series: ['#0b62c4', '#c2410c', '#0f7b5f', '#8a3ffc', '#a3195b', '#8a6d00', '#2b8ca3', '#6b4226'],
          speedups: ['#a8420a', '#e08a4f', '#f6cfae', '#d5d9de', '#b9d6f5', '#5c9fe0', '#0b55a8'],
          onSpeedups: ['#ffffff', '#1b1f24', '#1b1f24', '#1b1f24', '#1b1f24', '#1b1f24', '#ffffff'],
          parts: {compute: '#8c96a3', communication: '#0b62c4', encode: '#d9730d', decode: '#0f7b5f', host: '#a3195b'}},
  dark: {text: '#e6e9ed', faint: '#a2abb5', grid: '#2f353d', ground: '#14171b', strong: '#f0f3f6', half: '#8b949e',
         series: ['#5aa9ff', '#ff9a62', '#3ecfa3', '#bd9bff', '#ff82b4', '#dcb63c', '#6bc9de', '#c9a17f'],
         speedups: ['#ff9a62', '#b8632f', '#6e4226', '#434a53', '#274a72', '#3574b8', '#7abaff'],
         onSpeedups: ['#14171b', '#ffffff', '#ffffff', '#ffffff', '#ffffff', '#ffffff', '#14171b'],
         parts: {compute: '#7d8794', communication: '#5aa9ff', encode: '#ff9a62', decode: '#3ecfa3', host: '#ff82b4'}}
};

var speedupSteps = [0.5, 0.77, 1 - report.study.tie_band, 1 + report.study.tie_band, 1.3, 2];

var partColours = {'backward pass': 'compute', 'slowed by communication': 'compute', 'encode': 'encode', 'decode': 'decode',
                   'host': 'host', 'waiting for bytes': 'communication', 'waiting for latency': 'communication',
                   'waiting for ranks': 'communication', 'beyond the backward pass': 'communication'};

// The baselines, then the compressors in the study's order: a colour stays with a compressor in all charts.
var seriesOrder = ['none', 'fp16'].concat(distinct(allRows, 'compressor').filter(function (name) {
  return name !== 'none' && name !== 'fp16';
}));

function seriesColour(theme, name) {
  if (name === 'none') return theme.strong;
  if (name === 'fp16') return theme.half;
  return theme.series[(seriesOrder.indexOf(name) - 2) % theme.series.length];
}

function seriesScales(theme, names) {
  var shown = seriesOrder.filter(function (name) { return names.indexOf(name) >= 0; });
  return [
    {name: 'colour', type: 'ordinal', domain: shown.map(shortName),
     range: shown.map(function (name) { return seriesColour(theme, name); })},
    {name: 'dash', type: 'ordinal', domain: shown.map(shortName),
     range: shown.map(function (name) { return name === 'fp16' ? [2, 3] : name === 'none' ? [1, 0] : [6, 2]; })}
  ];
}

function base(size, description, parts) {
  return Object.assign({
    $schema: 'https://vega.github.io/schema/vega/v5.json', description: description, width: size.width,
    height: size.height, padding: {left: 4, right: 12, top: 4, bottom: 4}, autosize: {type: 'fit', contains: 'padding'}
  }, parts);
}

function config(theme) {
  var font = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
  return {
    background: null,
    axis: {labelColor: theme.faint, titleColor: theme.text, titleFontWeight: 'normal', labelFont: font, titleFont: font,
           labelFontSize: 11, titleFontSize: 12, gridColor: theme.grid, domainColor: theme.half, tickColor: theme.half,
           titlePadding: 6, labelOverlap: true},
    legend: {labelColor: theme.text, titleColor: theme.text, labelFont: font, titleFont: font, labelFontSize: 11,
             titleFontSize: 11, titleFontWeight: 'normal', labelLimit: 260, symbolSize: 60, rowPadding: 2},
    text: {font: font, fill: theme.text},
    style: {'guide-label': {font: font}, 'guide-title': {font: font}}
  };
}

// As many columns as have room for the longest of `labels`.
function legendColumns(size, labels) {
  var longest = Math.max.apply(null, labels.map(function (label) { return label.length; }));
  return Math.max(1, Math.floor((size.width - 30) / (40 + 6.6 * longest)));
}

function axis(orient, scale, title, extra) {
  return Object.assign({orient: orient, scale: scale, title: title, grid: true, tickSize: 4}, extra);
}

// Lines of time over a quantity. `points`: {series, x, seconds, low, high}; options: x title, unit, log, values, rule.
function lineChart(size, theme, points, options) {
  var names = points.map(function (point) { return point.series; });
  var data = points.map(function (point) {
    return {name: shortName(point.series), x: point.x, ms: point.seconds * 1e3,
            tip: shortName(point.series) + ' at ' + parseFloat(digits(point.x, 4)) + ' ' + options.unit + ': ' +
              ms(point.seconds) +
              (point.low === null ? '' : ' (' + ms(point.low) + ' to ' + ms(point.high) + ' inside the assumptions’ bands)')};
  });
  var xs = data.map(function (point) { return point.x; });
  var logarithmic = Math.max.apply(null, xs) / Math.min.apply(null, xs) > 4;
  var marks = [
    {type: 'group', from: {facet: {name: 'line', data: 'points', groupby: 'name'}}, marks: [
      {type: 'line', from: {data: 'line'}, aria: false, encode: {update: {
        x: {scale: 'x', field: 'x'}, y: {scale: 'y', field: 'ms'}, stroke: {scale: 'colour', field: 'name'},
        strokeDash: {scale: 'dash', field: 'name'}, strokeWidth: {value: 2}}}}]},
    {type: 'symbol', from: {data: 'points'}, encode: {update: {
      x: {scale: 'x', field: 'x'}, y: {scale: 'y', field: 'ms'}, fill: {scale: 'colour', field: 'name'},
      size: {value: options.dense ? 12 : 36}, tooltip: {field: 'tip'}, description: {field: 'tip'}}}}
  ];
  (options.rules || []).forEach(function (rule) {
    marks.unshift({type: 'rule', encode: {update: {x: {scale: 'x', value: rule}, y: {value: 0}, y2: {signal: 'height'},
                                                   stroke: {value: theme.half}, strokeDash: {value: [1, 3]}}}});
  });
  (options.roots || []).forEach(function (root) {
    marks.push({type: 'symbol', encode: {update: {
      x: {scale: 'x', value: root.x}, y: {scale: 'y', value: root.seconds * 1e3}, size: {value: 90},
      shape: {value: 'diamond'}, fill: {value: seriesColour(theme, root.series)}, stroke: {value: theme.ground},
      tooltip: {value: shortName(root.series) + ' takes ' + ms(root.seconds) + ': pays up to ' + gbps(root.x * 1e9)}}}});
  });
  return base(size, options.description, {
    data: [{name: 'points', values: data}],
    scales: [{name: 'x', type: logarithmic ? 'log' : 'linear', domain: {data: 'points', field: 'x'}, range: 'width',
              zero: false, nice: false, padding: 8},
             {name: 'y', type: 'log', domain: {data: 'points', field: 'ms'}, range: 'height',
              nice: false, padding: 10}].concat(seriesScales(theme, names)),
    axes: [axis('bottom', 'x', options.x, {values: options.values, format: '~r', grid: false}),
           axis('left', 'y', options.y, {tickCount: 4, format: '~r'})],
    legends: [{stroke: 'colour', strokeDash: 'dash', orient: 'top', columns: legendColumns(size, names.map(shortName)),
               symbolType: 'stroke', symbolStrokeWidth: 2, symbolSize: 300}], marks: marks
  });
}

function partsChart(size, theme, parts) {
  var shown = partNames.map(function (part) { return part[1]; }).concat(['beyond the backward pass'])
    .filter(function (name) { return parts.some(function (part) { return part.part === name; }); });
  var opacity = {'slowed by communication': 0.5, 'waiting for latency': 0.55, 'waiting for ranks': 0.3};
  var lanes = [];
  parts.forEach(function (part) { if (lanes.indexOf(shortName(part.series)) < 0) lanes.push(shortName(part.series)); });
  return base(size, 'Bars: the parts of one backward pass and synchronisation, for float32 and every compressor.', {
    data: [{name: 'parts', values: parts.map(function (part) {
      return {name: shortName(part.series), part: part.part, order: part.order, ms: part.seconds * 1e3,
              tip: shortName(part.series) + ': ' + ms(part.seconds) + ' ' + part.part};
    }), transform: [{type: 'stack', groupby: ['name'], field: 'ms', sort: {field: 'order'}}]}],
    scales: [{name: 'x', domain: {data: 'parts', field: 'y1'}, range: 'width', nice: true},
             {name: 'y', type: 'band', domain: lanes, range: 'height', padding: 0.25},
             {name: 'colour', type: 'ordinal', domain: shown,
              range: shown.map(function (name) { return theme.parts[partColours[name]]; })},
             {name: 'opacity', type: 'ordinal', domain: shown,
              range: shown.map(function (name) { return opacity[name] || 1; })}],
    axes: [axis('bottom', 'x', 'ms', {tickCount: 6}), axis('left', 'y', null, {grid: false, labelLimit: 170})],
    legends: [{fill: 'colour', opacity: 'opacity', orient: 'top', columns: legendColumns(size, shown), symbolType: 'square'}],
    marks: [{type: 'rect', from: {data: 'parts'}, encode: {update: {
      x: {scale: 'x', field: 'y0'}, x2: {scale: 'x', field: 'y1'}, y: {scale: 'y', field: 'name'},
      height: {scale: 'y', band: 1}, fill: {scale: 'colour', field: 'part'}, fillOpacity: {scale: 'opacity', field: 'part'},
      tooltip: {field: 'tip'}, description: {field: 'tip'}}}}]
  });
}

function heatMap(size, theme, cells, name) {
  var label = function (number) { return String(parseFloat(digits(number, 2))); };
  var data = cells.map(function (cell) {
    return {x: label(cell.bandwidth), y: label(cell.compute), speedup: cell.speedup, text: digits(cell.speedup, 2),
            tip: name + ' at ' + gbps(cell.bandwidth * 1e9) + ', compute ' + label(cell.compute) + ' × as fast: ' +
              times(cell.speedup) + ' (' + ms(cell.baseline) + ' without, ' + ms(cell.seconds) + ' with)'};
  });
  var own = function (key) {
    var seen = [];
    data.forEach(function (cell) { if (seen.indexOf(cell[key]) < 0) seen.push(cell[key]); });
    return seen;
  };
  var roomy = size.width / own('x').length > 30;
  return base(size, 'Heat map: how many times as fast as float32 training is with ' + name +
                    ', over bandwidth and compute speed.', {
    data: [{name: 'cells', values: data}],
    scales: [{name: 'x', type: 'band', domain: own('x'), range: 'width'},
             {name: 'y', type: 'band', domain: own('y').reverse(), range: 'height'},
             {name: 'fill', type: 'threshold', domain: speedupSteps, range: theme.speedups},
             {name: 'ink', type: 'threshold', domain: speedupSteps, range: theme.onSpeedups}],
    axes: [axis('bottom', 'x', 'bandwidth between nodes, Gbps', {grid: false}),
           axis('left', 'y', 'GPU so many times as fast', {grid: false})],
    legends: [{fill: 'fill', orient: 'top', direction: 'horizontal', title: 'times as fast as float32', type: 'symbol',
               symbolType: 'square', symbolSize: 120, columns: size.width < 480 ? 3 : size.width < 700 ? 4 : 7,
               encode: {labels: {update: {text: {signal:
                 "['below 0.5', '0.5 to 0.77', '0.77 to 0.97', 'no difference', '1.03 to 1.3', '1.3 to 2', 'above 2'][datum.index]"
               }}}}}],
    marks: [{type: 'rect', from: {data: 'cells'}, encode: {update: {
      x: {scale: 'x', field: 'x'}, width: {scale: 'x', band: 1}, y: {scale: 'y', field: 'y'}, height: {scale: 'y', band: 1},
      fill: {scale: 'fill', field: 'speedup'}, stroke: {value: theme.ground}, strokeWidth: {value: 1},
      tooltip: {field: 'tip'}, description: {field: 'tip'}}}}].concat(roomy ? [{
        type: 'text', from: {data: 'cells'}, interactive: false, aria: false, encode: {update: {
          x: {scale: 'x', field: 'x', band: 0.5}, y: {scale: 'y', field: 'y', band: 0.5}, align: {value: 'center'},
          baseline: {value: 'middle'}, fontSize: {value: 10}, fill: {scale: 'ink', field: 'speedup'},
          text: {field: 'text'}}}}] : [])
  });
}

function planeChart(size, theme, plane, bandwidth) {
  var costly = plane.points.filter(function (point) { return point.seconds > 0; });
  var data = costly.map(function (point) {
    return {name: shortName(point.series), ratio: point.ratio, ms: point.seconds * 1e3, outcome: point.outcome,
            tip: shortName(point.series) + ': sends 1/' + digits(point.ratio, 3) + ', encode and decode take ' +
              ms(point.seconds) + ' (' + point.standing + '): ' + times(point.speedup) + ' float32'};
  });
  var outcomes = ['win', 'tie', 'loss'];
  var lines = plane.lines.map(function (line) {
    return {family: line.family, ratio: line.ratio, ms: line.seconds * 1e3};
  });
  return base(size, 'Schemes by how much less they send and how long encoding and decoding take; below its boundary a scheme' +
                    ' is faster than float32 at ' + bandwidth + '.', {
    data: [{name: 'points', values: data}, {name: 'lines', values: lines}],
    scales: [{name: 'x', type: 'log', domain: {fields: [{data: 'points', field: 'ratio'}, {data: 'lines', field: 'ratio'}]},
              range: 'width', nice: true},
             {name: 'y', type: 'log', domain: {fields: [{data: 'points', field: 'ms'}, {data: 'lines', field: 'ms'}]},
              range: 'height', nice: true},
             {name: 'fill', type: 'ordinal', domain: outcomes, range: [theme.speedups[6], theme.half, theme.speedups[0]]},
             {name: 'mark', type: 'ordinal', domain: outcomes, range: ['circle', 'square', 'triangle-down']},
             {name: 'dash', type: 'ordinal', domain: ['boundary, all-reduced', 'boundary, all-gathered'],
              range: [[1, 0], [4, 4]]}],
    axes: [axis('bottom', 'x', 'payload over wire bytes', {format: '~r', tickCount: 4}),
           axis('left', 'y', 'encode and decode, ms', {format: '~r', tickCount: 4})],
    legends: [{fill: 'fill', shape: 'mark', orient: 'top', direction: 'horizontal'},
              {strokeDash: 'dash', orient: 'top', direction: size.width < 480 ? 'vertical' : 'horizontal',
               symbolType: 'stroke', symbolSize: 300, symbolStrokeColor: theme.strong}],
    marks: [
      {type: 'group', from: {facet: {name: 'line', data: 'lines', groupby: 'family'}}, marks: [
        {type: 'line', from: {data: 'line'}, aria: false, encode: {update: {
          x: {scale: 'x', field: 'ratio'}, y: {scale: 'y', field: 'ms'}, stroke: {value: theme.strong},
          strokeWidth: {value: 1.5}, strokeDash: {scale: 'dash', field: 'family'}}}}]},
      {name: 'symbols', type: 'symbol', from: {data: 'points'}, encode: {update: {
        x: {scale: 'x', field: 'ratio'}, y: {scale: 'y', field: 'ms'}, shape: {scale: 'mark', field: 'outcome'},
        fill: {scale: 'fill', field: 'outcome'}, size: {value: 90}, stroke: {value: theme.ground},
        tooltip: {field: 'tip'}, description: {field: 'tip'}}}},
      {type: 'text', from: {data: 'symbols'}, interactive: false, aria: false,
       encode: {update: {text: {field: 'datum.name'}, fontSize: {value: 10.5}, fill: {value: theme.text}}},
       transform: [{type: 'label', size: {signal: '[width, height]'}, padding: 0, offset: [3], avoidBaseMark: false,
                    anchor: ['right', 'left', 'top', 'bottom', 'top-right', 'bottom-right', 'top-left', 'bottom-left']}]}]
  });
}

// Zooms by the signal `shown`: [first, last] in milliseconds. Ctrl and the wheel, dragging, or a button's `step`.
function timelineChart(size, theme, intervals, description) {
  var end = 0;
  intervals.forEach(function (interval) { end = Math.max(end, interval.end); });
  var lanes = [];
  intervals.forEach(function (interval) { if (lanes.indexOf(interval.lane) < 0) lanes.push(interval.lane); });
  lanes.sort(function (a, b) { return (a.indexOf('float32') === 0 ? 0 : 1) - (b.indexOf('float32') === 0 ? 0 : 1); });
  var shown = Object.keys(theme.parts).filter(function (name) {
    return intervals.some(function (interval) { return interval.activity === name; });
  });
  var clamp = function (from, to) {
    return '[max(0, ' + from + '), min(end, ' + to + ')]';
  };
  return base(size, description, {
    signals: [
      {name: 'end', value: end},
      {name: 'down', value: null, on: [{events: 'mousedown, touchstart', update: 'xy()'}, {events: 'touchend', update: 'null'}]},
      {name: 'start', value: null, on: [{events: 'mousedown, touchstart', update: 'slice(shown)'}]},
      {name: 'moved', value: 0, on: [{events: [
        {source: 'window', type: 'mousemove', consume: true, between: [{type: 'mousedown'}, {source: 'window', type: 'mouseup'}]},
        {type: 'touchmove', consume: true, filter: 'event.touches.length === 1'}], update: 'down ? (down[0] - x()) / width : 0'}]},
      {name: 'anchor', value: 0, on: [{events: 'wheel', update: "invert('x', x())"}]},
      {name: 'zoom', value: 1, on: [{events: {type: 'wheel', consume: true, filter: 'event.ctrlKey || event.metaKey'},
                                     force: true, update: 'pow(1.002, event.deltaY * pow(16, event.deltaMode))'}]},
      {name: 'shown', value: [0, end], on: [
        {events: {signal: 'moved'}, update:
          '[clamp(start[0] + span(start) * moved, 0, end - span(start)), ' +
          'clamp(start[0] + span(start) * moved, 0, end - span(start)) + span(start)]'},
        {events: {signal: 'zoom'}, update: clamp('anchor + (shown[0] - anchor) * zoom', 'anchor + (shown[1] - anchor) * zoom')}]}
    ],
    data: [{name: 'intervals', values: intervals.map(function (one) {
      var tip = one.who + ', rank ' + one.rank + ', ' + one.activity + ' ' + one.label + ': ' + digits(one.start, 5) + ' to ' +
        digits(one.end, 5) + ' ms (' + digits(one.end - one.start, 4) + ' ms)';
      if (one.activity === 'communication') {
        tip += ', ' + bytesText(one.payload) + ' of this rank, ' + bytesText(one.sent) + ' sent by it, ' +
          digits(one.latency, 3) + ' ms of it latency, ' + digits(one.waiting, 3) + ' ms waiting for ranks';
      }
      return {lane: one.lane, activity: one.activity, start: one.start, end: one.end, tip: tip};
    })}],
    scales: [{name: 'x', domain: {signal: 'shown'}, range: 'width'},
             {name: 'y', type: 'band', domain: lanes, range: 'height', padding: 0.2},
             {name: 'colour', type: 'ordinal', domain: shown, range: shown.map(function (name) { return theme.parts[name]; })}],
    axes: [axis('bottom', 'x', 'ms from the start of the backward pass', {tickCount: 8}),
           axis('left', 'y', null, {grid: false, labelLimit: size.width < 480 ? 130 : 260})],
    legends: [{fill: 'colour', orient: 'top', columns: legendColumns(size, shown), symbolType: 'square'}],
    marks: [{type: 'group', clip: true, encode: {update: {width: {signal: 'width'}, height: {signal: 'height'}}}, marks: [
      {type: 'rect', from: {data: 'intervals'}, aria: false, encode: {update: {
        x: {scale: 'x', field: 'start'}, x2: {scale: 'x', field: 'end'}, y: {scale: 'y', field: 'lane'},
        height: {scale: 'y', band: 1}, fill: {scale: 'colour', field: 'activity'}, stroke: {value: theme.ground},
        strokeWidth: {value: 0.5}, tooltip: {field: 'tip'}}}}]}]
  });
}

// All charts of a row: {id, title, note, rows (the same as a table), spec(size, theme), height}. What has nothing to show
// says why in `note` and has no spec.
function chartsOf(row) {
  nameCompressors(row);
  var swept = report.workloads[sweptWorkload(row)] || {name: ''};
  var chosen = rowOfCell(report.chosen);
  var setting = value('workers', row) + ' workers';
  var around = chosen < 0 ? '' : value('workers', chosen) + ' workers, ' + gridOf(chosen).name;
  var compressor = sweptCompressor(row);
  var charts = [];
  var add = function (id, title, note, header, rows, height, spec) {
    charts.push({id: id, title: title, note: note, header: header, rows: rows, height: height,
                 spec: rows.length > 0 ? spec : null});
  };
  var timeRows = function (points) {
    return points.map(function (point) { return [shortName(point.series), point.x, point.seconds]; });
  };
  var single = function (points, name, text) {
    return points.length > 0 && points.every(function (point) { return point.x === points[0].x; })
      ? 'The study has one ' + name + ' here: ' + points[0].x + '. ' + text : text;
  };

  var parts = timeParts(row);
  add('parts', 'Where the time goes', workloadOf(row).name + ', ' + setting + ' at ' +
      gbps(value('bandwidth_bits_per_s', row)) + '.', ['compressor', 'part', 'seconds'],
      parts.map(function (part) { return [shortName(part.series), part.part, part.seconds]; }),
      110 + 24 * distinctOf(parts, 'series').length,
      function (size, theme) { return partsChart(size, theme, parts); });

  var workers = timesOverWorkers(row);
  add('workers', 'Time over workers', single(workers, 'count of workers', workloadOf(row).name + ' at ' +
      gbps(value('bandwidth_bits_per_s', row)) + '.'), ['compressor', 'workers', 'seconds'], timeRows(workers), 300,
      function (size, theme) {
        return lineChart(size, theme, workers, {x: 'workers', y: 'backward + synchronisation, ms', unit: 'workers',
          values: distinctOf(workers, 'x'), description: 'Lines: time over workers for every compressor, ' + workloadOf(row).name});
      });

  var bandwidth = timesOverBandwidth(row);
  add('bandwidth', 'Time over bandwidth', bandwidth.length === 0 ? 'Not drawn: ' + report.why_no_sweeps + '.'
      : single(bandwidth, 'bandwidth', swept.name + ', ' + around + '.'), ['compressor', 'Gbps', 'seconds'],
      timeRows(bandwidth), 300, function (size, theme) {
        return lineChart(size, theme, bandwidth, {x: 'bandwidth between nodes, Gbps', y: 'backward + synchronisation, ms',
          unit: 'Gbps', dense: true, values: [1, 2, 4, 10, 20, 40],
          rules: [value('bandwidth_bits_per_s', row) / 1e9],
          description: 'Lines: time over bandwidth for every compressor, ' + swept.name});
      });

  var batch = timesOverBatch(row);
  add('batch', 'Time over batch', batch.length === 0 ? 'Not drawn: the batch of this workload is not known.'
      : single(batch, 'batch', workloadOf(row).name.replace(/-b\d+$/, '') + ', ' + setting + ' at ' +
               gbps(value('bandwidth_bits_per_s', row)) + '.'), ['compressor', 'samples a GPU', 'seconds'], timeRows(batch), 300,
      function (size, theme) {
        return lineChart(size, theme, batch, {x: 'samples a GPU', y: 'backward + synchronisation, ms', unit: 'samples a GPU',
          values: distinctOf(batch, 'x'), description: 'Lines: time over batch for every compressor'});
      });

  var map = speedupMap(row);
  add('map', 'Speed-up over bandwidth and compute', map.length === 0 ? 'Not drawn: ' +
      (report.why_no_sweeps || 'there is no compressor') + '.'
      : shortName(compressor) + ' on ' + swept.name + ', ' + around + '; encode and decode as they are.',
      ['Gbps', 'compute factor', 'speed-up ratio'],
      map.map(function (cell) { return [cell.bandwidth, cell.compute, cell.speedup]; }), 330,
      function (size, theme) { return heatMap(size, theme, map, shortName(compressor)); });

  var budgets = codecBudgets(row);
  add('budgets', 'Break-even: how long encode and decode may take', budgets.lines.length === 0
      ? 'Not drawn: ' + (report.why_no_sweeps || 'it is known for compression after the backward pass alone') + '.'
      : swept.name + ', ' + around + '. Below its line a compressor pays; a diamond is where its own time meets it.',
      ['compressor', 'Gbps', 'seconds'], timeRows(budgets.lines), 330,
      function (size, theme) {
        return lineChart(size, theme, budgets.lines.map(function (line) {
          return Object.assign({low: null, high: null}, line);
        }), {x: 'bandwidth between nodes, Gbps', y: 'encode and decode, ms', unit: 'Gbps', dense: true,
             values: [1, 2, 4, 10, 20, 40], roots: budgets.roots, rules: [value('bandwidth_bits_per_s', row) / 1e9],
             description: 'Lines: the encode and decode time at which each compressor breaks even, over bandwidth'});
      });

  var plane = codecPlane(row);
  add('plane', 'Encode time against ratio', plane.points.length === 0 ? 'Not drawn: there is no compressor with costs here.'
      : swept.name + ', ' + around + ' at ' + gbps(value('bandwidth_bits_per_s', chosen)) +
        '. Below its boundary a scheme pays.', ['compressor', 'payload over wire', 'encode and decode seconds', 'speed-up ratio'],
      plane.points.map(function (point) { return [shortName(point.series), point.ratio, point.seconds, point.speedup]; }), 330,
      function (size, theme) {
        return planeChart(size, theme, plane, gbps(value('bandwidth_bits_per_s', chosen)));
      });

  var intervals = chosen < 0 ? [] : timelineIntervals(compressor);
  add('timeline', 'Timeline', chosen < 0 ? 'Not drawn: no cell has an answer.' : workloadOf(chosen).name + ', ' + around + ' at ' +
      gbps(value('bandwidth_bits_per_s', chosen)) + ', ' + shortName(compressor) + ' below float32, the rank that ends last.',
      ['compressor', 'activity', 'name', 'start ms', 'end ms', 'payload bytes', 'sent bytes'],
      intervals.map(function (one) {
        return [one.who, one.activity, one.label, one.start, one.end, one.payload, one.sent];
      }), 260, function (size, theme) {
        return timelineChart(size, theme, intervals, 'Timeline: kernels and collectives of one backward pass, ' +
          'without and with ' + shortName(compressor));
      });
  return charts;
}

function distinctOf(values, key) {
  var seen = [];
  values.forEach(function (one) { if (seen.indexOf(one[key]) < 0) seen.push(one[key]); });
  return seen;
}
