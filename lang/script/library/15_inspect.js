// SPDX-License-Identifier: Apache-2.0
// util.inspect, part 6: inspect, format and the directives of console.log.
'use strict';
const { base } = shelf;
const { engine, hasOwn } = base;
const parts = shelf.inspecting;
const { bigintText, colors, coloured, custom, defaults, format, numberText, plain, quote, styles } = parts;

function inspect(value, given, legacyDepth, legacyColors) {
  const state = { ...defaults, seen: [], circular: undefined, indent: 0, current: 0, stylize: plain, userOptions: undefined, budgets: undefined };
  if (legacyDepth !== undefined) state.depth = legacyDepth;
  if (legacyColors !== undefined) state.colors = legacyColors;
  if (typeof given === 'boolean') {
    state.showHidden = given;
  } else if (given) {
    for (const key of Object.keys(given)) {
      if (hasOwn(defaults, key) || key === 'stylize') state[key] = given[key];
      else state.userOptions = given;
    }
  }
  if (state.colors) state.stylize = coloured;
  if (state.maxArrayLength === null) state.maxArrayLength = Infinity;
  if (state.maxStringLength === null) state.maxStringLength = Infinity;
  return format(state, value, 0);
}
inspect.custom = custom;
Object.defineProperty(inspect, 'defaultOptions', {
  configurable: true, enumerable: true,
  get: () => defaults,
  set(given) {
    if (given === null || typeof given !== 'object') throw base.argumentType('options', 'Object', given);
    Object.assign(defaults, given);
  },
});
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
    line += typeof value === 'string' ? value : inspect(value, options);
  }
  return line;
}
function directive(letter, value, options) {
  const numeric = (convert) => {
    if (typeof value === 'bigint') return bigintText(options, value);
    if (typeof value === 'symbol') return 'NaN';
    return numberText(options, convert(value));
  };
  switch (letter) {
    case 's':
      if (typeof value === 'number') return numberText(options, value);
      if (typeof value === 'bigint') return bigintText(options, value);
      if (typeof value !== 'object' || value === null || hasOwnToString(value)) return String(value);
      return inspect(value, { ...options, depth: 0, colors: false, compact: 3 });
    case 'd': return numeric(Number);
    case 'i': return numeric(parseInt);
    case 'f': return typeof value === 'symbol' ? 'NaN' : numberText(options, parseFloat(value));
    case 'j': return `${jsonText(value)}`;
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
function hasOwnToString(given) {
  let value = given;
  while (engine.kind(value) === 'Proxy') {
    [value] = engine.proxyDetails(value);
    if (value === null) return false;
  }
  const names = ['toString', Symbol.toPrimitive].filter((name) => typeof value[name] === 'function');
  if (names.length === 0) return false;
  let owner = value;
  while (owner !== null && !names.some((name) => hasOwn(owner, name))) owner = Object.getPrototypeOf(owner);
  if (owner === value) return true;
  const found = owner && Object.getOwnPropertyDescriptor(owner, 'constructor');
  return !(found && typeof found.value === 'function' && builtinNames.has(found.value.name));
}
const builtinNames = new base.SafeSet();
for (const name of Object.getOwnPropertyNames(globalThis)) if (/^[A-Z][a-zA-Z0-9]+$/.test(name)) builtinNames.add(name);

Object.assign(shelf, { inspect, formatLine, quote });
Object.assign(parts, { builtinNames, inspect });
