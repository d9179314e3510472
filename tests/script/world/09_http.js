// SPDX-License-Identifier: Apache-2.0
// Servers and clients of HTTP: what goes over the wire, events in their order, errors with their codes.
const http = require('http');
const net = require('net');

const steps = [];
const step = (name, run) => steps.push([name, run]);
const ended = (emitter, name = 'close') => new Promise((resolve) => { emitter.once(name, (...args) => resolve(args)); });
const serve = (...args) => new Promise((resolve) => {
  const server = http.createServer(...args);
  server.listen(0, '127.0.0.1', () => resolve(server));
});
const portOf = (server) => server.address().port;
const plain = (text) => text.replace(/Date: [^\r]*/g, 'Date: D').replace(/127\.0\.0\.1:\d+/g, 'HOST');
// What a server answers to bytes.
async function raw(server, ...texts) {
  const socket = net.connect(portOf(server), '127.0.0.1');
  let got = '';
  socket.setEncoding('latin1');
  socket.on('data', (part) => { got += part; });
  socket.on('error', (error) => { got += `<${error.code}>`; });
  const closed = ended(socket);
  await ended(socket, 'connect');
  for (const text of texts) {
    socket.write(text, 'latin1');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  socket.end();
  await closed;
  return plain(got);
}
// What a client sends to a server of bytes.
async function listen(answer) {
  const server = net.createServer((socket) => {
    let got = '';
    socket.on('error', () => {});
    socket.on('data', (part) => {
      got += part.toString('latin1');
      server.got = got;
      answer?.(socket, got);
    });
  });
  server.listen(0, '127.0.0.1');
  await ended(server, 'listening');
  return server;
}
const read = async (stream) => {
  let text = '';
  for await (const part of stream) text += part;
  return text;
};
const ask = (options, body) => new Promise((resolve, reject) => {
  const request = http.request(options, resolve);
  request.on('error', reject);
  request.end(body);
});

step('answers', async (log) => {
  const server = await serve((request, response) => {
    switch (request.url) {
      case '/text': response.end('hello'); break;
      case '/utf8': response.end('hällo ☃'); break;
      case '/bytes': response.end(Buffer.from([1, 2, 255])); break;
      case '/head': response.writeHead(201, 'Made it', { 'X-One': 1, 'x-two': ['a', 'b'] }); response.end(); break;
      case '/list': response.writeHead(200, ['A', '1', 'a', '2', 'Content-Length', '2']); response.end('ok'); break;
      case '/chunks': response.write('one'); response.write('zwei ü'); response.end('3'); break;
      case '/trailers': response.writeHead(200, { Trailer: 'X-End' }); response.write('t'); response.addTrailers({ 'X-End': 'yes' }); response.end(); break;
      case '/empty': response.statusCode = 204; response.end('no body'); break;
      case '/304': response.writeHead(304); response.end(); break;
      case '/cookies': response.setHeader('Set-Cookie', ['a=1', 'b=2']); response.setHeader('X-Multi', ['1', '2']); response.appendHeader('X-More', 'x'); response.appendHeader('x-more', 'y'); response.end(); break;
      case '/nodate': response.sendDate = false; response.removeHeader('Connection'); response.end('x'); break;
      case '/close': response.setHeader('Connection', 'close'); response.end('bye'); break;
      case '/flush': response.flushHeaders(); response.end('late'); break;
      case '/early': response.writeEarlyHints({ link: '</s.css>; rel=preload; as=style', 'x-id': '1' }); response.writeProcessing(); response.end('x'); break;
      case '/latin': response.setHeader('X-L', 'é'); response.end('é', 'latin1'); break;
      case '/long': response.strictContentLength = true; response.setHeader('Content-Length', 2); try { response.write('abc'); } catch (error) { response.end(error.code.slice(0, 2)); } break;
      default: response.statusCode = 404; response.statusMessage = 'Nope'; response.end();
    }
  });
  for (const path of ['text', 'utf8', 'bytes', 'head', 'list', 'chunks', 'trailers', 'empty', '304', 'cookies', 'nodate', 'close', 'flush', 'early', 'latin', 'long', 'none']) log(path, JSON.stringify(await raw(server, `GET /${path} HTTP/1.1\r\nHost: x\r\n\r\n`)));
  log(JSON.stringify(await raw(server, 'HEAD /text HTTP/1.1\r\nHost: x\r\n\r\n')));
  log(JSON.stringify(await raw(server, 'GET /text HTTP/1.0\r\n\r\n')));
  log(JSON.stringify(await raw(server, 'GET /chunks HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')));
  log(JSON.stringify(await raw(server, 'GET /text HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')));
  log(JSON.stringify(await raw(server, 'GET /text HTTP/1.1\r\nHost: x\r\n\r\nGET /utf8 HTTP/1.1\r\nHost: x\r\n\r\nGET /none HTTP/1.1\r\nHost: x\r\n\r\n')));
  server.close();
});
step('requests', async (log) => {
  const server = await serve(async (request, response) => {
    log(request.method, request.url, request.httpVersion, JSON.stringify(request.headers), JSON.stringify(request.rawHeaders));
    log(JSON.stringify(request.headersDistinct), request.complete, request.aborted);
    log(JSON.stringify(await read(request)), request.complete, JSON.stringify(request.trailers), request.rawTrailers, request.trailersDistinct);
    response.end('ok');
  });
  await raw(server, 'POST /a?b=c HTTP/1.1\r\nHost: x\r\nCookie: a=1\r\ncookie: b=2\r\nX-A: 1\r\nx-a:  2  \r\nContent-Length: 5\r\nHost: y\r\nSet-Cookie: q\r\n\r\nhe', 'llo');
  await raw(server, 'PUT /chunked HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nX-L: \xe9\r\n\r\n5;ext=1\r\nhello\r\n3\r\n', 'abc\r\n0\r\nX-T: 1\r\nX-t: 2\r\n\r\n');
  await raw(server, 'M-SEARCH * HTTP/1.1\r\nHost: x\r\n\r\n');
  server.close();
});
step('what is refused', async (log) => {
  const server = await serve({ maxHeaderSize: 600 }, (request, response) => { request.resume(); response.end('fine'); });
  const errors = [];
  const strict = await serve({ maxHeaderSize: 600 }, (request, response) => { request.resume(); response.end('fine'); });
  strict.on('clientError', (error, socket) => {
    errors.push([error.code, error.message, error.bytesParsed, error.rawPacket?.length, error.reason]);
    socket.end('HTTP/1.1 499 Mine\r\n\r\n');
  });
  for (const text of [
    'NONSENSE\r\n\r\n', 'GET / HTTP/1.1\r\n\r\n', 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n', 'GET / HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nA: \x01\r\n\r\n', 'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', `GET /${'x'.repeat(700)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: x\r\nLong: ${'x'.repeat(700)}\r\n\r\n`, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc',
    'GET / HTTP/1.1\r\nHost: x\r\nExpect: magic\r\n\r\n', 'POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi',
    'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n', 'CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n', 'GET / HTTP/1.1\r\nHost: x\r\nUpgrade: y\r\nConnection: upgrade\r\n\r\n',
  ]) log(JSON.stringify(text.slice(0, 60)), JSON.stringify(await raw(server, text)), JSON.stringify(await raw(strict, text)), JSON.stringify(errors.splice(0)));
  server.close();
  strict.close();
});
step('what a client sends', async (log) => {
  const server = await listen((socket, got) => { if (got.includes('\r\n\r\n')) setTimeout(() => socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok'), 5); });
  const port = portOf(server);
  for (const [options, body] of [
    [{ port }], [{ port, path: '/p?q=1', method: 'post' }, 'body'], [{ port, method: 'PUT', headers: { 'Content-Type': 'a/b', 'X-List': ['1', '2'], Cookie: ['a', 'b'] } }],
    [{ port, method: 'POST', headers: { 'Transfer-Encoding': 'chunked' } }, 'chunked'], [{ port, agent: false, auth: 'me:secret' }], [{ port, method: 'DELETE' }, 'x'],
    [{ port, headers: ['A', '1', 'Host', 'h'] }], [{ port, setHost: false }], [{ port, host: 'localhost', family: 4 }], [`http://127.0.0.1:${port}/a%20b?c#d`], [new URL(`http://u:p@127.0.0.1:${port}/x`)],
    [{ port, method: 'OPTIONS', path: '*' }], [{ port, headers: { Connection: 'close' } }], [{ port, agent: new http.Agent() }],
  ]) {
    const response = await ask(typeof options === 'string' || options instanceof URL ? options : { host: '127.0.0.1', ...options }, body);
    log(await read(response), JSON.stringify(plain(server.got).replace(/localhost:\d+/, 'LOCAL')));
  }
  const request = http.request({ port, host: '127.0.0.1', method: 'POST' });
  request.write('a');
  request.write(Buffer.from('bc'));
  request.end('d');
  const [response] = await ended(request, 'response');
  await read(response);
  log(JSON.stringify(plain(server.got)), request.method, request.path, request.host, request.protocol, request.finished, request.writableFinished, request.reusedSocket);
  server.close();
});
step('what a client reads', async (log) => {
  for (const text of [
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', 'HTTP/1.1 200\r\nConnection: close\r\n\r\nto the end', 'HTTP/1.0 404 Not Here\r\nX-A: 1\r\nX-A: 2\r\n\r\nold',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: t\r\n\r\n3\r\nabc\r\n0\r\nT: end\r\n\r\n', 'HTTP/1.1 103 Early\r\nL: 1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab', 'garbage\r\n\r\n', '', 'HTTP/1.1 200 OK\r\nBad Header: x\r\n\r\n',
    'HTTP/1.1 200 OK\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nContent-Type: x\r\nContent-Type: y\r\nContent-Length: 0\r\n\r\n', `HTTP/1.1 200 OK\r\nLong: ${'x'.repeat(17000)}\r\n\r\n`,
  ]) {
    const server = await listen((socket, got) => { if (got.endsWith('\r\n\r\n')) { if (text === '') socket.destroy(); else socket.end(text, 'latin1'); } });
    await new Promise((resolve) => {
      const request = http.get({ port: portOf(server), host: '127.0.0.1', agent: false });
      request.on('information', (info) => log('information', info.statusCode, info.statusMessage, JSON.stringify(info.headers)));
      request.on('response', async (response) => {
        log('response', response.statusCode, response.statusMessage, response.httpVersion, JSON.stringify(response.headers));
        response.on('aborted', () => log('aborted'));
        response.on('close', () => log('response close', response.complete, JSON.stringify(response.trailers)));
        try { log(JSON.stringify(await read(response))); } catch (error) { log('read', error.code, error.message); }
      });
      request.on('error', (error) => log('error', error.code, error.message, error.bytesParsed));
      request.on('close', () => { log('close', request.destroyed, request.aborted); setTimeout(resolve, 5); });
    });
    server.close();
  }
});
step('agents', async (log) => {
  let count = 0;
  const server = await serve((request, response) => response.end(`${request.socket.number ??= (count += 1)}`));
  const port = portOf(server);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 2 });
  const one = () => ask({ port, host: '127.0.0.1', agent }).then(read);
  log(await one(), await one());
  await new Promise((resolve) => setImmediate(resolve));
  const keys = (sockets) => Object.keys(sockets).map((key) => key.replace(/\d{4,}/, 'PORT')).concat(Object.values(sockets).map((list) => list.length));
  log(keys(agent.freeSockets), keys(agent.sockets), agent.totalSocketCount);
  const all = [one(), one(), one(), one()];
  await new Promise((resolve) => process.nextTick(resolve));
  log(keys(agent.sockets), keys(agent.requests));
  log((await Promise.all(all)).sort());
  const request = http.get({ port, host: '127.0.0.1', agent });
  await read((await ended(request, 'response'))[0]);
  log(request.reusedSocket);
  agent.destroy();
  const plainAgent = new http.Agent();
  log(plainAgent.getName({ host: 'h', port: 1, family: 4 }), plainAgent.getName(), plainAgent.maxSockets, plainAgent.keepAlive, http.globalAgent.keepAlive);
  log(await ask({ port, host: '127.0.0.1', agent: plainAgent }).then(read));
  server.close();
  log(await ended(server));
});
step('errors of a client', async (log) => {
  for (const wrong of [
    () => http.request({ path: '/a b' }), () => http.request({ method: 'a b' }), () => http.request('ftp://x/'), () => http.request({ headers: { 'a b': 1 } }), () => http.request({ headers: { a: '\n' } }),
    () => http.request({ host: 5 }), () => http.request({ agent: {} }), () => http.request({ method: 5 }), () => http.request('nonsense'), () => http.request({ timeout: 'x' }), () => http.request({ headers: { a: undefined } }),
  ]) try { wrong(); } catch (error) { log(error.name, error.code, error.message); }
  const refused = http.get({ port: 1, host: '127.0.0.1' });
  log((await ended(refused, 'error'))[0].message);
  const server = await serve((request, response) => { if (request.url === '/hang') return; response.write('part'); });
  const port = portOf(server);
  for (const end of ['abort', 'destroy', 'destroy with an error']) {
    const request = http.get({ port, host: '127.0.0.1', path: '/hang', agent: false });
    request.on('abort', () => log('abort'));
    request.on('error', (error) => log('error', error.code, error.message));
    await ended(request, 'socket');
    if (end === 'abort') request.abort();
    else request.destroy(end === 'destroy' ? undefined : new Error('mine'));
    await ended(request);
    log(end, request.aborted, request.destroyed);
  }
  const cut = http.get({ port, host: '127.0.0.1', agent: false });
  const [response] = await ended(cut, 'response');
  response.on('error', (error) => log('response error', error.code, error.message));
  response.once('data', () => response.destroy());
  await ended(response);
  log(response.aborted, response.complete, cut.destroyed);
  const stop = new AbortController();
  const signalled = http.get({ port, host: '127.0.0.1', path: '/hang', signal: stop.signal });
  signalled.on('error', (error) => log(error.name, error.code));
  stop.abort();
  await ended(signalled);
  const slow = http.get({ port, host: '127.0.0.1', path: '/hang', timeout: 20, agent: false });
  slow.on('error', (error) => log(error.code, error.message));
  await ended(slow, 'timeout');
  slow.destroy();
  await ended(slow);
  server.closeAllConnections();
  server.close();
  await ended(server);
});
step('errors of a response', async (log) => {
  const server = await serve((request, response) => {
    for (const wrong of [
      () => response.setHeader('a b', 1), () => response.setHeader('a'), () => response.setHeader('a', 'é☃'), () => response.writeHead(99), () => response.writeHead('x'), () => response.write(5), () => response.write(null), () => response.writeHead(200, 'x\n'), () => response.getHeader(5), () => response.addTrailers({ 'a b': 1 }),
    ]) try { wrong(); } catch (error) { log(error.name, error.code, error.message); }
    response.statusMessage = 'Ok';
    response.setHeader('X-A', 1).setHeader('x-b', ['2', '3']);
    log(response.getHeader('x-a'), response.hasHeader('X-B'), response.getHeaderNames(), response.getRawHeaderNames(), response.getHeaders(), response.headersSent);
    response.removeHeader('x-b');
    response.write('x');
    for (const wrong of [() => response.setHeader('a', 1), () => response.removeHeader('a'), () => response.writeHead(200), () => response.appendHeader('a', 'b')]) try { wrong(); } catch (error) { log(error.code, error.message); }
    log(response.headersSent, response.writableEnded, response.writableFinished);
    response.on('finish', () => log('finish', response.writableFinished));
    response.on('close', () => log('close', response.destroyed, response.closed));
    response.end('y', () => log('ended'));
    response.end((error) => log('again', error?.code));
    response.write('z', (error) => log('late', error.code));
    response.on('error', (error) => log('error', error.code));
  });
  log(JSON.stringify(await raw(server, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')));
  server.close();
});
step('a client that goes', async (log) => {
  const server = await serve();
  const client = net.connect(portOf(server), '127.0.0.1');
  client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc');
  const [request, response] = await ended(server, 'request');
  request.on('aborted', () => log('aborted'));
  request.on('error', (error) => log('request error', error.code, error.message));
  request.on('close', () => log('request close', request.complete));
  response.on('close', () => log('response close', response.writableEnded, response.destroyed));
  request.once('data', (part) => { log(`${part}`); client.destroy(); });
  await ended(response);
  await new Promise((resolve) => setImmediate(resolve));
  response.write('x', (error) => log(error?.code));
  server.close();
  await ended(server);
});
step('upgrades', async (log) => {
  const server = await serve((request, response) => { log('request', request.headers.upgrade); response.end('plain'); });
  server.on('upgrade', (request, socket, head) => {
    log('upgrade', request.url, request.upgrade, `${head}`, socket.readableFlowing);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\nfirst');
    socket.pipe(socket);
  });
  server.on('connect', (request, socket, head) => {
    log('connect', request.url, `${head}`);
    socket.end('HTTP/1.1 200 Connected\r\n\r\ntunnel');
  });
  const port = portOf(server);
  const request = http.request({ port, host: '127.0.0.1', headers: { Connection: 'Upgrade', Upgrade: 'echo' } });
  request.end();
  const [response, socket, head] = await ended(request, 'upgrade');
  log(response.statusCode, response.headers.upgrade, `${head}`, request.destroyed);
  socket.write('ping');
  const [data] = await ended(socket, 'data');
  log(`${head}${data}`);
  socket.end();
  const tunnel = http.request({ port, host: '127.0.0.1', method: 'CONNECT', path: 'a:1' });
  tunnel.end();
  const [answer, through, first] = await ended(tunnel, 'connect');
  log(answer.statusCode, (await read(through)) || `${first}`);
  server.close();
});
step('expectations', async (log) => {
  const server = await serve((request, response) => { log('request'); request.on('data', (part) => log(`${part}`)); request.on('end', () => response.end('done')); });
  const request = http.request({ port: portOf(server), host: '127.0.0.1', method: 'POST', headers: { Expect: '100-continue' } });
  await ended(request, 'continue');
  request.end('after');
  const [response] = await ended(request, 'response');
  log(await read(response));
  server.on('checkContinue', (asked, answer) => { log('check', asked.headers.expect); answer.statusCode = 413; answer.end(); });
  log(JSON.stringify(await raw(server, 'POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n')));
  server.on('checkExpectation', (asked, answer) => { log('other', asked.headers.expect); answer.end('any'); });
  log(JSON.stringify(await raw(server, 'GET / HTTP/1.1\r\nHost: x\r\nExpect: else\r\n\r\n')));
  server.close();
});
step('limits of a server', async (log) => {
  const server = await serve({ keepAliveTimeout: 30, connectionsCheckingInterval: 10, headersTimeout: 40, requestTimeout: 60 }, (request, response) => { request.on('error', () => {}); request.on('end', () => response.end('x')).resume(); });
  server.maxRequestsPerSocket = 2;
  server.maxHeadersCount = 2;
  server.on('dropRequest', (request) => log('drop', request.url));
  const one = (path) => `GET ${path} HTTP/1.1\r\nHost: x\r\nA: 1\r\nB: 2\r\n\r\n`;
  log(JSON.stringify(await raw(server, one('/1') + one('/2') + one('/3'))));
  server.once('request', (request) => log(request.rawHeaders));
  log(JSON.stringify(await raw(server, one('/4'))));
  for (const text of ['GET / HTTP/1.1\r\nHo', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n']) {
    const socket = net.connect(portOf(server), '127.0.0.1');
    socket.write(text);
    log(JSON.stringify(plain(await read(socket))));
  }
  server.setTimeout(20, (socket) => { log('timeout'); socket.destroy(); });
  const idle = net.connect(portOf(server), '127.0.0.1');
  await ended(idle);
  server.close();
});
step('back-pressure', async (log) => {
  const server = await serve((request, response) => {
    let count = 0;
    const more = () => {
      while (count < 200) {
        count += 1;
        if (!response.write(Buffer.alloc(65536, 'x'))) { response.once('drain', more); return; }
      }
      response.end();
    };
    more();
  });
  const response = await ask({ port: portOf(server), host: '127.0.0.1' });
  let size = 0;
  for await (const part of response) size += part.length;
  log(size);
  server.close();
});
step('the module', async (log) => {
  log(Object.keys(http).sort().filter((name) => !/WebSocket|CloseEvent|MessageEvent/.test(name)), http.METHODS.length, http.STATUS_CODES[418], http.maxHeaderSize);
  const server = http.createServer();
  log(server.timeout, server.keepAliveTimeout, server.headersTimeout, server.requestTimeout, server.maxHeadersCount, server.maxRequestsPerSocket, server.listening);
  for (const wrong of [() => http.createServer('x'), () => http.createServer({ maxHeaderSize: 'x' }), () => http.createServer({ requestTimeout: -1 }), () => http.createServer({ insecureHTTPParser: 1 }), () => http.validateHeaderName('a b'), () => http.validateHeaderValue('a', '\n')]) try { wrong(); } catch (error) { log(error.name, error.code, error.message); }
});
(async () => {
  for (const [name, run] of steps) {
    if (process.argv[2] && !name.includes(process.argv[2])) continue;
    console.log(`== ${name}`);
    await run((...args) => console.log(...args));
  }
})();
