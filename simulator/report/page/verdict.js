// The answer in words, and what would have to change.

function plural(count, one, many) { return count + ' ' + (count === 1 ? one : many); }

function pointOf(row) {
  var cell = report.cells[row];
  return report.points.filter(function (point) { return point.cell === cell; })[0];
}

// "up to 14.2 Gbps", "from 0.8 Gbps to 14.2 Gbps", "nowhere from 0.1 Gbps to 400 Gbps", "everywhere from ..." of one unknown.
function holdsText(found, show) {
  if (!found) return '–';
  if (found.holds.length === 0) return 'nowhere from ' + show(found.low) + ' to ' + show(found.high);
  return found.holds.map(function (interval) {
    var from = interval[0] > found.low;
    var to = interval[1] < found.high;
    if (from && to) return show(interval[0]) + ' to ' + show(interval[1]);
    if (to) return 'up to ' + show(interval[1]);
    if (from) return 'from ' + show(interval[0]);
    return 'all from ' + show(found.low) + ' to ' + show(found.high);
  }).join(', ');
}

function questionText(row) {
  return 'Does ' + shortName(value('compressor', row)) + ' help at ' + gbps(value('bandwidth_bits_per_s', row)) + ' on ' +
    value('workers', row) + ' GPUs?';
}

function answerText(row) {
  var rows = rowsLike(row, ['workload']).filter(isCompressed);
  var names = {win: [], tie: [], loss: []};
  rows.forEach(function (other) {
    names[outcomeOf(value('speedup_over_float32_ratio', other))].push(workloadOf(other).name);
  });
  if (rows.length === 0) return 'This study asks no compressor here.';
  if (rows.length === 1) return outcomeSentence(rows[0]);
  if (names.win.length === rows.length) return 'Yes: it is faster than float32 training on all ' + rows.length + ' workloads.';
  if (names.win.length === 0) {
    return 'No: on none of ' + rows.length + ' workloads is it faster than float32 training by more than ' +
      digits(report.study.tie_band * 100, 1) + ' %.';
  }
  var answer = 'It depends on the model: faster than float32 training on ' + names.win.length + ' of ' + rows.length +
    ' workloads (' + names.win.join(', ') + ')';
  if (names.tie.length > 0) answer += ', no difference on ' + names.tie.join(', ');
  if (names.loss.length > 0) answer += ', slower on ' + names.loss.join(', ');
  return answer + '.';
}

function outcomeSentence(row) {
  var speedup = value('speedup_over_float32_ratio', row);
  var head = {win: 'Yes', tie: 'No difference', loss: 'No'}[outcomeOf(speedup)];
  return head + ': ' + times(speedup) + ' as fast as float32 training.';
}

// The sentences about one cell: the answer with its band, why, what would have to change, what it rests on.
function cellSentences(row) {
  var sentences = [];
  var workload = workloadOf(row).name;
  if (mainTime(row) === null) return [workload + ': this cell has no answer: ' + value('failure', row) + '.'];
  if (!isCompressed(row)) {
    return [workload + ': ' + ms(mainTime(row)) + ' for backward and synchronisation, ' + ms(value('compute_s', row)) +
            ' of it the backward pass.'];
  }
  var speedup = value('speedup_over_float32_ratio', row);
  var half = value('speedup_over_fp16_ratio', row);
  sentences.push(workload + ': ' + ms(mainTime(row)) + ' instead of ' + ms(value('float32_backward_sync_s', row)) +
    ' for backward and synchronisation, ' + times(speedup) + ' as fast (' + times(value('speedup_over_float32_low_ratio', row)) +
    ' to ' + times(value('speedup_over_float32_high_ratio', row)) + ' inside the assumptions’ bands)' +
    (half === null ? '.' : '; ' + times(half) + ' over plain fp16 gradients.'));
  var waits = value('float32_backward_sync_s', row) - value('compute_s', row);
  sentences.push('Why: float32 training waits ' + ms(waits) + ' beyond its backward pass of ' + ms(value('compute_s', row)) +
    '; with the compressor it is ' + ms(codecTime(row)) + ' of encode and decode and ' +
    ms(mainTime(row) - value('compute_s', row) - codecTime(row)) + ' of all else.');
  var point = pointOf(row);
  var bandwidth = breakEven(point, 'bandwidth');
  if (!bandwidth) {
    sentences.push('What would have to change: not computed for this cell; `gradwire report DIR --cell ' + report.cells[row] +
      '` does' + (report.why_no_sweeps ? ', unless ' + report.why_no_sweeps : '') + '.');
  } else {
    sentences.push('It pays at bandwidths ' + holdsText(bandwidth, gbps) + ' (now ' + gbps(bandwidth.here) + '), or with encode and' +
      ' decode times ' + holdsText(breakEven(point, 'codec'), ms) + ' (now ' + ms(point.encode_s + point.decode_s) +
      '), or on GPUs ' + holdsText(breakEven(point, 'compute'), times) + ' as fast as this one; each alone, all else as it is.');
  }
  return sentences;
}

function isFirm(standing) { return standing === 'measured' || standing === 'interpolated'; }

// What the answer rests on, where that was not measured.
function restsOn(row) {
  if (!isCompressed(row)) return [];
  var notes = [];
  var encode = value('encode_standing', row);
  var compute = value('compute_standing', row);
  notes.push(['encode time', encode, isFirm(encode) ? 'measured on such a device'
    : 'the encode and decode times are ' + encode + ', not measured here: the verdict may turn with them']);
  notes.push(['compute time', compute, isFirm(compute) ? 'kernels as recorded'
    : 'the length of the backward pass is ' + compute + ', not measured']);
  return notes;
}

// {wins, ties, losses, cells, ...} of the compressed rows of a grid, as results.csv has them.
function countOf(rows, baseline) {
  var count = {win: 0, tie: 0, loss: 0, cells: 0};
  rows.forEach(function (row) {
    var speedup = value('speedup_over_' + baseline + '_ratio', row);
    if (speedup === null) return;
    count[outcomeOf(speedup)]++;
    count.cells++;
  });
  return count;
}
