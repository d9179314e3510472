// SPDX-License-Identifier: Apache-2.0
// node:http, part 3: the head of an OutgoingMessage: its fields, and those that are added.
'use strict';
const { base } = shelf;
const { coded, argumentType, argumentValue, checks } = base;
const { checkName, checkValue, isBadValue, failure } = shelf.httpParser;

const kHeaders = Symbol('kOutHeaders');
const kUnique = Symbol('kUniqueHeaders');

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
const parseUnique = (list) => (Array.isArray(list) ? new Set(list.map((one) => one.toLowerCase())) : null);
shelf.httpFields = { fields, kHeaders, kUnique, parseUnique, utcDate };
