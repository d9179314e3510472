// SPDX-License-Identifier: Apache-2.0
// Answers with 1 GB in pieces of 64 KiB, as fast as they are taken, by node:http; prints its port.
const http = require('http');
const { Readable } = require('stream');
const piece = Buffer.alloc(1 << 16, 'x');
const server = http.createServer((request, response) => {
  let left = 1 << 14;
  const source = new Readable({ read() { this.push(left > 0 ? piece : null); left -= 1; } });
  response.writeHead(200, { 'Content-Length': 1 << 30 });
  source.pipe(response);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
