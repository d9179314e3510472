// SPDX-License-Identifier: Apache-2.0
// The globals that come from the web: events, abort signals, text encoding, structuredClone,
// performance, crypto, base64.
'use strict';
const { base, builtins } = shelf;
const { engine, natives, coded, argumentType, apply } = base;

const domCodes = { IndexSizeError: 1, NotFoundError: 8, NotSupportedError: 9, InvalidStateError: 11, SyntaxError: 12, InvalidAccessError: 15, TimeoutError: 23, AbortError: 20, DataCloneError: 25, QuotaExceededError: 22, TypeMismatchError: 17, InvalidCharacterError: 5, OperationError: 0 };
class DOMException extends Error {
  #name;
  constructor(message = '', options = 'Error') {
    super(message);
    this.#name = typeof options === 'object' && options !== null ? String(options.name ?? 'Error') : String(options);
    if (typeof options === 'object' && options !== null && 'cause' in options) Object.defineProperty(this, 'cause', { value: options.cause, configurable: true, writable: true, enumerable: false });
    Error.captureStackTrace?.(this, DOMException);
    if (typeof this.stack === 'string') Object.defineProperty(this, 'stack', { value: this.stack.replace(/^\w*Error/, this.#name), configurable: true, writable: true, enumerable: false });
  }
  get name() { return this.#name; }
  get code() { return domCodes[this.#name] ?? 0; }
}
for (const name of Object.keys(domCodes)) {
  const constant = `${name.replace(/Error$/, '').replace(/(?!^)[A-Z]/g, '_$&').toUpperCase()}_ERR`;
  if (domCodes[name]) for (const target of [DOMException, DOMException.prototype]) Object.defineProperty(target, constant, { value: domCodes[name], enumerable: true });
}

// ---- Events ----

class Event {
  #type; #bubbles; #cancelable; #composed; #isCancelled = false; #isStopped = false; #time = natives.now();
  target0 = null;
  constructor(type, options = {}) {
    if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "type" argument must be specified');
    delete this.target0;
    this.#type = `${type}`;
    this.#bubbles = Boolean(options?.bubbles);
    this.#cancelable = Boolean(options?.cancelable);
    this.#composed = Boolean(options?.composed);
    states.set(this, { target: null, isDispatching: false, isStopped: false });
  }
  get type() { return this.#type; }
  get target() { return states.get(this).target; }
  get currentTarget() { return states.get(this).isDispatching ? states.get(this).target : null; }
  get srcElement() { return this.target; }
  get bubbles() { return this.#bubbles; }
  get cancelable() { return this.#cancelable; }
  get composed() { return this.#composed; }
  get defaultPrevented() { return this.#cancelable && this.#isCancelled; }
  get timeStamp() { return this.#time; }
  get eventPhase() { return states.get(this).isDispatching ? 2 : 0; }
  get isTrusted() { return false; }
  get returnValue() { return !this.defaultPrevented; }
  get cancelBubble() { return this.#isStopped; }
  set cancelBubble(value) { if (value) this.#isStopped = true; }
  composedPath() { return states.get(this).isDispatching ? [this.target] : []; }
  preventDefault() { if (this.#cancelable) this.#isCancelled = true; }
  stopPropagation() { this.#isStopped = true; }
  stopImmediatePropagation() { states.get(this).isStopped = true; this.#isStopped = true; }
  get [Symbol.toStringTag]() { return 'Event'; }
}
Object.assign(Event, { NONE: 0, CAPTURING_PHASE: 1, AT_TARGET: 2, BUBBLING_PHASE: 3 });
const states = new base.SafeWeakMap();
class CustomEvent extends Event {
  #detail;
  constructor(type, options) { super(type, options); this.#detail = options?.detail ?? null; }
  get detail() { return this.#detail; }
}

const listeners = new base.SafeWeakMap();
class EventTarget {
  constructor() { listeners.set(this, new base.SafeMap()); }
  addEventListener(type, callback, options) {
    if (callback === null || callback === undefined) return;
    const settings = typeof options === 'boolean' ? { capture: options } : options ?? {};
    const { signal } = settings;
    if (signal?.aborted) return;
    const all = listeners.get(this);
    const name = `${type}`;
    const list = all.get(name) ?? [];
    if (list.some((one) => one.callback === callback && one.capture === Boolean(settings.capture))) return;
    all.set(name, [...list, { callback, once: Boolean(settings.once), capture: Boolean(settings.capture), isRemoved: false }]);
    signal?.addEventListener('abort', () => this.removeEventListener(type, callback, options), { once: true });
  }
  removeEventListener(type, callback, options) {
    const capture = Boolean(typeof options === 'boolean' ? options : options?.capture);
    const all = listeners.get(this);
    const list = all.get(`${type}`) ?? [];
    for (const one of list) if (one.callback === callback && one.capture === capture) one.isRemoved = true;
    all.set(`${type}`, list.filter((one) => !one.isRemoved));
  }
  dispatchEvent(event) {
    if (!(event instanceof Event)) throw argumentType('event', 'Event', event);
    const state = states.get(event);
    if (state.isDispatching) throw coded(Error, 'ERR_EVENT_RECURSION', `The event "${event.type}" is already being dispatched`);
    state.target = this;
    state.isDispatching = true;
    for (const one of listeners.get(this).get(event.type) ?? []) {
      if (one.isRemoved) continue;
      if (one.once) this.removeEventListener(event.type, one.callback, one.capture);
      try {
        if (typeof one.callback === 'function') apply(one.callback, this, [event]);
        else one.callback.handleEvent(event);
      } catch (error) {
        shelf.process.nextTick(() => { throw error; });
      }
      if (state.isStopped) break;
    }
    state.isDispatching = false;
    return !event.defaultPrevented;
  }
  get [Symbol.toStringTag]() { return 'EventTarget'; }
}
shelf.listenersOf = (target, type) => (listeners.get(target)?.get(type) ?? []).map((one) => one.callback);

// ---- Abort ----

const key = Symbol('only for AbortSignal itself');
const abortReason = () => new DOMException('This operation was aborted', 'AbortError');
class AbortSignal extends EventTarget {
  #isAborted = false;
  #reason;
  #handler = null;
  #wrapped;
  constructor(given) {
    if (given !== key) throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    super();
  }
  get aborted() { return this.#isAborted; }
  get reason() { return this.#reason; }
  get onabort() { return this.#handler; }
  set onabort(handler) {
    if (this.#wrapped) this.removeEventListener('abort', this.#wrapped);
    this.#handler = typeof handler === 'function' ? handler : null;
    if (this.#handler) {
      this.#wrapped = (event) => apply(this.#handler, this, [event]);
      this.addEventListener('abort', this.#wrapped);
    }
  }
  throwIfAborted() { if (this.#isAborted) throw this.#reason; }
  static abort(reason = abortReason()) {
    const signal = new AbortSignal(key);
    signal.#isAborted = true;
    signal.#reason = reason;
    return signal;
  }
  static timeout(delay) {
    if (typeof delay !== 'number') throw argumentType('delay', 'number', delay);
    if (!(delay >= 0 && delay <= Number.MAX_SAFE_INTEGER)) throw base.outOfRange('delay', '>= 0 && <= 9007199254740991', delay);
    const signal = new AbortSignal(key);
    shelf.setTimeout(() => AbortSignal.stop(signal, new DOMException('The operation was aborted due to timeout', 'TimeoutError')), delay).unref();
    return signal;
  }
  static any(signals) {
    const made = new AbortSignal(key);
    for (const signal of signals) {
      if (!(signal instanceof AbortSignal)) throw argumentType('signals', 'AbortSignal', signal);
      if (signal.aborted) {
        made.#isAborted = true;
        made.#reason = signal.reason;
        return made;
      }
    }
    for (const signal of signals) signal.addEventListener('abort', () => AbortSignal.stop(made, signal.reason), { once: true });
    return made;
  }
  static stop(signal, reason) {
    if (signal.#isAborted) return;
    signal.#isAborted = true;
    signal.#reason = reason;
    signal.dispatchEvent(new Event('abort'));
  }
  [Symbol.for('nodejs.util.inspect.custom')](depth, options) {
    return depth < 0 ? 'AbortSignal' : `AbortSignal { aborted: ${shelf.inspect(this.aborted, options)} }`;
  }
  get [Symbol.toStringTag]() { return 'AbortSignal'; }
}
const stopSignal = AbortSignal.stop;
delete AbortSignal.stop;
AbortSignal.stop = undefined;
Object.defineProperty(AbortSignal, 'stop', { value: stopSignal, enumerable: false, configurable: true });
class AbortController {
  #signal = new AbortSignal(key);
  get signal() { return this.#signal; }
  abort(reason = abortReason()) { stopSignal(this.#signal, reason); }
  [Symbol.for('nodejs.util.inspect.custom')](depth, options) {
    return depth < 0 ? 'AbortController' : `AbortController { signal: ${shelf.inspect(this.signal, options)} }`;
  }
  get [Symbol.toStringTag]() { return 'AbortController'; }
}

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

// ---- Host functions: gyre.call(name, ...arguments) gives a promise ----

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
};
shelf.hooks.settle = (number, isFine, text) => {
  const found = calls.get(number);
  calls.delete(number);
  if (found === undefined) return;
  if (isFine) found.resolve(text === '' ? undefined : base.JSON.parse(text));
  else found.reject(new Error(text));
};
shelf.globals = { DOMException, Event, CustomEvent, EventTarget, AbortController, AbortSignal, TextEncoder, TextDecoder, btoa, atob, structuredClone, performance, crypto, gyre };
builtins.util.TextEncoder = TextEncoder;
builtins.util.TextDecoder = TextDecoder;
builtins.perf_hooks = { performance };
