// SPDX-License-Identifier: Apache-2.0
// TLS and HTTPS on it: handshakes, names, protocols, certificates that are trusted or not, errors.
// The keys were made for this test.
const tls = require('tls');
const https = require('https');
const net = require('net');

const pem = {
  ca: `-----BEGIN CERTIFICATE-----
MIIBiTCCAS+gAwIBAgIUWzU52Bz6QXgwIeZuOBgVuoQ2VnowCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOVGVzdCBBdXRob3JpdHkwIBcNMjYxMTE5MTYzMjAyWhgPMjA4
MTA4MjIxNjMyMDJaMBkxFzAVBgNVBAMMDlRlc3QgQXV0aG9yaXR5MFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEoAGGG8VWz6y9eymxJ7MNx3RqrrXeMO5AlCNmiOPw
XeshZNfbCGSAO5TErC6aTLSxO3MQ38aF5KSFCe1Tu+AWkqNTMFEwHQYDVR0OBBYE
FN//AcQxj4v+OwSMKSGg5atQJVTgMB8GA1UdIwQYMBaAFN//AcQxj4v+OwSMKSGg
5atQJVTgMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgE/Fmhx0s
joIeLMug+r3x95P3YGBywYKM6a+TKwaR8ocCIQDQNQJeoA0avnKW+jdDED8HKFWF
ymIC3fsB8a5MOykUMw==
-----END CERTIFICATE-----
`,
  localhost: `-----BEGIN CERTIFICATE-----
MIIBnTCCAUSgAwIBAgIUeamfl1qX0iwoXc4KE3sfO7hUCBkwCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOVGVzdCBBdXRob3JpdHkwIBcNMjYxMTE5MTYzMjAzWhgPMjA4
MTA4MjIxNjMyMDNaMCMxEjAQBgNVBAMMCWxvY2FsaG9zdDENMAsGA1UECgwER3ly
ZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDzoVut8oVd0jOY7az9CBUK6WJR1
xs7Ocyuk8B+OWtEu+09BsMSaxa+rCR/8R0B9fv+viUm+Y/5E4tKUbhtESDijXjBc
MBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAdBgNVHQ4EFgQUphpOILiTAjV3
zud7gmCl92ZFLeMwHwYDVR0jBBgwFoAU3/8BxDGPi/47BIwpIaDlq1AlVOAwCgYI
KoZIzj0EAwIDRwAwRAIgPUcyWQSmMb/nzRIG9qFh4w3MQlcD8bpOMUVRBACd14AC
IB7l+zSUheHe1IImO3je5rgJ4zVyBY36uDwW98h/qGYa
-----END CERTIFICATE-----
`,
  localhostKey: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgTeTs5rqEoes7qQcc
drZswyRKSSGPvCuzfKejJaAY9OahRANCAAQ86FbrfKFXdIzmO2s/QgVCuliUdcbO
znMrpPAfjlrRLvtPQbDEmsWvqwkf/EdAfX7/r4lJvmP+ROLSlG4bREg4
-----END PRIVATE KEY-----
`,
  other: `-----BEGIN CERTIFICATE-----
MIIBkDCCATagAwIBAgIUeamfl1qX0iwoXc4KE3sfO7hUCBswCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOVGVzdCBBdXRob3JpdHkwIBcNMjYxMTE5MTYzMjAzWhgPMjA4
MTA4MjIxNjMyMDNaMB8xDjAMBgNVBAMMBW90aGVyMQ0wCwYDVQQKDARHeXJlMFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAECOjmrWXepIzaRB5OGn60IUfGfcKvwG4d
k+64t04OF5s3D0TKQ+1PZYL4SFCd5KtygzlnnD4n8gzTGYB+FIdX5KNUMFIwEAYD
VR0RBAkwB4IFb3RoZXIwHQYDVR0OBBYEFLzPJGRU7TNIFIzW4oypneBYOT+RMB8G
A1UdIwQYMBaAFN//AcQxj4v+OwSMKSGg5atQJVTgMAoGCCqGSM49BAMCA0gAMEUC
IQDvj2SD2Yybx16Uhl/JwOaCJPtDpgYrOlaL6rLuAZi0TAIge5EFaIFH81qU4iH4
/e5zBccRg8D75s7wMsVoAfQa/+E=
-----END CERTIFICATE-----
`,
  otherKey: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgiSCvmwzrr2zUeVs1
4LOcRI1AdeEO14edHs4hjMO2hROhRANCAAQI6OatZd6kjNpEHk4afrQhR8Z9wq/A
bh2T7ri3Tg4XmzcPRMpD7U9lgvhIUJ3kq3KDOWecPifyDNMZgH4Uh1fk
-----END PRIVATE KEY-----
`,
};

const steps = [];
const step = (name, run) => steps.push([name, run]);
const ended = (emitter, name = 'close') => new Promise((resolve) => { emitter.once(name, (...args) => resolve(args)); });
const own = { key: pem.localhostKey, cert: pem.localhost };
const serve = (options, onSocket) => new Promise((resolve) => {
  const server = tls.createServer({ ...own, ...options }, onSocket);
  server.listen(0, '127.0.0.1', () => resolve(server));
});
const portOf = (server) => server.address().port;
const read = async (stream) => {
  let text = '';
  for await (const part of stream) text += part;
  return text;
};

step('echo', async (log) => {
  const server = await serve({}, (socket) => {
    log('secureConnection', socket.encrypted, socket.authorized, socket.servername, socket.alpnProtocol, socket.getProtocol(), socket instanceof net.Socket);
    socket.pipe(socket);
  });
  const client = tls.connect({ port: portOf(server), host: 'localhost', ca: pem.ca });
  log(client.connecting, client.encrypted, client.authorized, client.secureConnecting);
  for (const name of ['connect', 'ready', 'secureConnect', 'end', 'finish', 'close']) client.on(name, (...args) => log('client', name, ...args));
  client.write('early ');
  await ended(client, 'secureConnect');
  log(client.authorized, client.authorizationError, client.getProtocol(), client.getCipher(), client.alpnProtocol, client.servername, client.isSessionReused());
  client.end('late');
  log(await read(client));
  server.close();
  await ended(server);
});
step('much', async (log) => {
  const server = await serve({}, (socket) => { let size = 0; socket.on('data', (part) => { size += part.length; }); socket.on('end', () => socket.end(`${size}`)); });
  const client = tls.connect({ port: portOf(server), host: 'localhost', ca: [pem.ca] });
  const chunk = Buffer.alloc(100000, 'x');
  for (let i = 0; i < 20; i += 1) if (!client.write(chunk)) await ended(client, 'drain');
  client.end();
  log(await read(client), client.bytesWritten);
  server.close();
});
step('certificates', async (log) => {
  const server = await serve({}, (socket) => socket.end());
  const port = portOf(server);
  for (const options of [{}, { ca: pem.ca }, { ca: pem.ca, host: '127.0.0.1' }, { ca: pem.ca, servername: 'else' }, { rejectUnauthorized: false }, { ca: pem.ca, checkServerIdentity: () => Object.assign(new Error('not mine'), { code: 'MINE' }) }, { ca: pem.ca, minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' }]) {
    const client = tls.connect({ port, host: 'localhost', ...options });
    client.on('error', (error) => log('error', error.code, error.message, error.reason, error.host));
    client.on('secureConnect', () => log('secure', client.authorized, client.authorizationError, client.getProtocol()));
    client.resume();
    await ended(client);
  }
  const client = tls.connect({ port, host: 'localhost', ca: pem.ca });
  await ended(client, 'secureConnect');
  const { subject, issuer, subjectaltname, valid_to: to, fingerprint256, serialNumber, raw, issuerCertificate } = client.getPeerCertificate(true);
  log({ ...subject }, { ...issuer }, subjectaltname, to, fingerprint256, serialNumber, raw.length, issuerCertificate?.subject?.CN);
  client.destroy();
  server.close();
});
step('names', async (log) => {
  const server = await serve({ SNICallback: undefined }, (socket) => socket.end(`${socket.servername}`));
  server.addContext('other', { key: pem.otherKey, cert: pem.other });
  for (const servername of ['localhost', 'other', 'third']) {
    const client = tls.connect({ port: portOf(server), servername, ca: pem.ca, rejectUnauthorized: false });
    await ended(client, 'secureConnect');
    log(servername, client.getPeerCertificate().subject.CN, client.authorizationError, await read(client));
  }
  server.close();
  const asked = await serve({ SNICallback: (name, done) => setTimeout(() => done(null, name === 'other' ? tls.createSecureContext({ key: pem.otherKey, cert: pem.other }) : null), 5) }, (socket) => socket.end('x'));
  for (const servername of ['other', 'localhost']) {
    const client = tls.connect({ port: portOf(asked), servername, ca: pem.ca });
    await ended(client, 'secureConnect');
    log(servername, client.getPeerCertificate().subject.CN, await read(client));
  }
  asked.close();
});
step('protocols', async (log) => {
  const server = await serve({ ALPNProtocols: ['b', 'a'] }, (socket) => socket.end(`${socket.alpnProtocol}`));
  for (const ALPNProtocols of [['a', 'b'], ['a'], undefined]) {
    const client = tls.connect({ port: portOf(server), host: 'localhost', ca: pem.ca, ALPNProtocols });
    await ended(client, 'secureConnect');
    log(client.alpnProtocol, await read(client));
  }
  const none = tls.connect({ port: portOf(server), host: 'localhost', ca: pem.ca, ALPNProtocols: ['c'] });
  log((await ended(none, 'error'))[0].code);
  server.close();
});
step('certificates of clients', async (log) => {
  for (const rejectUnauthorized of [true, false]) {
    const server = await serve({ requestCert: true, rejectUnauthorized, ca: pem.ca, maxVersion: 'TLSv1.2' }, (socket) => { log('server', socket.authorized, socket.authorizationError, socket.getPeerCertificate().subject?.CN); socket.end('x'); });
    server.on('tlsClientError', (error) => log('tlsClientError', error.code));
    for (const options of [{ key: pem.otherKey, cert: pem.other }, {}]) {
      const client = tls.connect({ port: portOf(server), host: 'localhost', ca: pem.ca, ...options });
      client.on('error', (error) => log('client', error.code));
      client.on('secureConnect', () => log('secure'));
      client.resume();
      await ended(client);
    }
    server.close();
    await ended(server);
  }
});
step('what is no TLS', async (log) => {
  const server = await serve({}, () => log('never'));
  server.on('tlsClientError', (error, socket) => log('tlsClientError', error.code, error.library, error.reason, socket instanceof tls.TLSSocket));
  const plain = net.connect(portOf(server), '127.0.0.1');
  plain.end('GET / HTTP/1.1\r\n\r\n');
  plain.resume();
  await ended(plain);
  const gone = net.connect(portOf(server), '127.0.0.1', () => gone.destroy());
  log((await ended(server, 'tlsClientError'))[0].code);
  server.close();
  const talks = net.createServer((socket) => { socket.on('error', () => {}); socket.end('hello, this is not TLS\n'); }).listen(0, '127.0.0.1');
  await ended(talks, 'listening');
  const client = tls.connect({ port: portOf(talks), host: '127.0.0.1' });
  log((await ended(client, 'error'))[0].code);
  talks.close();
  const closes = net.createServer((socket) => { socket.resume(); socket.end(); }).listen(0, '127.0.0.1');
  await ended(closes, 'listening');
  const early = tls.connect({ port: portOf(closes), host: '127.0.0.1' });
  const [error] = await ended(early, 'error');
  log(error.code, error.message, error.host, error.port === portOf(closes));
  closes.close();
  const refused = tls.connect({ port: 1, host: '127.0.0.1' });
  log((await ended(refused, 'error'))[0].message);
});
step('over another socket', async (log) => {
  const server = await serve({}, (socket) => socket.pipe(socket));
  const under = net.connect(portOf(server), '127.0.0.1');
  await ended(under, 'connect');
  const client = tls.connect({ socket: under, servername: 'localhost', ca: pem.ca });
  await ended(client, 'secureConnect');
  client.end('inside');
  log(await read(client), client.authorized);
  server.close();
  const starts = net.createServer((socket) => {
    socket.once('data', (part) => {
      log(`${part}`);
      socket.write('go on');
      const secure = new tls.TLSSocket(socket, { isServer: true, ...own });
      secure.on('secure', () => secure.end('after STARTTLS'));
    });
  }).listen(0, '127.0.0.1');
  await ended(starts, 'listening');
  const raw = net.connect(portOf(starts), '127.0.0.1');
  raw.write('STARTTLS');
  // What TLS sends before the server has read the word would be taken for a part of it.
  await ended(raw, 'data');
  log(await read(tls.connect({ socket: raw, servername: 'localhost', ca: pem.ca })));
  starts.close();
});
step('https', async (log) => {
  const server = https.createServer(own, (request, response) => {
    log(request.method, request.url, request.socket.encrypted, request.headers.host.replace(/\d+/, 'PORT'));
    request.pipe(response);
  });
  server.listen(0, '127.0.0.1');
  await ended(server, 'listening');
  const port = portOf(server);
  const ask = (options, body) => new Promise((resolve, reject) => { const request = https.request({ port, host: 'localhost', ca: pem.ca, ...options }, resolve); request.on('error', reject); request.end(body); });
  log(await read(await ask({ method: 'POST', path: '/a' }, 'body')));
  const agent = new https.Agent({ keepAlive: true, ca: pem.ca });
  for (let i = 0; i < 2; i += 1) {
    const response = await ask({ agent, method: 'PUT' }, `${i}`);
    log(await read(response), response.req.reusedSocket);
    await new Promise((resolve) => setImmediate(resolve));
  }
  agent.destroy();
  for (const options of [{ ca: undefined }, { ca: undefined, rejectUnauthorized: false }, { servername: 'else', agent: false }]) {
    try { log((await ask(options)).statusCode); } catch (error) { log(error.code, error.message); }
  }
  try { https.get('http://x/'); } catch (error) { log(error.code, error.message); }
  log(await new Promise((resolve) => https.get(`https://localhost:${port}/url`, { ca: pem.ca }, (response) => resolve(response.statusCode))));
  server.closeAllConnections();
  server.close();
  await ended(server);
});
step('arguments', async (log) => {
  for (const wrong of [() => tls.createSecureContext({ minVersion: 'x' }), () => tls.createSecureContext({ ciphers: 5 }), () => tls.createServer('x')]) {
    try { wrong(); } catch (error) { log(error.name, error.code, error.message); }
  }
  for (const wrong of [() => tls.createSecureContext({ key: 'nonsense' }), () => tls.createSecureContext({ cert: 'nonsense' }), () => tls.createSecureContext({ key: pem.otherKey, cert: pem.localhost }), () => tls.createSecureContext({ ciphers: 'nonsense' })]) {
    try { wrong(); } catch (error) { log(error.code); }
  }
  for (const [host, cert] of [['a.b', { subject: { CN: 'a.b' } }], ['a.b', { subject: { CN: 'c.b' } }], ['x.a.b', { subject: {}, subjectaltname: 'DNS:*.a.b, DNS:q' }], ['y.x.a.b', { subject: {}, subjectaltname: 'DNS:*.a.b' }], ['1.2.3.4', { subject: {}, subjectaltname: 'IP Address:1.2.3.4' }], ['1.2.3.5', { subject: {}, subjectaltname: 'IP Address:1.2.3.4' }], ['a', { subject: {} }], ['A.B.', { subject: {}, subjectaltname: 'DNS:a.b' }], ['b.com', { subject: {}, subjectaltname: 'DNS:*.com' }]]) log(host, tls.checkServerIdentity(host, cert)?.message);
});
(async () => {
  for (const [name, run] of steps) {
    if (process.argv[2] && !name.includes(process.argv[2])) continue;
    console.log(`== ${name}`);
    await run((...args) => console.log(...args));
  }
})();
