// SPDX-License-Identifier: Apache-2.0
// node:http, part 4: OutgoingMessage: what a response of a server and a request of a client share. Its
// head is in http_fields.js.
'use strict';
const { base, builtins } = shelf;
const { argumentType } = base;
const { failure } = shelf.httpParser;
const { fields, kHeaders, kUnique, parseUnique, utcDate } = shelf.httpFields;
const { Stream } = builtins.stream;

const kNeedDrain = Symbol('kNeedDrain');
const kCorked = Symbol('corked');
const kSocket = Symbol('kSocket');
const kErrored = Symbol('errored');
const kHighWaterMark = Symbol('kHighWaterMark');
const kBytes = Symbol('kBytesWritten');
const kRejects = Symbol('kRejectNonStandardBodyWrites');
const noop = () => {};

function OutgoingMessage(options) {
  base.apply(Stream, this, []);
  this[kHighWaterMark] = options?.highWaterMark ?? 16384;
  this.outputData = [];
  this.outputSize = 0;
  this.writable = true;
  this.destroyed = false;
  this._last = false;
  this.chunkedEncoding = false;
  this.shouldKeepAlive = true;
  this.maxRequestsOnConnectionReached = false;
  this._defaultKeepAlive = true;
  this.useChunkedEncodingByDefault = true;
  this.sendDate = false;
  this._removedConnection = false;
  this._removedContLen = false;
  this._removedTE = false;
  this.strictContentLength = false;
  this[kBytes] = 0;
  this._contentLength = null;
  this._hasBody = true;
  this._trailer = '';
  this[kNeedDrain] = false;
  this.finished = false;
  this._headerSent = false;
  this[kCorked] = 0;
  this._closed = false;
  this[kSocket] = null;
  this._header = null;
  this[kHeaders] = null;
  this._keepAliveTimeout = 0;
  this._onPendingData = noop;
  this[kErrored] = null;
  this[kRejects] = options?.rejectNonStandardBodyWrites ?? false;
}
Object.setPrototypeOf(OutgoingMessage.prototype, Stream.prototype);
Object.setPrototypeOf(OutgoingMessage, Stream);

const shown = {
  errored() { return this[kErrored]; },
  closed() { return this._closed; },
  writableFinished() { return this.finished && this.outputSize === 0 && (!this.socket || this.socket.writableLength === 0); },
  writableObjectMode() { return false; },
  writableLength() { return this.outputSize + (this.socket ? this.socket.writableLength : 0); },
  writableHighWaterMark() { return this.socket ? this.socket.writableHighWaterMark : this[kHighWaterMark]; },
  writableCorked() { return this[kCorked]; },
  writableEnded() { return this.finished; },
  writableNeedDrain() { return !this.destroyed && !this.finished && this[kNeedDrain]; },
  headersSent() { return Boolean(this._header); },
};
for (const name of Object.keys(shown)) Object.defineProperty(OutgoingMessage.prototype, name, { configurable: true, enumerable: name === 'headersSent', get: shown[name] });
for (const name of ['connection', 'socket']) {
  Object.defineProperty(OutgoingMessage.prototype, name, { configurable: true, enumerable: false, get() { return this[kSocket]; }, set(value) { this[kSocket] = value; } });
}

// ---- The body ----

function tellError(self, error, callback) {
  shelf.nextTick(callback, error);
  shelf.nextTick(() => { if (!self._closed || self.listenerCount('error') > 0) { if (typeof self.emit === 'function' && !self.destroyed) self.emit('error', error); } });
}
const sizeOf = (chunk, encoding) => (typeof chunk === 'string' ? shelf.Buffer.byteLength(chunk, encoding) : chunk.byteLength);
const isLengthChecked = (self) => self.strictContentLength && self._contentLength !== null && !self._removedContLen && !self.chunkedEncoding && !self._header?.includes('Transfer-Encoding');
function put(self, chunk, encoding, given, isEnd) {
  const callback = typeof given === 'function' ? given : noop;
  if (chunk === null) throw failure('ERR_STREAM_NULL_VALUES');
  if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) throw argumentType('chunk', ['string', 'Buffer', 'Uint8Array'], chunk);
  const error = self.finished ? failure('ERR_STREAM_WRITE_AFTER_END') : self.destroyed ? failure('ERR_STREAM_DESTROYED', 'write') : undefined;
  if (error) {
    if (!self.destroyed) tellError(self, error, callback);
    else shelf.nextTick(callback, error);
    return false;
  }
  const size = sizeOf(chunk, encoding);
  if (isLengthChecked(self) && (isEnd ? self[kBytes] + size !== self._contentLength : self[kBytes] + size > self._contentLength)) throw failure('ERR_HTTP_CONTENT_LENGTH_MISMATCH', size + self[kBytes], self._contentLength);
  self[kBytes] += size;
  if (!self._header) {
    if (isEnd) self._contentLength = size;
    self._implicitHeader();
  }
  if (!self._hasBody) {
    if (self[kRejects]) throw failure('ERR_HTTP_BODY_NOT_ALLOWED');
    shelf.nextTick(callback);
    return true;
  }
  if (!isEnd && self.socket && !self.socket.writableCorked) {
    const { socket } = self;
    socket.cork();
    shelf.nextTick(() => socket.uncork());
  }
  if (!self.chunkedEncoding || chunk.length === 0) return self._send(chunk, encoding, callback, size);
  const head = `${size.toString(16)}\r\n`;
  if (typeof chunk === 'string' && (encoding === 'utf8' || !encoding)) return self._send(`${head}${chunk}\r\n`, encoding, callback);
  self._send(head, 'latin1', null);
  self._send(chunk, encoding, null, size);
  return self._send('\r\n', 'latin1', callback);
}
function tellFinish(self) {
  if (self.socket?._hadError) return;
  self.emit('finish');
}
const body = {
  write(chunk, encoding, callback) {
    const isSkipped = typeof encoding === 'function';
    const taken = put(this, chunk, isSkipped ? null : encoding, isSkipped ? encoding : callback, false);
    if (!taken) this[kNeedDrain] = true;
    return taken;
  },
  end(...args) {
    let [chunk, encoding, callback] = args;
    if (typeof chunk === 'function') [chunk, encoding, callback] = [null, null, chunk];
    else if (typeof encoding === 'function') [encoding, callback] = [null, encoding];
    if (chunk) {
      if (this.finished) {
        tellError(this, failure('ERR_STREAM_WRITE_AFTER_END'), typeof callback === 'function' ? callback : noop);
        return this;
      }
      this[kSocket]?.cork();
      put(this, chunk, encoding, null, true);
    } else if (this.finished) {
      if (typeof callback === 'function') {
        if (!this.writableFinished) this.on('finish', callback);
        else callback(failure('ERR_STREAM_ALREADY_FINISHED', 'end'));
      }
      return this;
    } else if (!this._header) {
      this[kSocket]?.cork();
      this._contentLength = 0;
      this._implicitHeader();
    }
    if (typeof callback === 'function') this.once('finish', callback);
    if (isLengthChecked(this) && this[kBytes] !== this._contentLength) throw failure('ERR_HTTP_CONTENT_LENGTH_MISMATCH', this[kBytes], this._contentLength);
    const finish = () => tellFinish(this);
    if (this._hasBody && this.chunkedEncoding) this._send(`0\r\n${this._trailer}\r\n`, 'latin1', finish);
    else if (!this._headerSent || this.writableLength || chunk) this._send('', 'latin1', finish);
    else shelf.nextTick(finish);
    if (this[kSocket]) {
      this[kSocket]._writableState.corked = 1;
      this[kSocket].uncork();
    }
    this[kCorked] = 1;
    this.uncork();
    this.finished = true;
    if (this.outputData.length === 0 && this[kSocket] && this[kSocket]._httpMessage === this) this._finish();
    return this;
  },
  cork() {
    this[kCorked] += 1;
    this[kSocket]?.cork();
  },
  uncork() {
    this[kCorked] -= 1;
    this[kSocket]?.uncork();
  },
  _send(given, encoding, callback, size) {
    let data = given;
    if (!this._headerSent) {
      const header = this._header;
      if (typeof data === 'string' && (encoding === 'utf8' || encoding === 'latin1' || !encoding)) data = header + data;
      else {
        this.outputData.unshift({ data: header, encoding: 'latin1', callback: null });
        this.outputSize += header.length;
        this._onPendingData(header.length);
      }
      this._headerSent = true;
    }
    return this._writeRaw(data, encoding, callback, size);
  },
  _writeRaw(data, given, done) {
    const [encoding, callback] = typeof given === 'function' ? [null, given] : [given, done];
    const socket = this[kSocket];
    if (socket?.destroyed) return false;
    if (socket && socket._httpMessage === this && socket.writable) {
      if (this.outputData.length) this._flushOutput(socket);
      return socket.write(data, encoding, callback);
    }
    this.outputData.push({ data, encoding, callback });
    this.outputSize += data.length;
    this._onPendingData(data.length);
    return this.outputSize < this[kHighWaterMark];
  },
  _finish() { this.emit('prefinish'); },
  _flush() {
    const { socket } = this;
    if (!socket?.writable) return;
    const taken = this._flushOutput(socket);
    if (this.finished) this._finish();
    else if (taken && this[kNeedDrain]) {
      this[kNeedDrain] = false;
      this.emit('drain');
    }
  },
  _flushOutput(socket) {
    while (this[kCorked] > 0) {
      this[kCorked] -= 1;
      socket.cork();
    }
    const list = this.outputData;
    if (list.length === 0) return undefined;
    socket.cork();
    let taken;
    for (const { data, encoding, callback } of list) taken = socket.write(data, encoding, callback);
    socket.uncork();
    this.outputData = [];
    this._onPendingData(-this.outputSize);
    this.outputSize = 0;
    return taken;
  },
  destroy(error) {
    if (this.destroyed) return this;
    this.destroyed = true;
    this[kErrored] = error;
    if (this[kSocket]) this[kSocket].destroy(error);
    else this.once('socket', (socket) => socket.destroy(error));
    return this;
  },
  setTimeout(delay, callback) {
    if (callback) this.on('timeout', callback);
    if (!this[kSocket]) this.once('socket', (socket) => socket.setTimeout(delay));
    else this[kSocket].setTimeout(delay);
    return this;
  },
  pipe() { this.emit('error', failure('ERR_STREAM_CANNOT_PIPE')); },
};
Object.assign(OutgoingMessage.prototype, fields, body);
OutgoingMessage.prototype[Symbol.for('nodejs.rejection')] = function onRejection(error) { this.destroy(error); };
shelf.httpOutgoing = { OutgoingMessage, kHeaders, kNeedDrain, kErrored, kUnique, parseUnique, utcDate };
