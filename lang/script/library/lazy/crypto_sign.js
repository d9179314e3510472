// SPDX-License-Identifier: Apache-2.0
// node:crypto, part 6: signatures, encryption with RSA, and shared secrets.
'use strict';
const { base, Buffer, streams } = shelf;
const { natives, coded, argumentType } = base;
const parts = shelf.cryptoParts;
const { prepared, keyTypes, result, hex, keyNumber, isBytes, bytesOf, curves } = parts;

const invalidDigest = (name) => coded(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${name}`);
const plainName = (name) => name.replace(/^RSA-/i, '');
function dataOf(data, name = 'data', encoding = 'utf8') {
  if (typeof data === 'string') return Buffer.from(data, encoding);
  if (!isBytes(data)) throw argumentType(name, ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], data);
  return bytesOf(data);
}
// The signature of DSA as two numbers of a fixed size, and as DER.
const fieldSize = (key) => Math.ceil(Number(natives.keyInfo(keyNumber(key)).split('\n')[1]) / 8);
function toRaw(der, size) {
  const made = Buffer.alloc(size * 2);
  let at = der[1] & 0x80 ? 2 + (der[1] & 0x7f) : 2;
  for (let i = 0; i < 2; i += 1) {
    const length = der[at + 1];
    const number = der.subarray(at + 2, at + 2 + length);
    const plain = number.subarray(Math.max(0, length - size));
    made.set(plain, size * (i + 1) - plain.length);
    at += 2 + length;
  }
  return made;
}
function toDer(raw, size) {
  if (raw.length !== size * 2) return Buffer.alloc(0);
  const one = (bytes) => {
    let at = 0;
    while (at < bytes.length - 1 && bytes[at] === 0) at += 1;
    const plain = bytes.subarray(at);
    return parts.tlv(2, plain[0] & 0x80 ? Buffer.concat([Buffer.from([0]), plain]) : plain);
  };
  return parts.tlv(0x30, one(Buffer.from(raw.subarray(0, size))), one(Buffer.from(raw.subarray(size))));
}
// The default salt of PSS has the size of the digest where the key says nothing else.
function optionsOf(options, key, isSigning) {
  const type = key.asymmetricKeyType;
  const isRsa = type.startsWith('rsa');
  const padding = options.padding ?? (type === 'rsa' ? 1 : type === 'rsa-pss' ? 6 : 0);
  const salt = padding === 6 && isRsa ? options.saltLength ?? (isSigning ? -2 : -2) : -100;
  const isRaw = type === 'ec' && options.dsaEncoding === 'ieee-p1363';
  return { padding: isRsa ? padding : 0, salt, isRaw };
}
function checkDigest(algorithm, key) {
  const isEd = /^ed/.test(key.asymmetricKeyType);
  if (algorithm === null || algorithm === undefined) return isEd ? '' : 'sha256';
  const name = plainName(algorithm);
  if (natives.cryptoHashSize(name) === 0) throw invalidDigest(algorithm);
  return isEd ? '' : name;
}
function signed(algorithm, bytes, given) {
  const { options, key } = prepared(given, 'private', 'key', keyTypes);
  const { padding, salt, isRaw } = optionsOf(options, key, true);
  const made = hex(result(natives.keySign(keyNumber(key), checkDigest(algorithm, key), bytes, padding, salt)));
  return isRaw ? toRaw(made, fieldSize(key)) : made;
}
function verified(algorithm, bytes, given, signature) {
  const { options, key } = prepared(given, 'public', 'key', keyTypes);
  const { padding, salt, isRaw } = optionsOf(options, key, false);
  const plain = isRaw ? toDer(signature, fieldSize(key)) : signature;
  return result(natives.keyVerify(keyNumber(key), checkDigest(algorithm, key), bytes, padding, salt, plain));
}
function maybeLater(make, callback) {
  if (callback === undefined) return make();
  base.checks.isFunction(callback, 'callback');
  shelf.setImmediate(() => {
    let made;
    try { made = make(); } catch (error) { callback(error); return; }
    callback(null, made);
  });
  return undefined;
}
function sign(algorithm, data, key, callback) {
  if (algorithm !== null && algorithm !== undefined) base.checks.isString(algorithm, 'algorithm');
  const bytes = dataOf(data);
  return maybeLater(() => signed(algorithm, bytes, key), callback);
}
function verify(algorithm, data, key, signature, callback) {
  if (algorithm !== null && algorithm !== undefined) base.checks.isString(algorithm, 'algorithm');
  const bytes = dataOf(data);
  if (!isBytes(signature)) throw argumentType('signature', ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], signature);
  return maybeLater(() => verified(algorithm, bytes, key, bytesOf(signature)), callback);
}
// Sign and Verify keep what they get until the key is known.
class Collector extends streams.Writable {
  #parts = []; #algorithm; #isOver = false;
  constructor(algorithm, options) {
    super(options);
    base.checks.isString(algorithm, 'algorithm');
    if (natives.cryptoHashSize(plainName(algorithm)) === 0) throw new Error('Invalid digest');
    this.#algorithm = algorithm;
  }
  _write(chunk, encoding, callback) { this.update(chunk, encoding); callback(); }
  update(data, encoding) {
    if (this.#isOver) throw coded(Error, 'ERR_CRYPTO_INVALID_STATE', 'Not initialised');
    this.#parts.push(Buffer.from(typeof data === 'string' ? dataOf(data, 'data', encoding === 'buffer' ? 'utf8' : encoding) : dataOf(data)));
    return this;
  }
  finish() { this.#isOver = true; return [this.#algorithm, Buffer.concat(this.#parts)]; }
}
class Sign extends Collector {
  sign(key, encoding) {
    if (!key) throw coded(Error, 'ERR_CRYPTO_SIGN_KEY_REQUIRED', 'No key provided to sign');
    const made = signed(...this.finish(), key);
    return encoding && encoding !== 'buffer' ? made.toString(encoding) : made;
  }
}
class Verify extends Collector {
  verify(key, signature, encoding) {
    return verified(...this.finish(), key, dataOf(signature, 'signature', encoding));
  }
}

// ---- RSA ----

function crypter(name, encrypts, isPrivate, padding) {
  return { [name](given, data) {
    const { options, key } = prepared(given, isPrivate ? 'private' : 'public', 'key', keyTypes);
    const hash = options.oaepHash ?? 'sha1';
    base.checks.isString(hash, 'key.oaepHash');
    if (natives.cryptoHashSize(hash) === 0) throw coded(Error, 'ERR_OSSL_EVP_INVALID_DIGEST', 'Invalid digest used');
    const label = options.oaepLabel === undefined ? new Uint8Array(0) : dataOf(options.oaepLabel, 'key.oaepLabel');
    return hex(result(natives.keyCrypt(keyNumber(key), encrypts, isPrivate, dataOf(data, 'buffer', options.encoding), options.padding ?? padding, hash, label)).slice(1));
  } }[name];
}

// ---- Shared secrets ----

function diffieHellman({ privateKey, publicKey }) {
  const [own, peer] = [parts.keyObjectOf(privateKey), parts.keyObjectOf(publicKey)];
  if (own?.type !== 'private') throw argumentType('options.privateKey', 'KeyObject', privateKey);
  if (peer === undefined) throw argumentType('options.publicKey', 'KeyObject', publicKey);
  return hex(result(natives.keyAgree(keyNumber(own), keyNumber(peer))));
}
class ECDH {
  #curve; #key;
  constructor(curve) {
    base.checks.isString(curve, 'curve');
    const found = Object.values(curves).find(([name]) => name === curve) ?? curves[curve];
    if (found === undefined) throw coded(TypeError, 'ERR_CRYPTO_INVALID_CURVE', 'Invalid EC curve name');
    this.#curve = found;
  }
  generateKeys(encoding, format) {
    this.#key = parts.keys.generateKeyPairSync('ec', { namedCurve: this.#curve[0] }).privateKey;
    return this.getPublicKey(encoding, format);
  }
  #part(name) {
    if (this.#key === undefined) throw coded(Error, 'ERR_CRYPTO_ECDH_INVALID_KEY_PAIR', 'Failed to get ECDH private key');
    const bytes = hex(natives.keyPart(keyNumber(this.#key), name));
    return Buffer.concat([Buffer.alloc(Math.max(0, this.#curve[2] - bytes.length)), bytes]);
  }
  getPrivateKey(encoding) { const made = this.#part('priv'); return encoding && encoding !== 'buffer' ? made.toString(encoding) : made; }
  getPublicKey(encoding, format = 'uncompressed') {
    const [x, y] = [this.#part('qx'), this.#part('qy')];
    const made = format === 'compressed' ? Buffer.concat([Buffer.from([2 + (y[y.length - 1] & 1)]), x]) : Buffer.concat([Buffer.from([4]), x, y]);
    return encoding && encoding !== 'buffer' ? made.toString(encoding) : made;
  }
  computeSecret(other, inputEncoding, outputEncoding) {
    const point = dataOf(other, 'otherPublicKey', inputEncoding);
    const der = parts.tlv(0x30, parts.tlv(0x30, parts.ecOid, parts.tlv(6, hex(this.#curve[1]))), parts.bits(Buffer.from(point)));
    const peer = natives.keyRead(der, false, false);
    if (typeof peer !== 'number') throw coded(Error, 'ERR_CRYPTO_ECDH_INVALID_PUBLIC_KEY', 'Public key is not valid for specified curve');
    this.#part('priv');
    const secret = hex(result(natives.keyAgree(keyNumber(this.#key), peer)));
    natives.closeState(peer);
    return outputEncoding && outputEncoding !== 'buffer' ? secret.toString(outputEncoding) : secret;
  }
}
parts.signatures = {
  sign, verify, Sign, Verify, createSign: (algorithm, options) => new Sign(algorithm, options), createVerify: (algorithm, options) => new Verify(algorithm, options),
  publicEncrypt: crypter('publicEncrypt', true, false, 4), privateDecrypt: crypter('privateDecrypt', false, true, 4),
  privateEncrypt: crypter('privateEncrypt', true, true, 1), publicDecrypt: crypter('publicDecrypt', false, false, 1),
  diffieHellman, ECDH, createECDH: (curve) => new ECDH(curve),
};
