// SPDX-License-Identifier: Apache-2.0
// node:test, part 2: TAP version 13 with a block of YAML for each test.
'use strict';
const { base } = shelf;
const { natives } = base;

// What a test ended by; `cause` is what it threw.
function failureOf(failureType, message, cause) {
  return { isFailure: true, failureType, cause, message: message ?? (typeof cause === 'string' ? cause : cause?.message ?? shelf.inspect(cause)) };
}
// Where the script called the library.
function placeOfCall() {
  const lines = String(new Error().stack).split('\n').slice(1);
  for (const line of lines) {
    const found = /\(?((?:file:\/\/|\/)[^()]*:\d+:\d+)\)?$/.exec(line.trim());
    if (found !== null) return found[1].replace(/^file:\/\//, '');
  }
  return undefined;
}
const escaped = (text) => text.replaceAll('\\', '\\\\').replaceAll('#', '\\#').replaceAll('\b', '\\b').replaceAll('\f', '\\f').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\v', '\\v');
const plain = (value) => shelf.inspect(value, { colors: false, breakLength: Infinity });

function yaml(indent, name, value, seen = new Set()) {
  if (value === null || value === undefined) return `${indent}${name}: ${value}\n`;
  if (typeof value !== 'object') {
    const lines = typeof value === 'string' ? value.split(/\n|\r\n|\u2028|\u2029/) : [];
    if (lines.length < 2) return `${indent}${name}: ${plain(value)}\n`;
    return `${indent}${name}: |-\n${lines.map((line) => `${indent}  ${line}\n`).join('')}`;
  }
  seen.add(value);
  const date = base.engine.kind(value) === 'Date' ? ` ${value.toISOString()}` : '';
  let text = `${indent}${name}:${date}\n`;
  for (const key of Object.keys(value)) text += seen.has(value[key]) ? `${indent}    ${key}: <Circular>\n` : yaml(`${indent}  `, key, value[key], seen);
  return text;
}
function failureText(indent, failure) {
  const { failureType, cause } = failure;
  let text = yaml(indent, 'failureType', failureType);
  const isOfCode = failureType === 'testCodeFailure' || failureType === 'hookFailed';
  const error = isOfCode && cause !== null && typeof cause === 'object' ? cause : undefined;
  text += yaml(indent, 'error', failureType === 'testCodeFailure' && error !== undefined ? error.message ?? failure.message : failure.message);
  text += yaml(indent, 'code', error?.code ?? 'ERR_TEST_FAILURE');
  if (error?.name !== undefined && error.name !== 'Error') text += yaml(indent, 'name', error.name);
  if (error !== undefined && 'expected' in error && 'actual' in error && 'operator' in error) {
    text += yaml(indent, 'expected', error.expected) + yaml(indent, 'actual', error.actual) + yaml(indent, 'operator', error.operator);
  }
  if (typeof error?.stack === 'string') {
    const frames = error.stack.split('\n').map((line) => /^\s+at\s(.*)/.exec(line)?.[1]).filter(Boolean);
    if (frames.length > 0) text += `${indent}stack: |-\n${frames.map((frame) => `${indent}  ${frame}\n`).join('')}`;
  }
  return text;
}
function directive(entry) {
  for (const [value, word] of [[entry.skip, 'skip'], [entry.todo, 'todo']]) {
    if (value !== undefined && value !== false) return ` # ${word.toUpperCase()}${typeof value === 'string' && value !== '' ? ` ${escaped(value)}` : ''}`;
  }
  return '';
}
// Written in the next turn of the loop, as by the stream of Node's reporter.
let waiting = '';
let hasBegun = false;
const flush = () => {
  if (waiting === '') return;
  natives.write(1, hasBegun ? waiting : `TAP version 13\n${waiting}`);
  hasBegun = true;
  waiting = '';
};
const write = (text) => {
  if (waiting === '') shelf.setImmediate(flush);
  waiting += text;
};
function entryText(entry, indent) {
  let text = `${indent}# Subtest: ${escaped(entry.name)}\n`;
  for (const child of entry.children) text += entryText(child, `${indent}    `);
  if (entry.children.length > 0) text += `${indent}    1..${entry.children.length}\n`;
  const isBad = entry.failure !== undefined && !entry.isSkipped;
  text += `${indent}${isBad ? 'not ok' : 'ok'} ${entry.number} - ${escaped(entry.name)}${directive(entry)}\n`;
  text += `${indent}  ---\n${yaml(`${indent}  `, 'duration_ms', Number(entry.took.toFixed(6)))}`;
  if (entry.isSuite) text += yaml(`${indent}  `, 'type', 'suite');
  if (isBad) text += (entry.place === undefined ? '' : yaml(`${indent}  `, 'location', entry.place)) + failureText(`${indent}  `, entry.failure);
  text += `${indent}  ...\n`;
  for (const note of entry.notes) text += `${indent}# ${escaped(`${note}`)}\n`;
  return text;
}
const report = {
  entry: (entry) => write(entryText(entry, '')),
  end(count, counts, took) {
    let text = `1..${count}\n`;
    for (const name of Object.keys(counts)) text += `# ${name} ${counts[name]}\n`;
    write(`${text}# duration_ms ${Number(took.toFixed(6))}\n`);
    flush();
  },
};
shelf.testReport = { report, placeOfCall, failureOf };
