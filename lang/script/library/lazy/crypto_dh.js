// SPDX-License-Identifier: Apache-2.0
// node:crypto, part 9: classic Diffie-Hellman, and primes.
'use strict';
const { base, builtins, Buffer } = shelf;
const { natives, coded, argumentType, outOfRange } = base;
const { isBytes, bytesOf } = shelf.cryptoParts;
const { crypto } = builtins;

const hexOf = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex') || '00';
const fromHex = (text) => Buffer.from(text.length % 2 === 0 ? text : `0${text}`, 'hex');
const numberOf = (bytes) => BigInt(`0x${hexOf(bytes)}`);
const hexOfNumber = (number) => number.toString(16);
function bytesFrom(value, name, encoding) {
  if (typeof value === 'string') return Buffer.from(value, encoding === 'buffer' ? 'utf8' : encoding);
  if (!isBytes(value)) throw argumentType(name, ['string', 'ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], value);
  return bytesOf(value);
}
const shown = (bytes, encoding) => (encoding === undefined || encoding === 'buffer' ? bytes : bytes.toString(encoding));
// As many bytes as the prime has.
function padded(bytes, size) { return bytes.length >= size ? bytes : Buffer.concat([Buffer.alloc(size - bytes.length), bytes]); }

const states = new base.SafeWeakMap();  // { prime, generator, open, closed }
class DiffieHellmanGroup {
  constructor(name) {
    base.checks.isString(name, 'name');
    const prime = natives.dhPrime(name);
    if (prime === undefined) throw coded(Error, 'ERR_CRYPTO_UNKNOWN_DH_GROUP', 'Unknown DH group');
    states.set(this, { prime: fromHex(prime), generator: Buffer.of(2), open: undefined, closed: undefined });
  }
  generateKeys(encoding) {
    const state = states.get(this);
    const size = state.prime.length;
    if (state.closed === undefined) {
      const most = numberOf(state.prime) - 2n;
      for (;;) {
        const drawn = numberOf(crypto.randomBytes(size)) % (1n << BigInt(numberOf(state.prime).toString(2).length));
        if (drawn < 2n || drawn > most) continue;
        state.closed = fromHex(hexOfNumber(drawn));
        break;
      }
    }
    const open = natives.dhPower(hexOf(state.generator), hexOf(state.closed), hexOf(state.prime));
    if (open === undefined) throw coded(Error, 'ERR_CRYPTO_OPERATION_FAILED', 'Key generation failed');
    state.open = padded(fromHex(open), size);
    return shown(state.open, encoding);
  }
  computeSecret(other, inputEncoding, outputEncoding) {
    const state = states.get(this);
    const given = numberOf(bytesFrom(other, 'otherPublicKey', inputEncoding));
    if (given <= 1n) throw coded(RangeError, 'ERR_CRYPTO_INVALID_KEYLEN', 'Supplied key is too small');
    if (given >= numberOf(state.prime) - 1n) throw coded(RangeError, 'ERR_CRYPTO_INVALID_KEYLEN', 'Supplied key is too large');
    if (state.closed === undefined) throw coded(Error, 'ERR_CRYPTO_INVALID_KEYPAIR', 'Invalid key pair');
    const secret = natives.dhPower(hexOfNumber(given), hexOf(state.closed), hexOf(state.prime));
    if (secret === undefined) throw coded(Error, 'ERR_CRYPTO_INVALID_KEYPAIR', 'Invalid key pair');
    return shown(padded(fromHex(secret), state.prime.length), outputEncoding);
  }
  getPrime(encoding) { return shown(Buffer.from(states.get(this).prime), encoding); }
  getGenerator(encoding) { return shown(Buffer.from(states.get(this).generator), encoding); }
  getPublicKey(encoding) {
    const { open } = states.get(this);
    if (open === undefined) throw coded(Error, 'ERR_CRYPTO_INVALID_STATE', 'No public key - did you forget to generate one?');
    return shown(Buffer.from(open), encoding);
  }
  getPrivateKey(encoding) {
    const { closed } = states.get(this);
    if (closed === undefined) throw coded(Error, 'ERR_CRYPTO_INVALID_STATE', 'No private key - did you forget to generate one?');
    return shown(Buffer.from(closed), encoding);
  }
  // Bits of what is wrong, with the numbers of OpenSSL's DH_check.
  get verifyError() {
    const { prime, generator } = states.get(this);
    const isPrime = natives.primeCheck(hexOf(prime)) === true;
    const number = numberOf(prime);
    const isSafe = isPrime && natives.primeCheck(hexOfNumber((number - 1n) / 2n)) === true;
    const start = numberOf(generator);
    const isSuitable = start > 1n && start < number - 1n;
    return (isPrime ? 0 : 1) | (isPrime && !isSafe ? 2 : 0) | (isSuitable ? 0 : 8);
  }
}
class DiffieHellman extends DiffieHellmanGroup {
  constructor(given, keyEncoding, generator, generatorEncoding) {
    super('modp14');
    const state = states.get(this);
    if (typeof given !== 'number' && typeof given !== 'string' && !isBytes(given)) throw argumentType('sizeOrKey', ['number', 'string', 'ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'], given);
    let [encoding, start, startEncoding] = [keyEncoding, generator, generatorEncoding];
    if (keyEncoding && !Buffer.isEncoding(keyEncoding) && keyEncoding !== 'buffer') [encoding, start, startEncoding] = [undefined, keyEncoding, generator];
    state.generator = startOf(start, startEncoding);
    if (typeof given === 'number') {
      if (!Number.isInteger(given) || given < 0 || given > 2 ** 31 - 1) throw outOfRange('sizeOrKey', Number.isInteger(given) ? '>= 0 && <= 2147483647' : 'an integer', given);
      if (given < 2) throw coded(Error, 'ERR_OSSL_BN_BITS_TOO_SMALL', 'error:0180007B:bignum routines::bits too small');
      if (given < 512) throw coded(Error, 'ERR_OSSL_DH_MODULUS_TOO_SMALL', 'error:0280007E:Diffie-Hellman routines::modulus too small');
      const prime = natives.primeMake(given, true, '', '');
      if (prime === undefined) throw coded(Error, 'ERR_OSSL_DH_MODULUS_TOO_LARGE', 'error:0280007E:Diffie-Hellman routines::modulus too large');
      state.prime = fromHex(prime);
    } else state.prime = Buffer.from(bytesFrom(given, 'sizeOrKey', encoding));
  }
  setPublicKey(key, encoding) { states.get(this).open = Buffer.from(bytesFrom(key, 'key', encoding)); }
  setPrivateKey(key, encoding) { states.get(this).closed = Buffer.from(bytesFrom(key, 'key', encoding)); }
}
function startOf(generator, encoding) {
  if (generator === undefined || generator === null || generator === '') return Buffer.of(2);
  if (typeof generator !== 'number') {
    const bytes = bytesFrom(generator, 'generator', encoding);
    if (bytes.length === 0 || numberOf(bytes) < 2n) throw coded(Error, 'ERR_OSSL_DH_BAD_GENERATOR', 'error:02800065:Diffie-Hellman routines::bad generator');
    return Buffer.from(bytes);
  }
  if (!Number.isInteger(generator) || Math.abs(generator) > 2 ** 31) throw outOfRange('generator', 'an integer', generator);
  if (generator < 2) throw coded(Error, 'ERR_OSSL_DH_BAD_GENERATOR', 'error:02800065:Diffie-Hellman routines::bad generator');
  return fromHex(generator.toString(16));
}

// ---- Primes ----

const bitsMax = 10_000;
function primeOptions(size, options) {
  if (typeof size !== 'number') throw argumentType('size', 'number', size);
  if (!Number.isInteger(size) || size < 1 || size > 2 ** 31 - 1) throw outOfRange('size', Number.isInteger(size) ? '>= 1 && <= 2147483647' : 'an integer', size);
  base.checks.isObject(options, 'options');
  const { safe = false, bigint = false, add, rem } = options;
  base.checks.isBoolean(safe, 'options.safe');
  base.checks.isBoolean(bigint, 'options.bigint');
  const hex = (value, name) => {
    if (value === undefined) return '';
    if (typeof value === 'bigint') {
      if (value < 0n) throw outOfRange(`options.${name}`, '>= 0', value);
      return hexOfNumber(value);
    }
    if (!isBytes(value)) throw argumentType(`options.${name}`, ['ArrayBuffer', 'TypedArray', 'Buffer', 'DataView', 'bigint'], value);
    return hexOf(bytesOf(value));
  };
  const [step, rest] = [hex(add, 'add'), hex(rem, 'rem')];
  if (step !== '') {
    if (BigInt(`0x${step}`).toString(2).length > size) throw outOfRange('options.add', 'a number with no more bits than size', add);
    if (rest !== '' && BigInt(`0x${step}`) <= BigInt(`0x${rest}`)) throw outOfRange('options.rem', 'less than options.add', rem);
  }
  return { safe, bigint, step, rest };
}
function generatePrimeSync(size, options = {}) {
  const { safe, bigint, step, rest } = primeOptions(size, options);
  const made = natives.primeMake(size, safe, step, rest);
  if (made === undefined) throw coded(Error, 'ERR_CRYPTO_OPERATION_FAILED', size > bitsMax ? `a prime has at most ${bitsMax} bits here` : 'there is no such prime');
  if (bigint) return BigInt(`0x${made}`);
  const bytes = padded(fromHex(made), Math.ceil(size / 8));
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
}
function checkPrimeSync(candidate, options = {}) {
  let text;
  if (typeof candidate === 'bigint') {
    if (candidate < 0n) throw outOfRange('candidate', '>= 0', candidate);
    text = hexOfNumber(candidate);
  } else if (isBytes(candidate)) text = hexOf(bytesOf(candidate));
  else throw argumentType('candidate', ['ArrayBuffer', 'TypedArray', 'Buffer', 'DataView', 'bigint'], candidate);
  base.checks.isObject(options, 'options');
  const { checks = 0 } = options;
  base.checks.isNumber(checks, 'options.checks');
  if (!Number.isInteger(checks) || checks < 0) throw outOfRange('options.checks', '>= 0 && <= 4294967295', checks);
  const found = natives.primeCheck(text);
  if (found === undefined) throw coded(Error, 'ERR_CRYPTO_OPERATION_FAILED', `a number has at most ${bitsMax} bits here`);
  return found;
}
const later = (sync, check) => (value, options, callback) => {
  const [given, then] = typeof options === 'function' ? [{}, options] : [options ?? {}, callback];
  base.checks.isFunction(then, 'callback');
  check(value, given);
  shelf.setImmediate(() => {
    let made;
    try { made = sync(value, given); } catch (error) { then(error); return; }
    then(undefined, made);
  });
};
const called = (Class) => new Proxy(Class, { apply: (target, self, args) => new Class(...args) });
Object.assign(crypto, {
  DiffieHellman: called(DiffieHellman), DiffieHellmanGroup: called(DiffieHellmanGroup), generatePrimeSync, checkPrimeSync,
  generatePrime: later(generatePrimeSync, primeOptions), checkPrime: later(checkPrimeSync, () => {}),
  createDiffieHellman: (...args) => new DiffieHellman(...args), createDiffieHellmanGroup: (name) => new DiffieHellmanGroup(name), getDiffieHellman: (name) => new DiffieHellmanGroup(name),
});
