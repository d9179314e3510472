// SPDX-License-Identifier: Apache-2.0
// node:crypto, part 2: random numbers, comparison, and the part of Web Crypto that hashes.
'use strict';
const { base, builtins, Buffer } = shelf;
const { natives, coded, argumentType, outOfRange } = base;
const parts = shelf.cryptoParts;
const { isBytes, bytesOf } = parts;
const later = (callback, ...values) => shelf.setImmediate(callback, ...values);

const sizeMax = 2 ** 31 - 1;
function within(value, name, max) {
  base.checks.isNumber(value, name);
  if (Number.isNaN(value) || value < 0 || value > max) throw outOfRange(name, `>= 0 && <= ${max}`, value);
}
function randomBytes(size, callback) {
  within(size, 'size', sizeMax);
  if (callback !== undefined) base.checks.isFunction(callback, 'callback');
  const made = Buffer.alloc(size);
  natives.fillRandom(made);
  if (callback === undefined) return made;
  later(callback, null, made);
  return undefined;
}
function place(buffer, offset, size) {
  if (!isBytes(buffer)) throw argumentType('buf', ['ArrayBuffer', 'ArrayBufferView'], buffer);
  const unit = buffer.BYTES_PER_ELEMENT ?? 1;
  const from = offset === undefined ? 0 : (within(offset, 'offset', buffer.byteLength / unit), offset * unit);
  let count = buffer.byteLength - from;
  if (size !== undefined) {
    within(size, 'size', sizeMax);
    count = size * unit;
    if (count + from > buffer.byteLength) throw outOfRange('size + offset', `<= ${buffer.byteLength}`, count + from);
  }
  return bytesOf(buffer).subarray(from, from + count);
}
function randomFillSync(buffer, offset = 0, size) {
  natives.fillRandom(place(buffer, offset, size));
  return buffer;
}
function randomFill(buffer, ...rest) {
  const callback = rest.pop();
  if (!isBytes(buffer)) throw argumentType('buf', ['ArrayBuffer', 'ArrayBufferView'], buffer);
  base.checks.isFunction(callback, 'callback');
  natives.fillRandom(place(buffer, rest[0], rest[1]));
  later(callback, null, buffer);
}
const rangeMax = 2 ** 48 - 1;
// Without a bias: numbers above the last multiple of the range are drawn again.
function draw(range) {
  const bytes = new Uint8Array(6);
  const limit = 2 ** 48 - (2 ** 48 % range);
  for (;;) {
    natives.fillRandom(bytes);
    let value = 0;
    for (const byte of bytes) value = value * 256 + byte;
    if (value < limit) return value % range;
  }
}
function randomInt(low, high, then) {
  let [min, max, callback] = [low, high, then];
  const isOneSided = max === undefined || typeof max === 'function';
  if (isOneSided) [min, max, callback] = [0, min, max];
  if (callback !== undefined) base.checks.isFunction(callback, 'callback');
  if (!Number.isSafeInteger(min)) throw argumentType('min', 'a safe integer', min);
  if (!Number.isSafeInteger(max)) throw argumentType('max', 'a safe integer', max);
  if (max <= min) throw outOfRange('max', `greater than the value of "min" (${min})`, max);
  const range = max - min;
  if (!(range <= rangeMax)) throw outOfRange(isOneSided ? 'max' : 'max - min', `<= ${rangeMax}`, range);
  const value = min + draw(range);
  if (callback === undefined) return value;
  shelf.nextTick(callback, undefined, value);
  return undefined;
}
function randomUUID(options) {
  if (options !== undefined) base.checks.isObject(options, 'options');
  if (options?.disableEntropyCache !== undefined) base.checks.isBoolean(options.disableEntropyCache, 'options.disableEntropyCache');
  return shelf.globals.crypto.randomUUID();
}
function timingSafeEqual(one, other) {
  for (const [value, name] of [[one, 'buf1'], [other, 'buf2']]) {
    if (!isBytes(value)) throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', `The "${name}" argument must be an instance of ArrayBuffer, Buffer, TypedArray, or DataView.`);
  }
  if (one.byteLength !== other.byteLength) throw coded(RangeError, 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH', 'Input buffers must have the same byte length');
  return natives.cryptoEqual(bytesOf(one), bytesOf(other));
}

const digests = { 'SHA-1': 'sha1', 'SHA-256': 'sha256', 'SHA-384': 'sha384', 'SHA-512': 'sha512' };
const refusal = (text, name) => new shelf.globals.DOMException(text, name);
class SubtleCrypto {
  async digest(algorithm, data) {
    const name = `${typeof algorithm === 'string' ? algorithm : algorithm?.name}`.toUpperCase();
    if (digests[name] === undefined) throw refusal('Unrecognized algorithm name', 'NotSupportedError');
    if (!isBytes(data)) throw argumentType('data', ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], data);
    const made = builtins.crypto.createHash(digests[name]).update(bytesOf(data)).digest();
    return made.buffer.slice(made.byteOffset, made.byteOffset + made.byteLength);
  }
}
for (const name of ['encrypt', 'decrypt', 'sign', 'verify', 'generateKey', 'deriveKey', 'deriveBits', 'importKey', 'exportKey', 'wrapKey', 'unwrapKey']) {
  SubtleCrypto.prototype[name] = { async [name](...given) {
    shelf.load('crypto_subtle');
    return shelf.subtleMethods[name](...given);
  } }[name];
}
Object.defineProperty(SubtleCrypto.prototype, Symbol.toStringTag, { value: 'SubtleCrypto', configurable: true });
const subtle = new SubtleCrypto();
const webcrypto = shelf.globals.crypto;
shelf.subtle = subtle;
parts.random = { randomBytes, pseudoRandomBytes: randomBytes, rng: randomBytes, prng: randomBytes, randomFill, randomFillSync, randomInt, randomUUID, timingSafeEqual, webcrypto, subtle, getRandomValues: (array) => webcrypto.getRandomValues(array) };
