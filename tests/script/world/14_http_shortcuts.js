// SPDX-License-Identifier: Apache-2.0
// What a server of node:http does on shorter ways where nobody looks on, with somebody who does: other
// readers of a socket, timers of a socket, sizes of texts, header lists, requests in pieces.
const http = require('http');
const net = require('net');

const ask = (port, pieces) => new Promise((resolve, reject) => {
  let text = '';
  const socket = net.connect(port, '127.0.0.1', () => {
    const next = () => {
      const piece = pieces.shift();
      if (piece === undefined) return;
      socket.write(piece);
      setTimeout(next, 20);
    };
    next();
  });
  socket.setEncoding('latin1');
  socket.on('data', (part) => { text += part; });
  socket.on('end', () => resolve(text.replace(/Date: .*?\r\n/g, '')));
  socket.on('error', reject);
});
const serve = (listener, also = () => {}) => new Promise((resolve) => {
  const server = http.createServer(listener);
  also(server);
  server.listen(0, '127.0.0.1', () => resolve(server));
});

async function readers() {
  const seen = [];
  let rounds = 0;
  const server = await serve((request, response) => {
    rounds += 1;
    if (rounds === 1) request.socket.on('data', (bytes) => seen.push(bytes.toString('latin1')));
    response.end(`${request.method} ${request.url} ${request.socket.bytesRead}`);
  });
  const { port } = server.address();
  console.log(await ask(port, ['GET /1 HTTP/1.1\r\nHost: a\r\n\r\n', 'GET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n']));
  console.log('a second reader saw', JSON.stringify(seen));
  server.close();
}
async function bodies() {
  const server = await serve((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(Buffer.isBuffer(part) && part.toString()));
    request.on('end', () => response.end(`${parts.join('|')} ${request.complete} ${request.trailers.after}`));
  });
  const { port } = server.address();
  console.log(await ask(port, ['POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabc', 'defGET', ' / HTTP/1.1\r\nHost: a\r\n\r\nPOST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\nTrailer: after\r\n\r\n2\r\nhi\r\n', '0\r\nAfter: all\r\n\r\n']));
  server.close();
}
async function fields() {
  const server = await serve((request, response) => {
    const before = request.rawHeaders;
    console.log(before, request.headers, request.rawHeaders === before, request.httpVersion, request.httpVersionMajor, request.httpVersionMinor);
    request.rawHeaders = ['X', 'y', 'Z', 'z'];
    console.log(request.rawHeaders, Object.keys(request.headersDistinct));
    response.end();
  }, (made) => { made.maxHeadersCount = 2; });
  const { port } = server.address();
  await ask(port, ['GET / HTTP/1.0\r\nHost: a\r\nX-Two: \xe9 b \r\nX-Three: c\r\n\r\n']);
  server.maxHeadersCount = null;
  console.log((await ask(port, ['GET / HTTP/1.1\r\nX-Host: a\r\n\r\n'])).split('\r\n')[0]);
  console.log((await ask(port, ['GET / HTTP/1.1\r\nHOST:\r\nExpect: a miracle\r\nConnection: close\r\n\r\n'])).split('\r\n')[0]);
  server.close();
}
async function sizes() {
  const sent = [];
  const server = net.createServer((socket) => {
    const note = () => sent.push(socket.bytesWritten);
    socket.write('\u00e9\u20ac', note);
    socket.write('\u00e9', 'latin1', note);
    socket.cork();
    socket.write('one ');
    socket.write('two ', 'latin1');
    socket.write('three', 'ascii', note);
    socket.uncork();
    socket.cork();
    socket.write('\u00e9');
    socket.write('\u00e9', 'latin1');
    socket.write('e9', 'hex');
    socket.write(Buffer.from('end'), note);
    socket.uncork();
    socket.end();
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  const text = await ask(server.address().port, []);
  console.log(Buffer.from(text, 'latin1').toString('hex'), sent);
  server.close();
}
async function chunks() {
  const server = await serve((request, response) => {
    response.write('\u20ac');
    response.write('\u00e9', 'latin1');
    response.write(Buffer.from('bytes'));
    response.end('end');
  });
  console.log(JSON.stringify(await ask(server.address().port, ['GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'])));
  server.close();
}
async function timers() {
  const server = net.createServer((socket) => socket.pipe(socket));
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  const socket = net.connect(server.address().port, '127.0.0.1');
  let count = 0;
  socket.on('timeout', () => { count += 1; });
  const wait = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
  socket.setTimeout(30);
  socket.setTimeout(0);
  await wait(80);
  console.log('off', count);
  socket.setTimeout(30);
  await wait(120);
  console.log('on again', count);
  socket.setTimeout(30);
  socket.setTimeout(60);
  socket.setTimeout(30);
  await wait(200);
  console.log('another time', count);
  socket.destroy();
  server.close();
}
(async () => {
  for (const part of [readers, bodies, fields, sizes, chunks, timers]) await part();
})();
