// SPDX-License-Identifier: Apache-2.0
// Brotli in node:zlib: its constants, its options, and a coder like that of zlib.
'use strict';
const { base } = shelf;
const { natives, coded } = base;

const constants = {
  BROTLI_DECODE: 8, BROTLI_ENCODE: 9,
  BROTLI_OPERATION_PROCESS: 0, BROTLI_OPERATION_FLUSH: 1, BROTLI_OPERATION_FINISH: 2, BROTLI_OPERATION_EMIT_METADATA: 3,
  BROTLI_PARAM_MODE: 0, BROTLI_MODE_GENERIC: 0, BROTLI_MODE_TEXT: 1, BROTLI_MODE_FONT: 2, BROTLI_DEFAULT_MODE: 0,
  BROTLI_PARAM_QUALITY: 1, BROTLI_MIN_QUALITY: 0, BROTLI_MAX_QUALITY: 11, BROTLI_DEFAULT_QUALITY: 11,
  BROTLI_PARAM_LGWIN: 2, BROTLI_MIN_WINDOW_BITS: 10, BROTLI_MAX_WINDOW_BITS: 24, BROTLI_LARGE_MAX_WINDOW_BITS: 30, BROTLI_DEFAULT_WINDOW: 22,
  BROTLI_PARAM_LGBLOCK: 3, BROTLI_MIN_INPUT_BLOCK_BITS: 16, BROTLI_MAX_INPUT_BLOCK_BITS: 24,
  BROTLI_PARAM_DISABLE_LITERAL_CONTEXT_MODELING: 4, BROTLI_PARAM_SIZE_HINT: 5, BROTLI_PARAM_LARGE_WINDOW: 6, BROTLI_PARAM_NPOSTFIX: 7, BROTLI_PARAM_NDIRECT: 8,
  BROTLI_DECODER_RESULT_ERROR: 0, BROTLI_DECODER_RESULT_SUCCESS: 1, BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT: 2, BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: 3,
  BROTLI_DECODER_PARAM_DISABLE_RING_BUFFER_REALLOCATION: 0, BROTLI_DECODER_PARAM_LARGE_WINDOW: 1,
  BROTLI_DECODER_NO_ERROR: 0, BROTLI_DECODER_SUCCESS: 1, BROTLI_DECODER_NEEDS_MORE_INPUT: 2, BROTLI_DECODER_NEEDS_MORE_OUTPUT: 3,
};
const isEncoder = (mode) => mode === constants.BROTLI_ENCODE;
// Pairs of a parameter and its value.
function parametersOf(params, mode) {
  const list = [];
  if (params === undefined || params === null) return new Uint32Array(0);
  const last = isEncoder(mode) ? constants.BROTLI_PARAM_NDIRECT : constants.BROTLI_DECODER_PARAM_LARGE_WINDOW;
  for (const key of Object.keys(params)) {
    const number = Number(key);
    if (!Number.isInteger(number) || number < 0 || number > last) throw coded(RangeError, 'ERR_BROTLI_INVALID_PARAM', `${key} is not a valid Brotli parameter`);
    const value = params[key];
    if (typeof value !== 'number' && typeof value !== 'boolean') throw base.argumentType('options.params[key]', 'number', value);
    list.push(number, Number(value));
  }
  return Uint32Array.from(list);
}
const settingsOf = (options, mode, option) => ({
  chunkSize: option(options, 'chunkSize', 64, Infinity, 16384), flush: option(options, 'flush', 0, 3, constants.BROTLI_OPERATION_PROCESS),
  finishFlush: option(options, 'finishFlush', 0, 3, constants.BROTLI_OPERATION_FINISH), params: parametersOf(options?.params, mode),
});
const forgotten = new FinalizationRegistry((number) => natives.closeState(number));

class BrotliCoder {
  constructor(mode, settings) {
    Object.assign(this, { mode, settings, rest: new Int32Array(2), input: new Uint8Array(0) });
    this.number = natives.brotliOpen(isEncoder(mode), settings.params);
    if (this.number === undefined) throw coded(Error, 'ERR_ZLIB_INITIALIZATION_FAILED', natives.brotliVersion() === undefined ? 'Initialization failed: this build was made without Brotli (libbrotli-dev)' : 'Initialization failed');
    forgotten.register(this, this.number, this);
  }
  run(flush, output) {
    const status = natives.brotliRun(this.number, flush, this.input, output, this.rest);
    const [left, room] = this.rest;
    this.input = this.input.subarray(this.input.length - left);
    this.isOver = status === 1;
    if (status === 2) throw this.failure();
    // All the input was taken, and the end did not come.
    if (!isEncoder(this.mode) && flush === constants.BROTLI_OPERATION_FINISH && status === 0 && room !== 0) throw Object.assign(new Error('unexpected end of file'), { errno: -5, code: 'Z_BUF_ERROR' });
    return room;
  }
  failure() {
    if (isEncoder(this.mode)) return Object.assign(new Error('Compression failed'), { errno: -2, code: 'ERR_BROTLI_COMPRESSION_FAILED' });
    const [, number, name] = /^(-?\d+) (?:BROTLI_DECODER)?(.*)$/.exec(natives.brotliMessage(this.number));
    return Object.assign(new Error('Decompression failed'), { errno: Number(number), code: `ERR_${name.startsWith('_') ? name : `_${name}`}` });
  }
  close() {
    if (this.number === undefined) return;
    forgotten.unregister(this);
    natives.closeState(this.number);
    this.number = undefined;
  }
}
shelf.zlibBrotli = { BrotliCoder, constants, settingsOf };
