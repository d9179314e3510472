// SPDX-License-Identifier: Apache-2.0
// WebSocket, as in browsers and Node 22, over node:http and node:https. What is sent and not taken by
// the system counts in bufferedAmount; a peer that reads nothing is not answered with a queue of pongs.
'use strict';
shelf.load('web_bodies');
shelf.load('message_event');
shelf.load('web_socket_frames');
const { base, builtins, globals } = shelf;
const { URL, EventTarget, Event, DOMException, Blob } = globals;
const { opcodes, FrameReader, FrameError, frameOf, closePayload, controlBytesMax } = shelf.webSocketFrames;

const [connecting, open, closing, closed] = [0, 1, 2, 3];
// Of a message that comes; a longer one ends the connection with the code 1009.
const messageBytesMax = 128 << 20;
// Of what is sent and has not left; send() beyond it ends the connection.
const unsentBytesMax = 256 << 20;
// How long a close frame waits for its answer, and for the end of the connection.
const closeMilliseconds = 3000;
const acceptKey = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const isToken = (text) => typeof text === 'string' && /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(text);
const randomBytes = (count) => { const made = new Uint8Array(count); base.natives.fillRandom(made); return made; };
const bytesOf = (view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
const syntaxError = (text) => new DOMException(text, 'SyntaxError');

class CloseEvent extends Event {
  #wasClean; #code; #reason;
  constructor(type, { wasClean = false, code = 0, reason = '', ...options } = {}) {
    super(type, options);
    this.#wasClean = Boolean(wasClean);
    this.#code = code & 0xffff;
    this.#reason = `${reason}`;
  }
  get wasClean() { return this.#wasClean; }
  get code() { return this.#code; }
  get reason() { return this.#reason; }
}
Object.defineProperty(CloseEvent.prototype, Symbol.toStringTag, { value: 'CloseEvent', configurable: true });
function errorEvent(error) {
  const event = new Event('error');
  Object.defineProperties(event, { error: { value: error, enumerable: true }, message: { value: error.message, enumerable: true } });
  return event;
}

function addressOf(given) {
  let url;
  try { url = new URL(`${given}`); } catch { throw syntaxError(`Invalid URL: ${given}`); }
  if (url.protocol === 'http:') url.protocol = 'ws:';
  else if (url.protocol === 'https:') url.protocol = 'wss:';
  if (url.protocol !== 'ws:' && url.protocol !== 'wss:') throw syntaxError(`Expected a ws: or wss: protocol, got ${url.protocol}`);
  if (url.hash !== '' || url.href.endsWith('#')) throw syntaxError('Got fragment');
  return url;
}
function protocolsOf(given) {
  const list = typeof given === 'string' ? [given] : [...given];
  const names = list.map((name) => `${name}`);
  if (!names.every(isToken) || new Set(names.map((name) => name.toLowerCase())).size !== names.length) throw syntaxError('Invalid Sec-WebSocket-Protocol value');
  return names;
}

class WebSocket extends EventTarget {
  #url;
  #protocols;
  #protocol = '';
  #state = connecting;
  #binaryType = 'blob';
  #request;
  #socket;
  #reader;
  #unsent = 0;
  #hasSentClose = false;
  #peer;  // {code, reason} of the peer's close frame
  #failure;
  #timer;
  #isPongUnsent = false;
  #nextPong;
  #handlers = { __proto__: null };
  constructor(url, given = []) {
    if (arguments.length === 0) throw base.coded(TypeError, 'ERR_MISSING_ARGS', 'The "url" argument must be specified');
    super();
    const options = typeof given === 'object' && given !== null && typeof given[Symbol.iterator] !== 'function' ? given : { protocols: given };
    this.#url = addressOf(url);
    this.#protocols = protocolsOf(options.protocols ?? []);
    this.#connect(options.headers);
  }
  get url() { return this.#url.href; }
  get readyState() { return this.#state; }
  get protocol() { return this.#protocol; }
  get extensions() { return ''; }
  get bufferedAmount() { return this.#unsent; }
  get binaryType() { return this.#binaryType; }
  set binaryType(type) { this.#binaryType = type === 'arraybuffer' ? 'arraybuffer' : 'blob'; }

  send(data) {
    if (arguments.length === 0) throw base.coded(TypeError, 'ERR_MISSING_ARGS', 'The "data" argument must be specified');
    if (this.#state === connecting) throw new DOMException('Sent before connected.', 'InvalidStateError');
    const isText = !(data instanceof Blob) && !ArrayBuffer.isView(data) && !builtins.util.types.isAnyArrayBuffer(data);
    const bytes = isText ? new TextEncoder().encode(`${data}`) : data instanceof Blob ? shelf.bodies.blobBytes(data) : ArrayBuffer.isView(data) ? bytesOf(data) : new Uint8Array(data);
    if (this.#state !== open) {
      this.#unsent += bytes.length;  // As the standard says: it never leaves.
      return;
    }
    if (this.#unsent + bytes.length > unsentBytesMax) {
      this.#fail(new Error(`more than ${unsentBytesMax} bytes wait to be sent`), 1011);
      return;
    }
    this.#unsent += bytes.length;
    this.#write(isText ? opcodes.text : opcodes.binary, bytes, () => { this.#unsent -= bytes.length; });
  }
  close(code = undefined, reason = undefined) {
    let number;
    if (code !== undefined) {
      number = Math.min(Math.max(Math.trunc(Number(code)) || 0, 0), 65535);
      if (number !== 1000 && !(number >= 3000 && number <= 4999)) throw new DOMException('invalid code', 'InvalidAccessError');
    }
    const words = new TextEncoder().encode(reason === undefined ? '' : `${reason}`);
    if (words.length > controlBytesMax - 2) throw syntaxError(`Reason must be less than ${controlBytesMax - 1} bytes; received ${words.length}`);
    if (this.#state >= closing) return;
    if (this.#state === connecting) {
      this.#fail(new Error('WebSocket was closed before the connection was established'));
      return;
    }
    this.#state = closing;
    if (number === undefined && words.length > 0) number = 1000;
    this.#sendClose(number === undefined ? new Uint8Array(0) : closePayload(number, words));
  }

  // ---- The handshake ----

  #connect(given) {
    const isSecure = this.#url.protocol === 'wss:';
    const key = shelf.Buffer.from(randomBytes(16)).toString('base64');
    const headers = {};
    for (const [name, value] of given === undefined ? [] : new globals.Headers(given)) headers[name] = value;
    Object.assign(headers, { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Key': key, 'Sec-WebSocket-Version': '13' });
    if (this.#protocols.length > 0) headers['Sec-WebSocket-Protocol'] = this.#protocols.join(', ');
    const { hostname, port, pathname, search, username, password } = this.#url;
    if (username !== '' || password !== '') headers.Authorization = `Basic ${shelf.Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`;
    let request;
    try {
      request = (isSecure ? builtins.https : builtins.http).request({ host: hostname.replace(/^\[|\]$/g, ''), port: port || (isSecure ? 443 : 80), path: pathname + search, headers, agent: false });
    } catch (error) {
      shelf.nextTick(() => this.#fail(error));
      return;
    }
    this.#request = request;
    request.on('error', (error) => this.#fail(error));
    request.on('response', (response) => {
      response.destroy();
      this.#fail(new Error(`Received network error or non-101 status code: ${response.statusCode}`));
    });
    request.on('upgrade', (response, socket, head) => this.#upgrade(response, socket, head, key));
    request.end();
  }
  #refusal({ statusCode, headers }, key) {
    if (statusCode !== 101) return `Received network error or non-101 status code: ${statusCode}`;
    if (headers.upgrade?.toLowerCase() !== 'websocket') return 'Server did not set Upgrade header to "websocket".';
    if (!/(^|[ ,])upgrade($|[ ,])/i.test(headers.connection ?? '')) return 'Server did not set Connection header to "upgrade".';
    if (headers['sec-websocket-accept'] !== builtins.crypto.createHash('sha1').update(key + acceptKey).digest('base64')) return 'Incorrect hash received in Sec-WebSocket-Accept header.';
    if (headers['sec-websocket-extensions'] !== undefined) return 'Sec-WebSocket-Extensions header was not requested.';
    const protocol = headers['sec-websocket-protocol'];
    if (protocol !== undefined && !this.#protocols.includes(protocol)) return 'Protocol was not set in the opening handshake.';
    return undefined;
  }
  #upgrade(response, socket, head, key) {
    this.#request = undefined;
    if (this.#state !== connecting) { socket.destroy(); return; }
    this.#socket = socket;
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#finish());
    const refusal = this.#refusal(response, key);
    if (refusal !== undefined) { this.#fail(new Error(refusal)); return; }
    this.#protocol = response.headers['sec-websocket-protocol'] ?? '';
    this.#state = open;
    this.#reader = new FrameReader(messageBytesMax, (kind, value) => this.#take(kind, value));
    socket.setTimeout(0);
    socket.setNoDelay(true);
    socket.on('data', (bytes) => this.#feed(bytes));
    this.dispatchEvent(new Event('open'));
    if (head.length > 0 && this.#state !== closed) this.#feed(head);
  }

  // ---- Frames ----

  #feed(bytes) {
    try { this.#reader.feed(bytes); } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.#fail(error, error.code);
    }
  }
  #take(kind, value) {
    if (kind === 'ping') this.#pong(value);
    else if (kind === 'close') this.#closedByPeer(value);
    else if (kind !== 'pong' && this.#state === open) {
      const data = kind === 'text' ? value : this.#binaryType === 'blob' ? new Blob([value]) : value.buffer;
      this.dispatchEvent(new globals.MessageEvent('message', { data, origin: this.#url.origin }));
    }
  }
  // One pong at a time; of pings that come meanwhile the last one is answered.
  #pong(payload) {
    if (this.#hasSentClose) return;
    this.#nextPong = payload;
    if (this.#isPongUnsent) return;
    this.#nextPong = undefined;
    this.#isPongUnsent = true;
    this.#write(opcodes.pong, payload, () => {
      this.#isPongUnsent = false;
      if (this.#nextPong !== undefined && this.#state === open) this.#pong(this.#nextPong);
    });
  }
  #closedByPeer(peer) {
    this.#peer = peer;
    if (this.#state === open) this.#state = closing;
    this.#sendClose(peer.code === 1005 ? new Uint8Array(0) : closePayload(peer.code, new Uint8Array(0)));
  }
  #sendClose(payload) {
    if (this.#hasSentClose) return;
    this.#hasSentClose = true;
    this.#write(opcodes.close, payload, () => {});
    this.#timer = shelf.setTimeout(() => this.#socket?.destroy(), closeMilliseconds);
  }
  #write(opcode, payload, done) {
    const frame = frameOf(opcode, payload, randomBytes(4));
    this.#socket.write(shelf.Buffer.from(frame.buffer), () => done());
  }

  // ---- Its end ----

  // The connection fails; a code is told to the peer.
  #fail(error, code = undefined) {
    if (this.#state === closed || this.#failure !== undefined) return;
    this.#failure = error;
    this.#request?.destroy();
    if (this.#socket === undefined || this.#socket.destroyed) {
      shelf.nextTick(() => this.#finish());
      this.#state = closing;
      return;
    }
    this.#state = closing;
    if (code === undefined || this.#hasSentClose) { this.#socket.destroy(); return; }
    this.#sendClose(closePayload(code, new Uint8Array(0)));
    this.#socket.end();
  }
  #finish() {
    if (this.#state === closed) return;
    this.#state = closed;
    shelf.clearTimeout(this.#timer);
    const wasClean = this.#failure === undefined && this.#peer !== undefined && this.#hasSentClose;
    if (this.#failure !== undefined) this.dispatchEvent(errorEvent(this.#failure));
    const { code, reason } = this.#failure === undefined && this.#peer !== undefined ? this.#peer : { code: 1006, reason: '' };
    this.dispatchEvent(new CloseEvent('close', { wasClean, code, reason }));
  }

  // ---- onopen, onmessage, onerror, onclose ----

  #on(type) { return this.#handlers[type]?.handler ?? null; }
  #setOn(type, handler) {
    const old = this.#handlers[type];
    if (old !== undefined) this.removeEventListener(type, old.listener);
    this.#handlers[type] = undefined;
    if (typeof handler !== 'function') return;
    const listener = (event) => base.apply(handler, this, [event]);
    this.#handlers[type] = { handler, listener };
    this.addEventListener(type, listener);
  }
  get onopen() { return this.#on('open'); }
  set onopen(handler) { this.#setOn('open', handler); }
  get onmessage() { return this.#on('message'); }
  set onmessage(handler) { this.#setOn('message', handler); }
  get onerror() { return this.#on('error'); }
  set onerror(handler) { this.#setOn('error', handler); }
  get onclose() { return this.#on('close'); }
  set onclose(handler) { this.#setOn('close', handler); }
}
for (const [name, value] of [['CONNECTING', connecting], ['OPEN', open], ['CLOSING', closing], ['CLOSED', closed]]) {
  for (const owner of [WebSocket, WebSocket.prototype]) Object.defineProperty(owner, name, { value, enumerable: true, configurable: false, writable: false });
}
for (const name of Object.getOwnPropertyNames(WebSocket.prototype)) if (name !== 'constructor') Object.defineProperty(WebSocket.prototype, name, { enumerable: true });
Object.defineProperty(WebSocket.prototype, Symbol.toStringTag, { value: 'WebSocket', configurable: true });
Object.assign(globals, { WebSocket, CloseEvent });
