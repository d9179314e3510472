// SPDX-License-Identifier: Apache-2.0
// Ciphers of CCM, OCB and key wrap.
const crypto = require('crypto');
const attempt = (body) => { try { return body(); } catch (error) { return `${error.name} ${error.code} ${error.message}`; } };
const key = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex');
const nonce = Buffer.alloc(12, 7);
const plain = Buffer.from('the text that is sealed, longer than a block');
for (const name of ['aes-128-ccm', 'aes-128-ocb']) {
  for (const authTagLength of [8, 16]) {
    const cipher = crypto.createCipheriv(name, key, nonce, { authTagLength });
    cipher.setAAD(Buffer.from('head'), { plaintextLength: plain.length });
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
    const tag = cipher.getAuthTag();
    console.log(name, authTagLength, sealed.toString('hex'), tag.toString('hex'));
    for (const forged of [false, true]) {
      const decipher = crypto.createDecipheriv(name, key, nonce, { authTagLength });
      decipher.setAuthTag(tag);
      decipher.setAAD(Buffer.from(forged ? 'HEAD' : 'head'), { plaintextLength: plain.length });
      console.log(attempt(() => { const part = decipher.update(sealed); return Buffer.concat([part, decipher.final()]).toString(); }));
    }
  }
  console.log(attempt(() => crypto.createCipheriv(name, key, nonce)));
  console.log(attempt(() => crypto.createCipheriv(name, key, nonce, { authTagLength: 17 })));
  console.log(attempt(() => crypto.createDecipheriv(name, key, nonce, { authTagLength: 16 }).setAuthTag(Buffer.alloc(8))));
}
console.log(attempt(() => crypto.createCipheriv('aes-128-ccm', key, nonce, { authTagLength: 16 }).setAAD(Buffer.from('a'))));
console.log(attempt(() => crypto.createCipheriv('aes-128-ccm', key, Buffer.alloc(13), { authTagLength: 16 }).update(Buffer.alloc(65536))));
console.log(attempt(() => crypto.createCipheriv('aes-128-ccm', key, Buffer.alloc(14), { authTagLength: 16 })));

// Key wrap (RFC 3394), with the first vector of the RFC.
const wrapper = crypto.createCipheriv('id-aes128-wrap', key, Buffer.alloc(8, 0xa6));
const wrapped = Buffer.concat([wrapper.update(Buffer.from('00112233445566778899aabbccddeeff', 'hex')), wrapper.final()]);
console.log(wrapped.toString('hex'));
const unwrap = (bytes) => { const opener = crypto.createDecipheriv('id-aes128-wrap', key, Buffer.alloc(8, 0xa6)); return Buffer.concat([opener.update(bytes), opener.final()]).toString('hex'); };
console.log(unwrap(wrapped), attempt(() => unwrap(Buffer.concat([wrapped.subarray(0, 23), Buffer.of(wrapped[23] ^ 1)]))));
