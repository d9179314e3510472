// SPDX-License-Identifier: Apache-2.0
// Values between a script and the host as JSON, which effects and actors have in common: numbers, texts,
// booleans, null, bytes ({"$bytes": hexadecimal}), bigints, arrays and plain objects.
'use strict';
const { base } = shelf;
const { coded } = base;

const bytesOf = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const revive = (key, value) => {
  if (value === null || typeof value !== 'object' || Object.keys(value).length !== 1) return value;
  if (typeof value.$bytes === 'string') return bytesOf(value.$bytes);
  if (typeof value.$int === 'string') return BigInt(value.$int);
  if (typeof value.$real === 'string') return { nan: NaN, inf: Infinity, '-inf': -Infinity }[value.$real] ?? Number(value.$real);
  return value;
};
// An integer that no number has is a bigint.
const lexeme = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;
const isInteger = /^-?\d{16,}$/;
const exact = (text) => text.replace(lexeme, (part) => (isInteger.test(part) && !Number.isSafeInteger(Number(part)) ? `{"$int":"${part}"}` : part));
const decoded = (text, hook = revive) => base.JSON.parse(exact(text), hook);
const depthMax = 128;
const accepted = ['number', 'string', 'boolean', 'bigint', 'Uint8Array', 'Array', 'Object'];
// Objects of other kinds have more than their own properties.
const plainKinds = ['', 'Module'];
const marks = ['$bytes', '$int', '$real'];
function encodedBytes(bytes) {
  let hex = '';
  for (let i = 0; i < bytes.length; i += 1) hex += bytes[i].toString(16).padStart(2, '0');
  return `{"$bytes":"${hex}"}`;
}
// of.asText(object) gives the text of an object that it knows; of.isNumberKept: a large number that is an
// integer stays a number.
function encoded(value, depth = 0, of = {}) {
  if (depth > depthMax) throw coded(RangeError, 'ERR_OUT_OF_RANGE', `a value nests at most ${depthMax} deep`);
  if (value === undefined || value === null) return 'null';
  switch (typeof value) {
    case 'bigint': return `${value}`;
    case 'number': {
      if (Number.isFinite(value)) {
        const isLarge = of.isNumberKept && Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21;
        return Object.is(value, -0) ? '-0.0' : `${value}${isLarge ? '.0' : ''}`;
      }
      return `{"$real":"${Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf'}"}`;
    }
    case 'string': case 'boolean': return base.JSON.stringify(value);
    case 'object': break;
    default: throw base.argumentType('value', accepted, value);
  }
  if (ArrayBuffer.isView(value)) return encodedBytes(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  const item = (one) => encoded(one, depth + 1, of);
  if (Array.isArray(value)) return `[${Array.from(value, item).join(',')}]`;
  const known = of.asText?.(value);
  if (known !== undefined) return known;
  const kind = base.engine.kind(value);
  if (kind === 'ArrayBuffer') return encodedBytes(new Uint8Array(value));
  if (!plainKinds.includes(kind)) throw base.argumentType('value', accepted, value);
  const keys = Object.keys(value);
  if (keys.length === 1 && marks.includes(keys[0])) throw base.argumentValue('value', value, `has the one property ${keys[0]}, which stands for another type`);
  return `{${keys.map((key) => `${base.JSON.stringify(key)}:${item(value[key])}`).join(',')}}`;
}
shelf.jsonValues = { encoded, decoded, revive, marks };
