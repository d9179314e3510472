// SPDX-License-Identifier: Apache-2.0
// node:http, part 6: Server: connections, pipelined requests, timeouts.
'use strict';
const { base, builtins } = shelf;
const { argumentType, argumentValue, outOfRange, checks } = base;
const { Parser, freeParser, copied, headBits, failure, connectionReset } = shelf.httpParser;
const { IncomingMessage, hasField } = shelf.httpIncoming;
const { kNeedDrain, kUnique, parseUnique } = shelf.httpOutgoing;
const { ServerResponse, emitClose } = shelf.httpResponse;
const { net } = builtins;

const kIncoming = Symbol('IncomingMessage');
const kResponse = Symbol('ServerResponse');
const kConnections = Symbol('http.server.connections');
const kChecking = Symbol('http.server.connectionsCheckingInterval');
const noop = () => {};
const refusals = {
  __proto__: null,
  HPE_HEADER_OVERFLOW: 'HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'HTTP/1.1 413 Payload Too Large\r\nConnection: close\r\n\r\n',
  ERR_HTTP_REQUEST_TIMEOUT: 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n',
};
const badRequest = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n';

// ---- Options ----

function integerOption(options, name, fallback, min = 0) {
  const value = options[name];
  if (value === undefined) return fallback;
  checks.isNumber(value, name);
  if (!Number.isInteger(value)) throw outOfRange(name, 'an integer', value);
  if (value < min) throw outOfRange(name, `>= ${min} && <= ${Number.MAX_SAFE_INTEGER}`, value);
  return value;
}
function storeOptions(server, options) {
  server[kIncoming] = options.IncomingMessage || IncomingMessage;
  server[kResponse] = options.ServerResponse || ServerResponse;
  server.maxHeaderSize = integerOption(options, 'maxHeaderSize', undefined);
  if (options.insecureHTTPParser !== undefined) checks.isBoolean(options.insecureHTTPParser, 'options.insecureHTTPParser');
  server.insecureHTTPParser = options.insecureHTTPParser;
  for (const name of ['requireHostHeader', 'joinDuplicateHeaders', 'rejectNonStandardBodyWrites']) if (options[name] !== undefined) checks.isBoolean(options[name], `options.${name}`);
  server.requestTimeout = integerOption(options, 'requestTimeout', 300000);
  server.headersTimeout = integerOption(options, 'headersTimeout', Math.min(60000, server.requestTimeout || 60000));
  if (server.requestTimeout > 0 && server.headersTimeout > 0 && server.headersTimeout > server.requestTimeout) throw base.coded(RangeError, 'ERR_OUT_OF_RANGE', `The value of "headersTimeout" is out of range. It must be <= requestTimeout. Received ${server.headersTimeout}`);
  server.keepAliveTimeout = integerOption(options, 'keepAliveTimeout', 5000);
  server.connectionsCheckingInterval = integerOption(options, 'connectionsCheckingInterval', 30000);
  server.requireHostHeader = options.requireHostHeader ?? true;
  server.joinDuplicateHeaders = options.joinDuplicateHeaders;
  server.rejectNonStandardBodyWrites = options.rejectNonStandardBodyWrites ?? false;
  server[kUnique] = parseUnique(options.uniqueHeaders);
}
function initServer(server, options) {
  server.httpAllowHalfOpen = false;
  server.timeout = 0;
  server.maxHeadersCount = null;
  server.maxRequestsPerSocket = 0;
  server[kConnections] = new Set();
  storeOptions(server, options);
  server.on('listening', () => {
    shelf.clearInterval(server[kChecking]);
    server[kChecking] = shelf.setInterval(() => checkConnections(server), server.connectionsCheckingInterval).unref();
  });
}
function Server(given, listener) {
  if (!(this instanceof Server)) return new Server(given, listener);
  let [options, onRequest] = [given, listener];
  if (typeof options === 'function') [options, onRequest] = [{}, options];
  else if (options === undefined || options === null) options = {};
  else checks.isObject(options, 'options');
  base.apply(net.Server, this, [{ ...options, allowHalfOpen: true, noDelay: options.noDelay ?? true }]);
  initServer(this, options);
  if (onRequest) this.on('request', onRequest);
  this.on('connection', onConnection);
}
Object.setPrototypeOf(Server.prototype, net.Server.prototype);
Object.setPrototypeOf(Server, net.Server);
const methods = {
  close(...args) {
    this.closeIdleConnections();
    shelf.clearInterval(this[kChecking]);
    base.apply(net.Server.prototype.close, this, args);
    return this;
  },
  closeAllConnections() { for (const state of [...this[kConnections]]) state.socket.destroy(); },
  closeIdleConnections() {
    for (const { parser, socket, hasBegun } of [...this[kConnections]]) {
      if (!hasBegun || parser.beganAt !== 0 || (socket._httpMessage && !socket._httpMessage.finished)) continue;
      socket.destroy();
    }
  },
  setTimeout(delay, callback) {
    this.timeout = delay;
    if (callback) this.on('timeout', callback);
    return this;
  },
};
Object.assign(Server.prototype, methods);
Server.prototype[Symbol.for('nodejs.rejection')] = function onRejection(error, event, ...args) {
  if (event !== 'request') return;
  const [, response] = args;
  if (!response.headersSent && !response.writableEnded) {
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    response.statusCode = 500;
    response.end('Internal Server Error');
  } else response.destroy();
};

// Requests that take too long to arrive.
function checkConnections(server) {
  if (server.headersTimeout === 0 && server.requestTimeout === 0) return;
  const now = base.natives.now();
  for (const state of [...server[kConnections]]) {
    const { beganAt, hasHead } = state.parser;
    if (beganAt === 0) continue;
    const limit = hasHead ? server.requestTimeout : Math.min(server.headersTimeout || Infinity, server.requestTimeout || Infinity);
    if (limit > 0 && now - beganAt > limit) base.apply(onSocketError, state.socket, [failure('ERR_HTTP_REQUEST_TIMEOUT')]);
  }
}

// ---- A connection ----

function onConnection(socket) {
  const server = this;
  socket.removeListener('drain', onDrain);
  if (socket.server === null || socket.server === undefined) socket.server = server;
  if (server.timeout && typeof socket.setTimeout === 'function') socket.setTimeout(server.timeout);
  socket.on('timeout', onTimeout);
  const parser = new Parser(false, server.maxHeaderSize, Boolean(server.insecureHTTPParser));
  parser.IncomingMessage = server[kIncoming];
  parser.socket = socket;
  parser.joinDuplicateHeaders = server.joinDuplicateHeaders;
  parser.beganAt = base.natives.now();
  socket.parser = parser;
  if (typeof server.maxHeadersCount === 'number') parser.maxHeaderPairs = server.maxHeadersCount << 1;
  const state = { server, socket, parser, outgoing: [], incoming: [], outgoingData: 0, requestsCount: 0, keepAliveTimeoutSet: false, hasBegun: false };
  server[kConnections].add(state);
  state.onData = (bytes) => onData(state, bytes);
  state.onEnd = () => onEnd(state);
  if (socket._handle) socket._handle.consumer = { isReady: () => isOnlyReader(state), take: (memory, size) => consume(state, memory, size) };
  state.onClose = () => onClose(state);
  state.onDrain = () => resume(state);
  socket.on('error', onSocketError);
  socket.on('close', state.onClose);
  socket.on('end', state.onEnd);
  socket.on('data', state.onData);
  socket.on('drain', onDrain);
  socket.on('drain', state.onDrain);
  parser.onIncoming = (request, keepsAlive) => onIncoming(state, request, keepsAlive);
  socket.setEncoding = function setEncoding() { throw failure('ERR_HTTP_SOCKET_ENCODING'); };
  socket._paused = false;
}
function onDrain() {
  const message = this._httpMessage;
  if (message && !message.finished && message[kNeedDrain]) {
    message[kNeedDrain] = false;
    message.emit('drain');
  }
}
function resume(state) {
  const { socket } = state;
  if (!socket._paused || state.outgoingData > socket.writableHighWaterMark) return;
  socket._paused = false;
  socket.resume();
}
function onTimeout() {
  const request = this.parser?.incoming;
  const ofRequest = request && !request.complete && request.emit('timeout', this);
  const ofResponse = this._httpMessage?.emit('timeout', this);
  const ofServer = this.server.emit('timeout', this);
  if (!ofRequest && !ofResponse && !ofServer) this.destroy();
}
function onClose(state) {
  freeParser(state.parser, null, state.socket);
  state.server[kConnections].delete(state);
  while (state.incoming.length) state.incoming.shift().destroy(connectionReset('aborted'));
}
function onEnd(state) {
  const { server, socket, parser, outgoing } = state;
  const error = parser.finish();
  if (error !== undefined) {
    base.apply(onSocketError, socket, [error]);
  } else if (!server.httpAllowHalfOpen) socket.end();
  else if (outgoing.length) outgoing[outgoing.length - 1]._last = true;
  else if (socket._httpMessage) socket._httpMessage._last = true;
  else socket.end();
}
function onSocketError(error) {
  this.removeListener('error', onSocketError);
  if (this.listenerCount('error') === 0) this.on('error', noop);
  if (this.server.emit('clientError', error, this)) return;
  if (this.writable && (!this._httpMessage || !this._httpMessage._headerSent)) this.write(refusals[error.code] ?? badRequest, 'latin1');
  this.destroy(error);
}
// Bytes go from the handle to the parser, past the stream, while nobody else reads it.
function isOnlyReader({ socket, onData: listener }) {
  const { _events: events, _readableState: readable } = socket;
  return events.data === listener && events.readable === undefined && readable.flowing && readable.length === 0;
}
function consume(state, memory, size) {
  state.socket._unrefTimer();
  onData(state, memory, size);
}
// With a size the bytes are in memory that is borrowed for the call.
function onData(state, bytes, size) {
  const { socket, parser } = state;
  state.hasBegun = true;
  const made = parser.execute(bytes, size);
  const own = () => (size === undefined ? bytes : copied(bytes, size));
  if (made instanceof Error) {
    made.rawPacket = own();
    base.apply(onSocketError, socket, [made]);
  } else if (parser.incoming?.upgrade) leaveHttp(state, own().subarray(made));
  else if (parser.incoming?.method === 'PRI') socket.destroy();
  else if (parser.isMidway && parser.beganAt === 0) parser.beganAt = base.natives.now();
}
// What follows on the connection is the business of a listener.
function leaveHttp(state, head) {
  const { server, socket, parser } = state;
  const request = parser.incoming;
  socket.removeListener('data', state.onData);
  socket.removeListener('end', state.onEnd);
  socket.removeListener('close', state.onClose);
  socket.removeListener('drain', state.onDrain);
  socket.removeListener('drain', onDrain);
  socket.removeListener('error', onSocketError);
  socket.removeListener('timeout', onTimeout);
  delete socket.setEncoding;
  parser.finish();
  freeParser(parser, request, socket);
  server[kConnections].delete(state);
  const event = request.method === 'CONNECT' ? 'connect' : 'upgrade';
  if (server.listenerCount(event) > 0) {
    socket.readableFlowing = null;
    server.emit(event, request, socket, head);
  } else socket.destroy();
}

// ---- A request ----

function resetTimeout(state) {
  if (!state.keepAliveTimeoutSet) return;
  state.socket.setTimeout(state.server.timeout || 0);
  state.keepAliveTimeoutSet = false;
}
function onIncoming(state, request, keepsAlive) {
  const { server, socket } = state;
  resetTimeout(state);
  if (request.upgrade) {
    request.upgrade = request.method === 'CONNECT' || server.listenerCount('upgrade') > 0;
    if (request.upgrade) return;
  }
  state.incoming.push(request);
  if (!socket._paused && (socket._writableState.needDrain || state.outgoingData >= socket.writableHighWaterMark)) {
    socket._paused = true;
    socket.pause();
  }
  const response = new server[kResponse](request, { highWaterMark: socket.writableHighWaterMark, rejectNonStandardBodyWrites: server.rejectNonStandardBodyWrites });
  response._keepAliveTimeout = server.keepAliveTimeout;
  response._maxRequestsPerSocket = server.maxRequestsPerSocket;
  response._onPendingData = (delta) => {
    state.outgoingData += delta;
    if (socket._paused && state.outgoingData < socket.writableHighWaterMark) resume(state);
  };
  response.shouldKeepAlive = keepsAlive;
  response[kUnique] = server[kUnique];
  if (socket._httpMessage) state.outgoing.push(response);
  else response.assignSocket(socket);
  response.on('finish', () => onFinish(state, request, response));
  if (request.httpVersionMajor === 1 && request.httpVersionMinor === 1) {
    if (server.requireHostHeader && !hasField(request, 'host', headBits.hasHost)) {
      response.writeHead(400, ['Connection', 'close']);
      response.end();
      return;
    }
    const isLimited = typeof server.maxRequestsPerSocket === 'number' && server.maxRequestsPerSocket > 0;
    if (isLimited) {
      state.requestsCount += 1;
      response.maxRequestsOnConnectionReached = server.maxRequestsPerSocket <= state.requestsCount;
    }
    if (isLimited && server.maxRequestsPerSocket < state.requestsCount) {
      server.emit('dropRequest', request, socket);
      response.writeHead(503);
      response.end();
      return;
    }
    if (hasField(request, 'expect', headBits.hasExpect)) {
      expectation(server, request, response);
      return;
    }
  }
  server.emit('request', request, response);
}
function expectation(server, request, response) {
  if (/(?:^|\W)100-continue(?:$|\W)/i.test(request.headers.expect)) {
    response._expect_continue = true;
    if (server.listenerCount('checkContinue') > 0) server.emit('checkContinue', request, response);
    else {
      response.writeContinue();
      server.emit('request', request, response);
    }
  } else if (server.listenerCount('checkExpectation') > 0) server.emit('checkExpectation', request, response);
  else {
    response.writeHead(417);
    response.end();
  }
}
function clearIncoming(request) {
  const parser = request.socket?.parser;
  if (parser?.incoming !== request) return;
  if (request.readableEnded) parser.incoming = null;
  else request.on('end', () => clearIncoming(request));
}
function onFinish(state, request, response) {
  const { server, socket } = state;
  state.incoming.shift();
  // Nobody has read it: what comes of it is dropped.
  if (!request._consumed) request._dump();
  response.detachSocket(socket);
  clearIncoming(request);
  shelf.nextTick(emitClose, response);
  if (response._last) {
    if (typeof socket.destroySoon === 'function') socket.destroySoon();
    else socket.end();
  } else if (state.outgoing.length === 0) {
    if (server.keepAliveTimeout && typeof socket.setTimeout === 'function') {
      socket.setTimeout(server.keepAliveTimeout);
      state.keepAliveTimeoutSet = true;
    }
  } else state.outgoing.shift()?.assignSocket(socket);
}
shelf.httpServer = { Server, onConnection, initServer, methods };
