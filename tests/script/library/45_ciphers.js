// SPDX-License-Identifier: Apache-2.0
const c = require('crypto');
const t = (name, f) => { try { console.log(name, f()); } catch (e) { console.log(name, e.name, '|', e.message, '|', e.code, '|', e.library, '|', e.reason); } };
const key = Buffer.alloc(32, 1), iv = Buffer.alloc(16, 2);
for (const [name, k, v] of [['aes-256-cbc', 32, 16], ['aes-128-cbc', 16, 16], ['aes-192-ctr', 24, 16], ['aes-256-ecb', 32, null], ['aes-128-ofb', 16, 16], ['aes-128-cfb', 16, 16], ['aes256', 32, 16]]) {
  t(name, () => {
    const x = c.createCipheriv(name, Buffer.alloc(k, 3), v === null ? null : Buffer.alloc(v, 4));
    const out = x.update('hello world, this is text', 'utf8', 'hex') + x.final('hex');
    const d = c.createDecipheriv(name, Buffer.alloc(k, 3), v === null ? null : Buffer.alloc(v, 4));
    return [out, d.update(out, 'hex', 'utf8') + d.final('utf8')].join(' ');
  });
}
for (const name of ['aes-256-gcm', 'chacha20-poly1305', 'aes-128-gcm']) t(name, () => {
  const k = Buffer.alloc(name === 'aes-128-gcm' ? 16 : 32, 5), n = Buffer.alloc(12, 6);
  const x = c.createCipheriv(name, k, n, { authTagLength: 16 });
  x.setAAD(Buffer.from('aad'));
  const out = Buffer.concat([x.update('secret message'), x.final()]);
  const tag = x.getAuthTag();
  const d = c.createDecipheriv(name, k, n, { authTagLength: 16 });
  d.setAAD(Buffer.from('aad')); d.setAuthTag(tag);
  return [out.toString('hex'), tag.toString('hex'), d.update(out, null, 'utf8') + d.final('utf8')].join(' ');
});
t('b64', () => { const x = c.createCipheriv('aes-256-cbc', key, iv); return x.update('a'.repeat(17), 'utf8', 'base64') + '|' + x.update('b'.repeat(30), 'utf8', 'base64') + '|' + x.final('base64'); });
t('unknown', () => c.createCipheriv('nope', key, iv));
t('keylen', () => c.createCipheriv('aes-256-cbc', Buffer.alloc(5), iv));
t('iv', () => c.createCipheriv('aes-256-cbc', key, Buffer.alloc(5)));
t('ivnull', () => c.createCipheriv('aes-256-cbc', key, null));
t('ivtype', () => c.createCipheriv('aes-256-cbc', key, 5));
t('keytype', () => c.createCipheriv('aes-256-cbc', 5, iv));
t('name', () => c.createCipheriv(5, key, iv));
t('twice', () => { const x = c.createCipheriv('aes-256-cbc', key, iv); x.final(); x.final(); });
t('after', () => { const x = c.createCipheriv('aes-256-cbc', key, iv); x.final(); x.update('a'); });
t('bad', () => { const x = c.createDecipheriv('aes-256-cbc', key, iv); x.update(Buffer.alloc(16)); return x.final(); });
t('short', () => { const x = c.createDecipheriv('aes-256-cbc', key, iv); x.update(Buffer.alloc(5)); return x.final(); });
t('notag', () => { const x = c.createDecipheriv('aes-256-gcm', key, iv); x.update(Buffer.alloc(5)); return x.final(); });
t('badtag', () => { const x = c.createDecipheriv('aes-256-gcm', key, iv); x.setAuthTag(Buffer.alloc(16)); x.update(Buffer.alloc(5)); return x.final(); });
t('taglen', () => { const x = c.createDecipheriv('aes-256-gcm', key, iv); x.setAuthTag(Buffer.alloc(3)); });
t('gettag', () => c.createCipheriv('aes-256-gcm', key, iv).getAuthTag());
t('aad', () => c.createCipheriv('aes-256-cbc', key, iv).setAAD(Buffer.alloc(1)));
t('pad', () => { const x = c.createCipheriv('aes-256-cbc', key, iv); x.setAutoPadding(false); return x.update(Buffer.alloc(16)).length + x.final().length; });
t('nopad', () => { const x = c.createCipheriv('aes-256-cbc', key, iv); x.setAutoPadding(false); x.update(Buffer.alloc(5)); x.final(); });
t('info', () => c.getCipherInfo('aes-256-cbc'));
t('info', () => c.getCipherInfo('aes-128-gcm'));
t('info', () => c.getCipherInfo('aes-128-ctr'));
t('info', () => c.getCipherInfo('nope'));
t('list', () => c.getCiphers().includes('aes-256-gcm') + ' ' + c.getCiphers().includes('chacha20-poly1305'));
t('data', () => c.createCipheriv('aes-256-cbc', key, iv).update(5));
const sk = c.createSecretKey(key);
t('secret', () => [sk.type, sk.symmetricKeySize, sk.export().equals(key), sk.equals(c.createSecretKey(key)), sk.export({ format: 'jwk' }).k].join());
t('secret', () => { const x = c.createCipheriv('aes-256-cbc', sk, iv); return x.update('k', 'utf8', 'hex') + x.final('hex'); });
t('hmac', () => c.createHmac('sha256', sk).update('a').digest('hex'));
t('gen', () => c.generateKeySync('aes', { length: 256 }).symmetricKeySize + c.generateKeySync('hmac', { length: 64 }).symmetricKeySize);
t('inst', () => (sk instanceof c.KeyObject) + ' ' + Object.prototype.toString.call(sk));
const x = c.createCipheriv('aes-128-cbc', Buffer.alloc(16), Buffer.alloc(16));
let all = ''; x.setEncoding('hex'); x.on('data', (d) => { all += d; }); x.on('end', () => console.log('stream', all)); x.write('some'); x.end('more');
