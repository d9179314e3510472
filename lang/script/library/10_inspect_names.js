// SPDX-License-Identifier: Apache-2.0
// util.inspect, part 1: options, primitive values, and the names of objects.
'use strict';
const { base } = shelf;
const { engine } = base;
const parts = {};
shelf.inspecting = parts;

const custom = Symbol.for('nodejs.util.inspect.custom');

const defaults = {
  showHidden: false, depth: 2, colors: false, customInspect: true, showProxy: false,
  maxArrayLength: 100, maxStringLength: 10000, breakLength: 80, compact: 3, sorted: false,
  getters: false, numericSeparator: false,
};
const styles = {
  __proto__: null, special: 'cyan', number: 'yellow', bigint: 'yellow', boolean: 'yellow',
  undefined: 'grey', null: 'bold', string: 'green', symbol: 'green', date: 'magenta', regexp: 'red',
  module: 'underline',
};
const colors = {
  __proto__: null, reset: [0, 0], bold: [1, 22], dim: [2, 22], italic: [3, 23], underline: [4, 24], blink: [5, 25],
  inverse: [7, 27], hidden: [8, 28], strikethrough: [9, 29], doubleunderline: [21, 24],
};
const colorNames = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
colorNames.forEach((name, i) => { colors[name] = [30 + i, 39]; });
const upper = (name) => `bg${name[0].toUpperCase()}${name.slice(1)}`;
colorNames.forEach((name, i) => { colors[upper(name)] = [40 + i, 49]; });
Object.assign(colors, { framed: [51, 54], overlined: [53, 55], gray: [90, 39] });
colorNames.slice(1).forEach((name, i) => { colors[`${name}Bright`] = [91 + i, 39]; });
colors.bgGray = [100, 49];
colorNames.slice(1).forEach((name, i) => { colors[`${upper(name)}Bright`] = [101 + i, 49]; });
const aliases = { grey: 'gray', bgGrey: 'bgGray', blackBright: 'gray', bgBlackBright: 'bgGray', faint: 'dim', crossedout: 'strikethrough', strikeThrough: 'strikethrough', crossedOut: 'strikethrough', conceal: 'hidden', swapColors: 'inverse', swapcolors: 'inverse', doubleUnderline: 'doubleunderline' };
for (const name of Object.keys(aliases)) {
  Object.defineProperty(colors, name, { configurable: true, enumerable: false, get: () => colors[aliases[name]], set(value) { colors[aliases[name]] = value; } });
}
const plain = (text) => text;
const coloured = (text, style) => {
  const pair = colors[styles[style]];
  return pair === undefined ? text : `\u001b[${pair[0]}m${text}\u001b[${pair[1]}m`;
};
const colourCode = /\u001b\[\d\d?m/g;
const width = (state, text) => (state.colors ? text.replace(colourCode, '').length : text.length);

// Columns of a terminal: colours take none, wide characters two.
const isWide = (code) => code >= 0x1100 && (code <= 0x115f || (code >= 0x2e80 && code <= 0xa4cf && code !== 0x303f) || (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) || (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60) || (code >= 0xffe0 && code <= 0xffe6) || (code >= 0x1f300 && code <= 0x1f64f) || (code >= 0x1f900 && code <= 0x1f9ff) || (code >= 0x20000 && code <= 0x3fffd));
const isNarrowest = (code) => code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x300 && code <= 0x36f) || (code >= 0x200b && code <= 0x200f) || (code >= 0x20d0 && code <= 0x20ff) || (code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xfe20 && code <= 0xfe2f) || (code >= 0xe0100 && code <= 0xe01ef);
function columns(text) {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let count = 0;
  for (const char of text.replace(/\u001b\[[0-9;]*m/g, '').normalize('NFC')) {
    const code = char.codePointAt(0);
    count += isNarrowest(code) ? 0 : isWide(code) ? 2 : 1;
  }
  return count;
}

// ---- Primitive values ----

const escapes = { '\b': '\\b', '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r', '\\': '\\\\', '\v': '\\v' };
const escapeOne = (char) => escapes[char] ?? `\\x${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
const loneHalf = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const escapeHalf = (half) => `\\u${half.charCodeAt(0).toString(16)}`;
function quote(text) {
  let mark = "'";
  if (text.includes("'")) {
    if (!text.includes('"')) mark = '"';
    else if (!text.includes('`') && !text.includes('${')) mark = '`';
  }
  let made = text.replace(/[\x00-\x1f\x7f-\x9f\\]/g, escapeOne);
  if (mark === "'") made = made.replace(/'/g, "\\'");
  made = made.replace(loneHalf, escapeHalf);
  return mark + made + mark;
}

function separated(digits) { return digits.replace(/\B(?=(\d{3})+$)/g, '_'); }
function numberText(state, value) {
  if (!state.numericSeparator && Object.is(value, -0)) return '-0';
  const text = `${value}`;
  if (!state.numericSeparator || !Number.isFinite(value) || text.includes('e')) return text;
  const [whole, fraction] = text.split('.');
  const head = whole[0] === '-' ? `-${separated(whole.slice(1))}` : separated(whole);
  return fraction === undefined ? head : `${head}.${fraction.replace(/(\d{3})(?=\d)/g, '$1_')}`;
}
const bigintText = (state, value) => `${state.numericSeparator ? separated(`${value}`) : value}n`;

function primitiveText(state, value) {
  switch (typeof value) {
    case 'string': return stringText(state, value);
    case 'number': return state.stylize(numberText(state, value), 'number');
    case 'bigint': return state.stylize(bigintText(state, value), 'bigint');
    case 'boolean': return state.stylize(`${value}`, 'boolean');
    case 'undefined': return state.stylize('undefined', 'undefined');
    default: return state.stylize(symbolText(value), 'symbol');
  }
}
const symbolText = (symbol) => Symbol.prototype.toString.call(symbol);

// A long text inside of an object is broken after its line ends.
function stringText(state, value) {
  let tail = '';
  if (value.length > state.maxStringLength) {
    const left = value.length - state.maxStringLength;
    value = value.slice(0, state.maxStringLength);
    tail = `... ${left} more character${left > 1 ? 's' : ''}`;
  }
  if (state.compact !== true && value.length > 16 && value.length > state.breakLength - state.indent - 4) {
    return value.split(/(?<=\n)/).map((line) => state.stylize(quote(line), 'string'))
      .join(` +\n${' '.repeat(state.indent + 2)}`) + tail;
  }
  return state.stylize(quote(value), 'string') + tail;
}

// ---- Names of objects ----

function constructorName(state, object, depth) {
  let first;
  const start = object;
  let current = object;
  while (current || typeof current === 'function') {
    const found = Reflect.getOwnPropertyDescriptor(current, 'constructor');
    if (found !== undefined && typeof found.value === 'function' && found.value.name !== '' && isInstance(start, found.value)) {
      return found.value.name;
    }
    current = Object.getPrototypeOf(current);
    if (first === undefined) first = current;
  }
  if (first === null) return null;
  const name = engine.constructorName(start);
  if (state.depth !== null && depth > state.depth) return `${name} <Complex prototype>`;
  return `${name} <${parts.inspect(first, { ...parts.optionsOf(state), customInspect: false, depth: -1 })}>`;
}
function isInstance(object, constructor) {
  try { return object instanceof constructor; } catch { return false; }
}
function prefix(constructor, tag, fallback, size = '') {
  if (constructor === null) {
    if (tag !== '' && fallback !== tag) return `[${fallback}${size}: null prototype] [${tag}] `;
    return `[${fallback}${size}: null prototype] `;
  }
  if (tag !== '' && constructor !== tag) return `${constructor}${size} [${tag}] `;
  return `${constructor}${size} `;
}

// Of an object that is no special kind: one without a prototype is named by the engine.
function plainPrefix(value, name, tag) {
  let fallback = '';
  if (name === null) {
    fallback = engine.constructorName(value);
    if (fallback === tag) fallback = 'Object';
  }
  return prefix(name, tag, fallback);
}

function keysOf(state, value, kind) {
  const { showHidden } = state;
  const isList = kind === 'Array' || kind === 'TypedArray';
  let keys;
  if (isList) keys = engine.ownNonIndexKeys(value, showHidden).filter((key) => typeof key === 'string');
  else if (showHidden) keys = Object.getOwnPropertyNames(value);
  else keys = kind === 'Module' ? moduleKeys(value) : Object.keys(value);
  const symbols = Object.getOwnPropertySymbols(value)
    .filter((key) => showHidden || Object.prototype.propertyIsEnumerable.call(value, key));
  return symbols.length ? keys.concat(symbols) : keys;
}
// The keys of a module that is not evaluated throw.
function moduleKeys(value) {
  try { return Object.keys(value); } catch { return Object.getOwnPropertyNames(value); }
}
Object.assign(parts, { bigintText, colors, coloured, columns, constructorName, custom, defaults, escapeHalf, escapeOne, isInstance, keysOf, loneHalf,
  numberText, plain, plainPrefix, prefix, primitiveText, quote, styles, symbolText, width });
