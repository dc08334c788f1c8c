// Tables that sort by a click or Enter on a column's head and copy themselves as CSV.

// Numbers are shown rounded to six digits at most; copying and sorting take them whole.
function cellText(content) {
  if (content === null || content === undefined) return '';
  if (typeof content !== 'number') return String(content);
  if (Number.isInteger(content)) return String(content);
  return String(parseFloat(content.toPrecision(6)));
}

function csvText(header, rows) {
  return [header].concat(rows).map(function (row) {
    return row.map(function (content) {
      var text = content === null || content === undefined ? '' : String(content);
      return /[",\n\r]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
    }).join(',');
  }).join('\n') + '\n';
}

function element(name, attributes, children) {
  var made = document.createElement(name);
  Object.keys(attributes || {}).forEach(function (key) { made.setAttribute(key, attributes[key]); });
  (children || []).forEach(function (child) {
    made.appendChild(typeof child === 'string' ? document.createTextNode(child) : child);
  });
  return made;
}

function compareCells(a, b) {
  if (a === null || a === undefined) return b === null || b === undefined ? 0 : 1;
  if (b === null || b === undefined) return -1;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
}

// Long tables begin with this many rows.
var firstRows = 200;

// `rows` of plain values; `show` makes what stands in a cell of them: text or an element. `picked` is called with a row's
// position when its first cell is activated.
function sortableTable(caption, header, rows, options) {
  options = options || {};
  var order = rows.map(function (_, i) { return i; });
  var shown = firstRows;
  var body = element('tbody');
  var table = element('table', {}, [element('caption', {}, [caption])]);
  var headRow = element('tr');
  var more = element('button', {type: 'button', class: 'more'});
  function fill() {
    body.textContent = '';
    order.slice(0, shown).forEach(function (i) {
      var line = element('tr', options.current === i ? {'aria-current': 'true'} : {});
      rows[i].forEach(function (content, column) {
        var inside = options.show ? options.show(content, column, i) : cellText(content);
        line.appendChild(element(column === 0 ? 'th' : 'td', Object.assign(column === 0 ? {scope: 'row'} : {},
          typeof content === 'number' ? {class: 'number'} : {}), [inside]));
      });
      body.appendChild(line);
    });
    more.hidden = shown >= rows.length;
    more.textContent = 'Show all ' + rows.length + ' rows';
  }
  header.forEach(function (name, column) {
    var head = element('th', {scope: 'col', 'aria-sort': 'none'});
    var button = element('button', {type: 'button'}, [name]);
    button.addEventListener('click', function () {
      var down = head.getAttribute('aria-sort') === 'ascending';
      headRow.querySelectorAll('th').forEach(function (other) { other.setAttribute('aria-sort', 'none'); });
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      order.sort(function (a, b) {
        var result = compareCells(rows[a][column], rows[b][column]) || a - b;
        return down ? -result : result;
      });
      fill();
    });
    head.appendChild(button);
    headRow.appendChild(head);
  });
  var copy = element('button', {type: 'button', class: 'copy'}, ['Copy as CSV']);
  copy.addEventListener('click', function () {
    copyText(csvText(header, order.map(function (i) { return rows[i]; })), function (worked) {
      copy.textContent = worked ? 'Copied' : 'Copying was refused';
      setTimeout(function () { copy.textContent = 'Copy as CSV'; }, 2000);
    });
  });
  more.addEventListener('click', function () { shown = rows.length; fill(); });
  table.appendChild(element('thead', {}, [headRow]));
  table.appendChild(body);
  fill();
  return element('div', {class: 'table'}, [element('div', {class: 'scroll', tabindex: '0', role: 'region',
                                                           'aria-label': caption}, [table]), more, copy]);
}

// The clipboard of files opened from disk takes the older way.
function copyText(text, done) {
  function byHand() {
    var area = element('textarea', {class: 'offscreen', 'aria-hidden': 'true'});
    area.value = text;
    document.body.appendChild(area);
    area.select();
    var worked = document.execCommand('copy');
    area.remove();
    done(worked);
  }
  if (!navigator.clipboard) return byHand();
  navigator.clipboard.writeText(text).then(function () { done(true); }, byHand);
}
