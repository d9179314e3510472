// SPDX-License-Identifier: Apache-2.0
// Answers every request with one line, by node:http; prints its port.
const http = require('http');
const server = http.createServer((request, response) => {
  response.writeHead(200, { 'Content-Type': 'text/plain' });
  response.end('Hello, World!');
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
