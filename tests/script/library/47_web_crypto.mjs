// SPDX-License-Identifier: Apache-2.0
const { subtle } = globalThis.crypto;
const hex = (b) => Buffer.from(b).toString('hex');
const t = async (name, f) => { try { console.log(name, await f()); } catch (e) { console.log(name, e.name, '|', e.message, '|', e.code); } };
const raw = new Uint8Array(32).fill(7), iv = new Uint8Array(12).fill(1), iv16 = new Uint8Array(16).fill(2), data = new TextEncoder().encode('data to keep');
for (const [name, alg] of [['AES-GCM', { name: 'AES-GCM', iv, additionalData: new Uint8Array(3) }], ['AES-CBC', { name: 'AES-CBC', iv: iv16 }], ['AES-CTR', { name: 'AES-CTR', counter: iv16, length: 64 }]]) await t(name, async () => {
  const key = await subtle.importKey('raw', raw, name, true, ['encrypt', 'decrypt']);
  const out = await subtle.encrypt(alg, key, data);
  return [out.constructor.name, hex(out), new TextDecoder().decode(await subtle.decrypt(alg, key, out)), key.type, key.extractable, JSON.stringify(key.algorithm), key.usages.join(), JSON.stringify(await subtle.exportKey('jwk', key))].join(' ');
});
await t('HMAC', async () => {
  const key = await subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
  const s = await subtle.sign('HMAC', key, data);
  return [hex(s), await subtle.verify('HMAC', key, s, data), await subtle.verify('HMAC', key, s, raw), JSON.stringify(key.algorithm)].join(' ');
});
await t('PBKDF2', async () => {
  const key = await subtle.importKey('raw', data, 'PBKDF2', false, ['deriveBits', 'deriveKey']);
  const made = await subtle.deriveKey({ name: 'PBKDF2', salt: iv, iterations: 10, hash: 'SHA-256' }, key, { name: 'AES-GCM', length: 256 }, true, ['encrypt']);
  return hex(await subtle.deriveBits({ name: 'PBKDF2', salt: iv, iterations: 10, hash: 'SHA-512' }, key, 128)) + ' ' + hex(await subtle.exportKey('raw', made));
});
await t('HKDF', async () => {
  const key = await subtle.importKey('raw', data, 'HKDF', false, ['deriveBits']);
  return hex(await subtle.deriveBits({ name: 'HKDF', salt: iv, info: raw, hash: 'SHA-256' }, key, 256));
});
for (const [alg, how] of [[{ name: 'ECDSA', namedCurve: 'P-256' }, { name: 'ECDSA', hash: 'SHA-256' }], [{ name: 'RSASSA-PKCS1-v1_5', modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' }, 'RSASSA-PKCS1-v1_5'], [{ name: 'RSA-PSS', modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' }, { name: 'RSA-PSS', saltLength: 16 }], [{ name: 'Ed25519' }, 'Ed25519']]) await t(alg.name, async () => {
  const { publicKey, privateKey } = await subtle.generateKey(alg, true, ['sign', 'verify']);
  const s = await subtle.sign(how, privateKey, data);
  const spki = await subtle.exportKey('spki', publicKey);
  const again = await subtle.importKey('spki', spki, alg, true, ['verify']);
  const jwk = await subtle.exportKey('jwk', privateKey);
  const back = await subtle.importKey('jwk', jwk, alg, true, ['sign']);
  const pkcs8 = await subtle.importKey('pkcs8', await subtle.exportKey('pkcs8', privateKey), alg, true, ['sign']);
  return [s.byteLength, await subtle.verify(how, publicKey, s, data), await subtle.verify(how, again, s, raw), await subtle.verify(how, again, await subtle.sign(how, back, data), data), await subtle.verify(how, again, await subtle.sign(how, pkcs8, data), data), Object.keys(jwk).join(), publicKey.usages.join(), privateKey.usages.join(), JSON.stringify(publicKey.algorithm)].join(' ');
});
await t('ECDH', async () => {
  const a = await subtle.generateKey({ name: 'ECDH', namedCurve: 'P-384' }, false, ['deriveBits', 'deriveKey']);
  const b = await subtle.generateKey({ name: 'ECDH', namedCurve: 'P-384' }, false, ['deriveBits']);
  return hex(await subtle.deriveBits({ name: 'ECDH', public: b.publicKey }, a.privateKey, 256)) === hex(await subtle.deriveBits({ name: 'ECDH', public: a.publicKey }, b.privateKey, 256));
});
await t('RSA-OAEP', async () => {
  const k = await subtle.generateKey({ name: 'RSA-OAEP', modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-1' }, false, ['encrypt', 'decrypt']);
  return new TextDecoder().decode(await subtle.decrypt('RSA-OAEP', k.privateKey, await subtle.encrypt('RSA-OAEP', k.publicKey, data)));
});
await t('gen', async () => { const k = await subtle.generateKey({ name: 'AES-CBC', length: 128 }, true, ['encrypt']); return (await subtle.exportKey('raw', k)).byteLength + ' ' + Object.prototype.toString.call(k) + (k instanceof CryptoKey); });
await t('not extractable', async () => subtle.exportKey('raw', await subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt'])));
await t('usage', async () => subtle.decrypt({ name: 'AES-GCM', iv }, await subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt']), data));
await t('wrong', async () => subtle.decrypt({ name: 'AES-GCM', iv }, await subtle.importKey('raw', raw, 'AES-GCM', false, ['decrypt']), new Uint8Array(20)));
await t('other', async () => subtle.decrypt({ name: 'AES-CBC', iv: iv16 }, await subtle.importKey('raw', raw, 'AES-GCM', false, ['decrypt']), new Uint8Array(20)));
await t('length', async () => subtle.importKey('raw', new Uint8Array(5), 'AES-GCM', false, ['decrypt']));
await t('bad', async () => subtle.importKey('raw', raw, 'NOPE', false, []));
await t('bad usage', async () => subtle.importKey('raw', raw, 'AES-GCM', false, ['sign']));
await t('none', async () => subtle.importKey('raw', raw, 'AES-GCM', false, []));
