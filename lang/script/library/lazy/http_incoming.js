// SPDX-License-Identifier: Apache-2.0
// node:http, part 2: IncomingMessage: the request of a server, the response of a client.
'use strict';
const { base, builtins } = shelf;
const { readStart } = shelf.httpParser;
const { Readable, finished } = builtins.stream;

const kHeaders = Symbol('kHeaders');
const kDistinct = Symbol('kHeadersDistinct');
const kTrailers = Symbol('kTrailers');
const kTrailersDistinct = Symbol('kTrailersDistinct');
const kCount = Symbol('kHeadersCount');
// The fields as the parser gave them, the list that comes of them, and bits of httpParser.headBits.
const kFields = Symbol('fields');
const kRaw = Symbol('rawHeaders');
const kBits = Symbol('bits');

function IncomingMessage(socket) {
  base.apply(Readable, this, [{ autoDestroy: true, highWaterMark: socket?.readableHighWaterMark }]);
  this._readableState.readingMore = true;
  this.socket = socket;
  this.httpVersionMajor = null;
  this.httpVersionMinor = null;
  this.httpVersion = null;
  this.complete = false;
  this[kHeaders] = null;
  this[kCount] = 0;
  this[kBits] = undefined;
  this[kFields] = '';
  this[kRaw] = null;
  this[kTrailers] = null;
  this.rawTrailers = [];
  this.joinDuplicateHeaders = false;
  this.aborted = false;
  this.upgrade = null;
  this.url = '';
  this.method = null;
  this.statusCode = null;
  this.statusMessage = null;
  this.client = socket;
  this._consumed = false;
  this._dumped = false;
}
Object.setPrototypeOf(IncomingMessage.prototype, Readable.prototype);
Object.setPrototypeOf(IncomingMessage, Readable);

// ---- Fields ----

// Of these the first counts.
const single = new Set(['age', 'authorization', 'content-length', 'content-type', 'etag', 'expires', 'from', 'host', 'if-modified-since', 'if-unmodified-since', 'last-modified', 'location', 'max-forwards', 'proxy-authorization', 'referer', 'retry-after', 'server', 'user-agent']);
function addLine(field, value, dest, joins) {
  const name = field.toLowerCase();
  if (name === 'set-cookie') {
    if (dest[name] !== undefined) dest[name].push(value);
    else dest[name] = [value];
  } else if (dest[name] === undefined) dest[name] = value;
  else if (!single.has(name) || joins) dest[name] += `${name === 'cookie' ? '; ' : ', '}${value}`;
}
function addDistinct(field, value, dest) {
  const name = field.toLowerCase();
  if (dest[name]) dest[name].push(value);
  else dest[name] = [value];
}
function gather(raw, add, dest, count = raw.length) {
  for (let i = 0; i < count; i += 2) add(raw[i], raw[i + 1], dest);
  return dest;
}
const lazy = (symbol, make) => ({
  configurable: true, enumerable: false,
  get() { return this[symbol] ??= make(this); },
  set(value) { this[symbol] = value; },
});
Object.defineProperties(IncomingMessage.prototype, {
  rawHeaders: {
    configurable: true, enumerable: true,
    get() { return this[kRaw] ??= this[kFields] === '' ? [] : this[kFields].slice(0, -1).split('\0'); },
    set(list) { this[kRaw] = list; },
  },
  connection: { configurable: true, enumerable: false, get() { return this.socket; }, set(socket) { this.socket = socket; } },
  headers: lazy(kHeaders, (self) => gather(self.rawHeaders, (field, value, dest) => addLine(field, value, dest, self.joinDuplicateHeaders), {}, self[kCount])),
  headersDistinct: lazy(kDistinct, (self) => gather(self.rawHeaders, addDistinct, { __proto__: null }, self[kCount])),
  trailers: lazy(kTrailers, (self) => gather(self.rawTrailers, (field, value, dest) => addLine(field, value, dest, self.joinDuplicateHeaders), {})),
  trailersDistinct: lazy(kTrailersDistinct, (self) => gather(self.rawTrailers, addDistinct, { __proto__: null })),
});

// ---- The stream ----

function tellError(self, error, callback) {
  if (self.listenerCount('error') === 0) callback();
  else callback(error);
}
Object.assign(IncomingMessage.prototype, {
  setTimeout(delay, callback) {
    if (callback) this.on('timeout', callback);
    this.socket.setTimeout(delay);
    return this;
  },
  _read() {
    if (!this._consumed) {
      this._readableState.readingMore = false;
      this._consumed = true;
    }
    if (this.socket?.readable) readStart(this.socket);
  },
  _destroy(given, callback) {
    let error = given;
    if (!this.readableEnded || !this.complete) {
      this.aborted = true;
      this.emit('aborted');
    }
    if (this.socket && !this.socket.destroyed && this.aborted) {
      this.socket.destroy(error);
      const cleanup = finished(this.socket, (ended) => {
        if (ended?.code !== 'ERR_STREAM_PREMATURE_CLOSE') error = ended || error;
        cleanup();
        shelf.nextTick(tellError, this, error, callback);
      });
    } else shelf.nextTick(tellError, this, error, callback);
  },
  _addHeaderLines(fields, count) {
    this.rawHeaders = fields;
    this[kCount] = count;
  },
  _addTrailerLines(fields) { this.rawTrailers = fields; },
  _addHeaderLine(field, value, dest) { addLine(field, value, dest, this.joinDuplicateHeaders); },
  _addHeaderLineDistinct(field, value, dest) { addDistinct(field, value, dest); },
  _dump() {
    if (this._dumped) return;
    this._dumped = true;
    this.removeAllListeners('data');
    this.resume();
  },
});
function setHead(incoming, fields, count, bits) {
  incoming[kFields] = fields;
  incoming[kCount] = count;
  incoming[kBits] = bits;
}
// Whether a request has a field, without an object of all of them.
function hasField(incoming, name, bit) {
  const bits = incoming[kBits];
  return bits === undefined ? incoming.headers[name] !== undefined : (bits & bit) !== 0;
}
shelf.httpIncoming = { IncomingMessage, setHead, hasField };
