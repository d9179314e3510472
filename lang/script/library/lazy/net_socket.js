// SPDX-License-Identifier: Apache-2.0
// node:net, part 3: Socket, a stream on a handle.
'use strict';
shelf.load('net_address');
shelf.load('net_handle');
const { base, builtins, netAddress } = shelf;
const { coded, argumentValue, outOfRange, checks } = base;
const { systemError } = netAddress;
const { endOfStream } = shelf.netHandle;
const { Duplex } = builtins.stream;

const kTimer = Symbol('timeout');
const kIsTimed = Symbol('isTimed');  // else its timer has no effect
const kServer = Symbol('server');
const kSettings = Symbol('settings');
const kBytesRead = Symbol('kBytesRead');
const kBytesWritten = Symbol('kBytesWritten');
const noop = () => {};
const state = { autoSelectFamily: true, attemptTimeout: 250 };

const closed = () => coded(Error, 'ERR_SOCKET_CLOSED', 'Socket is closed');

// ---- Reading ----

function attach(socket, handle) {
  socket._handle = handle;
  handle.owner = socket;
  handle.onread = (bytes, status) => onRead(socket, handle, bytes, status);
}
function onRead(socket, handle, bytes, status) {
  if (socket.destroyed) return;
  socket._unrefTimer();
  if (bytes !== undefined) {
    if (!socket.push(bytes)) {
      handle.reading = false;
      if (!socket.destroyed) handle.readStop();
    }
  } else if (status !== endOfStream) socket.destroy(systemError(status, 'read'));
  else if (!socket._readableState.endEmitted) {
    socket.push(null);
    socket.read(0);
  }
}
function startReading(socket) {
  const status = socket._handle.readStart();
  if (status) socket.destroy(systemError(status, 'read'));
}

// ---- The stream ----

function checkOptions(options) {
  if (options.objectMode) throw argumentValue('options.objectMode', options.objectMode, 'is not supported');
  if (options.readableObjectMode || options.writableObjectMode) throw argumentValue(`options.${options.readableObjectMode ? 'readableObjectMode' : 'writableObjectMode'}`, true, 'is not supported');
}
function Socket(given) {
  if (!(this instanceof Socket)) return new Socket(given);
  const options = typeof given === 'number' ? { fd: given } : { ...given };
  checkOptions(options);
  this.connecting = false;
  this._hadError = false;
  this._parent = null;
  this._host = null;
  this._handle = null;
  this[kTimer] = null;
  this[kIsTimed] = false;
  this[kServer] = null;
  this[kSettings] = { noDelay: Boolean(options.noDelay), keepAlive: Boolean(options.keepAlive), keepAliveDelay: ~~((options.keepAliveInitialDelay ?? 0) / 1000) };
  this[kBytesRead] = 0;
  this[kBytesWritten] = 0;
  options.emitClose = false;
  options.autoDestroy = true;
  options.decodeStrings = false;
  options.allowHalfOpen = Boolean(options.allowHalfOpen);
  const { signal } = options;
  delete options.signal;
  // Without a handle it may be connected: then it is both.
  if (options.handle || options.fd !== undefined) {
    if (options.fd !== undefined && !options.handle) throw argumentValue('options.fd', options.fd, 'is not there: gyre opens sockets by connect and listen');
  }
  base.apply(Duplex, this, [options]);
  if (options.handle) attach(this, options.handle);
  if (signal !== undefined) builtins.stream.addAbortSignal(signal, this);
  this.on('end', onEnd);
  this._pendingData = null;
  this._pendingEncoding = '';
  this.server = null;
  this._server = null;
  if (this._handle && options.readable !== false && !options.manualStart) {
    if (options.pauseOnCreate) {
      this._handle.reading = false;
      this.readableFlowing = false;
      this._readableState.flowing = false;
    } else this.read(0);
  }
  return this;
}
Object.setPrototypeOf(Socket.prototype, Duplex.prototype);
Object.setPrototypeOf(Socket, Duplex);

// The peer has ended, and this side ends by itself: what is written later has an error of its own.
function onEnd() {
  if (!this.allowHalfOpen) this.write = writeAfterEnd;
}
function writeAfterEnd(chunk, encoding, callback) {
  if (!this.writableEnded) return base.apply(Duplex.prototype.write, this, [chunk, encoding, callback]);
  const done = typeof encoding === 'function' ? encoding : callback;
  const error = Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' });
  if (typeof done === 'function') shelf.nextTick(done, error);
  this.destroy(error);
  return false;
}
const methods = {
  _unrefTimer() {
    for (let one = this; one; one = one._parent) if (one[kIsTimed]) one[kTimer].refresh();
  },
  _read(size) {
    if (this.connecting || !this._handle) this.once('connect', () => this._read(size));
    else if (!this._handle.reading) startReading(this);
  },
  _final(callback) {
    if (this.connecting) { this.once('connect', () => this._final(callback)); return; }
    if (!this._handle) { callback(); return; }
    const status = this._handle.shutdown(() => callback());
    if (status === -107) callback();
    else if (status !== 0) callback(systemError(status, 'shutdown'));
  },
  _write(data, encoding, callback) { this._writeGeneric(false, data, encoding, callback); },
  _writev(chunks, callback) { this._writeGeneric(true, chunks, '', callback); },
  _writeGeneric(isMany, data, encoding, callback) {
    if (this.connecting) {
      this._pendingData = data;
      this._pendingEncoding = encoding;
      const onClose = () => callback(coded(Error, 'ERR_SOCKET_CLOSED_BEFORE_CONNECTION', 'Socket closed before the connection was established'));
      this.once('connect', function connect() {
        this.off('close', onClose);
        this._writeGeneric(isMany, data, encoding, callback);
      });
      this.once('close', onClose);
      return;
    }
    this._pendingData = null;
    this._pendingEncoding = '';
    if (!this._handle) { callback(closed()); return; }
    this._unrefTimer();
    const { bytes, isLatin1 } = isMany ? gathered(data) : single(data, encoding);
    if (bytes.length === 0) { callback(); return; }
    const status = this._handle.write(bytes, isLatin1, (ended) => afterWrite(this, ended, callback));
    if (status < 0) callback(systemError(status, 'write'));
    else if (status === 0) callback();
  },
  _destroy(error, callback) {
    this.connecting = false;
    for (let one = this; one !== null && one !== undefined; one = one._parent) stopTimer(one);
    if (this._handle) {
      const isException = Boolean(error);
      this[kBytesRead] = this._handle.bytesRead;
      this[kBytesWritten] = this._handle.bytesWritten;
      this._handle.close(() => this.emit('close', isException), this.resetAndClosing);
      this._handle.onread = noop;
      this._handle = null;
      this._sockname = null;
      callback(error);
    } else {
      callback(error);
      shelf.nextTick(() => this.emit('close', Boolean(error)));
    }
    if (this._server) {
      this._server._connections -= 1;
      this._server._emitCloseIfDrained?.();
    }
  },
  _getpeername() {
    if (!this._handle || this.connecting) return this._peername || {};
    if (!this._peername) this._peername = placeOf(this._handle.peer());
    return this._peername ?? {};
  },
  _getsockname() {
    if (!this._handle) return {};
    if (!this._sockname) this._sockname = placeOf(this._handle.local());
    return this._sockname ?? {};
  },
  address() { return this._getsockname(); },
  end(data, encoding, callback) {
    base.apply(Duplex.prototype.end, this, [data, encoding, callback]);
    return this;
  },
  pause() {
    if (this.connecting === false && this._handle?.reading) {
      this._handle.reading = false;
      if (!this.destroyed) {
        const status = this._handle.readStop();
        if (status) this.destroy(systemError(status, 'read'));
      }
    }
    return base.apply(Duplex.prototype.pause, this, []);
  },
  resume() {
    if (!this.connecting && this._handle && !this._handle.reading) startReading(this);
    return base.apply(Duplex.prototype.resume, this, []);
  },
  read(size) {
    if (!this.connecting && this._handle && !this._handle.reading) startReading(this);
    return base.apply(Duplex.prototype.read, this, [size]);
  },
  destroySoon() {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', this.destroy);
  },
  resetAndDestroy() {
    if (!this._handle) {
      this.destroy(closed());
      return this;
    }
    if (this._handle.isPipe) throw coded(TypeError, 'ERR_INVALID_HANDLE_TYPE', 'This handle type cannot be sent');
    if (this.connecting) this.once('connect', () => reset(this));
    else reset(this);
    return this;
  },
  setTimeout(delay, callback) {
    if (this.destroyed) return this;
    this.timeout = delay;
    const time = checkDelay(delay, 'msecs');
    this[kIsTimed] = time !== 0;
    if (time === 0) {
      if (callback !== undefined) {
        checks.isFunction(callback, 'callback');
        this.removeListener('timeout', callback);
      }
    } else {
      // A server sets and clears it with each request.
      if (this[kTimer]?._idleTimeout === time && !base.contexts.isUsed) this[kTimer].refresh();
      else {
        stopTimer(this);
        this[kIsTimed] = true;
        this[kTimer] = shelf.setTimeout(() => { if (this[kIsTimed]) this._onTimeout(); }, time).unref();
      }
      if (callback !== undefined) {
        checks.isFunction(callback, 'callback');
        this.once('timeout', callback);
      }
    }
    return this;
  },
  _onTimeout() {
    const unsent = this._handle?.writeQueueSize ?? 0;
    // A write that goes on is activity.
    if (unsent > 0 && unsent !== this._lastUnsent) {
      this._lastUnsent = unsent;
      this._unrefTimer();
      return;
    }
    this.emit('timeout');
  },
  setNoDelay(isOn) {
    const value = isOn === undefined ? true : Boolean(isOn);
    if (!this._handle) this[kSettings].noDelay = value;
    else if (value !== this[kSettings].isNoDelay && !this._handle.isPipe) {
      this[kSettings].isNoDelay = value;
      this._handle.set('noDelay', value ? 1 : 0);
    }
    return this;
  },
  setKeepAlive(isOn, delay) {
    const [value, seconds] = [Boolean(isOn), ~~(delay / 1000)];
    if (!this._handle) Object.assign(this[kSettings], { keepAlive: value, keepAliveDelay: seconds });
    else if (!this._handle.isPipe) setKeepAlive(this._handle, value, seconds);
    return this;
  },
  ref() { return refer(this, 'ref'); },
  unref() { return refer(this, 'unref'); },
};
function refer(socket, name) {
  if (!socket._handle) socket.once('connect', socket[name]);
  else socket._handle[name]();
  return socket;
}
function setKeepAlive(handle, isOn, seconds) {
  if (isOn && seconds > 0) handle.set('keepAliveIdle', seconds);
  handle.set('keepAlive', isOn ? 1 : 0);
}
function stopTimer(socket) {
  if (socket[kTimer]) shelf.clearTimeout(socket[kTimer]);
  socket[kTimer] = null;
  socket[kIsTimed] = false;
}
function checkDelay(delay, name) {
  checks.isNumber(delay, name);
  if (delay < 0 || !Number.isFinite(delay)) throw outOfRange(name, 'a non-negative finite number', delay);
  if (delay <= 2147483647) return delay;
  shelf.process.emitWarning(`${delay} does not fit into a 32-bit signed integer. Timer duration was truncated to 2147483647.`, 'TimeoutOverflowWarning');
  return 2147483647;
}
function reset(socket) {
  socket.resetAndClosing = true;
  socket.destroy();
}
const placeOf = (place) => (typeof place === 'string' ? { address: place } : place);
const latin1Names = ['latin1', 'binary', 'ascii'];
const isUtf8 = (encoding) => encoding === 'utf8' || encoding === 'utf-8' || !encoding;
// What goes to the host: bytes, or a text that it encodes.
function single(data, encoding) {
  if (typeof data !== 'string' || isUtf8(encoding)) return { bytes: data, isLatin1: false };
  if (latin1Names.includes(encoding) && !/[^\0-\xff]/.test(data)) return { bytes: data, isLatin1: true };
  return { bytes: shelf.Buffer.from(data, encoding), isLatin1: false };
}
// Texts that are the same in UTF-8 and in Latin-1 go as one text.
function gathered(chunks) {
  let text = '';
  for (const { chunk, encoding } of chunks) {
    if (typeof chunk !== 'string' || !(isUtf8(encoding) || latin1Names.includes(encoding)) || /[^\0-\x7f]/.test(chunk)) return { bytes: allBytes(chunks), isLatin1: false };
    text += chunk;
  }
  return { bytes: text, isLatin1: true };
}
function allBytes(chunks) {
  return shelf.Buffer.concat(chunks.map(({ chunk, encoding }) => (typeof chunk === 'string' ? shelf.Buffer.from(chunk, encoding) : chunk)));
}
function afterWrite(socket, status, callback) {
  if (socket.destroyed) callback(null);
  else if (status < 0) callback(systemError(status, 'write'));
  else {
    socket._unrefTimer();
    callback();
  }
}
Object.assign(Socket.prototype, methods);

// ---- What it shows ----

const shown = {
  _connecting() { return this.connecting; },
  pending() { return !this._handle || this.connecting; },
  readyState() {
    if (this.connecting) return 'opening';
    if (this.readable && this.writable) return 'open';
    if (this.readable) return 'readOnly';
    return this.writable ? 'writeOnly' : 'closed';
  },
  bufferSize() { return this._handle ? this.writableLength : undefined; },
  bytesRead() { return this._handle ? this._handle.bytesRead : this[kBytesRead]; },
  _bytesDispatched() { return this._handle ? this._handle.bytesWritten : this[kBytesWritten]; },
  bytesWritten() {
    let bytes = this._bytesDispatched;
    const pending = this._pendingData;
    for (const { chunk, encoding } of this._writableState?.getBuffer() ?? []) bytes += typeof chunk === 'string' ? shelf.Buffer.byteLength(chunk, encoding) : chunk.length;
    if (Array.isArray(pending)) for (const { chunk, encoding } of pending) bytes += typeof chunk === 'string' ? shelf.Buffer.byteLength(chunk, encoding) : chunk.length;
    else if (pending) bytes += typeof pending === 'string' ? shelf.Buffer.byteLength(pending, this._pendingEncoding) : pending.length;
    return bytes;
  },
  remoteAddress() { return this._getpeername().address; },
  remoteFamily() { return this._getpeername().family; },
  remotePort() { return this._getpeername().port; },
  localAddress() { return this._getsockname().address; },
  localPort() { return this._getsockname().port; },
  localFamily() { return this._getsockname().family; },
};
for (const name of Object.keys(shown)) Object.defineProperty(Socket.prototype, name, { configurable: false, enumerable: true, get: shown[name] });

shelf.netSocket = { Socket, attach, kServer, kSettings, kTimer, setKeepAlive, checkDelay, stopTimer, startReading, state, closed };
