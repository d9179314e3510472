// SPDX-License-Identifier: Apache-2.0
// node:crypto, part 1: hashes and HMACs, through OpenSSL behind natives.
'use strict';
const { base, builtins, Buffer, streams } = shelf;
const { natives, coded, argumentType, outOfRange } = base;
const types = builtins['util/types'];
if (natives.cryptoEngine() === '') throw coded(Error, 'ERR_UNKNOWN_BUILTIN_MODULE', "This build has no 'crypto': it was made without OpenSSL");

const isBytes = (value) => types.isArrayBufferView(value) || types.isAnyArrayBuffer(value);
const bytesOf = (value) => (types.isAnyArrayBuffer(value) ? new Uint8Array(value) : new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
// The bytes of an argument, which may be a text.
function given(value, name, encoding) {
  if (typeof value === 'string') return Buffer.from(value, encoding === 'buffer' ? 'utf8' : encoding);
  if (!isBytes(value)) throw argumentType(name, ['string', 'ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], value);
  return bytesOf(value);
}
function dataOf(value, encoding) {
  if (typeof value === 'string') {
    const name = shelf.normalizeEncoding(encoding) ?? 'utf8';
    if (name === 'hex' && value.length % 2 !== 0) throw base.argumentValue('encoding', encoding, `is invalid for data of length ${value.length}`);
    return Buffer.from(value, name);
  }
  if (!types.isArrayBufferView(value)) throw argumentType('data', ['string', 'Buffer', 'TypedArray', 'DataView'], value);
  return bytesOf(value);
}
function encoded(bytes, encoding) {
  if (!encoding || encoding === 'buffer') return bytes;
  const name = shelf.normalizeEncoding(encoding);
  return name === undefined ? bytes : bytes.toString(name);
}
const finalized = () => coded(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
// Closes what a script forgot.
const forgotten = new FinalizationRegistry((number) => natives.closeState(number));

const hidden = (owner, name, value) => Object.defineProperty(owner, name, { value, writable: true, configurable: true, enumerable: false });
function open(owner, number, size) {
  hidden(owner, 'number', number);
  hidden(owner, 'size', size);
  forgotten.register(owner, number, owner);
}
function finish(owner) {
  const made = Buffer.alloc(owner.size);
  const isDone = natives.cryptoDigest(owner.number, made);
  forgotten.unregister(owner);
  owner.number = undefined;
  if (!isDone) throw new Error('the digest failed');
  return made;
}
function checkSize(options) {
  const size = options && typeof options === 'object' ? options.outputLength : undefined;
  if (size !== undefined) base.checks.isNumber(size, 'options.outputLength');
  if (size !== undefined && (!Number.isInteger(size) || size < 0 || size > 2 ** 32 - 1)) throw outOfRange('options.outputLength', '>= 0 && <= 4294967295', size);
  return size;
}
const isExtendable = (name) => /^shake/i.test(name);
// The size of a digest in bytes that the options choose, or the hash's own.
function sizeFor(algorithm, size) {
  const own = natives.cryptoHashSize(algorithm);
  if (size === undefined || size === own) return own;
  if (isExtendable(algorithm)) return size;
  throw Object.assign(new Error('error:030000AC:digital envelope routines::memory limit exceeded'), { library: 'digital envelope routines', reason: 'memory limit exceeded', code: 'ERR_OSSL_EVP_MEMORY_LIMIT_EXCEEDED' });
}
function transformOf(owner) {
  owner._transform = function _transform(chunk, encoding, callback) {
    this.update(chunk, encoding);
    callback();
  };
  owner._flush = function _flush(callback) {
    this.push(this.digest());
    callback();
  };
}
function makeClass(name, construct) {
  Object.setPrototypeOf(construct.prototype, streams.Transform.prototype);
  Object.setPrototypeOf(construct, streams.Transform);
  transformOf(construct.prototype);
  hidden(construct, 'name', name);
  return construct;
}
const Hash = makeClass('Hash', function Hash(algorithm, options) {
  if (!new.target) return new Hash(algorithm, options);
  base.apply(streams.Transform, this, [options]);
  const size = algorithm instanceof Hash ? undefined : (base.checks.isString(algorithm, 'algorithm'), checkSize(options));
  if (algorithm instanceof Hash) {
    open(this, natives.cryptoCopy(algorithm.number, checkSize(options) ?? algorithm.size), checkSize(options) ?? algorithm.size);
    hidden(this, 'algorithm', algorithm.algorithm);
    return this;
  }
  if (natives.cryptoHashSize(algorithm) === 0) throw new Error('Digest method not supported');
  const length = sizeFor(algorithm, size);
  open(this, natives.cryptoOpen(algorithm, undefined, isExtendable(algorithm) ? length : 0, false), length);
  hidden(this, 'algorithm', algorithm);
  return this;
});
Hash.prototype.copy = function copy(options) {
  if (this.number === undefined) throw finalized();
  return new Hash(this, options);
};
Hash.prototype.update = function update(data, encoding) {
  if (this.number === undefined) throw finalized();
  natives.cryptoUpdate(this.number, dataOf(data, encoding));
  return this;
};
Hash.prototype.digest = function digest(encoding) {
  if (this.number === undefined) throw finalized();
  return encoded(finish(this), encoding);
};
const Hmac = makeClass('Hmac', function Hmac(algorithm, key, options) {
  if (!new.target) return new Hmac(algorithm, key, options);
  base.checks.isString(algorithm, 'hmac');
  const secret = shelf.cryptoParts.secretOf(key, 'key', options?.encoding);
  base.apply(streams.Transform, this, [options]);
  if (natives.cryptoHashSize(algorithm) === 0 || isExtendable(algorithm)) throw coded(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${algorithm}`);
  open(this, natives.cryptoOpen(algorithm, secret, 0, true), natives.cryptoHashSize(algorithm));
  return this;
});
Hmac.prototype.update = function update(data, encoding) {
  if (this.number === undefined) throw finalized();
  natives.cryptoUpdate(this.number, dataOf(data, encoding));
  return this;
};
// Of an HMAC that is over Node gives an empty digest.
Hmac.prototype.digest = function digest(encoding) { return encoded(this.number === undefined ? Buffer.alloc(0) : finish(this), encoding); };

function hash(algorithm, input, encoding = 'hex') {
  base.checks.isString(algorithm, 'algorithm');
  if (typeof input !== 'string' && !types.isArrayBufferView(input)) throw argumentType('input', ['Buffer', 'TypedArray', 'DataView', 'string'], input);
  base.checks.isString(encoding, 'outputEncoding');
  return new Hash(algorithm).update(input).digest(encoding);
}
let names;
shelf.cryptoParts = { given, bytesOf, isBytes };
shelf.load('crypto_random');
shelf.load('crypto_derive');
shelf.load('crypto_cipher');
shelf.load('crypto_keys');
shelf.load('crypto_sign');
builtins.crypto = Object.assign({
  createHash: (algorithm, options) => new Hash(algorithm, options), createHmac: (algorithm, key, options) => new Hmac(algorithm, key, options),
  getHashes: () => (names ??= [...new Set(natives.cryptoHashes().split('\n').filter(Boolean))]).slice(),
  hash, Hash, Hmac, getFips: () => 0,
  constants: Object.freeze({ defaultCoreCipherList: '', RSA_PKCS1_PADDING: 1, RSA_NO_PADDING: 3, RSA_PKCS1_OAEP_PADDING: 4, RSA_X931_PADDING: 5, RSA_PKCS1_PSS_PADDING: 6, RSA_PSS_SALTLEN_DIGEST: -1, RSA_PSS_SALTLEN_MAX_SIGN: -2, RSA_PSS_SALTLEN_AUTO: -2, POINT_CONVERSION_COMPRESSED: 2, POINT_CONVERSION_UNCOMPRESSED: 4, POINT_CONVERSION_HYBRID: 6 }),
}, shelf.cryptoParts.random, shelf.cryptoParts.derive, shelf.cryptoParts.ciphers, shelf.cryptoParts.keys, shelf.cryptoParts.signatures);
shelf.load('certificates');
shelf.load('crypto_certificate');
shelf.load('crypto_dh');
