// SPDX-License-Identifier: Apache-2.0
// node:crypto, part 3: keys of passwords: pbkdf2, scrypt, hkdf.
'use strict';
const { base, builtins, Buffer } = shelf;
const { natives, coded, outOfRange } = base;
const parts = shelf.cryptoParts;
const { given } = parts;

const sizeMax = 2 ** 31 - 1;
function integer(value, name, min, max) {
  base.checks.isNumber(value, name);
  if (!Number.isInteger(value)) throw outOfRange(name, 'an integer', value);
  if (value < min || value > max) throw outOfRange(name, `>= ${min} && <= ${max}`, value);
}
const invalidDigest = (name) => coded(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${name}`);
// In a job of its own: a key takes long, and others are served before.
function inJob(callback, make) {
  base.checks.isFunction(callback, 'callback');
  shelf.setImmediate(() => {
    let made;
    try { made = make(); } catch (error) { callback(error); return; }
    callback(null, made);
  });
}
function preparePbkdf2(password, salt, iterations, size, digest) {
  base.checks.isString(digest, 'digest');
  const secret = given(password, 'password');
  const bytes = given(salt, 'salt');
  integer(iterations, 'iterations', 1, sizeMax);
  integer(size, 'keylen', 0, sizeMax);
  if (natives.cryptoHashSize(digest) === 0) throw invalidDigest(digest);
  return () => {
    const made = Buffer.alloc(size);
    if (size > 0 && !natives.cryptoPbkdf2(secret, bytes, iterations, digest, made)) throw new Error('PBKDF2 failed');
    return made;
  };
}
const pbkdf2Sync = (...all) => preparePbkdf2(...all)();
function pbkdf2(password, salt, iterations, size, digest, callback) {
  const [name, then] = typeof digest === 'function' ? [undefined, digest] : [digest, callback];
  const make = preparePbkdf2(password, salt, iterations, size, name);
  inJob(then, make);
}

const defaults = { N: 16384, r: 8, p: 1, maxmem: 32 << 20 };
function scryptOptions(options) {
  const made = { ...defaults };
  if (!options || options === defaults) return made;
  for (const [short, long] of [['N', 'cost'], ['r', 'blockSize'], ['p', 'parallelization']]) {
    const [has, hasLong] = [options[short] !== undefined, options[long] !== undefined];
    if (has && hasLong) throw coded(Error, 'ERR_CRYPTO_SCRYPT_INVALID_PARAMETER', 'Invalid scrypt parameter');
    if (has || hasLong) {
      made[short] = has ? options[short] : options[long];
      integer(made[short], has ? short : long, 0, 2 ** 32 - 1);
    }
  }
  if (options.maxmem !== undefined) {
    made.maxmem = options.maxmem;
    integer(made.maxmem, 'maxmem', 0, Number.MAX_SAFE_INTEGER);
  }
  return made;
}
function prepareScrypt(password, salt, size, options) {
  const secret = given(password, 'password');
  const bytes = given(salt, 'salt');
  integer(size, 'keylen', 0, sizeMax);
  const { N, r, p, maxmem } = scryptOptions(options);
  const run = (output) => natives.cryptoScrypt(secret, bytes, N, r, p, maxmem, output);
  if (!run(new Uint8Array(0))) {
    const isTooMuch = N > 1 && (N & (N - 1)) === 0 && r * p < 2 ** 30 && 128 * N * r > maxmem;
    throw coded(RangeError, 'ERR_CRYPTO_INVALID_SCRYPT_PARAMS', `Invalid scrypt params${isTooMuch ? ': error:030000AC:digital envelope routines::memory limit exceeded' : ''}`);
  }
  return () => {
    const made = Buffer.alloc(size);
    if (size > 0 && !run(made)) throw new Error('scrypt failed');
    return made;
  };
}
const scryptSync = (password, salt, size, options = defaults) => prepareScrypt(password, salt, size, options)();
function scrypt(password, salt, size, options, callback) {
  const [chosen, then] = typeof options === 'function' ? [defaults, options] : [options, callback];
  const make = prepareScrypt(password, salt, size, chosen);
  inJob(then, make);
}

function prepareHkdf(digest, key, salt, info, length) {
  base.checks.isString(digest, 'digest');
  const [secret, bytes, context] = [given(key, 'ikm'), given(salt, 'salt'), given(info, 'info')];
  integer(length, 'length', 0, sizeMax);
  if (context.byteLength > 1024) throw outOfRange('info', 'must not contain more than 1024 bytes', context.byteLength);
  const size = natives.cryptoHashSize(digest);
  if (size === 0) throw invalidDigest(digest);
  if (length > 255 * size) throw coded(RangeError, 'ERR_CRYPTO_INVALID_KEYLEN', 'Invalid key length');
  return () => {
    const { createHmac } = builtins.crypto;
    const root = createHmac(digest, bytes.length === 0 ? Buffer.alloc(size) : bytes).update(secret).digest();
    const made = [];
    let block = Buffer.alloc(0);
    for (let i = 1; made.length * size < length; i += 1) {
      block = createHmac(digest, root).update(block).update(context).update(Buffer.of(i)).digest();
      made.push(block);
    }
    const whole = Buffer.concat(made, made.length * size).subarray(0, length);
    return whole.buffer.slice(whole.byteOffset, whole.byteOffset + length);
  };
}
const hkdfSync = (...all) => prepareHkdf(...all)();
function hkdf(digest, key, salt, info, length, callback) { inJob(callback, prepareHkdf(digest, key, salt, info, length)); }
parts.derive = { pbkdf2, pbkdf2Sync, scrypt, scryptSync, hkdf, hkdfSync };
