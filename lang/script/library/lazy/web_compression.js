// SPDX-License-Identifier: Apache-2.0
// CompressionStream and DecompressionStream: a native compressor between the two sides of a
// TransformStream. A chunk of output is at most as large as those of node:zlib.
'use strict';
shelf.load('web_writable');
const { base, builtins, globals } = shelf;
const { argumentType, argumentValue } = base;
void builtins.zlib;
const { Coder, settingsOf, constants } = shelf.zlibParts;
const types = builtins['util/types'];

// The modes of zlib by format: writing, reading.
const formats = { __proto__: null, deflate: [1, 2], 'deflate-raw': [5, 6], gzip: [3, 4] };
function bytesOf(chunk) {
  if (types.isArrayBufferView(chunk)) return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  throw argumentType('chunk', ['string', 'Buffer', 'TypedArray', 'DataView'], chunk);
}
function pairOf(format, direction) {
  if (formats[`${format}`] === undefined) throw argumentValue('format', format);
  const mode = formats[`${format}`][direction];
  const settings = settingsOf({}, mode);
  const coder = new Coder(mode, settings);
  function run(input, flush, controller) {
    coder.input = input;
    try {
      for (;;) {
        const output = new Uint8Array(settings.chunkSize);
        const room = coder.run(flush, output);
        if (room < output.length) controller.enqueue(output.slice(0, output.length - room));
        if (room !== 0 || coder.isOver) return;
      }
    } catch (error) {
      coder.close();
      throw error;
    }
  }
  return new globals.TransformStream({
    transform(chunk, controller) {
      const input = typeof chunk === 'string' ? shelf.Buffer.from(chunk) : bytesOf(chunk);
      // What stands behind the end of the data is ignored, as in Node.
      if (!coder.isOver && input.length > 0) run(input, constants.Z_NO_FLUSH, controller);
    },
    flush(controller) {
      if (!coder.isOver) run(new Uint8Array(0), constants.Z_FINISH, controller);
      coder.close();
    },
  });
}
const check = (self, has, name) => { if (!has) throw base.coded(TypeError, 'ERR_INVALID_THIS', `Value of "this" must be of type ${name}`); };
class CompressionStream {
  #pair;
  constructor(format) { this.#pair = pairOf(format, 0); }
  get readable() { check(this, #pair in this, 'CompressionStream'); return this.#pair.readable; }
  get writable() { check(this, #pair in this, 'CompressionStream'); return this.#pair.writable; }
}
class DecompressionStream {
  #pair;
  constructor(format) { this.#pair = pairOf(format, 1); }
  get readable() { check(this, #pair in this, 'DecompressionStream'); return this.#pair.readable; }
  get writable() { check(this, #pair in this, 'DecompressionStream'); return this.#pair.writable; }
}
for (const made of [CompressionStream, DecompressionStream]) {
  for (const name of ['readable', 'writable']) Object.defineProperty(made.prototype, name, { enumerable: true });
  Object.defineProperty(made.prototype, Symbol.toStringTag, { value: made.name, configurable: true });
}
Object.assign(globals, { CompressionStream, DecompressionStream });
