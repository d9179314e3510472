// SPDX-License-Identifier: Apache-2.0
// The server of http_hello.vela, for Node.
'use strict';
const server = require('node:http').createServer((request, response) => {
  response.setHeader('Content-Type', 'text/plain');
  response.end('Hello, World!');
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
