// SPDX-License-Identifier: Apache-2.0
// node:child_process, part 1: a child process and the checks of its arguments, over the natives of
// lang/script/world. Its pipes are sockets of node:net.
'use strict';
shelf.load('fs_calls');
shelf.load('net_socket');
shelf.load('child_channel');
const { base, builtins, process, signals } = shelf;
const { natives, coded, argumentType, argumentValue, checks, outOfRange } = base;
const { Handle } = shelf.netHandle;
const { Socket } = shelf.netSocket;
const EventEmitter = builtins.events;

const names = {};
for (const name of Object.keys(signals)) names[signals[name]] ??= name;

// ---- Checks ----

const isInt32 = (value) => value === (value | 0);
function checkNulls(value, name) {
  if (typeof value === 'string' && value.includes('\0')) throw argumentValue(name, value, 'must be a string without null bytes');
}
function checkArray(value, name) {
  if (!Array.isArray(value)) throw argumentType(name, 'Array', value);
}
function checkOptions(value, name = 'options') {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw argumentType(name, 'Object', value);
}
const unknownSignal = (signal) => coded(TypeError, 'ERR_UNKNOWN_SIGNAL', `Unknown signal: ${signal}`);
function signalOf(signal) {
  if (typeof signal === 'number' && names[signal] !== undefined) return signal;
  const found = typeof signal === 'string' ? signals[signal.toUpperCase()] : undefined;
  if (found === undefined) throw unknownSignal(signal);
  return found;
}
function killSignalOf(signal) {
  if (signal === undefined || signal === null) return undefined;
  if (typeof signal !== 'string' && typeof signal !== 'number') throw argumentType('options.killSignal', ['string', 'number'], signal);
  return signalOf(signal);
}
function checkTimeout(timeout) {
  if (timeout !== undefined && timeout !== null && !(Number.isInteger(timeout) && timeout >= 0)) throw outOfRange('timeout', 'an unsigned integer', timeout);
}
function pathOf(path, name) {
  const made = path instanceof shelf.globals.URL ? builtins.url.fileURLToPath(path) : path instanceof Uint8Array ? new shelf.globals.TextDecoder().decode(path) : path;
  if (typeof made !== 'string') throw argumentType(name, ['string', 'Buffer', 'URL'], path);
  if (made.includes('\0')) throw argumentValue(name, path, 'must be a string, Uint8Array, or URL without null bytes');
  return made;
}
const optionTypes = [
  ['detached', ['boolean']], ['uid', 'int32'], ['gid', 'int32'], ['shell', ['boolean', 'string']], ['argv0', ['string']],
  ['windowsHide', ['boolean']], ['windowsVerbatimArguments', ['boolean']],
];
function checkTypes(options) {
  for (const [name, types] of optionTypes) {
    const value = options[name];
    if (value === undefined || value === null) continue;
    if (types === 'int32' ? !isInt32(value) : !types.includes(typeof value)) throw argumentType(`options.${name}`, types, value);
  }
  checkNulls(options.argv0, 'options.argv0');
  checkNulls(options.shell, 'options.shell');
}
// What the prototype of env has counts too.
function environmentOf(env) {
  const made = [];
  for (const name in env) {
    const value = env[name];
    if (value === undefined) continue;
    checkNulls(name, `options.env['${name}']`);
    checkNulls(value, `options.env['${name}']`);
    made.push(`${name}=${value}`);
  }
  return made;
}
// The arguments of all that start a program, as the options of ChildProcess.spawn.
function normalized(file, given, rest) {
  checks.isString(file, 'file');
  checkNulls(file, 'file');
  if (file.length === 0) throw argumentValue('file', file, 'cannot be empty');
  const isList = Array.isArray(given) || given === undefined || given === null;
  if (!isList && typeof given !== 'object') throw argumentType('args', 'object', given);
  const list = Array.isArray(given) ? [...given] : [];
  list.forEach((one, i) => checkNulls(one, `args[${i}]`));
  const wanted = isList ? rest : given;
  if (wanted !== undefined) checkOptions(wanted);
  const options = { __proto__: null, ...wanted };
  const cwd = options.cwd === undefined || options.cwd === null ? undefined : pathOf(options.cwd, 'options.cwd');
  checkTypes(options);
  let [program, args] = [file, list];
  if (options.shell) {
    program = typeof options.shell === 'string' ? options.shell : '/bin/sh';
    args = ['-c', [file, ...list].join(' ')];
  }
  return { __proto__: null, ...options, args: [options.argv0 ?? program, ...args], cwd, detached: Boolean(options.detached), envPairs: environmentOf(options.env || process.env), file: program };
}

// ---- Streams of a child ----

const error = (number, syscall) => {
  const { code } = shelf.fsCalls.systemError(number, syscall);
  return Object.assign(new Error(`${syscall} ${code}`), { errno: number, code, syscall });
};
const listOf = (stdio) => {
  if (typeof stdio !== 'string') {
    if (!Array.isArray(stdio)) throw argumentValue('stdio', stdio);
    return [...stdio, ...Array(Math.max(0, 3 - stdio.length)).fill(undefined)];
  }
  if (stdio !== 'pipe' && stdio !== 'overlapped' && stdio !== 'ignore' && stdio !== 'inherit') throw argumentValue('stdio', stdio);
  return [stdio, stdio, stdio];
};
// For each number of the child: {kind: pipe, ipc, ignore, inherit or fd}.
function streamsOf(stdio, isSync) {
  let hasChannel = false;
  return listOf(stdio).map((one, i) => {
    if (one === undefined || one === null) return { kind: i < 3 ? 'pipe' : 'ignore' };
    if (one === 'pipe' || one === 'overlapped') return { kind: 'pipe' };
    if (one === 'ignore' || one === 'inherit') return { kind: one };
    if (one === 'ipc') {
      if (isSync) throw coded(Error, 'ERR_IPC_SYNC_FORK', 'IPC cannot be used with synchronous forks');
      if (hasChannel) throw coded(Error, 'ERR_IPC_ONE_PIPE', 'Child process can have only one IPC pipe');
      hasChannel = true;
      return { kind: 'ipc' };
    }
    const fd = typeof one === 'number' ? one : one.fd;
    if (typeof fd === 'number' && !(one instanceof Socket)) return fd < 0 ? { kind: 'pipe' } : { kind: 'fd', fd };
    if (isSync && (ArrayBuffer.isView(one) || typeof one === 'string')) return { kind: 'pipe', input: one };
    if (ArrayBuffer.isView(one) || typeof one === 'string') throw coded(TypeError, 'ERR_INVALID_SYNC_FORK_INPUT', `Asynchronous forks do not support Buffer, TypedArray, DataView or string input: ${shelf.inspect(one)}`);
    throw argumentValue('stdio', one);
  });
}
// What natives.childStart is told of each.
const letterOf = (stream) => {
  switch (stream.kind) {
    case 'pipe': case 'ipc': return stream.far === undefined ? 'n' : `p${stream.far}`;
    case 'fd': return `${stream.fd}`;
    default: return stream.kind === 'inherit' ? 'i' : 'n';
  }
};
const terminated = (list) => list.map((one) => `${one}\0`).join('');
// The arguments of natives.childStart and childRun behind the id.
const planOf = (how, streams) => [how.file, how.args[0] ?? how.file, terminated(how.args.slice(1)), terminated(how.envPairs ?? environmentOf(process.env)),
  how.cwd ?? process.cwd(), terminated(streams.map(letterOf)), how.detached ?? false, how.uid ?? -1, how.gid ?? -1];

// ---- A child ----

class ChildProcess extends EventEmitter {
  #id;  // while it runs
  constructor() {
    super();
    Object.assign(this, { _closesNeeded: 1, _closesGot: 0, connected: false, signalCode: null, exitCode: null, killed: false, spawnfile: null });
    const channel = builtins.diagnostics_channel.channel('child_process');
    if (channel.hasSubscribers) channel.publish({ process: this });
  }
  spawn(given) {
    checkOptions(given);
    const how = { __proto__: null, ...given };
    const streams = streamsOf(how.stdio || 'pipe', false);
    if (how.serialization !== undefined && how.serialization !== 'json' && how.serialization !== 'advanced') throw argumentValue('options.serialization', how.serialization, "must be one of: undefined, 'json', 'advanced'");
    const channel = streams.findIndex((one) => one.kind === 'ipc');
    if (channel >= 0) {
      if (how.envPairs !== undefined) checkArray(how.envPairs, 'options.envPairs');
      how.envPairs = [...how.envPairs ?? environmentOf(process.env), `NODE_CHANNEL_FD=${channel}`, `NODE_CHANNEL_SERIALIZATION_MODE=${how.serialization ?? 'json'}`];
    }
    checks.isString(how.file, 'options.file');
    if (how.args !== undefined) checkArray(how.args, 'options.args');
    this.spawnfile = how.file;
    this.spawnargs = how.args ?? [];
    how.args = this.spawnargs;
    const status = this.#start(how, streams);
    this.#open(streams);
    if (channel >= 0 && streams[channel].handle.failure === 0) shelf.openChannel(this, streams[channel].handle, how.serialization ?? 'json');
    return status;
  }
  // 0, or a negative error that is told as an event.
  #start(how, streams) {
    let status = 0;
    for (const stream of streams) {
      if (stream.kind !== 'pipe' && stream.kind !== 'ipc') continue;
      stream.handle = Handle.pair();
      stream.far = stream.handle.far;
      if (stream.handle.failure < 0) status = stream.handle.failure;
    }
    const id = shelf.expect((code, signal) => this.#end(code, Number(signal)), true);
    const started = natives.childStart(id, ...planOf(how, streams));
    if (typeof started === 'string') throw base.denied(started, 'child', how.file);
    if (status === 0 && started < 0) status = started;
    if (status < 0) {
      shelf.forget(id);
      shelf.nextTick(() => this.#fail(status));
      return status;
    }
    this.#id = id;
    this.pid = started;
    shelf.nextTick(() => this.emit('spawn'));
    return 0;
  }
  #open(streams) {
    const hasStarted = this.#id !== undefined;
    this.stdio = streams.map((stream, i) => {
      if (stream.kind === 'ipc') {
        this._closesNeeded += 1;
        return null;
      }
      if (stream.kind !== 'pipe') return null;
      const socket = new Socket({ handle: hasStarted ? stream.handle : undefined, readable: i > 0 });
      if (!hasStarted && stream.handle.failure === 0) stream.handle.close();
      if (i > 0 && hasStarted) {
        this._closesNeeded += 1;
        socket.on('close', () => this._maybeClose());
      }
      return socket;
    });
    [this.stdin, this.stdout, this.stderr] = this.stdio;
  }
  #end(code, signal) {
    shelf.forget(this.#id);
    this.#id = undefined;
    if (signal !== 0) this.signalCode = names[signal] ?? `SIG${signal}`;
    else this.exitCode = code;
    this.stdin?.destroy();
    this.emit('exit', this.exitCode, this.signalCode);
    // What is in a pipe that nobody reads is dropped, so that 'close' comes.
    shelf.nextTick(() => { for (const stream of this.stdio) if (stream?.readable) stream.resume(); });
    this._maybeClose();
  }
  #fail(status) {
    this.exitCode = status;
    this.stdin?.destroy();
    const why = Object.assign(error(status, `spawn ${this.spawnfile}`), { path: this.spawnfile, spawnargs: this.spawnargs.slice(1) });
    why.stack = `Error: ${why.message}`;
    this.emit('error', why);
    for (const stream of this.stdio) stream?.destroy();
    this._maybeClose();
  }
  _maybeClose() {
    this._closesGot += 1;
    if (this._closesGot === this._closesNeeded) this.emit('close', this.exitCode, this.signalCode);
  }
  kill(signal = 'SIGTERM') {
    const number = signal === 0 ? 0 : signalOf(signal);
    if (this.#id === undefined) return false;
    const status = natives.childKill(this.#id, number);
    if (status === 0) {
      this.killed = true;
      return true;
    }
    if (status === -22 || status === -38) throw error(status, 'kill');
    if (status !== -3) this.emit('error', error(status, 'kill'));
    return false;
  }
  ref() { if (this.#id !== undefined) natives.childRefer(this.#id, true); }
  unref() { if (this.#id !== undefined) natives.childRefer(this.#id, false); }
  [Symbol.dispose]() { if (!this.killed) this.kill(); }
}

function abort(child, killSignal, reason) {
  try {
    if (child.kill(killSignal)) child.emit('error', shelf.abortError({ reason }));
  } catch (why) {
    child.emit('error', why);
  }
}
function spawn(file, args, options) {
  base.permit('child', `${file}`);
  const how = normalized(file, args, options);
  checkTimeout(how.timeout);
  if (how.signal !== undefined) shelf.checkSignal(how.signal, 'options.signal');
  const killSignal = killSignalOf(how.killSignal);
  const child = new ChildProcess();
  child.spawn(how);
  if (how.timeout > 0) {
    const timer = shelf.setTimeout(() => { try { child.kill(killSignal); } catch (why) { child.emit('error', why); } }, how.timeout);
    child.once('exit', () => shelf.clearTimeout(timer));
  }
  if (how.signal !== undefined) {
    const { signal } = how;
    const onAbort = () => abort(child, killSignal, signal.reason);
    if (signal.aborted) shelf.nextTick(onAbort);
    else {
      signal.addEventListener('abort', onAbort, { once: true });
      child.once('exit', () => signal.removeEventListener('abort', onAbort));
    }
  }
  return child;
}

// A script of this program, with a channel.
function fork(path, ...rest) {
  const file = pathOf(path, 'modulePath');
  let [args, options] = rest;
  if (args === undefined || args === null) args = [];
  else if (typeof args === 'object' && !Array.isArray(args)) [args, options] = [[], args];
  else checkArray(args, 'args');
  if (options !== undefined && options !== null) checkOptions(options);
  const how = { __proto__: null, ...options, shell: false };
  const program = how.execPath || process.execPath;
  checkNulls(program, 'options.execPath');
  const own = how.execArgv || process.execArgv;
  own.forEach((one, i) => checkNulls(one, `options.execArgv[${i}]`));
  if (typeof how.stdio === 'string') how.stdio = [...listOf(how.stdio), 'ipc'];
  else if (!Array.isArray(how.stdio)) how.stdio = [...listOf(how.silent ? 'pipe' : 'inherit'), 'ipc'];
  else if (!how.stdio.includes('ipc')) throw coded(Error, 'ERR_CHILD_PROCESS_IPC_REQUIRED', "Forked processes must have an IPC channel, missing value 'ipc' in options.stdio");
  return spawn(program, [...own, file, ...args], how);
}

shelf.childProcess = { ChildProcess, spawn, fork, normalized, streamsOf, planOf, error, names, checkNulls, checkTimeout, killSignalOf };
shelf.load('child_process_run');
const { exec, execFile, execFileSync, execSync, spawnSync } = shelf.childProcess;
builtins.child_process = { _forkChild() {}, ChildProcess, exec, execFile, execFileSync, execSync, fork, spawn, spawnSync };
