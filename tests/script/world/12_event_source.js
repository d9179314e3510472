// SPDX-License-Identifier: Apache-2.0
// EventSource against a server: events in all forms, a new connection with the last id, what is no stream of events.
const http = require('http');

let count = 0;
const server = http.createServer((request, response) => {
  if (request.url === '/other') { response.end('no events'); return; }
  if (request.url === '/gone') { response.writeHead(204); response.end(); return; }
  count += 1;
  console.log('request', count, request.headers.accept, request.headers['last-event-id'], request.headers['cache-control']);
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
  if (count === 1) {
    response.write('\ufeff: a comment\nretry: 10\ndata: one\n\n');
    response.write('data:two\r\ndata: lines\r\n\r\ndata\n\nevent: mine\rid: 7\rdata:  ü☃\r\r');
    for (const byte of Buffer.from('data: å\r\n\r\nignored: x\n\ndata: none\n\nid: 8\n\ndata: not ended')) response.write(Buffer.from([byte]));
    setTimeout(() => response.end(), 20);
  } else response.write('data: again\n\n');
});
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${server.address().port}/`;
  const source = new EventSource(url);
  console.log(source.readyState, source.withCredentials, source.url === url, EventSource.CONNECTING, source.OPEN, EventSource.CLOSED);
  source.onopen = (event) => console.log('open', event.type, source.readyState);
  source.onerror = () => console.log('error', source.readyState);
  source.onmessage = (event) => {
    console.log('message', JSON.stringify(event.data), JSON.stringify(event.lastEventId), `${event.origin}/` === url);
    if (event.data === 'again') {
      source.close();
      console.log('closed', source.readyState);
      others(url);
    }
  };
  source.addEventListener('mine', (event) => console.log('mine', JSON.stringify(event.data), event.lastEventId));
});
async function others(url) {
  for (const path of ['other', 'gone']) {
    const source = new EventSource(url + path);
    source.addEventListener('open', () => console.log('never'));
    await new Promise((resolve) => { source.onerror = resolve; });
    console.log(path, source.readyState);
  }
  try { new EventSource('no url'); } catch (error) { console.log(error.name); }
  server.closeAllConnections();
  server.close();
}
