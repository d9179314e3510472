// SPDX-License-Identifier: Apache-2.0
// node:zlib: one class of streams over a native compressor, and the forms that take a whole buffer.
// Output is bounded: what a buffer may become ends at maxOutputLength, and a stream stops while its
// reader does not take what it has.
'use strict';
const { base, builtins, Buffer, streams } = shelf;
const { natives, coded, argumentType, outOfRange } = base;
const types = builtins['util/types'];
shelf.load('zlib_brotli');
const { BrotliCoder } = shelf.zlibBrotli;

const modes = ['Deflate', 'Inflate', 'Gzip', 'Gunzip', 'DeflateRaw', 'InflateRaw', 'Unzip', 'BrotliDecompress', 'BrotliCompress'];
const isBrotli = (mode) => mode > 7;
const codes = { Z_OK: 0, Z_STREAM_END: 1, Z_NEED_DICT: 2, Z_ERRNO: -1, Z_STREAM_ERROR: -2, Z_DATA_ERROR: -3, Z_MEM_ERROR: -4, Z_BUF_ERROR: -5, Z_VERSION_ERROR: -6 };
const constants = {
  Z_NO_FLUSH: 0, Z_PARTIAL_FLUSH: 1, Z_SYNC_FLUSH: 2, Z_FULL_FLUSH: 3, Z_FINISH: 4, Z_BLOCK: 5, ...codes,
  Z_NO_COMPRESSION: 0, Z_BEST_SPEED: 1, Z_BEST_COMPRESSION: 9, Z_DEFAULT_COMPRESSION: -1, Z_FILTERED: 1, Z_HUFFMAN_ONLY: 2, Z_RLE: 3, Z_FIXED: 4, Z_DEFAULT_STRATEGY: 0,
  ZLIB_VERNUM: 4880, DEFLATE: 1, INFLATE: 2, GZIP: 3, GUNZIP: 4, DEFLATERAW: 5, INFLATERAW: 6, UNZIP: 7,
  Z_MIN_WINDOWBITS: 8, Z_MAX_WINDOWBITS: 15, Z_DEFAULT_WINDOWBITS: 15, Z_MIN_CHUNK: 64, Z_MAX_CHUNK: Infinity, Z_DEFAULT_CHUNK: 16384,
  ...shelf.zlibBrotli.constants,
  Z_MIN_MEMLEVEL: 1, Z_MAX_MEMLEVEL: 9, Z_DEFAULT_MEMLEVEL: 8, Z_MIN_LEVEL: -1, Z_MAX_LEVEL: 9, Z_DEFAULT_LEVEL: -1,
};
const nameOf = (status) => Object.keys(codes).find((name) => codes[name] === status) ?? 'Z_STREAM_ERROR';
// What a whole buffer may become without an option.
const outputMax = 1 << 30;

function option(options, name, min, max, missing) {
  const value = options?.[name];
  if (value === undefined || Number.isNaN(value)) return missing;
  base.checks.isNumber(value, `options.${name}`);
  if (!Number.isFinite(value) && max !== Infinity) throw outOfRange(`options.${name}`, 'a finite number', value);
  if (value < min || value > max) throw outOfRange(`options.${name}`, max === Infinity ? `>= ${min}` : `>= ${min} and <= ${max}`, value);
  return value;
}
function settingsOf(options, mode) {
  if (isBrotli(mode)) return { ...shelf.zlibBrotli.settingsOf(options, mode, option), maxOutputLength: option(options, 'maxOutputLength', 1, 2 ** 32, outputMax) };
  const isReading = mode === 2 || mode === 4 || mode === 7;
  const made = {
    chunkSize: option(options, 'chunkSize', 64, Infinity, 16384), flush: option(options, 'flush', 0, 5, 0), finishFlush: option(options, 'finishFlush', 0, 5, 4),
    maxOutputLength: option(options, 'maxOutputLength', 1, 2 ** 32, outputMax),
    windowBits: isReading && (options?.windowBits === 0 || options?.windowBits == null) ? (options?.windowBits ?? 15) : option(options, 'windowBits', mode === 3 ? 9 : 8, 15, 15),
    level: option(options, 'level', -1, 9, -1), memLevel: option(options, 'memLevel', 1, 9, 8), strategy: option(options, 'strategy', 0, 4, 0), dictionary: new Uint8Array(0),
  };
  // zlib cannot write raw data with this window, and Node widens it.
  if (mode === 5 && made.windowBits === 8) made.windowBits = 9;
  const { dictionary } = options ?? {};
  if (dictionary !== undefined && !types.isArrayBufferView(dictionary)) {
    if (!types.isAnyArrayBuffer(dictionary)) throw argumentType('options.dictionary', ['Buffer', 'TypedArray', 'DataView', 'ArrayBuffer'], dictionary);
    made.dictionary = new Uint8Array(dictionary);
  } else if (dictionary !== undefined) made.dictionary = new Uint8Array(dictionary.buffer, dictionary.byteOffset, dictionary.byteLength);
  return made;
}
const failure = (message, status) => Object.assign(new Error(message), { errno: status, code: nameOf(status) });
const tooLarge = (limit) => coded(RangeError, 'ERR_BUFFER_TOO_LARGE', `Cannot create a Buffer larger than ${limit} bytes`);
const forgotten = new FinalizationRegistry((number) => natives.closeState(number));

// A native compressor: run() gives the output of a step and says what is left of the input.
class Coder {
  constructor(mode, settings) {
    Object.assign(this, { mode, settings, rest: new Int32Array(2), input: new Uint8Array(0) });
    this.number = natives.zlibOpen(mode, settings.windowBits, settings.level, settings.memLevel, settings.strategy, settings.dictionary);
    if (this.number === undefined) throw coded(Error, 'ERR_ZLIB_INITIALIZATION_FAILED', natives.zlibCrc32(new Uint8Array(0), 0) === undefined ? 'Initialization failed: this build was made without zlib' : 'Initialization failed');
    forgotten.register(this, this.number, this);
  }
  // Whether output is missing for want of room.
  run(flush, output) {
    const status = natives.zlibRun(this.number, flush, this.input, output, this.rest);
    const [left, room] = this.rest;
    this.input = this.input.subarray(this.input.length - left);
    this.isOver = status === codes.Z_STREAM_END;
    this.check(status, room, flush);
    return room;
  }
  check(status, room, flush) {
    if (status === codes.Z_OK || status === codes.Z_STREAM_END || (status === codes.Z_BUF_ERROR && flush !== constants.Z_FINISH)) {
      if (status === codes.Z_OK && room !== 0 && flush === constants.Z_FINISH) throw failure('unexpected end of file', codes.Z_BUF_ERROR);
      return;
    }
    if (status === codes.Z_BUF_ERROR) {
      if (room === 0) return;
      throw failure('unexpected end of file', status);
    }
    if (status === codes.Z_NEED_DICT) throw failure(this.settings.dictionary.length === 0 ? 'Missing dictionary' : 'Bad dictionary', status);
    throw failure(natives.zlibMessage(this.number) || 'Zlib error', status);
  }
  close() {
    if (this.number === undefined) return;
    forgotten.unregister(this);
    natives.closeState(this.number);
    this.number = undefined;
  }
}
const coderOf = (mode, settings) => (isBrotli(mode) ? new BrotliCoder(mode, settings) : new Coder(mode, settings));
function bytesOf(value) {
  if (typeof value === 'string') return Buffer.from(value);
  if (types.isArrayBufferView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (types.isAnyArrayBuffer(value)) return new Uint8Array(value);
  throw argumentType('buffer', ['string', 'Buffer', 'TypedArray', 'DataView', 'ArrayBuffer'], value);
}
function whole(mode, given, options) {
  const input = bytesOf(given);
  const settings = settingsOf(options, mode);
  const coder = coderOf(mode, settings);
  const chunks = [];
  let size = 0;
  try {
    coder.input = input;
    for (;;) {
      const output = new Uint8Array(settings.chunkSize);
      const room = coder.run(settings.finishFlush, output);
      const used = output.length - room;
      if (used > 0) chunks.push(room === 0 ? output : output.subarray(0, used));
      size += used;
      if (size > settings.maxOutputLength) throw tooLarge(settings.maxOutputLength);
      if (room !== 0 || coder.isOver) break;
    }
  } finally { coder.close(); }
  const made = Buffer.concat(chunks, size);
  if (!options?.info) return made;
  return { buffer: made, engine: { bytesWritten: input.length - coder.input.length } };
}
shelf.zlibParts = { Coder, coderOf, settingsOf, constants, modes };
shelf.load('zlib_streams');

const zlib = { crc32(data, value = 0) {
  if (typeof data !== 'string' && !types.isArrayBufferView(data)) throw argumentType('data', ['Buffer', 'TypedArray', 'DataView', 'string'], data);
  base.checks.isNumber(value, 'value');
  if (!Number.isInteger(value) || value < 0 || value > 2 ** 32 - 1) throw outOfRange('value', Number.isInteger(value) ? '>= 0 && <= 4294967295' : 'an integer', value);
  return natives.zlibCrc32(bytesOf(data), value);
} };
Object.assign(zlib, shelf.zlibParts.classes);
modes.forEach((name, i) => {
  const word = name[0].toLowerCase() + name.slice(1);
  const [sync, create] = [`${word}Sync`, `create${name}`];
  zlib[sync] = { [sync](buffer, options) { return whole(i + 1, buffer, options); } }[sync];
  zlib[word] = { [word](buffer, options, callback) {
    const [chosen, then] = typeof options === 'function' ? [undefined, options] : [options, callback];
    base.checks.isFunction(then, 'callback');
    settingsOf(chosen, i + 1);
    if (typeof buffer !== 'string' && !types.isArrayBufferView(buffer) && !types.isAnyArrayBuffer(buffer)) throw argumentType('chunk', ['string', 'Buffer', 'TypedArray', 'DataView'], buffer);
    shelf.setImmediate(() => {
      let made;
      try { made = whole(i + 1, buffer, chosen); } catch (error) { then(error); return; }
      then(null, made);
    });
  } }[word];
  zlib[create] = { [create](options) { return new zlib[name](options); } }[create];
});
Object.defineProperty(zlib, 'constants', { enumerable: true, value: constants });
const table = { ...codes };
for (const name of Object.keys(codes)) table[codes[name]] = name;
Object.defineProperty(zlib, 'codes', { enumerable: true, value: Object.freeze(table) });
for (const name of Object.keys(constants)) if (name.startsWith('Z_')) Object.defineProperty(zlib, name, { value: constants[name], enumerable: false, configurable: true });
builtins.zlib = zlib;
