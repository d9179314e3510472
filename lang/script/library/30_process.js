// SPDX-License-Identifier: Apache-2.0
// process: ticks, rejections without a handler, uncaught errors, the end of the program. The host
// calls the hooks in Node's order (gyre/job/pump_order.cpp).
'use strict';
const { base, EventEmitter, hooks } = shelf;
const { natives, engine, config, coded, argumentType, argumentValue, SafeWeakMap, SafeMap } = base;
const { contexts } = base;
const shared = host.shared;
const ticksPending = 0;
const ticksRun = 1;

function process() {}
Object.setPrototypeOf(process.prototype, EventEmitter.prototype);
const self = Object.create(process.prototype);
base.apply(EventEmitter, self, []);
shelf.process = self;
let isExiting = false;

// ---- Ticks: a ring that doubles ----

let ring = new Array(64);
let first = 0;
let count = 0;
class Tick {
  constructor(callback, args) {
    this.callback = callback;
    this.args = args;
    this.context = contexts.get();
  }
}
function grow() {
  const larger = new Array(ring.length * 2);
  for (let i = 0; i < count; i += 1) larger[i] = ring[(first + i) & (ring.length - 1)];
  ring = larger;
  first = 0;
}
function nextTick(callback) {
  if (typeof callback !== 'function') throw argumentType('callback', 'function', callback);
  if (isExiting) return;
  let args;
  if (arguments.length > 1) {
    args = new Array(arguments.length - 1);
    for (let i = 1; i < arguments.length; i += 1) args[i - 1] = arguments[i];
  }
  if (config.js2il) {
    queueMicrotask(() => base.apply(callback, undefined, args ?? []));
    return;
  }
  if (count === ring.length) grow();
  ring[(first + count) & (ring.length - 1)] = new Tick(callback, args);
  count += 1;
  shared[ticksPending] = count;
}
hooks.runTicks = (max) => {
  let ran = 0;
  try {
    while (ran < max && count > 0) {
      const tick = ring[first];
      ring[first] = undefined;
      first = (first + 1) & (ring.length - 1);
      count -= 1;
      ran += 1;
      contexts.set(tick.context);
      const { args, callback } = tick;
      if (args === undefined) callback();
      else base.apply(callback, undefined, args);
    }
  } finally {
    contexts.set(undefined);
    shared[ticksPending] = count;
    shared[ticksRun] = ran;
  }
};

function queueMicrotask(callback) {
  base.checks.isFunction(callback, 'callback');
  const context = contexts.get();
  engine.queueMicrotask(() => {
    contexts.set(context);
    try {
      callback();
    } catch (error) {
      reportUncaught(error, engine.placeOf(error), 'uncaughtException');
    } finally {
      contexts.set(undefined);
    }
  });
}

// ---- Rejections ----

const known = new SafeWeakMap();  // promise to its record
const pending = new SafeMap();    // number to the record, until it is reported
let lastNumber = 0;

hooks.onPromise = (event, promise, value) => {
  if (event === 0) {
    lastNumber += 1;
    const record = { number: lastNumber, promise, reason: value, isReported: false, context: contexts.get() };
    known.set(promise, record);
    pending.set(lastNumber, record);
    natives.trackRejected(lastNumber);
  } else if (event === 1) {
    const record = known.get(promise);
    if (record === undefined) return;
    known.delete(promise);
    if (record.isReported) {
      record.promise = promise;
      pending.set(record.number, record);
      natives.trackHandled(record.number);
    } else if (pending.delete(record.number)) {
      natives.trackHandled(record.number);
    }
  } else if (self.listenerCount('multipleResolves') > 0) {
    self.emit('multipleResolves', event === 2 ? 'reject' : 'resolve', promise, value);
  }
};

hooks.onRejectionHandled = (number) => {
  const record = pending.get(number);
  pending.delete(number);
  if (record === undefined) return;
  const { promise } = record;
  record.promise = undefined;
  if (self.emit('rejectionHandled', promise)) return;
  const warning = new Error(`Promise rejection was handled asynchronously (rejection id: ${number})`);
  warning.name = 'PromiseRejectionHandledWarning';
  warning.id = number;
  self.emitWarning(warning);
};

const isError = (value) => engine.kind(value) === 'Error' || value instanceof Error;
// Without calling into the script.
function plainText(value) {
  if (typeof value === 'symbol') return value.toString();
  if (value === null || typeof value !== 'object') return `${value}`;
  return `#<${engine.constructorName(value)}>`;
}
// Its class shows in the first line of the stack.
class UnhandledPromiseRejection extends Error {
  constructor(reason) {
    super('This error originated either by throwing inside of an async function without a catch block, or by rejecting a promise ' +
      `which was not handled with .catch(). The promise rejected with the reason "${plainText(reason)}".`);
    this.code = 'ERR_UNHANDLED_REJECTION';
  }
}
Object.defineProperty(UnhandledPromiseRejection.prototype, 'name', { value: 'UnhandledPromiseRejection', configurable: true, writable: true });
function throwRejection(reason) {
  const error = isError(reason) ? reason : new UnhandledPromiseRejection(reason);
  reportUncaught(error, isError(reason) ? engine.placeOf(reason) : '', 'unhandledRejection');
}
function warnRejection(number, reason) {
  const text = 'Unhandled promise rejection. This error originated either by throwing inside of an async function without a catch block, ' +
    'or by rejecting a promise which was not handled with .catch(). To terminate the node process on unhandled promise rejection, use the ' +
    `CLI flag \`--unhandled-rejections=strict\` (see https://nodejs.org/api/cli.html#cli_unhandled_rejections_mode). (rejection id: ${number})`;
  const detail = isError(reason) ? reason.stack : shelf.inspect(reason);
  self.emitWarning(detail, 'UnhandledPromiseRejectionWarning');
  const warning = new Error(text);
  warning.name = 'UnhandledPromiseRejectionWarning';
  if (isError(reason)) warning.stack = `${reason.stack}`;
  self.emitWarning(warning);
}

hooks.onRejection = (number) => {
  const record = pending.get(number);
  pending.delete(number);
  if (record === undefined) return;
  const { promise, reason, context } = record;
  record.isReported = true;
  record.promise = undefined;  // Held weakly, by `known`, from now on.
  record.reason = undefined;
  contexts.set(context);
  try {
    reportRejection(record, promise, reason);
  } finally {
    contexts.set(undefined);
  }
};
function reportRejection(record, promise, reason) {
  const emit = () => self.emit('unhandledRejection', reason, promise);
  switch (config.rejections) {
    case 'strict':
      throwRejection(reason);
      if (!emit()) warnRejection(record.number, reason);
      break;
    case 'warn': emit(); warnRejection(record.number, reason); break;
    case 'none': emit(); break;
    case 'warn-with-error-codes':
      if (!emit()) {
        warnRejection(record.number, reason);
        self.exitCode = 1;
      }
      break;
    default: if (!emit()) throwRejection(reason);
  }
}

// ---- Uncaught errors ----

let captureCallback = null;
// True when a handler took the error. Otherwise the program has ended.
function reportUncaught(error, place, origin) {
  try {
    self.emit('uncaughtExceptionMonitor', error, origin);
    if (captureCallback !== null) {
      captureCallback(error);
    } else if (!self.emit('uncaughtException', error, origin)) {
      fail(error, place);
      return false;
    }
  } catch (second) {
    // As in Node: without an 'exit' event.
    isExiting = true;
    fail(second, engine.placeOf(second), 7);
    return false;
  }
  shelf.setImmediate(() => {});  // As in Node: the ticks of the handler run soon.
  return true;
}
function fail(error, place, status = 1) {
  natives.write(2, `${uncaughtText(error, place)}\n`);
  try {
    if (!isExiting) {
      isExiting = true;
      self.exitCode = status;
      self.emit('exit', status);
    }
  } catch { /* The first error is the one to tell of. */ }
  natives.exit(self.exitCode ?? status);
}
function uncaughtText(error, place) {
  let text;
  try {
    if (isError(error)) text = errorReport(error);
    else if (error !== null && typeof error === 'object') text = `${shelf.inspect(error)}\nThrown at:`.replace('\nThrown at:', '');
    else text = `Uncaught ${shelf.inspect(error)}`;
  } catch { text = 'an error that cannot be shown'; }
  const head = place ? `${place}\n\n` : '';
  const hint = isError(error) ? '' : '\n(Use `throw new Error(...)` to get a stack trace)';
  return `${head}${text}${hint}\n\ngyre (${engine.version})`;
}
function errorReport(error) {
  const hasOwnKeys = Object.keys(error).length > 0 || error.cause !== undefined || Array.isArray(error.errors);
  return hasOwnKeys || typeof error.stack !== 'string' || error.stack === '' ? shelf.inspect(error) : error.stack;
}
hooks.onUncaught = (error, place) => (reportUncaught(error, place, 'uncaughtException') ? 1 : 0);

// ---- The end ----

hooks.onBeforeExit = () => { self.emit('beforeExit', self.exitCode || 0); };
hooks.onExit = () => {
  if (isExiting) return;
  isExiting = true;
  const code = self.exitCode || 0;
  shelf.checkTopLevelAwait();
  self.emit('exit', code);
  natives.setStatus(Number(self.exitCode || 0));
};
function exit(code) {
  if (code !== undefined) self.exitCode = code;
  if (!isExiting) {
    isExiting = true;
    self.emit('exit', self.exitCode || 0);
  }
  natives.exit(Number(self.exitCode || 0));
}

let exitCode;
Object.defineProperty(self, 'exitCode', {
  enumerable: true, configurable: true,
  get: () => exitCode,
  set(code) {
    let value = code;
    if (value !== null && value !== undefined) {
      if (typeof value === 'string' && value !== '' && !Number.isNaN(Number(value))) value = Number(value);
      if (typeof value !== 'number') throw argumentType('code', 'number', code);
      if (!Number.isInteger(value)) throw base.outOfRange('code', 'an integer', code);
    }
    exitCode = code ?? undefined;
  },
});

// ---- Warnings ----

self.emitWarning = (warning, type, code) => {
  let detail;
  if (type !== null && typeof type === 'object') ({ type, code, detail } = type);
  let made = warning;
  if (typeof warning === 'string') {
    made = new Error(warning);
    made.name = String(type || 'Warning');
    if (code !== undefined) made.code = code;
    if (detail !== undefined) made.detail = detail;
  } else if (!(warning instanceof Error)) {
    throw argumentType('warning', ['Error', 'string'], warning);
  }
  if (made.name === 'DeprecationWarning' && self.noDeprecation) return;
  nextTick(() => self.emit('warning', made));
};
let hasToldOfTrace = false;
self.on('warning', (warning) => {
  if (!(warning instanceof Error) || config.env.NODE_NO_WARNINGS === '1') return;
  const code = warning.code ? `[${warning.code}] ` : '';
  const text = typeof warning.toString === 'function' ? `${warning.toString()}` : base.errorToString(warning);
  const detail = typeof warning.detail === 'string' ? `\n${warning.detail}` : '';
  natives.write(2, `(gyre:${config.pid}) ${code}${text}${detail}\n`);
  void hasToldOfTrace;
});

// ---- The rest of process ----

const started = natives.now();
function hrtime(since) {
  const now = natives.now();
  let seconds = Math.floor(now / 1000);
  let nanoseconds = Math.round((now - seconds * 1000) * 1e6);
  if (since !== undefined) {
    if (!Array.isArray(since)) throw argumentType('time', 'Array', since);
    seconds -= since[0];
    nanoseconds -= since[1];
    if (nanoseconds < 0) { seconds -= 1; nanoseconds += 1e9; }
  }
  return [seconds, nanoseconds];
}
hrtime.bigint = () => BigInt(Math.round(natives.now() * 1e6));

function memoryUsage() {
  const [rss, heapTotal, heapUsed, external] = base.JSON.parse(natives.memory());
  return { rss, heapTotal, heapUsed, external, arrayBuffers: 0 };
}
memoryUsage.rss = () => memoryUsage().rss;

function stream(fd) {
  const made = Object.create(EventEmitter.prototype);
  base.apply(EventEmitter, made, []);
  return Object.assign(made, {
    fd, writable: true, isTTY: config[`tty${fd}`] ? true : undefined, columns: config[`tty${fd}`] ? 80 : undefined,
    write(text, encoding, callback) {
      natives.write(fd, typeof text === 'string' ? text : new TextDecoder().decode(text));
      const done = typeof encoding === 'function' ? encoding : callback;
      if (typeof done === 'function') nextTick(done);
      return true;
    },
    end(text, encoding, callback) {
      if (text !== undefined && typeof text !== 'function') made.write(text, encoding);
      const done = [text, encoding, callback].find((one) => typeof one === 'function');
      if (done) nextTick(done);
      return made;
    },
    getColorDepth: () => (config[`tty${fd}`] ? 8 : 1), hasColors: () => Boolean(config[`tty${fd}`]),
  });
}
let takeInput = null;
hooks.onInput = (text) => { takeInput?.(text); };
function inputStream() {
  const made = Object.create(EventEmitter.prototype);
  base.apply(EventEmitter, made, []);
  const waiting = [];
  let isReading = false;
  let isFlowing = false;
  let isOver = false;
  // One part at a time; the host calls onInput with it.
  const read = () => {
    if (isReading || isOver) return;
    isReading = true;
    natives.readInput();
  };
  takeInput = (text) => {
    isReading = false;
    if (text === '') isOver = true;
    if (waiting.length > 0) waiting.shift()(text);
    else if (isOver) {
      made.emit('end');
      made.emit('close');
    } else made.emit('data', text);
    if (isFlowing || waiting.length > 0) read();
  };
  const flow = () => { isFlowing = true; read(); return made; };
  return Object.assign(made, {
    fd: 0, isTTY: config.tty0 ? true : undefined, readable: true,
    setEncoding() { return made; }, resume: flow, pause() { isFlowing = false; return made; }, ref() { return made; }, unref() { return made; },
    on(type, listener) {
      base.apply(EventEmitter.prototype.on, made, [type, listener]);
      return type === 'data' ? flow() : made;
    },
    async *[Symbol.asyncIterator]() {
      while (!isOver) {
        const text = await new Promise((resolve) => { waiting.push(resolve); read(); });
        if (text === '') return;
        yield text;
      }
    },
  });
}
const lazy = (name, make) => {
  let value;
  Object.defineProperty(self, name, {
    configurable: true, enumerable: true,
    get() { return value ??= make(); }, set(given) { value = given; },
  });
};
lazy('stdout', () => stream(1));
lazy('stderr', () => stream(2));
lazy('stdin', inputStream);

const versions = { node: '20.20.2', gyre: '0.1.0', [engine.name]: engine.version.replace(/^\S+ /, ''), modules: '115' };
Object.assign(self, {
  version: 'v20.20.2', versions: Object.freeze(versions), arch: 'x64', platform: 'linux', release: { name: 'node' },
  argv: [config.program, ...config.argv], argv0: 'gyre', execArgv: [], execPath: config.program, pid: config.pid, ppid: 0,
  title: 'gyre', env: Object.assign(Object.create(null), config.env), features: { inspector: false }, config: { variables: {} },
  nextTick, exit, reallyExit: exit, hrtime, memoryUsage,
  abort() { natives.exit(134); },
  cwd: () => natives.directory(),
  chdir(path) {
    base.checks.isString(path, 'directory');
    if (!natives.changeDirectory(path)) {
      const error = new Error(`ENOENT: no such file or directory, chdir ${natives.directory()} -> '${path}'`);
      throw Object.assign(error, { errno: -2, code: 'ENOENT', syscall: 'chdir', path: natives.directory(), dest: path });
    }
  },
  uptime: () => (natives.now() - started) / 1000,
  cpuUsage: () => ({ user: Math.round(natives.now() * 1000), system: 0 }),
  resourceUsage: () => ({ maxRSS: Math.round(memoryUsage().rss / 1024) }),
  umask: () => 18, getuid: () => 0, geteuid: () => 0, getgid: () => 0, getegid: () => 0,
  binding(name) { throw coded(Error, 'ERR_INVALID_MODULE', `No such module: ${name}`); },
  setUncaughtExceptionCaptureCallback(callback) {
    if (callback === null) { captureCallback = null; return; }
    if (typeof callback !== 'function') throw argumentType('fn', ['Function', 'null'], callback);
    if (captureCallback !== null) throw coded(Error, 'ERR_UNCAUGHT_EXCEPTION_CAPTURE_ALREADY_SET', '`process.setupUncaughtExceptionCapture()` was called while a capture callback was already active');
    captureCallback = callback;
  },
  hasUncaughtExceptionCaptureCallback: () => captureCallback !== null,
  getActiveResourcesInfo: () => shelf.activeResources(),
  kill(pid, signal) { throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `process.kill is not available to scripts (${pid}, ${signal})`); },
});
env(self);
// As in Node, what is set in process.env becomes a string.
function env(owner) {
  owner.env = new Proxy(owner.env, {
    set(target, key, value) {
      if (typeof key === 'symbol' || typeof value === 'symbol') throw new TypeError('Cannot convert a Symbol value to a string');
      target[key] = `${value}`;
      return true;
    },
    defineProperty(target, key, property) {
      if ('value' in property) property.value = `${property.value}`;
      return Reflect.defineProperty(target, key, property);
    },
  });
}
Object.defineProperty(self, Symbol.toStringTag, { value: 'process', configurable: true });
Object.defineProperty(self, '_exiting', { get: () => isExiting, set(value) { isExiting = value; } });
void argumentValue;
shelf.reportUncaught = reportUncaught;
shelf.queueMicrotask = queueMicrotask;
shelf.builtins.process = self;
