// SPDX-License-Identifier: Apache-2.0
const c = require('crypto');
const t = (name, f) => { try { console.log(name, f()); } catch (e) { console.log(name, e.name, '|', e.message, '|', e.code, '|', e.library, '|', e.reason); } };
const data = Buffer.from('some data');
for (const [type, options] of [['rsa', { modulusLength: 1024 }], ['ec', { namedCurve: 'P-256' }], ['ec', { namedCurve: 'secp384r1' }], ['ed25519', {}], ['x25519', {}], ['rsa-pss', { modulusLength: 1024 }]]) t(type, () => {
  const { publicKey, privateKey } = c.generateKeyPairSync(type, options);
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const pub = publicKey.export({ type: 'spki', format: 'pem' });
  const again = c.createPrivateKey(pem);
  const lines = [publicKey.type, privateKey.type, publicKey.asymmetricKeyType, JSON.stringify(publicKey.asymmetricKeyDetails, (k, v) => typeof v === 'bigint' ? `${v}n` : v), pem.split('\n')[0], pub.split('\n')[0], again.equals(privateKey), c.createPublicKey(pem).equals(publicKey), c.createPublicKey(pub).equals(publicKey)];
  if (type !== 'x25519') {
    const alg = type === 'ed25519' ? null : 'sha256';
    const s = c.sign(alg, data, privateKey);
    lines.push(c.verify(alg, data, publicKey, s), c.verify(alg, Buffer.from('other'), publicKey, s), c.verify(alg, data, pub, s), c.verify(alg, data, pem, s));
  }
  const der = c.createPrivateKey({ key: privateKey.export({ type: 'pkcs8', format: 'der' }), format: 'der', type: 'pkcs8' });
  lines.push(der.equals(privateKey));
  if (type !== 'rsa-pss') {
    const jwk = privateKey.export({ format: 'jwk' });
    lines.push(Object.keys(jwk).join(), c.createPrivateKey({ key: jwk, format: 'jwk' }).equals(privateKey), Object.keys(publicKey.export({ format: 'jwk' })).join(), c.createPublicKey({ key: publicKey.export({ format: 'jwk' }), format: 'jwk' }).equals(publicKey));
  }
  return lines.join(' ');
});
const rsa = c.generateKeyPairSync('rsa', { modulusLength: 1024, publicKeyEncoding: { type: 'pkcs1', format: 'pem' }, privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'top' } });
t('pem', () => rsa.publicKey.split('\n')[0] + rsa.privateKey.split('\n')[0]);
t('locked', () => { try { return c.createPrivateKey(rsa.privateKey); } catch (e) { return e instanceof Error; } });
t('wrong', () => c.createPrivateKey({ key: rsa.privateKey, passphrase: 'no' }).type);
t('open', () => c.createPrivateKey({ key: rsa.privateKey, passphrase: 'top' }).type);
const priv = c.createPrivateKey({ key: rsa.privateKey, passphrase: 'top' });
t('createSign', () => { const s = c.createSign('SHA256'); s.update('some '); s.update('data'); const sig = s.sign(priv, 'base64'); const v = c.createVerify('RSA-SHA256').update('some data'); return v.verify(rsa.publicKey, sig, 'base64'); });
t('pss', () => { const o = { key: priv, padding: c.constants.RSA_PKCS1_PSS_PADDING, saltLength: 20 }; const s = c.sign('sha256', data, o); return s.length + ' ' + c.verify('sha256', data, { ...o, key: rsa.publicKey }, s) + c.verify('sha256', data, rsa.publicKey, s); });
t('oaep', () => c.privateDecrypt(priv, c.publicEncrypt(rsa.publicKey, Buffer.from('hi'))).toString());
t('oaep256', () => c.privateDecrypt({ key: priv, oaepHash: 'sha256' }, c.publicEncrypt({ key: rsa.publicKey, oaepHash: 'sha256' }, Buffer.from('hi'))).toString());
t('pkcs1', () => c.publicDecrypt(rsa.publicKey, c.privateEncrypt(priv, Buffer.from('hey'))).toString());
t('long', () => c.publicEncrypt(rsa.publicKey, Buffer.alloc(500)));
t('p1363', () => { const k = c.generateKeyPairSync('ec', { namedCurve: 'P-256' }); const s = c.sign('sha256', data, { key: k.privateKey, dsaEncoding: 'ieee-p1363' }); return s.length + ' ' + c.verify('sha256', data, { key: k.publicKey, dsaEncoding: 'ieee-p1363' }, s); });
t('dh', () => { const a = c.generateKeyPairSync('x25519'), b = c.generateKeyPairSync('x25519'); return c.diffieHellman({ privateKey: a.privateKey, publicKey: b.publicKey }).equals(c.diffieHellman({ privateKey: b.privateKey, publicKey: a.publicKey })); });
t('ecdh', () => { const a = c.createECDH('secp256k1'), b = c.createECDH('secp256k1'); a.generateKeys(); const pub = b.generateKeys('hex'); return [pub.length, a.computeSecret(pub, 'hex').equals(b.computeSecret(a.getPublicKey())), a.getPrivateKey().length].join(); });
t('bad pem', () => c.createPrivateKey('nope'));
t('bad pub', () => c.createPublicKey('nope'));
t('bad type', () => c.createPrivateKey(5));
t('bad alg', () => c.sign('nope', data, priv));
t('bad gen', () => c.generateKeyPairSync('nope'));
t('bad gen', () => c.generateKeyPairSync('rsa', {}));
t('bad curve', () => c.generateKeyPairSync('ec', { namedCurve: 'nope' }));
t('sign with public', () => c.sign('sha256', data, c.createPublicKey(rsa.publicKey)));
c.generateKeyPair('ed25519', (e, pub, p) => console.log('async', e, pub.type, p.type));
c.generateKeyPair('rsa', { modulusLength: 512, publicKeyEncoding: { type: 'spki', format: 'der' }, privateKeyEncoding: { type: 'pkcs1', format: 'pem' } }, (e, pub, p) => console.log('async', e, Buffer.isBuffer(pub), p.split('\n')[0]));
