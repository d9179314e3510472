// SPDX-License-Identifier: Apache-2.0
// node:buffer, part 3: indexOf, lastIndexOf, includes, fill.
'use strict';
const { base } = shelf;
const { natives, argumentType, outOfRange } = base;
const { Buffer, isBytes, encodingNamed, unknownEncoding, outsideBounds, checkOffset } = shelf.bufferParts;
const { prototype } = Buffer;

// Where a search begins; -1: nothing can be found. Negative offsets count from the end.
function beginning(length, offset, needleLength, isForward) {
  if (offset < 0) {
    if (offset + length >= 0) return offset + length;
    return isForward || needleLength === 0 ? 0 : -1;
  }
  if (offset + needleLength <= length) return offset;
  if (needleLength === 0) return length;
  return isForward ? -1 : length - 1;
}
function find(bytes, value, offset, encoding, isForward) {
  if (!isBytes(bytes)) throw argumentType('buffer', ['Buffer', 'Uint8Array', 'TypedArray', 'DataView'], bytes);
  let [at, name] = [offset, encoding];
  if (typeof at === 'string') [name, at] = [at, undefined];
  else if (at > 0x7fffffff) at = 0x7fffffff;
  else if (at < -0x80000000) at = -0x80000000;
  at = +at;
  if (Number.isNaN(at)) at = isForward ? 0 : bytes.length;
  at = Math.trunc(at);
  if (typeof value === 'number') {
    const from = beginning(bytes.length, at, 1, isForward);
    return from <= -1 || bytes.length === 0 ? -1 : natives.bytesFind(bytes, new Uint8Array([value]), from, isForward, 1);
  }
  const found = name === undefined ? encodingNamed('utf8') : encodingNamed(`${name}`);
  let needle = value;
  if (typeof value === 'string') {
    if (found === undefined) throw unknownEncoding(name);
    needle = Buffer.from(value, found.name);
  } else if (!isBytes(value)) throw argumentType('value', ['number', 'string', 'Buffer', 'Uint8Array'], value);
  const { length } = bytes;
  // Of a text in hex or base64 the bytes are searched, of a text the place counts.
  const from = beginning(length, at, needle.length, isForward);
  if (needle.length === 0) return from;
  if (length === 0 || from <= -1 || (isForward && needle.length + from > length) || needle.length > length) return -1;
  if (found?.name !== 'utf16le') return natives.bytesFind(bytes, needle, from, isForward, 1);
  if (length < 2 || needle.length < 2) return -1;
  return natives.bytesFind(length % 2 === 0 ? bytes : bytes.subarray(0, length - 1), needle.subarray(0, needle.length & ~1), from & ~1, isForward, 2);
}
prototype.indexOf = function indexOf(value, byteOffset, encoding) { return find(this, value, byteOffset, encoding, true); };
prototype.lastIndexOf = function lastIndexOf(value, byteOffset, encoding) { return find(this, value, byteOffset, encoding, false); };
prototype.includes = function includes(value, byteOffset, encoding) { return this.indexOf(value, byteOffset, encoding) !== -1; };

prototype.fill = function fill(value, offset, end, encoding) {
  let [what, from, to, name] = [value, offset, end, encoding];
  if (typeof what === 'string') {
    if (from === undefined || typeof from === 'string') [name, from, to] = [from, undefined, undefined];
    else if (typeof to === 'string') [name, to] = [to, undefined];
    const found = name === undefined || name === null || name === '' ? encodingNamed('utf8') : encodingNamed(`${name}`);
    if (found === undefined) {
      base.checks.isString(name, 'encoding');
      throw unknownEncoding(name);
    }
    name = found.name;
    if (what.length === 0) what = 0;
  } else name = undefined;
  if (from === undefined) [from, to] = [0, to === undefined ? this.length : to];
  else checkOffset(from, 'offset');
  if (to === undefined) to = this.length;
  else checkOffset(to, 'end', 0, this.length);
  if (from >= to) return this;
  if (from > this.length) throw outsideBounds();
  if (typeof what === 'string' || isBytes(what) || ArrayBuffer.isView(what)) {
    const pattern = typeof what === 'string' ? Buffer.from(what, name) : new Uint8Array(what.buffer, what.byteOffset, what.byteLength);
    if (pattern.length === 0) throw base.argumentValue('value', value);
    for (let at = from; at < to; at += pattern.length) {
      base.apply(Uint8Array.prototype.set, this, [at + pattern.length <= to ? pattern : pattern.subarray(0, to - at), at]);
    }
    return this;
  }
  base.apply(Uint8Array.prototype.fill, this, [what, from, to]);
  return this;
};
