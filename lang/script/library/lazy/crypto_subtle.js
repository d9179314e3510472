// SPDX-License-Identifier: Apache-2.0
// node:crypto, part 7: crypto.subtle over the ciphers, keys and signatures of the other parts. Each
// call is a promise whose work is done in the call.
'use strict';
const { base, builtins, Buffer } = shelf;
const { coded, argumentType } = base;
const parts = shelf.cryptoParts;
const { isBytes, bytesOf } = parts;
const crypto = builtins.crypto;
const fail = (text, name) => new shelf.globals.DOMException(text, name);
const hashes = { 'SHA-1': 'sha1', 'SHA-256': 'sha256', 'SHA-384': 'sha384', 'SHA-512': 'sha512' };
const blockSizes = { 'SHA-1': 512, 'SHA-256': 512, 'SHA-384': 1024, 'SHA-512': 1024 };
const curveNames = ['P-256', 'P-384', 'P-521'];

// The uses of a secret key, or of the public and of the private half of a pair.
const algorithms = {
  'AES-GCM': { secret: 'AES', uses: ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'] }, 'AES-CBC': { secret: 'AES', uses: ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'] }, 'AES-CTR': { secret: 'AES', uses: ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey'] },
  HMAC: { secret: 'HMAC', uses: ['sign', 'verify'] }, PBKDF2: { secret: 'password', uses: ['deriveKey', 'deriveBits'] }, HKDF: { secret: 'password', uses: ['deriveKey', 'deriveBits'] },
  'RSASSA-PKCS1-v1_5': { pair: 'rsa', open: ['verify'], closed: ['sign'] }, 'RSA-PSS': { pair: 'rsa', open: ['verify'], closed: ['sign'] }, 'RSA-OAEP': { pair: 'rsa', open: ['encrypt', 'wrapKey'], closed: ['decrypt', 'unwrapKey'] },
  ECDSA: { pair: 'ec', open: ['verify'], closed: ['sign'] }, ECDH: { pair: 'ec', open: [], closed: ['deriveKey', 'deriveBits'] },
  Ed25519: { pair: 'ed25519', open: ['verify'], closed: ['sign'] }, X25519: { pair: 'x25519', open: [], closed: ['deriveKey', 'deriveBits'] },
};
const names = { __proto__: null };
for (const name of [...Object.keys(algorithms), ...Object.keys(hashes)]) names[name.toUpperCase()] = name;
function normalized(given) {
  const made = typeof given === 'string' ? { name: given } : { ...given };
  made.name = names[`${made.name}`.toUpperCase()];
  if (made.name === undefined) throw fail('Unrecognized algorithm name', 'NotSupportedError');
  if (made.hash !== undefined) made.hash = { name: normalized(made.hash).name };
  return made;
}
const hashOf = (algorithm) => {
  const name = algorithm.hash?.name;
  if (hashes[name] === undefined) throw fail('Unrecognized algorithm name', 'NotSupportedError');
  return hashes[name];
};
const bytes = (value, name) => {
  if (!isBytes(value)) throw argumentType(name, ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], value);
  return bytesOf(value);
};
const bufferOf = (made) => made.buffer.slice(made.byteOffset, made.byteOffset + made.byteLength);

// ---- CryptoKey ----

const states = new base.SafeWeakMap();
const isOwn = Symbol('only for the library');
class CryptoKey {
  constructor(key, state) {
    if (key !== isOwn) throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    states.set(this, state);
  }
  static #of(key) {
    const state = states.get(key);
    if (state === undefined) throw coded(TypeError, 'ERR_INVALID_THIS', 'Value of "this" must be of type CryptoKey');
    return state;
  }
  get type() { return CryptoKey.#of(this).key.type; }
  get extractable() { return CryptoKey.#of(this).extractable; }
  get algorithm() { return CryptoKey.#of(this).algorithm; }
  get usages() { return [...CryptoKey.#of(this).usages]; }
  [Symbol.for('nodejs.util.inspect.custom')](depth, options) {
    if (depth < 0) return this;
    const { type, extractable, algorithm, usages } = this;
    return `CryptoKey ${shelf.inspect({ type, extractable, algorithm, usages }, { ...options, depth: options.depth == null ? null : options.depth - 1 })}`;
  }
}
for (const name of ['type', 'extractable', 'algorithm', 'usages']) Object.defineProperty(CryptoKey.prototype, name, { enumerable: true });
Object.defineProperty(CryptoKey.prototype, Symbol.toStringTag, { value: 'CryptoKey', configurable: true });
const order = ['encrypt', 'decrypt', 'sign', 'verify', 'deriveKey', 'deriveBits', 'wrapKey', 'unwrapKey'];
const make = (key, algorithm, extractable, usages) => new CryptoKey(isOwn, { key, algorithm, extractable: Boolean(extractable), usages: order.filter((use) => usages.includes(use)) });
parts.keyOfCryptoKey = (value) => states.get(value)?.key;
function used(given, name, use) {
  const state = states.get(given);
  if (state === undefined) throw argumentType('key', 'CryptoKey', given);
  if (state.algorithm.name !== name || !state.usages.includes(use)) throw fail('The requested operation is not valid for the provided key', 'InvalidAccessError');
  return state;
}
function checkUses(usages, allowed, what) {
  for (const use of usages) {
    if (!order.includes(use)) throw base.argumentValue('keyUsages', use);
    if (!allowed.includes(use)) throw fail(`Unsupported key usage for ${what} key`, 'SyntaxError');
  }
}
const whatOf = (name) => (name.startsWith('AES') ? 'an AES' : name === 'HMAC' ? 'an HMAC' : /^(?:RSA|HKDF|PBKDF2)/.test(name) ? `${name === 'HKDF' ? 'an' : 'a'} ${name}` : `a ${name}`);
// What key.algorithm shows.
function shown(algorithm, key) {
  const { name } = algorithm;
  const rule = algorithms[name];
  if (rule.secret === 'AES') return { name, length: key.symmetricKeySize * 8 };
  if (rule.secret === 'HMAC') return { name, hash: { name: algorithm.hash.name }, length: algorithm.length ?? key.symmetricKeySize * 8 };
  if (rule.pair === 'rsa') {
    const { modulusLength, publicExponent } = key.asymmetricKeyDetails;
    return { name, modulusLength, publicExponent: new Uint8Array(Buffer.from(publicExponent.toString(16).padStart(publicExponent.toString(16).length + (publicExponent.toString(16).length % 2), '0'), 'hex')), hash: { name: algorithm.hash.name } };
  }
  return rule.pair === 'ec' ? { name, namedCurve: algorithm.namedCurve } : { name };
}

// ---- Keys ----

function generate(algorithm, extractable, usages) {
  const { name } = algorithm;
  const rule = algorithms[name];
  if (rule === undefined || rule.secret === 'password') throw fail('Unrecognized algorithm name', 'NotSupportedError');
  if (rule.secret !== undefined) {
    checkUses(usages, rule.uses, whatOf(name));
    if (usages.length === 0) throw fail('Usages cannot be empty when creating a key.', 'SyntaxError');
    if (rule.secret === 'AES' && ![128, 192, 256].includes(algorithm.length)) throw fail('Invalid key length', 'OperationError');
    if (rule.secret === 'HMAC') hashOf(algorithm);
    const length = algorithm.length ?? blockSizes[algorithm.hash.name];
    const key = crypto.createSecretKey(crypto.randomBytes(Math.ceil(length / 8)));
    return make(key, shown(algorithm, key), extractable, usages);
  }
  checkUses(usages, [...rule.open, ...rule.closed], whatOf(name));
  if (rule.pair === 'ec' && !curveNames.includes(algorithm.namedCurve)) throw fail('Unrecognized namedCurve', 'NotSupportedError');
  if (rule.pair === 'rsa') hashOf(algorithm);
  const exponent = rule.pair === 'rsa' ? bytes(algorithm.publicExponent, 'algorithm.publicExponent').reduce((sum, byte) => sum * 256 + byte, 0) : undefined;
  const pair = crypto.generateKeyPairSync(rule.pair, { modulusLength: algorithm.modulusLength, publicExponent: exponent, namedCurve: algorithm.namedCurve });
  const closed = usages.filter((use) => rule.closed.includes(use));
  if (closed.length === 0) throw fail('Usages cannot be empty when creating a key.', 'SyntaxError');
  return {
    publicKey: make(pair.publicKey, shown(algorithm, pair.publicKey), true, usages.filter((use) => rule.open.includes(use))),
    privateKey: make(pair.privateKey, shown(algorithm, pair.privateKey), extractable, closed),
  };
}
function importSecret(format, data, algorithm, usages, rule) {
  checkUses(usages, rule.uses, whatOf(algorithm.name));
  if (usages.length === 0) throw fail('Usages cannot be empty when importing a secret key.', 'SyntaxError');
  let raw;
  if (format === 'raw') raw = bytes(data, 'keyData');
  else if (format === 'jwk' && rule.secret !== 'password') {
    if (data === null || typeof data !== 'object' || data.kty !== 'oct') throw fail('Invalid keyData', 'DataError');
    raw = Buffer.from(data.k, 'base64url');
  } else throw fail(`Unable to import ${algorithm.name} key with format ${format}`, 'NotSupportedError');
  if (rule.secret === 'AES' && ![16, 24, 32].includes(raw.length)) throw fail('Invalid key length', 'DataError');
  if (rule.secret === 'HMAC') { hashOf(algorithm); if (raw.length === 0) throw fail('Zero-length key is not supported', 'DataError'); }
  return crypto.createSecretKey(Buffer.from(raw));
}
const keyTypeOf = { rsa: ['rsa', 'rsa-pss'], ec: ['ec'], ed25519: ['ed25519'], x25519: ['x25519'] };
function importHalf(format, data, algorithm, usages, rule) {
  const isPrivate = format === 'pkcs8' || (format === 'jwk' && data?.d !== undefined);
  checkUses(usages, isPrivate ? rule.closed : rule.open, whatOf(algorithm.name));
  if (isPrivate && usages.length === 0) throw fail('Usages cannot be empty when importing a private key.', 'SyntaxError');
  if (rule.pair === 'rsa') hashOf(algorithm);
  let key;
  try {
    if (format === 'jwk') key = crypto[isPrivate ? 'createPrivateKey' : 'createPublicKey']({ key: data, format: 'jwk' });
    else if (format === 'pkcs8') key = crypto.createPrivateKey({ key: Buffer.from(bytes(data, 'keyData')), format: 'der', type: 'pkcs8' });
    else if (format === 'spki') key = crypto.createPublicKey({ key: Buffer.from(bytes(data, 'keyData')), format: 'der', type: 'spki' });
    else if (format === 'raw' && rule.pair !== 'rsa') {
      const point = Buffer.from(bytes(data, 'keyData'));
      const half = Math.floor(point.length / 2);
      key = crypto.createPublicKey({ format: 'jwk', key: rule.pair === 'ec'
        ? { kty: 'EC', crv: algorithm.namedCurve, x: point.subarray(1, half + 1).toString('base64url'), y: point.subarray(half + 1).toString('base64url') }
        : { kty: 'OKP', crv: algorithm.name, x: point.toString('base64url') } });
    }
  } catch (cause) { throw Object.assign(fail('Invalid keyData', 'DataError'), { cause }); }
  if (key === undefined) throw fail(`Unable to import ${algorithm.name} key with format ${format}`, 'NotSupportedError');
  if (!keyTypeOf[rule.pair].includes(key.asymmetricKeyType)) throw fail('Invalid key type', 'DataError');
  if (rule.pair === 'ec' && parts.curves[algorithm.namedCurve]?.[0] !== key.asymmetricKeyDetails.namedCurve) throw fail('Named curve mismatch', 'DataError');
  return key;
}
function importKey(format, data, algorithm, extractable, usages) {
  const rule = algorithms[algorithm.name];
  if (rule === undefined) throw fail('Unrecognized algorithm name', 'NotSupportedError');
  const key = (rule.secret !== undefined ? importSecret : importHalf)(format, data, algorithm, usages, rule);
  return make(key, rule.secret === 'password' ? { name: algorithm.name } : shown(algorithm, key), extractable, usages);
}
function jwkAlgorithm({ name, length, hash }) {
  if (name.startsWith('AES')) return `A${length}${name.slice(4)}`;
  const size = hash?.name.slice(4);
  return { HMAC: `HS${size}`, 'RSASSA-PKCS1-v1_5': `RS${size}`, 'RSA-PSS': `PS${size}`, 'RSA-OAEP': size === '1' ? 'RSA-OAEP' : `RSA-OAEP-${size}`, Ed25519: 'EdDSA' }[name];
}
function exportKey(format, given) {
  const state = states.get(given);
  if (state === undefined) throw argumentType('key', 'CryptoKey', given);
  if (!state.extractable) throw fail('key is not extractable', 'InvalidAccessException');
  const { key, algorithm, usages } = state;
  if (format === 'jwk') {
    const made = { key_ops: [...usages], ext: true, ...key.export({ format: 'jwk' }) };
    const alg = jwkAlgorithm(algorithm);
    return alg === undefined ? made : { ...made, alg };
  }
  if (format === 'raw' && key.type === 'secret') return bufferOf(key.export());
  if (format === 'raw' && key.type === 'public' && !algorithm.name.startsWith('RSA')) {
    const { x, y } = key.export({ format: 'jwk' });
    return bufferOf(y === undefined ? Buffer.from(x, 'base64url') : Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]));
  }
  const fits = (format === 'spki' && key.type === 'public') || (format === 'pkcs8' && key.type === 'private');
  if (!fits) throw fail(`Unable to export a raw ${algorithm.name} ${key.type} key`, 'InvalidAccessError');
  return bufferOf(key.export({ format: 'der', type: format }));
}

// ---- Operations ----

const specific = (cause) => Object.assign(fail('The operation failed for an operation-specific reason', 'OperationError'), { cause });
function crypted(encrypts, algorithm, { key }, data) {
  const { name } = algorithm;
  try {
    if (name === 'RSA-OAEP') {
      const options = { key, padding: 4, oaepHash: hashes[states.get(algorithm.of).algorithm.hash.name], ...(algorithm.label === undefined ? {} : { oaepLabel: bytes(algorithm.label, 'algorithm.label') }) };
      return crypto[encrypts ? 'publicEncrypt' : 'privateDecrypt'](options, data);
    }
    const size = key.symmetricKeySize * 8;
    const cipher = `aes-${size}-${name.slice(4).toLowerCase()}`;
    const tagSize = (algorithm.tagLength ?? 128) / 8;
    const iv = bytes(name === 'AES-CTR' ? algorithm.counter : algorithm.iv, name === 'AES-CTR' ? 'algorithm.counter' : 'algorithm.iv');
    const coder = crypto[encrypts ? 'createCipheriv' : 'createDecipheriv'](cipher, key, iv, name === 'AES-GCM' ? { authTagLength: tagSize } : undefined);
    if (name !== 'AES-GCM') return Buffer.concat([coder.update(data), coder.final()]);
    if (algorithm.additionalData !== undefined) coder.setAAD(bytes(algorithm.additionalData, 'algorithm.additionalData'));
    if (encrypts) return Buffer.concat([coder.update(data), coder.final(), coder.getAuthTag()]);
    if (data.length < tagSize) throw new Error('The provided data is too small.');
    coder.setAuthTag(data.subarray(data.length - tagSize));
    return Buffer.concat([coder.update(data.subarray(0, data.length - tagSize)), coder.final()]);
  } catch (error) {
    throw error.code === 'ERR_INVALID_ARG_TYPE' ? error : specific(error);
  }
}
function signature(algorithm, { key, algorithm: own }) {
  const { name } = algorithm;
  if (name === 'ECDSA') return [hashOf(algorithm), { key, dsaEncoding: 'ieee-p1363' }];
  if (name === 'RSA-PSS') return [hashes[own.hash.name], { key, padding: 6, saltLength: algorithm.saltLength }];
  return [name === 'Ed25519' ? null : hashes[own.hash.name], key];
}
function derived(algorithm, { key }, length) {
  if (algorithm.name === 'ECDH' || algorithm.name === 'X25519') {
    const peer = states.get(algorithm.public);
    if (peer === undefined) throw argumentType('algorithm.public', 'CryptoKey', algorithm.public);
    const secret = crypto.diffieHellman({ privateKey: key, publicKey: peer.key });
    if (length === null || length === undefined) return bufferOf(secret);
    if (secret.length * 8 < length) throw fail('derived bit length is too small', 'OperationError');
    return bufferOf(secret).slice(0, Math.ceil(length / 8));
  }
  if (length === null || length === undefined) throw fail('length cannot be null', 'OperationError');
  if (length % 8 !== 0) throw fail('length must be a multiple of 8', 'OperationError');
  const salt = bytes(algorithm.salt, 'algorithm.salt');
  const hash = hashOf(algorithm);
  const made = algorithm.name === 'PBKDF2' ? crypto.pbkdf2Sync(key.export(), salt, algorithm.iterations, length / 8, hash)
    : crypto.hkdfSync(hash, key.export(), salt, bytes(algorithm.info, 'algorithm.info'), length / 8);
  return made instanceof ArrayBuffer ? made : bufferOf(made);
}
const derivedLength = (algorithm) => (algorithms[algorithm.name]?.secret === 'AES' ? algorithm.length : algorithm.name === 'HMAC' ? algorithm.length ?? blockSizes[algorithm.hash.name] : null);

const methods = {
  async generateKey(algorithm, extractable, usages) { return generate(normalized(algorithm), extractable, usages); },
  async importKey(format, data, algorithm, extractable, usages) { return importKey(format, data, normalized(algorithm), extractable, usages); },
  async exportKey(format, key) { return exportKey(format, key); },
  async encrypt(algorithm, key, data) {
    const how = { ...normalized(algorithm), of: key };
    return bufferOf(crypted(true, how, used(key, how.name, 'encrypt'), bytes(data, 'data')));
  },
  async decrypt(algorithm, key, data) {
    const how = { ...normalized(algorithm), of: key };
    return bufferOf(crypted(false, how, used(key, how.name, 'decrypt'), bytes(data, 'data')));
  },
  async sign(algorithm, key, data) {
    const how = normalized(algorithm);
    const state = used(key, how.name, 'sign');
    if (how.name === 'HMAC') return bufferOf(crypto.createHmac(hashes[state.algorithm.hash.name], state.key).update(bytes(data, 'data')).digest());
    return bufferOf(crypto.sign(signature(how, state)[0], bytes(data, 'data'), signature(how, state)[1]));
  },
  async verify(algorithm, key, given, data) {
    const how = normalized(algorithm);
    const state = used(key, how.name, 'verify');
    const wanted = bytes(given, 'signature');
    if (how.name === 'HMAC') {
      const made = crypto.createHmac(hashes[state.algorithm.hash.name], state.key).update(bytes(data, 'data')).digest();
      return made.length === wanted.length && base.natives.cryptoEqual(made, wanted);
    }
    return crypto.verify(signature(how, state)[0], bytes(data, 'data'), signature(how, state)[1], wanted);
  },
  async deriveBits(algorithm, key, length) {
    const how = normalized(algorithm);
    return derived(how, used(key, how.name, 'deriveBits'), length);
  },
  async deriveKey(algorithm, key, wanted, extractable, usages) {
    const [how, to] = [normalized(algorithm), normalized(wanted)];
    return importKey('raw', derived(how, used(key, how.name, 'deriveKey'), derivedLength(to)), to, extractable, usages);
  },
  async wrapKey(format, key, wrapper, algorithm) {
    const how = { ...normalized(algorithm), of: wrapper };
    const state = used(wrapper, how.name, 'wrapKey');
    const made = exportKey(format, key);
    return bufferOf(crypted(true, how, state, format === 'jwk' ? Buffer.from(base.JSON.stringify(made)) : bytesOf(made)));
  },
  async unwrapKey(format, wrapped, wrapper, algorithm, keyAlgorithm, extractable, usages) {
    const how = { ...normalized(algorithm), of: wrapper };
    const raw = crypted(false, how, used(wrapper, how.name, 'unwrapKey'), bytes(wrapped, 'wrappedKey'));
    return importKey(format, format === 'jwk' ? base.JSON.parse(raw.toString()) : raw, normalized(keyAlgorithm), extractable, usages);
  },
};
shelf.globals.CryptoKey = CryptoKey;
shelf.subtleMethods = methods;
