// SPDX-License-Identifier: Apache-2.0
// console: all methods of Node's, on process.stdout and process.stderr.
'use strict';
const { base } = shelf;
const { natives, config } = base;
const wide = shelf.inspecting.columns;

// What a console keeps for itself.
const states = new base.SafeWeakMap();
class State {
  indent = '';
  counts = new base.SafeMap();
  timers = new base.SafeMap();
  width = 2;
  colorMode = 'auto';
  options = undefined;
  ignoresErrors = true;
  constructor(out, error) { this.streams = [out, error]; }
  stream(fd) { return this.streams[fd - 1](); }
  optionsFor(fd) {
    const stream = this.stream(fd);
    const hasColors = this.colorMode === 'auto' ? Boolean(stream.isTTY) && config.env.NO_COLOR === undefined && (typeof stream.getColorDepth !== 'function' || stream.getColorDepth() > 2) : this.colorMode;
    return this.options === undefined ? { colors: hasColors } : { colors: hasColors, ...this.options };
  }
  put(fd, line) {
    let text = line;
    if (this.indent !== '') text = this.indent + (text.includes('\n') ? text.replaceAll('\n', `\n${this.indent}`) : text);
    const stream = this.stream(fd);
    if (!this.ignoresErrors) {
      stream.write(`${text}\n`);
      return;
    }
    try { stream.write(`${text}\n`); } catch (error) {
      if (error instanceof RangeError && /call stack/.test(error.message)) throw error;
    }
  }
}
const none = () => {};
const warning = (text) => shelf.process.emitWarning(text);

function elapsed(milliseconds) {
  const whole = Math.floor(milliseconds / 60000);
  const seconds = (milliseconds % 60000) / 1000;
  if (whole === 0) return milliseconds >= 1000 ? `${seconds.toFixed(3)}s` : `${Number(milliseconds.toFixed(3))}ms`;
  const tail = seconds.toFixed(3).padStart(6, '0');
  const hours = Math.floor(whole / 60);
  if (hours === 0) return `${whole}:${tail} (m:ss.mmm)`;
  return `${hours}:${String(whole % 60).padStart(2, '0')}:${tail} (h:mm:ss.mmm)`;
}
function tellTime(console, name, label, extra) {
  const state = states.get(console);
  const start = state.timers.get(label);
  if (start === undefined) {
    warning(`No such label '${label}' for console.${name}()`);
    return false;
  }
  console.log('%s: %s', label, elapsed(natives.now() - start), ...extra);
  return true;
}

// ---- table ----

function tableText(names, columns) {
  const count = Math.max(0, ...columns.map((column) => column.length));
  const rows = Array.from({ length: count }, (_, i) => columns.map((column) => column[i] ?? ''));
  const widths = names.map((name, i) => Math.max(wide(name), ...rows.map((row) => wide(row[i]))) + 2);
  const rule = (left, middle, right) => left + widths.map((size) => '─'.repeat(size)).join(middle) + right;
  const line = (cells) => `│${cells.map((text, i) => ` ${text}${' '.repeat(widths[i] - wide(text) - 1)}`).join('│')}│`;
  return [rule('┌', '┬', '┐'), line(names), rule('├', '┼', '┤'), ...rows.map(line), rule('└', '┴', '┘')].join('\n');
}
const isList = (value) => Array.isArray(value) || ArrayBuffer.isView(value) && !(value instanceof DataView);
// The columns of a collection: its entries, numbered.
function collectionTable(data, kind, show) {
  const [entries, arePairs] = /Iterator$/.test(kind) ? base.engine.previewEntries(data) : [[...data], false];
  const numbers = (count) => Array.from({ length: count }, (_, i) => show(i));
  if (kind === 'Map' || arePairs) {
    const pairs = arePairs ? Array.from({ length: entries.length / 2 }, (_, i) => [entries[2 * i], entries[2 * i + 1]]) : entries;
    return tableText(['(iteration index)', 'Key', 'Values'], [numbers(pairs.length), pairs.map(([key]) => show(key)), pairs.map(([, value]) => show(value))]);
  }
  return tableText(['(iteration index)', 'Values'], [numbers(entries.length), entries.map(show)]);
}
function objectTable(data, wanted, show) {
  const indexes = Object.keys(data);
  const found = { __proto__: null };
  const values = [];
  indexes.forEach((index, i) => {
    const item = data[index];
    const isPlain = item === null || (typeof item !== 'function' && typeof item !== 'object');
    if (wanted === undefined && isPlain) {
      values[i] = show(item);
      return;
    }
    for (const key of wanted ?? Object.keys(item)) {
      found[key] ??= [];
      found[key][i] = isPlain || !base.hasOwn(item, key) ? '' : show(item[key]);
    }
  });
  const hasValues = values.length > 0;
  return tableText(['(index)', ...Object.keys(found), ...(hasValues ? ['Values'] : [])], [indexes, ...Object.keys(found).map((key) => found[key]), ...(hasValues ? [values] : [])]);
}

// ---- The methods ----

const methods = {
  log(...args) { const state = states.get(this); state.put(1, shelf.formatLine(state.optionsFor(1), args)); },
  warn(...args) { const state = states.get(this); state.put(2, shelf.formatLine(state.optionsFor(2), args)); },
  dir(value, given) { const state = states.get(this); state.put(1, shelf.inspect(value, { customInspect: false, ...state.optionsFor(1), ...given })); },
  time(label = 'default') {
    const name = `${label}`;
    const { timers } = states.get(this);
    if (timers.has(name)) warning(`Label '${name}' already exists for console.time()`);
    else timers.set(name, natives.now());
  },
  timeEnd(label = 'default') { if (tellTime(this, 'timeEnd', `${label}`, [])) states.get(this).timers.delete(`${label}`); },
  timeLog(label = 'default', ...extra) { tellTime(this, 'timeLog', `${label}`, extra); },
  trace: function trace(...args) {
    const error = { name: 'Trace', message: shelf.formatLine(states.get(this).optionsFor(2), args) };
    Error.captureStackTrace?.(error, trace);
    this.error(error.stack ?? `Trace: ${error.message}`);
  },
  assert(value, ...args) {
    if (value) return;
    args[0] = `Assertion failed${args.length === 0 ? '' : `: ${args[0]}`}`;
    this.warn(...args);
  },
  clear() {
    const stream = states.get(this).stream(1);
    if (stream.isTTY && config.env.TERM !== 'dumb') {
      stream.write('\u001b[1;1H');
      stream.write('\u001b[0J');
    }
  },
  count(label = 'default') {
    const name = `${label}`;
    const { counts } = states.get(this);
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    this.log(`${name}: ${count}`);
  },
  countReset(label = 'default') {
    const name = `${label}`;
    const { counts } = states.get(this);
    if (!counts.has(name)) warning(`Count for '${name}' does not exist`);
    else counts.delete(name);
  },
  group(...args) {
    const state = states.get(this);
    if (args.length) this.log(...args);
    state.indent += ' '.repeat(state.width);
  },
  groupEnd() {
    const state = states.get(this);
    state.indent = state.indent.slice(0, state.indent.length - state.width);
  },
  table(data, wanted) {
    if (wanted !== undefined && !Array.isArray(wanted)) throw base.argumentType('properties', 'Array', wanted);
    if (data === null || typeof data !== 'object') {
      this.log(data);
      return;
    }
    const state = states.get(this);
    const show = (value) => shelf.inspect(value, {
      depth: value !== null && typeof value === 'object' && !isList(value) && Object.keys(value).length > 2 ? -1 : 0,
      maxArrayLength: 3, breakLength: Infinity, ...state.optionsFor(1),
    });
    const kind = base.engine.kind(data);
    const isCollection = ['Map', 'Set', 'MapIterator', 'SetIterator'].includes(kind);
    this.log(isCollection ? collectionTable(data, kind, show) : objectTable(data, wanted, show));
  },
};
methods.debug = methods.log;
methods.info = methods.log;
methods.dirxml = methods.log;
methods.error = methods.warn;
methods.groupCollapsed = methods.group;

function bindMethods(console, owner) {
  for (const name of Object.keys(owner)) {
    const method = owner[name];
    console[name] = { [name](...args) { return base.apply(method, console, args); } }[name];
  }
}
// new Console(stdout, stderr, ignoreErrors) or new Console({ stdout, ... })
function Console(given, ...rest) {
  if (!new.target) return Reflect.construct(Console, [given, ...rest]);
  const isStream = given === null || typeof given !== 'object' || typeof given.write === 'function';
  const options = isStream ? { stdout: given, stderr: rest[0], ignoreErrors: rest[1] } : given;
  const { stdout, stderr = stdout, ignoreErrors = true, colorMode = 'auto', inspectOptions, groupIndentation } = options;
  for (const [stream, name] of [[stdout, 'stdout'], [stderr, 'stderr']]) {
    if (stream === null || typeof stream !== 'object' || typeof stream.write !== 'function') throw base.coded(TypeError, 'ERR_CONSOLE_WRITABLE_STREAM', `Console expects a writable stream instance for ${name}`);
  }
  if (!['auto', true, false].includes(colorMode)) throw base.argumentValue('colorMode', colorMode, "must be one of: 'auto', true, false");
  if (groupIndentation !== undefined) {
    base.checks.isNumber(groupIndentation, 'groupIndentation');
    if (!Number.isInteger(groupIndentation)) throw base.outOfRange('groupIndentation', 'an integer', groupIndentation);
    if (groupIndentation < 0 || groupIndentation > 1000) throw base.outOfRange('groupIndentation', '>= 0 && <= 1000', groupIndentation);
  }
  if (inspectOptions !== undefined) {
    base.checks.isObject(inspectOptions, 'options.inspectOptions');
    if (inspectOptions.colors !== undefined && options.colorMode !== undefined) throw base.coded(TypeError, 'ERR_INCOMPATIBLE_OPTION_PAIR', 'Option "options.inspectOptions.color" cannot be used in combination with option "colorMode"');
  }
  const state = new State(() => stdout, () => stderr);
  Object.assign(state, { ignoresErrors: Boolean(ignoreErrors), colorMode, options: inspectOptions, width: groupIndentation ?? 2 });
  states.set(this, state);
  bindMethods(this, methods);
  Object.defineProperty(this, '_stdout', { value: stdout, configurable: true, writable: true });
  Object.defineProperty(this, '_stderr', { value: stderr, configurable: true, writable: true });
  Object.defineProperty(this, Symbol.toStringTag, { value: 'console', configurable: true });
}
Object.assign(Console.prototype, methods);

const console = Object.create({});
states.set(console, new State(() => shelf.process.stdout, () => shelf.process.stderr));
bindMethods(console, { log: methods.log, warn: methods.warn, dir: methods.dir, time: methods.time, timeEnd: methods.timeEnd, timeLog: methods.timeLog, trace: methods.trace, assert: methods.assert, clear: methods.clear, count: methods.count, countReset: methods.countReset, group: methods.group, groupEnd: methods.groupEnd, table: methods.table, debug: methods.debug, info: methods.info, dirxml: methods.dirxml, error: methods.error, groupCollapsed: methods.groupCollapsed });
Object.assign(console, { Console, profile() {}, profileEnd() {}, timeStamp() {}, context() {}, createTask: () => ({ run: (body) => body() }) });
Object.defineProperty(console, Symbol.toStringTag, { value: 'console', configurable: true });
Object.defineProperty(Console, Symbol.hasInstance, { value: (value) => value !== null && typeof value === 'object' && states.has(value) });
// What is printed is told to a debugger too, by V8's own console.
if (base.engine.isDebugged) {
  const { console: told } = globalThis;
  let depth = 0;  // Some methods print by others.
  for (const name of Object.keys(methods)) {
    const [own, tell] = [console[name], told[name]];
    if (typeof tell !== 'function') continue;
    console[name] = { [name](...args) {
      if (depth === 0) base.apply(tell, told, args);
      depth += 1;
      try { return own(...args); } finally { depth -= 1; }
    } }[name];
  }
}
shelf.console = console;
shelf.builtins.console = console;
