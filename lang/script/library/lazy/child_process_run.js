// SPDX-License-Identifier: Apache-2.0
// node:child_process, part 2: programs that run to their end, with their output: exec and execFile,
// and those that block the loop.
'use strict';
const { base, process, childProcess } = shelf;
const { natives, coded, argumentType, checks, outOfRange } = base;
const { spawn, normalized, streamsOf, planOf, names, checkNulls, checkTimeout, killSignalOf } = childProcess;

const defaultSize = 1024 * 1024;
function checkSize(size) {
  if (size !== undefined && size !== null && !(typeof size === 'number' && size >= 0)) throw outOfRange('options.maxBuffer', 'a positive number', size);
}
const isAbsent = (value) => value === undefined || value === null;

// ---- exec and execFile ----

// The arguments behind the file: a list, options and a callback, of which each may be left out.
function fileArguments(rest) {
  const left = [...rest];
  let [args, options] = [[], undefined];
  if (Array.isArray(left[0])) args = left.shift();
  else if (isAbsent(left[0])) left.shift();
  else if (typeof left[0] !== 'object' && typeof left[0] !== 'function') throw argumentType('args', 'object', left[0]);
  if (typeof left[0] === 'function') return { args, options: {}, done: left[0] };
  if (isAbsent(left[0])) left.shift();
  else {
    if (typeof left[0] !== 'object' || Array.isArray(left[0])) throw argumentType('options', 'object', left[0]);
    options = left.shift();
  }
  const [done] = left;
  if (!isAbsent(done)) checks.isFunction(done, 'callback');
  return { args, options: options ?? {}, done: done ?? undefined };
}

// What a stream gives, up to a size: characters of a text, bytes otherwise.
class Collected {
  #parts = [];
  #size = 0;
  constructor(stream, encoding, limit, onLimit) {
    this.encoding = encoding;
    if (stream === null) return;
    if (encoding !== undefined) stream.setEncoding(encoding);
    stream.on('data', (part) => {
      const size = stream.readableEncoding ? shelf.Buffer.byteLength(part, stream.readableEncoding) : part.length;
      const before = this.#size;
      this.#size += size;
      if (this.#size <= limit) {
        this.#parts.push(part);
        return;
      }
      this.#parts.push(part.slice(0, limit - before));
      onLimit();
    });
  }
  get value() {
    if (this.encoding !== undefined || (this.#parts.length > 0 && this.#parts.every((one) => typeof one === 'string'))) return this.#parts.join('');
    return shelf.Buffer.concat(this.#parts);
  }
}
function execFile(file, ...rest) {
  const { args, options: given, done } = fileArguments(rest);
  const options = { __proto__: null, encoding: 'utf8', timeout: 0, maxBuffer: defaultSize, killSignal: 'SIGTERM', cwd: null, env: null, shell: false, ...given };
  checkTimeout(options.timeout);
  checkSize(options.maxBuffer);
  options.killSignal = killSignalOf(options.killSignal) ?? 15;
  const child = spawn(file, args, { ...options, timeout: undefined, signal: undefined, stdio: undefined });
  const { encoding, maxBuffer } = options;
  const text = encoding !== 'buffer' && shelf.Buffer.isEncoding(encoding) ? encoding : undefined;
  const command = options.shown ?? [file, ...args].join(' ');
  let [failure, isOver, isKilled, timer] = [null, false, false, undefined];
  const kill = () => {
    child.stdout?.destroy();
    child.stderr?.destroy();
    isKilled = true;
    try { child.kill(options.killSignal); } catch (error) {
      failure ??= error;
      finish();
    }
  };
  const collect = (name) => new Collected(child[name], text, maxBuffer, () => {
    failure ??= coded(RangeError, 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER', `${name} maxBuffer length exceeded`);
    kill();
  });
  const [out, err] = [collect('stdout'), collect('stderr')];
  function finish(code = null, signal = null) {
    if (isOver) return;
    isOver = true;
    shelf.clearTimeout(timer);
    if (done === undefined) return;
    const [stdout, stderr] = [out.value, err.value];
    let error = failure;
    if (error === null && (code !== 0 || signal !== null)) {
      error = Object.assign(new Error(`Command failed: ${command}\n${stderr}`), { code: code < 0 ? childProcess.error(code, 'exec').code : code, killed: child.killed || isKilled, signal });
    }
    if (error !== null) error.cmd = command;
    done(error, stdout, stderr);
  }
  if (options.timeout > 0) timer = shelf.setTimeout(kill, options.timeout);
  watch(options.signal, child, kill, (error) => { failure ??= error; });
  child.on('close', finish);
  child.on('error', (error) => {
    failure = error;
    child.stdout?.destroy();
    child.stderr?.destroy();
    finish();
  });
  return child;
}
// An abort is the error of the call, and ends the child.
function watch(signal, child, kill, fail) {
  if (signal === undefined) return;
  shelf.checkSignal(signal, 'options.signal');
  const onAbort = () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const error = shelf.abortError(signal);
    fail(error);
    kill();
    child.emit('error', error);
  };
  if (signal.aborted) shelf.nextTick(onAbort);
  else {
    signal.addEventListener('abort', onAbort, { once: true });
    child.once('exit', () => signal.removeEventListener('abort', onAbort));
  }
}
function commandArguments(command, options) {
  checks.isString(command, 'command');
  checkNulls(command, 'command');
  const given = { __proto__: null, ...options };
  return { ...given, shell: typeof given.shell === 'string' ? given.shell : true };
}
function exec(command, options, done) {
  const [given, callback] = typeof options === 'function' ? [undefined, options] : [options, done];
  return execFile(command, [], { ...commandArguments(command, given), shown: command }, callback);
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

// ---- Those that block ----

function inputOf(how, streams) {
  for (let i = 0; i < streams.length; i += 1) {
    const input = i === 0 && how.input ? how.input : streams[i].input;
    if (input === undefined || input === null) continue;
    if (typeof input === 'string') return shelf.Buffer.from(input, how.encoding === 'buffer' ? undefined : how.encoding);
    if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
    throw argumentType(`options.stdio[${i}]`, ['Buffer', 'TypedArray', 'DataView', 'string'], input);
  }
  return undefined;
}
const limits = [undefined, -110, -105, -4];  // ETIMEDOUT, ENOBUFS, EINTR: ChildLimit of gyre/io/children.hpp
function spawnSync(file, args, options) {
  base.permit('child', `${file}`);
  const how = { __proto__: null, maxBuffer: defaultSize, ...normalized(file, args, options) };
  checkTimeout(how.timeout);
  checkSize(how.maxBuffer);
  const killSignal = killSignalOf(how.killSignal) ?? 15;
  const streams = streamsOf(how.stdio || 'pipe', true);
  const input = inputOf(how, streams);
  if (input !== undefined && streams[0].kind !== 'pipe') streams[0] = { kind: 'pipe' };
  const pipes = streams.map((one) => (one.kind === 'pipe' ? 'p' : ' ')).join('');
  const answer = natives.childRun(...planOf(how, streams), pipes, input, how.timeout ?? 0, how.maxBuffer ?? defaultSize, killSignal);
  if (answer[0] === 'P') throw base.denied(answer.slice(1), 'child', how.file);
  const [pid, code, signal, limit, ...sizes] = answer.split(' ').map(Number);
  if (pid < 0) return { error: failure(pid, how), status: null, signal: null, output: null, pid: 0, stdout: null, stderr: null };
  const output = streams.map((one, i) => (one.kind === 'pipe' && i > 0 ? outputOf(i, sizes[i - 1] ?? 0, how.encoding) : null));
  const made = { status: signal === 0 ? code : null, signal: signal === 0 ? null : names[signal] ?? `SIG${signal}`, output, pid, stdout: output[1], stderr: output[2] };
  return limit === 0 ? made : { error: failure(limits[limit], how), ...made };
}
function outputOf(stream, size, encoding) {
  const bytes = shelf.Buffer.alloc(size);
  if (stream < 3) natives.childTake(stream, bytes);
  return encoding && encoding !== 'buffer' ? bytes.toString(encoding) : bytes;
}
const failure = (number, how) => Object.assign(childProcess.error(number, `spawnSync ${how.file}`), { path: how.file, spawnargs: how.args.slice(1) });

// The output, or an error with all that spawnSync tells.
function outputOrThrow(ended, shown, stdio) {
  if (!stdio && ended.stderr) process.stderr.write(ended.stderr);
  if (ended.error) throw Object.assign(ended.error, ended);
  if (ended.status === 0) return ended.stdout;
  const words = ended.stderr?.length > 0 ? `\n${ended.stderr}` : '';
  throw Object.assign(new Error(`Command failed: ${shown}${words}`), ended);
}
function execFileSync(file, ...rest) {
  const { args, options } = fileArguments(rest);
  return outputOrThrow(spawnSync(file, args, options), [options.argv0 ?? file, ...args].join(' '), options.stdio);
}
function execSync(command, options) {
  const how = commandArguments(command, options);
  return outputOrThrow(spawnSync(command, how), command, how.stdio);
}
Object.assign(childProcess, { exec, execFile, execFileSync, execSync, spawnSync });
