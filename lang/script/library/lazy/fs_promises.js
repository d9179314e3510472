// SPDX-License-Identifier: Apache-2.0
// node:fs/promises, and FileHandle.
'use strict';
const { base, builtins } = shelf;
const { fs } = builtins;
const { calls } = shelf.fsMade;
const { dataOf, optionsOf, promised } = shelf.fsCalls;
const { cp, opendir, readTree, rm, runLater } = shelf.fsTrees;

const abortError = (signal) => shelf.abortError?.(signal) ?? Object.assign(new Error('The operation was aborted', { cause: signal.reason }), { name: 'AbortError', code: 'ABORT_ERR' });
// A call with a signal: the abort ends the waiting; a call that has begun ends by itself.
function withSignal(signal, start) {
  if (signal === undefined) return start();
  if (signal.aborted) return Promise.reject(abortError(signal));
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(abortError(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    const done = (settle) => (value) => { signal.removeEventListener('abort', onAbort); settle(value); };
    start().then(done(resolve), done(reject));
  });
}

class FileHandle extends builtins.events {
  #fd;
  constructor(fd) { super(); this.#fd = fd; }
  get fd() { return this.#fd; }
  #run(make, ...args) {
    if (this.#fd < 0) {
      const error = Object.assign(new Error('file closed'), { code: 'EBADF', syscall: make });
      return Promise.reject(error);
    }
    return new Promise((resolve) => { resolve(promised(calls[make](this.#fd, ...args))); });
  }
  async appendFile(data, options) { return this.writeFile(data, options); }
  async chmod(mode) { return this.#run('fchmod', mode); }
  async chown(uid, gid) { return this.#run('fchown', uid, gid); }
  async datasync() { return this.#run('fdatasync'); }
  async sync() { return this.#run('fsync'); }
  async stat(options) { return this.#run('fstat', options); }
  async truncate(size = 0) { return this.#run('ftruncate', size); }
  async utimes(atime, mtime) { return this.#run('futimes', atime, mtime); }
  async read(buffer, ...rest) {
    const isView = ArrayBuffer.isView(buffer);
    const into = isView ? buffer : buffer?.buffer ?? shelf.fsCalls.toBuffer(new Uint8Array(16384));
    const bytesRead = await this.#run('read', into, ...(isView ? rest : [buffer ?? {}]));
    return { __proto__: null, bytesRead, buffer: into };
  }
  async readv(buffers, position) {
    let bytesRead = 0;
    for (const buffer of buffers) {
      const count = await this.#run('read', buffer, 0, buffer.byteLength, typeof position === 'number' ? position + bytesRead : null);
      bytesRead += count;
      if (count < buffer.byteLength) break;
    }
    return { __proto__: null, bytesRead, buffers };
  }
  async write(buffer, ...rest) {
    const bytesWritten = await this.#run('write', buffer, ...rest);
    return { __proto__: null, bytesWritten, buffer };
  }
  async writev(buffers, position) {
    let bytesWritten = 0;
    for (const buffer of buffers) bytesWritten += await this.#run('write', buffer, 0, buffer.byteLength, typeof position === 'number' ? position + bytesWritten : null);
    return { __proto__: null, bytesWritten, buffers };
  }
  async readFile(options) { return this.#run('readFile', options); }
  // The data may be an iterable of pieces.
  async writeFile(data, options) {
    if (!isPieces(data)) return this.#run('writeFile', data, options);
    const { encoding } = optionsOf(options, { encoding: 'utf8' });
    for await (const piece of data) await this.#run('write', dataOf(piece, encoding));
    return undefined;
  }
  async* readLines(options) {
    const text = await this.readFile({ encoding: 'utf8', ...options });
    const lines = text.split(/\r?\n/);
    if (lines.at(-1) === '') lines.pop();
    yield* lines;
  }
  createReadStream(options) { return fs.createReadStream('', { ...options, fd: this.#fd }); }
  createWriteStream(options) { return fs.createWriteStream('', { ...options, fd: this.#fd }); }
  readableWebStream() {
    const handle = this;
    return new shelf.globals.ReadableStream({
      type: 'bytes',
      async pull(controller) {
        const { bytesRead, buffer } = await handle.read(new Uint8Array(65536));
        if (bytesRead === 0) controller.close();
        else controller.enqueue(new Uint8Array(buffer.buffer, 0, bytesRead));
      },
    });
  }
  async close() {
    if (this.#fd < 0) return;
    const fd = this.#fd;
    this.#fd = -1;
    await promised(calls.close(fd));
    this.emit('close');
  }
  async [Symbol.asyncDispose]() { await this.close(); }
}
// Data of writeFile may be an iterable of pieces.
const isPieces = (data) => data !== null && typeof data === 'object' && !ArrayBuffer.isView(data) && (data[Symbol.asyncIterator] ?? data[Symbol.iterator]) !== undefined;

const promises = {};
for (const name of ['access', 'copyFile', 'rename', 'mkdir', 'readlink', 'symlink', 'lstat', 'stat', 'link', 'unlink', 'chmod', 'lchown', 'chown', 'utimes', 'lutimes', 'realpath', 'mkdtemp']) {
  promises[name] = { async [name](...args) { return promised(calls[name](...args)); } }[name];
}
Object.assign(promises, {
  async cp(from, to, options) { return runLater(cp(from, to, options)); },
  async open(path, flags, mode) { return new FileHandle(await promised(calls.open(path, flags, mode))); },
  async opendir(path, options) { return runLater(opendir(path, options)); },
  async truncate(path, size = 0) {
    const handle = await promises.open(path, 'r+');
    try { return await handle.truncate(size); } finally { await handle.close(); }
  },
  async rm(path, options) { return runLater(rm(path, options)); },
  async rmdir(path, options) { return options?.recursive ? runLater(rm(path, { recursive: true })) : promised(calls.rmdir(path)); },
  async readdir(path, options) { return optionsOf(options, {}).recursive ? runLater(readTree(path, optionsOf(options, {}))) : promised(calls.readdir(path, options)); },
  async readFile(path, options) {
    const { signal } = optionsOf(options, {});
    if (path instanceof FileHandle) return withSignal(signal, () => path.readFile(options));
    return withSignal(signal, () => promised(calls.readFile(path, options)));
  },
  async appendFile(path, data, options) {
    if (path instanceof FileHandle) return path.appendFile(data, options);
    return promises.writeFile(path, data, { flag: 'a', ...(typeof options === 'string' ? { encoding: options } : options) });
  },
  watch: (path, options) => shelf.fsWatched(path, options),
  constants: fs.constants,
});
async function pieces(path, data, options, flag, mode) {
  const handle = await promises.open(path, flag, mode);
  try { await handle.writeFile(data, options); } finally { await handle.close(); }
}
promises.writeFile = { async writeFile(path, data, options) {
  const { flag, mode, signal } = optionsOf(options, { flag: 'w' });
  return withSignal(signal, () => {
    if (path instanceof FileHandle) return path.writeFile(data, options);
    if (isPieces(data)) return pieces(path, data, options, flag, mode);
    return new Promise((resolve) => { resolve(promised(calls.writeFile(path, data, options))); });
  });
} }.writeFile;
builtins['fs/promises'] = promises;
