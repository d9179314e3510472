// SPDX-License-Identifier: Apache-2.0
// A socket whose data nobody reads and whose peer has gone holds nothing.
const net = require('net');
const server = net.createServer((socket) => { socket.on('end', () => console.log('never')); }).listen(0, '127.0.0.1', () => {
  const client = net.connect(server.address().port, '127.0.0.1', () => {
    client.end('unread');
    client.on('finish', () => setTimeout(() => { client.destroy(); server.close(); }, 20));
  });
});
process.on('exit', () => console.log('exit'));
