// SPDX-License-Identifier: Apache-2.0
// Files, part 1: calls of the host, their errors, and what all functions of fs share: paths, flags,
// modes, encodings, Stats and Dirent.
'use strict';
const { base, builtins } = shelf;
const { natives, argumentType, argumentValue, outOfRange, SafeMap } = base;

// In the order of FsVerb in lang/script/world/internal/fs_call.hpp.
const verbs = { __proto__: null };
['open', 'close', 'read', 'write', 'stat', 'openStat', 'access', 'chmod', 'openChmod', 'chown', 'openChown', 'utimes', 'openUtimes', 'mkdir', 'rmdir', 'unlink', 'rename', 'copy', 'symlink', 'link', 'readlink', 'realpath', 'readdir', 'mkdtemp', 'resize', 'sync', 'readFile', 'writeFile', 'removeTree']
  .forEach((name, number) => { verbs[name] = number; });
const refused = -1000000;

// ---- Calls ----

// A call: { verb, syscall, path, other, x, y, z, bytes, fd, shown, dest }. `shown` is the path of the error.
function failure(call, number, text) {
  if (number === refused) return base.denied(text, 'fs', call.path);
  const during = text === 'read' || text === 'write' ? text : undefined;
  return systemError(number, during ?? call.syscall, during ? undefined : call.shown ?? call.path, call.dest);
}
let names;
function systemError(number, syscall, path, dest) {
  if (names === undefined) {
    shelf.load('system_errors');
    names = new SafeMap();
    for (const [key, value] of shelf.systemErrors) names.set(key, value);
  }
  const [code, words] = names.get(number) ?? [`E${-number}`, 'unknown error'];
  let message = `${code}: ${words}, ${syscall}`;
  if (path !== undefined) message += ` '${path}'`;
  if (dest !== undefined) message += ` -> '${dest}'`;
  const error = new Error(message);
  error.errno = number;
  error.code = code;
  error.syscall = syscall;
  if (path !== undefined) error.path = path;
  if (dest !== undefined) error.dest = dest;
  return error;
}
const given = (call) => [verbs[call.verb], call.path ?? '', call.other ?? '', call.x ?? 0, call.y ?? 0, call.z ?? 0, call.bytes, call.fd ?? -1];
// Returns what the call's `take` makes of it.
function now(call) {
  const answer = natives.fsNow(...given(call));
  const space = answer.indexOf(' ');
  const number = Number(answer.slice(0, space));
  const text = answer.slice(space + 1);
  if (number < 0) throw failure(call, number, text);
  return call.take === undefined ? undefined : call.take(number, text, 0);
}
// done(error, value), as a job of the poll phase.
function later(call, done) {
  const id = shelf.expect((number, text) => {
    if (number >= 0) return call.take === undefined ? done(null) : done(null, call.take(number, text, id));
    const error = failure(call, number, text);
    if (number !== refused) error.stack = `${error}`;  // It has no frames of the program.
    return done(error);
  });
  natives.fsStart(id, ...given(call));
}
const promised = (call) => new Promise((resolve, reject) => {
  later(call, (error, value) => { if (error) reject(error); else resolve(value); });
});

// ---- Bytes and texts ----

function toBuffer(bytes) {
  const Buffer = builtins.buffer?.Buffer ?? globalThis.Buffer;
  return Buffer === undefined ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
const encodings = { __proto__: null };
for (const name of ['utf8', 'utf-8', 'ucs2', 'ucs-2', 'utf16le', 'utf-16le', 'latin1', 'binary', 'base64', 'base64url', 'hex', 'ascii']) encodings[name] = name;
function checkEncoding(encoding) {
  if (encoding !== undefined && encoding !== null && encoding !== 'buffer' && (typeof encoding !== 'string' || encodings[encoding.toLowerCase()] === undefined)) {
    throw argumentValue('encoding', encoding, 'is invalid encoding');
  }
}
function decoded(bytes, encoding) {
  if (encoding === undefined || encoding === null || encoding === 'buffer') return toBuffer(bytes);
  const name = encoding.toLowerCase();
  if (name === 'utf8' || name === 'utf-8') return new shelf.globals.TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const Buffer = builtins.buffer?.Buffer;
  if (Buffer !== undefined) return toBuffer(bytes).toString(name);
  if (name.startsWith('u')) return new shelf.globals.TextDecoder('utf-16le', { ignoreBOM: true }).decode(bytes);
  let text = '';
  if (name === 'hex') for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  else for (const byte of bytes) text += String.fromCharCode(name === 'ascii' ? byte & 127 : byte);
  if (!name.startsWith('base64')) return text;
  const made = shelf.globals.btoa(text);
  return name === 'base64' ? made : made.replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}
function encoded(text, encoding = 'utf8') {
  const name = `${encoding ?? 'utf8'}`.toLowerCase();
  if (name === 'utf8' || name === 'utf-8') return new shelf.globals.TextEncoder().encode(text);
  const Buffer = builtins.buffer?.Buffer;
  if (Buffer !== undefined) return Buffer.from(text, name);
  if (name === 'hex') return Uint8Array.from(text.match(/[0-9a-f]{2}/gi) ?? [], (pair) => parseInt(pair, 16));
  if (name.startsWith('base64')) return Uint8Array.from(shelf.globals.atob(text.replace(/-/g, '+').replace(/_/g, '/')), (char) => char.charCodeAt(0));
  if (name.startsWith('u')) return new Uint8Array(Uint16Array.from(text, (char) => char.charCodeAt(0)).buffer);
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}
const bytesOf = (view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
const dataTypes = ['string', 'Buffer', 'TypedArray', 'DataView'];
// What a program writes, as bytes.
function dataOf(data, encoding, name = 'data', types = dataTypes) {
  if (typeof data === 'string') return encoded(data, encoding);
  if (ArrayBuffer.isView(data)) return bytesOf(data);
  throw argumentType(name, types, data);
}

// ---- Arguments ----

function pathOf(value, name = 'path') {
  let path = value;
  if (value !== null && typeof value === 'object' && typeof value.href === 'string' && typeof value.protocol === 'string') path = builtins.url.fileURLToPath(value);
  else if (value instanceof Uint8Array) path = new shelf.globals.TextDecoder().decode(value);
  else if (typeof value !== 'string') throw argumentType(name, ['string', 'Buffer', 'URL'], value);
  if (path.includes('\0')) throw argumentValue(name, value, 'must be a string, Uint8Array, or URL without null bytes');
  return path;
}
function fdOf(value, name = 'fd') {
  if (typeof value !== 'number') throw argumentType(name, 'number', value);
  if (!Number.isInteger(value)) throw outOfRange(name, 'an integer', value);
  if (value < 0 || value > 2147483647) throw outOfRange(name, '>= 0 && <= 2147483647', value);
  return value;
}
function integer(value, name, least = -(2 ** 53 - 1), most = 2 ** 53 - 1) {
  if (typeof value !== 'number') throw argumentType(name, 'number', value);
  if (!Number.isInteger(value)) throw outOfRange(name, 'an integer', value);
  if (value < least || value > most) throw outOfRange(name, `>= ${least} && <= ${most}`, value);
  return value;
}
function modeOf(value, name, otherwise) {
  const mode = value ?? otherwise;
  if (typeof mode === 'string') {
    if (!/^[0-7]+$/.test(mode)) throw argumentValue(name, value, 'must be a 32-bit unsigned integer or an octal string');
    return parseInt(mode, 8);
  }
  return integer(mode, name, 0, 4294967295);
}
// The bits of FsFlag.
const bits = { read: 1, write: 2, create: 4, exclusive: 8, truncate: 16, append: 32, sync: 64, noLink: 128 };
const flagWords = { __proto__: null, r: 1, rs: 65, sr: 65, 'r+': 3, 'rs+': 67, 'sr+': 67, w: 22, wx: 30, xw: 30, 'w+': 23, 'wx+': 31, 'xw+': 31, a: 38, ax: 46, xa: 46, as: 102, sa: 102, 'a+': 39, 'ax+': 47, 'xa+': 47, 'as+': 103, 'sa+': 103 };
function flagsOf(value, name = 'flags', otherwise = 'r') {
  const flags = value ?? otherwise;
  if (typeof flags === 'number') {
    integer(flags, name, -2147483648, 2147483647);
    let made = [bits.read, bits.write, bits.read | bits.write, bits.read | bits.write][flags & 3];
    if (flags & 0o100) made |= bits.create;
    if (flags & 0o200) made |= bits.exclusive;
    if (flags & 0o1000) made |= bits.truncate;
    if (flags & 0o2000) made |= bits.append;
    if (flags & 0o10000) made |= bits.sync;
    if (flags & 0o400000) made |= bits.noLink;
    return made;
  }
  const made = typeof flags === 'string' ? flagWords[flags] : undefined;
  if (made === undefined) throw argumentValue(name, value);
  return made;
}
// The options of a function: an encoding or an object.
function optionsOf(value, defaults) {
  if (value === undefined || value === null || typeof value === 'function') return defaults;
  const options = typeof value === 'string' ? { ...defaults, encoding: value } : value;
  if (typeof options !== 'object') throw argumentType('options', ['string', 'Object'], value);
  checkEncoding(options.encoding);
  if (options.signal !== undefined) shelf.checkSignal(options.signal, 'options.signal');
  return { ...defaults, ...options };
}
function callbackOf(value) {
  if (typeof value !== 'function') throw argumentType('cb', 'function', value);
  return value;
}
// Seconds since 1970.
function secondsOf(value, name) {
  if (typeof value === 'string' && +value == value) return +value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (base.engine.kind(value) === 'Date') return value.getTime() / 1000;
  throw argumentType(name, ['Date', 'Time in seconds'], value);
}

// ---- Stats and Dirent ----

const types = { file: 0o100000, folder: 0o040000, character: 0o020000, block: 0o060000, fifo: 0o010000, link: 0o120000, socket: 0o140000 };
const is = (mode, type) => (Number(mode) & 0o170000) === type;
function StatsBase(fields) { Object.assign(this, fields); }
StatsBase.prototype.isDirectory = function isDirectory() { return is(this.mode, types.folder); };
StatsBase.prototype.isFile = function isFile() { return is(this.mode, types.file); };
StatsBase.prototype.isBlockDevice = function isBlockDevice() { return is(this.mode, types.block); };
StatsBase.prototype.isCharacterDevice = function isCharacterDevice() { return is(this.mode, types.character); };
StatsBase.prototype.isSymbolicLink = function isSymbolicLink() { return is(this.mode, types.link); };
StatsBase.prototype.isFIFO = function isFIFO() { return is(this.mode, types.fifo); };
StatsBase.prototype.isSocket = function isSocket() { return is(this.mode, types.socket); };
function Stats() {}
Object.setPrototypeOf(Stats.prototype, StatsBase.prototype);
function BigIntStats() {}
Object.setPrototypeOf(BigIntStats.prototype, StatsBase.prototype);
const fields = ['dev', 'mode', 'nlink', 'uid', 'gid', 'rdev', 'blksize', 'ino', 'size', 'blocks'];
const times = ['atime', 'mtime', 'ctime', 'birthtime'];
const million = 1000000n;
function statsOf(text, isBig) {
  const parts = text.split(' ');
  const made = isBig ? new BigIntStats() : new Stats();
  fields.forEach((name, i) => { made[name] = isBig ? BigInt(parts[i]) : Number(parts[i]); });
  const ns = times.map((_, i) => BigInt(parts[fields.length + i]));
  const inMs = ns.map((one) => (isBig ? one / million : Number(one / million) + Number(one % million) / 1e6));
  times.forEach((name, i) => { made[`${name}Ms`] = inMs[i]; });
  if (isBig) times.forEach((name, i) => { made[`${name}Ns`] = ns[i]; });
  times.forEach((name, i) => { made[name] = new Date(isBig ? Number(inMs[i]) : Math.floor(inMs[i] + 0.5)); });
  return made;
}
const typeKey = Symbol('type');
const kinds = { __proto__: null, f: 1, d: 2, l: 3, p: 4, s: 5, c: 6, b: 7, o: 0 };
class Dirent {
  constructor(name, path, type) {
    this.name = name;
    this.parentPath = path;
    this.path = path;
    this[typeKey] = type;
  }
  isDirectory() { return this[typeKey] === 2; }
  isFile() { return this[typeKey] === 1; }
  isBlockDevice() { return this[typeKey] === 7; }
  isCharacterDevice() { return this[typeKey] === 6; }
  isSymbolicLink() { return this[typeKey] === 3; }
  isFIFO() { return this[typeKey] === 4; }
  isSocket() { return this[typeKey] === 5; }
}
// Of the text of a readdir: [name, type] pairs.
const entriesOf = (text) => text.split('\0').slice(0, -1).map((entry) => [entry.slice(1), kinds[entry[0]]]);

shelf.fsCalls = { Dirent, Stats, bits, bytesOf, callbackOf, checkEncoding, dataOf, decoded, encoded, entriesOf, fdOf, flagsOf, integer, later, modeOf, now, optionsOf, pathOf, promised, secondsOf, statsOf, systemError, toBuffer };
