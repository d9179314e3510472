// SPDX-License-Identifier: Apache-2.0
// node:http, part 5: ServerResponse.
'use strict';
const { base } = shelf;
const { coded, argumentValue, checks } = base;
const { statusCodes, checkName, checkValue, isBadValue, failure } = shelf.httpParser;
const { OutgoingMessage, kHeaders } = shelf.httpOutgoing;

function ServerResponse(request, options) {
  base.apply(OutgoingMessage, this, [options]);
  if (request.method === 'HEAD') this._hasBody = false;
  this.req = request;
  this.sendDate = true;
  this._sent100 = false;
  this._expect_continue = false;
  if (request.httpVersionMajor < 1 || request.httpVersionMinor < 1) {
    this.useChunkedEncodingByDefault = /(?:^|\W)chunked(?:$|\W)/i.test(request.headers.te);
    this.shouldKeepAlive = false;
  }
}
Object.setPrototypeOf(ServerResponse.prototype, OutgoingMessage.prototype);
Object.setPrototypeOf(ServerResponse, OutgoingMessage);
ServerResponse.prototype.statusCode = 200;
ServerResponse.prototype.statusMessage = undefined;

function emitClose(response) {
  if (response._closed) return;
  response.destroyed = true;
  response._closed = true;
  response.emit('close');
}
function onSocketClose() {
  if (this._httpMessage) emitClose(this._httpMessage);
}
Object.assign(ServerResponse.prototype, {
  assignSocket(socket) {
    if (socket._httpMessage) throw failure('ERR_HTTP_SOCKET_ASSIGNED');
    socket._httpMessage = this;
    socket.on('close', onSocketClose);
    this.socket = socket;
    this.emit('socket', socket);
    this._flush();
  },
  detachSocket(socket) {
    socket.removeListener('close', onSocketClose);
    socket._httpMessage = null;
    this.socket = null;
  },
  writeContinue(callback) {
    this._writeRaw('HTTP/1.1 100 Continue\r\n\r\n', 'ascii', callback);
    this._sent100 = true;
  },
  writeProcessing(callback) { this._writeRaw('HTTP/1.1 102 Processing\r\n\r\n', 'ascii', callback); },
  writeEarlyHints(hints, callback) {
    checks.isObject(hints, 'hints');
    if (hints.link === null || hints.link === undefined) return;
    const links = Array.isArray(hints.link) ? hints.link.join(', ') : hints.link;
    if (links.length === 0) return;
    if (!/^(?:<[^>]*>)(?:\s*;\s*[^;"\s]+(?:=(?:")?[^;"\s]*(?:")?)?)*(?:,\s*<[^>]*>(?:\s*;\s*[^;"\s]+(?:=(?:")?[^;"\s]*(?:")?)?)*)*$/.test(links)) throw argumentValue('hints', hints.link, 'must be an array or string of format "</styles.css>; rel=preload; as=style"');
    let head = `HTTP/1.1 103 Early Hints\r\nLink: ${links}\r\n`;
    for (const key of Object.keys(hints)) {
      if (key === 'link') continue;
      checkName(key);
      checkValue(key, hints[key]);
      head += `${key}: ${hints[key]}\r\n`;
    }
    this._writeRaw(`${head}\r\n`, 'ascii', callback);
  },
  _implicitHeader() { this.writeHead(this.statusCode); },
  writeHead(given, reason, object) {
    if (this._header) throw failure('ERR_HTTP_HEADERS_SENT', 'write');
    const statusCode = given | 0;
    if (statusCode < 100 || statusCode > 999) throw failure('ERR_HTTP_INVALID_STATUS_CODE', given);
    let headers = object;
    if (typeof reason === 'string') this.statusMessage = reason;
    else {
      this.statusMessage ||= statusCodes[statusCode] || 'unknown';
      headers ??= reason;
    }
    this.statusCode = statusCode;
    if (this[kHeaders]) {
      // What was set before gives way to what is given now.
      if (Array.isArray(headers)) {
        if (headers.length % 2 !== 0) throw argumentValue('headers', headers);
        for (let i = 0; i < headers.length; i += 2) this.removeHeader(headers[i]);
        for (let i = 0; i < headers.length; i += 2) if (headers[i]) this.appendHeader(headers[i], headers[i + 1]);
      } else if (headers) for (const key of Object.keys(headers)) if (key) this.setHeader(key, headers[key]);
      headers = this[kHeaders];
    }
    if (isBadValue(this.statusMessage)) throw coded(TypeError, 'ERR_INVALID_CHAR', 'Invalid character in statusMessage');
    if (statusCode === 204 || statusCode === 304 || statusCode < 200) this._hasBody = false;
    if (this._expect_continue && !this._sent100) this.shouldKeepAlive = false;
    this._storeHeader(`HTTP/1.1 ${statusCode} ${this.statusMessage}\r\n`, headers);
    return this;
  },
});
ServerResponse.prototype.writeHeader = ServerResponse.prototype.writeHead;
shelf.httpResponse = { ServerResponse, emitClose };
