// SPDX-License-Identifier: Apache-2.0
// node:querystring.
'use strict';
const { base, builtins, Buffer } = shelf;
const { coded } = base;

function escape(value) {
  const text = typeof value === 'string' ? value : typeof value === 'object' ? String(value) : `${value}`;
  try { return encodeURIComponent(text); } catch { throw coded(URIError, 'ERR_INVALID_URI', 'URI malformed'); }
}
const hexValue = (code) => (code >= 48 && code <= 57 ? code - 48 : code >= 65 && code <= 70 ? code - 55 : code >= 97 && code <= 102 ? code - 87 : -1);
// Escapes that are none stay as they are.
function unescapeBuffer(text, decodeSpaces) {
  const made = Buffer.allocUnsafe(text.length);
  let size = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    const high = code === 37 && i + 2 < text.length ? hexValue(text.charCodeAt(i + 1)) : -1;
    const low = high >= 0 ? hexValue(text.charCodeAt(i + 2)) : -1;
    if (low >= 0) i += 2;
    made[size] = low >= 0 ? high * 16 + low : code === 43 && decodeSpaces ? 32 : code;
    size += 1;
  }
  return size === made.length ? made : made.slice(0, size);
}
function unescape(text, decodeSpaces) {
  try { return decodeURIComponent(text); } catch { return querystring.unescapeBuffer(text, decodeSpaces).toString(); }
}
const primitive = (value) => {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return `${value}`;
  return typeof value === 'bigint' || typeof value === 'boolean' ? `${value}` : '';
};
function stringify(object, separator, equals, options) {
  const [sep, eq] = [separator || '&', equals || '='];
  const encode = typeof options?.encodeURIComponent === 'function' ? options.encodeURIComponent : querystring.escape;
  if (object === null || typeof object !== 'object') return '';
  const fields = [];
  for (const key of Object.keys(object)) {
    const name = encode(primitive(key)) + eq;
    for (const value of Array.isArray(object[key]) ? object[key] : [object[key]]) fields.push(name + encode(primitive(value)));
  }
  return fields.join(sep);
}
function parse(text, separator, equals, options) {
  const made = { __proto__: null };
  if (typeof text !== 'string' || text.length === 0) return made;
  const [sep, eq] = [separator ? `${separator}` : '&', equals ? `${equals}` : '='];
  const max = typeof options?.maxKeys === 'number' ? (options.maxKeys > 0 ? options.maxKeys : Infinity) : 1000;
  let decode = querystring.unescape;
  if (typeof options?.decodeURIComponent === 'function') decode = options.decodeURIComponent;
  const isOwn = decode !== unescape;
  const decoded = (part) => {
    const spaced = part.replaceAll('+', isOwn ? '%20' : ' ');
    if (!isOwn && !spaced.includes('%')) return spaced;
    try { return decode(spaced); } catch { return unescape(spaced, true); }
  };
  let count = 0;
  for (const field of text.split(sep)) {
    if (field === '') continue;
    if (count === max) break;
    count += 1;
    const at = field.indexOf(eq);
    const key = decoded(at === -1 ? field : field.slice(0, at));
    const value = at === -1 ? '' : decoded(field.slice(at + eq.length));
    if (!(key in made)) made[key] = value;
    else if (Array.isArray(made[key])) made[key].push(value);
    else made[key] = [made[key], value];
  }
  return made;
}
const querystring = { unescapeBuffer, unescape, escape, stringify, encode: stringify, parse, decode: parse };
builtins.querystring = querystring;
