// SPDX-License-Identifier: Apache-2.0
// console: all methods of Node's, on process.stdout and process.stderr.
'use strict';
const { base } = shelf;
const { natives, config } = base;

const state = { indent: '', counts: new base.SafeMap(), timers: new base.SafeMap() };

function put(fd, line) {
  let text = line;
  if (state.indent !== '') text = state.indent + (text.includes('\n') ? text.replaceAll('\n', `\n${state.indent}`) : text);
  const stream = fd === 1 ? shelf.process.stdout : shelf.process.stderr;
  stream.write(`${text}\n`);
}
const options = (fd) => ({ colors: Boolean(config[`tty${fd}`]) && config.env.NO_COLOR === undefined });
const log = (...args) => put(1, shelf.formatLine(options(1), args));
const warn = (...args) => put(2, shelf.formatLine(options(2), args));

function warning(text) { shelf.process.emitWarning(text); }

function elapsed(milliseconds) {
  let value = milliseconds;
  if (value >= 1000) {
    value /= 1000;
    if (value >= 60) {
      let minutes = value / 60;
      if (minutes >= 60) {
        const hours = Math.floor(minutes / 60);
        minutes = Math.floor(minutes % 60);
        return `${hours}:${String(minutes).padStart(2, '0')}:${String(Math.floor(value % 60)).padStart(2, '0')} (h:mm:ss)`;
      }
      return `${Math.floor(minutes)}:${(value % 60).toFixed(3).padStart(6, '0')} (m:ss.mmm)`;
    }
    return `${value.toFixed(3)}s`;
  }
  return `${Number(value.toFixed(3))}ms`;
}
function tellTime(label, extra, isEnd, name) {
  const start = state.timers.get(label);
  if (start === undefined) {
    warning(`No such label '${label}' for console.${name}()`);
    return;
  }
  const text = `${label}: ${elapsed(natives.now() - start)}`;
  if (extra.length) log('%s', text, ...extra);
  else log('%s', text);
  if (isEnd) state.timers.delete(label);
}

// ---- table ----

function tableText(columns, rows) {
  const widths = columns.map((name, i) => Math.max(wide(name), ...rows.map((row) => wide(row[i]))) + 2);
  const rule = (left, middle, right) => left + widths.map((size) => '─'.repeat(size)).join(middle) + right;
  const line = (cells) => `│${cells.map((text, i) => ` ${text}${' '.repeat(widths[i] - wide(text) - 1)}`).join('│')}│`;
  return [rule('┌', '┬', '┐'), line(columns), rule('├', '┼', '┤'), ...rows.map(line), rule('└', '┴', '┘')].join('\n');
}
const wide = (text) => [...text].length;
const cell = (value) => shelf.inspect(value, { maxArrayLength: 3, breakLength: Infinity, depth: value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 2 ? -1 : 0 });

function table(data, wanted) {
  if (wanted !== undefined && !Array.isArray(wanted)) throw base.argumentType('properties', 'Array', wanted);
  if (data === null || typeof data !== 'object') { log(data); return; }
  const kind = base.engine.kind(data);
  const index = kind === 'Map' || kind === 'Set' ? '(iteration index)' : '(index)';
  const entries = kind === 'Map' ? [...data].map(([key, value], i) => [String(i), value, key])
    : kind === 'Set' ? [...data].map((value, i) => [String(i), value])
      : Object.keys(data).map((key) => [key, data[key]]);
  const keys = [];
  let hasValues = false;
  for (const [, value] of entries) {
    if (value !== null && typeof value === 'object' && kind !== 'Map') {
      for (const key of Object.keys(value)) if (!keys.includes(key) && (!wanted || wanted.includes(key))) keys.push(key);
    } else hasValues = true;
  }
  const shown = wanted ?? keys;
  const columns = [index, ...(kind === 'Map' ? ['Key'] : []), ...shown, ...(hasValues ? ['Values'] : [])];
  const rows = entries.map(([key, value, mapKey]) => {
    const isObject = value !== null && typeof value === 'object' && kind !== 'Map';
    const cells = shown.map((name) => (isObject && base.hasOwn(value, name) ? cell(value[name]) : ''));
    return [key, ...(kind === 'Map' ? [cell(mapKey)] : []), ...cells, ...(hasValues ? [isObject ? '' : cell(value)] : [])];
  });
  log(tableText(columns, rows));
}

const console = {
  log, warn, error: warn, info: log, debug: log, dirxml: log,
  dir(value, given) { put(1, shelf.inspect(value, { customInspect: false, ...options(1), ...given })); },
  trace: function trace(...args) {
    const error = { name: 'Trace', message: shelf.formatLine(options(2), args) };
    Error.captureStackTrace?.(error, trace);
    warn(error.stack ?? `Trace: ${error.message}`);
  },
  assert(value, ...args) {
    if (value) return;
    if (typeof args[0] === 'string') args[0] = `Assertion failed: ${args[0]}`;
    else args.unshift('Assertion failed');
    warn(...args);
  },
  clear() { if (config.tty1) natives.write(1, '\u001b[1;1H\u001b[0J'); },
  count(label = 'default') {
    const name = `${label}`;
    const count = (state.counts.get(name) ?? 0) + 1;
    state.counts.set(name, count);
    log(`${name}: ${count}`);
  },
  countReset(label = 'default') {
    const name = `${label}`;
    if (!state.counts.has(name)) warning(`Count for '${name}' does not exist`);
    else state.counts.delete(name);
  },
  group(...args) {
    if (args.length) log(...args);
    state.indent += '  ';
  },
  groupEnd() { state.indent = state.indent.slice(0, -2); },
  time(label = 'default') {
    const name = `${label}`;
    if (state.timers.has(name)) warning(`Label '${name}' already exists for console.time()`);
    else state.timers.set(name, natives.now());
  },
  timeEnd(label = 'default') { tellTime(`${label}`, [], true, 'timeEnd'); },
  timeLog(label = 'default', ...extra) { tellTime(`${label}`, extra, false, 'timeLog'); },
  table,
};
console.groupCollapsed = console.group;
console.profile = () => {};
console.profileEnd = () => {};
console.timeStamp = () => {};
Object.defineProperty(console, Symbol.toStringTag, { value: 'console', configurable: true });
shelf.console = console;
shelf.builtins.console = console;
