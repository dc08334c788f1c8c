// Puts the figures on the page and follows the reader's choice.

var darkness = window.matchMedia('(prefers-color-scheme: dark)');
var current = rowOfCell(report.chosen);
var views = {};
var opened = {};
var printing = false;

function byId(id) { return document.getElementById(id); }
function theme() { return darkness.matches && !printing ? themes.dark : themes.light; }

function badge(standing) {
  return element('span', {class: 'badge ' + (isFirm(standing) ? 'firm' : 'soft')}, [standing]);
}

// The question ------------------------------------------------------------------------------------------------------

var axisNames = {grid: 'grid', workload: 'workload', workers: 'workers', bandwidth_bits_per_s: 'bandwidth',
                 nic_latency_s: 'latency', compute_speedup_factor: 'compute', what_if: 'what if',
                 shuffle_seed: 'nodes', compressor: 'compressor', encode_divisor_factor: 'encode time divided by', payload_factor: 'payload times'};

function axisText(axis, content) {
  if (axis === 'bandwidth_bits_per_s') return gbps(content);
  if (axis === 'nic_latency_s') return parseFloat(digits(content * 1e6, 3)) + ' µs';
  if (axis === 'compute_speedup_factor') return content + ' × as fast';
  if (axis === 'compressor') return report.labels[content] || content;
  if (axis === 'grid' && content === '') return 'the only one';
  if (axis === 'what_if' && content === '') return 'as it is';
  if (axis === 'shuffle_seed') return content === '' ? 'in order' : 'by seed ' + content;
  return String(content);
}

// The row that differs from the current one in `axis` and, as far as there is one, in nothing else.
function rowWith(axis, wanted) {
  var best = current;
  var most = -1;
  allRows.forEach(function (row) {
    if (value(axis, row) !== wanted || mainTime(row) === null) return;
    var same = axes.filter(function (other) { return value(other, row) === value(other, current); }).length;
    if (same > most) { most = same; best = row; }
  });
  return best;
}

function drawControls() {
  var form = byId('controls');
  var focused = document.activeElement && document.activeElement.id;
  form.textContent = '';
  axes.forEach(function (axis) {
    var rows = axis === 'grid' ? allRows : allRows.filter(function (row) {
      return report.grid_of_row[row] === report.grid_of_row[current] && mainTime(row) !== null;
    });
    var values = distinct(rows, axis);
    if (values.length < 2) return;
    var select = element('select', {id: 'axis-' + axis});
    values.forEach(function (content, i) {
      var option = element('option', {value: i}, [axisText(axis, content)]);
      option.selected = content === value(axis, current);
      select.appendChild(option);
    });
    select.addEventListener('change', function () { show(rowWith(axis, values[select.selectedIndex])); });
    form.appendChild(element('label', {}, [axisNames[axis], select]));
  });
  if (focused && byId(focused)) byId(focused).focus();
}

// The first screen --------------------------------------------------------------------------------------------------

function verdictTable() {
  var rows = rowsLike(current, ['workload']);
  var header = ['workload', 'float32 ms', 'compressed ms', 'times as fast', 'band', 'over fp16', 'verdict', 'pays at bandwidths',
                'encode + decode ms', 'pays with encode + decode', 'pays on GPUs so fast', 'encode time is'];
  var content = rows.map(function (row) {
    var point = pointOf(row);
    var speedup = value('speedup_over_float32_ratio', row);
    var milliseconds = function (seconds) { return seconds === null ? null : seconds * 1e3; };
    return [workloadOf(row).name, milliseconds(value('float32_backward_sync_s', row)), milliseconds(mainTime(row)), speedup,
            speedup === null ? '' : digits(value('speedup_over_float32_low_ratio', row), 3) + ' to ' +
              digits(value('speedup_over_float32_high_ratio', row), 3),
            value('speedup_over_fp16_ratio', row), speedup === null ? '' : {win: 'faster', tie: 'no difference',
                                                                            loss: 'slower'}[outcomeOf(speedup)],
            holdsText(breakEven(point, 'bandwidth'), gbps), milliseconds(codecTime(row)),
            holdsText(breakEven(point, 'codec'), ms), holdsText(breakEven(point, 'compute'), times),
            value('encode_standing', row)];
  });
  var show_ = function (text, column, i) {
    if (column === 0) {
      var pick = element('button', {type: 'button', class: 'pick'}, [text]);
      pick.addEventListener('click', function () { show(rows[i]); });
      return pick;
    }
    if (column === 1 || column === 2 || column === 8) return text === null ? '–' : digits(text, 4);
    if (column === 3 || column === 5) return text === null ? '–' : digits(text, 3);
    if (column === 6 && text) return element('strong', {class: 'outcome ' + outcomeOf(content[i][3])}, [text]);
    if (column === 11 && text) return badge(text);
    return text || '–';
  };
  return sortableTable(shortName(value('compressor', current)) + ' at ' + gbps(value('bandwidth_bits_per_s', current)) + ' on ' +
                       value('workers', current) + ' GPUs, against float32', header, content,
                       {show: show_, current: rows.indexOf(current)});
}

function drawWords() {
  var words = byId('words');
  words.textContent = '';
  cellSentences(current).forEach(function (sentence) { words.appendChild(element('p', {}, [sentence])); });
  var rests = restsOn(current);
  if (rests.length === 0) return;
  var line = element('p', {class: 'rests'}, ['Rests on: ']);
  rests.forEach(function (note) {
    line.appendChild(element('span', {}, [note[0] + ' ']));
    line.appendChild(badge(note[1]));
    line.appendChild(element('span', {}, [' ' + note[2] + '. ']));
  });
  words.appendChild(line);
}

function drawCounts() {
  var box = byId('counts');
  box.textContent = '';
  var grid = report.grid_of_row[current];
  var rows = allRows.filter(function (row) { return report.grid_of_row[row] === grid; });
  box.appendChild(element('h2', {}, ['The whole grid']));
  box.appendChild(element('p', {}, [gridOf(current).description || gridOf(current).cluster]));
  var list = element('dl');
  ['float32', 'fp16'].forEach(function (baseline) {
    var count = countOf(rows, baseline);
    if (count.cells === 0) return;
    list.appendChild(element('dt', {}, ['against ' + baseline]));
    list.appendChild(element('dd', {'data-count': baseline}, [count.win + ' of ' + plural(count.cells, 'cell', 'cells') + ' win (' +
      digits(count.win / count.cells * 100, 3) + ' %), ' + count.tie + ' tie, ' + count.loss + ' lose']));
  });
  box.appendChild(list);
  var compressed = rows.filter(isCompressed);
  var firm = function (column) {
    return compressed.filter(function (row) { return isFirm(value(column, row)); }).length;
  };
  if (compressed.length > 0) {
    box.appendChild(element('p', {class: 'rests'}, [firm('compute_standing') + ' of ' + compressed.length +
      ' compressed cells rest on measured compute, ' + firm('encode_standing') + ' on measured encode times.']));
  }
}

// Charts ------------------------------------------------------------------------------------------------------------

function showTooltip(_, event, item, text) {
  var box = byId('tooltip');
  box.hidden = !text;
  if (!text) return;
  box.textContent = text;
  var left = Math.min(event.clientX + 12, window.innerWidth - box.offsetWidth - 8);
  var top = event.clientY + 16;
  if (top + box.offsetHeight > window.innerHeight) top = event.clientY - box.offsetHeight - 12;
  box.style.left = Math.max(4, left) + 'px';
  box.style.top = Math.max(4, top) + 'px';
}

function timelineButtons(view) {
  var box = element('div', {class: 'buttons', role: 'group', 'aria-label': 'Zoom of the timeline'});
  var step = function (name, from, to) {
    var button = element('button', {type: 'button'}, [name]);
    button.addEventListener('click', function () {
      var end = view.signal('end');
      var shown = view.signal('shown');
      var span = shown[1] - shown[0];
      var first = shown[0] + from * span;
      var last = shown[0] + to * span;
      if (first < 0) { last = Math.min(end, last - first); first = 0; }
      if (last > end) { first = Math.max(0, first - (last - end)); last = end; }
      view.signal('shown', [first, last]).runAsync();
    });
    box.appendChild(button);
  };
  step('Zoom in', 0.25, 0.75);
  step('Zoom out', -0.5, 1.5);
  step('Earlier', -0.5, 0.5);
  step('Later', 0.5, 1.5);
  step('All', -1e9, 1e9);
  box.appendChild(element('span', {class: 'note'}, ['Ctrl and the wheel zoom, dragging moves.']));
  return box;
}

function drawChart(chart) {
  var figure = element('figure', {id: 'chart-' + chart.id});
  figure.appendChild(element('figcaption', {}, [element('h2', {}, [chart.title]), element('p', {class: 'note'}, [chart.note])]));
  byId('charts').appendChild(figure);
  if (!chart.spec) return;
  var place = element('div', {class: 'chart'});
  figure.appendChild(place);
  var size = {width: Math.max(240, Math.floor(place.getBoundingClientRect().width)), height: chart.height};
  var view = new vega.View(vega.parse(chart.spec(size, theme()), config(theme())), {renderer: 'svg', hover: true, container: place})
    .tooltip(showTooltip);
  views[chart.id] = view;
  view.runAsync().catch(function (error) { console.error(chart.id + ': ' + error.message); });
  if (chart.id === 'timeline') figure.appendChild(timelineButtons(view));
  var details = element('details', {}, [element('summary', {}, ['As a table'])]);
  details.addEventListener('toggle', function () {
    opened[chart.id] = details.open;
    if (details.open && details.children.length === 1) details.appendChild(sortableTable(chart.title, chart.header, chart.rows));
  });
  details.open = Boolean(opened[chart.id]);
  figure.appendChild(details);
}

function drawCharts() {
  Object.keys(views).forEach(function (id) { views[id].finalize(); });
  views = {};
  byId('charts').textContent = '';
  chartsOf(current).forEach(drawChart);
}

// The page ----------------------------------------------------------------------------------------------------------

function show(row) {
  current = row;
  nameCompressors(row);
  drawControls();
  byId('question').textContent = isCompressed(row) ? questionText(row) : 'How long does an iteration take?';
  byId('answer').textContent = answerText(row);
  byId('verdicts').textContent = '';
  byId('verdicts').appendChild(verdictTable());
  drawWords();
  drawCounts();
  drawCharts();
}

function drawTables() {
  var place = byId('tables');
  var add = function (title, make) {
    var details = element('details', {}, [element('summary', {}, [title])]);
    details.addEventListener('toggle', function () {
      if (details.open && details.children.length === 1) details.appendChild(make());
    });
    place.appendChild(details);
  };
  place.appendChild(element('h2', {}, ['Tables']));
  var names = report.columns.map(function (column) { return column.name; });
  add('All cells (' + allRows.length + '), as in results.csv', function () {
    return sortableTable('Cells', ['cell'].concat(names), allRows.map(function (row) {
      return [report.cells[row]].concat(names.map(function (name) { return value(name, row); }));
    }));
  });
  if (report.claims.length > 0) {
    add('What others found, beside ours (' + report.claims.length + ')', function () {
      return sortableTable('Claims', ['claim', 'theirs from', 'to', 'ours', 'unit', 'standing', 'source'],
        report.claims.map(function (claim) {
          return [claim.claim, claim.low, claim.high, claim.ours, claim.unit, claim.standing, claim.source];
        }));
    });
  }
  add('What the answers rest on (' + (report.basis.length + report.warnings.length) + ')', function () {
    return sortableTable('Assumptions and warnings', ['kind', 'sentence'],
      report.warnings.map(function (text) { return ['warning', text]; })
        .concat(report.basis.map(function (text) { return ['assumed', text]; })));
  });
}

function start() {
  document.title = 'gradwire: ' + report.study.name;
  byId('study').textContent = 'gradwire study ' + report.study.name +
    (report.study.description ? ': ' + report.study.description : '') + '. ' +
    plural(report.study.cells, 'cell', 'cells') + '.';
  byId('made').textContent = 'Times are backward pass plus synchronisation, simulated. The same numbers in full: results.csv.';
  if (report.study.missing + report.study.failed > 0) {
    byId('missing').hidden = false;
    byId('missing').textContent = 'This study is unfinished: ' + report.study.missing + ' of ' +
      plural(report.study.cells, 'cell is', 'cells are') + ' missing, ' + report.study.failed + ' failed.';
  }
  drawTables();
  if (current < 0) {
    byId('answer').textContent = 'No cell of this study has an answer yet.';
    return;
  }
  show(current);
  var width = byId('charts').clientWidth;
  var pending = null;
  window.addEventListener('resize', function () {
    clearTimeout(pending);
    pending = setTimeout(function () {
      if (printing || byId('charts').clientWidth === width) return;
      width = byId('charts').clientWidth;
      drawCharts();
    }, 150);
  });
  darkness.addEventListener('change', drawCharts);
  window.addEventListener('beforeprint', function () { printing = true; drawCharts(); });
  window.addEventListener('afterprint', function () { printing = false; drawCharts(); });
}

start();
