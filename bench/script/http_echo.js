// SPDX-License-Identifier: Apache-2.0
// Reads a JSON body, and answers with it and one member more, by node:http; prints its port.
const http = require('http');
const server = http.createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (part) => { text += part; });
  request.on('end', () => {
    const made = JSON.stringify({ ...JSON.parse(text), isEcho: true });
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(made) });
    response.end(made);
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
