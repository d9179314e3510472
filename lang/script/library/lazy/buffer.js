// SPDX-License-Identifier: Apache-2.0
// node:buffer, part 1: the class Buffer: making, copying and comparing. Each buffer has memory of
// its own: there is no pool that a script could see.
'use strict';
const { base, builtins } = shelf;
const { natives, engine, coded, argumentType, outOfRange } = base;
const types = builtins['util/types'];

const lengthMax = 2 ** 32;
const isBytes = (value) => value instanceof Uint8Array || types.isUint8Array(value);
const outsideBounds = (name) => coded(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', name === undefined ? 'Attempt to access memory outside buffer bounds' : `"${name}" is outside of buffer bounds`);
const unknownEncoding = (name) => coded(TypeError, 'ERR_UNKNOWN_ENCODING', shelf.formatLine({}, ['Unknown encoding: %s', name]));
function checkSize(size) {
  base.checks.isNumber(size, 'size');
  if (!(size >= 0 && size <= lengthMax)) throw outOfRange('size', `>= 0 && <= ${lengthMax}`, size);
}
// An integer within limits.
function checkOffset(value, name, min = 0, max = lengthMax) {
  base.checks.isNumber(value, name);
  if (!Number.isInteger(value)) throw outOfRange(name, 'an integer', value);
  if (value < min || value > max) throw outOfRange(name, `>= ${min} && <= ${max}`, value);
}

class FastBuffer extends Uint8Array {
  // Explicit: the default constructor iterates its arguments.
  constructor(a, b, c) { super(a, b, c); }
}
const inDependency = /[/\\]node_modules[/\\]/;
let isWarned = false;
function warnOfConstructor(caller) {
  const holder = {};
  Error.captureStackTrace?.(holder, caller);
  const [, place = ''] = String(holder.stack ?? '').split('\n');
  if (isWarned || inDependency.test(place)) return;
  isWarned = true;
  shelf.process.emitWarning('Buffer() is deprecated due to security and usability issues. Please use the Buffer.alloc(), Buffer.allocUnsafe(), or Buffer.from() methods instead.', 'DeprecationWarning', 'DEP0005', caller);
}
function Buffer(arg, encodingOrOffset, length) {
  warnOfConstructor(Buffer);
  if (typeof arg === 'number') {
    if (typeof encodingOrOffset === 'string') throw argumentType('string', 'string', arg);
    return Buffer.alloc(arg);
  }
  return Buffer.from(arg, encodingOrOffset, length);
}
Buffer.prototype = FastBuffer.prototype;
Object.defineProperty(Buffer, Symbol.species, { configurable: true, enumerable: false, get() { return FastBuffer; } });
Object.setPrototypeOf(Buffer, Uint8Array);
Object.defineProperty(FastBuffer.prototype, 'constructor', { value: Buffer, writable: true, configurable: true, enumerable: false });
Buffer.poolSize = 8 * 1024;

shelf.bufferParts = { FastBuffer, Buffer, isBytes, lengthMax, outsideBounds, unknownEncoding, checkOffset };
shelf.load('buffer_text');
const { encodingNamed } = shelf.bufferParts;

function fromText(text, encoding) {
  let found;
  if (typeof encoding !== 'string' || encoding.length === 0) found = encodingNamed('utf8');
  else {
    found = encodingNamed(encoding);
    if (found === undefined) throw unknownEncoding(encoding);
  }
  if (text.length === 0) return new FastBuffer();
  const made = new FastBuffer(found.sizeOf(text));
  const written = found.write(made, text, 0, made.length);
  return written === made.length ? made : new FastBuffer(made.buffer, 0, written);
}
function fromMemory(memory, offset, length) {
  let from = offset === undefined ? 0 : +offset;
  if (Number.isNaN(from)) from = 0;
  const rest = memory.byteLength - from;
  if (rest < 0) throw outsideBounds('offset');
  let size = rest;
  if (length !== undefined) {
    size = +length;
    if (!(size > 0)) size = 0;
    else if (size > rest) throw outsideBounds('length');
  }
  return new FastBuffer(memory, from, size);
}
function fromList(list) {
  if (list.length <= 0) return new FastBuffer();
  if (list.length > lengthMax) throw outOfRange('size', `>= 0 && <= ${lengthMax}`, list.length);
  const made = new FastBuffer(list.length);
  made.set(list, 0);
  return made;
}
function fromObject(value) {
  if (value.length !== undefined || types.isAnyArrayBuffer(value.buffer)) return typeof value.length === 'number' ? fromList(value) : new FastBuffer();
  return value.type === 'Buffer' && Array.isArray(value.data) ? fromList(value.data) : undefined;
}
Buffer.from = function from(value, encodingOrOffset, length) {
  if (typeof value === 'string') return fromText(value, encodingOrOffset);
  if (typeof value === 'object' && value !== null) {
    if (types.isAnyArrayBuffer(value)) return fromMemory(value, encodingOrOffset, length);
    const plain = value.valueOf && value.valueOf();
    if (plain != null && plain !== value && (typeof plain === 'string' || typeof plain === 'object')) return Buffer.from(plain, encodingOrOffset, length);
    const made = fromObject(value);
    if (made) return made;
    if (typeof value[Symbol.toPrimitive] === 'function') {
      const text = value[Symbol.toPrimitive]('string');
      if (typeof text === 'string') return fromText(text, encodingOrOffset);
    }
  }
  throw argumentType('first argument', ['string', 'Buffer', 'ArrayBuffer', 'Array', 'Array-like Object'], value);
};
Buffer.copyBytesFrom = function copyBytesFrom(view, offset, length) {
  if (!types.isTypedArray(view)) throw argumentType('view', ['TypedArray'], view);
  if (view.length === 0) return new FastBuffer();
  let part = view;
  if (offset !== undefined || length !== undefined) {
    if (offset !== undefined) {
      checkOffset(offset, 'offset', 0, Number.MAX_SAFE_INTEGER);
      if (offset >= view.length) return new FastBuffer();
    }
    if (length !== undefined) checkOffset(length, 'length', 0, Number.MAX_SAFE_INTEGER);
    const from = offset ?? 0;
    part = view.slice(from, length === undefined ? view.length : from + length);
  }
  return fromList(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
};
Buffer.of = function of(...items) {
  const made = new FastBuffer(items.length);
  for (let i = 0; i < items.length; i += 1) made[i] = items[i];
  return made;
};
Buffer.alloc = function alloc(size, fill, encoding) {
  checkSize(size);
  const made = new FastBuffer(size);
  return fill !== undefined && fill !== 0 && size > 0 ? made.fill(fill, encoding) : made;
};
Buffer.allocUnsafe = function allocUnsafe(size) { checkSize(size); return new FastBuffer(size); };
Buffer.allocUnsafeSlow = function allocUnsafeSlow(size) { checkSize(size); return new FastBuffer(size); };
Buffer.isBuffer = function isBuffer(value) { return value instanceof Buffer; };
Buffer.compare = function compare(one, other) {
  if (!isBytes(one)) throw argumentType('buf1', ['Buffer', 'Uint8Array'], one);
  if (!isBytes(other)) throw argumentType('buf2', ['Buffer', 'Uint8Array'], other);
  return one === other ? 0 : natives.bytesCompare(one, other);
};
Buffer.isEncoding = function isEncoding(name) { return typeof name === 'string' && name.length !== 0 && encodingNamed(name) !== undefined; };
Buffer.concat = function concat(list, length) {
  if (!Array.isArray(list)) throw argumentType('list', 'Array', list);
  if (list.length === 0) return new FastBuffer();
  let size = length;
  if (size === undefined) {
    size = 0;
    for (let i = 0; i < list.length; i += 1) if (list[i].length) size += list[i].length;
  } else checkOffset(size, 'length');
  const made = Buffer.allocUnsafe(size);
  let at = 0;
  for (let i = 0; i < list.length; i += 1) {
    const part = list[i];
    if (!isBytes(part)) throw argumentType(`list[${i}]`, ['Buffer', 'Uint8Array'], part);
    if (at >= size) continue;
    made.set(at + part.length > size ? part.subarray(0, size - at) : part, at);
    at += part.length;
  }
  return made;
};
Buffer.byteLength = function byteLength(value, encoding) {
  if (typeof value !== 'string') {
    if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value)) return value.byteLength;
    throw argumentType('string', ['string', 'Buffer', 'ArrayBuffer'], value);
  }
  if (value.length === 0) return 0;
  return ((encoding ? encodingNamed(`${encoding}`) : undefined) ?? encodingNamed('utf8')).sizeOf(value);
};

const { prototype } = Buffer;
for (const [name, key] of [['parent', 'buffer'], ['offset', 'byteOffset']]) {
  Object.defineProperty(prototype, name, { enumerable: true, get() { return this instanceof Buffer ? this[key] : undefined; } });
}
const toInteger = (value, missing) => {
  const number = +value;
  return Number.isNaN(number) ? missing : number >= Number.MIN_SAFE_INTEGER && number <= Number.MAX_SAFE_INTEGER ? Math.trunc(number) : missing;
};
prototype.copy = function copy(target, targetStart, sourceStart, sourceEnd) {
  if (!isBytes(this)) throw argumentType('source', ['Buffer', 'Uint8Array'], this);
  if (!isBytes(target)) throw argumentType('target', ['Buffer', 'Uint8Array'], target);
  const to = targetStart === undefined ? 0 : toInteger(targetStart, 0);
  if (to < 0) throw outOfRange('targetStart', '>= 0', targetStart);
  const from = sourceStart === undefined ? 0 : toInteger(sourceStart, 0);
  if (from < 0 || from > this.length) throw outOfRange('sourceStart', `>= 0 && <= ${this.length}`, sourceStart);
  const end = sourceEnd === undefined ? this.length : toInteger(sourceEnd, 0);
  if (end < 0) throw outOfRange('sourceEnd', '>= 0', sourceEnd);
  if (to >= target.length || from >= end) return 0;
  const count = Math.min(end - from, target.length - to, this.length - from);
  if (count > 0) base.apply(Uint8Array.prototype.set, target, [from === 0 && count === this.length ? this : new Uint8Array(this.buffer, this.byteOffset + from, count), to]);
  return Math.max(count, 0);
};
prototype.equals = function equals(other) {
  if (!isBytes(other)) throw argumentType('otherBuffer', ['Buffer', 'Uint8Array'], other);
  if (this === other) return true;
  return this.byteLength === other.byteLength && natives.bytesCompare(this, other) === 0;
};
prototype.compare = function compare(target, targetStart, targetEnd, sourceStart, sourceEnd) {
  if (!isBytes(target)) throw argumentType('target', ['Buffer', 'Uint8Array'], target);
  if (arguments.length === 1) return natives.bytesCompare(this, target);
  if (targetStart !== undefined) checkOffset(targetStart, 'targetStart');
  if (targetEnd !== undefined) checkOffset(targetEnd, 'targetEnd', 0, target.length);
  if (sourceStart !== undefined) checkOffset(sourceStart, 'sourceStart');
  if (sourceEnd !== undefined) checkOffset(sourceEnd, 'sourceEnd', 0, this.length);
  const [toStart, toEnd, start, end] = [targetStart ?? 0, targetEnd ?? target.length, sourceStart ?? 0, sourceEnd ?? this.length];
  if (start >= end) return toStart >= toEnd ? 0 : -1;
  if (toStart >= toEnd) return 1;
  return natives.bytesCompare(this.subarray(start, end), target.subarray(toStart, toEnd));
};
const custom = Symbol.for('nodejs.util.inspect.custom');
prototype[custom] = function inspect(depth, options) {
  const max = module.INSPECT_MAX_BYTES;
  const shown = this.hexSlice(0, Math.min(max, this.length));
  let text = (shown.match(/.{2}/g) ?? []).join(' ');
  const rest = this.length - max;
  if (rest > 0) text += ` ... ${rest} more byte${rest > 1 ? 's' : ''}`;
  if (options) {
    const extras = { __proto__: null };
    const keys = engine.ownNonIndexKeys(this, Boolean(options.showHidden));
    for (const key of keys) extras[key] = this[key];
    if (keys.length > 0) {
      if (this.length !== 0) text += ', ';
      text += shelf.inspect(extras, { ...options, breakLength: Infinity, compact: true }).slice(27, -2);
    }
  }
  return `<${this.constructor.name} ${text}>`;
};
prototype.inspect = prototype[custom];
prototype.toJSON = function toJSON() {
  if (this.length === 0) return { type: 'Buffer', data: [] };
  const data = new Array(this.length);
  for (let i = 0; i < this.length; i += 1) data[i] = this[i];
  return { type: 'Buffer', data };
};
function place(value, length) {
  let at = Math.trunc(+value);
  if (at === 0 || Number.isNaN(at)) return 0;
  if (at < 0) { at += length; return at > 0 ? at : 0; }
  return at < length ? at : length;
}
prototype.subarray = function subarray(start, end) {
  const length = this.length;
  const from = place(start, length);
  const to = end === undefined ? length : place(end, length);
  return new FastBuffer(this.buffer, this.byteOffset + from, to > from ? to - from : 0);
};
prototype.slice = function slice(start, end) { return this.subarray(start, end); };
for (const bits of [16, 32, 64]) {
  const size = bits / 8;
  const name = `swap${bits}`;
  prototype[name] = { [name]() {
    if (this.length % size !== 0) throw coded(RangeError, 'ERR_INVALID_BUFFER_SIZE', `Buffer size must be a multiple of ${bits}-bits`);
    for (let i = 0; i < this.length; i += size) base.apply(Uint8Array.prototype.reverse, new Uint8Array(this.buffer, this.byteOffset + i, size), []);
    return this;
  } }[name];
}
shelf.load('buffer_search');
shelf.load('buffer_numbers');

function SlowBuffer(length) {
  checkSize(length);
  return new FastBuffer(length);
}
Object.setPrototypeOf(SlowBuffer.prototype, Uint8Array.prototype);
Object.setPrototypeOf(SlowBuffer, Uint8Array);
function transcode(source, from, to) {
  if (!isBytes(source)) throw argumentType('source', ['Buffer', 'Uint8Array'], source);
  if (source.length === 0) return Buffer.alloc(0);
  const [reads, writes] = [from, to].map((name) => encodingNamed(`${name ?? ''}`)?.name);
  const known = ['utf8', 'utf16le', 'latin1', 'ascii'];
  if (!known.includes(reads) || !known.includes(writes)) {
    throw Object.assign(new Error('Unable to transcode Buffer [U_ILLEGAL_ARGUMENT_ERROR]'), { code: 'U_ILLEGAL_ARGUMENT_ERROR', errno: 1 });
  }
  let text = base.apply(prototype.toString, source, [reads]);
  // ICU knows no half characters, and writes what an encoding lacks as a question mark.
  if (reads === 'utf16le') text = text.toWellFormed();
  if (reads === 'ascii') text = Array.from(source, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : '\ufffd')).join('');
  if (writes === 'latin1' || writes === 'ascii') text = Array.from(text, (char) => (char.codePointAt(0) > (writes === 'ascii' ? 0x7f : 0xff) ? '?' : char)).join('');
  return Buffer.from(text, writes);
}
const checkBytes = (input, name) => {
  if (!types.isTypedArray(input) && !types.isAnyArrayBuffer(input)) throw argumentType('input', ['ArrayBuffer', 'Buffer', 'TypedArray'], input);
  const memory = input.buffer ?? input;
  if (memory.detached) throw coded(Error, 'ERR_INVALID_STATE', 'Invalid state: Cannot validate on a detached buffer');
  return natives.bytesCheck(input.buffer === undefined ? new Uint8Array(input) : input, name);
};
const fromGlobal = (name) => ({ configurable: true, enumerable: true, get() { return globalThis[name]; } });
const module = {
  Buffer, SlowBuffer, transcode, isUtf8: (input) => checkBytes(input, 'utf8'), isAscii: (input) => checkBytes(input, 'ascii'),
  kMaxLength: lengthMax, kStringMaxLength: shelf.bufferParts.textMax, btoa: shelf.globals.btoa, atob: shelf.globals.atob,
};
Object.defineProperty(module, 'constants', { configurable: false, enumerable: true, value: Object.defineProperties({}, { MAX_LENGTH: { value: lengthMax, enumerable: true }, MAX_STRING_LENGTH: { value: module.kStringMaxLength, enumerable: true } }) });
let bytesShown = 50;
Object.defineProperty(module, 'INSPECT_MAX_BYTES', {
  configurable: true, enumerable: true, get: () => bytesShown,
  set(value) {
    base.checks.isNumber(value, 'INSPECT_MAX_BYTES');
    if (!(value >= 0)) throw outOfRange('INSPECT_MAX_BYTES', '>= 0', value);
    bytesShown = value;
  },
});
// Where the globals have them.
for (const name of ['Blob', 'File']) if (name in globalThis) Object.defineProperty(module, name, fromGlobal(name));
builtins.buffer = module;
shelf.Buffer = Buffer;
