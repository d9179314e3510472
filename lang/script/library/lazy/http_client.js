// SPDX-License-Identifier: Apache-2.0
// node:http, part 8: ClientRequest.
'use strict';
const { base, builtins } = shelf;
const { argumentType, argumentValue, coded, checks } = base;
const { Parser, freeParser, isToken, failure, connectionReset } = shelf.httpParser;
const { IncomingMessage } = shelf.httpIncoming;
const { OutgoingMessage, kHeaders, kNeedDrain, kUnique, parseUnique } = shelf.httpOutgoing;
const { Agent, state, onFreeSocketError } = shelf.httpAgent;
const { finished, addAbortSignal } = builtins.stream;
const { net } = builtins;

const kError = Symbol('kError');
const withoutBody = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'];
const isInformational = (status) => status < 200 && status >= 100 && status !== 101;

// ---- The request ----

function checkHost(host, name) {
  if (host !== null && host !== undefined && typeof host !== 'string') throw argumentType(`options.${name}`, ['string', 'undefined', 'null'], host);
  return host;
}
function optionsOf(input, given) {
  if (typeof input === 'string') return { ...builtins.url.urlToHttpOptions(new shelf.globals.URL(input)), ...given };
  if (input instanceof shelf.globals.URL) return { ...builtins.url.urlToHttpOptions(input), ...given };
  return input;
}
function agentOf(request, options) {
  const { agent } = options;
  const fallback = options._defaultAgent || state.globalAgent;
  if (agent === false) return new fallback.constructor();
  if (agent === null || agent === undefined) return typeof options.createConnection === 'function' ? undefined : fallback;
  if (typeof agent.addRequest !== 'function') throw argumentType('options.agent', ['Agent-like Object', 'undefined', 'false'], agent);
  return agent;
}
function setHead(request, options, { host, port, defaultPort, setHost }) {
  if (Array.isArray(options.headers)) {
    request._storeHeader(`${request.method} ${request.path} HTTP/1.1\r\n`, options.headers);
    return;
  }
  if (options.headers) for (const key of Object.keys(options.headers)) request.setHeader(key, options.headers[key]);
  if (host && !request.getHeader('host') && setHost) {
    let shown = host.includes(':') && host.includes(':', host.indexOf(':') + 1) && !host.startsWith('[') ? `[${host}]` : host;
    if (port && +port !== defaultPort) shown += `:${port}`;
    request.setHeader('Host', shown);
  }
  if (options.auth && !request.getHeader('Authorization')) request.setHeader('Authorization', `Basic ${shelf.Buffer.from(options.auth).toString('base64')}`);
  if (request.getHeader('expect')) {
    if (request._header) throw failure('ERR_HTTP_HEADERS_SENT', 'render');
    request._storeHeader(`${request.method} ${request.path} HTTP/1.1\r\n`, request[kHeaders]);
  }
}
function connect(request, given) {
  if (request.agent) {
    request.agent.addRequest(request, given);
    return;
  }
  request._last = true;
  request.shouldKeepAlive = false;
  let options = given;
  if (options.path || options.socketPath) options = { ...options, path: options.socketPath || undefined };
  if (typeof options.createConnection !== 'function') {
    request.onSocket(net.createConnection(options));
    return;
  }
  let isDone = false;
  const done = (error, socket) => {
    if (isDone) return;
    isDone = true;
    if (error) shelf.nextTick(() => request.emit('error', error));
    else request.onSocket(socket);
  };
  try {
    const made = options.createConnection(options, done);
    if (made) done(null, made);
  } catch (error) { done(error); }
}
function ClientRequest(input, second, third) {
  base.apply(OutgoingMessage, this, []);
  let [options, callback] = [second, third];
  if (typeof options === 'function') [options, callback] = [undefined, options];
  const isUrl = typeof input === 'string' || input instanceof shelf.globals.URL;
  if (!isUrl) {
    callback = typeof second === 'function' ? second : third ?? second;
    options = { ...input };
    callback = typeof callback === 'function' ? callback : undefined;
  } else options = optionsOf(input, options);
  const agent = agentOf(this, options);
  this.agent = agent;
  const protocol = options.protocol || (agent ?? options._defaultAgent ?? state.globalAgent).protocol;
  const expected = agent?.protocol ?? (options._defaultAgent ?? state.globalAgent).protocol;
  if (options.path && /[^\u0021-\u00ff]/.test(String(options.path))) throw failure('ERR_UNESCAPED_CHARACTERS', 'Request path');
  if (protocol !== expected) throw failure('ERR_INVALID_PROTOCOL', protocol, expected);
  const defaultPort = options.defaultPort || agent?.defaultPort;
  const port = options.port = options.port || defaultPort || 80;
  const host = options.host = checkHost(options.hostname, 'hostname') || checkHost(options.host, 'host') || 'localhost';
  const setHost = options.setHost !== undefined ? Boolean(options.setHost) : true;
  this.socketPath = options.socketPath;
  if (options.timeout !== undefined) this.timeout = shelf.netSocket.checkDelay(options.timeout, 'timeout');
  const { signal } = options;
  if (signal) {
    addAbortSignal(signal, this);
    delete options.signal;
  }
  const { method } = options;
  if (method !== null && method !== undefined && typeof method !== 'string') throw argumentType('options.method', 'string', method);
  if (method) {
    if (!isToken(method)) throw coded(TypeError, 'ERR_INVALID_HTTP_TOKEN', `Method must be a valid HTTP token ["${method}"]`);
    this.method = method.toUpperCase();
  } else this.method = 'GET';
  if (options.maxHeaderSize !== undefined) checks.isNumber(options.maxHeaderSize, 'maxHeaderSize');
  this.maxHeaderSize = options.maxHeaderSize;
  if (options.insecureHTTPParser !== undefined) checks.isBoolean(options.insecureHTTPParser, 'options.insecureHTTPParser');
  this.insecureHTTPParser = options.insecureHTTPParser;
  if (options.joinDuplicateHeaders !== undefined) checks.isBoolean(options.joinDuplicateHeaders, 'options.joinDuplicateHeaders');
  this.joinDuplicateHeaders = options.joinDuplicateHeaders;
  this.path = options.path || '/';
  if (callback) this.once('response', callback);
  this.useChunkedEncodingByDefault = !withoutBody.includes(this.method);
  Object.assign(this, { _ended: false, res: null, aborted: false, timeoutCb: null, upgradeOrConnect: false, parser: null, maxHeadersCount: null, reusedSocket: false, host, protocol });
  if (agent) {
    // Without reuse there is nothing to keep alive for.
    const keeps = agent.keepAlive || Number.isFinite(agent.maxSockets);
    this._last = !keeps;
    this.shouldKeepAlive = Boolean(keeps);
  }
  setHead(this, options, { host, port, defaultPort, setHost });
  this[kUnique] = parseUnique(options.uniqueHeaders);
  connect(this, options);
}
Object.setPrototypeOf(ClientRequest.prototype, OutgoingMessage.prototype);
Object.setPrototypeOf(ClientRequest, OutgoingMessage);
Object.assign(ClientRequest.prototype, {
  _implicitHeader() {
    if (this._header) throw failure('ERR_HTTP_HEADERS_SENT', 'render');
    this._storeHeader(`${this.method} ${this.path} HTTP/1.1\r\n`, this[kHeaders]);
  },
  abort() {
    if (this.aborted) return;
    this.aborted = true;
    shelf.nextTick(() => this.emit('abort'));
    this.destroy();
  },
  destroy(error) {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.res?._dump();
    this[kError] = error;
    this.socket?.destroy(error);
    return this;
  },
  onSocket(socket, error) { shelf.nextTick(takeSocket, this, socket, error); },
  setTimeout(delay, callback) {
    if (this._ended) return this;
    listenTimeout(this);
    const time = shelf.netSocket.checkDelay(delay, 'msecs');
    if (callback) this.once('timeout', callback);
    if (this.socket) setSocketTimeout(this.socket, time);
    else this.once('socket', (socket) => setSocketTimeout(socket, time));
    return this;
  },
  clearTimeout(callback) { this.setTimeout(0, callback); },
  setNoDelay(isOn) { deferred(this, 'setNoDelay', [isOn]); },
  setSocketKeepAlive(isOn, delay) { deferred(this, 'setKeepAlive', [isOn, delay]); },
});
function deferred(request, method, args) {
  const call = () => { if (request.socket) base.apply(request.socket[method], request.socket, args); };
  if (!request.socket) request.once('socket', () => { if (request.socket.writable) call(); else request.socket.once('connect', call); });
  else if (request.socket.writable) call();
  else request.socket.once('connect', call);
}
function setSocketTimeout(socket, delay) {
  if (socket.connecting) socket.once('connect', () => socket.setTimeout(delay));
  else socket.setTimeout(delay);
}
function emitTimeout() { this._httpMessage?.emit('timeout'); }
function listenTimeout(request) {
  if (request.timeoutCb) return;
  request.timeoutCb = emitTimeout;
  if (request.socket) request.socket.once('timeout', emitTimeout);
  else request.on('socket', (socket) => socket.once('timeout', emitTimeout));
}

// ---- Its socket ----

function endWithout(request, given) {
  const error = !request.aborted && !given ? connectionReset('socket hang up') : given;
  if (error) request.emit('error', error);
  request._closed = true;
  request.emit('close');
}
function takeSocket(request, socket, error) {
  if (!request.destroyed && !error) {
    attach(request, socket);
    request._flush();
    return;
  }
  const why = request[kError] || error;
  if (!socket) { endWithout(request, why); return; }
  if (!error && request.agent && !socket.destroyed) {
    socket.emit('free');
    endWithout(request, why);
    return;
  }
  finished(socket.destroy(why), (ended) => {
    endWithout(request, ended?.code === 'ERR_STREAM_PREMATURE_CLOSE' ? why : ended || why);
  });
}
function attach(request, socket) {
  const parser = new Parser(true, request.maxHeaderSize, Boolean(request.insecureHTTPParser));
  parser.IncomingMessage = IncomingMessage;
  parser.socket = socket;
  parser.outgoing = request;
  if (typeof request.maxHeadersCount === 'number') parser.maxHeaderPairs = request.maxHeadersCount << 1;
  parser.joinDuplicateHeaders = request.joinDuplicateHeaders;
  parser.onIncoming = (response, keepsAlive) => onIncoming(request, socket, response, keepsAlive);
  request.socket = socket;
  request.parser = parser;
  socket.parser = parser;
  socket._httpMessage = request;
  socket.on('error', onError);
  socket.on('data', onData);
  socket.on('end', onEnd);
  socket.on('close', onClose);
  socket.on('drain', onDrain);
  if (request.timeout !== undefined || request.agent?.options?.timeout) listenTimeout(request);
  request.emit('socket', socket);
}
function detach(socket) {
  socket.removeListener('data', onData);
  socket.removeListener('end', onEnd);
}
function onDrain() {
  const message = this._httpMessage;
  if (message && !message.finished && message[kNeedDrain]) {
    message[kNeedDrain] = false;
    message.emit('drain');
  }
}
function onClose() {
  const request = this._httpMessage;
  const { parser } = this;
  this.read();
  const response = request.res;
  request.destroyed = true;
  if (response) {
    if (!response.complete) response.destroy(connectionReset('aborted'));
    request._closed = true;
    request.emit('close');
    if (!response.aborted && response.readable) response.push(null);
  } else {
    if (!this._hadError) {
      this._hadError = true;
      request.emit('error', connectionReset('socket hang up'));
    }
    request._closed = true;
    request.emit('close');
  }
  if (request.outputData) request.outputData.length = 0;
  if (parser) {
    parser.finish();
    freeParser(parser, request, this);
  }
}
function onError(error) {
  const request = this._httpMessage;
  const { parser } = this;
  if (request) {
    request.socket._hadError = true;
    request.emit('error', error);
  }
  if (parser) {
    parser.finish();
    freeParser(parser, request, this);
  }
  detach(this);
  this.destroy();
}
function onEnd() {
  const request = this._httpMessage;
  const { parser } = this;
  if (!request.res && !request.socket._hadError) {
    request.socket._hadError = true;
    request.emit('error', connectionReset('socket hang up'));
  }
  if (parser) {
    parser.finish();
    freeParser(parser, request, this);
  }
  this.end();
}
function onData(bytes) {
  const request = this._httpMessage;
  const { parser } = this;
  const made = parser.execute(bytes);
  if (made instanceof Error) {
    made.rawPacket = bytes;
    freeParser(parser, request, this);
    detach(this);
    this.removeListener('drain', onDrain);
    this.destroy();
    request.socket._hadError = true;
    request.emit('error', made);
  } else if (parser.incoming?.upgrade) leaveHttp(request, this, parser, bytes.subarray(made));
  else if (parser.incoming?.complete && !isInformational(parser.incoming.statusCode)) {
    detach(this);
    this.removeListener('drain', onDrain);
    freeParser(parser, request, this);
  }
}
function leaveHttp(request, socket, parser, head) {
  const response = parser.incoming;
  request.res = response;
  detach(socket);
  socket.removeListener('drain', onDrain);
  if (request.timeoutCb) socket.removeListener('timeout', request.timeoutCb);
  parser.finish();
  freeParser(parser, request, socket);
  const event = request.method === 'CONNECT' ? 'connect' : 'upgrade';
  if (request.listenerCount(event) === 0) {
    socket.destroy();
    return;
  }
  request.upgradeOrConnect = true;
  socket.emit('agentRemove');
  socket.removeListener('close', onClose);
  socket.removeListener('error', onError);
  socket._httpMessage = null;
  socket.readableFlowing = null;
  request.emit(event, response, socket, head);
  request.destroyed = true;
  request._closed = true;
  request.emit('close');
}

// ---- The response ----

function onIncoming(request, socket, response, keepsAlive) {
  if (request.res) {  // a second one
    socket.destroy();
    return;
  }
  request.res = response;
  if (response.upgrade) return;
  if (request.method === 'CONNECT') {
    response.upgrade = true;
    return;
  }
  if (isInformational(response.statusCode)) {
    request.res = null;
    if (response.statusCode === 100) request.emit('continue');
    const { statusCode, statusMessage, httpVersion, httpVersionMajor, httpVersionMinor, headers, rawHeaders } = response;
    request.emit('information', { statusCode, statusMessage, httpVersion, httpVersionMajor, httpVersionMinor, headers, rawHeaders });
    return;
  }
  if (request.shouldKeepAlive && !keepsAlive && !request.upgradeOrConnect) request.shouldKeepAlive = false;
  response.req = request;
  response.on('end', onResponseEnd);
  request.on('finish', onRequestFinish);
  if (request.aborted || !request.emit('response', response)) response._dump();
  if (response.statusCode === 304) response.complete = true;
}
function onResponseEnd() {
  const request = this.req;
  const { socket } = request;
  if (socket && request.timeoutCb) socket.removeListener('timeout', emitTimeout);
  request._ended = true;
  if (!request.shouldKeepAlive) {
    if (socket.writable) {
      if (typeof socket.destroySoon === 'function') socket.destroySoon();
      else socket.end();
    }
  } else if (request.writableFinished && !this.aborted) keepSocket(request);
}
function onRequestFinish() {
  if (this.shouldKeepAlive && this._ended) keepSocket(this);
}
function keepSocket(request) {
  const { socket } = request;
  if (request.timeoutCb) {
    socket.setTimeout(0, request.timeoutCb);
    request.timeoutCb = null;
  }
  socket.removeListener('close', onClose);
  socket.removeListener('error', onError);
  socket.removeListener('drain', onDrain);
  socket.once('error', onFreeSocketError);
  shelf.nextTick(() => {
    request._closed = true;
    request.emit('close');
    if (request.socket) {
      request.socket.removeListener('error', onFreeSocketError);
      request.socket.emit('free');
    }
  });
  request.destroyed = true;
  if (request.res) request.res.socket = socket;
}
shelf.httpClient = { ClientRequest };
