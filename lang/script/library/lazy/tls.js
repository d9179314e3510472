// SPDX-License-Identifier: Apache-2.0
// node:tls: TLSSocket, Server, connect.
'use strict';
const { base, builtins } = shelf;
const { net } = builtins;
for (const file of ['tls_handle', 'tls_certificate']) shelf.load(file);
const { argumentType, argumentValue, coded, checks } = base;
const { TlsHandle, StreamHandle, SecureContext, createSecureContext, defaults } = shelf.tlsHandle;
const { verifyError, certificateOf, peerOf, checkServerIdentity } = shelf.tlsCertificate;
const { attach } = shelf.netSocket;

const kOptions = Symbol('tls options');
const kConnect = Symbol('connect-options');
const reset = (message, extra) => Object.assign(new Error(message), { code: 'ECONNRESET', ...extra });

// ---- Protocols of ALPN ----

function protocolsOf(given) {
  if (given === undefined || given === null) return '';
  if (Array.isArray(given)) {
    for (const one of given) if (one.length > 255) throw base.outOfRange('The byte length of the protocol at index 0 exceeds the maximum length.', '<= 255', one.length);
    return given.map((one) => `${one},`).join('');
  }
  if (!ArrayBuffer.isView(given)) throw argumentType('options.ALPNProtocols', ['Array', 'Buffer', 'TypedArray', 'DataView'], given);
  let text = '';
  for (let at = 0; at < given.length; at += given[at] + 1) text += `${shelf.Buffer.from(given.subarray(at + 1, at + 1 + given[at])).toString('latin1')},`;
  return text;
}

// ---- TLSSocket ----

function TLSSocket(socket, given) {
  const options = { ...given };
  this[kOptions] = options;
  this._tlsOptions = options;
  this._secureEstablished = false;
  this._securePending = false;
  this.secureConnecting = true;
  this._controlReleased = false;
  this.servername = null;
  this.alpnProtocol = null;
  this.authorized = false;
  this.authorizationError = null;
  this.encrypted = true;
  const isOver = socket !== undefined && socket !== null;
  if (isOver && !(socket instanceof net.Socket) && typeof socket.pipe !== 'function') throw argumentType('socket', 'Duplex', socket);
  base.apply(net.Socket, this, [{ allowHalfOpen: isOver ? socket.allowHalfOpen : options.allowHalfOpen, signal: options.signal, highWaterMark: options.highWaterMark }]);
  this.on('end', () => { if (!this.isServer && this.secureConnecting && this[kConnect] && !this.destroyed) onEarlyEnd(this); });
  this.isServer = Boolean(options.isServer);
  if (!isOver) this.once('connect', () => wrap(this, this._handle));
  else {
    this._parent = socket instanceof net.Socket ? socket : null;
    if (socket instanceof net.Socket && socket.connecting) {
      this.connecting = true;
      socket.once('connect', () => {
        this.connecting = false;
        takeOver(this, socket);
        this.emit('connect');
      });
      socket.once('error', (error) => this.destroy(error));
    } else takeOver(this, socket);
  }
}
Object.setPrototypeOf(TLSSocket.prototype, net.Socket.prototype);
Object.setPrototypeOf(TLSSocket, net.Socket);

// The handle of the socket is of the TLSSocket from now on; the socket ends with it.
function takeOver(self, socket) {
  const isPlain = socket instanceof net.Socket && socket._handle;
  const lower = isPlain ? socket._handle : new StreamHandle(socket);
  if (isPlain) {
    const { close } = lower;
    lower.close = (done, isReset) => base.apply(close, lower, [() => {
      socket._handle = null;
      socket.destroy();
      done?.();
    }, isReset]);
    self.remote = lower.isPipe ? undefined : lower.peer();
    const early = socket.read();
    wrap(self, lower);
    if (early) lower.onread(early, 0);
    // Its data is not the program's any more.
    socket.on('error', (error) => self.destroy(error));
  } else wrap(self, lower);
  lower.owner = self;
}
function wrap(self, lower) {
  const options = self[kOptions];
  const handle = new TlsHandle(lower, {
    context: options.secureContext ?? createSecureContext(options), isServer: self.isServer, servername: self[kOptions].sni ?? '', protocols: protocolsOf(options.ALPNProtocols),
    asks: Boolean(options.requestCert), requires: Boolean(options.requestCert && options.rejectUnauthorized),
  });
  attach(self, handle);
  handle.onsecure = () => finishInit(self);
  handle.onerror = (error) => onTlsError(self, error);
  handle.onname = (name, use) => chooseContext(self, name, use);
  shelf.nextTick(() => {
    if (self._handle !== handle || self.destroyed) return;
    handle.start();
    if (!self.isPaused()) self.read(0);
  });
}
function chooseContext(self, name, use) {
  const { server, SNICallback } = self[kOptions];
  const choose = SNICallback ?? (server ? (asked, done) => done(null, server._contextOf(asked)) : undefined);
  if (name === '' || choose === undefined) {
    use(undefined);
    return;
  }
  choose(name, (error, context) => {
    if (error) { self.destroy(error); return; }
    if (context && !(context instanceof SecureContext) && context.context === undefined) {
      self.destroy(coded(TypeError, 'ERR_TLS_INVALID_CONTEXT', 'Invalid SNI context'));
      return;
    }
    use(context ?? undefined);
  });
}
function finishInit(self) {
  const handle = self._handle;
  self._secureEstablished = true;
  self.alpnProtocol = handle.info('protocol') || false;
  self.servername = self.isServer ? handle.info('name') || false : self[kOptions].sni || false;
  self.emit('secure');
}
function onTlsError(self, error) {
  if (self._tlsError) return;
  self._tlsError = error;
  if (self.isServer && !self._secureEstablished) {
    self._tlsFailed?.(error);
    self.on('error', () => {});
    self.destroy();
    return;
  }
  self.destroy(error);
}
function onEarlyEnd(self) {
  const { path, host, port, localAddress } = self[kConnect];
  self.destroy(reset('Client network socket disconnected before secure TLS connection was established', { path, host, port, localAddress }));
}
const methods = {
  getProtocol() { return this._handle?.info?.('version') || null; },
  getCipher() {
    const text = this._handle?.info?.('cipher');
    if (!text) return null;
    const [name, standardName, version] = text.split('\n');
    return { name, standardName, version };
  },
  getPeerCertificate(withChain) {
    if (!this._handle?.info) return null;
    return peerOf(this._handle.info('peer'), Boolean(withChain)) ?? {};
  },
  getCertificate() {
    const text = this._handle?.info?.('own');
    return text === undefined ? null : text === '' ? {} : certificateOf(text);
  },
  isSessionReused() { return Boolean(this._handle?.info?.('reused')); },
  getSession() { return undefined; },
  getTLSTicket() { return undefined; },
  getEphemeralKeyInfo() { return this.isServer ? null : {}; },
  getFinished() { return undefined; },
  getPeerFinished() { return undefined; },
  getSharedSigalgs() { return []; },
  setMaxSendFragment() { return true; },
  disableRenegotiation() {},
  enableTrace() {},
  renegotiate(options, callback) {
    if (callback) shelf.nextTick(callback, coded(Error, 'ERR_TLS_RENEGOTIATION_DISABLED', 'TLS session renegotiation disabled for this socket'));
    return false;
  },
  setServername(name) {
    checks.isString(name, 'name');
    if (this.isServer) throw coded(Error, 'ERR_TLS_SNI_FROM_SERVER', 'Cannot issue SNI from a TLS server-side socket');
    this[kOptions].sni = name;
  },
  setSession() {},
  _start() {},
  _releaseControl() { this._controlReleased = true; return true; },
};
Object.assign(TLSSocket.prototype, methods);

// ---- connect ----

function onClientSecure(self, options) {
  let error = verifyError(self._handle.info('verified'));
  const host = options.servername || options.host || options.socket?._host || 'localhost';
  if (!error && !self.isSessionReused()) error = (options.checkServerIdentity ?? checkServerIdentity)(host, self.getPeerCertificate(true));
  if (error) {
    self.authorized = false;
    self.authorizationError = error.code || error.message;
    if (options.rejectUnauthorized !== false) {
      self.destroy(error);
      return;
    }
  } else self.authorized = true;
  self.secureConnecting = false;
  self.emit('secureConnect');
}
function connect(...args) {
  const [first, callback] = net._normalizeArgs(args);
  const extra = args.find((one, i) => i > 0 && typeof one === 'object' && one !== null);
  const options = { rejectUnauthorized: shelf.process.env.NODE_TLS_REJECT_UNAUTHORIZED !== '0', ...first, ...extra };
  if (options.minDHSize !== undefined) checks.isNumber(options.minDHSize, 'options.minDHSize');
  const context = options.secureContext || createSecureContext(options);
  const sni = options.servername || '';
  if (options.servername && net.isIP(options.servername)) throw argumentValue('options.servername', options.servername, 'must not be an IP address');
  const self = new TLSSocket(options.socket, { ...options, isServer: false, secureContext: context, sni, requestCert: true });
  self[kConnect] = options;
  if (callback) self.once('secureConnect', callback);
  self.on('secure', () => onClientSecure(self, options));
  if (!options.socket) {
    if (options.timeout) self.setTimeout(options.timeout);
    self.connect({ ...options, host: options.host ?? 'localhost', signal: undefined });
  }
  return self;
}

// ---- Server ----

function Server(given, listener) {
  if (!(this instanceof Server)) return new Server(given, listener);
  const [options, onSecure] = typeof given === 'function' ? [{}, given] : [given ?? {}, listener];
  if (typeof options !== 'object') throw argumentType('options', 'Object', options);
  this._contexts = [];
  this.requestCert = options.requestCert === true;
  this.rejectUnauthorized = options.rejectUnauthorized !== false;
  if (options.SNICallback !== undefined) checks.isFunction(options.SNICallback, 'options.SNICallback');
  this._tlsOptions = options;
  this.ALPNProtocols = options.ALPNProtocols;
  this._handshakeTimeout = options.handshakeTimeout ?? 120000;
  checks.isNumber(this._handshakeTimeout, 'options.handshakeTimeout');
  this.setSecureContext(options);
  base.apply(net.Server, this, [options]);
  this.on('connection', onConnection);
  if (onSecure) this.on('secureConnection', onSecure);
}
Object.setPrototypeOf(Server.prototype, net.Server.prototype);
Object.setPrototypeOf(Server, net.Server);
const serverMethods = {
  setSecureContext(options) { this._sharedCreds = createSecureContext(options); },
  addContext(name, given) {
    if (!name) throw coded(TypeError, 'ERR_TLS_REQUIRED_SERVER_NAME', '"servername" is required parameter for Server.addContext');
    const pattern = new RegExp(`^${name.replace(/([.^$+?\-\\[\]{}])/g, '\\$1').replaceAll('*', '[^.]*')}$`);
    this._contexts.push([pattern, given instanceof SecureContext ? given : createSecureContext(given)]);
  },
  _contextOf(name) {
    for (let i = this._contexts.length - 1; i >= 0; i -= 1) if (this._contexts[i][0].test(name)) return this._contexts[i][1];
    return undefined;
  },
  getTicketKeys() { return shelf.Buffer.alloc(48); },
  setTicketKeys() {},
};
Object.assign(Server.prototype, serverMethods);
function onConnection(raw) {
  const server = this;
  const socket = new TLSSocket(raw, {
    isServer: true, server, secureContext: server._sharedCreds, requestCert: server.requestCert, rejectUnauthorized: server.rejectUnauthorized, ALPNProtocols: server.ALPNProtocols, SNICallback: server._tlsOptions.SNICallback, allowHalfOpen: server.allowHalfOpen,
  });
  socket.server = server;
  let isOver = false;
  const fail = (error) => {
    if (isOver) return;
    isOver = true;
    shelf.clearTimeout(timer);
    server.emit('tlsClientError', error, socket);
  };
  const timer = shelf.setTimeout(() => {
    fail(coded(Error, 'ERR_TLS_HANDSHAKE_TIMEOUT', 'TLS handshake timeout'));
    socket.destroy();
  }, server._handshakeTimeout).unref();
  socket._tlsFailed = fail;
  const onEarlyClose = () => fail(reset('socket hang up'));
  socket.on('error', fail);
  socket.once('close', onEarlyClose);
  socket.on('secure', () => {
    isOver = true;
    shelf.clearTimeout(timer);
    socket.removeListener('close', onEarlyClose);
    socket.removeListener('error', fail);
    if (server.requestCert) {
      const hasNone = socket._handle.info('peer') === '';
      const error = hasNone ? Object.assign(new Error('peer did not return a certificate'), { code: 'UNABLE_TO_GET_ISSUER_CERT' }) : verifyError(socket._handle.info('verified'));
      if (error) {
        socket.authorizationError = error.code;
        if (server.rejectUnauthorized) {
          socket.destroy();
          return;
        }
      } else socket.authorized = true;
    }
    socket.secureConnecting = false;
    socket._controlReleased = true;
    server.emit('secureConnection', socket);
  });
}
function createServer(options, listener) { return new Server(options, listener); }
builtins.tls = {
  CLIENT_RENEG_LIMIT: 3, CLIENT_RENEG_WINDOW: 600, ...defaults, SecureContext, Server, TLSSocket, checkServerIdentity, connect, createSecureContext, createServer,
  convertALPNProtocols(given, out) { out.ALPNProtocols = shelf.Buffer.concat(given.map((one) => shelf.Buffer.concat([shelf.Buffer.from([one.length]), shelf.Buffer.from(one)]))); },
  getCiphers: () => defaults.DEFAULT_CIPHERS.split(':').filter((name) => /^[A-Z0-9_-]+$/.test(name) && name !== 'HIGH').map((name) => name.toLowerCase()).sort(),
  rootCertificates: Object.freeze([]),
};
