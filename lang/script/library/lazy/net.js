// SPDX-License-Identifier: Apache-2.0
// node:net: Server, and what the module has.
'use strict';
shelf.load('net_connect');
const { base, builtins, netAddress } = shelf;
const { coded, argumentType, argumentValue, outOfRange, checks } = base;
const { isIP, bytesOf, checkPort, wordyError, systemError } = netAddress;
const { Handle } = shelf.netHandle;
const { Socket, kServer, kSettings, setKeepAlive, state } = shelf.netSocket;
const { connect, normalizeArgs, toNumber } = shelf.netConnect;
const EventEmitter = builtins.events;

const anyIPv6 = '::';
const anyIPv4 = '0.0.0.0';
const nothing = new Uint8Array(0);

function Server(given, listener) {
  if (!(this instanceof Server)) return new Server(given, listener);
  base.apply(EventEmitter, this, []);
  let options = given;
  let onConnection = listener;
  if (typeof given === 'function') {
    onConnection = given;
    options = {};
  } else if (given === undefined || given === null) options = {};
  else if (typeof given !== 'object') throw argumentType('options', 'Object', given);
  options = { ...options };
  if (typeof onConnection === 'function') this.on('connection', onConnection);
  if (options.keepAliveInitialDelay !== undefined) {
    checks.isNumber(options.keepAliveInitialDelay, 'options.keepAliveInitialDelay');
    if (options.keepAliveInitialDelay < 0) options.keepAliveInitialDelay = 0;
  }
  if (options.highWaterMark !== undefined) checks.isNumber(options.highWaterMark, 'options.highWaterMark');
  this._connections = 0;
  this._handle = null;
  this._unref = false;
  this.allowHalfOpen = options.allowHalfOpen || false;
  this.pauseOnConnect = Boolean(options.pauseOnConnect);
  this.noDelay = Boolean(options.noDelay);
  this.keepAlive = Boolean(options.keepAlive);
  this.keepAliveInitialDelay = ~~((options.keepAliveInitialDelay ?? 0) / 1000);
  this.highWaterMark = options.highWaterMark;
}
Object.setPrototypeOf(Server.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Server, EventEmitter);

// ---- Listening ----

function listenNow(server, { path, address, port, backlog }) {
  let handle = new Handle();
  handle.isPipe = path !== undefined;
  let at = address;
  let status;
  if (path !== undefined) status = path.length > 107 ? -22 : handle.listen(path, nothing, 0, backlog);
  else if (at === undefined) {
    // Both families, or IPv4 alone where there is no IPv6.
    at = anyIPv6;
    status = handle.listen('', bytesOf(at), port, backlog);
    if (status === -97 || status === -22 || status === -99) {
      handle.close();
      handle = new Handle();
      at = anyIPv4;
      status = handle.listen('', bytesOf(at), port, backlog);
    }
  } else status = handle.listen('', bytesOf(at), port, backlog);
  if (status !== 0) {
    handle.close();
    const error = typeof status === 'string' ? base.denied(status, 'net', `${at}:${port}`) : wordyError(status, 'listen', path ?? at, port);
    if (path === undefined && address === undefined && typeof status !== 'string') error.address = at;
    shelf.nextTick(() => server.emit('error', error));
    return;
  }
  server._connectionKey = path !== undefined ? `-1:${path}:-1` : `${at.includes(':') ? 6 : 4}:${at}:${port}`;
  server._handle = handle;
  server._pipeName = path;
  if (server._unref) server.unref();
  handle.onconnection = (made, error) => onConnection(server, made, error);
  shelf.nextTick(() => { if (server._handle) server.emit('listening'); });
}
function placeOf(handle) {
  const place = handle.local() ?? {};
  return typeof place === 'string' ? {} : place;
}
function onConnection(server, handle, status) {
  if (status !== undefined) {
    server.emit('error', systemError(status, 'accept'));
    return;
  }
  if (server.maxConnections !== undefined && server._connections >= server.maxConnections) {
    const [local, remote] = [placeOf(handle), handle.isPipe ? {} : handle.peer() ?? {}];
    handle.close();
    server.emit('drop', handle.isPipe ? undefined : { localAddress: local.address, localPort: local.port, localFamily: local.family, remoteAddress: remote.address, remotePort: remote.port, remoteFamily: remote.family });
    return;
  }
  const socket = new Socket({ handle, allowHalfOpen: server.allowHalfOpen, pauseOnCreate: server.pauseOnConnect, readable: true, writable: true, readableHighWaterMark: server.highWaterMark, writableHighWaterMark: server.highWaterMark });
  if (!handle.isPipe) {
    if (server.noDelay) {
      socket[kSettings].isNoDelay = true;
      handle.set('noDelay', 1);
    }
    if (server.keepAlive) setKeepAlive(handle, true, server.keepAliveInitialDelay);
  }
  server._connections += 1;
  socket.server = server;
  socket._server = server;
  socket[kServer] = server;
  server.emit('connection', socket);
}
function checkSignal(server, options) {
  if (options.signal === undefined) return;
  shelf.checkSignal(options.signal, 'options.signal');
  const onAborted = () => server.close();
  if (options.signal.aborted) shelf.nextTick(onAborted);
  else options.signal.addEventListener('abort', onAborted, { once: true });
}
const methods = {
  listen(...args) {
    const [given, callback] = normalizeArgs(args);
    const options = { ...given };
    if (this._handle) throw coded(Error, 'ERR_SERVER_ALREADY_LISTEN', 'Listen method has been called more than once without closing.');
    if (callback !== null) this.once('listening', callback);
    const backlogOf = toNumber(args.length > 1 && args[1]) || toNumber(args.length > 2 && args[2]);
    const backlog = options.backlog || backlogOf || 511;
    if (options instanceof Socket || given?._handle instanceof Handle || typeof options.fd === 'number') throw argumentValue('options', given, 'is not there: a handle or a descriptor; give a port or a path');
    checkSignal(this, options);
    if (args.length === 0 || typeof args[0] === 'function' || (typeof options.port === 'undefined' && 'port' in options) || options.port === null) options.port = 0;
    if (typeof options.port === 'number' || typeof options.port === 'string') {
      const port = checkPort(options.port, 'options.port');
      if (options.host) lookUp(this, options.host, port, backlog);
      else listenNow(this, { port, backlog });
      return this;
    }
    if (options.path && typeof options.path === 'string' && toNumber(options.path) === false) {
      listenNow(this, { path: options.path, backlog });
      return this;
    }
    if (!('port' in options || 'path' in options)) throw argumentValue('options', options, 'must have the property "port" or "path"');
    throw argumentValue('options', options);
  },
  address() {
    if (!this._handle) return null;
    if (this._pipeName !== undefined) return this._pipeName;
    return this._handle.local() ?? null;
  },
  getConnections(callback) {
    const count = this._connections;
    if (typeof callback !== 'function') return this;
    shelf.nextTick(callback, null, count);
    return this;
  },
  close(callback) {
    if (typeof callback === 'function') {
      if (!this._handle) this.once('close', () => callback(coded(Error, 'ERR_SERVER_NOT_RUNNING', 'Server is not running.')));
      else this.once('close', callback);
    }
    if (this._handle) {
      this._handle.close();
      this._handle = null;
      if (this._pipeName !== undefined && !this._pipeName.startsWith('\0')) {
        try { builtins.fs.unlinkSync(this._pipeName); } catch { /* It may be gone. */ }
      }
    }
    this._emitCloseIfDrained();
    return this;
  },
  _emitCloseIfDrained() {
    if (this._handle || this._connections > 0) return;
    shelf.nextTick(() => this.emit('close'));
  },
  ref() {
    this._unref = false;
    this._handle?.ref();
    return this;
  },
  unref() {
    this._unref = true;
    this._handle?.unref();
    return this;
  },
  [Symbol.asyncDispose]() {
    if (!this._handle) return Promise.resolve();
    return builtins.util.promisify(this.close).call(this);
  },
};
function lookUp(server, host, port, backlog) {
  if (isIP(host)) {
    listenNow(server, { address: host, port, backlog });
    return;
  }
  builtins.dns.lookup(host, (error, address) => {
    if (error) server.emit('error', error);
    else listenNow(server, { address, port, backlog });
  });
}
Object.assign(Server.prototype, methods);
Object.defineProperty(Server.prototype, 'listening', { configurable: true, enumerable: true, get() { return Boolean(this._handle); } });

// ---- The module ----

function createServer(options, listener) { return new Server(options, listener); }
builtins.net = {
  _normalizeArgs: normalizeArgs,
  get BlockList() { return netAddress.BlockList; },
  get SocketAddress() { return netAddress.SocketAddress; },
  connect, createConnection: connect, createServer,
  isIP, isIPv4: netAddress.isIPv4, isIPv6: netAddress.isIPv6,
  Server, Socket, Stream: Socket,
  getDefaultAutoSelectFamily() { return state.autoSelectFamily; },
  setDefaultAutoSelectFamily(value) {
    checks.isBoolean(value, 'value');
    state.autoSelectFamily = value;
  },
  getDefaultAutoSelectFamilyAttemptTimeout() { return state.attemptTimeout; },
  setDefaultAutoSelectFamilyAttemptTimeout(value) {
    checks.isNumber(value, 'value');
    if (!Number.isInteger(value)) throw outOfRange('value', 'an integer', value);
    if (value < 1 || value > 2147483647) throw outOfRange('value', '>= 1 && <= 2147483647', value);
    state.attemptTimeout = Math.max(10, value);
  },
};
