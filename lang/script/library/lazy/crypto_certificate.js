// SPDX-License-Identifier: Apache-2.0
// node:crypto, part 7: X509Certificate. The host reads the certificate anew for each question
// (lang/script/internal/certificates.hpp).
'use strict';
const { base, builtins, Buffer } = shelf;
const { natives, coded, argumentType, argumentValue, checks } = base;
const parts = shelf.cryptoParts;
const { factsOf, namesOf, fingerprints } = shelf.certificates;
const inspectCustom = Symbol.for('nodejs.util.inspect.custom');

const nistCurves = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };
// X509_CHECK_FLAG_...
const flagsOf = { subjectNever: 0x20, noWildcards: 2, noPartialWildcards: 4, multiLabelWildcards: 8, singleLabelSubdomains: 16 };
function checkFlags(options = {}) {
  checks.isObject(options, 'options');
  const { subject = 'default', wildcards = true, partialWildcards = true, multiLabelWildcards = false, singleLabelSubdomains = false } = options;
  checks.isString(subject, 'options.subject');
  for (const [name, value] of Object.entries({ wildcards, partialWildcards, multiLabelWildcards, singleLabelSubdomains })) checks.isBoolean(value, `options.${name}`);
  const subjects = { default: 0, always: 1, never: flagsOf.subjectNever };
  if (!base.hasOwn(subjects, subject)) throw argumentValue('options.subject', subject);
  return subjects[subject] | (wildcards ? 0 : flagsOf.noWildcards) | (partialWildcards ? 0 : flagsOf.noPartialWildcards) | (multiLabelWildcards ? flagsOf.multiLabelWildcards : 0) | (singleLabelSubdomains ? flagsOf.singleLabelSubdomains : 0);
}
// "OCSP - URI:http://place/" in lines, as an object of lists.
function accessOf(text) {
  const made = { __proto__: null };
  for (const line of text.split('\n')) {
    const at = line.indexOf(':');
    (made[line.slice(0, at)] ??= []).push(line.slice(at + 1));
  }
  return made;
}

class X509Certificate {
  #facts; #raw; #hashes; #key;
  constructor(given) {
    const bytes = typeof given === 'string' ? Buffer.from(given) : given;
    if (!ArrayBuffer.isView(bytes)) throw argumentType('buffer', ['string', 'Buffer', 'TypedArray', 'DataView'], given);
    this.#facts = factsOf(parts.result(natives.certificateRead(parts.bytesOf(bytes))));
    this.#raw = Buffer.from(this.#facts.raw, 'hex');
  }
  static isOne(value) { return typeof value === 'object' && value !== null && #facts in value; }
  #hash(name) { return (this.#hashes ??= fingerprints(this.#raw))[name]; }
  get subject() { return this.#facts.subjectLines; }
  get subjectAltName() { return this.#facts.subjectaltname; }
  get issuer() { return this.#facts.issuerLines; }
  get issuerCertificate() { return undefined; }
  get infoAccess() { return this.#facts.infoAccess; }
  get validFrom() { return this.#facts.valid_from; }
  get validTo() { return this.#facts.valid_to; }
  get fingerprint() { return this.#hash('fingerprint'); }
  get fingerprint256() { return this.#hash('fingerprint256'); }
  get fingerprint512() { return this.#hash('fingerprint512'); }
  get keyUsage() { return this.#facts.keyUsage?.split('\n'); }
  get serialNumber() { return this.#facts.serialNumber; }
  get raw() { return this.#raw; }
  get publicKey() { return this.#key ??= parts.makeKey('public', { number: parts.result(natives.certificateKey(this.#raw)) }); }
  toString() { return `-----BEGIN CERTIFICATE-----\n${this.#raw.toString('base64').replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`; }
  toJSON() { return this.toString(); }
  get ca() { return this.#facts.ca !== ''; }
  #named(what, name, flags) { return natives.certificateName(this.#raw, what, name, flags); }
  checkHost(name, options) {
    checks.isString(name, 'name');
    return this.#named('host', name, checkFlags(options));
  }
  checkEmail(email, options) {
    checks.isString(email, 'email');
    return this.#named('email', email, checkFlags(options));
  }
  checkIP(ip) {
    checks.isString(ip, 'ip');
    return this.#named('ip', ip, 0);
  }
  checkIssued(other) {
    if (!isOne(other)) throw argumentType('otherCert', 'X509Certificate', other);
    return natives.certificateIssued(this.#raw, other.#raw);
  }
  #verified(key, type) {
    if (!(key instanceof parts.keys.KeyObject)) throw argumentType('pkey', 'KeyObject', key);
    if (key.type !== type) throw argumentValue('pkey', key);
    return natives.certificateVerify(this.#raw, parts.keyNumber(key), type === 'private');
  }
  checkPrivateKey(key) { return this.#verified(key, 'private'); }
  verify(key) { return this.#verified(key, 'public'); }
  #keyFacts() {
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = this.publicKey;
    if (type.startsWith('rsa')) {
      const modulus = Buffer.from(this.publicKey.export({ format: 'jwk' }).n, 'base64url').toString('hex').toUpperCase();
      return { modulus, bits: details.modulusLength, exponent: `0x${details.publicExponent.toString(16)}`, pubkey: this.publicKey.export({ type: 'spki', format: 'der' }) };
    }
    if (type !== 'ec') return {};
    const jwk = this.publicKey.export({ format: 'jwk' });
    const point = Buffer.concat([Buffer.from([4]), Buffer.from(jwk.x, 'base64url'), Buffer.from(jwk.y, 'base64url')]);
    const bits = { prime256v1: 256, secp384r1: 384, secp521r1: 521 }[details.namedCurve];
    return { bits, pubkey: point, asn1Curve: details.namedCurve, nistCurve: nistCurves[details.namedCurve] };
  }
  toLegacyObject() {
    const facts = this.#facts;
    const made = { subject: namesOf(facts.subject), issuer: namesOf(facts.issuer) };
    if (facts.subjectaltname !== undefined) made.subjectaltname = facts.subjectaltname;
    if (facts.infoAccess !== undefined) made.infoAccess = accessOf(facts.infoAccess);
    Object.assign(made, { ca: this.ca }, this.#keyFacts(), { valid_from: facts.valid_from, valid_to: facts.valid_to, fingerprint: this.fingerprint, fingerprint256: this.fingerprint256, fingerprint512: this.fingerprint512 });
    if (facts.keyUsage !== undefined) made.ext_key_usage = this.keyUsage;
    return Object.assign(made, { serialNumber: facts.serialNumber, raw: this.#raw });
  }
  [inspectCustom](depth, options) {
    if (depth < 0) return this;
    const { subject, subjectAltName, issuer, infoAccess, validFrom, validTo, fingerprint, fingerprint256, fingerprint512, keyUsage, serialNumber } = this;
    return `X509Certificate ${shelf.inspect({ subject, subjectAltName, issuer, infoAccess, validFrom, validTo, fingerprint, fingerprint256, fingerprint512, keyUsage, serialNumber }, { ...options, depth: options.depth == null ? null : options.depth - 1 })}`;
  }
}
const { isOne } = X509Certificate;
delete X509Certificate.isOne;
builtins.crypto.X509Certificate = X509Certificate;
