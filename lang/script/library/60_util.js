// SPDX-License-Identifier: Apache-2.0
// node:util, node:os, node:async_hooks, and the comparison behind assert.deepEqual.
'use strict';
const { base, builtins } = shelf;
const { engine, config, natives, coded, argumentType, hasOwn, apply } = base;
const kindOf = (value) => (value !== null && (typeof value === 'object' || typeof value === 'function') ? engine.kind(value) : '');

// ---- Equality ----

const same = Object.is;
const loose = (a, b) => a == b || (a !== a && b !== b);
function isDeep(a, b, isStrict, seen = []) {
  if (a === b) return a !== 0 || !isStrict || same(a, b);
  const isObject = (value) => value !== null && typeof value === 'object';
  if (!isObject(a) || !isObject(b)) {
    if (isStrict) return typeof a === 'number' && same(a, b);
    return !isObject(a) && !isObject(b) && typeof a !== 'function' && typeof b !== 'function' && loose(a, b);
  }
  if (isStrict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  const kind = kindOf(a);
  if (kind !== kindOf(b)) return false;
  if (base.objectToString(a) !== base.objectToString(b)) return false;
  if (!hasSameInside(a, b, kind, isStrict)) return false;
  for (const [x, y] of seen) if (x === a) return y === b;
  const now = [...seen, [a, b]];
  const deep = (x, y) => isDeep(x, y, isStrict, now);
  if (kind === 'Array' && a.length !== b.length) return false;
  if (kind === 'Set' && !sameSets(a, b, deep)) return false;
  if (kind === 'Map' && !sameMaps(a, b, deep)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length || !keys.every((key) => hasOwn(b, key))) return false;
  if (isStrict) {
    const symbols = (value) => Object.getOwnPropertySymbols(value).filter((key) => Object.prototype.propertyIsEnumerable.call(value, key));
    const own = symbols(a);
    if (own.length !== symbols(b).length || !own.every((key) => hasOwn(b, key) && deep(a[key], b[key]))) return false;
  }
  return keys.every((key) => deep(a[key], b[key]));
}
function hasSameInside(a, b, kind, isStrict) {
  switch (kind) {
    case 'Date': return same(Date.prototype.getTime.call(a), Date.prototype.getTime.call(b));
    case 'RegExp': return a.source === b.source && a.flags === b.flags && a.lastIndex === b.lastIndex;
    case 'Error': return a.message === b.message && a.name === b.name && (!isStrict || isDeep(a.cause, b.cause, true));
    case 'Number': case 'String': case 'Boolean': case 'BigInt': case 'Symbol': return same(a.valueOf(), b.valueOf());
    case 'ArrayBuffer': return isDeep(new Uint8Array(a), new Uint8Array(b), isStrict);
    case 'TypedArray': return a.length === b.length && Array.prototype.every.call(a, (value, i) => (isStrict ? same(value, b[i]) : loose(value, b[i])));
    case 'Promise': case 'WeakMap': case 'WeakSet': return false;
    default: return true;
  }
}
function sameSets(a, b, deep) {
  if (a.size !== b.size) return false;
  const left = [...b];
  for (const value of a) {
    let at = left.findIndex((other) => other === value);
    if (at === -1) at = left.findIndex((other) => deep(value, other));
    if (at === -1) return false;
    left.splice(at, 1);
  }
  return true;
}
function sameMaps(a, b, deep) {
  if (a.size !== b.size) return false;
  const left = [...b];
  for (const [key, value] of a) {
    let at = left.findIndex(([other, found]) => same(other, key) && deep(value, found));
    if (at === -1) at = left.findIndex(([other, found]) => deep(key, other) && deep(value, found));
    if (at === -1) return false;
    left.splice(at, 1);
  }
  return true;
}
shelf.isDeep = isDeep;

// ---- util ----

const customPromisify = Symbol.for('nodejs.util.promisify.custom');
function promisify(original) {
  base.checks.isFunction(original, 'original');
  const own = original[customPromisify];
  if (own) {
    base.checks.isFunction(own, 'util.promisify.custom');
    return Object.defineProperty(own, customPromisify, { value: own, enumerable: false, writable: false, configurable: true });
  }
  function made(...args) {
    return new Promise((resolve, reject) => {
      apply(original, this, [...args, (error, ...values) => (error ? reject(error) : resolve(values[0]))]);
    });
  }
  Object.setPrototypeOf(made, Object.getPrototypeOf(original));
  Object.defineProperty(made, customPromisify, { value: made, enumerable: false, writable: false, configurable: true });
  return Object.defineProperties(made, Object.getOwnPropertyDescriptors(original));
}
promisify.custom = customPromisify;
function callbackify(original) {
  base.checks.isFunction(original, 'original');
  function made(...args) {
    const callback = args.pop();
    if (typeof callback !== 'function') throw argumentType('last argument', 'function', callback);
    base.then(apply(original, this, args),
      (value) => shelf.process.nextTick(callback, null, value),
      (reason) => {
        let error = reason;
        if (!reason) {
          error = coded(Error, 'ERR_FALSY_VALUE_REJECTION', 'Promise was rejected with falsy value');
          error.reason = reason;
        }
        shelf.process.nextTick(callback, error);
      });
  }
  Object.defineProperty(made, 'name', { value: `${original.name}Callbackified`, configurable: true });
  return made;
}
const types = {};
for (const kind of ['Proxy', 'Promise', 'Map', 'Set', 'MapIterator', 'SetIterator', 'WeakMap', 'WeakSet', 'Date', 'RegExp', 'ArrayBuffer', 'SharedArrayBuffer', 'DataView', 'TypedArray', 'External']) {
  types[`is${kind}`] = (value) => kindOf(value) === kind;
}
Object.assign(types, {
  isNativeError: (value) => kindOf(value) === 'Error',
  isModuleNamespaceObject: (value) => kindOf(value) === 'Module',
  isArgumentsObject: (value) => kindOf(value) === 'Arguments',
  isGeneratorObject: (value) => kindOf(value) === 'Generator',
  isAsyncFunction: (value) => typeof value === 'function' && /\[object Async/.test(base.objectToString(value)),
  isGeneratorFunction: (value) => typeof value === 'function' && /GeneratorFunction/.test(base.objectToString(value)),
  isAnyArrayBuffer: (value) => kindOf(value) === 'ArrayBuffer' || kindOf(value) === 'SharedArrayBuffer',
  isArrayBufferView: (value) => ArrayBuffer.isView(value),
  isBoxedPrimitive: (value) => ['Number', 'String', 'Boolean', 'BigInt', 'Symbol'].includes(kindOf(value)),
});
for (const kind of ['Number', 'String', 'Boolean', 'BigInt', 'Symbol']) types[`is${kind}Object`] = (value) => kindOf(value) === kind;
for (const name of ['Uint8Array', 'Uint8ClampedArray', 'Uint16Array', 'Uint32Array', 'Int8Array', 'Int16Array', 'Int32Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array']) {
  types[`is${name}`] = (value) => kindOf(value) === 'TypedArray' && value[Symbol.toStringTag] === name;
}
function deprecate(original, message, code) {
  let isTold = false;
  return function deprecated(...args) {
    if (!isTold) {
      isTold = true;
      shelf.process.emitWarning(message, 'DeprecationWarning', code);
    }
    return new.target ? Reflect.construct(original, args, new.target) : apply(original, this, args);
  };
}
function inherits(constructor, parent) {
  base.checks.isFunction(constructor, 'ctor');
  base.checks.isFunction(parent, 'superCtor');
  Object.defineProperty(constructor, 'super_', { value: parent, writable: true, configurable: true });
  Object.setPrototypeOf(constructor.prototype, parent.prototype);
}
const systemErrors = [[-2, 'ENOENT', 'no such file or directory'], [-1, 'EPERM', 'operation not permitted'], [-13, 'EACCES', 'permission denied'], [-17, 'EEXIST', 'file already exists'], [-22, 'EINVAL', 'invalid argument'], [-110, 'ETIMEDOUT', 'connection timed out'], [-111, 'ECONNREFUSED', 'connection refused'], [-98, 'EADDRINUSE', 'address already in use']];
const util = {
  inspect: shelf.inspect, format: (...args) => shelf.formatLine({}, args), formatWithOptions: (options, ...args) => shelf.formatLine(options, args),
  promisify, callbackify, types, deprecate, inherits, isDeepStrictEqual: (a, b) => isDeep(a, b, true),
  isArray: Array.isArray, debuglog: () => Object.assign(() => {}, { enabled: false }), debug: () => Object.assign(() => {}, { enabled: false }),
  stripVTControlCharacters: (text) => String(text).replace(/\u001b\[[0-9;?]*[A-Za-z]/g, ''),
  toUSVString: (text) => `${text}`.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd'),
  getSystemErrorName: (number) => systemErrors.find(([code]) => code === number)?.[1],
  getSystemErrorMap: () => new Map(systemErrors.map(([number, name, text]) => [number, [name, text]])),
  aborted: (signal) => new Promise((resolve) => { if (signal.aborted) resolve(); else signal.addEventListener('abort', () => resolve(), { once: true }); }),
  styleText(style, text) {
    return (Array.isArray(style) ? style : [style]).reduce((made, one) => {
      const pair = shelf.inspect.colors[one];
      if (!pair) throw base.argumentValue('format', one, `must be one of: ${Object.keys(shelf.inspect.colors).map((name) => `'${name}'`).join(', ')}`);
      return `\u001b[${pair[0]}m${made}\u001b[${pair[1]}m`;
    }, text);
  },
};
builtins.util = util;
builtins['util/types'] = types;
builtins.sys = util;

// ---- os ----

builtins.os = {
  EOL: '\n', devNull: '/dev/null', constants: { signals: { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGKILL: 9, SIGTERM: 15 }, errno: {} },
  arch: () => 'x64', platform: () => 'linux', type: () => 'Linux', release: () => config.release, version: () => '', machine: () => 'x86_64',
  hostname: () => config.host, homedir: () => config.env.HOME ?? '/', tmpdir: () => (config.env.TMPDIR ?? '/tmp').replace(/(.)\/$/, '$1'),
  endianness: () => 'LE', uptime: () => natives.now() / 1000, loadavg: () => [0, 0, 0], availableParallelism: () => config.cores,
  cpus: () => Array.from({ length: config.cores }, () => ({ model: '', speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } })),
  totalmem: () => shelf.machineMemory('MemTotal'), freemem: () => shelf.machineMemory('MemAvailable'), networkInterfaces: () => ({}),
  userInfo: () => ({ uid: 0, gid: 0, username: config.env.USER ?? 'root', homedir: config.env.HOME ?? '/', shell: config.env.SHELL ?? null }),
};

// ---- async_hooks: the async context that the engine and the timers carry ----

const { contexts } = base;
const getContext = () => contexts.get();
const setContext = (context) => contexts.set(context);
class AsyncLocalStorage {
  #key = Symbol('storage');
  #isOn = false;
  constructor() { contexts.isUsed = true; }
  getStore() { return this.#isOn ? getContext()?.get(this.#key) : undefined; }
  enterWith(store) {
    this.#isOn = true;
    const next = new Map(getContext() ?? []);
    next.set(this.#key, store);
    setContext(next);
  }
  // The store of the caller is restored afterwards, also where the callback entered another one.
  run(store, callback, ...args) {
    if (this.#isOn && Object.is(store, this.getStore())) return apply(callback, null, args);
    const before = getContext();
    this.enterWith(store);
    try { return apply(callback, null, args); } finally { setContext(before); }
  }
  exit(callback, ...args) {
    if (!this.#isOn) return apply(callback, null, args);
    const before = getContext();
    this.enterWith(undefined);
    try { return apply(callback, null, args); } finally { setContext(before); }
  }
  disable() { this.#isOn = false; }
  static bind(callback) { return AsyncResource.bind(callback); }
  static snapshot() { return AsyncLocalStorage.bind((callback, ...args) => callback(...args)); }
}
function within(context, body) {
  const before = getContext();
  setContext(context);
  try { return body(); } finally { setContext(before); }
}
let lastAsyncId = 1;
class AsyncResource {
  #context = getContext();
  #id = (lastAsyncId += 1);
  #trigger;
  constructor(type, options = {}) {
    base.checks.isString(type, 'type');
    const trigger = typeof options === 'number' ? options : options.triggerAsyncId ?? 1;
    if (!Number.isSafeInteger(trigger) || trigger < -1) throw coded(RangeError, 'ERR_INVALID_ASYNC_ID', `Invalid triggerAsyncId value: ${trigger}`);
    this.#trigger = trigger;
  }
  runInAsyncScope(callback, self, ...args) { return within(this.#context, () => apply(callback, self, args)); }
  emitDestroy() { return this; }
  asyncId() { return this.#id; }
  triggerAsyncId() { return this.#trigger; }
  bind(callback, self) {
    base.checks.isFunction(callback, 'fn');
    const resource = this;
    const bound = function bound(...args) { return resource.runInAsyncScope(callback, self === undefined ? this : self, ...args); };
    Object.defineProperty(bound, 'length', { value: callback.length, configurable: true });
    Object.defineProperty(bound, 'name', { value: '', configurable: true });
    let owner = resource;
    const told = (body) => deprecate(body, 'The asyncResource property on bound functions is deprecated', 'DEP0172');
    Object.defineProperty(bound, 'asyncResource', { configurable: true, enumerable: true, get: told(() => owner), set: told((value) => { owner = value; }) });
    return bound;
  }
  static bind(callback, type, self) { return new AsyncResource(type || callback?.name || 'bound-anonymous-fn').bind(callback, self); }
}
builtins.async_hooks = {
  AsyncLocalStorage, AsyncResource, executionAsyncId: () => 1, triggerAsyncId: () => 0, executionAsyncResource: () => ({}),
  createHook: () => ({ enable() { return this; }, disable() { return this; } }),
};
