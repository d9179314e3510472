// SPDX-License-Identifier: Apache-2.0
// gyre:http: a server whose handler takes a Request and gives a Response.
//
//     import { serve } from 'gyre:http';
//     const server = serve({ port: 8080 }, (request) => new Response('hello'));
//     await server.listening;
'use strict';
shelf.load('web_fetch');
const { base, builtins } = shelf;
const { natives, coded, then } = base;
const { Headers, ReadableStream, URL } = shelf.globals;
const { fieldsText, makeRequest, responseOf, wait } = shelf.fetching;
const { isUsed, listOf } = shelf.bodies;

// A request as it came: its url, headers and body are made when the handler looks at them.
class Incoming {
  redirect = 'follow';
  keepalive = false;
  duplex = 'half';
  #text; #split; #server; #id; #url; #headers; #body; #aborter;
  constructor(server, id, text) {
    this.#text = text;
    this.#server = server;
    this.#id = id;
  }
  get #parts() { this.#split ??= this.#text.split('\0'); return this.#split; }
  get method() { return this.#text.slice(1, this.#text.indexOf('\0')); }
  get url() {
    if (this.#url === undefined) {
      const target = this.#parts[1];
      const host = this.headers.get('host') ?? `${this.#server.hostname}:${this.#server.port}`;
      this.#url = new URL(target.startsWith('/') ? `http://${host}${target}` : target === '*' ? `http://${host}/` : target);
    }
    return this.#url;
  }
  get headers() {
    if (this.#headers === undefined) {
      this.#headers = new Headers();
      for (let i = 2; i + 1 < this.#parts.length; i += 2) this.#headers.append(this.#parts[i], this.#parts[i + 1]);
    }
    return this.#headers;
  }
  #field(name) {
    const parts = this.#parts;
    for (let i = 2; i + 1 < parts.length; i += 2) if (parts[i].length === name.length && parts[i].toLowerCase() === name) return parts[i + 1];
    return undefined;
  }
  get body() {
    if (this.#body === undefined) {
      const length = this.#field('content-length');
      const has = this.#field('transfer-encoding') !== undefined || Number(length ?? 0) > 0;
      this.#body = has ? new IncomingBody(this.#id, length === undefined ? -1 : Number(length), () => this.#aborterOf()) : null;
    }
    return this.#body;
  }
  #aborterOf() { this.#aborter ??= new AbortController(); return this.#aborter; }
  get signal() { return this.#aborterOf().signal; }
  // The client has gone.
  abort() { if (this.#aborter !== undefined) this.#aborter.abort(); }
}
// The body of a request: its stream is made when somebody asks for one. To read all needs none.
class IncomingBody {
  source = null;
  type = null;
  isTaken = false;
  #id; #length; #aborter; #stream;
  constructor(id, length, aborter) {
    this.#id = id;
    this.#length = length;
    this.#aborter = aborter;
  }
  get isUntouched() { return this.#stream === undefined; }
  get stream() {
    return this.#stream ??= new ReadableStream({
      type: 'bytes',
      pull: async (controller) => {
        const bytes = await this.#piece();
        if (bytes === undefined) {
          controller.close();
          controller.byobRequest?.respond(0);
        } else controller.enqueue(bytes);
      },
    }, { highWaterMark: 0 });
  }
  async readAll() {
    const parts = [];
    let size = 0;
    for (let part = await this.#piece(); part !== undefined; part = await this.#piece()) {
      parts.push(part);
      size += part.byteLength;
      if (size === this.#length) break;
    }
    return parts;
  }
  // undefined: the end.
  async #piece() {
    const [number, , one] = await wait((done) => natives.serveRead(done, this.#id));
    if (number < 0) {
      const error = coded(Error, 'ECONNRESET', 'aborted');
      this.#aborter().abort(error);
      throw error;
    }
    if (number === 0) return undefined;
    const bytes = new Uint8Array(number);
    natives.serveTake(one, bytes);
    return bytes;
  }
}

// The fields that frame a message are the server's.
const framing = ['content-length', 'transfer-encoding', 'connection', 'keep-alive', 'upgrade', 'date', 'trailer', 'te'];
function fieldsOf(headers) {
  const list = listOf(headers);
  return list.length === 0 ? '' : fieldsText(list.filter(([name]) => !framing.includes(name)));
}
async function sendStream(id, inner) {
  const length = inner.headers.get('content-length');
  natives.serveBegin(id, inner.status, fieldsOf(inner.headers), length === null ? -1 : Number(length));
  const reader = inner.body.stream.getReader();
  for (;;) {
    let chunk;
    try { chunk = await reader.read(); } catch (error) {
      natives.serveBreak(id);
      throw error;
    }
    const { value, done } = chunk;
    if (done) break;
    if (!(value instanceof Uint8Array)) {
      natives.serveBreak(id);
      throw new TypeError('Received non-Uint8Array chunk');
    }
    if (value.byteLength === 0) continue;
    const [number] = await wait((one) => natives.serveWrite(one, id, value));
    if (number < 0) {  // The client has gone.
      await reader.cancel(coded(Error, 'ECONNRESET', 'aborted'));
      return;
    }
  }
  await wait((one) => natives.serveWrite(one, id));
}
function send(id, response) {
  const inner = responseOf(response);
  const { body } = inner;
  if (body !== null && (isUsed(body) || body.stream?.locked)) throw new TypeError('Body is unusable');
  if (body !== null && body.stream !== null) return sendStream(id, inner);
  natives.serveSend(id, inner.status, fieldsOf(inner.headers), body === null ? '' : body.text ?? body.source);
  if (body !== null) body.isTaken = true;
  return undefined;
}

class Server {
  #id; #port; #hostname; #handler; #onError; #listening; #settle; #finished; #requests = new base.SafeMap();
  constructor(options, handler) {
    this.#handler = handler;
    this.#port = options.port;
    this.#hostname = options.hostname;
    this.#onError = options.onError;
    this.#listening = new Promise((resolve, reject) => { this.#settle = { resolve, reject }; });
    this.#finished = new Promise((resolve) => {
      this.#id = shelf.expect((number, text) => this.#take(number, text, resolve), true);
    });
    then(this.#listening, () => {}, () => {});
    natives.serveStart(this.#id, this.#hostname, this.#port, options.handlerTimeout);
    options.signal?.addEventListener('abort', () => this.stop(), { once: true });
    if (options.signal?.aborted) this.stop();
  }
  get port() { return this.#port; }
  get hostname() { return this.#hostname; }
  get url() { return `http://${this.#hostname.includes(':') ? `[${this.#hostname}]` : this.#hostname}:${this.#port}/`; }
  // Resolves when clients can connect; rejects where the address cannot be used.
  get listening() { return this.#listening; }
  // Resolves when the last request is answered after stop().
  get finished() { return this.#finished; }
  // No further connection; requests in flight are answered.
  stop() { natives.serveStop(this.#id); return this.#finished; }
  async [Symbol.asyncDispose]() { await this.stop(); }
  #take(number, text, finish) {
    switch (text[0]) {
      case 'L':
        this.#port = number;
        this.#settle.resolve(this);
        break;
      case 'R':
        this.#answer(number, text);
        break;
      case 'A':
        this.#requests.get(number)?.abort();
        this.#requests.delete(number);
        break;
      default:  // Closed, an error, or the end of the loop.
        shelf.forget(this.#id);
        if (text[0] === 'E') this.#fail(number, text.slice(1));
        finish();
    }
  }
  #fail(number, text) {
    const words = text.slice(text.indexOf(' ') + 1);
    let error;
    const place = `${this.#hostname}:${this.#port}`;
    if (/not permitted: --allow net=/.test(words)) {
      error = base.denied(words, 'net', place);
    } else {
      shelf.load('system_errors');
      const [code, reason] = shelf.systemErrors.find(([own]) => own === number)?.[1] ?? ['EIO', words];
      error = Object.assign(new Error(`listen ${code}: ${reason} ${place}`), { errno: number, code, syscall: 'listen', address: this.#hostname, port: this.#port });
    }
    this.#settle.reject(error);
    if (!this.#isWatched) shelf.reportUncaught(error, base.engine.placeOf(error), 'uncaughtException');
  }
  #isWatched = false;
  static watch(server) { server.#isWatched = true; return server.#listening; }
  #answer(id, text) {
    const incoming = new Incoming(this, id, text);
    let made;
    try {
      made = this.#handler(makeRequest(incoming), this);
      if (typeof made?.then !== 'function') made = send(id, made);
      else made = then(Promise.resolve(made), (response) => send(id, response));
    } catch (error) {
      this.#recover(id, error);
      return;
    }
    if (made === undefined) return;
    // It waits: the client may go meanwhile.
    this.#requests.set(id, incoming);
    then(made, () => this.#requests.delete(id), (error) => this.#recover(id, error));
  }
  // A handler that fails: onError gives the response, else it is a 500 and a line on standard error.
  #recover(id, error) {
    this.#requests.delete(id);
    const giveUp = (second) => {
      shelf.console.error(second);
      natives.serveSend(id, 500, 'content-type\0text/plain;charset=UTF-8\0', 'Internal Server Error');
    };
    if (this.#onError === undefined) { giveUp(error); return; }
    let made;
    try { made = this.#onError(error); } catch (second) { giveUp(second); return; }
    then(Promise.resolve(made), (response) => then(Promise.resolve(send(id, response)), () => {}, giveUp), giveUp);
  }
}
const { watch } = Server;
delete Server.watch;
Object.defineProperty(Server.prototype, 'listening', { configurable: true, enumerable: true, get() { return watch(this); } });
for (const name of ['port', 'hostname', 'url', 'finished', 'stop']) Object.defineProperty(Server.prototype, name, { enumerable: true });

// serve(handler), serve(options, handler)
function serve(given, handler) {
  const options = typeof given === 'function' ? {} : given;
  const answer = typeof given === 'function' ? given : handler ?? options?.handler;
  base.checks.isObject(options, 'options');
  base.checks.isFunction(answer, 'handler');
  const { port = 8000, hostname = '127.0.0.1', signal, onError, handlerTimeout = 30000 } = options;
  if (typeof port !== 'number' || !Number.isInteger(port)) throw base.argumentType('options.port', 'number', port);
  if (port < 0 || port > 65535) throw base.outOfRange('options.port', '>= 0 && <= 65535', port);
  base.checks.isString(hostname, 'options.hostname');
  if (signal !== undefined) shelf.checkSignal(signal, 'options.signal');
  if (onError !== undefined) base.checks.isFunction(onError, 'options.onError');
  base.permit('net', `${hostname}:${port}`);
  return new Server({ port, hostname, signal, onError, handlerTimeout }, answer);
}
builtins['gyre:http'] = { serve, Server };
