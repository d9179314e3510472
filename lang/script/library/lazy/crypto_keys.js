// SPDX-License-Identifier: Apache-2.0
// node:crypto, part 5: KeyObject, and how keys are read, made and written. An asymmetric key is a
// number of the host.
'use strict';
const { base, Buffer } = shelf;
const { natives, coded, argumentType, argumentValue, outOfRange } = base;
const parts = shelf.cryptoParts;
const { isBytes, bytesOf, opensslError } = parts;
const forgotten = new FinalizationRegistry((number) => natives.closeState(number));
const states = new base.SafeWeakMap();  // a KeyObject to { type, bytes } or { type, number }

// What a native gave, or the error that it tells of.
function result(given) {
  if (typeof given === 'string' && given[0] === '\n') throw opensslError(given.split('\n').slice(1), 'the operation failed');
  return given;
}
const hex = (text) => Buffer.from(text, 'hex');
const stateOf = (key) => {
  const state = states.get(key);
  if (state === undefined) throw coded(TypeError, 'ERR_INVALID_THIS', 'Value of "this" must be of type KeyObject');
  return state;
};

// ---- JSON Web Keys ----

const curves = { 'P-256': ['prime256v1', '2a8648ce3d030107', 32], 'P-384': ['secp384r1', '2b81040022', 48], 'P-521': ['secp521r1', '2b81040023', 66], secp256k1: ['secp256k1', '2b8104000a', 32] };
const okp = { Ed25519: '2b6570', Ed448: '2b6571', X25519: '2b656e', X448: '2b656f' };
const rsaParts = [['n', 'n'], ['e', 'e'], ['d', 'd'], ['p', 'rsa-factor1'], ['q', 'rsa-factor2'], ['dp', 'rsa-exponent1'], ['dq', 'rsa-exponent2'], ['qi', 'rsa-coefficient1']];
const tlv = (tag, ...inner) => {
  const body = Buffer.concat(inner);
  const size = body.length < 128 ? [body.length] : body.length < 256 ? [0x81, body.length] : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
};
const integer = (bytes) => {
  let at = 0;
  while (at < bytes.length - 1 && bytes[at] === 0) at += 1;
  const plain = bytes.subarray(at);
  return tlv(2, plain[0] & 0x80 ? Buffer.concat([Buffer.from([0]), plain]) : plain);
};
const bits = (...inner) => tlv(3, Buffer.from([0]), ...inner);
const ecOid = tlv(6, hex('2a8648ce3d0201'));
const fromUrl = (text, name) => { base.checks.isString(text, `key.${name}`); return Buffer.from(text, 'base64url'); };
const invalidJwk = () => coded(TypeError, 'ERR_CRYPTO_INVALID_JWK', 'Invalid JWK data');
function derOfJwk(jwk, isPrivate) {
  const get = (name) => fromUrl(jwk[name], name);
  if (jwk.kty === 'RSA') {
    const names = isPrivate ? rsaParts.map(([name]) => name) : ['n', 'e'];
    return tlv(0x30, ...(isPrivate ? [integer(Buffer.from([0]))] : []), ...names.map((name) => integer(get(name))));
  }
  if (jwk.kty === 'EC') {
    const curve = curves[jwk.crv];
    if (curve === undefined) throw coded(TypeError, 'ERR_CRYPTO_INVALID_CURVE', 'Invalid EC curve name');
    const algorithm = tlv(0x30, ecOid, tlv(6, hex(curve[1])));
    const point = Buffer.concat([Buffer.from([4]), get('x'), get('y')]);
    if (!isPrivate) return tlv(0x30, algorithm, bits(point));
    return tlv(0x30, integer(Buffer.from([0])), algorithm, tlv(4, tlv(0x30, integer(Buffer.from([1])), tlv(4, get('d')), tlv(0xa1, bits(point)))));
  }
  if (jwk.kty === 'OKP' && okp[jwk.crv] !== undefined) {
    const algorithm = tlv(0x30, tlv(6, hex(okp[jwk.crv])));
    return isPrivate ? tlv(0x30, integer(Buffer.from([0])), algorithm, tlv(4, tlv(4, get('d')))) : tlv(0x30, algorithm, bits(get('x')));
  }
  throw invalidJwk();
}
function jwkOf(state) {
  const url = (name, size) => {
    const bytes = hex(natives.keyPart(state.number, name) ?? '');
    return (size > bytes.length ? Buffer.concat([Buffer.alloc(size - bytes.length), bytes]) : bytes).toString('base64url');
  };
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = infoOf(state);
  const isPrivate = state.type === 'private';
  if (type === 'rsa') {
    const made = { kty: 'RSA' };
    for (const [name, native] of isPrivate ? rsaParts : rsaParts.slice(0, 2)) made[name] = url(native);
    return made;
  }
  if (type === 'ec') {
    const crv = Object.keys(curves).find((name) => curves[name][0] === details.namedCurve);
    if (crv === undefined) throw coded(Error, 'ERR_CRYPTO_JWK_UNSUPPORTED_CURVE', `Unsupported JWK EC curve: ${details.namedCurve}.`);
    const size = curves[crv][2];
    return { kty: 'EC', x: url('qx', size), y: url('qy', size), crv, ...(isPrivate ? { d: url('priv', size) } : {}) };
  }
  const crv = Object.keys(okp).find((name) => name.toLowerCase() === type);
  if (crv === undefined) throw coded(Error, 'ERR_CRYPTO_JWK_UNSUPPORTED_KEY_TYPE', 'Unsupported JWK Key Type.');
  return { crv, ...(isPrivate ? { d: url('priv') } : {}), x: url('pub'), kty: 'OKP' };
}

// ---- KeyObject ----

function infoOf(state) {
  const [type, size, curve, exponent] = natives.keyInfo(state.number).split('\n');
  const asymmetricKeyType = type.toLowerCase();
  if (asymmetricKeyType.startsWith('rsa')) return { asymmetricKeyType, asymmetricKeyDetails: { modulusLength: Number(size), publicExponent: BigInt(exponent) } };
  return { asymmetricKeyType, asymmetricKeyDetails: asymmetricKeyType === 'ec' ? { namedCurve: curve } : {} };
}
const isOwn = Symbol('only for the library');
class KeyObject {
  constructor(type, state, key) {
    if (key !== isOwn) {
      if (type !== 'secret' && type !== 'public' && type !== 'private') throw argumentValue('type', type);
      throw argumentType('handle', 'object', state);
    }
    states.set(this, { type, ...state });
    if (state.number !== undefined) forgotten.register(this, state.number);
  }
  get type() { return stateOf(this).type; }
  static from(key) {
    const inner = parts.keyOfCryptoKey?.(key);
    if (inner === undefined) throw argumentType('key', 'CryptoKey', key);
    return inner;
  }
  equals(other) {
    const own = stateOf(this);
    const its = states.get(other);
    if (its === undefined) throw argumentType('otherKeyObject', 'KeyObject', other);
    if (own.type !== its.type) return false;
    return own.type === 'secret' ? own.bytes.length === its.bytes.length && natives.cryptoEqual(own.bytes, its.bytes) : natives.keyEqual(own.number, its.number);
  }
}
Object.defineProperty(KeyObject.prototype, Symbol.toStringTag, { value: 'KeyObject', configurable: true });
class SecretKeyObject extends KeyObject {
  get symmetricKeySize() { return stateOf(this).bytes.length; }
  export(options) {
    const { bytes } = stateOf(this);
    if (options !== undefined) base.checks.isObject(options, 'options');
    if (options?.format === 'jwk') return { kty: 'oct', k: Buffer.from(bytes).toString('base64url') };
    if (options?.format !== undefined && options.format !== 'buffer') throw argumentValue('options.format', options.format, "must be one of: undefined, 'buffer', 'jwk'");
    return Buffer.from(bytes);
  }
}
class AsymmetricKeyObject extends KeyObject {
  get asymmetricKeyType() { return infoOf(stateOf(this)).asymmetricKeyType; }
  get asymmetricKeyDetails() { return infoOf(stateOf(this)).asymmetricKeyDetails; }
  export(options) {
    base.checks.isObject(options, 'options');
    const state = stateOf(this);
    if (options.format === 'jwk') {
      if (options.passphrase !== undefined) throw coded(Error, 'ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS', 'The selected key encoding jwk does not support encryption.');
      return jwkOf(state);
    }
    return written(state, options, 'options');
  }
}
class PublicKeyObject extends AsymmetricKeyObject {}
class PrivateKeyObject extends AsymmetricKeyObject {}
const make = (type, state) => new (type === 'secret' ? SecretKeyObject : type === 'public' ? PublicKeyObject : PrivateKeyObject)(type, state, isOwn);

function written(state, { format, type, cipher, passphrase }, owner) {
  const isPrivate = state.type === 'private';
  if (format !== 'pem' && format !== 'der') throw argumentValue(`${owner}.format`, format);
  const isRsa = infoOf(state).asymmetricKeyType === 'rsa';
  const known = isPrivate ? ['pkcs1', 'pkcs8', 'sec1'] : ['pkcs1', 'spki'];
  if (!known.includes(type)) throw argumentValue(`${owner}.type`, type);
  if (type === 'pkcs1' && !isRsa) throw coded(Error, 'ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS', 'The selected key encoding pkcs1 can only be used for RSA keys.');
  if (type === 'sec1' && infoOf(state).asymmetricKeyType !== 'ec') throw coded(Error, 'ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS', 'The selected key encoding sec1 can only be used for EC keys.');
  if (cipher !== undefined && cipher !== null) base.checks.isString(cipher, `${owner}.cipher`);
  if (cipher && typeof passphrase !== 'string' && !isBytes(passphrase)) throw argumentValue(`${owner}.passphrase`, passphrase);
  const secret = passphrase === undefined || passphrase === null ? '' : typeof passphrase === 'string' ? passphrase : Buffer.from(bytesOf(passphrase)).toString('latin1');
  const bytes = hex(result(natives.keyWrite(state.number, isPrivate, format === 'pem', type, cipher ?? '', secret)));
  return format === 'pem' ? bytes.toString('latin1') : bytes;
}

// ---- Reading ----

const byteTypes = ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView', 'string'];
const keyTypes = ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView', 'string', 'KeyObject', 'CryptoKey'];
const asBytes = (value, encoding) => (typeof value === 'string' ? Buffer.from(value, encoding) : bytesOf(value));
const beginsCertificate = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/;
function readAs(type, bytes, isPem, passphrase) {
  if (type === 'public' && isPem && beginsCertificate.test(Buffer.from(bytesOf(bytes)).latin1Slice())) {
    const { raw } = shelf.certificates.factsOf(result(natives.certificateRead(bytes)));
    return make(type, { number: result(natives.certificateKey(hex(raw))) });
  }
  const secret = passphrase === undefined ? undefined : typeof passphrase === 'string' ? passphrase : Buffer.from(bytesOf(passphrase)).toString('latin1');
  return make(type, { number: result(secret === undefined ? natives.keyRead(bytes, isPem, type === 'private') : natives.keyRead(bytes, isPem, type === 'private', secret)) });
}
function publicOf(key) { return make('public', { number: result(natives.keyPublic(stateOf(key).number)) }); }
// A key that was given in any way: { key: a KeyObject, and the other options }.
function prepared(given, wanted, name, types) {
  let options = given;
  const object = parts.keyObjectOf(given);
  if (object !== undefined) options = { key: object };
  else if (typeof given === 'string' || isBytes(given)) options = { key: given };
  else if (given === null || typeof given !== 'object' || given.key === undefined) throw argumentType(name, types, given);
  const { key, format = 'pem', type, passphrase, encoding } = options;
  const inner = parts.keyObjectOf(key);
  if (inner !== undefined) {
    const fits = inner.type === wanted || (wanted === 'public' && inner.type === 'private');
    if (!fits) throw coded(TypeError, 'ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE', `Invalid key object type ${inner.type}, expected ${wanted === 'public' ? 'private or public' : wanted}.`);
    return { options, key: inner };
  }
  if (format === 'jwk') {
    base.checks.isObject(key, 'key.key');
    const isPrivate = wanted === 'private' || key.d !== undefined;
    const made = readAs(isPrivate ? 'private' : 'public', derOfJwk(key, isPrivate), false);
    return { options, key: made };
  }
  if (typeof key !== 'string' && !isBytes(key)) throw argumentType('key.key', keyTypes, key);
  if (format !== 'pem' && format !== 'der') throw argumentValue('key.format', format);
  const bytes = asBytes(key, encoding);
  const isPem = format === 'pem';
  if (wanted === 'private') return { options, key: readAs('private', bytes, isPem, passphrase) };
  const isPrivate = isPem ? /-----BEGIN (?:\w+ )*PRIVATE KEY-----/.test(Buffer.from(bytes).toString('latin1')) : type === 'pkcs8' || type === 'sec1';
  return { options, key: readAs(isPrivate ? 'private' : 'public', bytes, isPem, passphrase) };
}
parts.keyObjectOf = (value) => {
  if (value === null || typeof value !== 'object') return undefined;
  return states.has(value) ? value : parts.keyOfCryptoKey?.(value);
};
parts.secretBytes = (key) => stateOf(key).bytes;
parts.keyNumber = (key) => stateOf(key).number;
Object.assign(parts, { prepared, keyTypes, result, hex, makeKey: make, publicOf, curves, tlv, bits, ecOid });

// ---- Making ----

function whole(value, name, min = 0) {
  base.checks.isNumber(value, name);
  if (!Number.isInteger(value)) throw outOfRange(name, 'an integer', value);
  if (value < min || value > 4294967295) throw outOfRange(name, `>= ${min} && <= 4294967295`, value);
}
const pairTypes = { rsa: 'RSA', 'rsa-pss': 'RSA-PSS', ec: 'EC', ed25519: 'ED25519', ed448: 'ED448', x25519: 'X25519', x448: 'X448' };
function preparePair(type, options) {
  base.checks.isString(type, 'type');
  if (pairTypes[type] === undefined) throw argumentValue('type', type, 'must be a supported key type');
  if (type.startsWith('rsa') || type === 'ec') base.checks.isObject(options, 'options');
  const { modulusLength, publicExponent = 65537, namedCurve, publicKeyEncoding, privateKeyEncoding } = options ?? {};
  if (type.startsWith('rsa')) { whole(modulusLength, 'options.modulusLength'); whole(publicExponent, 'options.publicExponent'); }
  if (type === 'ec') base.checks.isString(namedCurve, 'options.namedCurve');
  const curve = type === 'ec' ? curves[namedCurve]?.[0] ?? namedCurve : '';
  return () => {
    const number = natives.keyGenerate(pairTypes[type], type.startsWith('rsa') ? modulusLength : 0, curve, publicExponent);
    if (type === 'ec' && typeof number !== 'number') throw coded(TypeError, 'ERR_CRYPTO_INVALID_CURVE', 'Invalid EC curve name');
    const privateKey = make('private', { number: result(number) });
    const publicKey = publicOf(privateKey);
    const form = (key, how, name) => (how === undefined ? key : how.format === 'jwk' ? key.export(how) : written(stateOf(key), how, name));
    return { publicKey: form(publicKey, publicKeyEncoding, 'options.publicKeyEncoding'), privateKey: form(privateKey, privateKeyEncoding, 'options.privateKeyEncoding') };
  };
}
function prepareSecret(type, options) {
  base.checks.isString(type, 'type');
  base.checks.isObject(options, 'options');
  const { length } = options;
  if (type === 'hmac') {
    base.checks.isNumber(length, 'options.length');
    if (length < 8 || length > 2 ** 31 - 1) throw outOfRange('options.length', '>= 8 && <= 2147483647', length);
  } else if (type === 'aes') {
    if (length !== 128 && length !== 192 && length !== 256) throw argumentValue('options.length', length, 'must be one of: 128, 192, 256');
  } else throw argumentValue('type', type, 'must be a supported key type');
  return () => make('secret', { bytes: parts.random.randomBytes(Math.floor(length / 8)) });
}
// In a job of its own, as what makes keys of passwords.
function later(start, callback, give) {
  base.checks.isFunction(callback, 'callback');
  shelf.setImmediate(() => {
    let made;
    try { made = start(); } catch (error) { callback(error); return; }
    give(made);
  });
}
function generateKeyPair(type, options, callback) {
  const [how, then] = typeof options === 'function' ? [undefined, options] : [options, callback];
  later(preparePair(type, how), then, (made) => then(null, made.publicKey, made.privateKey));
}
Object.defineProperty(generateKeyPair, Symbol.for('nodejs.util.promisify.custom'), {
  value: (type, options) => new Promise((resolve, reject) => { generateKeyPair(type, options, (error, publicKey, privateKey) => (error ? reject(error) : resolve({ publicKey, privateKey }))); }),
});
parts.keys = {
  KeyObject, generateKeyPair, generateKeyPairSync: (type, options) => preparePair(type, options)(),
  generateKey(type, options, callback) { later(prepareSecret(type, options), callback, (key) => callback(null, key)); },
  generateKeySync: (type, options) => prepareSecret(type, options)(),
  createSecretKey(key, encoding) {
    if (typeof key !== 'string' && !isBytes(key)) throw argumentType('key', byteTypes, key);
    return make('secret', { bytes: Buffer.from(asBytes(key, encoding)) });
  },
  createPrivateKey(key) {
    if (parts.keyObjectOf(key) !== undefined) throw argumentType('key', byteTypes, key);
    return prepared(key, 'private', 'key', byteTypes).key;
  },
  createPublicKey(key) {
    const found = prepared(key, 'public', 'key', keyTypes).key;
    if (found.type === 'public') {
      if (parts.keyObjectOf(key) !== undefined) throw coded(TypeError, 'ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE', 'Invalid key object type public, expected private.');
      return found;
    }
    return publicOf(found);
  },
  getCurves: () => ['prime256v1', 'secp256k1', 'secp384r1', 'secp521r1'],
};
