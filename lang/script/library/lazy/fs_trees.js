// SPDX-License-Identifier: Apache-2.0
// node:fs, what takes several calls: rm, cp, recursive readdir and rmdir, opendir, and streams. Each
// is a generator of calls, which runs with Sync calls or with awaited ones.
'use strict';
const { base, builtins } = shelf;
const { coded, argumentType } = base;
const { calls, fs } = shelf.fsMade;
const { callbackOf, now, optionsOf, pathOf, promised } = shelf.fsCalls;

// ---- Running a generator of calls ----

function runNow(steps) {
  let step = steps.next();
  while (!step.done) {
    let value;
    try { value = now(step.value); } catch (error) {
      step = steps.throw(error);
      continue;
    }
    step = steps.next(value);
  }
  return step.value;
}
async function runLater(steps) {
  let step = steps.next();
  while (!step.done) {
    let value;
    try { value = await (typeof step.value.then === 'function' ? step.value : promised(step.value)); } catch (error) {
      step = steps.throw(error);
      continue;
    }
    step = steps.next(value);
  }
  return step.value;
}
function define(name, make) {
  fs[`${name}Sync`] = { [`${name}Sync`](...args) { return runNow(make(...args)); } }[`${name}Sync`];
  fs[name] = { [name](...args) {
    const done = callbackOf(args.pop());
    runLater(make(...args)).then((value) => (value === undefined ? shelf.nextTick(done, null) : shelf.nextTick(done, null, value)), (error) => shelf.nextTick(done, error));
  } }[name];
}

// Of a file that is of the wrong kind: message: SYSCALL returned CODE (reason) path.
function systemKindError(key, message, info) {
  const text = `${message}: ${info.syscall} returned ${info.code} (${info.message})${info.path === undefined ? '' : ` ${info.path}`}${info.dest === undefined ? '' : ` => ${info.dest}`}`;
  const error = new Error(text);
  Object.defineProperty(error, 'name', { value: 'SystemError', configurable: true, writable: true, enumerable: false });
  error.stack = String(error.stack).replace(/^\w+/, `SystemError [${key}]`);
  Object.assign(error, { code: key, info, errno: info.errno, syscall: info.syscall, path: info.path });
  if (info.dest !== undefined) error.dest = info.dest;
  return error;
}

// ---- rm, and rmdir of a tree ----

function* rm(path, options = {}) {
  const target = pathOf(path);
  base.checks.isObject(options, 'options');
  for (const name of ['force', 'recursive']) if (options[name] !== undefined) base.checks.isBoolean(options[name], `options.${name}`);
  let found;
  try { found = yield calls.lstat(target); } catch (error) {
    if (options.force && error.code === 'ENOENT') return undefined;
    throw error;
  }
  if (!found.isDirectory()) {
    yield calls.unlink(target);
  } else if (options.recursive) {
    yield { verb: 'removeTree', syscall: 'rm', path: target };
  } else {
    throw systemKindError('ERR_FS_EISDIR', 'Path is a directory', { code: 'EISDIR', message: 'is a directory', path: target, syscall: 'rm', errno: 21 });
  }
  return undefined;
}
define('rm', rm);
const { rmdir, rmdirSync } = fs;
fs.rmdirSync = function rmdirSync_(path, options) { return options?.recursive ? fs.rmSync(path, { recursive: true }) : rmdirSync(path); };
fs.rmdir = function rmdir_(path, options, done) {
  if (typeof options === 'function') return rmdir(path, options);
  return options?.recursive ? fs.rm(path, { recursive: true }, done) : rmdir(path, done);
};
Object.defineProperty(fs.rmdirSync, 'name', { value: 'rmdirSync' });
Object.defineProperty(fs.rmdir, 'name', { value: 'rmdir' });

// ---- readdir of a tree: directory by directory, as Node ----

function* readTree(path, options) {
  const root = pathOf(path);
  const made = [];
  const folders = [''];
  for (let i = 0; i < folders.length; i += 1) {
    const below = folders[i];
    const folder = below === '' ? root : builtins.path.join(root, below);
    for (const entry of yield calls.readdir(folder, { withFileTypes: true })) {
      const name = below === '' ? entry.name : builtins.path.join(below, entry.name);
      made.push(options.withFileTypes ? entry : name);
      if (entry.isDirectory()) folders.push(name);
    }
  }
  return made;
}
const { readdir, readdirSync } = fs;
fs.readdirSync = { readdirSync(path, options) { return optionsOf(options, {}).recursive ? runNow(readTree(path, optionsOf(options, {}))) : readdirSync(path, options); } }.readdirSync;
fs.readdir = { readdir(path, options, done) {
  if (typeof options === 'function' || !optionsOf(options, {}).recursive) return readdir(path, options, ...(done === undefined ? [] : [done]));
  callbackOf(done);
  return runLater(readTree(path, optionsOf(options, {}))).then((value) => shelf.nextTick(done, null, value), (error) => shelf.nextTick(done, error));
} }.readdir;

// ---- cp ----

const copyError = (key, message, code, errno, reason, path) => systemKindError(key, message, { message: reason, path, syscall: 'cp', errno, code });
function* copyTree(from, to, options, isFirst) {
  if (options.filter !== undefined) {
    const answer = options.filter(from, to);
    const isWanted = answer !== null && typeof answer === 'object' && typeof answer.then === 'function' ? yield answer : answer;
    if (!isWanted) return;
  }
  const source = yield (options.dereference ? calls.stat(from) : calls.lstat(from));
  let there;
  try { there = yield (options.dereference ? calls.stat(to) : calls.lstat(to)); } catch (error) { if (error.code !== 'ENOENT') throw error; }
  if (there !== undefined && there.ino === source.ino && there.dev === source.dev) throw copyError('ERR_FS_CP_EINVAL', 'Invalid src or dest', 'EINVAL', 22, 'src and dest cannot be the same', to);
  if (source.isDirectory()) {
    if (there !== undefined && !there.isDirectory()) throw copyError('ERR_FS_CP_DIR_TO_NON_DIR', 'Cannot overwrite non-directory with directory', 'EISDIR', 21, `cannot overwrite non-directory ${to} with directory ${from}`, to);
    if (!options.recursive) throw copyError('ERR_FS_EISDIR', 'Recursive option not enabled, cannot copy a directory', 'EISDIR', 21, `${from} is a directory (not copied)`, to);
    if (isFirst && `${builtins.path.resolve(to)}/`.startsWith(`${builtins.path.resolve(from)}/`)) throw copyError('ERR_FS_CP_EINVAL', 'Invalid src or dest', 'EINVAL', 22, `cannot copy ${from} to a subdirectory of self ${to}`, to);
    if (there === undefined) yield calls.mkdir(to, { recursive: isFirst, mode: source.mode & 0o7777 });
    for (const entry of yield calls.readdir(from)) yield* copyTree(builtins.path.join(from, entry), builtins.path.join(to, entry), options, false);
    return;
  }
  if (there?.isDirectory()) throw copyError('ERR_FS_CP_NON_DIR_TO_DIR', 'Cannot overwrite directory with non-directory', 'ENOTDIR', 20, `cannot overwrite directory ${to} with non-directory ${from}`, to);
  if (isFirst && there === undefined) yield calls.mkdir(builtins.path.dirname(builtins.path.resolve(to)), { recursive: true });
  if (there !== undefined) {
    if (options.errorOnExist && !options.force) throw copyError('ERR_FS_CP_EEXIST', 'Target already exists', 'EEXIST', 17, `${to} already exists`, to);
    if (!options.force) return;
    yield calls.unlink(to);
  }
  if (source.isSymbolicLink()) {
    const target = yield calls.readlink(from);
    yield calls.symlink(options.verbatimSymlinks ? target : builtins.path.resolve(builtins.path.dirname(from), target), to);
    return;
  }
  yield calls.copyFile(from, to, options.mode ?? 0);
  if (options.preserveTimestamps) yield calls.utimes(to, source.atime, source.mtime);
}
function cp(from, to, options) {
  const how = { dereference: false, errorOnExist: false, force: true, preserveTimestamps: false, recursive: false, ...options };
  return copyTree(pathOf(from, 'src'), pathOf(to, 'dest'), how, true);
}
define('cp', cp);

// ---- opendir ----

class Dir {
  #path; #entries; #isClosed = false;
  constructor(path, entries) { this.#path = path; this.#entries = entries; }
  get path() { return this.#path; }
  #check() { if (this.#isClosed) throw coded(Error, 'ERR_DIR_CLOSED', 'Directory handle was closed'); }
  readSync() { this.#check(); return this.#entries.shift() ?? null; }
  read(done) {
    if (done === undefined) return new Promise((resolve) => { resolve(this.readSync()); });
    callbackOf(done);
    this.#check();
    return shelf.nextTick(done, null, this.readSync());
  }
  closeSync() { this.#check(); this.#isClosed = true; }
  close(done) {
    if (done === undefined) return new Promise((resolve) => { resolve(this.closeSync()); });
    callbackOf(done);
    this.closeSync();
    return shelf.nextTick(done, null);
  }
  async* entries() {
    try { for (let entry = await this.read(); entry !== null; entry = await this.read()) yield entry; } finally { if (!this.#isClosed) this.closeSync(); }
  }
}
Dir.prototype[Symbol.asyncIterator] = Dir.prototype.entries;
function* opendir(path, options) {
  const folder = pathOf(path);
  const how = optionsOf(options, {});
  const step = { ...calls.readdir(folder, { withFileTypes: true }), syscall: 'opendir' };
  const entries = how.recursive ? yield* readTree(folder, { withFileTypes: true }) : yield step;
  return new Dir(folder, entries);
}
define('opendir', opendir);
fs.Dir = Dir;

// ---- Streams: made of the module stream, where it is there ----

function streamParts() {
  const found = builtins.stream;
  if (found === undefined) throw coded(Error, 'ERR_UNKNOWN_BUILTIN_MODULE', "fs streams need the module 'stream', which this gyre does not have");
  return found;
}
function openFor(stream, path, options, flags) {
  if (typeof options.fd === 'number') { stream.fd = options.fd; return (done) => done(null); }
  stream.path = pathOf(path);
  stream.flags = options.flags ?? flags;
  return (done) => fs.open(stream.path, stream.flags, options.mode ?? 0o666, (error, fd) => {
    if (error) return done(error);
    stream.fd = fd;
    done(null);
    stream.emit('open', fd);
    return stream.emit('ready');
  });
}
const closing = (stream, options) => (error, done) => {
  const { fd } = stream;
  stream.fd = null;
  if (typeof fd !== 'number' || options.autoClose === false) return done(error);
  return fs.close(fd, (second) => { done(error ?? second ?? null); });
};
fs.createReadStream = function createReadStream(path, given) {
  const { Readable } = streamParts();
  const options = optionsOf(given, { highWaterMark: 65536, autoClose: true, emitClose: true });
  const { end = Infinity } = options;
  let at = options.start;
  if (options.start !== undefined && typeof options.start !== 'number') throw argumentType('start', 'number', options.start);
  if (options.start > end) throw base.outOfRange('start', `<= "end" (here: ${end})`, options.start);
  let left = end === Infinity ? Infinity : end - (at ?? 0) + 1;
  const stream = new Readable({
    highWaterMark: options.highWaterMark, encoding: options.encoding, emitClose: options.emitClose, signal: options.signal, autoDestroy: options.autoClose,
    construct(done) { open(done); },
    read(size) {
      const count = Math.min(size, left);
      if (count <= 0) { stream.push(null); return; }
      const into = shelf.fsCalls.toBuffer(new Uint8Array(count));
      fs.read(stream.fd, into, 0, count, at ?? null, (error, read) => {
        if (error) { stream.destroy(error); return; }
        if (at !== undefined) at += read;
        left -= read;
        stream.bytesRead += read;
        stream.push(read === 0 ? null : into.subarray(0, read));
      });
    },
    destroy(error, done) { closing(stream, options)(error, done); },
  });
  const open = openFor(stream, path, options, 'r');
  Object.assign(stream, { bytesRead: 0, mode: options.mode ?? 0o666, start: options.start, end });
  Object.setPrototypeOf(stream, ReadStream.prototype);
  return stream;
};
fs.createWriteStream = function createWriteStream(path, given) {
  const { Writable } = streamParts();
  const options = optionsOf(given, { autoClose: true, emitClose: true });
  let at = options.start;
  const put = (bytes, done) => fs.write(stream.fd, bytes, 0, bytes.byteLength, at ?? null, (error, count) => {
    if (error) return done(error);
    if (at !== undefined) at += count;
    stream.bytesWritten += count;
    return done();
  });
  const stream = new Writable({
    highWaterMark: options.highWaterMark, emitClose: options.emitClose, signal: options.signal, autoDestroy: options.autoClose, decodeStrings: true,
    defaultEncoding: options.encoding ?? 'utf8',
    construct(done) { open(done); },
    write(chunk, encoding, done) { put(chunk, done); },
    destroy(error, done) { closing(stream, options)(error, done); },
  });
  const open = openFor(stream, path, options, 'w');
  Object.assign(stream, { bytesWritten: 0, mode: options.mode ?? 0o666, start: options.start });
  Object.setPrototypeOf(stream, WriteStream.prototype);
  return stream;
};
function ReadStream(path, options) { return fs.createReadStream(path, options); }
function WriteStream(path, options) { return fs.createWriteStream(path, options); }
const close = { close(done) {
  if (typeof done === 'function') this.once('close', done);
  this.destroy?.();
} }.close;
if (builtins.stream !== undefined) {
  Object.setPrototypeOf(ReadStream.prototype, builtins.stream.Readable.prototype);
  Object.setPrototypeOf(WriteStream.prototype, builtins.stream.Writable.prototype);
}
for (const made of [ReadStream, WriteStream]) {
  made.prototype.close = close;
  Object.defineProperty(made.prototype, 'pending', { configurable: true, get() { return this.fd === null || this.fd === undefined; } });
}
Object.assign(fs, { ReadStream, WriteStream, FileReadStream: ReadStream, FileWriteStream: WriteStream });
shelf.load('fs_watch');
shelf.fsTrees = { cp, opendir, readTree, rm, runLater };
