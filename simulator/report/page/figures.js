// What the charts and sentences show, as plain values out of `report` (docs/report.md). Nothing here draws.

var columns = {};
report.columns.forEach(function (column) {
  columns[column.name] = column.texts
    ? column.values.map(function (index) { return column.texts[index]; })
    : column.values;
});

function value(name, row) { return columns[name] ? columns[name][row] : null; }

// What tells one cell from another. A grid has one mode.
var axes = ['grid', 'workload', 'workers', 'bandwidth_bits_per_s', 'nic_latency_s', 'compute_speedup_factor',
            'what_if', 'shuffle_seed', 'compressor', 'encode_divisor_factor', 'payload_factor'];

// Rows are numbers: positions in every column.
var allRows = report.cells.map(function (_, row) { return row; });

function rowOfCell(cell) { return report.cells.indexOf(cell); }

// The answered rows that stand where `row` does on all axes but the free ones. An encode divisor moves the payload with it.
function rowsLike(row, free) {
  return allRows.filter(function (other) {
    return mainTime(other) !== null && axes.every(function (axis) {
      return free.indexOf(axis) >= 0 ||
        (axis === 'grid' ? report.grid_of_row[other] === report.grid_of_row[row] : value(axis, other) === value(axis, row));
    });
  });
}

function distinct(rows, name) {
  var seen = [];
  rows.forEach(function (row) {
    var here = value(name, row);
    if (seen.indexOf(here) < 0) seen.push(here);
  });
  return seen;
}

function gridOf(row) { return report.grids[report.grid_of_row[row]]; }
function workloadOf(row) { return report.workloads[report.workload_of_row[row]]; }

// Backward plus synchronisation in seconds, by the grid's first estimator; null where the cell has no answer.
function mainTime(row) { return value(gridOf(row).estimator + '_backward_sync_s', row); }

function isCompressed(row) { return value('speedup_over_float32_ratio', row) !== null; }

function codecTime(row) { return value('encode_s', row) + value('decode_s', row); }

// Numbers as people read them ---------------------------------------------------------------------------------------

function digits(number, count) {
  if (number === null || number === undefined || !isFinite(number)) return '–';
  var size = number === 0 ? 0 : Math.floor(Math.log10(Math.abs(number)));
  return number.toFixed(Math.max(0, Math.min(6, count - 1 - size)));
}

function ms(seconds) { return seconds === null ? '–' : digits(seconds * 1e3, 4) + ' ms'; }
function gbps(bits) { return parseFloat(digits(bits / 1e9, 3)) + ' Gbps'; }
function times(ratio) { return (ratio === null ? '–' : parseFloat(digits(ratio, 3))) + ' ×'; }
function bytesText(bytes) {
  var units = ['B', 'kB', 'MB', 'GB'];
  var unit = 0;
  while (bytes >= 1000 && unit < 3) { bytes /= 1000; unit++; }
  return parseFloat(digits(bytes, 3)) + ' ' + units[unit];
}

// "powersgd rank=4": of the parameters those that differ among the grid's compressors of the same scheme.
var shortNames = {none: 'float32', fp16: 'fp16'};

function nameCompressors(row) {
  var parsed = {};
  distinct(allRows.filter(function (other) { return report.grid_of_row[other] === report.grid_of_row[row]; }), 'compressor')
    .concat(report.timelines.map(function (one) { return one.compressor; })).forEach(function (spelling) {
      var parts = (report.labels[spelling] || spelling).split(':');
      var parameters = {};
      (parts[1] || '').split(',').filter(Boolean).forEach(function (pair) {
        parameters[pair.split('=')[0]] = pair.split('=')[1];
      });
      parsed[spelling] = {scheme: parts[0], parameters: parameters};
    });
  shortNames = {none: 'float32', fp16: 'fp16'};
  Object.keys(parsed).forEach(function (spelling) {
    if (spelling === 'none' || spelling === 'fp16') return;
    var own = parsed[spelling];
    var kept = Object.keys(own.parameters).filter(function (key) {
      return Object.keys(parsed).some(function (other) {
        return parsed[other].scheme === own.scheme && parsed[other].parameters[key] !== own.parameters[key];
      });
    });
    shortNames[spelling] = [own.scheme].concat(kept.map(function (key) { return key + '=' + own.parameters[key]; })).join(' ');
  });
}

function shortName(spelling) { return shortNames[spelling] || report.labels[spelling] || spelling; }

function outcomeOf(speedup) {
  if (speedup > 1 - report.study.tie_band && speedup < 1 + report.study.tie_band) return 'tie';
  return speedup > 1 ? 'win' : 'loss';
}

// Figures -----------------------------------------------------------------------------------------------------------

// Lines of time over one axis: the baselines, and every compressor.
function timesOver(row, axis, rows, x) {
  var points = [];
  var baselines = {};
  rows.forEach(function (other) {
    points.push({series: value('compressor', other), x: x(other), seconds: mainTime(other),
                 low: value('assumption_band_low_s', other), high: value('assumption_band_high_s', other)});
    ['float32', 'fp16'].forEach(function (baseline) {
      var time = value(baseline + '_backward_sync_s', other);
      if (time !== null) baselines[baseline + '|' + x(other)] = {series: baseline === 'float32' ? 'none' : 'fp16',
                                                                 x: x(other), seconds: time, low: null, high: null};
    });
  });
  var present = {};
  points.forEach(function (point) { present[point.series + '|' + point.x] = true; });
  Object.keys(baselines).forEach(function (key) {
    var point = baselines[key];
    if (!present[point.series + '|' + point.x]) points.unshift(point);
  });
  return points.sort(function (a, b) { return a.x - b.x; });
}

function timesOverWorkers(row) {
  return timesOver(row, 'workers', rowsLike(row, ['workers', 'compressor']),
                   function (other) { return value('workers', other); });
}

// Workloads of the same trace at other batches.
function timesOverBatch(row) {
  var own = workloadOf(row);
  if (own.batch === null) return [];
  var rows = rowsLike(row, ['workload', 'compressor']).filter(function (other) {
    return workloadOf(other).trace === own.trace && workloadOf(other).batch !== null;
  });
  return timesOver(row, 'batch', rows, function (other) { return workloadOf(other).batch; });
}

function sweepOf(workload, compressor) {
  return report.sweeps.filter(function (sweep) {
    return sweep.workload === workload && sweep.compressor === compressor;
  })[0];
}

// The workload whose sweeps are shown: the row's own where there are any.
function sweptWorkload(row) {
  var own = report.workload_of_row[row];
  return report.sweeps.some(function (sweep) { return sweep.workload === own; })
    ? own : report.workload_of_row[rowOfCell(report.chosen)];
}

// Of the row's compressor where that was swept, else of the chosen cell's.
function sweptCompressor(row) {
  var own = value('compressor', row);
  return own !== 'none' && sweepOf(sweptWorkload(row), own) ? own : value('compressor', rowOfCell(report.chosen));
}

function timesOverBandwidth(row) {
  var rows = rowsLike(row, ['bandwidth_bits_per_s', 'compressor']);
  if (distinct(rows, 'bandwidth_bits_per_s').length > 1) {
    return timesOver(row, 'bandwidth', rows, function (other) { return value('bandwidth_bits_per_s', other) / 1e9; });
  }
  var workload = sweptWorkload(row);
  var from = report.compute_factors.indexOf(1) * report.bandwidths_bits_per_s.length;
  var points = [];
  report.sweeps.forEach(function (sweep) {
    if (sweep.workload !== workload) return;
    report.bandwidths_bits_per_s.forEach(function (bandwidth, i) {
      points.push({series: sweep.compressor, x: bandwidth / 1e9, seconds: sweep.times_s[from + i], low: null, high: null});
    });
  });
  return points;
}

function speedupMap(row) {
  var workload = sweptWorkload(row);
  var with_ = sweepOf(workload, sweptCompressor(row));
  var without = sweepOf(workload, 'none');
  if (!with_ || !without) return [];
  var cells = [];
  report.compute_factors.forEach(function (compute, i) {
    report.bandwidths_bits_per_s.forEach(function (bandwidth, j) {
      var at = i * report.bandwidths_bits_per_s.length + j;
      cells.push({bandwidth: bandwidth / 1e9, compute: compute, speedup: without.times_s[at] / with_.times_s[at],
                  seconds: with_.times_s[at], baseline: without.times_s[at]});
    });
  });
  return cells;
}

function pointsOf(row) {
  var workload = sweptWorkload(row);
  return report.points.filter(function (point) { return point.workload === workload; });
}

function compressorOfCell(cell) {
  var row = rowOfCell(cell);
  return row < 0 ? null : value('compressor', row);
}

function breakEven(point, unknown) {
  return point && point.pays.filter(function (found) { return found.unknown === unknown; })[0];
}

// Budgets of encode and decode over bandwidth, and each compressor's own time where it breaks even.
function codecBudgets(row) {
  var lines = [];
  var roots = [];
  pointsOf(row).forEach(function (point) {
    var compressor = compressorOfCell(point.cell);
    if (compressor === null) return;
    point.budgets_s.forEach(function (budget, i) {
      if (budget > 0) lines.push({series: compressor, x: report.bandwidths_bits_per_s[i] / 1e9, seconds: budget});
    });
    var found = breakEven(point, 'bandwidth');
    if (!found || point.budgets_s.length === 0) return;
    found.holds.forEach(function (interval) {
      if (interval[1] < found.high) {
        roots.push({series: compressor, x: interval[1] / 1e9, seconds: point.encode_s + point.decode_s});
      }
    });
  });
  return {lines: lines, roots: roots};
}

function codecPlane(row) {
  var workload = sweptWorkload(row);
  var points = [];
  pointsOf(row).forEach(function (point) {
    var own = rowOfCell(point.cell);
    if (own < 0 || mainTime(own) === null) return;
    points.push({series: value('compressor', own), ratio: point.payload_bytes / point.wire_bytes,
                 seconds: point.encode_s + point.decode_s, all_reduced: point.all_reduced,
                 speedup: value('speedup_over_float32_ratio', own),
                 outcome: outcomeOf(value('speedup_over_float32_ratio', own)), standing: value('encode_standing', own)});
  });
  var lines = [];
  report.boundaries.forEach(function (boundary) {
    if (boundary.workload !== workload) return;
    boundary.budgets_s.forEach(function (budget, i) {
      if (budget > 0) {
        lines.push({family: boundary.all_reduced ? 'boundary, all-reduced' : 'boundary, all-gathered',
                    ratio: report.ratios[i], seconds: budget});
      }
    });
  });
  return {points: points, lines: lines};
}

var partNames = [['compute_s', 'backward pass'], ['overlap_slowdown_s', 'slowed by communication'], ['encode_s', 'encode'],
                 ['decode_s', 'decode'], ['host_s', 'host'], ['exposed_bandwidth_s', 'waiting for bytes'],
                 ['exposed_latency_s', 'waiting for latency'], ['waiting_for_ranks_s', 'waiting for ranks']];

// The parts of every compressor's time in the row's setting; of the baseline the wait for the network as one part.
function timeParts(row) {
  var parts = [];
  var rows = rowsLike(row, ['compressor']);
  rows.forEach(function (other) {
    partNames.forEach(function (part, order) {
      var seconds = value(part[0], other);
      if (seconds > 0) parts.push({series: value('compressor', other), part: part[1], order: order, seconds: seconds});
    });
  });
  var first = rows.filter(isCompressed)[0];
  if (first !== undefined && !rows.some(function (other) { return value('compressor', other) === 'none'; })) {
    var compute = value('compute_s', first);
    parts.unshift({series: 'none', part: 'beyond the backward pass', order: 8,
                   seconds: value('float32_backward_sync_s', first) - compute});
    parts.unshift({series: 'none', part: 'backward pass', order: 0, seconds: compute});
  }
  return parts;
}

var trackNames = ['compute', 'communication', 'host', 'side stream', 'encode and decode'];

// Intervals of the baseline's and the compressor's timelines, in milliseconds. The fields are those of report_json.
function timelineIntervals(compressor) {
  var intervals = [];
  report.timelines.forEach(function (one) {
    if (one.compressor !== 'none' && one.compressor !== compressor) return;
    one.intervals.forEach(function (fields) {
      if (fields[0] !== one.last_rank) return;
      intervals.push({
        lane: shortName(one.compressor) + ': ' + trackNames[fields[1]], who: shortName(one.compressor), rank: fields[0],
        activity: fields[2], label: fields[3], start: fields[4] / 1e6, end: fields[5] / 1e6, waiting: fields[6] / 1e6,
        latency: fields[7] / 1e6, payload: fields[8], sent: fields[9]
      });
    });
  });
  return intervals;
}
