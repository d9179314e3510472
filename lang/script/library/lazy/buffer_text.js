// SPDX-License-Identifier: Apache-2.0
// node:buffer, part 2: the encodings. Those that a loop of JavaScript would read slowly are natives.
'use strict';
const { base } = shelf;
const { natives, coded } = base;
const parts = shelf.bufferParts;
const { Buffer, unknownEncoding, outsideBounds } = parts;
const { prototype } = Buffer;

const textMax = 0x1fffffe8;
const numbers = { utf8: 0, latin1: 1, ascii: 2, hex: 3, base64: 4, base64url: 5 };
const part = (bytes, start, end) => (start === 0 && end === bytes.length ? bytes : new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start));
const tooLong = () => coded(Error, 'ERR_STRING_TOO_LONG', `Cannot create a string longer than 0x${textMax.toString(16)} characters`);
const codesMax = 4096;
function readUtf16(bytes, start, end) {
  const count = (end - start) >> 1;
  if (count > textMax) throw tooLong();
  const from = bytes.byteOffset + start;
  const codes = from % 2 === 0 ? new Uint16Array(bytes.buffer, from, count) : new Uint16Array(bytes.buffer.slice(from, from + 2 * count));
  let text = '';
  for (let i = 0; i < count; i += codesMax) text += base.apply(String.fromCharCode, undefined, codes.subarray(i, Math.min(count, i + codesMax)));
  return text;
}
function writeUtf16(bytes, text, offset, length) {
  const count = Math.min(text.length, length >> 1);
  for (let i = 0, at = offset; i < count; i += 1, at += 2) {
    const code = text.charCodeAt(i);
    bytes[at] = code & 255;
    bytes[at + 1] = code >> 8;
  }
  return 2 * count;
}
function writeSingle(bytes, text, offset, length) {
  const count = Math.min(text.length, length);
  for (let i = 0; i < count; i += 1) bytes[offset + i] = text.charCodeAt(i);
  return count;
}
const sizes = {
  utf8: (text) => natives.bytesSize(text), utf16le: (text) => text.length * 2, hex: (text) => text.length >>> 1,
  latin1: (text) => text.length, ascii: (text) => text.length, base64: base64Size, base64url: base64Size,
};
function base64Size(text) {
  let size = text.length;
  if (text.charCodeAt(size - 1) === 0x3d) size -= 1;
  if (size > 1 && text.charCodeAt(size - 1) === 0x3d) size -= 1;
  return (size * 3) >>> 2;
}
const growth = { utf8: 1, latin1: 1, ascii: 1, hex: 2, base64: 4 / 3, base64url: 4 / 3 };
const encodings = { __proto__: null };
for (const name of ['utf8', 'utf16le', 'latin1', 'ascii', 'hex', 'base64', 'base64url']) {
  const number = numbers[name];
  encodings[name] = { name, sizeOf: sizes[name] };
  if (name === 'utf16le') Object.assign(encodings[name], { read: readUtf16, write: writeUtf16 });
  else {
    encodings[name].read = (bytes, start, end) => {
      if ((end - start) * growth[name] > textMax) throw tooLong();
      return natives.bytesText(part(bytes, start, end), number);
    };
    encodings[name].write = name === 'latin1' || name === 'ascii' ? writeSingle
      : (bytes, text, offset, length) => natives.bytesWrite(part(bytes, offset, offset + length), number, text);
  }
}
const others = { 'utf-8': 'utf8', 'ucs2': 'utf16le', 'ucs-2': 'utf16le', 'utf-16le': 'utf16le', 'binary': 'latin1' };
const encodingNamed = (name) => {
  const known = encodings[name] ?? encodings[others[name]];
  if (known !== undefined) return known;
  const small = `${name}`.toLowerCase();
  return encodings[small] ?? (base.hasOwn(others, small) ? encodings[others[small]] : undefined);
};
Object.assign(parts, { encodingNamed, textMax });
shelf.normalizeEncoding = (name) => (name == null || name === '' ? 'utf8' : encodingNamed(name)?.name);

prototype.toString = function toString(encoding, start, end) {
  if (arguments.length === 0) return encodings.utf8.read(this, 0, this.length);
  const { length } = this;
  let from = 0;
  if (start > 0) {
    if (start >= length) return '';
    from = Math.trunc(start) || 0;
  }
  const to = end === undefined || end > length ? length : Math.trunc(end) || 0;
  if (to <= from) return '';
  if (encoding === undefined) return encodings.utf8.read(this, from, to);
  const found = encodingNamed(`${encoding}`);
  if (found === undefined) throw unknownEncoding(encoding);
  return found.read(this, from, to);
};
prototype.toLocaleString = prototype.toString;
prototype.write = function write(text, offset, length, encoding) {
  if (typeof text !== 'string') throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'argument must be a string');
  if (offset === undefined) return encodings.utf8.write(this, text, 0, this.length);
  let [at, size, name] = [offset, length, encoding];
  if (length === undefined && typeof offset === 'string') [name, size, at] = [offset, this.length, 0];
  else {
    parts.checkOffset(at, 'offset', 0, this.length);
    const rest = this.length - at;
    if (size === undefined) size = rest;
    else if (typeof size === 'string') [name, size] = [size, rest];
    else {
      parts.checkOffset(size, 'length', 0, this.length);
      size = Math.min(size, rest);
    }
  }
  const found = name ? encodingNamed(`${name}`) : encodings.utf8;
  if (found === undefined) throw unknownEncoding(name);
  return found.write(this, text, at, size);
};
// asciiSlice, utf8Write and the others, which programs of old times call.
for (const [name, encoding] of [['ascii', 'ascii'], ['base64', 'base64'], ['base64url', 'base64url'], ['latin1', 'latin1'], ['hex', 'hex'], ['ucs2', 'utf16le'], ['utf8', 'utf8']]) {
  const { read, write } = encodings[encoding];
  const [reads, writes] = [`${name}Slice`, `${name}Write`];
  prototype[reads] = { [reads](start = 0, end = this.length) {
    if (start > this.length || end > this.length) throw coded(RangeError, 'ERR_OUT_OF_RANGE', 'Index out of range');
    return start < end ? read(this, start, end) : '';
  } }[reads];
  prototype[writes] = { [writes](text, offset = 0, length = this.length - offset) {
    if (typeof text !== 'string') throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'argument must be a string');
    if (offset > this.length) throw outsideBounds('offset');
    return write(this, text, offset, Math.min(length, this.length - offset));
  } }[writes];
}
