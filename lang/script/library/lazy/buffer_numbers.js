// SPDX-License-Identifier: Apache-2.0
// node:buffer, part 4: reading and writing of numbers. The methods are made from a table; their
// names, checks and messages are Node's.
'use strict';
const { base } = shelf;
const { argumentType, outOfRange } = base;
const { Buffer, outsideBounds } = shelf.bufferParts;
const { prototype } = Buffer;

function outside(value, last, name) {
  if (Math.floor(value) !== value) {
    base.checks.isNumber(value, name ?? 'offset');
    return outOfRange(name ?? 'offset', 'an integer', value);
  }
  if (last < 0) return outsideBounds();
  return outOfRange(name ?? 'offset', `>= ${name ? 1 : 0} and <= ${last}`, value);
}
// The last byte of a number is within the buffer.
function check(bytes, offset, size) {
  base.checks.isNumber(offset, 'offset');
  if (bytes[offset] === undefined || bytes[offset + size - 1] === undefined) throw outside(offset, bytes.length - size);
}
function checkValue(value, min, max, size) {
  if (!(value > max || value < min)) return;
  const n = typeof min === 'bigint' ? 'n' : '';
  let range = `>= ${min}${n} and <= ${max}${n}`;
  if (size > 4) range = min === 0 || min === 0n ? `>= 0${n} and < 2${n} ** ${size * 8}${n}` : `>= -(2${n} ** ${size * 8 - 1}${n}) and < 2${n} ** ${size * 8 - 1}${n}`;
  throw outOfRange('value', range, value);
}
const viewOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const named = (name, method) => {
  Object.defineProperty(method, 'name', { value: name, configurable: true });
  prototype[name] = method;
  const lower = name.replace('UInt', 'Uint');
  if (lower !== name) prototype[lower] = method;
};

const limitsOf = (size, isSigned) => (isSigned ? [-(2 ** (8 * size - 1)), 2 ** (8 * size - 1) - 1] : [0, 2 ** (8 * size) - 1]);
// Any number of bytes up to six; the parts above 32 bits are no integers of the machine.
function readUnsigned(bytes, offset, size, isLittle) {
  let value = 0;
  for (let i = 0; i < size; i += 1) value = value * 256 + bytes[offset + (isLittle ? size - 1 - i : i)];
  return value;
}
function writeInteger(bytes, value, offset, size, isLittle) {
  const whole = Math.trunc(value);
  let rest = whole < 0 ? whole + 2 ** (8 * size) : whole;
  for (let i = 0; i < size; i += 1) {
    bytes[offset + (isLittle ? i : size - 1 - i)] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return offset + size;
}
const readInteger = (bytes, offset, size, isSigned, isLittle) => {
  const value = readUnsigned(bytes, offset, size, isLittle);
  return isSigned && value >= 2 ** (8 * size - 1) ? value - 2 ** (8 * size) : value;
};
for (const isSigned of [false, true]) {
  const word = isSigned ? 'Int' : 'UInt';
  for (const isLittle of [true, false]) {
    const end = isLittle ? 'LE' : 'BE';
    named(`read${word}${end}`, function read(offset, byteLength) {
      if (offset === undefined) throw argumentType('offset', 'number', offset);
      if (!(byteLength >= 1 && byteLength <= 6 && Math.floor(byteLength) === byteLength)) throw outsideSize(byteLength);
      check(this, offset, byteLength);
      return readInteger(this, offset, byteLength, isSigned, isLittle);
    });
    named(`write${word}${end}`, function write(value, offset, byteLength) {
      if (!(byteLength >= 1 && byteLength <= 6 && Math.floor(byteLength) === byteLength)) throw outsideSize(byteLength);
      const [min, max] = limitsOf(byteLength, isSigned);
      return store(this, +value, offset, byteLength, min, max, isLittle);
    });
  }
}
function outsideSize(byteLength) {
  if (byteLength === undefined) return argumentType('byteLength', 'number', byteLength);
  return outside(byteLength, 6, 'byteLength');
}
function store(bytes, value, offset, size, min, max, isLittle) {
  if (size === 1) base.checks.isNumber(offset, 'offset');
  checkValue(value, min, max, size);
  check(bytes, offset, size);
  return writeInteger(bytes, value, offset, size, isLittle);
}
named('readUInt8', function readUInt8(offset = 0) { check(this, offset, 1); return this[offset]; });
named('readInt8', function readInt8(offset = 0) { check(this, offset, 1); return (this[offset] << 24) >> 24; });
named('writeUInt8', function writeUInt8(value, offset = 0) { return store(this, +value, offset, 1, 0, 0xff, true); });
named('writeInt8', function writeInt8(value, offset = 0) { return store(this, +value, offset, 1, -0x80, 0x7f, true); });

// size, DataView's name, Buffer's name, kind
const table = [[2, 'Uint16', 'UInt16'], [4, 'Uint32', 'UInt32'], [2, 'Int16', 'Int16'], [4, 'Int32', 'Int32'], [4, 'Float32', 'Float'], [8, 'Float64', 'Double'], [8, 'BigUint64', 'BigUInt64'], [8, 'BigInt64', 'BigInt64']];
for (const [size, kind, word] of table) {
  const [get, set] = [`get${kind}`, `set${kind}`].map((name) => base.uncurry(DataView.prototype[name]));
  const isFloat = kind.startsWith('Float');
  const isBig = kind.startsWith('Big');
  let [min, max] = limitsOf(size, kind.startsWith('Int'));
  if (isBig) [min, max] = kind === 'BigInt64' ? [-(2n ** 63n), 2n ** 63n - 1n] : [0n, 2n ** 64n - 1n];
  for (const isLittle of [true, false]) {
    const end = isLittle ? 'LE' : 'BE';
    named(`read${word}${end}`, function read(offset = 0) {
      check(this, offset, size);
      if (isBig || isFloat) return get(viewOf(this), offset, isLittle);
      return readInteger(this, offset, size, min < 0, isLittle);
    });
    named(`write${word}${end}`, isFloat ? function write(value, offset = 0) {
      const number = +value;
      check(this, offset, size);
      set(viewOf(this), offset, number, isLittle);
      return offset + size;
    } : function write(value, offset = 0) {
      if (!isBig) return store(this, +value, offset, size, min, max, isLittle);
      checkValue(value, min, max, size);
      check(this, offset, size);
      set(viewOf(this), offset, typeof value === 'bigint' ? value : value & 0xffffffffn, isLittle);
      return offset + size;
    });
  }
}
