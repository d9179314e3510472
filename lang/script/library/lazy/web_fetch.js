// SPDX-License-Identifier: Apache-2.0
// Request, Response and fetch, over the natives of lang/script/http.
'use strict';
shelf.load('web_bodies');
const { base } = shelf;
const { natives } = base;
const { Headers, ReadableStream, URL } = shelf.globals;
const { addBody, bodyOf, cloned, freeze, isUsed, listOf } = shelf.bodies;
const inspectCustom = Symbol.for('nodejs.util.inspect.custom');

// ---- Request ----

const normal = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT'];
function methodOf(value) {
  const method = `${value}`;
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(method)) throw new TypeError(`'${method}' is not a valid HTTP method.`);
  const upper = method.toUpperCase();
  if (['CONNECT', 'TRACE', 'TRACK'].includes(upper)) throw new TypeError(`'${method}' HTTP method is unsupported.`);
  return normal.includes(upper) ? upper : method;
}
function urlOf(input) {
  let url;
  try { url = new URL(input); } catch (error) { throw new TypeError(`Failed to parse URL from ${input}`, { cause: error }); }
  if (url.username !== '' || url.password !== '') throw new TypeError(`Request cannot be constructed from a URL that includes credentials: ${input}`);
  return url;
}
let requestOf;
const ownParts = Symbol('parts');  // the key of a constructor call with what the request is made of
class Request {
  #inner;  // { method, url, headers, body, redirect, signal }
  static { requestOf = (request) => { if (request === null || typeof request !== 'object' || !(#inner in request)) throw new TypeError('Illegal invocation'); return request.#inner; }; }
  constructor(input, init = {}) {
    if (input === ownParts) { this.#inner = init; return; }
    if (arguments.length === 0) throw new TypeError("Request constructor: 1 argument required, but 0 found.");
    const given = init ?? {};
    const old = input !== null && typeof input === 'object' && #inner in input ? input.#inner : undefined;
    const url = old?.url ?? urlOf(`${input}`);
    const method = given.method === undefined ? old?.method ?? 'GET' : methodOf(given.method);
    const headers = new Headers(given.headers ?? old?.headers);
    let body = given.body === undefined ? null : bodyOf(given.body);
    if ((given.body ?? old?.body ?? null) !== null && (method === 'GET' || method === 'HEAD')) throw new TypeError('Request with GET/HEAD method cannot have body.');
    if (body !== null && body.stream !== null && given.duplex === undefined) throw new TypeError('RequestInit: duplex option is required when sending a body.');
    if (body === null && old !== undefined && old.body !== null) {
      if (isUsed(old.body)) throw new TypeError('Cannot construct a Request with a Request object that has already been used.');
      body = { stream: old.body.stream, source: old.body.source, text: old.body.text, type: old.body.type };
      old.body.isTaken = true;
    }
    if (body?.type && !headers.has('content-type')) headers.append('content-type', body.type);
    const redirect = given.redirect ?? old?.redirect ?? 'follow';
    if (!['follow', 'manual', 'error'].includes(redirect)) throw new TypeError(`Request constructor: ${redirect} is not an accepted type. Expected one of follow, manual, error.`);
    const signal = given.signal === undefined ? old?.signal : given.signal;
    if (signal !== undefined && signal !== null && (typeof signal.aborted !== 'boolean' || typeof signal.addEventListener !== 'function')) throw new TypeError("Failed to construct 'Request': member signal is not of type AbortSignal.");
    this.#inner = { method, url, headers, body, redirect, signal: signal ?? new AbortController().signal, keepalive: Boolean(given.keepalive), duplex: 'half' };
  }
  get method() { return this.#inner.method; }
  get url() { return `${this.#inner.url}`; }
  get headers() { return this.#inner.headers; }
  get redirect() { return this.#inner.redirect; }
  get signal() { return this.#inner.signal; }
  get duplex() { return 'half'; }
  get keepalive() { return this.#inner.keepalive; }
  get destination() { return ''; }
  get referrer() { return 'about:client'; }
  get referrerPolicy() { return ''; }
  get mode() { return 'cors'; }
  get credentials() { return 'same-origin'; }
  get cache() { return 'default'; }
  get integrity() { return ''; }
  get isReloadNavigation() { return false; }
  get isHistoryNavigation() { return false; }
  clone() {
    if (isUsed(this.#inner.body) || this.#inner.body?.stream?.locked) throw new TypeError('unusable');
    const made = new Request(this.url, { method: this.method, headers: this.headers, redirect: this.redirect, signal: this.signal });
    made.#inner.body = cloned(this.#inner.body);
    return made;
  }
  [inspectCustom](depth, options) { return depth < 0 ? this : `Request ${shelf.inspect({ method: this.method, url: this.url, headers: this.headers, redirect: this.redirect, signal: this.signal, bodyUsed: this.bodyUsed }, options)}`; }
}
addBody(Request, (request) => requestOf(request).body, (request) => requestOf(request).headers.get('content-type'));

// ---- Response ----

const noBody = [101, 103, 204, 205, 304];
let responseOf;
let makeResponse;
class Response {
  #inner;  // { status, statusText, headers, body, url, type, isRedirected }
  static {
    responseOf = (response) => { if (response === null || typeof response !== 'object' || !(#inner in response)) throw new TypeError('Illegal invocation'); return response.#inner; };
    makeResponse = (inner) => { const made = new Response(); made.#inner = inner; return made; };
  }
  constructor(body = null, init = {}) {
    const given = init ?? {};
    if (typeof given !== 'object' && typeof given !== 'function') throw new TypeError('Response constructor: Expected init ("Argument 2") to be one of: Null, Undefined, Object.');
    const status = given.status === undefined ? 200 : Number(given.status);
    if (!(status >= 200 && status <= 599) || !Number.isInteger(status)) throw new RangeError('init["status"] must be in the range of 200 to 599, inclusive.');
    const statusText = given.statusText === undefined ? '' : `${given.statusText}`;
    if (/[^\t\u0020-\u007e\u0080-\u00ff]/.test(statusText)) throw new TypeError('Invalid statusText');
    const headers = new Headers(given.headers);
    const inner = bodyOf(body);
    if (inner !== null && noBody.includes(status)) throw new TypeError(`Response constructor: Invalid response status code ${status}`);
    if (inner?.type && !headers.has('content-type')) headers.append('content-type', inner.type);
    this.#inner = { status, statusText, headers, body: inner, url: '', type: 'default', isRedirected: false };
  }
  static error() { return makeResponse({ status: 0, statusText: '', headers: freeze(new Headers()), body: null, url: '', type: 'error', isRedirected: false }); }
  static json(data, init = {}) {
    const text = base.JSON.stringify(data);
    if (text === undefined) throw new TypeError('Value is not JSON serializable');
    const headers = new Headers(init?.headers);
    if (!headers.has('content-type')) headers.set('content-type', 'application/json');
    return new Response(text, { ...init, headers });
  }
  static redirect(url, status = 302) {
    let target;
    try { target = `${new URL(`${url}`)}`; } catch (error) { throw new TypeError(`Failed to parse URL from ${url}`, { cause: error }); }
    if (![301, 302, 303, 307, 308].includes(status)) throw new RangeError(`Invalid status code ${status}`);
    const made = new Response(null, { status, headers: { location: target } });
    freeze(made.#inner.headers);
    return made;
  }
  get type() { return this.#inner.type; }
  get url() { return this.#inner.url; }
  get redirected() { return this.#inner.isRedirected; }
  get status() { return this.#inner.status; }
  get ok() { return this.#inner.status >= 200 && this.#inner.status <= 299; }
  get statusText() { return this.#inner.statusText; }
  get headers() { return this.#inner.headers; }
  clone() {
    if (isUsed(this.#inner.body) || this.#inner.body?.stream?.locked) throw new TypeError('Response.clone: Body has already been consumed.');
    return makeResponse({ ...this.#inner, headers: new Headers(this.#inner.headers), body: cloned(this.#inner.body) });
  }
  [inspectCustom](depth, options) { return depth < 0 ? this : `Response ${shelf.inspect({ status: this.status, statusText: this.statusText, headers: this.headers, body: this.body, bodyUsed: this.bodyUsed, ok: this.ok, redirected: this.redirected, type: this.type, url: this.url }, options)}`; }
}
addBody(Response, (response) => responseOf(response).body, (response) => responseOf(response).headers.get('content-type'));

// ---- fetch ----

// What the host tells of an error, as Node's cause of "fetch failed".
function causeOf(number, text, url) {
  const at = text.indexOf(' ');
  const [kind, words] = [text.slice(0, at), text.slice(at + 1)];
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if (kind === 'name' || kind === 'names') {
    const code = kind === 'name' ? 'ENOTFOUND' : 'EAI_AGAIN';
    return Object.assign(new Error(`getaddrinfo ${code} ${url.hostname}`), { errno: kind === 'name' ? -3008 : -3001, code, syscall: 'getaddrinfo', hostname: url.hostname });
  }
  if (/not permitted: --allow net=/.test(words)) return base.denied(words, 'net', `${url.hostname}:${port}`);
  if (kind === 'system' && number !== -5) {
    shelf.load('system_errors');
    const code = shelf.systemErrors.find(([own]) => own === number)?.[1][0] ?? `E${-number}`;
    const isConnect = /^connect/.test(words);
    if (isConnect) return Object.assign(new Error(`connect ${code} ${url.hostname}:${port}`), { errno: number, code, syscall: 'connect', address: url.hostname, port });
    return Object.assign(new Error(words), { errno: number, code });
  }
  return Object.assign(new Error(words), { code: kind === 'message' ? 'HPE_INVALID' : 'UND_ERR_SOCKET' });
}
const failed = (cause) => (cause.code === 'ERR_ACCESS_DENIED' ? cause : new TypeError('fetch failed', { cause }));
const wait = (start) => new Promise((resolve) => { start(shelf.expect((number, text, id) => resolve([number, text, id]))); });

// Sends a body in pieces, each when the one before is taken.
async function sendPieces(id, stream, onError) {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (!done && !(value instanceof Uint8Array)) throw new TypeError('Received non-Uint8Array chunk');
      if (!done && value.byteLength === 0) continue;
      const [number] = await wait((one) => natives.httpPiece(one, id, done ? undefined : value));
      if (done) return;
      if (number < 0) { await reader.cancel(); return; }
    }
  } catch (error) { onError(error); }
}
function responseStream(id, url, signal, onEnd) {
  let isOver = false;
  const over = () => { isOver = true; onEnd(); };
  let face;
  const onAbort = () => {
    if (isOver) return;
    over();
    natives.httpDrop(id);
    face.error(signal.reason);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  const leave = () => { over(); signal.removeEventListener('abort', onAbort); };
  return new ReadableStream({
    type: 'bytes',
    start(controller) { face = controller; },
    async pull(controller) {
      const [number, text, one] = await wait((done) => natives.httpRead(done, id));
      if (isOver) return;
      if (number > 0) {
        const bytes = new Uint8Array(number);
        natives.httpTake(one, bytes);
        controller.enqueue(bytes);
        return;
      }
      leave();
      if (number < 0) {
        controller.error(new TypeError('terminated', { cause: causeOf(number, text, url) }));
        return;
      }
      controller.close();
      controller.byobRequest?.respond(0);
    },
    cancel() {
      leave();
      natives.httpDrop(id);
    },
  }, { highWaterMark: 0 });
}
const fieldsText = (list) => list.map(([name, value]) => `${name}\0${value}\0`).join('');
// One exchange: the status, fields and body of an answer.
function exchange(inner, url, method, headers, body) {
  return new Promise((resolve, reject) => {
    const { signal } = inner;
    const isStream = body !== null && body.stream !== null;
    const id = shelf.expect((number, text) => {
      signal.removeEventListener('abort', onAbort);
      if (isAborted) return;
      if (number < 0) { reject(failed(causeOf(number, text, url))); return; }
      const [statusText, ...parts] = text.split('\0');
      const fields = [];
      for (let i = 0; i + 1 < parts.length; i += 2) fields.push([parts[i], parts[i + 1]]);
      resolve({ id, status: number, statusText, fields });
    });
    let isAborted = false;
    const onAbort = () => {
      isAborted = true;
      natives.httpDrop(id);
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    natives.httpOpen(id, method, `${url}`.replace(/#.*$/, ''), fieldsText(headers), isStream ? undefined : body?.source, isStream);
    if (isStream) sendPieces(id, body.stream, (error) => { isAborted = true; natives.httpDrop(id); reject(error); });
  });
}
function sentFields(inner) {
  const headers = new Headers(inner.headers);
  for (const [name, value] of [['accept', '*/*'], ['accept-language', '*'], ['sec-fetch-mode', 'cors'], ['user-agent', 'gyre']]) if (!headers.has(name)) headers.append(name, value);
  // The host writes these itself.
  for (const name of ['host', 'content-length', 'transfer-encoding', 'connection', 'accept-encoding', 'keep-alive', 'upgrade', 'expect']) headers.delete(name);
  return headers;
}
const secret = ['authorization', 'cookie', 'proxy-authorization'];
async function run(request) {
  const inner = requestOf(request);
  let { url, method, body } = inner;
  const headers = sentFields(inner);
  if (inner.signal.aborted) throw inner.signal.reason;
  if (body !== null && isUsed(body)) throw new TypeError('Body is unusable');
  for (let hops = 0; ; hops += 1) {
    if (url.protocol === 'data:' || url.protocol === 'blob:' || url.protocol === 'about:') return local(url);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new TypeError('fetch failed', { cause: new Error('unknown scheme') });
    const answer = await exchange(inner, url, method, listOf(headers), body);
    if (body !== null) body.isTaken = true;
    const location = answer.fields.find(([name]) => name.toLowerCase() === 'location')?.[1];
    const isRedirect = [301, 302, 303, 307, 308].includes(answer.status) && location !== undefined;
    if (!isRedirect || inner.redirect === 'manual') return answered(answer, url, method, inner, hops > 0);
    natives.httpDrop(answer.id);
    if (inner.redirect === 'error') throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') });
    if (hops === 20) throw new TypeError('fetch failed', { cause: new Error('redirect count exceeded') });
    let next;
    try { next = new URL(location, url); } catch (error) { throw new TypeError('fetch failed', { cause: error }); }
    if (next.hash === '') next.hash = url.hash;
    if (answer.status !== 303 && body !== null && body.source === null) throw new TypeError('fetch failed', { cause: new Error('a body in pieces cannot be sent again') });
    if ((answer.status === 303 && method !== 'GET' && method !== 'HEAD') || ((answer.status === 301 || answer.status === 302) && method === 'POST')) {
      method = 'GET';
      body = null;
      for (const name of ['content-encoding', 'content-language', 'content-location', 'content-type']) headers.delete(name);
    }
    if (next.origin !== url.origin) for (const name of secret) headers.delete(name);
    url = next;
  }
}
function answered(answer, url, method, inner, isRedirected) {
  const headers = new Headers();
  for (const [name, value] of answer.fields) headers.append(name, value);
  const hasBody = method !== 'HEAD' && !noBody.includes(answer.status);
  let body = null;
  if (hasBody) body = { stream: responseStream(answer.id, url, inner.signal, () => {}), source: null, type: null };
  else natives.httpDrop(answer.id);
  const shown = `${url}`.replace(/#.*$/, '');
  return makeResponse({ status: answer.status, statusText: answer.statusText, headers: freeze(headers), body, url: shown, type: 'default', isRedirected });
}
// data:TYPE;base64,TEXT
function local(url) {
  const match = /^data:([^,]*),([^#]*)/.exec(`${url}`);
  if (match === null) throw new TypeError('fetch failed', { cause: new Error('not implemented... yet...') });
  const isBase64 = /;\s*base64\s*$/i.test(match[1]);
  const type = match[1].replace(/;\s*base64\s*$/i, '') || 'text/plain;charset=US-ASCII';
  const bytes = isBase64 ? Uint8Array.from(shelf.globals.atob(decodeURIComponent(match[2])), (char) => char.charCodeAt(0)) : percentDecoded(match[2]);
  return makeResponse({ status: 200, statusText: 'OK', headers: freeze(new Headers({ 'content-type': type })), body: bodyOf(bytes), url: `${url}`, type: 'default', isRedirected: false });
}
function percentDecoded(text) {
  const bytes = new shelf.globals.TextEncoder().encode(text);
  const made = [];
  for (let i = 0; i < bytes.length; i += 1) {
    const hex = bytes[i] === 37 ? /^[0-9a-f]{2}$/i.exec(String.fromCharCode(bytes[i + 1], bytes[i + 2])) : null;
    if (hex === null) made.push(bytes[i]);
    else { made.push(parseInt(hex[0], 16)); i += 2; }
  }
  return Uint8Array.from(made);
}
function fetch(input, init = undefined) {
  if (arguments.length === 0) return Promise.reject(new TypeError("fetch: 1 argument required, but 0 found."));
  let request;
  try { request = new Request(input, init); } catch (error) { return Promise.reject(error); }
  return run(request);
}

for (const [made, names] of [[Request, ['method', 'url', 'headers', 'redirect', 'signal', 'duplex', 'keepalive', 'destination', 'referrer', 'referrerPolicy', 'mode', 'credentials', 'cache', 'integrity', 'clone']], [Response, ['type', 'url', 'redirected', 'status', 'ok', 'statusText', 'headers', 'clone']]]) {
  for (const name of names) Object.defineProperty(made.prototype, name, { enumerable: true });
  Object.defineProperty(made.prototype, Symbol.toStringTag, { value: made.name, configurable: true });
}
Object.assign(shelf.globals, { Request, Response, fetch });
shelf.fetching = { fieldsText, makeRequest: (parts) => new Request(ownParts, parts), makeResponse, requestOf, responseOf, wait };
