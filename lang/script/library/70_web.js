// SPDX-License-Identifier: Apache-2.0
// The globals that come from the web: text encoding, structuredClone, performance, crypto, base64.
'use strict';
const { base, builtins } = shelf;
const { engine, natives, coded, argumentType, apply } = base;

const { DOMException } = shelf;

// ---- Text ----

class TextEncoder {
  get encoding() { return 'utf-8'; }
  encode(text = '') {
    const given = `${text}`;
    const bytes = new Uint8Array(given.length * 3);
    const { written } = this.encodeInto(given, bytes);
    return bytes.slice(0, written);
  }
  encodeInto(text, bytes) {
    const given = `${text}`;
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
const encodings = { 'utf-8': 'utf-8', utf8: 'utf-8', 'unicode-1-1-utf-8': 'utf-8', 'utf-16le': 'utf-16le', 'utf-16': 'utf-16le', latin1: 'windows-1252', ascii: 'windows-1252', 'iso-8859-1': 'windows-1252', 'windows-1252': 'windows-1252' };
class TextDecoder {
  #encoding; #isFatal; #keepsMark; #left = []; #hasBegun = false;
  constructor(encoding = 'utf-8', options = {}) {
    this.#encoding = encodings[`${encoding}`.trim().toLowerCase()];
    if (this.#encoding === undefined) throw coded(RangeError, 'ERR_ENCODING_NOT_SUPPORTED', `The "${encoding}" encoding is not supported`);
    this.#isFatal = Boolean(options?.fatal);
    this.#keepsMark = Boolean(options?.ignoreBOM);
  }
  get encoding() { return this.#encoding; }
  get fatal() { return this.#isFatal; }
  get ignoreBOM() { return this.#keepsMark; }
  decode(input = new Uint8Array(0), options = {}) {
    const view = ArrayBuffer.isView(input) ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength) : new Uint8Array(input);
    const bytes = this.#left.length ? Uint8Array.from([...this.#left, ...view]) : view;
    this.#left = [];
    const isMore = Boolean(options?.stream);
    let text = this.#encoding === 'utf-8' ? this.#utf8(bytes, isMore) : this.#other(bytes, isMore);
    if (!this.#hasBegun && text !== '') {
      if (!this.#keepsMark && text.charCodeAt(0) === 0xfeff) text = text.slice(1);
      this.#hasBegun = true;
    }
    if (!isMore) this.#hasBegun = false;
    return text;
  }
  #fail() {
    if (this.#isFatal) throw coded(TypeError, 'ERR_ENCODING_INVALID_ENCODED_DATA', `The encoded data was not valid for encoding ${this.#encoding}`);
    return '\ufffd';
  }
  #utf8(bytes, isMore) {
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
  #other(bytes, isMore) {
    let text = '';
    if (this.#encoding === 'windows-1252') {
      const high = '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';
      for (const byte of bytes) text += byte >= 0x80 && byte < 0xa0 ? high[byte - 0x80] : String.fromCharCode(byte);
      return text;
    }
    const even = bytes.length - (bytes.length % 2);
    for (let i = 0; i < even; i += 2) text += String.fromCharCode(bytes[i] | (bytes[i + 1] << 8));
    if (even < bytes.length) { if (isMore) this.#left = [bytes[even]]; else text += this.#fail(); }
    return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, () => this.#fail());
  }
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
function btoa(input) {
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
  let text = `${input}`.replace(/[\t\n\f\r ]/g, '');
  if (text.length % 4 === 0) text = text.replace(/==?$/, '');
  if (text.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(text)) throw new DOMException('The string to be decoded is not correctly encoded.', 'InvalidCharacterError');
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

// ---- structuredClone ----

function structuredClone(value, options) {
  if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "value" argument must be specified');
  const transfer = [...(options?.transfer ?? [])];
  const seen = new base.SafeMap();
  const moved = transfer.map((one) => {
    if (engine.kind(one) !== 'ArrayBuffer') throw new DOMException('Value could not be transferred', 'DataCloneError');
    return one;
  });
  const made = clone(value, seen, moved);
  for (const one of moved) engine.detach(one);
  return made;
}
function refuse(value) {
  const text = typeof value === 'symbol' ? String(value) : typeof value === 'function' ? base.functionToString(value) : base.engine.kind(value) === 'Proxy' || value === null ? '#<Object>' : `#<${engine.constructorName(value)}>`;
  throw new DOMException(`${text} could not be cloned.`, 'DataCloneError');
}
const errorTypes = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
function clone(value, seen, moved) {
  if (typeof value === 'function' || typeof value === 'symbol') refuse(value);
  if (value === null || typeof value !== 'object') return value;
  if (seen.has(value)) return seen.get(value);
  const keep = (made) => { seen.set(value, made); return made; };
  const deep = (inner) => clone(inner, seen, moved);
  const kind = engine.kind(value);
  switch (kind) {
    case 'Number': case 'String': case 'Boolean': case 'BigInt': return keep(Object(value.valueOf()));
    case 'Symbol': case 'Promise': case 'WeakMap': case 'WeakSet': case 'Generator': case 'Module': case 'MapIterator': case 'SetIterator': case 'Proxy': case 'External': return refuse(value);
    case 'Date': return keep(new Date(Date.prototype.getTime.call(value)));
    case 'RegExp': return keep(new RegExp(value.source, value.flags));
    case 'ArrayBuffer': return keep(moved.includes(value) ? ArrayBuffer.prototype.slice.call(value, 0) : ArrayBuffer.prototype.slice.call(value, 0));
    case 'SharedArrayBuffer': return keep(value);
    case 'TypedArray': case 'DataView': {
      const Type = kind === 'DataView' ? DataView : globalThis[value[Symbol.toStringTag]];
      return keep(new Type(deep(value.buffer), value.byteOffset, kind === 'DataView' ? value.byteLength : value.length));
    }
    case 'Map': {
      const made = keep(new Map());
      for (const [name, inner] of [...Map.prototype.entries.call(value)]) made.set(deep(name), deep(inner));
      return made;
    }
    case 'Set': {
      const made = keep(new Set());
      for (const inner of [...Set.prototype.values.call(value)]) made.add(deep(inner));
      return made;
    }
    case 'Error': {
      const Type = errorTypes[value.name] ?? Error;
      const made = keep(Object.create(Type.prototype));
      const copy = new Type();
      seen.set(value, copy);
      for (const name of ['message', 'stack', 'cause']) {
        if (base.hasOwn(value, name)) Object.defineProperty(copy, name, { value: deep(value[name]), configurable: true, writable: true, enumerable: false });
      }
      void made;
      return copy;
    }
    default: break;
  }
  const made = keep(kind === 'Array' ? new Array(value.length) : {});
  for (const name of Object.keys(value)) made[name] = deep(value[name]);
  return made;
}

// ---- performance and crypto ----

const timeOrigin = Date.now();
const performance = {
  now: () => natives.now(), timeOrigin, toJSON: () => ({ timeOrigin }),
  mark() {}, measure() {}, clearMarks() {}, clearMeasures() {}, getEntries: () => [], getEntriesByName: () => [], getEntriesByType: () => [],
  eventLoopUtilization: () => ({ idle: 0, active: 0, utilization: 0 }), timerify: (callback) => callback,
};
Object.defineProperty(performance, Symbol.toStringTag, { value: 'Performance' });
const integerArrays = ['Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array', 'BigInt64Array', 'BigUint64Array'];
const crypto = {
  getRandomValues(array) {
    if (!ArrayBuffer.isView(array) || !integerArrays.includes(array[Symbol.toStringTag])) throw new DOMException('The data argument must be an integer-type TypedArray', 'TypeMismatchError');
    if (array.byteLength > 65536) throw new DOMException(`The requested length exceeds 65,536 bytes`, 'QuotaExceededError');
    natives.fillRandom(array);
    return array;
  },
  randomUUID() {
    const bytes = new Uint8Array(16);
    natives.fillRandom(bytes);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  },
};
Object.defineProperty(crypto, Symbol.toStringTag, { value: 'Crypto' });

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
Object.defineProperty(structuredClone, 'length', { value: 0, configurable: true });
shelf.globals = { DOMException, ...shelf.eventGlobals, TextEncoder, TextDecoder, btoa, atob, structuredClone, performance, crypto, gyre };
builtins.util.TextEncoder = TextEncoder;
builtins.util.TextDecoder = TextDecoder;
builtins.perf_hooks = { performance };
