// SPDX-License-Identifier: Apache-2.0
// util.inspect, part 3: the entries of arrays, collections and other objects, and their properties.
'use strict';
const { base } = shelf;
const { engine, hasOwn } = base;
const parts = shelf.inspecting;
const { bigintText, escapeHalf, escapeOne, fold, loneHalf, numberText, quote, symbolText, width } = parts;

function inner(state, value, depth, indent = 2, isTyped = false) {
  state.indent += indent;
  const text = parts.format(state, value, depth, isTyped);
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
      output.push(`[${key}]: ${inner(state, value[key], depth, 2, true)}`);
    }
  }
  return output;
}
const setSize = base.uncurry(Object.getOwnPropertyDescriptor(Set.prototype, 'size').get);
const mapSize = base.uncurry(Object.getOwnPropertyDescriptor(Map.prototype, 'size').get);
const eachSet = base.uncurry(Set.prototype.forEach);
const eachMap = base.uncurry(Map.prototype.forEach);
const typedClasses = new base.SafeMap();
for (const Type of [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array]) typedClasses.set(Type.name, Type);
const typedName = base.uncurry(Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get);

function setEntries(state, value, depth) {
  const output = [];
  const limit = Object.getPrototypeOf(value) === null ? Infinity : shown(state, setSize(value));
  state.indent += 2;
  eachSet(value, (item) => { if (output.length < limit) output.push(parts.format(state, item, depth)); });
  state.indent -= 2;
  if (setSize(value) > limit) output.push(more(setSize(value) - limit));
  return output;
}
function mapEntries(state, value, depth) {
  const output = [];
  const limit = Object.getPrototypeOf(value) === null ? Infinity : shown(state, mapSize(value));
  state.indent += 2;
  eachMap(value, (item, key) => { if (output.length < limit) output.push(`${parts.format(state, key, depth)} => ${parts.format(state, item, depth)}`); });
  state.indent -= 2;
  if (mapSize(value) > limit) output.push(more(mapSize(value) - limit));
  return output;
}
function iteratorEntries(state, value, depth, braces) {
  const [entries, arePairs] = engine.previewEntries(value) ?? [[], false];
  if (!arePairs) return listEntries(state, entries, depth);
  braces[0] = braces[0].replace(/ Iterator\] \{$/, ' Entries] {');
  const pairs = pairEntries(state, entries, depth, (key, item) => fold(state, [key, item], '', ['[', ']'], true, depth - 1));
  return pairs;
}
function listEntries(state, entries, depth) {
  const limit = shown(state, entries.length);
  const output = [];
  state.indent += 2;
  for (let i = 0; i < limit; i += 1) output.push(parts.format(state, entries[i], depth));
  state.indent -= 2;
  if (entries.length > limit) output.push(more(entries.length - limit));
  return output;
}
// The entries are a key and a value in turn.
function pairEntries(state, entries, depth, join) {
  const count = entries.length / 2;
  const limit = shown(state, count);
  const output = [];
  state.indent += 2;
  for (let i = 0; i < limit; i += 1) output.push(join(parts.format(state, entries[2 * i], depth), parts.format(state, entries[2 * i + 1], depth)));
  state.indent -= 2;
  if (count > limit) output.push(more(count - limit));
  return output;
}
// In no order of their own: sorted.
function weakEntries(state, value, depth) {
  const [entries, arePairs] = engine.previewEntries(value) ?? [[], false];
  const output = arePairs ? pairEntries(state, entries, depth, (key, item) => `${key} => ${item}`) : listEntries(state, entries, depth);
  return state.sorted ? output : output.sort();
}
function bufferEntries(state, value) {
  let bytes;
  try { bytes = new Uint8Array(value); } catch { return [state.stylize('(detached)', 'special')]; }
  const limit = shown(state, bytes.length);
  let text = Array.from(bytes.subarray(0, limit), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  if (bytes.length > limit) text += ` ... ${bytes.length - limit} more byte${bytes.length - limit > 1 ? 's' : ''}`;
  return [`${state.stylize('[Uint8Contents]', 'special')}: <${text}>`];
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

const escapeKey = (key) => key.replace(/[\x00-\x1f\x27\x5c\x7f-\x9f]/g, (char) => (char === "'" ? "\\'" : escapeOne(char)))
  .replace(loneHalf, escapeHalf);
function keyText(state, key) {
  if (typeof key === 'symbol') return `[${state.stylize(escapeKey(symbolText(key)), 'symbol')}]`;
  if (/^[a-zA-Z_][a-zA-Z_0-9]*$/.test(key)) return state.stylize(key, 'name');
  return state.stylize(quote(key), 'string');
}

// mode 0: `key: value`; mode 1: an element of a list, the value alone.
function propertyText(state, value, depth, key, mode, known, original = value) {
  const property = known ?? Object.getOwnPropertyDescriptor(value, key) ?? { value: value[key], configurable: true, enumerable: true };
  const isElement = mode === 1 && typeof key === 'number';
  let text;
  let gap = ' ';
  if ('value' in property) {
    const indent = state.compact !== true || mode === 1 ? 2 : 3;
    state.indent += indent;
    text = parts.format(state, property.value, depth);
    if (indent === 3 && state.breakLength < width(state, text)) gap = `\n${' '.repeat(state.indent)}`;
    state.indent -= indent;
  } else if (property.get !== undefined) {
    text = getterText(state, original, property, depth);
  } else {
    text = property.set !== undefined ? state.stylize('[Setter]', 'special') : state.stylize('undefined', 'undefined');
  }
  if (isElement) return text;
  let name;
  if (key === '__proto__') name = "['__proto__']";
  else if (property.enumerable === false && typeof key !== 'symbol') name = `[${escapeKey(key)}]`;
  else name = keyText(state, key);
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
Object.assign(parts, { arrayEntries, bufferEntries, iteratorEntries, mapEntries, mapSize, moduleEntries, promiseEntries, propertyText,
  setEntries, setSize, typedClasses, typedEntries, typedName, weakEntries });
