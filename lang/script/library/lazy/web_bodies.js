// SPDX-License-Identifier: Apache-2.0
// Blob, File, FormData, Headers, and what Request and Response share: their bodies.
'use strict';
shelf.load('web_writable');
const { base } = shelf;
const { coded, then } = base;
const { ReadableStream, TextEncoder, TextDecoder } = shelf.globals;
const { readableStateOf } = shelf.streamTools;
const inspectCustom = Symbol.for('nodejs.util.inspect.custom');
const encoder = new TextEncoder();
const decode = (bytes) => new TextDecoder().decode(bytes);
const wrongThis = () => new TypeError('Illegal invocation');
const isBytes = (value) => ArrayBuffer.isView(value) || value instanceof ArrayBuffer || base.engine.kind(value) === 'ArrayBuffer';
// A copy: what a program does with its buffer later does not count.
const bytesOf = (value) => (ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice() : new Uint8Array(value).slice());
function joined(parts) {
  if (parts.length === 1) return parts[0];
  const made = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) { made.set(part, at); at += part.byteLength; }
  return made;
}

// ---- Blob and File ----

const cleanType = (type) => (/[^\u0020-\u007e]/.test(type) ? '' : type.toLowerCase());
let blobBytes;
class Blob {
  #bytes; #type;
  static { blobBytes = (value) => (value !== null && typeof value === 'object' && #bytes in value ? value.#bytes : undefined); }
  constructor(sources = [], options = {}) {
    if (sources === null || typeof sources !== 'object' || typeof sources[Symbol.iterator] !== 'function') throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', `The "sources" argument must be a sequence. Received ${base.received(sources)}`);
    const parts = [];
    for (const source of sources) {
      const own = blobBytes(source);
      if (own !== undefined) parts.push(own);
      else if (isBytes(source)) parts.push(bytesOf(source));
      else {
        let text = `${source}`;
        if (options?.endings === 'native') text = text.replace(/\r\n?/g, '\n');
        parts.push(encoder.encode(text));
      }
    }
    this.#bytes = joined(parts.length === 0 ? [new Uint8Array(0)] : parts);
    this.#type = cleanType(`${options?.type ?? ''}`);
  }
  get size() { return this.#bytes.byteLength; }
  get type() { return this.#type; }
  slice(start = 0, end = this.size, type = '') {
    const made = new Blob([], { type });
    made.#bytes = this.#bytes.slice(start, end);
    return made;
  }
  async arrayBuffer() { return this.#bytes.slice().buffer; }
  async bytes() { return this.#bytes.slice(); }
  async text() { return decode(this.#bytes); }
  stream() {
    const bytes = this.#bytes;
    let at = 0;
    return new ReadableStream({
      type: 'bytes',
      pull(controller) {
        if (at >= bytes.byteLength) {
          controller.close();
          controller.byobRequest?.respond(0);
          return;
        }
        controller.enqueue(bytes.slice(at, at + 65536));
        at += 65536;
      },
    });
  }
  [inspectCustom](depth, options) { return depth < 0 ? this : `${this.constructor.name} ${shelf.inspect({ size: this.size, type: this.type }, options)}`; }
}
class File extends Blob {
  #name; #lastModified;
  constructor(sources, name, options = {}) {
    if (arguments.length < 2) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "fileBits" and "fileName" arguments must be specified');
    super(sources, options);
    this.#name = `${name}`;
    this.#lastModified = options?.lastModified === undefined ? Date.now() : Math.trunc(Number(options.lastModified)) || 0;
  }
  get name() { return this.#name; }
  get lastModified() { return this.#lastModified; }
}

// ---- FormData ----

const entryOf = (name, value, fileName) => {
  if (blobBytes(value) === undefined) return [`${name}`, `${value}`];
  const isFile = value instanceof File;
  if (isFile && fileName === undefined) return [`${name}`, value];
  return [`${name}`, new File([value], fileName ?? 'blob', { type: value.type, lastModified: isFile ? value.lastModified : undefined })];
};
class FormData {
  #entries = [];
  constructor(form) { if (form !== undefined) throw new TypeError("Failed to construct 'FormData': parameter 1 is not of type 'HTMLFormElement'."); }
  append(name, value, fileName) { this.#entries.push(entryOf(name, value, fileName)); }
  delete(name) { this.#entries = this.#entries.filter(([own]) => own !== `${name}`); }
  get(name) { return this.#entries.find(([own]) => own === `${name}`)?.[1] ?? null; }
  getAll(name) { return this.#entries.filter(([own]) => own === `${name}`).map(([, value]) => value); }
  has(name) { return this.#entries.some(([own]) => own === `${name}`); }
  set(name, value, fileName) {
    const entry = entryOf(name, value, fileName);
    const at = this.#entries.findIndex(([own]) => own === entry[0]);
    if (at === -1) { this.#entries.push(entry); return; }
    this.#entries = this.#entries.filter(([own], i) => own !== entry[0] || i === at);
    this.#entries[at] = entry;
  }
  * entries() { for (const [name, value] of this.#entries) yield [name, value]; }
  * keys() { for (const [name] of this.#entries) yield name; }
  * values() { for (const [, value] of this.#entries) yield value; }
  forEach(callback, self) { for (const [name, value] of this.#entries) base.apply(callback, self, [value, name, this]); }
  [inspectCustom](depth, options) {
    if (depth < 0) return this;
    const shown = {};
    for (const [name, value] of this.#entries) shown[name] = name in shown ? [].concat(shown[name], value) : value;
    return `FormData ${shelf.inspect(shown, options)}`;
  }
}
Object.defineProperty(FormData.prototype, Symbol.iterator, { value: FormData.prototype.entries, configurable: true, writable: true });
function multipart(form) {
  const boundary = `----formdata-gyre-0${String(Math.floor(Math.random() * 1e11)).padStart(11, '0')}`;
  const escape = (text) => text.replace(/\n/g, '%0A').replace(/\r/g, '%0D').replace(/"/g, '%22');
  const parts = [];
  for (const [name, value] of form) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escape(name.replace(/\r?\n|\r/g, '\r\n'))}"`;
    if (typeof value === 'string') parts.push(encoder.encode(`${head}\r\n\r\n${value.replace(/\r?\n|\r/g, '\r\n')}\r\n`));
    else parts.push(encoder.encode(`${head}; filename="${escape(value.name)}"\r\nContent-Type: ${value.type || 'application/octet-stream'}\r\n\r\n`), blobBytes(value), encoder.encode('\r\n'));
  }
  parts.push(encoder.encode(`--${boundary}--\r\n`));
  return { bytes: joined(parts), type: `multipart/form-data; boundary=${boundary}` };
}
// Bytes as text with a character each: the parts are found by their texts.
function parseMultipart(bytes, boundary) {
  let text = '';
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  const form = new FormData();
  const mark = `--${boundary}`;
  const pieces = `\r\n${text}`.split(`\r\n${mark}`);
  if (pieces.length < 2 || !/^--\s*$/.test(pieces.at(-1).split('\r\n')[0])) throw new TypeError('Failed to parse body as FormData.');
  for (const piece of pieces.slice(1, -1)) {
    const at = piece.indexOf('\r\n\r\n');
    if (at === -1) throw new TypeError('Failed to parse body as FormData.');
    const head = piece.slice(0, at);
    const disposition = /content-disposition:\s*form-data;([^\r]*)/i.exec(head)?.[1] ?? '';
    const part = (key) => {
      const found = new RegExp(`(?:^|[;\\s])${key}="([^"]*)"`, 'i').exec(disposition)?.[1];
      return found === undefined ? undefined : decode(Uint8Array.from(found, (char) => char.charCodeAt(0))).replace(/%0A/gi, '\n').replace(/%0D/gi, '\r').replace(/%22/g, '"');
    };
    const name = part('name');
    if (name === undefined) throw new TypeError('Failed to parse body as FormData.');
    const content = Uint8Array.from(piece.slice(at + 4), (char) => char.charCodeAt(0));
    const fileName = part('filename');
    if (fileName === undefined) form.append(name, decode(content));
    else form.append(name, new File([content], fileName, { type: /content-type:\s*([^\r]*)/i.exec(head)?.[1] ?? 'text/plain' }));
  }
  return form;
}

// ---- Headers ----

const namePattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const trimmed = (text) => text.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
const valuePattern = /[\0\r\n\u0100-\uffff]/;
let listOf;  // [name in lower case, value] pairs, each name once, set-cookie as often as it was given
class Headers {
  #list = [];
  #isFrozen = false;
  static {
    listOf = (headers) => headers.#list;
    Headers.freeze = (headers) => { headers.#isFrozen = true; return headers; };
    Headers.isOne = (value) => value !== null && typeof value === 'object' && #list in value;
  }
  constructor(init = undefined) {
    if (init === undefined) return;
    if (init === null || typeof init !== 'object' && typeof init !== 'function') throw new TypeError("Headers constructor: init given is not one of the accepted types.");
    const iterate = init[Symbol.iterator];
    if (typeof iterate === 'function') {
      for (const pair of init) {
        const entry = [...pair];
        if (entry.length !== 2) throw new TypeError(`Headers constructor: expected name/value pair to be length 2, found ${entry.length}.`);
        this.append(entry[0], entry[1]);
      }
    } else {
      for (const key of Reflect.ownKeys(init)) if (Reflect.getOwnPropertyDescriptor(init, key)?.enumerable) this.append(key, init[key]);
    }
  }
  #check(called, name, value) {
    if (!(#list in this)) throw wrongThis();
    const key = `${name}`;
    if (!namePattern.test(key)) throw new TypeError(`Headers.${called}: ${key} is an invalid header name.`);
    const text = value === undefined ? undefined : trimmed(`${value}`);
    if (text !== undefined && valuePattern.test(text)) throw new TypeError(`Headers.${called}: ${text} is an invalid header value.`);
    if (this.#isFrozen && (called === 'append' || called === 'set' || called === 'delete')) throw new TypeError('immutable');
    return [key.toLowerCase(), text];
  }
  append(name, value) {
    const [key, text] = this.#check('append', name, `${value}`);
    const found = key === 'set-cookie' ? undefined : this.#list.find((entry) => entry[0] === key);
    if (found === undefined) this.#list.push([key, text]);
    else found[1] = `${found[1]}${key === 'cookie' ? '; ' : ', '}${text}`;
  }
  delete(name) { const [key] = this.#check('delete', name); this.#list = this.#list.filter((entry) => entry[0] !== key); }
  get(name) {
    const [key] = this.#check('get', name);
    const found = this.#list.filter((entry) => entry[0] === key);
    return found.length === 0 ? null : found.map((entry) => entry[1]).join(', ');
  }
  has(name) { const [key] = this.#check('has', name); return this.#list.some((entry) => entry[0] === key); }
  set(name, value) {
    const [key, text] = this.#check('set', name, `${value}`);
    const at = this.#list.findIndex((entry) => entry[0] === key);
    if (at === -1) this.#list.push([key, text]);
    else this.#list = this.#list.filter((entry, i) => entry[0] !== key || i === at).map((entry) => (entry[0] === key ? [key, text] : entry));
  }
  getSetCookie() { return this.#list.filter((entry) => entry[0] === 'set-cookie').map((entry) => entry[1]); }
  #sorted() { return this.#list.map((entry) => [...entry]).sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0)); }
  * entries() { yield* this.#sorted(); }
  * keys() { for (const [name] of this.#sorted()) yield name; }
  * values() { for (const [, value] of this.#sorted()) yield value; }
  forEach(callback, self) {
    if (typeof callback !== 'function') throw new TypeError("Failed to execute 'forEach' on 'Headers': parameter 1 is not of type 'Function'.");
    for (const [name, value] of this.#sorted()) base.apply(callback, self, [value, name, this]);
  }
  [inspectCustom](depth, options) { return depth < 0 ? this : `Headers ${shelf.inspect(Object.fromEntries(this.#list), options)}`; }
}
const { freeze, isOne } = Headers;
delete Headers.freeze;
delete Headers.isOne;
Object.defineProperty(Headers.prototype, Symbol.iterator, { value: Headers.prototype.entries, configurable: true, writable: true });

// ---- Bodies: { stream, source (bytes, where they are known), type } ----

function bodyOf(value) {
  if (value === null || value === undefined) return null;
  if (value !== null && typeof value === 'object') {
    if (value instanceof ReadableStream) {
      if (value.locked || readableStateOf(value).isDisturbed) throw new TypeError('Response body object should not be disturbed or locked');
      return { stream: value, source: null, type: null };
    }
    const blob = blobBytes(value);
    if (blob !== undefined) return { stream: null, source: blob, type: value.type || null };
    if (value instanceof FormData) { const { bytes, type } = multipart(value); return { stream: null, source: bytes, type }; }
    if (value instanceof shelf.globals.URLSearchParams) return { stream: null, source: encoder.encode(value.toString()), type: 'application/x-www-form-urlencoded;charset=UTF-8' };
    if (isBytes(value)) return { stream: null, source: bytesOf(value), type: null };
    if (typeof value[Symbol.asyncIterator] === 'function') return { stream: ReadableStream.from(value), source: null, type: null };
  }
  return new TextBody(`${value}`);
}
// A text is encoded when somebody asks for its bytes: a server hands over the text itself.
class TextBody {
  stream = null;
  type = 'text/plain;charset=UTF-8';
  #bytes;
  constructor(text) { this.text = text; }
  get source() { this.#bytes ??= encoder.encode(this.text); return this.#bytes; }
}
// The stream of a body is made when somebody asks for it.
function streamOf(body) {
  if (body.stream === null) {
    const bytes = body.source;
    body.stream = new ReadableStream({
      type: 'bytes',
      pull(controller) {
        if (bytes.byteLength > 0) controller.enqueue(bytes.slice());
        controller.close();
        controller.byobRequest?.respond(0);
      },
    });
  }
  return body.stream;
}
// A body may be untouched: then its stream would be made by asking for it.
const isUsed = (body) => body !== null && (body.isTaken === true || (!body.isUntouched && body.stream !== null && readableStateOf(body.stream).isDisturbed));
const isLocked = (body) => !body.isUntouched && body.stream?.locked === true;
async function allBytes(body) {
  if (body === null) return new Uint8Array(0);
  if (body.isUntouched) {
    body.isTaken = true;
    const all = await body.readAll();
    return all.length === 0 ? new Uint8Array(0) : joined(all);
  }
  if (body.stream === null) {  // Nobody has looked at it: no stream is needed.
    body.isTaken = true;
    return body.source;
  }
  const parts = [];
  const reader = body.stream.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    if (!(value instanceof Uint8Array)) throw new TypeError('Received non-Uint8Array chunk');
    parts.push(value);
  }
  return parts.length === 0 ? new Uint8Array(0) : joined(parts);
}
// A copy of a body: both read what the original would have given.
function cloned(body) {
  if (body === null || body.stream === null) return body === null ? null : { stream: null, source: body.source, text: body.text, type: body.type };
  const [one, two] = body.stream.tee();
  body.stream = one;
  return { ...body, stream: two };
}
// Adds the methods of the mixin Body to a class whose `bodyIn` gives its body.
function addBody(made, bodyIn, typeIn) {
  const take = (self, use) => {
    let body;
    try { body = bodyIn(self); } catch (error) { return Promise.reject(error); }
    if (body !== null && (isUsed(body) || isLocked(body))) return Promise.reject(new TypeError('Body is unusable'));
    return then(allBytes(body), (bytes) => use(bytes, self));
  };
  const methods = {
    arrayBuffer() { return take(this, (bytes) => bytes.buffer.byteLength === bytes.byteLength ? bytes.buffer : bytes.slice().buffer); },
    blob() { return take(this, (bytes, self) => new Blob([bytes], { type: typeIn(self) ?? '' })); },
    bytes() { return take(this, (bytes) => bytes); },
    formData() {
      return take(this, (bytes, self) => {
        const type = typeIn(self) ?? '';
        const boundary = /^multipart\/form-data\s*;.*boundary="?([^";]+)"?/i.exec(type)?.[1];
        if (boundary !== undefined) return parseMultipart(bytes, boundary);
        if (!/^application\/x-www-form-urlencoded/i.test(type)) throw new TypeError('Content-Type was not one of "multipart/form-data" or "application/x-www-form-urlencoded".');
        const form = new FormData();
        for (const [name, value] of new shelf.globals.URLSearchParams(decode(bytes))) form.append(name, value);
        return form;
      });
    },
    json() { return take(this, (bytes) => base.JSON.parse(decode(bytes))); },
    text() { return take(this, decode); },
  };
  for (const name of Object.keys(methods)) Object.defineProperty(made.prototype, name, { value: methods[name], configurable: true, writable: true, enumerable: true });
  Object.defineProperty(made.prototype, 'body', { configurable: true, enumerable: true, get() { const body = bodyIn(this); return body === null ? null : streamOf(body); } });
  Object.defineProperty(made.prototype, 'bodyUsed', { configurable: true, enumerable: true, get() { return isUsed(bodyIn(this)); } });
}

for (const [made, names] of [[Blob, ['size', 'type', 'slice', 'arrayBuffer', 'text', 'stream']], [File, ['name', 'lastModified']], [FormData, ['append', 'delete', 'get', 'getAll', 'has', 'set', 'entries', 'keys', 'values', 'forEach']], [Headers, ['append', 'delete', 'get', 'has', 'set', 'getSetCookie', 'entries', 'keys', 'values', 'forEach']]]) {
  for (const name of names) Object.defineProperty(made.prototype, name, { enumerable: true });
  Object.defineProperty(made.prototype, Symbol.toStringTag, { value: made.name, configurable: true });
}
Object.assign(shelf.globals, { Blob, File, FormData, Headers });
shelf.bodies = { addBody, allBytes, blobBytes, bodyOf, cloned, freeze, isOne, isUsed, listOf, streamOf };
