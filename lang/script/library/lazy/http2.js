// SPDX-License-Identifier: Apache-2.0
// node:http2: what a package reads when it loads: constants and settings. There is no session: what
// would make one throws, and names the page that says so.
'use strict';
const { base } = shelf;
const { coded, checks } = base;

// ---- Constants: as in Node 20 ----

const words = (text) => text.trim().split(/\s+/);
const constants = {};
const numbers = `
  NGHTTP2_ERR_FRAME_SIZE_ERROR=-522 NGHTTP2_SESSION_SERVER=0 NGHTTP2_SESSION_CLIENT=1 NGHTTP2_STREAM_STATE_IDLE=1
  NGHTTP2_STREAM_STATE_OPEN=2 NGHTTP2_STREAM_STATE_RESERVED_LOCAL=3 NGHTTP2_STREAM_STATE_RESERVED_REMOTE=4
  NGHTTP2_STREAM_STATE_HALF_CLOSED_LOCAL=5 NGHTTP2_STREAM_STATE_HALF_CLOSED_REMOTE=6 NGHTTP2_STREAM_STATE_CLOSED=7
  NGHTTP2_FLAG_NONE=0 NGHTTP2_FLAG_END_STREAM=1 NGHTTP2_FLAG_END_HEADERS=4 NGHTTP2_FLAG_ACK=1 NGHTTP2_FLAG_PADDED=8
  NGHTTP2_FLAG_PRIORITY=32 DEFAULT_SETTINGS_HEADER_TABLE_SIZE=4096 DEFAULT_SETTINGS_ENABLE_PUSH=1
  DEFAULT_SETTINGS_MAX_CONCURRENT_STREAMS=4294967295 DEFAULT_SETTINGS_INITIAL_WINDOW_SIZE=65535
  DEFAULT_SETTINGS_MAX_FRAME_SIZE=16384 DEFAULT_SETTINGS_MAX_HEADER_LIST_SIZE=65535 DEFAULT_SETTINGS_ENABLE_CONNECT_PROTOCOL=0
  MAX_MAX_FRAME_SIZE=16777215 MIN_MAX_FRAME_SIZE=16384 MAX_INITIAL_WINDOW_SIZE=2147483647 NGHTTP2_SETTINGS_HEADER_TABLE_SIZE=1
  NGHTTP2_SETTINGS_ENABLE_PUSH=2 NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS=3 NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE=4
  NGHTTP2_SETTINGS_MAX_FRAME_SIZE=5 NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE=6 NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL=8
  PADDING_STRATEGY_NONE=0 PADDING_STRATEGY_ALIGNED=1 PADDING_STRATEGY_MAX=2 PADDING_STRATEGY_CALLBACK=1 NGHTTP2_NO_ERROR=0
  NGHTTP2_PROTOCOL_ERROR=1 NGHTTP2_INTERNAL_ERROR=2 NGHTTP2_FLOW_CONTROL_ERROR=3 NGHTTP2_SETTINGS_TIMEOUT=4 NGHTTP2_STREAM_CLOSED=5
  NGHTTP2_FRAME_SIZE_ERROR=6 NGHTTP2_REFUSED_STREAM=7 NGHTTP2_CANCEL=8 NGHTTP2_COMPRESSION_ERROR=9 NGHTTP2_CONNECT_ERROR=10
  NGHTTP2_ENHANCE_YOUR_CALM=11 NGHTTP2_INADEQUATE_SECURITY=12 NGHTTP2_HTTP_1_1_REQUIRED=13 NGHTTP2_DEFAULT_WEIGHT=16`;
for (const one of words(numbers)) {
  const [name, value] = one.split('=');
  constants[name] = Number(value);
}
const pseudo = ['STATUS', 'METHOD', 'AUTHORITY', 'SCHEME', 'PATH', 'PROTOCOL'];
const headers = `
  STATUS METHOD AUTHORITY SCHEME PATH PROTOCOL ACCEPT_ENCODING ACCEPT_LANGUAGE ACCEPT_RANGES ACCEPT ACCESS_CONTROL_ALLOW_CREDENTIALS
  ACCESS_CONTROL_ALLOW_HEADERS ACCESS_CONTROL_ALLOW_METHODS ACCESS_CONTROL_ALLOW_ORIGIN ACCESS_CONTROL_EXPOSE_HEADERS
  ACCESS_CONTROL_REQUEST_HEADERS ACCESS_CONTROL_REQUEST_METHOD AGE AUTHORIZATION CACHE_CONTROL CONNECTION CONTENT_DISPOSITION
  CONTENT_ENCODING CONTENT_LENGTH CONTENT_TYPE COOKIE DATE ETAG FORWARDED HOST IF_MODIFIED_SINCE IF_NONE_MATCH IF_RANGE
  LAST_MODIFIED LINK LOCATION RANGE REFERER SERVER SET_COOKIE STRICT_TRANSPORT_SECURITY TRANSFER_ENCODING TE
  UPGRADE_INSECURE_REQUESTS UPGRADE USER_AGENT VARY X_CONTENT_TYPE_OPTIONS X_FRAME_OPTIONS KEEP_ALIVE PROXY_CONNECTION
  X_XSS_PROTECTION ALT_SVC CONTENT_SECURITY_POLICY EARLY_DATA EXPECT_CT ORIGIN PURPOSE TIMING_ALLOW_ORIGIN X_FORWARDED_FOR PRIORITY
  ACCEPT_CHARSET ACCESS_CONTROL_MAX_AGE ALLOW CONTENT_LANGUAGE CONTENT_LOCATION CONTENT_MD5 CONTENT_RANGE DNT EXPECT EXPIRES FROM
  IF_MATCH IF_UNMODIFIED_SINCE MAX_FORWARDS PREFER PROXY_AUTHENTICATE PROXY_AUTHORIZATION REFRESH RETRY_AFTER TRAILER TK VIA WARNING
  WWW_AUTHENTICATE HTTP2_SETTINGS`;
for (const name of words(headers)) constants[`HTTP2_HEADER_${name}`] = `${pseudo.includes(name) ? ':' : ''}${name.toLowerCase().replaceAll('_', '-')}`;
const methods = `
  ACL BASELINE_CONTROL BIND CHECKIN CHECKOUT CONNECT COPY DELETE GET HEAD LABEL LINK LOCK MERGE MKACTIVITY MKCALENDAR MKCOL
  MKREDIRECTREF MKWORKSPACE MOVE OPTIONS ORDERPATCH PATCH POST PRI PROPFIND PROPPATCH PUT REBIND REPORT SEARCH TRACE UNBIND
  UNCHECKOUT UNLINK UNLOCK UPDATE UPDATEREDIRECTREF VERSION_CONTROL`;
for (const name of words(methods)) constants[`HTTP2_METHOD_${name}`] = name.replaceAll('_', '-');
const statuses = `
  100 CONTINUE 101 SWITCHING_PROTOCOLS 102 PROCESSING 103 EARLY_HINTS 200 OK 201 CREATED 202 ACCEPTED 203
  NON_AUTHORITATIVE_INFORMATION 204 NO_CONTENT 205 RESET_CONTENT 206 PARTIAL_CONTENT 207 MULTI_STATUS 208 ALREADY_REPORTED 226
  IM_USED 300 MULTIPLE_CHOICES 301 MOVED_PERMANENTLY 302 FOUND 303 SEE_OTHER 304 NOT_MODIFIED 305 USE_PROXY 307 TEMPORARY_REDIRECT
  308 PERMANENT_REDIRECT 400 BAD_REQUEST 401 UNAUTHORIZED 402 PAYMENT_REQUIRED 403 FORBIDDEN 404 NOT_FOUND 405 METHOD_NOT_ALLOWED
  406 NOT_ACCEPTABLE 407 PROXY_AUTHENTICATION_REQUIRED 408 REQUEST_TIMEOUT 409 CONFLICT 410 GONE 411 LENGTH_REQUIRED 412
  PRECONDITION_FAILED 413 PAYLOAD_TOO_LARGE 414 URI_TOO_LONG 415 UNSUPPORTED_MEDIA_TYPE 416 RANGE_NOT_SATISFIABLE 417
  EXPECTATION_FAILED 418 TEAPOT 421 MISDIRECTED_REQUEST 422 UNPROCESSABLE_ENTITY 423 LOCKED 424 FAILED_DEPENDENCY 425 TOO_EARLY 426
  UPGRADE_REQUIRED 428 PRECONDITION_REQUIRED 429 TOO_MANY_REQUESTS 431 REQUEST_HEADER_FIELDS_TOO_LARGE 451
  UNAVAILABLE_FOR_LEGAL_REASONS 500 INTERNAL_SERVER_ERROR 501 NOT_IMPLEMENTED 502 BAD_GATEWAY 503 SERVICE_UNAVAILABLE 504
  GATEWAY_TIMEOUT 505 HTTP_VERSION_NOT_SUPPORTED 506 VARIANT_ALSO_NEGOTIATES 507 INSUFFICIENT_STORAGE 508 LOOP_DETECTED 509
  BANDWIDTH_LIMIT_EXCEEDED 510 NOT_EXTENDED 511 NETWORK_AUTHENTICATION_REQUIRED`;
const list = words(statuses);
for (let i = 0; i < list.length; i += 2) constants[`HTTP_STATUS_${list[i + 1]}`] = Number(list[i]);

// ---- Settings ----

// Name, number in a frame, the largest value; a maximum of 1 is a boolean.
const settings = [
  ['headerTableSize', 1, 2 ** 32 - 1], ['enablePush', 2, 1], ['maxConcurrentStreams', 3, 2 ** 32 - 1],
  ['initialWindowSize', 4, 2 ** 31 - 1], ['maxFrameSize', 5, 2 ** 24 - 1], ['maxHeaderListSize', 6, 2 ** 32 - 1],
  ['enableConnectProtocol', 8, 1],
];
function getDefaultSettings() {
  return {
    __proto__: null, headerTableSize: 4096, enablePush: true, initialWindowSize: 65535, maxFrameSize: 16384,
    maxConcurrentStreams: 2 ** 32 - 1, maxHeaderSize: 65535, maxHeaderListSize: 65535, enableConnectProtocol: false,
  };
}
function badSetting(name, value, isNumber) {
  return coded(isNumber ? RangeError : TypeError, 'ERR_HTTP2_INVALID_SETTING_VALUE', `Invalid value for setting "${name}": ${value}`);
}
function getPackedSettings(given = {}) {
  checks.isObject(given, 'settings');
  const bytes = [];
  for (const [name, number, max] of settings) {
    const value = given[name] ?? (name === 'maxHeaderListSize' ? given.maxHeaderSize : undefined);
    if (value === undefined) continue;
    if (max === 1) {
      if (typeof value !== 'boolean') throw badSetting(name, value, false);
    } else if (typeof value !== 'number' || !(value >= (name === 'maxFrameSize' ? 16384 : 0)) || value > max) throw badSetting(name, value, true);
    bytes.push(0, number, ...[24, 16, 8, 0].map((bits) => (Number(value) >>> bits) & 255));
  }
  return shelf.Buffer.from(bytes);
}
function getUnpackedSettings(bytes) {
  if (!ArrayBuffer.isView(bytes) || bytes.length === undefined) throw base.argumentType('buf', ['Buffer', 'TypedArray'], bytes);
  if (bytes.length % 6 !== 0) throw coded(RangeError, 'ERR_HTTP2_INVALID_PACKED_SETTINGS_LENGTH', 'Packed settings length must be a multiple of six');
  const made = {};
  for (let at = 0; at < bytes.length; at += 6) {
    const number = bytes[at] * 256 + bytes[at + 1];
    const value = bytes.slice(at + 2, at + 6).reduce((sum, byte) => sum * 256 + byte, 0);
    const found = settings.find(([, one]) => one === number);
    if (found === undefined) {
      made.customSettings ??= {};
      made.customSettings[number] = value;
      continue;
    }
    if (found[0] === 'maxHeaderListSize') made.maxHeaderSize = value;
    made[found[0]] = found[2] === 1 ? value !== 0 : value;
  }
  return made;
}

// ---- Sessions ----

const refuse = (name) => ({ [name]() {
  throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `http2.${name} is not there: gyre speaks HTTP/1.1 (docs/guide/javascript.md lists what is missing)`);
} })[name];
class Http2ServerRequest { constructor() { refuse('Http2ServerRequest')(); } }
class Http2ServerResponse { constructor() { refuse('Http2ServerResponse')(); } }
shelf.builtins.http2 = {
  connect: refuse('connect'), constants, createServer: refuse('createServer'), createSecureServer: refuse('createSecureServer'),
  getDefaultSettings, getPackedSettings, getUnpackedSettings, performServerHandshake: refuse('performServerHandshake'),
  sensitiveHeaders: Symbol('sensitiveHeaders'), Http2ServerRequest, Http2ServerResponse,
};
