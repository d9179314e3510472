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
  // When the message began that is read now, and whether its head is complete; 0: none is.
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
  // The number of bytes that are of HTTP, or the error.
  execute(bytes) {
    if (this.isClosed) return bytes.length;
    return this.#take(natives.parserFeed(this.#number, bytes, this.#flags()), bytes);
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
  #take(text, bytes) {
    if (text === '') return bytes?.length;
    const list = text.split('\0');
    for (let at = 0; at < list.length - 1;) {
      if (this.isClosed) break;
      switch (list[at]) {
        case 'H': at = this.#takeHead(list, at + 1); break;
        case 'B': {
          const start = Number(list[at + 1]);
          this.#takeBody(bytes.subarray(start, start + Number(list[at + 2])));
          at += 3;
          break;
        }
        case 'E': at = this.#takeEnd(list, at + 1); break;
        case 'U': return Number(list[at + 1]);
        default: {
          const error = new Error(`Parse Error${list[at + 2] && bytes ? `: ${list[at + 2]}` : ''}`);
          error.bytesParsed = Number(list[at + 3]);
          error.code = list[at + 1];
          error.reason = list[at + 2];
          return error;
        }
      }
    }
    return bytes?.length;
  }
  #takeHead(list, at) {
    const count = 2 * Number(list[at + 7]);
    const fields = list.slice(at + 8, at + 8 + count);
    const incoming = new this.IncomingMessage(this.socket);
    incoming.httpVersion = list[at + 4];
    [incoming.httpVersionMajor, incoming.httpVersionMinor] = list[at + 4].split('.').map(Number);
    incoming.joinDuplicateHeaders = this.joinDuplicateHeaders;
    incoming.url = list[at + 1];
    incoming.upgrade = list[at + 6] !== '';
    incoming._addHeaderLines(fields, this.maxHeaderPairs > 0 ? Math.min(count, this.maxHeaderPairs) : count);
    if (this.isResponse) {
      incoming.statusCode = Number(list[at + 2]);
      incoming.statusMessage = list[at + 3];
    } else incoming.method = list[at];
    this.incoming = incoming;
    this.hasHead = true;
    this.onIncoming(incoming, list[at + 5] !== '');
    return at + 8 + count;
  }
  #takeBody(part) {
    const { incoming } = this;
    if (incoming === null || incoming._dumped) return;
    if (!incoming.push(part)) readStop(this.socket);
  }
  #takeEnd(list, at) {
    const count = 2 * Number(list[at]);
    const { incoming } = this;
    this.beganAt = 0;
    this.hasHead = false;
    if (incoming !== null) {
      incoming.complete = true;
      if (count > 0) incoming._addTrailerLines(list.slice(at + 1, at + 1 + count));
      incoming.push(null);
    }
    readStart(this.socket);
    return at + 1 + count;
  }
}
function freeParser(parser, request, socket) {
  if (parser) parser.close();
  if (request) request.parser = null;
  if (socket) socket.parser = null;
}
shelf.httpParser = { Parser, freeParser, readStart, readStop, limits, methods, statusCodes, isToken, isBadValue, checkName, checkValue, failure, connectionReset };
