// SPDX-License-Identifier: Apache-2.0
// WebSocket, against a server that writes its frames by hand.
const { createServer } = require('node:http');
const { createHash } = require('node:crypto');

const head = (opcode, size, isLast = true) => {
  const first = (isLast ? 0x80 : 0) | opcode;
  if (size < 126) return Buffer.from([first, size]);
  const made = Buffer.alloc(size < 65536 ? 4 : 10);
  made[0] = first;
  made[1] = size < 65536 ? 126 : 127;
  if (size < 65536) made.writeUInt16BE(size, 2);
  else made.writeBigUInt64BE(BigInt(size), 2);
  return made;
};
const frame = (opcode, payload, isLast = true) => Buffer.concat([head(opcode, payload.length, isLast), Buffer.from(payload)]);
// Calls take(opcode, payload) for each frame of a client.
function readFrames(socket, take) {
  let held = Buffer.alloc(0);
  socket.on('data', (bytes) => {
    held = Buffer.concat([held, bytes]);
    for (;;) {
      if (held.length < 2) return;
      const short = held[1] & 127;
      const start = short === 126 ? 4 : short === 127 ? 10 : 2;
      if (held.length < start + 4) return;
      const size = short === 126 ? held.readUInt16BE(2) : short === 127 ? Number(held.readBigUInt64BE(2)) : short;
      if (held.length < start + 4 + size) return;
      const mask = held.subarray(start, start + 4);
      const payload = Buffer.from(held.subarray(start + 4, start + 4 + size).map((byte, i) => byte ^ mask[i & 3]));
      const [opcode, isMasked] = [held[0], held[1] > 127];
      held = held.subarray(start + 4 + size);
      take(opcode & 15, payload, isMasked);
    }
  });
}
const scripts = {
  '/echo'(socket) {
    readFrames(socket, (opcode, payload, isMasked) => {
      if (!isMasked) console.log('a frame without a mask');
      if (opcode === 8) { console.log('server got close', payload.length >= 2 ? payload.readUInt16BE(0) : 'none', payload.subarray(2).toString()); socket.end(frame(8, payload)); } else if (opcode === 9 || opcode === 10) console.log('server got', opcode, payload.toString());
      else socket.write(frame(opcode, payload));
    });
  },
  '/pieces'(socket) {
    readFrames(socket, (opcode, payload) => {
      if (opcode === 10) console.log('pong', payload.toString());
      if (opcode === 8) socket.end();
    });
    const whole = Buffer.concat([frame(1, Buffer.from('h\xc3', 'latin1'), false), frame(9, 'between'), frame(0, Buffer.from([0xa9]), false), frame(0, 'llo'), frame(2, ''), frame(8, Buffer.from([0x0f, 0xa0, 0x62, 0x79, 0x65]))]);
    for (const byte of whole) socket.write(Buffer.from([byte]));
  },
};
// What breaks the protocol, by the name of the path.
const wrong = {
  '/reserved': frame(1, 'x').map((byte, i) => (i === 0 ? byte | 0x40 : byte)), '/opcode': frame(3, ''), '/masked': Buffer.from([0x81, 0x81, 0, 0, 0, 0, 1]), '/utf8': frame(1, Buffer.from([0xff])),
  '/control': Buffer.from([0x89, 126, 0, 126]), '/fragment': frame(9, 'x', false), '/continuation': frame(0, 'x'), '/interleaved': Buffer.concat([frame(1, 'x', false), frame(1, 'y')]),
  '/length': Buffer.from([0x82, 126, 0, 5]), '/large': Buffer.concat([head(2, 2 ** 31)]), '/code': frame(8, Buffer.from([3, 237])), '/half': frame(8, Buffer.from([3])),
};
for (const path of Object.keys(wrong)) {
  scripts[path] = (socket) => {
    readFrames(socket, (opcode, payload) => { if (opcode === 8) console.log(path, 'told', payload.readUInt16BE(0)); });
    socket.on('end', () => socket.end());
    socket.write(wrong[path]);
  };
}
const server = createServer((request, response) => { response.statusCode = 404; response.end('no'); });
server.on('upgrade', (request, socket) => {
  const key = request.headers['sec-websocket-key'];
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  const [path, query] = request.url.split('?');
  socket.on('error', () => {});
  if (path === '/refused') return socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${path === '/hash' ? 'AAAA' : accept}`];
  if (path === '/protocol') lines.push('Sec-WebSocket-Protocol: other');
  else if (request.headers['sec-websocket-protocol']) lines.push(`Sec-WebSocket-Protocol: ${request.headers['sec-websocket-protocol'].split(', ').at(-1)}`);
  if (query === 'headers') console.log(request.headers['sec-websocket-version'], Buffer.from(key, 'base64').length, request.headers.connection, request.headers.upgrade);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  if (path === '/cut') return socket.destroy();
  return scripts[path]?.(socket);
});

const states = ['CONNECTING', 'OPEN', 'CLOSING', 'CLOSED'];
const ended = (socket) => new Promise((resolve) => {
  socket.addEventListener('close', (event) => resolve([event.code, event.reason, event.wasClean, states[socket.readyState]]));
});
async function main() {
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  const place = `ws://127.0.0.1:${server.address().port}`;

  const echo = new WebSocket(`${place}/echo?headers`, ['one', 'two']);
  try { echo.send('x'); } catch (error) { console.log(error.name); }
  console.log(echo.url === `${place}/echo?headers`, states[echo.readyState], echo.binaryType, echo.protocol, echo.extensions);
  await new Promise((resolve) => { echo.onopen = resolve; });
  console.log(states[echo.readyState], echo.protocol);
  const messages = [];
  const all = new Promise((resolve) => { echo.onmessage = ({ data, origin }) => { messages.push(data); if (messages.length === 6) { console.log(origin === place); resolve(); } }; });
  echo.send('text é');
  echo.send(new Uint8Array([1, 2, 3]).subarray(1));
  echo.send(new Blob(['blob']));
  echo.send('');
  echo.send('y'.repeat(200));
  echo.send(new Uint8Array(70000).fill(9).buffer);
  await all;
  console.log(await Promise.all(messages.map(async (one) => (one instanceof Blob ? (await one.arrayBuffer()).byteLength : one.slice(0, 10)))), echo.bufferedAmount);
  for (const bad of [[999], [1001], [3000, 'x'.repeat(124)]]) try { echo.close(...bad); } catch (error) { console.log(error.name); }
  echo.close(3001, 'done');
  console.log(states[echo.readyState]);
  console.log(await ended(echo));

  const pieces = new WebSocket(`${place}/pieces`);
  pieces.binaryType = 'arraybuffer';
  pieces.addEventListener('message', ({ data }) => console.log(data));
  console.log(await ended(pieces));

  for (const path of ['/refused', '/hash', '/protocol', '/none', '/cut', ...Object.keys(wrong)]) {
    const socket = new WebSocket(`${place}${path}`);
    const told = [];
    socket.onerror = (event) => told.push(event.type);
    if (path === '/none') socket.onopen = () => socket.close();
    console.log(path, path === '/none' ? (await ended(socket)).slice(2) : await ended(socket), told);
  }
  const early = new WebSocket(`${place}/echo`);
  early.close();
  console.log(states[early.readyState], await ended(early));
  for (const bad of [['x'], ['ftp://x'], [`${place}#a`], [place, ['a', 'A']], [place, 'a b'], []]) try { new WebSocket(...bad); } catch (error) { console.log(error.name); }
  console.log(WebSocket.OPEN, WebSocket.prototype.CLOSED, String(early), new CloseEvent('close', { code: 1000 }).code);
  server.close();
}
main();
