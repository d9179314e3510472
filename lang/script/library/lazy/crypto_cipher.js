// SPDX-License-Identifier: Apache-2.0
// node:crypto, part 4: ciphers.
'use strict';
const { base, builtins, Buffer, streams } = shelf;
const { natives, coded, argumentType, argumentValue } = base;
const types = builtins['util/types'];
const parts = shelf.cryptoParts;
const { isBytes, bytesOf } = parts;
const hidden = (owner, name, value) => Object.defineProperty(owner, name, { value, writable: true, configurable: true, enumerable: false });
const forgotten = new FinalizationRegistry((number) => natives.closeState(number));

// An error of OpenSSL from its lines: text, library, reason.
const prefixes = { __proto__: null, 'digital envelope routines': 'EVP_', 'rsa routines': 'RSA_', 'PEM routines': 'PEM_', 'asn1 encoding routines': 'ASN1_', 'elliptic curve routines': 'EC_', 'common libcrypto routines': 'CRYPTO_' };
function opensslError(lines, missing) {
  const [text, library, reason] = lines;
  if (!text) return new Error(missing);
  const error = new Error(text);
  if (library) error.library = library;
  if (reason) error.reason = reason;
  if (reason) error.code = `ERR_OSSL_${prefixes[library] ?? ''}${reason.toUpperCase().replace(/ /g, '_')}`;
  return error;
}
function infoOf(name) {
  const text = natives.cipherInfo(name);
  if (text === undefined) return undefined;
  const [shown, mode, nid, block, iv, key, isAead] = text.split('\n');
  return { name: shown.toLowerCase(), mode, nid: Number(nid), blockSize: Number(block), ivLength: Number(iv), keyLength: Number(key), isAead: isAead === '1' };
}
// The bytes of a secret key.
parts.secretOf = (key, name = 'key', encoding = 'utf8') => {
  const object = parts.keyObjectOf?.(key);
  if (object !== undefined) {
    if (object.type !== 'secret') throw coded(TypeError, 'ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE', `Invalid key object type ${object.type}, expected secret.`);
    return parts.secretBytes(object);
  }
  if (typeof key === 'string') return Buffer.from(key, encoding);
  if (!isBytes(key)) throw argumentType(name, ['string', 'ArrayBuffer', 'Buffer', 'TypedArray', 'DataView', 'KeyObject', 'CryptoKey'], key);
  return bytesOf(key);
};
// CCM counts the bytes of a message in what its nonce leaves of 15 bytes.
const ccmSizeMax = (info, vector) => (info.mode === 'ccm' ? Math.min(2 ** 31 - 1, 2 ** (8 * (15 - vector.length)) - 1) : Infinity);
function open(owner, isEncrypting, cipher, key, iv, options) {
  base.checks.isString(cipher, 'cipher');
  const encoding = typeof options?.encoding === 'string' ? options.encoding : 'utf8';
  const secret = parts.secretOf(key, 'key', encoding);
  const vector = iv === null ? undefined : typeof iv === 'string' ? Buffer.from(iv) : isBytes(iv) ? bytesOf(iv) : undefined;
  if (iv !== null && vector === undefined) throw argumentType('iv', ['string', 'ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], iv);
  const info = infoOf(cipher);
  if (info === undefined) throw coded(Error, 'ERR_CRYPTO_UNKNOWN_CIPHER', 'Unknown cipher');
  if (vector === undefined && info.ivLength > 0) throw coded(TypeError, 'ERR_CRYPTO_INVALID_IV', 'Invalid initialization vector');
  if (secret.length !== info.keyLength) throw coded(RangeError, 'ERR_CRYPTO_INVALID_KEYLEN', 'Invalid key length');
  if (info.isAead ? vector.length === 0 : vector !== undefined && vector.length !== info.ivLength && !(info.ivLength === 0 && vector.length === 0)) throw coded(TypeError, 'ERR_CRYPTO_INVALID_IV', 'Invalid initialization vector');
  const tagSize = options?.authTagLength;
  if (tagSize !== undefined && (!Number.isInteger(tagSize) || tagSize < 0)) throw argumentValue('options.authTagLength', tagSize);
  if (tagSize !== undefined && info.mode === 'gcm' && !(tagSize === 4 || tagSize === 8 || (tagSize >= 12 && tagSize <= 16))) throw coded(TypeError, 'ERR_CRYPTO_INVALID_AUTH_TAG', `Invalid authentication tag length: ${tagSize}`);
  // These two need its size from the beginning.
  const needsTag = info.mode === 'ccm' || info.mode === 'ocb';
  if (needsTag && tagSize === undefined) throw coded(TypeError, 'ERR_CRYPTO_INVALID_AUTH_TAG', `authTagLength required for ${cipher}`);
  const number = natives.cipherOpen(cipher, isEncrypting, secret, vector ?? new Uint8Array(0), tagSize ?? -1);
  if (number === 'tag') throw coded(TypeError, 'ERR_CRYPTO_INVALID_AUTH_TAG', `Invalid authentication tag length: ${tagSize}`);
  if (number === 'iv') throw coded(TypeError, 'ERR_CRYPTO_INVALID_IV', 'Invalid initialization vector');
  if (typeof number !== 'number') throw coded(Error, 'ERR_CRYPTO_INVALID_STATE', `the cipher could not be opened: ${number}`);
  hidden(owner, 'state', { number, info, isEncrypting, tagSize, tag: undefined, isOver: false, decoder: undefined, hasTag: false, sizeMax: ccmSizeMax(info, vector), isForged: false });
  forgotten.register(owner, number, owner);
}
function close(owner) {
  const { state } = owner;
  if (state.number === undefined) return;
  forgotten.unregister(owner);
  natives.closeState(state.number);
  state.number = undefined;
}
const invalidState = (what) => coded(Error, 'ERR_CRYPTO_INVALID_STATE', `Invalid state for operation ${what}`);
function encoded(state, bytes, encoding, isLast) {
  if (!encoding || encoding === 'buffer') return bytes;
  state.decoder ??= new builtins.string_decoder.StringDecoder(encoding);
  if (state.decoder.encoding !== (shelf.normalizeEncoding(encoding) ?? encoding)) throw new Error('Cannot change encoding');
  return isLast ? state.decoder.end(bytes) : state.decoder.write(bytes);
}
function update(data, inputEncoding, outputEncoding) {
  const { state } = this;
  if (typeof data !== 'string' && !types.isArrayBufferView(data)) throw argumentType('data', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
  const bytes = typeof data === 'string' ? Buffer.from(data, inputEncoding === 'buffer' ? 'utf8' : inputEncoding) : bytesOf(data);
  if (state.isOver) throw new Error('Trying to add data in unsupported state');
  if (bytes.length > state.sizeMax) throw coded(RangeError, 'ERR_CRYPTO_INVALID_MESSAGELEN', 'Invalid message length');
  const isCheck = state.info.mode === 'ccm' && !state.isEncrypting;
  if (isCheck && !state.hasTag) throw new Error('Trying to add data in unsupported state');
  const output = Buffer.alloc(bytes.length + 32);
  const size = natives.cipherUpdate(state.number, bytes, output);
  // CCM opens a message whole: final() tells that it was not as it was sealed.
  if (isCheck) [state.isForged, state.hasOpened] = [size < 0, true];
  if (size < 0 && isCheck) return encoded(state, Buffer.alloc(0), outputEncoding, false);
  if (size < 0) throw new Error('Trying to add data in unsupported state');
  return encoded(state, output.subarray(0, size), outputEncoding, false);
}
function final(outputEncoding) {
  const { state } = this;
  if (state.isOver) throw coded(Error, 'ERR_CRYPTO_INVALID_STATE', 'Invalid state');
  const output = Buffer.alloc(32);
  const isAead = state.info.isAead;
  const isBare = isAead && !state.isEncrypting && !state.hasTag;
  const isOpened = state.info.mode === 'ccm' && !state.isEncrypting && state.hasOpened;
  const size = isBare || state.isForged ? '' : isOpened ? 0 : natives.cipherFinal(state.number, output);
  state.isOver = true;
  if (typeof size !== 'number') {
    close(this);
    if (isAead) throw new Error('Unsupported state or unable to authenticate data');
    throw opensslError(size.split('\n'), 'Unsupported state');
  }
  if (isAead && state.isEncrypting) {
    state.tag = Buffer.alloc(state.tagSize ?? 16);
    natives.cipherTag(state.number, state.tag);
  }
  close(this);
  return encoded(state, output.subarray(0, size), outputEncoding, true);
}
const methods = {
  update, final,
  setAutoPadding(has = true) {
    if (this.state.isOver) throw invalidState('setAutoPadding');
    natives.cipherPadding(this.state.number, Boolean(has));
    return this;
  },
  setAAD(data, options) {
    const encoding = options?.encoding;
    const bytes = typeof data === 'string' ? Buffer.from(data, encoding) : isBytes(data) ? bytesOf(data) : undefined;
    if (bytes === undefined) throw argumentType('buffer', ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], data);
    const { state } = this;
    let plain = -1;
    if (state.info.mode === 'ccm') {
      plain = options?.plaintextLength;
      if (plain === undefined) throw coded(TypeError, 'ERR_MISSING_ARGS', 'options.plaintextLength required for CCM mode with AAD');
      if (!Number.isInteger(plain) || plain < 0) throw argumentValue('options.plaintextLength', plain);
      if (plain > state.sizeMax) throw coded(RangeError, 'ERR_CRYPTO_INVALID_MESSAGELEN', 'Invalid message length');
      if (!state.isEncrypting && !state.hasTag) throw invalidState('setAAD');
    }
    if (state.isOver || !state.info.isAead || !natives.cipherAad(state.number, bytes, plain)) throw invalidState('setAAD');
    return this;
  },
  _transform(chunk, encoding, callback) { this.push(this.update(chunk, encoding)); callback(); },
  _flush(callback) {
    try { this.push(this.final()); } catch (error) { callback(error); return; }
    callback();
  },
};
function makeClass(name, isEncrypting) {
  const Made = { [name]: function made(cipher, key, iv, options) {
    if (!new.target) return new Made(cipher, key, iv, options);
    base.apply(streams.Transform, this, [options]);
    open(this, isEncrypting, cipher, key, iv, options);
    return this;
  } }[name];
  hidden(Made, 'name', name);
  Object.setPrototypeOf(Made.prototype, streams.Transform.prototype);
  Object.setPrototypeOf(Made, streams.Transform);
  Object.assign(Made.prototype, methods);
  return Made;
}
const Cipheriv = makeClass('Cipheriv', true);
const Decipheriv = makeClass('Decipheriv', false);
Cipheriv.prototype.getAuthTag = function getAuthTag() {
  if (this.state.tag === undefined) throw invalidState('getAuthTag');
  return this.state.tag;
};
Decipheriv.prototype.setAuthTag = function setAuthTag(tag, encoding) {
  const bytes = typeof tag === 'string' ? Buffer.from(tag, encoding) : isBytes(tag) ? bytesOf(tag) : undefined;
  if (bytes === undefined) throw argumentType('buffer', ['string', 'ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], tag);
  const { state } = this;
  if (!state.info.isAead || state.isOver || state.hasTag) throw invalidState('setAuthTag');
  const isValid = state.tagSize !== undefined ? bytes.length === state.tagSize : state.info.mode !== 'gcm' || bytes.length === 4 || bytes.length === 8 || (bytes.length >= 12 && bytes.length <= 16);
  if (!isValid) throw coded(TypeError, 'ERR_CRYPTO_INVALID_AUTH_TAG', `Invalid authentication tag length: ${bytes.length}`);
  if (!natives.cipherSetTag(state.number, bytes)) throw invalidState('setAuthTag');
  state.hasTag = true;
  return this;
};
function getCipherInfo(given, options) {
  if (typeof given !== 'string' && typeof given !== 'number') throw argumentType('nameOrNid', ['string', 'number'], given);
  const info = typeof given === 'string' ? infoOf(given) : names().map(infoOf).find((one) => one?.nid === given);
  if (info === undefined) return undefined;
  const { keyLength = info.keyLength, ivLength = info.ivLength } = options ?? {};
  if (keyLength !== info.keyLength || (ivLength !== info.ivLength && !(info.isAead && ivLength > 0))) return undefined;
  const made = { mode: info.mode, name: info.name, nid: info.nid };
  if (info.mode !== 'stream') made.blockSize = info.blockSize;
  if (ivLength > 0) made.ivLength = ivLength;
  made.keyLength = keyLength;
  return made;
}
let known;
const names = () => known ??= [...new Set(natives.cipherNames().split('\n').filter(Boolean))];
parts.opensslError = opensslError;
parts.ciphers = {
  Cipheriv, Decipheriv, getCipherInfo, getCiphers: () => names().slice(),
  createCipheriv: (cipher, key, iv, options) => new Cipheriv(cipher, key, iv, options),
  createDecipheriv: (cipher, key, iv, options) => new Decipheriv(cipher, key, iv, options),
};
