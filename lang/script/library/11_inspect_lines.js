// SPDX-License-Identifier: Apache-2.0
// util.inspect, part 2: how entries become lines and columns.
'use strict';
const { base } = shelf;
const parts = shelf.inspecting;
const { columns: columnsOf, width } = parts;

// Entries on one line where they fit and hold at most `compact` inner levels, else one a line; long
// lists in columns.
function fold(state, output, before, braces, isList, depth, value) {
  const lead = before ? `${before} ` : '';
  if (state.compact === true) {
    if (fits(state, output, 0, before)) return `${braces[0]}${before ? ` ${before}` : ''} ${output.join(', ')} ${braces[1]}`;
    const inside = `\n${' '.repeat(state.indent)}`;
    return `${braces[0]}${before === '' && braces[0].length === 1 ? ' ' : `${before ? ` ${before}` : ''}${inside}  `}${output.join(`,${inside}  `)} ${braces[1]}`;
  }
  const count = output.length;
  if (typeof state.compact === 'number' && state.compact >= 1) {
    if (isList && count > 6) output = inColumns(state, output, value);
    if (state.current - depth < state.compact && count === output.length) {
      const start = output.length + state.indent + braces[0].length + before.length + 10;
      if (fits(state, output, start, before)) {
        const line = output.join(', ');
        if (!line.includes('\n')) return `${lead}${braces[0]} ${line} ${braces[1]}`;
      }
    }
  }
  const inside = `\n${' '.repeat(state.indent)}`;
  return `${lead}${braces[0]}${inside}  ${output.join(`,${inside}  `)}${inside}${braces[1]}`;
}
function fits(state, output, start, before) {
  let total = output.length + start;
  if (total + output.length > state.breakLength) return false;
  for (const text of output) {
    total += width(state, text);
    if (total > state.breakLength) return false;
  }
  return before === '' || !before.includes('\n');
}

// A table whose number of columns makes it about two and a half times as wide as high.
function inColumns(state, output, value) {
  const hasMore = value !== undefined && state.maxArrayLength < output.length;
  const count = output.length - (hasMore ? 1 : 0);
  const gap = 2;
  const widths = [];
  let total = 0;
  let widest = 0;
  for (let i = 0; i < count; i += 1) {
    widths[i] = columnsOf(output[i]);
    total += widths[i] + gap;
    widest = Math.max(widest, widths[i]);
  }
  const cell = widest + gap;
  if (!(cell * 3 + state.indent < state.breakLength && (total / cell > 5 || widest <= 6))) return output;
  const typical = Math.max(cell - 3 - Math.sqrt(cell - total / output.length), 1);
  const columns = Math.min(
    Math.round(Math.sqrt(2.5 * typical * count) / typical),
    Math.floor((state.breakLength - state.indent) / cell),
    state.compact * 4,
    15,
  );
  if (columns <= 1) return output;
  const columnWidths = [];
  for (let column = 0; column < columns; column += 1) {
    let most = 0;
    for (let i = column; i < count; i += columns) most = Math.max(most, widths[i]);
    columnWidths.push(most + gap);
  }
  let isRight = true;
  if (value !== undefined) {
    for (let i = 0; i < output.length && isRight; i += 1) isRight = typeof value[i] === 'number' || typeof value[i] === 'bigint';
  }
  const rows = [];
  for (let i = 0; i < count; i += columns) {
    const end = Math.min(i + columns, count);
    let row = '';
    for (let j = i; j < end; j += 1) {
      const isLast = j === end - 1;
      const space = columnWidths[j - i] - widths[j] - gap;
      const text = isLast ? output[j] : `${output[j]}, `;
      if (isRight) row += ' '.repeat(space) + text;
      else row += isLast ? text : text + ' '.repeat(space);
    }
    rows.push(row);
  }
  if (hasMore) rows.push(output[count]);
  return rows;
}
Object.assign(parts, { fold });
