// SPDX-License-Identifier: Apache-2.0
// A program ends while a server listens, a connection waits and nothing refers to them; and by process.exit.
const net = require('net');
const server = net.createServer((socket) => socket.unref()).listen(0, '127.0.0.1', () => {
  server.unref();
  const client = net.connect(server.address().port, '127.0.0.1', () => {
    client.unref();
    console.log('connected');
  });
});
process.once('beforeExit', () => {
  console.log('nothing holds it');
  server.ref();
  setTimeout(() => { console.log('exits'); process.exit(3); }, 5);
});
process.on('exit', (code) => console.log('exit', code));
