// SPDX-License-Identifier: Apache-2.0
// util.inspect: values as text, in the form that Node prints them.
'use strict';
const { base } = shelf;
const { engine, hasOwn } = base;
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
  __proto__: null, reset: [0, 0], bold: [1, 22], dim: [2, 22], italic: [3, 23], underline: [4, 24],
  inverse: [7, 27], black: [30, 39], red: [31, 39], green: [32, 39], yellow: [33, 39], blue: [34, 39],
  magenta: [35, 39], cyan: [36, 39], white: [37, 39], grey: [90, 39], gray: [90, 39],
};
const plain = (text) => text;
const coloured = (text, style) => {
  const pair = colors[styles[style]];
  return pair === undefined ? text : `\u001b[${pair[0]}m${text}\u001b[${pair[1]}m`;
};
const colourCode = /\u001b\[\d\d?m/g;
const width = (state, text) => (state.colors ? text.replace(colourCode, '').length : text.length);

// ---- Primitive values ----

const escapes = { '\b': '\\b', '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r', '\\': '\\\\', '\v': '\\v' };
const escapeOne = (char) => escapes[char] ?? `\\x${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
function quote(text) {
  let mark = "'";
  if (text.includes("'")) {
    if (!text.includes('"')) mark = '"';
    else if (!text.includes('`') && !text.includes('${')) mark = '`';
  }
  let made = text.replace(/[\x00-\x1f\x7f-\x9f\\]/g, escapeOne);
  if (mark === "'") made = made.replace(/'/g, "\\'");
  made = made.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
    (half) => `\\u${half.charCodeAt(0).toString(16)}`);
  return mark + made + mark;
}

function separated(digits) { return digits.replace(/\B(?=(\d{3})+$)/g, '_'); }
function numberText(state, value) {
  if (Object.is(value, -0)) return '-0';
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
  return `${name} <${inspect(first, { ...state.options, customInspect: false, depth: -1 })}>`;
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

// ---- Objects ----

function format(state, value, depth, isTyped) {
  if (typeof value !== 'object' && typeof value !== 'function') return primitiveText(state, value);
  if (value === null) return state.stylize('null', 'null');
  const original = value;
  let kind = engine.kind(value);
  if (kind === 'Proxy') {
    const [target, handler] = engine.proxyDetails(value);
    if (state.showProxy) return proxyText(state, target, handler, depth);
    if (target === null) return state.stylize('<Revoked Proxy>', 'special');
    value = target;
    while (engine.kind(value) === 'Proxy') {
      value = engine.proxyDetails(value)[0];
      if (value === null) return state.stylize('<Revoked Proxy>', 'special');
    }
    kind = engine.kind(value);
  }
  if (state.customInspect) {
    const own = value[custom];
    if (typeof own === 'function' && own !== inspect && !isBareConstructor(value)) {
      return customText(state, own, original, depth);
    }
  }
  if (state.seen.includes(value)) {
    let index = 1;
    if (state.circular === undefined) {
      state.circular = new base.SafeMap();
      state.circular.set(value, index);
    } else {
      index = state.circular.get(value);
      if (index === undefined) {
        index = state.circular.size + 1;
        state.circular.set(value, index);
      }
    }
    return state.stylize(`[Circular *${index}]`, 'special');
  }
  return objectText(state, value, kind, depth, isTyped);
}
const isBareConstructor = (value) => value.constructor && value.constructor.prototype === value;

function customText(state, own, value, depth) {
  const left = state.depth === null ? null : state.depth - depth;
  const made = base.apply(own, value, [left, userOptions(state), inspect]);
  if (made === value) return objectText(state, value, engine.kind(value), depth);
  if (made !== null && typeof made === 'object' || typeof made === 'function') return format(state, made, depth);
  return typeof made === 'string' ? made.replaceAll('\n', `\n${' '.repeat(state.indent)}`) : format(state, made, depth);
}
function userOptions(state) {
  const made = { ...state.options, stylize: state.stylize };
  made.depth = state.depth;
  return made;
}

function proxyText(state, target, handler, depth) {
  if (state.depth !== null && depth > state.depth) return state.stylize('Proxy [Array]', 'special');
  state.indent += 2;
  const parts = [format(state, target, depth + 1), format(state, handler, depth + 1)];
  state.indent -= 2;
  return fold(state, parts, '', ['Proxy [', ']'], true, depth + 1);
}

// What a value shows: its opening and closing, what stands before them, and its entries.
function objectText(state, value, kind, depth, isTyped) {
  const name = constructorName(state, value, depth);
  let tag = value[Symbol.toStringTag];
  // An own tag is among the properties already.
  if (typeof tag !== 'string' || (tag !== '' && (state.showHidden ? hasOwn : isEnumerable)(value, Symbol.toStringTag))) tag = '';
  const shape = shapeOf(state, value, kind, name, tag, depth);
  if (shape.text !== undefined) return shape.text;
  const keys = shape.keys ?? keysOf(state, value, kind);
  if (state.depth !== null && depth > state.depth) {
    const label = prefix(name, tag, kind === 'Array' ? 'Array' : 'Object').slice(0, -1);
    return state.stylize(`[${name === null ? label : `${label}`}]`, 'special');
  }
  state.seen.push(value);
  state.current = depth;
  let output;
  try {
    output = shape.entries ? shape.entries(depth + 1) : [];
    for (const key of keys) output.push(propertyText(state, value, depth + 1, key, shape.isList ? 1 : 0));
    if (shape.more) output.push(...shape.more(depth + 1));
  } catch (error) {
    if (!(error instanceof RangeError) || !/call stack/.test(error.message)) throw error;
    return state.stylize(`[${name}: Inspection interrupted prematurely. Maximum call stack size exceeded.]`, 'special');
  } finally {
    state.seen.pop();
  }
  let before = shape.base ?? '';
  const braces = shape.braces;
  if (state.circular !== undefined) {
    const index = state.circular.get(value);
    if (index !== undefined) {
      const mark = state.stylize(`<ref *${index}>`, 'special');
      if (state.compact !== true) before = before === '' ? mark : `${mark} ${before}`;
      else braces[0] = `${mark} ${braces[0]}`;
    }
  }
  if (state.sorted && !shape.isList) output.sort(typeof state.sorted === 'function' ? state.sorted : undefined);
  return fold(state, output, before, braces, shape.isList, depth, value);
}

const isEnumerable = base.uncurry(Object.prototype.propertyIsEnumerable);

function shapeOf(state, value, kind, name, tag, depth) {
  const keys = () => keysOf(state, value, kind);
  const bare = (text, found) => (found.length === 0 ? { text } : undefined);
  switch (kind) {
    case 'Array': {
      const own = keys();
      const before = name !== 'Array' || tag !== '' ? prefix(name, tag, 'Array', `(${value.length})`) : '';
      if (value.length === 0 && own.length === 0) return { text: `${before}[]` };
      return { braces: [`${before}[`, ']'], isList: true, keys: own, entries: (at) => arrayEntries(state, value, at) };
    }
    case 'Set': case 'Map': {
      const own = keys();
      const size = kind === 'Set' ? setSize(value) : mapSize(value);
      const before = prefix(name, tag, kind, `(${size})`);
      const entries = kind === 'Set' ? (at) => setEntries(state, value, at) : (at) => mapEntries(state, value, at);
      if (size === 0 && own.length === 0) return { text: `${before}{}` };
      return { braces: [`${before}{`, '}'], keys: own, entries };
    }
    case 'TypedArray': {
      const own = keys();
      const type = typedName(value);
      const before = prefix(name, tag === type ? '' : tag, type, `(${value.length})`);
      if (value.length === 0 && own.length === 0 && !state.showHidden) return { text: `${before}[]` };
      return { braces: [`${before}[`, ']'], isList: true, keys: own, entries: (at) => typedEntries(state, value, at) };
    }
    case 'MapIterator': case 'SetIterator': {
      const type = kind === 'MapIterator' ? 'Map' : 'Set';
      const made = { braces: [`[${tag || `${type} Iterator`}] {`, '}'] };
      made.entries = (at) => iteratorEntries(state, value, at, made.braces);
      return made;
    }
    default: return otherShape(state, value, kind, name, tag, depth, keys, bare);
  }
}

function otherShape(state, value, kind, name, tag, depth, keysHere, bare) {
  const own = keysHere();
  const braces = ['{', '}'];
  const withBase = (text) => bare(text, own) ?? { braces, base: text, keys: own };
  switch (kind) {
    case 'Arguments':
      if (own.length === 0) return { text: '[Arguments] {}' };
      return { braces: ['[Arguments] {', '}'], keys: own };
    case 'Function': case 'AsyncFunction': case 'GeneratorFunction': {
      const text = functionText(value, name, tag, kind);
      if (own.length === 0) return { text: state.stylize(text, 'special') };
      return { braces, base: text, keys: own };
    }
    case 'RegExp': {
      const text = RegExp.prototype.toString.call(name !== null ? value : new RegExp(value));
      const before = prefix(name, tag, 'RegExp');
      const full = before !== 'RegExp ' ? `${before}${text}` : text;
      if ((own.length === 0 && !state.showHidden) || (state.depth !== null && depth > state.depth)) return { text: state.stylize(full, 'regexp') };
      return { braces, base: full, keys: own };
    }
    case 'Date': {
      const time = Date.prototype.getTime.call(value);
      const text = Number.isNaN(time) ? Date.prototype.toString.call(value) : Date.prototype.toISOString.call(value);
      const before = prefix(name, tag, 'Date');
      const full = before !== 'Date ' ? `${before}${text}` : text;
      return own.length === 0 ? { text: state.stylize(full, 'date') } : { braces, base: full, keys: own };
    }
    case 'Error': return errorShape(state, value, name, tag, own);
    case 'ArrayBuffer': case 'SharedArrayBuffer':
      return { braces: [`${prefix(name, tag, kind)}{`, '}'], keys: own, entries: () => bufferEntries(state, value) };
    case 'DataView':
      return { braces: [`${prefix(name, tag, 'DataView')}{`, '}'], keys: own, entries: (at) => ['byteLength', 'byteOffset', 'buffer'].map((key) => `${key}: ${inner(state, value[key], at)}`) };
    case 'Promise':
      return { braces: [`${prefix(name, tag, 'Promise')}{`, '}'], keys: own, entries: (at) => promiseEntries(state, value, at) };
    case 'WeakSet': case 'WeakMap':
      return { braces: [`${prefix(name, tag, kind)}{`, '}'], keys: own, entries: () => [state.stylize('<items unknown>', 'special')] };
    case 'Module': return { braces: [`${name === null ? '[Module: null prototype]' : prefix(name, tag, 'Module').slice(0, -1)} {`, '}'], keys: [], entries: (at) => moduleEntries(state, value, own, at) };
    case 'Number': case 'String': case 'Boolean': case 'BigInt': case 'Symbol': return boxedShape(state, value, kind, name, tag, own);
    default: break;
  }
  if (isErrorLike(value)) return errorShape(state, value, name, tag, own);
  const before = name === 'Object' && tag === '' ? '' : prefix(name, tag, 'Object');
  if (own.length === 0) return { text: `${before}{}` };
  return { braces: [`${before}{`, '}'], keys: own };
}
const isErrorLike = (value) => isInstance(value, Error);

function functionText(value, name, tag, kind) {
  const source = base.functionToString(value);
  if (source.startsWith('class') && source.endsWith('}')) {
    const body = source.slice(5, -1);
    const brace = body.indexOf('{');
    if (brace !== -1 && (!body.slice(0, brace).includes('(') || /^(\s+[^(]*?)\s*{/.test(body.replace(/\/\*[^]*?\*\/|\/\/.*/g, '')))) {
      return classText(value, name, tag);
    }
  }
  let type = 'Function';
  if (kind === 'GeneratorFunction' || isGenerator(value)) type = `Generator${type}`;
  if (kind === 'AsyncFunction' || isAsync(value)) type = `Async${type}`;
  let text = `[${type}`;
  if (name === null) text += ' (null prototype)';
  text += value.name === '' ? ' (anonymous)' : `: ${typeof value.name === 'string' ? value.name : inspect(value.name)}`;
  text += ']';
  if (name !== type && name !== null) text += ` ${name}`;
  if (tag !== '' && name !== tag) text += ` [${tag}]`;
  return text;
}
const functionTag = (value) => base.objectToString(value);
const isGenerator = (value) => /GeneratorFunction/.test(functionTag(value));
const isAsync = (value) => /\[object Async/.test(functionTag(value));
function classText(value, name, tag) {
  let text = `[class ${hasOwn(value, 'name') && value.name ? value.name : '(anonymous)'}`;
  if (name !== 'Function' && name !== null) text += ` [${name}]`;
  if (tag !== '' && name !== tag) text += ` [${tag}]`;
  if (name === null) return `${text} extends [null prototype]]`;
  const parent = Object.getPrototypeOf(value);
  if (parent !== null && parent.name) text += ` extends ${parent.name}`;
  else if (parent === null) text += ' extends [null prototype]';
  return `${text}]`;
}

function boxedShape(state, value, kind, name, tag, own) {
  const inside = { Number, String, Boolean, BigInt, Symbol }[kind].prototype.valueOf.call(value);
  let text = `[${kind}`;
  if (kind !== name) text += name === null ? ' (null prototype)' : ` (${name})`;
  text += `: ${primitiveText({ ...state, stylize: plain, compact: true }, inside)}]`;
  if (tag !== '' && tag !== name) text += ` [${tag}]`;
  const keys = kind === 'String' ? own.filter((key) => typeof key === 'symbol' || !/^\d+$/.test(key)) : own;
  if (keys.length === 0) return { text: state.stylize(text, kind.toLowerCase()) };
  return { braces: ['{', '}'], base: text, keys };
}

// ---- Errors ----

function errorShape(state, value, name, tag, own) {
  const stack = stackOf(value);
  const keys = own.slice();
  if (!state.showHidden) {
    // What the first line says is not said again.
    for (const key of ['name', 'message', 'stack']) {
      const index = keys.indexOf(key);
      if (index !== -1 && stack.includes(value[key])) keys.splice(index, 1);
    }
  }
  for (const key of ['cause', 'errors']) {
    const isShown = key === 'cause' ? hasOwn(value, key) : Array.isArray(value.errors);
    if (isShown && hasOwn(value, key) && !keys.includes(key)) keys.push(key);
  }
  let text = withoutSharedFrames(state, value, betterHeading(value, name, tag, stack));
  const at = value.message ? text.indexOf(value.message) : -1;
  const firstFrame = text.indexOf('\n    at', at === -1 ? 0 : at + value.message.length);
  if (firstFrame === -1) text = `[${text}]`;
  else if (state.colors) text = greyFrames(state, text, firstFrame);
  if (state.indent !== 0) text = text.replaceAll('\n', `\n${' '.repeat(state.indent)}`);
  if (keys.length === 0) return { text };
  return { braces: ['{', '}'], base: text, keys };
}
function stackOf(error) {
  if (error.stack) return String(error.stack);
  return base.errorToString(error);
}
// The frames that the cause of an error shows too are left out.
function withoutSharedFrames(state, error, text) {
  const { cause } = error;
  if (cause === undefined || !isInstance(cause, Error) || typeof cause.stack !== 'string') return text;
  const lines = text.split('\n');
  const head = lines.findIndex((line) => /^ {4}at /.test(line));
  const others = cause.stack.split('\n').filter((line) => /^ {4}at /.test(line));
  if (head === -1) return text;
  const frames = lines.slice(head);
  for (let i = 0; i < frames.length - 3; i += 1) {
    const at = others.indexOf(frames[i]);
    if (at === -1) continue;
    let count = 0;
    while (i + count < frames.length && at + count < others.length && frames[i + count] === others[at + count]) count += 1;
    if (count <= 3) continue;
    const told = state.stylize(`    ... ${count - 2} lines matching cause stack trace ...`, 'undefined');
    lines.splice(head + i + 1, count - 2, told);
    return lines.join('\n');
  }
  return text;
}
function greyFrames(state, text, first) {
  return text.slice(0, first) + text.slice(first).split('\n')
    .map((line) => (/\((gyre|node):|at (gyre|node):/.test(line) ? state.stylize(line, 'undefined') : line)).join('\n');
}
// The class of an error stands in its first line even where its name does not say it.
function betterHeading(error, name, tag, stack) {
  const own = error.name != null ? String(error.name) : 'Error';
  const after = stack[own.length];
  const isUsual = own.endsWith('Error') && stack.startsWith(own) && (after === undefined || after === ':' || after === '\n');
  if (name !== null && !isUsual) return stack;
  let size = own.length;
  let fallback = 'Error';
  if (name === null) {
    const start = /^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n {4}at)/.exec(stack) ?? /^([a-z_A-Z0-9-]*Error)$/.exec(stack);
    size = start === null ? 0 : start[1].length;
    fallback = start === null ? 'Error' : start[1];
  }
  const heading = prefix(name, tag, fallback).slice(0, -1);
  if (own === heading) return stack;
  const rest = stack.slice(size);
  if (!heading.includes(own)) return `${heading} [${own}]${rest}`;
  return size === 0 ? `${heading}: ${stack}` : `${heading}${rest}`;
}

// ---- Entries ----

function inner(state, value, depth, indent = 2) {
  state.indent += indent;
  const text = format(state, value, depth);
  state.indent -= indent;
  return text;
}

const more = (count) => `... ${count} more item${count > 1 ? 's' : ''}`;
const shown = (state, length) => Math.min(Math.max(0, state.maxArrayLength), length);

function arrayEntries(state, value, depth) {
  const output = [];
  const { length } = value;
  const limit = shown(state, length);
  let index = 0;
  while (index < length && output.length < limit) {
    if (!hasOwn(value, index)) {
      const next = nextIndex(value, index);
      const holes = next - index;
      output.push(state.stylize(`<${holes} empty item${holes > 1 ? 's' : ''}>`, 'undefined'));
      index = next;
    } else {
      output.push(propertyText(state, value, depth, index, 1));
      index += 1;
    }
  }
  if (index < length) output.push(more(length - index));
  return output;
}
// Holes may be many: the own keys know the next element.
function nextIndex(value, from) {
  let at = from;
  while (at < value.length && !hasOwn(value, at)) {
    at += 1;
    if (at - from > 1000) {
      const found = Object.keys(value).find((key) => Number(key) >= at && Number(key) < value.length);
      return found === undefined ? value.length : Number(found);
    }
  }
  return at;
}
function typedEntries(state, value, depth) {
  const limit = shown(state, value.length);
  const output = [];
  const text = typeof value[0] === 'bigint' ? bigintText : numberText;
  for (let i = 0; i < limit; i += 1) output.push(state.stylize(text(state, value[i]), typeof value[0] === 'bigint' ? 'bigint' : 'number'));
  if (value.length > limit) output.push(more(value.length - limit));
  if (state.showHidden) {
    for (const key of ['BYTES_PER_ELEMENT', 'length', 'byteLength', 'byteOffset', 'buffer']) {
      output.push(`[${key}]: ${inner(state, value[key], depth)}`);
    }
  }
  return output;
}
const setSize = base.uncurry(Object.getOwnPropertyDescriptor(Set.prototype, 'size').get);
const mapSize = base.uncurry(Object.getOwnPropertyDescriptor(Map.prototype, 'size').get);
const eachSet = base.uncurry(Set.prototype.forEach);
const eachMap = base.uncurry(Map.prototype.forEach);
const typedName = base.uncurry(Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get);

function setEntries(state, value, depth) {
  const output = [];
  const limit = shown(state, setSize(value));
  state.indent += 2;
  eachSet(value, (item) => { if (output.length < limit) output.push(format(state, item, depth)); });
  state.indent -= 2;
  if (setSize(value) > limit) output.push(more(setSize(value) - limit));
  return output;
}
function mapEntries(state, value, depth) {
  const output = [];
  const limit = shown(state, mapSize(value));
  state.indent += 2;
  eachMap(value, (item, key) => { if (output.length < limit) output.push(`${format(state, key, depth)} => ${format(state, item, depth)}`); });
  state.indent -= 2;
  if (mapSize(value) > limit) output.push(more(mapSize(value) - limit));
  return output;
}
function iteratorEntries(state, value, depth, braces) {
  const [entries, arePairs] = engine.previewEntries(value) ?? [[], false];
  const output = [];
  if (arePairs) braces[0] = braces[0].replace(/ Iterator\] \{$/, ' Entries] {');
  state.indent += 2;
  if (arePairs) {
    for (let i = 0; i < entries.length; i += 2) {
      output.push(`[ ${format(state, entries[i], depth)}, ${format(state, entries[i + 1], depth)} ]`);
    }
  } else {
    for (const entry of entries) output.push(format(state, entry, depth));
  }
  state.indent -= 2;
  return output;
}
function bufferEntries(state, value) {
  let bytes;
  try { bytes = new Uint8Array(value); } catch { return [state.stylize('(detached)', 'special')]; }
  const limit = shown(state, bytes.length);
  let text = Array.from(bytes.subarray(0, limit), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  if (bytes.length > limit) text += ` ... ${bytes.length - limit} more byte${bytes.length - limit > 1 ? 's' : ''}`;
  return [`${state.stylize('[Uint8Contents]', 'special')}: <${text}>`, `byteLength: ${state.stylize(`${value.byteLength}`, 'number')}`];
}
function promiseEntries(state, value, depth) {
  const [status, result] = engine.promiseDetails(value);
  if (status === 0) return [state.stylize('<pending>', 'special')];
  const text = inner(state, result, depth);
  return [status === 2 ? `${state.stylize('<rejected>', 'special')} ${text}` : text];
}
function moduleEntries(state, value, keys, depth) {
  return keys.map((key) => {
    try { return propertyText(state, value, depth, key, 0); } catch {
      return `${keyText(state, key)}: ${state.stylize('<uninitialized>', 'special')}`;
    }
  });
}

function keyText(state, key) {
  if (typeof key === 'symbol') return `[${state.stylize(symbolText(key), 'symbol')}]`;
  if (key === '__proto__') return "['__proto__']";
  if (/^[a-zA-Z_][a-zA-Z_0-9]*$/.test(key)) return state.stylize(key, 'name');
  return state.stylize(quote(key), 'string');
}

// mode 0: `key: value`; mode 1: an element of a list, the value alone.
function propertyText(state, value, depth, key, mode) {
  const property = Object.getOwnPropertyDescriptor(value, key) ?? { value: value[key], configurable: true, enumerable: true };
  const isElement = mode === 1 && typeof key === 'number';
  let text;
  let gap = ' ';
  if ('value' in property) {
    const indent = state.compact !== true || isElement ? 2 : 3;
    state.indent += indent;
    text = format(state, property.value, depth);
    if (indent === 3 && state.breakLength < width(state, text)) gap = `\n${' '.repeat(state.indent)}`;
    state.indent -= indent;
  } else if (property.get !== undefined) {
    text = getterText(state, value, property, depth);
  } else {
    text = property.set !== undefined ? state.stylize('[Setter]', 'special') : state.stylize('undefined', 'undefined');
  }
  if (isElement) return text;
  const name = property.enumerable === false && typeof key !== 'symbol' ? `[${key}]` : keyText(state, key);
  return `${name}:${gap}${text}`;
}
function getterText(state, value, property, depth) {
  const label = property.set !== undefined ? 'Getter/Setter' : 'Getter';
  const wants = state.getters === true || (state.getters === 'get' && property.set === undefined) || (state.getters === 'set' && property.set !== undefined);
  if (!wants) return state.stylize(`[${label}]`, 'special');
  try {
    const got = base.apply(property.get, value, []);
    const text = inner(state, got, depth);
    if (got === null || typeof got !== 'object') return `${state.stylize(`[${label}:`, 'special')} ${text}${state.stylize(']', 'special')}`;
    return `${state.stylize(`[${label}]`, 'special')} ${text}`;
  } catch (error) {
    return `${state.stylize(`[${label}: <Inspection threw (${error.message})>]`, 'special')}`;
  }
}

// ---- Lines ----

// Entries on one line where they fit and hold at most `compact` inner levels, else one a line; long
// lists in columns.
function fold(state, output, before, braces, isList, depth, value) {
  const lead = before ? `${before} ` : '';
  if (state.compact === true) {
    if (fits(state, output, 0, before)) return `${braces[0]}${before ? ` ${before}` : ''} ${output.join(', ')} ${braces[1]}`;
    const inside = `\n${' '.repeat(state.indent)}`;
    return `${before ? `${before} ` : ''}${braces[0]}${before === '' && braces[0].length === 1 ? ' ' : `${inside}  `}${output.join(`,${inside}  `)} ${braces[1]}`;
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
    widths[i] = width(state, output[i]);
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

// ---- The functions ----

function inspect(value, given, legacyDepth, legacyColors) {
  const options = { ...defaults };
  if (typeof given === 'boolean') {
    options.showHidden = given;
    if (legacyDepth !== undefined) options.depth = legacyDepth;
    if (legacyColors !== undefined) options.colors = legacyColors;
  } else if (given) {
    for (const key of Object.keys(given)) {
      if (hasOwn(defaults, key) || key === 'stylize') options[key] = given[key];
    }
  }
  if (options.maxArrayLength === null) options.maxArrayLength = Infinity;
  if (options.maxStringLength === null) options.maxStringLength = Infinity;
  if (options.depth === Infinity) options.depth = null;
  const state = { ...options, options, seen: [], circular: undefined, indent: 0, current: 0 };
  state.stylize = options.stylize ?? (options.colors ? coloured : plain);
  return format(state, value, 0);
}
inspect.custom = custom;
inspect.defaultOptions = defaults;
inspect.colors = colors;
inspect.styles = styles;

// The first argument of console.log may have %s, %d, %i, %f, %j, %o, %O, %c and %%.
function formatLine(options, args) {
  const first = args[0];
  let line = '';
  let used = 0;
  if (typeof first === 'string') {
    if (args.length === 1) return first;
    let from = 0;
    for (let i = 0; i < first.length - 1; i += 1) {
      if (first[i] !== '%') continue;
      const letter = first[i + 1];
      if (letter === '%') {
        line += first.slice(from, i + 1);
        from = i + 2;
        i += 1;
        continue;
      }
      if (used + 1 >= args.length) continue;
      const text = directive(letter, args[used + 1], options);
      if (text === undefined) continue;
      used += 1;
      line += first.slice(from, i) + text;
      from = i + 2;
      i += 1;
    }
    line += first.slice(from);
    used += 1;
  }
  for (; used < args.length; used += 1) {
    const value = args[used];
    if (used > 0) line += ' ';
    line += typeof value === 'string' ? value : inspect(value, { ...options, compact: 3, depth: options.depth ?? defaults.depth });
  }
  return line;
}
function directive(letter, value, options) {
  const numeric = (convert) => {
    if (typeof value === 'bigint') return bigintText({}, value);
    if (typeof value === 'symbol') return 'NaN';
    return numberText({}, convert(value));
  };
  switch (letter) {
    case 's':
      if (typeof value === 'number') return numberText({}, value);
      if (typeof value === 'bigint') return bigintText({}, value);
      if (typeof value !== 'object' || value === null || hasOwnToString(value)) return String(value);
      return inspect(value, { ...options, depth: 0, colors: false, compact: 3 });
    case 'd': return typeof value === 'object' ? numberText({}, Number(value)) : numeric(Number);
    case 'i': return typeof value === 'object' ? numberText({}, parseInt(value, 10)) : numeric((v) => parseInt(v, 10));
    case 'f': return typeof value === 'symbol' ? 'NaN' : numberText({}, parseFloat(value));
    case 'j': return jsonText(value);
    case 'O': return inspect(value, options);
    case 'o': return inspect(value, { ...options, showHidden: true, showProxy: true, depth: 4 });
    case 'c': return '';
    default: return undefined;
  }
}
function jsonText(value) {
  try { return base.JSON.stringify(value); } catch (error) {
    if (/circular structure/.test(error.message)) return '[Circular]';
    throw error;
  }
}
// Whether a class of the script, not of the language, says how its objects become text.
function hasOwnToString(value) {
  if (engine.kind(value) === 'Proxy') return false;
  if (typeof value[Symbol.toPrimitive] === 'function' && engine.kind(value) !== 'Date') return true;
  if (typeof value.toString !== 'function') return false;
  if (hasOwn(value, 'toString')) return true;
  let owner = value;
  while (owner !== null && !hasOwn(owner, 'toString')) owner = Object.getPrototypeOf(owner);
  const found = owner && Object.getOwnPropertyDescriptor(owner, 'constructor');
  return !(found && typeof found.value === 'function' && builtinClasses.has(found.value));
}
const builtinClasses = new base.SafeSet();
for (const name of Object.getOwnPropertyNames(globalThis)) {
  const value = globalThis[name];
  if (typeof value === 'function' && /^[A-Z]/.test(name)) builtinClasses.add(value);
}

Object.assign(shelf, { inspect, formatLine, quote });
