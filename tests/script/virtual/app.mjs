// SPDX-License-Identifier: Apache-2.0
// An application as express programs are: routes, a body, files and timers, with its clients.
import http from 'node:http';
import { appendFile, mkdir, readFile, rm } from 'node:fs/promises';

const routes = [];
const app = (request, response) => {
  const found = routes.find(([method, path]) => request.method === method && request.url.startsWith(path));
  if (found === undefined) { response.statusCode = 404; return response.end('none'); }
  return Promise.resolve(found[2](request, response)).catch((error) => { response.statusCode = 500; response.end(error.message); });
};
const route = (method, path, handler) => routes.push([method, path, handler]);
const bodyOf = async (request) => { let text = ''; for await (const part of request) text += part; return text; };
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

await rm('/notes', { recursive: true, force: true });
await mkdir('/notes', { recursive: true });
let count = 0;
route('POST', '/notes', async (request, response) => {
  const text = await bodyOf(request);
  await pause(Math.random() * 20);
  count += 1;
  await appendFile('/notes/list.txt', `${count} ${text}\n`);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ count, length: text.length }));
});
route('GET', '/notes', async (request, response) => { response.end(await readFile('/notes/list.txt', 'utf8')); });
route('GET', '/slow', async (request, response) => {
  for (let i = 0; i < 3; i += 1) { response.write(`part ${i} `); await pause(5 + Math.random() * 5); }
  response.end('end');
});
const server = http.createServer(app);
await new Promise((done) => server.listen(8080, '127.0.0.1', done));
const agent = new http.Agent({ keepAlive: true, maxSockets: 3 });
const ask = (method, path, body) => new Promise((done, failed) => {
  const request = http.request({ port: 8080, host: '127.0.0.1', method, path, agent }, async (response) => {
    done(`${method} ${path} ${response.statusCode} ${await bodyOf(response)}`);
  });
  request.on('error', failed);
  request.end(body);
});
const tell = (line) => console.log(Math.round(performance.now() * 1000), line.trim());
await Promise.all(Array.from({ length: 12 }, async (_, i) => {
  await pause(Math.random() * 30);
  tell(await ask('POST', '/notes', `note ${i} ${'x'.repeat(Math.floor(Math.random() * 100))}`));
  if (i % 3 === 0) tell(await ask('GET', '/slow'));
  if (i % 4 === 0) tell(await ask('GET', '/none'));
}));
tell(await ask('GET', '/notes'));
agent.destroy();
server.close();
