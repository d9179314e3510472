// SPDX-License-Identifier: Apache-2.0
// node:http, part 1: the errors, the rules of names and values, and the parser on the host's
// (lang/script/http/internal/message_parser.hpp).
'use strict';
const { base } = shelf;
const { natives, coded } = base;

const methods = ['ACL', 'BIND', 'CHECKOUT', 'CONNECT', 'COPY', 'DELETE', 'GET', 'HEAD', 'LINK', 'LOCK', 'M-SEARCH', 'MERGE', 'MKACTIVITY', 'MKCALENDAR', 'MKCOL', 'MOVE', 'NOTIFY', 'OPTIONS', 'PATCH', 'POST', 'PROPFIND', 'PROPPATCH', 'PURGE', 'PUT', 'QUERY', 'REBIND', 'REPORT', 'SEARCH', 'SOURCE', 'SUBSCRIBE', 'TRACE', 'UNBIND', 'UNLINK', 'UNLOCK', 'UNSUBSCRIBE'];
const statusText = '100 Continue|101 Switching Protocols|102 Processing|103 Early Hints|200 OK|201 Created|202 Accepted|203 Non-Authoritative Information|204 No Content|205 Reset Content|206 Partial Content|207 Multi-Status|208 Already Reported|226 IM Used|300 Multiple Choices|301 Moved Permanently|302 Found|303 See Other|304 Not Modified|305 Use Proxy|307 Temporary Redirect|308 Permanent Redirect|400 Bad Request|401 Unauthorized|402 Payment Required|403 Forbidden|404 Not Found|405 Method Not Allowed|406 Not Acceptable|407 Proxy Authentication Required|408 Request Timeout|409 Conflict|410 Gone|411 Length Required|412 Precondition Failed|413 Payload Too Large|414 URI Too Long|415 Unsupported Media Type|416 Range Not Satisfiable|417 Expectation Failed|418 I\'m a Teapot|421 Misdirected Request|422 Unprocessable Entity|423 Locked|424 Failed Dependency|425 Too Early|426 Upgrade Required|428 Precondition Required|429 Too Many Requests|431 Request Header Fields Too Large|451 Unavailable For Legal Reasons|500 Internal Server Error|501 Not Implemented|502 Bad Gateway|503 Service Unavailable|504 Gateway Timeout|505 HTTP Version Not Supported|506 Variant Also Negotiates|507 Insufficient Storage|508 Loop Detected|509 Bandwidth Limit Exceeded|510 Not Extended|511 Network Authentication Required';
const statusCodes = {};
for (const one of statusText.split('|')) statusCodes[one.slice(0, 3)] = one.slice(4);

// ---- Names and values ----

const token = /^[\^_`a-zA-Z\-0-9!#$%&'*+.|~]+$/;
const badValue = /[^\t\x20-\x7e\x80-\xff]/;
const isToken = (text) => token.test(text);
const isBadValue = (text) => badValue.test(text);
function checkName(name, label = 'Header name') {
  if (typeof name !== 'string' || !isToken(name)) throw coded(TypeError, 'ERR_INVALID_HTTP_TOKEN', `${label} must be a valid HTTP token ["${name}"]`);
}
function checkValue(name, value) {
  if (value === undefined) throw coded(TypeError, 'ERR_HTTP_INVALID_HEADER_VALUE', `Invalid value "${value}" for header "${name}"`);
  if (isBadValue(value)) throw coded(TypeError, 'ERR_INVALID_CHAR', `Invalid character in header content ["${name}"]`);
}

// ---- Errors ----

const texts = {
  ERR_HTTP_HEADERS_SENT: [Error, (what) => `Cannot ${what} headers after they are sent to the client`],
  ERR_HTTP_INVALID_STATUS_CODE: [RangeError, (code) => `Invalid status code: ${code}`],
  ERR_HTTP_TRAILER_INVALID: [Error, () => 'Trailers are invalid with this transfer encoding'],
  ERR_HTTP_BODY_NOT_ALLOWED: [Error, () => 'Adding content for this request method or response status is not allowed.'],
  ERR_HTTP_CONTENT_LENGTH_MISMATCH: [Error, (is, said) => `Response body's content-length of ${is} byte(s) does not match the content-length of ${said} byte(s) set in header`],
  ERR_HTTP_SOCKET_ASSIGNED: [Error, () => 'ServerResponse has an already assigned socket'],
  ERR_HTTP_SOCKET_ENCODING: [Error, () => 'Changing the socket encoding is not allowed per RFC7230 Section 3.'],
  ERR_HTTP_REQUEST_TIMEOUT: [Error, () => 'Request timeout'],
  ERR_INVALID_CHAR: [TypeError, (what) => `Invalid character in ${what}`],
  ERR_INVALID_PROTOCOL: [TypeError, (is, expected) => `Protocol "${is}" not supported. Expected "${expected}"`],
  ERR_UNESCAPED_CHARACTERS: [TypeError, (what) => `${what} contains unescaped characters`],
  ERR_STREAM_WRITE_AFTER_END: [Error, () => 'write after end'],
  ERR_STREAM_DESTROYED: [Error, (what) => `Cannot call ${what} after a stream was destroyed`],
  ERR_STREAM_ALREADY_FINISHED: [Error, (what) => `Cannot call ${what} after a stream was finished`],
  ERR_STREAM_CANNOT_PIPE: [Error, () => 'Cannot pipe, not readable'],
  ERR_STREAM_NULL_VALUES: [TypeError, () => 'May not write null values to stream'],
  ERR_METHOD_NOT_IMPLEMENTED: [Error, (name) => `The ${name} method is not implemented`],
};
const failure = (code, ...given) => coded(texts[code][0], code, texts[code][1](...given));
function connectionReset(message) { return Object.assign(new Error(message), { code: 'ECONNRESET' }); }

// ---- The parser ----

const limits = { maxHeaderSize: 16384 };
const flagsOf = { isHead: 1, isConnect: 2, takesUpgrades: 4 };
function readStart(socket) { if (socket && !socket._paused && socket.readable) socket.resume(); }
function readStop(socket) { if (socket) socket.pause(); }

// The list of the host: texts, each with a NUL behind it.
let cursor = 0;  // behind the one that was read last
function textAt(list, from) {
  const end = list.indexOf('\0', from);
  cursor = end + 1;
  return list.slice(from, end);
}
function numberAt(list, from) {
  let value = 0;
  let at = from;
  for (let code = list.charCodeAt(at); code !== 0; code = list.charCodeAt(at)) {
    value = value * 10 + code - 48;
    at += 1;
  }
  cursor = at + 1;
  return value;
}
function copied(memory, size) {
  const made = shelf.Buffer.allocUnsafeSlow(size);
  made.set(memory.subarray(0, size));
  return made;
}
const letters = { head: 72, body: 66, end: 69, otherProtocol: 85 };
const headBits = { keepsAlive: 1, isUpgrade: 2, hasHost: 4, hasExpect: 8 };

class Parser {
  #number;
  socket = null;
  incoming = null;
  outgoing = null;
  onIncoming = null;  // (incoming, keepsAlive)
  IncomingMessage = null;
  maxHeaderPairs = 2000 << 1;
  joinDuplicateHeaders = null;
  isClosed = false;
  isBusy = false;
  // The last bytes did not end a message.
  isMidway = false;
  // When the message began that is read now, and whether its head is complete; 0: none is, or the one
  // that came whole.
  beganAt = 0;
  hasHead = false;
  constructor(isResponse, maxHeaderSize, isLenient) {
    this.isResponse = isResponse;
    this.#number = natives.parserOpen(isResponse, maxHeaderSize || limits.maxHeaderSize, isLenient);
  }
  #flags() {
    if (!this.isResponse) return this.socket?.server?.listenerCount('upgrade') > 0 ? flagsOf.takesUpgrades : 0;
    const { method } = this.outgoing ?? {};
    return method === 'HEAD' ? flagsOf.isHead : method === 'CONNECT' ? flagsOf.isConnect : 0;
  }
  // The number of bytes that are of HTTP, or the error. With a size the bytes are in memory that is
  // borrowed for the call.
  execute(bytes, size) {
    if (this.isClosed) return size ?? bytes.length;
    return this.#take(natives.parserFeed(this.#number, bytes, this.#flags(), size ?? bytes.length), bytes, size);
  }
  finish() {
    if (this.isClosed) return undefined;
    const made = this.#take(natives.parserFinish(this.#number));
    return made instanceof Error ? made : undefined;
  }
  close() {
    if (this.isClosed) return;
    this.isClosed = true;
    natives.parserClose(this.#number);
    this.socket = null;
    this.incoming = null;
    this.outgoing = null;
    this.onIncoming = null;
  }
  #take(list, given, size) {
    let bytes = size === undefined ? given : undefined;
    this.isMidway = true;
    for (let at = 0; at < list.length && !this.isClosed; at = cursor) {
      const letter = list.charCodeAt(at);
      if (letter === letters.head) this.#takeHead(list, at);
      else if (letter === letters.end) this.#takeEnd(list, at + 2);
      else if (letter === letters.body) {
        const start = numberAt(list, at + 2);
        const end = start + numberAt(list, cursor);
        const next = cursor;
        bytes ??= copied(given, size);
        this.#takeBody(bytes.subarray(start, end));
        cursor = next;
      } else return letter === letters.otherProtocol ? numberAt(list, at + 2) : this.#takeError(list, at + 2, given !== undefined);
    }
    return size ?? given?.length;
  }
  #takeError(list, at, hasBytes) {
    const code = textAt(list, at);
    const reason = textAt(list, cursor);
    const error = new Error(`Parse Error${reason && hasBytes ? `: ${reason}` : ''}`);
    error.bytesParsed = numberAt(list, cursor);
    error.code = code;
    error.reason = reason;
    return error;
  }
  #takeHead(list, at) {
    const bits = list.charCodeAt(at + 1) - 64;
    const incoming = new this.IncomingMessage(this.socket);
    incoming.httpVersion = list.slice(at + 2, at + 5);
    incoming.httpVersionMajor = list.charCodeAt(at + 2) - 48;
    incoming.httpVersionMinor = list.charCodeAt(at + 4) - 48;
    incoming.joinDuplicateHeaders = this.joinDuplicateHeaders;
    const method = textAt(list, at + 6);
    incoming.url = textAt(list, cursor);
    incoming.upgrade = (bits & headBits.isUpgrade) !== 0;
    const statusCode = numberAt(list, cursor);
    const statusMessage = textAt(list, cursor);
    if (this.isResponse) {
      incoming.statusCode = statusCode;
      incoming.statusMessage = statusMessage;
    } else incoming.method = method;
    const count = 2 * numberAt(list, cursor);
    const end = numberAt(list, cursor) + cursor;
    const isWhole = this.maxHeaderPairs <= 0 || count <= this.maxHeaderPairs;
    shelf.httpIncoming.setHead(incoming, list.slice(cursor, end), isWhole ? count : this.maxHeaderPairs, isWhole ? bits : undefined);
    this.incoming = incoming;
    this.hasHead = true;
    this.onIncoming(incoming, (bits & headBits.keepsAlive) !== 0);
    cursor = end;
  }
  #takeBody(part) {
    const { incoming } = this;
    if (incoming === null || incoming._dumped) return;
    if (!incoming.push(part)) readStop(this.socket);
  }
  #takeEnd(list, at) {
    const count = 2 * numberAt(list, at);
    const trailers = [];
    for (let i = 0; i < count; i += 1) trailers.push(textAt(list, cursor));
    const next = cursor;
    const { incoming } = this;
    this.beganAt = 0;
    this.hasHead = false;
    this.isMidway = cursor < list.length;
    if (incoming !== null) {
      incoming.complete = true;
      if (count > 0) incoming._addTrailerLines(trailers);
      incoming.push(null);
    }
    readStart(this.socket);
    cursor = next;
  }
}
function freeParser(parser, request, socket) {
  if (parser) parser.close();
  if (request) request.parser = null;
  if (socket) socket.parser = null;
}
shelf.httpParser = { Parser, freeParser, copied, headBits, readStart, readStop, limits, methods, statusCodes, isToken, isBadValue, checkName, checkValue, failure, connectionReset };
