// SPDX-License-Identifier: Apache-2.0
// node:fs, with callbacks and Sync: each function is made of one description of its call.
'use strict';
shelf.load('fs_calls');
const { base, builtins } = shelf;
const { natives, argumentType, argumentValue } = base;
const { Dirent, Stats, bytesOf, callbackOf, dataOf, decoded, entriesOf, fdOf, flagsOf, integer, later, modeOf, now, optionsOf, pathOf, secondsOf, statsOf } = shelf.fsCalls;

const taken = (number, id) => {
  const bytes = new Uint8Array(number);
  natives.fsTake(id, bytes);
  return bytes;
};

function accessMode(mode) {
  if (typeof mode !== 'number') throw base.coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'mode must be int32 or null/undefined');
  if (!(mode >= 0 && mode <= 7)) throw base.coded(RangeError, 'ERR_OUT_OF_RANGE', 'mode is out of range: >= 0 && <= 7');
  return mode;
}
// Each gives the call for the arguments of the function, without the callback.
const calls = { __proto__: null };
calls.access = (path, mode = 0) => ({ verb: 'access', syscall: 'access', path: pathOf(path), x: accessMode(mode) });
calls.chmod = (path, mode) => ({ verb: 'chmod', syscall: 'chmod', path: pathOf(path), x: modeOf(mode, 'mode') });
calls.fchmod = (fd, mode) => ({ verb: 'openChmod', syscall: 'fchmod', fd: fdOf(fd), y: modeOf(mode, 'mode') });
const owned = (name, doesNotFollow) => (path, uid, gid) => ({ verb: 'chown', syscall: name, path: pathOf(path), x: integer(uid, 'uid', -1, 4294967295) >>> 0, y: integer(gid, 'gid', -1, 4294967295) >>> 0, z: doesNotFollow });
calls.chown = owned('chown', 0);
calls.lchown = owned('lchown', 1);
calls.fchown = (fd, uid, gid) => ({ verb: 'openChown', syscall: 'fchown', fd: fdOf(fd), y: integer(uid, 'uid', -1, 4294967295) >>> 0, z: integer(gid, 'gid', -1, 4294967295) >>> 0 });
calls.close = (fd) => ({ verb: 'close', syscall: 'close', fd: fdOf(fd) });
calls.copyFile = (from, to, mode = 0) => ({ verb: 'copy', syscall: 'copyfile', path: pathOf(from, 'src'), other: pathOf(to, 'dest'), dest: pathOf(to, 'dest'), x: integer(mode, 'mode', 0, 7) });
calls.fdatasync = (fd) => ({ verb: 'sync', syscall: 'fdatasync', fd: fdOf(fd) });
calls.fsync = (fd) => ({ verb: 'sync', syscall: 'fsync', fd: fdOf(fd) });
calls.fstat = (fd, options) => ({ verb: 'openStat', syscall: 'fstat', fd: fdOf(fd), take: (number, text) => statsOf(text, options?.bigint) });
const stat = (name, doesNotFollow) => (path, options) => ({ verb: 'stat', syscall: name, path: pathOf(path), x: doesNotFollow, take: (number, text) => statsOf(text, options?.bigint) });
calls.stat = stat('stat', 0);
calls.lstat = stat('lstat', 1);
calls.ftruncate = (fd, size = 0) => ({ verb: 'resize', syscall: 'ftruncate', fd: fdOf(fd), y: Math.max(0, integer(size, 'len')) });
calls.futimes = (fd, atime, mtime) => ({ verb: 'openUtimes', syscall: 'futime', fd: fdOf(fd), y: secondsOf(atime, 'atime'), z: secondsOf(mtime, 'mtime') });
const timed = (name, doesNotFollow) => (path, atime, mtime) => ({ verb: 'utimes', syscall: name, path: pathOf(path), x: secondsOf(atime, 'atime'), y: secondsOf(mtime, 'mtime'), z: doesNotFollow });
calls.utimes = timed('utime', 0);
calls.lutimes = timed('lutime', 1);
calls.link = (from, to) => ({ verb: 'link', syscall: 'link', path: pathOf(from, 'existingPath'), other: pathOf(to, 'newPath'), dest: pathOf(to, 'newPath') });
calls.mkdir = (path, options) => {
  const how = options !== null && typeof options === 'object' ? options : { mode: options };
  if (how.recursive !== undefined) base.checks.isBoolean(how.recursive, 'options.recursive');
  return { verb: 'mkdir', syscall: 'mkdir', path: pathOf(path), x: modeOf(how.mode, 'mode', 0o777) & ~shelf.process.umask(), y: how.recursive ? 1 : 0, take: (number, text) => (how.recursive && text !== '' ? text : undefined) };
};
calls.mkdtemp = (prefix, options) => {
  const { encoding } = optionsOf(options, {});
  return { verb: 'mkdtemp', syscall: 'mkdtemp', path: pathOf(prefix, 'prefix'), shown: `${pathOf(prefix, 'prefix')}XXXXXX`, take: (number, text) => named(text, encoding) };
};
calls.open = (path, flags, mode) => ({ verb: 'open', syscall: 'open', path: pathOf(path), x: flagsOf(flags), y: modeOf(mode, 'mode', 0o666), take: (number) => number });
calls.readlink = (path, options) => {
  const { encoding } = optionsOf(options, {});
  return { verb: 'readlink', syscall: 'readlink', path: pathOf(path), take: (number, text) => named(text, encoding) };
};
calls.realpath = (path, options) => {
  const { encoding } = optionsOf(options, {});
  return { verb: 'realpath', syscall: 'lstat', path: pathOf(path), take: (number, text) => named(text, encoding) };
};
calls.rename = (from, to) => ({ verb: 'rename', syscall: 'rename', path: pathOf(from, 'oldPath'), other: pathOf(to, 'newPath'), dest: pathOf(to, 'newPath') });
calls.symlink = (target, path, type) => {
  if (type !== undefined && type !== null && !['dir', 'file', 'junction'].includes(type)) throw argumentValue('type', type, "must be one of: 'dir', 'file', 'junction'");
  return { verb: 'symlink', syscall: 'symlink', path: pathOf(path), other: pathOf(target, 'target'), shown: pathOf(target, 'target'), dest: pathOf(path) };
};
calls.unlink = (path) => ({ verb: 'unlink', syscall: 'unlink', path: pathOf(path) });
calls.readdir = (path, options) => {
  const { encoding, withFileTypes } = optionsOf(options, {});
  const folder = pathOf(path);
  return { verb: 'readdir', syscall: 'scandir', path: folder, take: (number, text) => entriesOf(text).map(([name, type]) => (withFileTypes ? new Dirent(named(name, encoding), folder, type) : named(name, encoding))) };
};
calls.readFile = (path, options) => {
  const { encoding, flag } = optionsOf(options, { flag: 'r' });
  const take = (number, text, id) => decoded(taken(number, id), encoding);
  if (typeof path === 'number') return { verb: 'readFile', syscall: 'read', fd: fdOf(path), take };
  return { verb: 'readFile', syscall: 'open', path: pathOf(path), x: flagsOf(flag, 'options.flag'), take };
};
calls.writeFile = (path, data, options, otherwise = 'w') => {
  const { encoding, flag, mode } = optionsOf(options, { flag: otherwise, encoding: 'utf8', mode: 0o666 });
  const bytes = dataOf(data, encoding);
  if (typeof path === 'number') return { verb: 'writeFile', syscall: 'write', fd: fdOf(path), bytes };
  return { verb: 'writeFile', syscall: 'open', path: pathOf(path), x: flagsOf(flag, 'options.flag'), y: modeOf(mode, 'mode', 0o666), bytes };
};
calls.appendFile = (path, data, options) => calls.writeFile(path, data, options, 'a');
// rmdir tells a file from a directory by itself.
calls.rmdir = (path) => ({ verb: 'rmdir', syscall: 'rmdir', path: pathOf(path) });
const named = (text, encoding) => (encoding === 'buffer' || (encoding && !/^utf-?8$/i.test(encoding)) ? decoded(new shelf.globals.TextEncoder().encode(text), encoding) : text);

// ---- Reading and writing open files ----

// (fd, buffer, offset, length, position) or (fd, buffer, options), with or without each.
function readArguments(fd, buffer, offset, length, position) {
  fdOf(fd);
  if (buffer === null || typeof buffer !== 'object' || !ArrayBuffer.isView(buffer)) {
    if (buffer !== undefined && buffer !== null && typeof buffer === 'object') return readArguments(fd, buffer.buffer ?? toScratch(), buffer.offset, buffer.length, buffer.position);
    throw argumentType('buffer', ['Buffer', 'TypedArray', 'DataView'], buffer);
  }
  if (offset !== null && typeof offset === 'object') return readArguments(fd, buffer, offset.offset, offset.length, offset.position);
  const from = offset === undefined || offset === null ? 0 : integer(offset, 'offset', 0);
  const room = buffer.byteLength - from;
  const size = length === undefined || length === null ? Math.max(0, room) : length | 0;
  if (size > 0 && buffer.byteLength === 0) throw argumentValue('buffer', buffer, 'is empty and cannot be written');
  if (from > buffer.byteLength) throw base.outOfRange('offset', `>= 0 && <= ${buffer.byteLength}`, from);
  if (size < 0) throw base.outOfRange('length', '>= 0', size);
  if (size > room) throw base.outOfRange('length', `<= ${room}`, size);
  return { fd: fdOf(fd), buffer, at: bytesOf(buffer).subarray(from, from + size), position: positionOf(position) };
}
const toScratch = () => shelf.fsCalls.toBuffer(new Uint8Array(16384));
function positionOf(position) {
  if (position === undefined || position === null) return -1;
  if (typeof position === 'bigint') return Number(position);
  return typeof position === 'number' ? integer(position, 'position', -1) : (() => { throw argumentType('position', ['integer', 'bigint'], position); })();
}
calls.read = (...args) => {
  const { fd, at, position } = readArguments(...args);
  return { verb: 'read', syscall: 'read', fd, bytes: at, y: position, take(number, text, id) { if (id !== 0 && number > 0) natives.fsTake(id, at); return number; } };
};
calls.write = (fd, buffer, offset, length, position) => {
  let bytes;
  let at = length;
  if (typeof buffer === 'string') {  // (fd, text, position, encoding)
    bytes = dataOf(buffer, typeof length === 'string' ? length : 'utf8');
    at = offset;
  } else {
    if (!ArrayBuffer.isView(buffer)) throw argumentType('buffer', ['string', 'Buffer', 'TypedArray', 'DataView'], buffer);
    const options = offset !== null && typeof offset === 'object' ? offset : { offset, length, position };
    const from = options.offset === undefined || options.offset === null ? 0 : integer(options.offset, 'offset', 0);
    const room = buffer.byteLength - from;
    if (room < 0) throw base.outOfRange('offset', `<= ${buffer.byteLength}`, from);
    const size = options.length === undefined || options.length === null ? room : integer(options.length, 'length', 0);
    if (size > room) throw base.outOfRange('length', `<= ${room}`, size);
    bytes = bytesOf(buffer).subarray(from, from + size);
    at = options.position;
  }
  return { verb: 'write', syscall: 'write', fd: fdOf(fd), bytes, y: typeof at === 'number' && at >= 0 ? at : -1, take: (number) => number };
};

const fs = { __proto__: Object.prototype };
// How many arguments a function takes before its callback, for the message where that is missing.
function define(name, count) {
  const make = calls[name];
  fs[name] = { [name](...args) {
    const done = callbackOf(typeof args.at(-1) === 'function' ? args.pop() : args[count]);
    later(make(...args), done);
  } }[name];
  const nameSync = `${name}Sync`;
  fs[nameSync] = { [nameSync](...args) { return now(make(...args)); } }[nameSync];
}
for (const [name, count] of Object.entries({ appendFile: 3, access: 2, chown: 3, chmod: 2, close: 1, copyFile: 3, fchown: 3, fchmod: 2, fdatasync: 1, fstat: 2, fsync: 1, ftruncate: 2, futimes: 3, lchown: 3, link: 2, lstat: 2, lutimes: 3, mkdir: 2, mkdtemp: 2, open: 3, readdir: 2, readFile: 2, readlink: 2, realpath: 2, rename: 2, rmdir: 2, stat: 2, symlink: 3, unlink: 1, utimes: 3, writeFile: 3 })) define(name, count);

fs.close = function close(fd, done = (error) => { if (error) throw error; }) { later(calls.close(fd), callbackOf(done)); };
fs.exists = function exists(path, done) {
  callbackOf(done);
  let call;
  try { call = calls.access(path); } catch { return shelf.nextTick(done, false); }
  return later(call, (error) => done(!error));
};
fs.existsSync = function existsSync(path) {
  try { now(calls.access(path)); return true; } catch (error) {
    if (error.code === 'ERR_ACCESS_DENIED') throw error;
    return false;
  }
};
for (const name of ['statSync', 'lstatSync']) {
  const original = fs[name];
  fs[name] = { [name](path, options) {
    try { return original(path, options); } catch (error) {
      if (options?.throwIfNoEntry === false && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return undefined;
      throw error;
    }
  } }[name];
}
// The callbacks of these have a second value.
fs.read = function read(fd, ...args) {
  const done = callbackOf(args.pop());
  const [first, ...rest] = args;
  const given = ArrayBuffer.isView(first) ? first : first?.buffer ?? toScratch();
  const call = calls.read(fd, given, ...(ArrayBuffer.isView(first) ? rest : [first ?? {}]));
  later(call, (error, count) => (error ? done(error) : done(null, count, given)));
};
fs.readSync = function readSync(...args) { return now(calls.read(...args)); };
fs.write = function write(fd, data, ...args) {
  const done = callbackOf(args.pop());
  later(calls.write(fd, data, ...args), (error, count) => (error ? done(error) : done(null, count, data)));
};
fs.writeSync = function writeSync(...args) { return now(calls.write(...args)); };
function vectors(name) {
  const one = name === 'readv' ? fs.readSync : fs.writeSync;
  fs[`${name}Sync`] = (fd, buffers, position) => {
    let total = 0;
    for (const buffer of buffers) {
      const count = one(fd, buffer, 0, buffer.byteLength, typeof position === 'number' ? position + total : null);
      total += count;
      if (count < buffer.byteLength) break;
    }
    return total;
  };
  const each = name === 'readv' ? fs.read : fs.write;
  fs[name] = (fd, buffers, position, given) => {
    const done = callbackOf(given ?? position);
    let total = 0;
    const step = (i) => {
      if (i === buffers.length) return done(null, total, buffers);
      const buffer = buffers[i];
      return each(fd, buffer, 0, buffer.byteLength, typeof position === 'number' ? position + total : null, (error, count) => {
        if (error) return done(error);
        total += count;
        return step(count < buffer.byteLength ? buffers.length : i + 1);
      });
    };
    step(0);
  };
}
vectors('readv');
vectors('writev');
fs.truncateSync = function truncateSync(path, size = 0) {
  if (typeof path === 'number') return fs.ftruncateSync(path, size);
  const fd = fs.openSync(path, 'r+');
  try { return fs.ftruncateSync(fd, size); } finally { fs.closeSync(fd); }
};
fs.truncate = function truncate(path, size, given) {
  const done = callbackOf(typeof size === 'function' ? size : given);
  const length = typeof size === 'number' ? size : 0;
  if (typeof path === 'number') return fs.ftruncate(path, length, done);
  return fs.open(path, 'r+', (error, fd) => {
    if (error) return done(error);
    return fs.ftruncate(fd, length, (second) => fs.close(fd, (third) => done(second ?? third ?? null)));
  });
};
const nativeCall = (...args) => ({ ...calls.realpath(...args), syscall: 'realpath' });
fs.realpath.native = (path, options, done) => later(nativeCall(path, options), callbackOf(done ?? options));
fs.realpathSync.native = (path, options) => now(nativeCall(path, options));
fs._toUnixTimestamp = (time) => secondsOf(time, 'time');

Object.assign(fs, { Dirent, Stats, F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1 });
fs.constants = Object.freeze(Object.assign(Object.create(null), { UV_FS_SYMLINK_DIR: 1, UV_FS_SYMLINK_JUNCTION: 2, O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, UV_DIRENT_UNKNOWN: 0, UV_DIRENT_FILE: 1, UV_DIRENT_DIR: 2, UV_DIRENT_LINK: 3, UV_DIRENT_FIFO: 4, UV_DIRENT_SOCKET: 5, UV_DIRENT_CHAR: 6, UV_DIRENT_BLOCK: 7, EXTENSIONLESS_FORMAT_JAVASCRIPT: 0, EXTENSIONLESS_FORMAT_WASM: 1, S_IFMT: 61440, S_IFREG: 32768, S_IFDIR: 16384, S_IFCHR: 8192, S_IFBLK: 24576, S_IFIFO: 4096, S_IFLNK: 40960, S_IFSOCK: 49152, O_CREAT: 64, O_EXCL: 128, UV_FS_O_FILEMAP: 0, O_NOCTTY: 256, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536, O_NOATIME: 262144, O_NOFOLLOW: 131072, O_SYNC: 1052672, O_DSYNC: 4096, O_DIRECT: 16384, O_NONBLOCK: 2048, S_IRWXU: 448, S_IRUSR: 256, S_IWUSR: 128, S_IXUSR: 64, S_IRWXG: 56, S_IRGRP: 32, S_IWGRP: 16, S_IXGRP: 8, S_IRWXO: 7, S_IROTH: 4, S_IWOTH: 2, S_IXOTH: 1, F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1, UV_FS_COPYFILE_EXCL: 1, COPYFILE_EXCL: 1, UV_FS_COPYFILE_FICLONE: 2, COPYFILE_FICLONE: 2, UV_FS_COPYFILE_FICLONE_FORCE: 4, COPYFILE_FICLONE_FORCE: 4 }));
Object.defineProperty(fs, 'promises', { configurable: true, enumerable: true, get: () => builtins['fs/promises'] });
shelf.fsMade = { calls, fs };
builtins.fs = fs;
shelf.load('fs_trees');
