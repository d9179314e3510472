// SPDX-License-Identifier: Apache-2.0
// Sockets: the order of events, half-open ends, pauses, back-pressure, timeouts, resets, Unix sockets.
const net = require('net');
const fs = require('fs');
const os = require('os');
const path = require('path');

const steps = [];
const step = (name, run) => steps.push([name, run]);
const serve = (options, onSocket) => new Promise((resolve) => {
  const server = net.createServer(options, onSocket);
  server.listen(0, '127.0.0.1', () => resolve(server));
});
const portOf = (server) => server.address().port;
const ended = (emitter, name = 'close') => new Promise((resolve) => { emitter.once(name, (...args) => resolve(args)); });
// The side that logs: what two sockets of one process do beside each other has no order of its own.
const watch = (log, socket, label) => {
  for (const name of ['connect', 'ready', 'end', 'finish', 'close', 'timeout', 'drain']) socket.on(name, (...args) => log(label, name, ...args));
  socket.on('error', (error) => log(label, 'error', error.code, error.message.replace(/\d{4,}/, 'PORT')));
  return socket;
};

step('echo', async (log) => {
  const server = await serve({}, (socket) => socket.pipe(socket));
  const client = watch(log, net.connect(portOf(server), '127.0.0.1'), 'client');
  log(client.readyState, client.connecting, client.pending, client.bytesWritten);
  client.setEncoding('utf8');
  client.write('hello ', () => log('written'));
  client.write('wörld');
  log(client.bytesWritten);
  let text = '';
  client.on('data', (part) => { text += part; if (text === 'hello wörld') client.end(); });
  await ended(client);
  log(text, client.bytesRead, client.bytesWritten, client.readyState, client.destroyed, client.remoteAddress);
  server.close();
  await ended(server);
  log('closed', server.listening, server.address());
});
step('half open', async (log) => {
  const server = await serve({ allowHalfOpen: true }, (socket) => {
    let text = '';
    socket.on('data', (part) => { text += part; });
    socket.on('end', () => { log('server sees the end, may write', socket.writable); setTimeout(() => socket.end(`late ${text}`), 10); });
  });
  const client = watch(log, net.connect({ port: portOf(server), allowHalfOpen: true }), 'client');
  client.end('question');
  let text = '';
  for await (const part of client) text += part;
  log(text);
  server.close();
});
step('write after the end of the peer', async (log) => {
  const server = await serve({}, (socket) => socket.end('x'));
  const client = net.connect(portOf(server));
  client.resume();
  await ended(client);
  client.on('error', (error) => log('error', error.code));
  client.write('more', (error) => log('callback', error.code, error.message));
  await new Promise((resolve) => setImmediate(resolve));
  server.close();
});
step('pause and resume', async (log) => {
  const server = await serve({}, (socket) => { socket.end(Buffer.alloc(300000, 'x')); });
  const client = net.connect(portOf(server));
  let size = 0;
  client.on('data', (part) => {
    size += part.length;
    if (!client.isPaused()) { client.pause(); setTimeout(() => client.resume(), 1); }
  });
  await ended(client, 'end');
  log(size, client.bytesRead);
  server.close();
});
step('back-pressure', async (log) => {
  let waiting;
  const server = await serve({}, (socket) => { waiting = socket; socket.pause(); });
  const client = net.connect(portOf(server));
  await ended(client, 'connect');
  const chunk = Buffer.alloc(1 << 20);
  let count = 0;
  while (client.write(chunk)) count += 1;
  log('full', count < 100, client.writableNeedDrain);
  for (let i = 0; i < 20; i += 1) client.write(chunk);
  let size = 0;
  await new Promise((resolve) => setTimeout(resolve, 5));
  waiting.on('data', (part) => { size += part.length; });
  waiting.resume();
  await ended(client, 'drain');
  log('drained', client.writableLength);
  client.end();
  await ended(waiting, 'end');
  log(size === (count + 21) * chunk.length);
  server.close();
});
step('timeouts', async (log) => {
  const server = await serve({}, (socket) => { socket.resume(); });
  const client = net.connect(portOf(server));
  await ended(client, 'connect');
  log(client.setTimeout(20, () => log('callback')) === client, client.timeout);
  await ended(client, 'timeout');
  client.setTimeout(0);
  log(client.destroyed, client.timeout);
  client.destroy();
  await ended(client);
  for (const bad of ['x', -1, NaN]) try { new net.Socket().setTimeout(bad); } catch (error) { log(error.code, error.message); }
  server.close();
});
step('destroy with an error', async (log) => {
  const server = await serve({}, (socket) => { watch(() => {}, socket, 'server'); socket.resume(); });
  const client = watch(log, net.connect(portOf(server)), 'client');
  await ended(client, 'ready');
  client.destroy(new Error('mine'));
  log(await ended(client));
  client.write('x', (error) => log('write', error.code));
  client.end((error) => log('end', error?.code));
  await new Promise((resolve) => setImmediate(resolve));
  server.close();
});
step('reset', async (log) => {
  const server = await serve({}, (socket) => { socket.once('data', () => log(socket.resetAndDestroy() === socket)); });
  const client = watch(log, net.connect(portOf(server)), 'client');
  client.write('x');
  await ended(client);
  new net.Socket().on('error', (error) => log(error.code, error.message)).resetAndDestroy();
  server.close();
});
step('connections', async (log) => {
  const sockets = [];
  const server = await serve({ pauseOnConnect: true }, (socket) => { sockets.push(socket); log('connection', socket.isPaused(), socket.readableFlowing, socket.server === server); });
  server.maxConnections = 1;
  server.on('drop', (data) => log('drop', Object.keys(data), data.remoteFamily));
  const first = net.connect(portOf(server));
  await ended(server, 'connection');
  const second = net.connect(portOf(server));
  second.on('error', () => {});
  await ended(server, 'drop');
  log(await new Promise((resolve) => server.getConnections((error, count) => resolve([error, count]))));
  server.close((error) => log('server closed', error));
  log(server.listening);
  first.destroy();
  sockets[0].resume();
  await ended(server);
  server.close((error) => log(error.code, error.message));
});
step('unix', async (log) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'net-'));
  const file = path.join(folder, 's');
  const server = net.createServer((socket) => socket.end('over a path'));
  server.listen(file);
  await ended(server, 'listening');
  log(server.address() === file, fs.statSync(file).isSocket());
  const client = net.connect(file);
  let text = '';
  client.on('data', (part) => { text += part; });
  await ended(client);
  log(text, client.remoteAddress, client.address());
  const again = net.createServer().listen({ path: file });
  log((await ended(again, 'error'))[0].code);
  server.close();
  await ended(server);
  log(fs.existsSync(file));
  const missing = net.connect({ path: file });
  log((await ended(missing, 'error'))[0].message.replace(folder, 'FOLDER'));
  fs.rmSync(folder, { recursive: true });
});
step('refused', async (log) => {
  const server = await serve({}, () => {});
  const port = portOf(server);
  server.close();
  await ended(server);
  const client = watch(log, net.connect(port, '127.0.0.1'), 'client');
  client.write('never', (error) => log('write', error.code));
  const error = (await ended(client, 'error'))[0];
  log(Object.keys(error), error.syscall, error.errno, error.port === port);
  await ended(client);
});
step('signals and again', async (log) => {
  const server = await serve({}, (socket) => { socket.on('error', () => {}); socket.end('1'); });
  const client = new net.Socket({ signal: AbortSignal.abort() });
  client.on('error', (error) => log(error.name));
  await ended(client);
  const stop = new AbortController();
  const other = net.createServer().listen({ port: 0, signal: stop.signal }, () => stop.abort());
  await ended(other);
  const reused = new net.Socket();
  for (let i = 0; i < 2; i += 1) {
    reused.connect(portOf(server));
    reused.resume();
    log(await ended(reused));
  }
  server.close();
});
step('what is written before the connection is lost', async (log) => {
  const client = net.connect({ port: 1, host: '127.0.0.1' });
  client.on('error', (error) => log(error.code));
  client.write('x', (error) => log(error.code, error.message));
  client.destroy();
  await ended(client);
});
step('texts of encodings', async (log) => {
  const server = await serve({}, (socket) => socket.pipe(socket));
  const client = net.connect(portOf(server));
  client.setDefaultEncoding('hex');
  client.write('00ff10');
  client.write('é', 'latin1');
  client.write('Āé', 'latin1');
  client.write('é', 'utf16le');
  client.cork();
  client.write('aGk=', 'base64');
  client.write(new Uint8Array([1, 2]));
  client.write('ü', 'utf8');
  client.uncork();
  client.end();
  const parts = [];
  for await (const part of client) parts.push(part);
  log(Buffer.concat(parts).toString('hex'));
  server.close();
});
step('arguments', async (log) => {
  for (const wrong of [() => net.connect(), () => net.connect({ port: 70000 }), () => net.createServer().listen(-1), () => net.createServer().listen({}), () => net.connect({ port: {} }), () => new net.Socket({ objectMode: true }), () => net.createServer('x'), () => net.connect({ port: 1, host: 5 }), () => net.connect({ port: 1, lookup: 5 }), () => net.connect({ port: 'x' }), () => net.connect({ port: 1, localAddress: 'x' })]) {
    try { wrong(); } catch (error) { log(error.name, error.code, error.message); }
  }
  const server = await serve({}, () => {});
  try { server.listen(0); } catch (error) { log(error.code, error.message); }
  const second = net.createServer().listen(portOf(server), '127.0.0.1');
  const [error] = await ended(second, 'error');
  log(error.message.replace(/\d{4,}/, 'PORT'), Object.keys(error), error.syscall);
  server.close();
});
step('referenced', async (log) => {
  const server = await serve({}, () => {});
  log(server.unref() === server, server.ref() === server);
  const socket = net.connect(portOf(server));
  log(socket.unref() === socket, socket.setNoDelay() === socket, socket.setKeepAlive(true, 1000) === socket);
  await ended(socket, 'connect');
  log(socket.ref() === socket, socket.setNoDelay(false) === socket, socket.setKeepAlive(false) === socket);
  socket.destroySoon();
  await ended(socket);
  server.close();
});
step('addresses', async (log) => {
  for (const one of ['1.2.3.4', '::1', '1.2.3', '256.1.1.1', '01.2.3.4', 'fe80::1%eth0', '::ffff:1.2.3.4', '', '1::2::3', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7::', '::1.2.3', undefined]) log(one, net.isIP(one), net.isIPv4(one), net.isIPv6(one));
  const list = new net.BlockList();
  list.addAddress('1.2.3.4');
  list.addAddress('::5', 'ipv6');
  list.addRange('10.0.0.1', '10.0.0.9');
  list.addSubnet('2001:db8::', 33, 'ipv6');
  for (const [address, family] of [['10.0.0.5'], ['10.0.0.10'], ['2001:db8:1::', 'ipv6'], ['2001:db8:8000::', 'ipv6'], ['::ffff:1.2.3.4', 'ipv6'], ['0:0::5', 'ipv6'], ['x']]) log(address, list.check(address, family));
  log(list.rules, list);
  for (const wrong of [() => list.addAddress('x'), () => list.addRange('1.1.1.2', '1.1.1.1'), () => list.addSubnet('1.1.1.1', 33), () => list.addAddress(5)]) try { wrong(); } catch (error) { log(error.code, error.message); }
  log(new net.SocketAddress(), new net.SocketAddress({ address: '1:0:0:2::', family: 'ipv6', port: 5, flowlabel: 7 }), JSON.stringify(new net.SocketAddress({ port: 1 })));
  log(net.getDefaultAutoSelectFamily(), net.getDefaultAutoSelectFamilyAttemptTimeout());
});
(async () => {
  for (const [name, run] of steps) {
    console.log(`== ${name}`);
    await run((...args) => console.log(...args));
  }
})();
