// SPDX-License-Identifier: Apache-2.0
// The globals that come from the web: text encoding, structuredClone, performance, crypto, base64.
'use strict';
const { base, builtins } = shelf;
const { engine, natives, coded, argumentType, apply } = base;

const { DOMException } = shelf;

// ---- Text ----

const inspectCustom = Symbol.for('nodejs.util.inspect.custom');
const kindOf = (value) => (value !== null && (typeof value === 'object' || typeof value === 'function') ? engine.kind(value) : '');
const wrongThis = (name) => coded(TypeError, 'ERR_INVALID_THIS', `Value of "this" must be of type ${name}`);
class TextEncoder {
  #isOne = true;
  static #check(value) { if (value === null || typeof value !== 'object' || !(#isOne in value)) throw wrongThis('TextEncoder'); }
  get encoding() { TextEncoder.#check(this); return 'utf-8'; }
  [inspectCustom](depth, options) {
    TextEncoder.#check(this);
    if (typeof depth === 'number' && depth < 0) return this;
    return shelf.inspect({ encoding: 'utf-8' }, options);
  }
  encode(text = '') {
    TextEncoder.#check(this);
    const given = `${text}`;
    const bytes = new Uint8Array(given.length * 3);
    const { written } = this.encodeInto(given, bytes);
    return bytes.slice(0, written);
  }
  encodeInto(text, bytes) {
    TextEncoder.#check(this);
    base.checks.isString(text, 'src');
    if (kindOf(bytes) !== 'TypedArray' || bytes[Symbol.toStringTag] !== 'Uint8Array') throw argumentType('dest', 'Uint8Array', bytes);
    const given = text;
    let read = 0;
    let at = 0;
    while (read < given.length) {
      let code = given.codePointAt(read);
      if (code >= 0xd800 && code <= 0xdfff) code = 0xfffd;
      const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      if (at + size > bytes.length) break;
      if (size === 1) bytes[at] = code;
      else {
        for (let i = size - 1; i > 0; i -= 1) { bytes[at + i] = 0x80 | (code & 0x3f); code >>= 6; }
        bytes[at] = [0, 0, 0xc0, 0xe0, 0xf0][size] | code;
      }
      at += size;
      read += size === 4 ? 2 : 1;
    }
    return { read, written: at };
  }
}
const encodings = { __proto__: null };
const labels = {
  'utf-8': 'utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8',
  'utf-16le': 'utf-16le utf-16 csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff', 'utf-16be': 'utf-16be unicodefffe',
  'windows-1252': 'windows-1252 latin1 ascii iso-8859-1 us-ascii l1 ansi_x3.4-1968 cp1252 cp819 csisolatin1 ibm819 iso-ir-100 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 x-cp1252',
};
for (const name of Object.keys(labels)) for (const label of labels[name].split(' ')) encodings[label] = name;
// The standard has no decoder for these: they were used for attacks.
const replaced = /^[\t\n\f\r ]*(?:csiso2022kr|hz-gb-2312|iso-2022-cn|iso-2022-cn-ext|iso-2022-kr|replacement)[\t\n\f\r ]*$/i;
function encodingOf(label) {
  const name = label.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, '').toLowerCase();
  if (encodings[name] !== undefined) return encodings[name];
  shelf.load('encodings');
  const known = shelf.encodingTables.nameOf(name);
  if (known !== undefined) return known;
  shelf.load('east_asian');
  return shelf.eastAsian.nameOf(name);
}
const windows1252 = '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';
// The characters of all bytes, by their codes, of an encoding with one byte a character.
function tableOf(encoding) {
  const high = encoding === 'windows-1252' ? windows1252 : shelf.encodingTables.charactersOf(encoding);
  const swapped = encoding === 'windows-1252' ? undefined : shelf.encodingTables.swappedOf(encoding);
  const table = new Uint16Array(256);
  for (let byte = 0; byte < 256; byte += 1) {
    const char = byte < 0x80 ? swapped?.[byte] : high[byte - 0x80];
    table[byte] = char === undefined ? byte : char.charCodeAt(0);
  }
  return table;
}
const { fromCharCode } = String;
function textOfCodes(codes) {
  let text = '';
  for (let at = 0; at < codes.length; at += 8192) text += apply(fromCharCode, undefined, codes.subarray(at, at + 8192));
  return text;
}
// Where the last character of UTF-8 begins, if it has several bytes.
function lastBegin(bytes) {
  for (let at = bytes.length - 1; at >= 0 && at >= bytes.length - 4; at -= 1) {
    if (bytes[at] >= 0xc0) return at;
    if (bytes[at] < 0x80) break;
  }
  return bytes.length;
}
const nativeBytesMin = 32;  // Less is decoded sooner here.
class TextDecoder {
  #encoding; #isFatal; #keepsMark; #left = []; #state; #table; #hasBegun = false;
  constructor(encoding = 'utf-8', options = {}) {
    if (options !== undefined && options !== null && typeof options !== 'object' && typeof options !== 'function') throw argumentType('options', 'Object', options);
    this.#encoding = encodingOf(`${encoding}`);
    if (this.#encoding === undefined) throw coded(RangeError, 'ERR_ENCODING_NOT_SUPPORTED', `The "${replaced.test(encoding) ? 'replacement' : encoding}" encoding is not supported`);
    this.#isFatal = Boolean(options?.fatal);
    this.#keepsMark = Boolean(options?.ignoreBOM);
  }
  decode(input = new Uint8Array(0), options = {}) {
    TextDecoder.#check(this);
    if (!ArrayBuffer.isView(input) && !/ArrayBuffer$/.test(kindOf(input))) {
      throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "list" argument must be an instance of SharedArrayBuffer, ArrayBuffer or ArrayBufferView.');
    }
    const view = ArrayBuffer.isView(input) ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength) : new Uint8Array(input);
    const bytes = this.#left.length ? Uint8Array.from([...this.#left, ...view]) : view;
    this.#left = [];
    const isMore = Boolean(options?.stream);
    let text = this.#encoding === 'utf-8' ? this.#utf8(bytes, isMore) : this.#other(bytes, isMore);
    if (!this.#hasBegun && text !== '') {
      if (!this.#keepsMark && this.#encoding.startsWith('utf-') && text.charCodeAt(0) === 0xfeff) text = text.slice(1);
      this.#hasBegun = true;
    }
    if (!isMore) this.#hasBegun = false;
    return text;
  }
  get encoding() { TextDecoder.#check(this); return this.#encoding; }
  get fatal() { TextDecoder.#check(this); return this.#isFatal; }
  get ignoreBOM() { TextDecoder.#check(this); return this.#keepsMark; }
  static #check(value) { if (value === null || typeof value !== 'object' || !(#encoding in value)) throw wrongThis('TextDecoder'); }
  [inspectCustom](depth, options) {
    TextDecoder.#check(this);
    if (typeof depth === 'number' && depth < 0) return this;
    return `TextDecoder ${shelf.inspect({ encoding: this.encoding, fatal: this.fatal, ignoreBOM: this.ignoreBOM }, options)}`;
  }
  #fail() {
    if (this.#isFatal) throw coded(TypeError, 'ERR_ENCODING_INVALID_ENCODED_DATA', `The encoded data was not valid for encoding ${this.#encoding}`);
    return '\ufffd';
  }
  #utf8(bytes, isMore) {
    if (bytes.length < nativeBytesMin || kindOf(bytes.buffer) === 'SharedArrayBuffer') return this.#utf8Slowly(bytes, isMore);
    const end = lastBegin(bytes);
    const whole = bytes.subarray(0, end);
    if (this.#isFatal && !natives.bytesCheck(whole, 'utf8')) this.#fail();
    return natives.bytesText(whole, 0) + this.#utf8Slowly(bytes.subarray(end), isMore);
  }
  #utf8Slowly(bytes, isMore) {
    const parts = [];
    let text = '';
    for (let i = 0; i < bytes.length;) {
      const first = bytes[i];
      if (first < 0x80) { text += String.fromCharCode(first); i += 1; } else {
        const size = first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0;
        let code = first & [0, 0, 0x1f, 0x0f, 0x07][size];
        let got = 1;
        for (; got < size && i + got < bytes.length; got += 1) {
          const next = bytes[i + got];
          const least = got === 1 ? (first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80) : 0x80;
          const most = got === 1 ? (first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf) : 0xbf;
          if (next < least || next > most) break;
          code = (code << 6) | (next & 0x3f);
        }
        if (size !== 0 && got === size) text += String.fromCodePoint(code);
        else if (size !== 0 && isMore && i + got === bytes.length) { this.#left = [...bytes.subarray(i)]; break; } else text += this.#fail();
        i += Math.max(1, size === 0 ? 1 : got);
      }
      if (text.length > 4096) { parts.push(text); text = ''; }
    }
    return parts.join('') + text;
  }
  #utf16(bytes, isMore) {
    const [low, high] = this.#encoding === 'utf-16le' ? [0, 1] : [1, 0];
    const unitAt = (at) => bytes[at + low] | (bytes[at + high] << 8);
    const codes = new Uint16Array((bytes.length + 1) >> 1);
    let count = 0;
    let at = 0;
    const put = (unit) => { codes[count] = unit; count += 1; };
    while (at + 1 < bytes.length) {
      const unit = unitAt(at);
      const isPair = unit >= 0xd800 && unit <= 0xdbff;
      if (isPair && at + 3 >= bytes.length) break;
      const second = isPair ? unitAt(at + 2) : 0;
      at += 2;
      if (unit < 0xd800 || unit > 0xdfff) put(unit);
      else if (second < 0xdc00 || second > 0xdfff) { this.#fail(); put(0xfffd); }
      else { put(unit); put(second); at += 2; }
    }
    if (at < bytes.length) { if (isMore) this.#left = [...bytes.subarray(at)]; else { this.#fail(); put(0xfffd); } }
    return textOfCodes(codes.subarray(0, count));
  }
  #other(bytes, isMore) {
    if (this.#encoding.startsWith('utf-16')) return this.#utf16(bytes, isMore);
    if (shelf.eastAsian?.has(this.#encoding)) {
      const decoded = shelf.eastAsian.decode(this.#encoding, bytes, isMore, () => this.#fail(), this.#state);
      this.#left = decoded.left;
      this.#state = decoded.state;
      return decoded.text;
    }
    const table = this.#table ??= tableOf(this.#encoding);
    const codes = new Uint16Array(bytes.length);
    for (let at = 0; at < bytes.length; at += 1) {
      const code = table[bytes[at]];
      if (code === 0xfffd) this.#fail();
      codes[at] = code;
    }
    return textOfCodes(codes);
  }
}

for (const type of [TextEncoder, TextDecoder]) {
  Object.defineProperty(type.prototype, Symbol.toStringTag, { value: type.name, configurable: true });
  for (const key of Object.getOwnPropertyNames(type.prototype)) if (key !== 'constructor') Object.defineProperty(type.prototype, key, { enumerable: true });
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
function btoa(input) {
  if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "input" argument must be specified');
  const text = `${input}`;
  let made = '';
  for (let i = 0; i < text.length; i += 3) {
    const codes = [0, 1, 2].map((at) => text.charCodeAt(i + at));
    if (codes.some((code) => code > 255)) throw new DOMException('Invalid character', 'InvalidCharacterError');
    const bits = (codes[0] << 16) | ((codes[1] || 0) << 8) | (codes[2] || 0);
    made += letters[bits >> 18] + letters[(bits >> 12) & 63] + (i + 1 < text.length ? letters[(bits >> 6) & 63] : '=') + (i + 2 < text.length ? letters[bits & 63] : '=');
  }
  return made;
}
function atob(input) {
  if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "input" argument must be specified');
  let text = `${input}`.replace(/[\t\n\f\r ]/g, '');
  if (/[^A-Za-z0-9+/=]/.test(text)) throw new DOMException('Invalid character', 'InvalidCharacterError');
  if (text.length % 4 === 0) text = text.replace(/==?$/, '');
  if (text.includes('=')) throw new DOMException('Invalid character', 'InvalidCharacterError');
  if (text.length % 4 === 1) throw new DOMException('The string to be decoded is not correctly encoded.', 'InvalidCharacterError');
  let made = '';
  let bits = 0;
  let size = 0;
  for (const letter of text) {
    bits = (bits << 6) | letters.indexOf(letter);
    size += 6;
    if (size >= 8) { size -= 8; made += String.fromCharCode((bits >> size) & 255); }
  }
  return made;
}

// ---- performance and crypto ----

const timeOrigin = Date.now() - natives.now();
const making = Symbol('making');
let makePerformance;
class Performance extends shelf.eventGlobals.EventTarget {
  constructor(given) {
    if (given !== making) throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    super();
  }
  static { makePerformance = () => new this(making); }
  [inspectCustom](depth, options) {
    if (depth < 0) return this;
    return `Performance ${shelf.inspect({ nodeTiming: this.toJSON().nodeTiming, timeOrigin }, { ...options, depth: options.depth == null ? null : options.depth - 1 })}`;
  }
  get timeOrigin() { return timeOrigin; }
  now() { return natives.now(); }
  toJSON() { return { nodeTiming: {}, timeOrigin, eventLoopUtilization: this.eventLoopUtilization() }; }
  eventLoopUtilization() { return { idle: 0, active: 0, utilization: 0 }; }
  timerify(callback) { base.checks.isFunction(callback, 'fn'); return function timerified(...args) { return new.target ? Reflect.construct(callback, args, callback) : apply(callback, this, args); }; }
}
for (const name of ['mark', 'measure', 'clearMarks', 'clearMeasures', 'clearResourceTimings', 'setResourceTimingBufferSize', 'markResourceTiming', 'getEntries', 'getEntriesByName', 'getEntriesByType']) {
  Performance.prototype[name] = { [name](...args) { shelf.load('performance'); return shelf.marks[name](...args); } }[name];
}
Object.defineProperty(Performance, 'length', { value: 0, configurable: true });
const performance = makePerformance();
Object.defineProperty(Performance.prototype, Symbol.toStringTag, { value: 'Performance', configurable: true });
for (const key of ['timeOrigin', 'now', 'toJSON', 'eventLoopUtilization', 'timerify']) Object.defineProperty(Performance.prototype, key, { enumerable: true });
const integerArrays = ['Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array', 'BigInt64Array', 'BigUint64Array'];
let makeCrypto;
class Crypto {
  #isOne = true;
  constructor(key) { if (key !== integerArrays) throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor'); }
  static { makeCrypto = () => new Crypto(integerArrays); }
  static #check(value) { if (value === null || typeof value !== 'object' || !(#isOne in value)) throw wrongThis('Crypto'); }
  getRandomValues(array) {
    Crypto.#check(this);
    if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', "Failed to execute 'getRandomValues' on 'Crypto': 1 argument required, but only 0 present.");
    if (!ArrayBuffer.isView(array) || !integerArrays.includes(array[Symbol.toStringTag])) throw new DOMException('The data argument must be an integer-type TypedArray', 'TypeMismatchError');
    if (array.byteLength > 65536) throw new DOMException(`The requested length exceeds 65,536 bytes`, 'QuotaExceededError');
    natives.fillRandom(array);
    return array;
  }
  randomUUID() {
    Crypto.#check(this);
    const bytes = new Uint8Array(16);
    natives.fillRandom(bytes);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }
}
const crypto = makeCrypto();
Object.defineProperty(Crypto.prototype, Symbol.toStringTag, { value: 'Crypto', configurable: true });

// ---- Host functions: gyre.call(name, ...arguments) gives a promise, gyre.callDirect a value ----

const calls = new base.SafeMap();
let lastCall = 0;
const gyre = {
  call(name, ...args) {
    return new Promise((resolve, reject) => {
      lastCall += 1;
      calls.set(lastCall, { resolve, reject });
      if (!natives.callHost(lastCall, `${name}`, base.JSON.stringify(args))) {
        calls.delete(lastCall);
        reject(new Error(`the host has no function '${name}'`));
      }
    });
  },
  callDirect(name, ...args) {
    const text = natives.callDirect(`${name}`, base.JSON.stringify(args));
    if (text === undefined) throw new Error(`the host has no direct function '${name}'`);
    return text === '' ? undefined : base.JSON.parse(text);
  },
};
shelf.hooks.settle = (number, isFine, text) => {
  const found = calls.get(number);
  calls.delete(number);
  if (found === undefined) return;
  if (isFine) found.resolve(text === '' ? undefined : base.JSON.parse(text));
  else found.reject(new Error(text));
};
function structuredClone(...given) {
  shelf.load('structured_clone');
  return shelf.structuredClone(given);
}
shelf.globals = { DOMException, ...shelf.eventGlobals, TextEncoder, TextDecoder, btoa, atob, structuredClone, performance, Performance, crypto, Crypto, gyre };
builtins.util.TextEncoder = TextEncoder;
builtins.util.TextDecoder = TextDecoder;
builtins.perf_hooks = { performance, Performance };
