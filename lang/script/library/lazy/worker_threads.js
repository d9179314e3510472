// SPDX-License-Identifier: Apache-2.0
// node:worker_threads: Worker, over the natives of lang/script/threads, and the names of the module.
'use strict';
shelf.load('message_ports');
const { base, builtins, process: self, globals, messages, DOMException } = shelf;
const { natives, coded, argumentType, argumentValue } = base;
const { path } = shelf.moduleParts;

const setup = shelf.workerSetup;
const shareEnvironment = Symbol.for('nodejs.worker_threads.SHARE_ENV');
const environmentData = shelf.environmentData ?? new Map();
const defaults = { maxYoungGenerationSizeMb: 48, maxOldGenerationSizeMb: 2096, codeRangeSizeMb: 0, stackSizeMb: 4 };
const errors = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
const nul = (list) => list.map((one) => `${one}\0`).join('');

// ---- What a worker is started with ----

function sourceOf(filename, options) {
  const isUrl = filename instanceof globals.URL;
  if (options.eval) {
    if (typeof filename !== 'string') throw argumentValue('options.eval', options.eval, "must be false when 'filename' is not a string");
    return { kind: 'script', source: filename };
  }
  if (isUrl && filename.protocol === 'data:') return { kind: 'module', source: shelf.moduleParts.read(filename.href) };
  if (isUrl) return { kind: 'file', source: builtins.url.fileURLToPath(filename) };
  if (typeof filename !== 'string') throw argumentType('filename', ['string', 'URL'], filename);
  if (path.isAbsolute(filename) || /^\.\.?[\\/]/.test(filename)) return { kind: 'file', source: path.resolve(filename) };
  const hint = filename.startsWith('file://') ? 'Wrap file:// URLs with `new URL`. ' : filename.startsWith('data:text/javascript') ? 'Wrap data: URLs with `new URL`. ' : '';
  throw coded(TypeError, 'ERR_WORKER_PATH', `The worker script or module filename must be an absolute path or a relative path starting with './' or '../'. ${hint}Received "${filename}"`);
}
function variablesOf(env) {
  if (env !== undefined && env !== null && typeof env !== 'object' && env !== shareEnvironment) throw argumentType('options.env', ['object', 'undefined', 'null', 'worker_threads.SHARE_ENV'], env);
  const given = typeof env === 'object' && env !== null ? env : self.env;
  return nul(Object.keys(given).filter((name) => given[name] !== undefined).map((name) => `${name}=${given[name]}`));
}
function limitsOf(given) {
  if (given === undefined || given === null) return { ...defaults };
  base.checks.isObject(given, 'options.resourceLimits');
  const limits = { ...defaults };
  for (const name of Object.keys(defaults)) if (typeof given[name] === 'number') limits[name] = given[name];
  return limits;
}
const limitBytes = (megabytes) => (megabytes > 0 ? Math.ceil(megabytes * 1024 * 1024) : 0);
const bytesOf = (text) => Uint8Array.from(text, (char) => char.charCodeAt(0));
const asText = (text) => (/^[\0-\x7f]*$/.test(text) ? text : bytesOf(text));

function errorOf({ type, properties, value }) {
  if (type === undefined) return value;
  const own = {};
  for (const one of properties) own[one.name] = { value: one.value, configurable: true, writable: true, enumerable: one.isEnumerable };
  const made = Object.create(errors[type].prototype, own);
  Object.defineProperty(made, Symbol.toStringTag, { value: 'Error', configurable: true });
  return made;
}

// ---- Worker ----

class Worker extends builtins.events {
  #event; #port; #control; #threadId; #limits; #streams = {}; #options; #isHeld = true; #ended;
  constructor(filename, options = {}) {
    super();
    base.checks.isObject(options, 'options');
    for (const name of ['execArgv', 'argv']) if (options[name] && !Array.isArray(options[name])) throw argumentType(`options.${name}`, 'Array', options[name]);
    if (options.name !== undefined && options.name !== null) base.checks.isString(options.name, 'options.name');
    const { kind, source } = sourceOf(filename, options);
    this.#options = options;
    const variables = variablesOf(options.env);
    this.#limits = limitsOf(options.resourceLimits);
    const data = messages.encode({ workerData: options.workerData, environmentData }, options.transferList);
    this.#threadId = natives.nextThread();
    const [boot, port, control] = [natives.portPair(), natives.portPair(), natives.portPair()];
    natives.portPost(boot, data.text, data.bytes, data.ports.map((number) => `${number},`).join(''), ...data.shared);
    this.#port = port;
    this.#control = control;
    this.#attach(port, (event) => this.#takeMessage(event));
    this.#attach(control, () => this.#takeError());
    const given = { threadId: this.#threadId, boot: boot + 1, port: port + 1, control: control + 1, isText: kind !== 'file', name: options.name ?? '', execArgv: options.execArgv ?? self.execArgv, limits: this.#limits };
    if (options.stdin) given.stdin = this.#makeStdin();
    this.#event = shelf.expect((number, text) => this.#take(number, text), true);
    natives.workerStart(this.#event, source, kind, base.JSON.stringify(given), variables, nul(options.argv ?? []), ...['maxOldGenerationSizeMb', 'stackSizeMb', 'maxYoungGenerationSizeMb'].map((name) => limitBytes(options.resourceLimits?.[name])));
    natives.threadHold(true);
  }
  #attach(port, take) {
    natives.portAttach(port, shelf.expect(take, true));
    natives.portStart(port);
  }
  #makeStdin() {
    const pair = natives.portPair();
    const port = shelf.makePort(pair);
    this.#streams.stdin = new builtins.stream.Writable({
      write(chunk, encoding, done) { port.postMessage(new Uint8Array(chunk)); done(); },
      final(done) { port.postMessage(null); done(); },
    });
    return pair + 1;
  }
  #takeMessage(event) {
    if (event !== 1) return;
    let message;
    try { message = shelf.takeMessage(this.#port); } catch (error) { this.emit('messageerror', error); return; }
    if (message !== undefined) this.emit('message', message.value);
  }
  #takeError() {
    const message = shelf.takeMessage(this.#control);
    if (message !== undefined) this.emit('error', errorOf(message.value));
  }
  #take(number, text) {
    switch (number) {
      case 1: this.emit('online'); break;
      case 2: case 3: this.#output(number === 2 ? 'stdout' : 'stderr', text); break;
      case 4: this.#end(Number(text)); break;
      case 5: this.emit('error', coded(Error, 'ERR_WORKER_OUT_OF_MEMORY', 'Worker terminated due to reaching memory limit: JS heap out of memory')); break;
      default: this.emit('error', coded(Error, 'ERR_WORKER_INIT_FAILED', `Worker initialization failure: ${text}`)); break;
    }
  }
  #output(name, text) {
    this.#streams[name]?.push(bytesOf(text));
    if (!this.#options[name]) self[name].write(asText(text));
  }
  #end(status) {
    for (const port of [this.#port, this.#control]) natives.portClose(port);
    natives.workerEnd(this.#event);
    shelf.forget(this.#event);
    this.#threadId = -1;
    if (this.#isHeld) natives.threadHold(false);
    this.#isHeld = undefined;
    this.#streams.stdout?.push(null);
    this.#streams.stderr?.push(null);
    this.#ended = status;
    this.emit('exit', status);
  }
  #stream(name) {
    this.#streams[name] ??= new builtins.stream.Readable({ read() {} });
    return this.#streams[name];
  }
  get stdin() { return this.#streams.stdin ?? null; }
  get stdout() { return this.#stream('stdout'); }
  get stderr() { return this.#stream('stderr'); }
  get threadId() { return this.#threadId; }
  get resourceLimits() { return this.#ended === undefined ? this.#limits : {}; }
  postMessage(value, transfer) {
    if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'Not enough arguments to MessagePort.postMessage');
    const list = transfer !== null && typeof transfer === 'object' && typeof transfer[Symbol.iterator] !== 'function' ? transfer.transfer : transfer;
    if (list != null && (typeof list !== 'object' || typeof list[Symbol.iterator] !== 'function')) throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'Optional transferList argument must be an iterable');
    const { text, bytes, ports, shared } = messages.encode(value, list == null ? list : [...list]);
    if (this.#ended === undefined) natives.portPost(this.#port, text, bytes, ports.map((number) => `${number},`).join(''), ...shared);
  }
  terminate() {
    if (this.#ended !== undefined) return Promise.resolve();
    natives.workerStop(this.#event);
    this.ref();
    return new Promise((resolve) => { this.once('exit', resolve); });
  }
  ref() { this.#hold(true); }
  unref() { this.#hold(false); }
  #hold(isHeld) {
    if (this.#isHeld === undefined || this.#isHeld === isHeld) return;
    this.#isHeld = isHeld;
    natives.threadHold(isHeld);
  }
  async [Symbol.asyncDispose]() { await this.terminate(); }
}
const absent = (name) => ({ [name]() { throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `gyre has no ${name}`); } }[name]);
Worker.prototype.getHeapSnapshot = absent('getHeapSnapshot');

function receiveMessageOnPort(port) {
  if (!shelf.isPort(port)) throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "port" argument must be a MessagePort instance');
  const id = shelf.portNumber(port);
  const message = id === undefined ? undefined : shelf.takeMessage(id);
  return message === undefined ? undefined : { message: message.value };
}
shelf.untransferable = new WeakSet();
builtins.worker_threads = {
  isMainThread: setup === undefined, MessagePort: globals.MessagePort, MessageChannel: globals.MessageChannel,
  markAsUntransferable(object) { if (object !== null && (typeof object === 'object' || typeof object === 'function')) shelf.untransferable.add(object); },
  moveMessagePortToContext: absent('moveMessagePortToContext'), receiveMessageOnPort,
  resourceLimits: setup?.limits ?? {}, threadId: setup?.threadId ?? 0, SHARE_ENV: shareEnvironment, Worker,
  parentPort: shelf.parentPort ?? null, workerData: shelf.workerData ?? null, BroadcastChannel: globals.BroadcastChannel,
  setEnvironmentData(key, value) { if (value === undefined) environmentData.delete(key); else environmentData.set(key, value); },
  getEnvironmentData: (key) => environmentData.get(key),
};
