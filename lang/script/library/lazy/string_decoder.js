// SPDX-License-Identifier: Apache-2.0
// node:string_decoder: texts of bytes that come in parts: what belongs to a character that has not
// come whole is kept for the next part.
'use strict';
const { base, builtins } = shelf;
const { coded, argumentType } = base;
const { Buffer } = shelf;

// How many bytes at the end begin a character and wait for the rest of it.
function openUtf8(bytes) {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back];
    if ((byte & 0xc0) === 0x80) continue;
    const size = (byte & 0xe0) === 0xc0 ? 2 : (byte & 0xf0) === 0xe0 ? 3 : (byte & 0xf8) === 0xf0 ? 4 : 0;
    return size > back ? back : 0;
  }
  return 0;
}
function openUtf16(bytes) {
  const odd = bytes.length % 2;
  const even = bytes.length - odd;
  const isHigh = even >= 2 && (bytes[even - 1] & 0xfc) === 0xd8;
  return odd + (isHigh ? 2 : 0);
}
const open = { utf8: openUtf8, utf16le: openUtf16, base64: (bytes) => bytes.length % 3, base64url: (bytes) => bytes.length % 3 };
const sizeOf = (kept, encoding) => {
  if (kept.length === 0) return 0;
  if (encoding === 'utf8') return kept[0] >= 0xf0 ? 4 : kept[0] >= 0xe0 ? 3 : 2;
  if (encoding === 'utf16le') return kept.length >= 2 ? 4 : 2;
  return 3;
};
const nothing = Buffer.alloc(0);
function StringDecoder(encoding) {
  const name = shelf.normalizeEncoding(encoding);
  if (name === undefined) throw coded(TypeError, 'ERR_UNKNOWN_ENCODING', shelf.formatLine({}, ['Unknown encoding: %s', encoding]));
  this.encoding = name;
  Object.defineProperty(this, 'kept', { value: nothing, writable: true, enumerable: false, configurable: true });
}
StringDecoder.prototype.write = function write(given) {
  if (typeof given === 'string') return given;
  if (!ArrayBuffer.isView(given)) throw argumentType('buf', ['Buffer', 'TypedArray', 'DataView'], given);
  let bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  // As in Node a unit whose halves come in two parts is passed on, also where it begins a pair.
  let head = '';
  if (this.kept.length === 1 && this.encoding === 'utf16le' && bytes.length > 0) {
    head = Buffer.of(this.kept[0], bytes[0]).toString('utf16le');
    bytes = bytes.subarray(1);
  } else if (this.kept.length > 0) bytes = Buffer.concat([this.kept, bytes]);
  const rest = open[this.encoding]?.(bytes) ?? 0;
  this.kept = rest === 0 ? nothing : Buffer.from(bytes.subarray(bytes.length - rest));
  return head + bytes.toString(this.encoding, 0, bytes.length - rest);
};
StringDecoder.prototype.end = function end(given) {
  const text = given === undefined ? '' : this.write(given);
  const { kept } = this;
  this.kept = nothing;
  return text + kept.toString(this.encoding);
};
StringDecoder.prototype.text = function text(bytes, offset) {
  this.kept = nothing;
  return this.write(bytes.slice(offset));
};
Object.defineProperties(StringDecoder.prototype, {
  lastChar: { configurable: true, enumerable: true, get() { return Buffer.concat([this.kept, Buffer.alloc(4)], 4); } },
  lastNeed: { configurable: true, enumerable: true, get() { return this.kept.length === 0 ? 0 : sizeOf(this.kept, this.encoding) - this.kept.length; } },
  lastTotal: { configurable: true, enumerable: true, get() { return sizeOf(this.kept, this.encoding); } },
});
builtins.string_decoder = { StringDecoder };
