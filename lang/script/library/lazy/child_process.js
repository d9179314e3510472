// SPDX-License-Identifier: Apache-2.0
// node:child_process: spawn, exec, execFile and fork's absence, over the natives of lang/script/world.
'use strict';
shelf.load('fs_calls');
const { base, builtins, process, signals } = shelf;
const { natives, coded, argumentType, argumentValue } = base;
const { Readable, Writable } = builtins.stream;

const names = {};
for (const name of Object.keys(signals)) names[signals[name]] ??= name;
const wait = (start) => new Promise((resolve) => { start(shelf.expect((number, text, id) => resolve([number, id]))); });

// ---- The pipes ----

function reader(id, which) {
  return new Readable({
    read() {
      wait((done) => natives.childRead(done, id, which)).then(([number, done]) => {
        if (number < 0) { this.destroy(shelf.fsCalls.systemError(number, 'read')); return; }
        if (number === 0) { this.push(null); return; }
        const bytes = new Uint8Array(number);
        natives.childTake(done, bytes);
        this.push(shelf.fsCalls.toBuffer(bytes));
      });
    },
  });
}
function writer(id) {
  const put = (bytes, done) => wait((one) => natives.childWrite(one, id, bytes)).then(([number]) => done(number < 0 ? shelf.fsCalls.systemError(number, 'write') : null));
  return new Writable({
    decodeStrings: true,
    write(chunk, encoding, done) { put(chunk, done); },
    final(done) { put(undefined, () => done()); },
    destroy(error, done) { put(undefined, () => done(error)); },
  });
}

class ChildProcess extends builtins.events {
  #id;
  #left = 1;  // what has not ended: the process, and its pipes that are read
  constructor() {
    super();
    Object.assign(this, { stdin: null, stdout: null, stderr: null, stdio: [null, null, null], pid: undefined, connected: false, signalCode: null, exitCode: null, killed: false, spawnfile: null, spawnargs: [] });
  }
  spawn(how) {
    Object.assign(this, { spawnfile: how.file, spawnargs: how.args });
    this.#id = shelf.expect((number, text) => this.#take(number, text, how), true);
    natives.childStart(this.#id, how.file, how.args.slice(1).map((one) => `${one}\0`).join(''), how.environment, how.folder, how.streams, how.isDetached);
    if (how.streams[0] === 'p') this.stdin = writer(this.#id);
    if (how.streams[1] === 'p') this.stdout = this.#watch(reader(this.#id, 1));
    if (how.streams[2] === 'p') this.stderr = this.#watch(reader(this.#id, 2));
    this.stdio = [this.stdin, this.stdout, this.stderr];
  }
  #watch(stream) {
    this.#left += 1;
    stream.once('close', () => this.#endOne());
    return stream;
  }
  #endOne() {
    this.#left -= 1;
    if (this.#left > 0) return;
    natives.childDrop(this.#id);
    this.emit('close', this.exitCode, this.signalCode);
  }
  #take(number, text, how) {
    if (text[0] === 'S') {
      this.pid = number;
      this.emit('spawn');
      return;
    }
    shelf.forget(this.#id);
    this.stdin?.destroy();
    if (text[0] === 'C') {
      const signal = Number(text.slice(1));
      this.signalCode = signal === 0 ? null : names[signal] ?? `SIG${signal}`;
      this.exitCode = signal === 0 ? number : null;
      this.emit('exit', this.exitCode, this.signalCode);
      // What is in a pipe that nobody reads is dropped, so that 'close' comes.
      for (const stream of [this.stdout, this.stderr]) if (stream !== null && stream.readableFlowing === null && stream.listenerCount('readable') === 0) stream.resume();
    } else {
      const error = text[0] === 'P' ? base.denied(text.slice(1), 'child', how.file) : shelf.fsCalls.systemError(number, `spawn ${how.file}`, undefined);
      if (text[0] !== 'P') Object.assign(error, { message: `spawn ${how.file} ${error.code}`, path: how.file, spawnargs: how.args.slice(1) });
      error.stack = `Error: ${error.message}`;
      this.exitCode = number;
      this.emit('error', error);
      this.stdout?.destroy();
      this.stderr?.destroy();
    }
    this.#endOne();
  }
  kill(signal = 'SIGTERM') {
    const number = typeof signal === 'number' ? signal : signals[signal];
    if (number === undefined) throw coded(TypeError, 'ERR_UNKNOWN_SIGNAL', `Unknown signal: ${signal}`);
    if (this.#id === undefined || natives.childKill(this.#id, number) !== 0) return false;
    if (number !== 0) this.killed = true;
    return true;
  }
  ref() {}
  unref() {}
  [Symbol.dispose]() { if (!this.killed) this.kill(); }
}

// ---- Arguments ----

const letters = { pipe: 'p', overlapped: 'p', ignore: 'n', inherit: 'i' };
function streamsOf(stdio) {
  const list = typeof stdio === 'string' ? [stdio, stdio, stdio] : stdio ?? ['pipe', 'pipe', 'pipe'];
  if (!Array.isArray(list)) throw argumentValue('stdio', stdio, 'is invalid');
  return [0, 1, 2].map((i) => {
    const one = list[i] ?? 'pipe';
    if (one === i || one === process[['stdin', 'stdout', 'stderr'][i]]) return 'i';
    const letter = typeof one === 'string' ? letters[one] : undefined;
    if (letter === undefined) throw argumentValue('stdio', one, 'is not there: pipe, ignore and inherit are');
    return letter;
  }).join('');
}
function normalized(file, given, options) {
  base.checks.isString(file, 'file');
  if (file.length === 0) throw argumentValue('file', file, 'cannot be empty');
  const args = Array.isArray(given) ? given.map(String) : [];
  const how = (Array.isArray(given) || given === undefined || given === null ? options : given) ?? {};
  base.checks.isObject(how, 'options');
  if (how.cwd !== undefined && how.cwd !== null && typeof how.cwd !== 'string' && !(how.cwd instanceof shelf.globals.URL)) throw argumentType('options.cwd', ['string', 'URL'], how.cwd);
  let [program, list] = [file, [how.argv0 ?? file, ...args]];
  if (how.shell) {
    program = typeof how.shell === 'string' ? how.shell : '/bin/sh';
    list = [program, '-c', [file, ...args].join(' ')];
  }
  for (const one of [program, ...list]) if (one.includes('\0')) throw argumentValue('args', one, 'must be a string without null bytes');
  const variables = how.env ?? process.env;
  const environment = Object.keys(variables).filter((name) => variables[name] !== undefined).map((name) => `${name}=${variables[name]}\0`).join('');
  const folder = how.cwd === undefined || how.cwd === null ? process.cwd() : typeof how.cwd === 'string' ? how.cwd : builtins.url.fileURLToPath(how.cwd);
  return [{ file: program, args: list, environment, folder, streams: streamsOf(how.stdio), isDetached: Boolean(how.detached) }, how];
}
function watchLimits(child, how) {
  const { timeout, signal, killSignal = 'SIGTERM' } = how;
  if (timeout > 0) {
    const timer = shelf.setTimeout(() => child.kill(killSignal), timeout);
    child.once('exit', () => shelf.clearTimeout(timer));
  }
  if (signal === undefined) return;
  shelf.checkSignal(signal, 'options.signal');
  const onAbort = () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(killSignal);
    child.emit('error', shelf.abortError(signal));
  };
  if (signal.aborted) shelf.nextTick(onAbort);
  else {
    signal.addEventListener('abort', onAbort, { once: true });
    child.once('exit', () => signal.removeEventListener('abort', onAbort));
  }
}
function spawn(file, args, options) {
  base.permit('child', `${file}`);
  const [how, given] = normalized(file, args, options);
  const child = new ChildProcess();
  child.spawn(how);
  watchLimits(child, given);
  return child;
}

// ---- execFile and exec: the output as a whole ----

function execFile(file, ...rest) {
  const done = typeof rest.at(-1) === 'function' ? rest.pop() : undefined;
  const args = Array.isArray(rest[0]) ? rest[0] : [];
  const options = { encoding: 'utf8', maxBuffer: 1024 * 1024, killSignal: 'SIGTERM', ...(Array.isArray(rest[0]) ? rest[1] : rest[0] ?? rest[1]) };
  const child = spawn(file, args, { ...options, stdio: undefined });
  const command = [file, ...args].join(' ');
  const collect = (stream, name) => {
    const parts = [];
    let size = 0;
    stream.on('data', (part) => {
      size += part.length;
      parts.push(part);
      if (size > options.maxBuffer && failure === null) {
        failure = coded(RangeError, 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER', `${name} maxBuffer length exceeded`);
        child.kill(options.killSignal);
      }
    });
    return () => {
      const bytes = shelf.fsCalls.toBuffer(new Uint8Array(size));
      let at = 0;
      for (const part of parts) { bytes.set(part, at); at += part.length; }
      const whole = size > options.maxBuffer ? bytes.subarray(0, options.maxBuffer) : bytes;
      return options.encoding === 'buffer' || !options.encoding ? whole : shelf.fsCalls.decoded(whole, options.encoding);
    };
  };
  let failure = null;
  const out = collect(child.stdout, 'stdout');
  const err = collect(child.stderr, 'stderr');
  let isOver = false;
  const finish = (error) => {
    if (isOver) return;
    isOver = true;
    done?.(error, out(), err());
  };
  child.on('error', (error) => finish(Object.assign(error, { cmd: command })));
  child.on('close', (code, signal) => {
    if (failure === null && code === 0 && signal === null) return finish(null);
    const error = failure ?? new Error(`Command failed: ${options.shown ?? command}\n${err()}`);
    if (failure === null) Object.assign(error, { code: code === null ? null : code, killed: child.killed, signal, cmd: options.shown ?? command });
    return finish(error);
  });
  return child;
}
function exec(command, options, done) {
  base.checks.isString(command, 'command');
  const how = typeof options === 'function' ? {} : options ?? {};
  return execFile(command, [], { ...how, shell: typeof how.shell === 'string' ? how.shell : true, shown: command }, typeof options === 'function' ? options : done);
}
const promisify = (run) => function promised(...args) {
  let child;
  const made = new Promise((resolve, reject) => {
    child = run(...args, (error, stdout, stderr) => {
      if (error === null) resolve({ stdout, stderr });
      else reject(Object.assign(error, { stdout, stderr }));
    });
  });
  made.child = child;
  return made;
};
for (const run of [exec, execFile]) Object.defineProperty(run, Symbol.for('nodejs.util.promisify.custom'), { value: promisify(run), configurable: true });
const absent = (name) => ({ [name]() { throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `child_process.${name} is not there: a child process would block the loop, or needs Node's own channel; use spawn, exec or execFile`); } }[name]);
builtins.child_process = { ChildProcess, exec, execFile, spawn, fork: absent('fork'), spawnSync: absent('spawnSync'), execSync: absent('execSync'), execFileSync: absent('execFileSync') };
