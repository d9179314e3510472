// SPDX-License-Identifier: Apache-2.0
// node:http, part 3: OutgoingMessage: what a response of a server and a request of a client share.
'use strict';
const { base, builtins } = shelf;
const { coded, argumentType, argumentValue, checks } = base;
const { checkName, checkValue, isBadValue, failure } = shelf.httpParser;
const { Stream } = builtins.stream;

const kHeaders = Symbol('kOutHeaders');
const kNeedDrain = Symbol('kNeedDrain');
const kCorked = Symbol('corked');
const kSocket = Symbol('kSocket');
const kErrored = Symbol('errored');
const kHighWaterMark = Symbol('kHighWaterMark');
const kBytes = Symbol('kBytesWritten');
const kRejects = Symbol('kRejectNonStandardBodyWrites');
const kUnique = Symbol('kUniqueHeaders');
const noop = () => {};

// The Date field, made once a second.
let date;
function utcDate() {
  if (date === undefined) {
    const now = new Date();
    date = now.toUTCString();
    shelf.setTimeout(() => { date = undefined; }, 1000 - now.getMilliseconds()).unref();
  }
  return date;
}

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

// ---- The head ----

const removes = { __proto__: null, connection: '_removedConnection', 'content-length': '_removedContLen', 'transfer-encoding': '_removedTE' };
// What a field says of the message, which decides what is added.
function note(self, state, field, value) {
  if (field.length < 4 || field.length > 17) return;
  const name = field.toLowerCase();
  switch (name) {
    case 'connection':
      state.connection = true;
      self._removedConnection = false;
      if (/(?:^|\W)close(?:$|\W)/i.test(value)) self._last = true;
      else self.shouldKeepAlive = true;
      break;
    case 'transfer-encoding':
      state.te = true;
      self._removedTE = false;
      if (/(?:^|\W)chunked(?:$|\W)/i.test(value)) self.chunkedEncoding = true;
      break;
    case 'content-length':
      state.contLen = true;
      self._contentLength = +value;
      self._removedContLen = false;
      break;
    case 'date': case 'expect': case 'trailer': state[name] = true; break;
    case 'keep-alive': self._defaultKeepAlive = false; break;
    default:
  }
}
const isCookie = (name) => name.length === 6 && name.toLowerCase() === 'cookie';
function storeField(self, state, field, value, checksText) {
  if (checksText) checkValue(field, value);
  state.header += `${field}: ${value}\r\n`;
  note(self, state, field, value);
}
function takeField(self, state, field, given, checksText) {
  if (checksText) checkName(field);
  let value = given;
  if (Array.isArray(value)) {
    if ((value.length < 2 || !isCookie(field)) && !self[kUnique]?.has(field.toLowerCase())) {
      for (const one of value) storeField(self, state, field, one, checksText);
      return;
    }
    value = value.join('; ');
  }
  storeField(self, state, field, value, checksText);
}
function takeFields(self, state, headers) {
  if (headers === self[kHeaders]) {
    for (const key of Object.keys(headers)) takeField(self, state, headers[key][0], headers[key][1], false);
  } else if (Array.isArray(headers)) {
    if (headers.length > 0 && Array.isArray(headers[0])) for (const [field, value] of headers) takeField(self, state, field, value, true);
    else {
      if (headers.length % 2 !== 0) throw argumentValue('headers', headers);
      for (let i = 0; i < headers.length; i += 2) takeField(self, state, headers[i], headers[i + 1], true);
    }
  } else for (const key of Object.keys(headers)) takeField(self, state, key, headers[key], true);
}
function connectionFields(self, state) {
  if (self._removedConnection) self._last = !self.shouldKeepAlive;
  else if (!state.connection) {
    const keeps = self.shouldKeepAlive && (state.contLen || self.useChunkedEncodingByDefault || self.agent);
    if (keeps && self.maxRequestsOnConnectionReached) state.header += 'Connection: close\r\n';
    else if (keeps) {
      state.header += 'Connection: keep-alive\r\n';
      if (self._keepAliveTimeout && self._defaultKeepAlive) {
        const max = ~~self._maxRequestsPerSocket > 0 ? `, max=${self._maxRequestsPerSocket}` : '';
        state.header += `Keep-Alive: timeout=${Math.floor(self._keepAliveTimeout / 1000)}${max}\r\n`;
      }
    } else {
      self._last = true;
      state.header += 'Connection: close\r\n';
    }
  }
}
function lengthFields(self, state) {
  if (state.contLen || state.te) return;
  if (!self._hasBody) self.chunkedEncoding = false;
  else if (!self.useChunkedEncodingByDefault) self._last = true;
  else if (!state.trailer && !self._removedContLen && typeof self._contentLength === 'number') state.header += `Content-Length: ${self._contentLength}\r\n`;
  else if (!self._removedTE) {
    state.header += 'Transfer-Encoding: chunked\r\n';
    self.chunkedEncoding = true;
  } else self._last = true;
}
const fields = {
  _storeHeader(firstLine, headers) {
    const state = { connection: false, contLen: false, te: false, date: false, expect: false, trailer: false, header: firstLine };
    if (headers) takeFields(this, state, headers);
    if (this.sendDate && !state.date) state.header += `Date: ${utcDate()}\r\n`;
    if (this.chunkedEncoding && (this.statusCode === 204 || this.statusCode === 304)) {
      this.chunkedEncoding = false;
      this.shouldKeepAlive = false;
    }
    connectionFields(this, state);
    lengthFields(this, state);
    if (this.chunkedEncoding !== true && state.trailer) throw failure('ERR_HTTP_TRAILER_INVALID');
    this._header = `${state.header}\r\n`;
    this._headerSent = false;
    if (state.expect) this._send('');
  },
  setHeader(name, value) {
    if (this._header) throw failure('ERR_HTTP_HEADERS_SENT', 'set');
    checkName(name);
    checkValue(name, value);
    (this[kHeaders] ??= { __proto__: null })[name.toLowerCase()] = [name, value];
    return this;
  },
  setHeaders(headers) {
    if (this._header) throw failure('ERR_HTTP_HEADERS_SENT', 'set');
    if (!headers || Array.isArray(headers) || typeof headers.keys !== 'function' || typeof headers.get !== 'function') throw argumentType('headers', ['Headers', 'Map'], headers);
    const cookies = [];
    for (const [key, value] of headers) {
      if (key === 'set-cookie') cookies.push(...(Array.isArray(value) ? value : [value]));
      else this.setHeader(key, value);
    }
    if (cookies.length) this.setHeader('set-cookie', cookies);
    return this;
  },
  appendHeader(name, value) {
    if (this._header) throw failure('ERR_HTTP_HEADERS_SENT', 'append');
    checkName(name);
    checkValue(name, value);
    const key = name.toLowerCase();
    const headers = this[kHeaders] ??= { __proto__: null };
    if (headers[key] === undefined) headers[key] = [name, value];
    else {
      if (!Array.isArray(headers[key][1])) headers[key][1] = [headers[key][1]];
      if (Array.isArray(value)) headers[key][1].push(...value);
      else headers[key][1].push(value);
    }
    return this;
  },
  getHeader(name) {
    checks.isString(name, 'name');
    return this[kHeaders]?.[name.toLowerCase()]?.[1];
  },
  getHeaderNames() { return this[kHeaders] ? Object.keys(this[kHeaders]) : []; },
  getRawHeaderNames() { return this[kHeaders] ? Object.values(this[kHeaders]).map(([name]) => name) : []; },
  getHeaders() {
    const made = { __proto__: null };
    for (const key of this.getHeaderNames()) [, made[key]] = this[kHeaders][key];
    return made;
  },
  hasHeader(name) {
    checks.isString(name, 'name');
    return this[kHeaders]?.[name.toLowerCase()] !== undefined;
  },
  removeHeader(name) {
    checks.isString(name, 'name');
    if (this._header) throw failure('ERR_HTTP_HEADERS_SENT', 'remove');
    const key = name.toLowerCase();
    if (removes[key] !== undefined) this[removes[key]] = true;
    else if (key === 'date') this.sendDate = false;
    if (this[kHeaders]) delete this[kHeaders][key];
  },
  _renderHeaders() {
    if (this._header) throw failure('ERR_HTTP_HEADERS_SENT', 'render');
    const made = {};
    for (const [name, value] of Object.values(this[kHeaders] ?? {})) made[name] = value;
    return made;
  },
  flushHeaders() {
    if (!this._header) this._implicitHeader();
    this._send('');
  },
  _implicitHeader() { throw failure('ERR_METHOD_NOT_IMPLEMENTED', '_implicitHeader()'); },
  addTrailers(headers) {
    const list = Array.isArray(headers) ? headers : Object.entries(headers);
    for (const [field, given] of list) {
      checkName(field, 'Trailer name');
      for (const value of Array.isArray(given) ? given : [given]) {
        if (isBadValue(value)) throw coded(TypeError, 'ERR_INVALID_CHAR', `Invalid character in trailer content ["${field}"]`);
        this._trailer += `${field}: ${value}\r\n`;
      }
    }
  },
};

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
  self._send(`${size.toString(16)}\r\n`, 'latin1', null);
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
const parseUnique = (list) => (Array.isArray(list) ? new Set(list.map((one) => one.toLowerCase())) : null);
shelf.httpOutgoing = { OutgoingMessage, kHeaders, kNeedDrain, kErrored, kUnique, parseUnique, utcDate };
