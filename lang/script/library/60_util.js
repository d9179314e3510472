// SPDX-License-Identifier: Apache-2.0
// node:util. What is seldom used is in library/lazy.
'use strict';
const { base, builtins } = shelf;
const { engine, config, natives, coded, argumentType, apply } = base;
const kindOf = (value) => (value !== null && (typeof value === 'object' || typeof value === 'function') ? engine.kind(value) : '');

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
    apply(original, this, args).then(
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
  const properties = Object.getOwnPropertyDescriptors(original);
  if (typeof properties.length.value === 'number') properties.length.value += 1;
  if (typeof properties.name.value === 'string') properties.name.value += 'Callbackified';
  return Object.defineProperties(made, properties);
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
  isCryptoKey: () => false,
  isKeyObject: () => false,
  isBoxedPrimitive: (value) => ['Number', 'String', 'Boolean', 'BigInt', 'Symbol'].includes(kindOf(value)),
});
for (const kind of ['Number', 'String', 'Boolean', 'BigInt', 'Symbol']) types[`is${kind}Object`] = (value) => kindOf(value) === kind;
for (const name of ['Uint8Array', 'Uint8ClampedArray', 'Uint16Array', 'Uint32Array', 'Int8Array', 'Int16Array', 'Int32Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array']) {
  types[`is${name}`] = (value) => kindOf(value) === 'TypedArray' && value[Symbol.toStringTag] === name;
}
const toldCodes = new base.SafeSet();
// A code is told of once.
function deprecate(original, message, code) {
  if (code !== undefined) base.checks.isString(code, 'code');
  let isTold = false;
  function deprecated(...args) {
    if (!isTold) {
      isTold = true;
      if (code === undefined || !toldCodes.has(code)) shelf.process.emitWarning(message, 'DeprecationWarning', code, deprecated);
      if (code !== undefined) toldCodes.add(code);
    }
    return new.target ? Reflect.construct(original, args, new.target) : apply(original, this, args);
  }
  Object.setPrototypeOf(deprecated, original);
  if (original.prototype) deprecated.prototype = original.prototype;
  return deprecated;
}
function inherits(constructor, parent) {
  if (constructor === undefined || constructor === null) throw argumentType('ctor', 'Function', constructor);
  if (parent === undefined || parent === null) throw argumentType('superCtor', 'Function', parent);
  if (parent.prototype === undefined) throw argumentType('superCtor.prototype', 'Object', parent.prototype);
  Object.defineProperty(constructor, 'super_', { value: parent, writable: true, configurable: true });
  Object.setPrototypeOf(constructor.prototype, parent.prototype);
}
// Sections of NODE_DEBUG, with * for any text.
function debuglog(section, onEnabled) {
  const name = `${section}`.toUpperCase();
  const wanted = (config.env.NODE_DEBUG ?? '').split(',').filter(Boolean)
    .some((one) => new RegExp(`^${one.replace(/[|\\{}()[\]^$+?.]/g, '\\$&').replaceAll('*', '.*')}$`, 'i').test(name));
  const logger = (...args) => {
    if (wanted) natives.write(2, `${name} ${config.pid}: ${shelf.formatLine({}, args)}\n`);
  };
  onEnabled?.(logger);
  Object.defineProperty(logger, 'enabled', { get: () => wanted, configurable: true, enumerable: true });
  return logger;
}
const styleCodes = (key) => {
  const pair = shelf.inspect.colors[key];
  if (pair == null) throw base.argumentValue('format', key, `must be one of: ${Object.keys(shelf.inspect.colors).map((name) => `'${name}'`).join(', ')}`);
  return pair;
};
// One style looks at the stream, a list of styles does not: as in Node 20.
function styleText(format, text, { validateStream = true, stream = shelf.process.stdout } = {}) {
  base.checks.isString(text, 'text');
  base.checks.isBoolean(validateStream, 'options.validateStream');
  if (Array.isArray(format)) {
    const pairs = format.map(styleCodes);
    return `${pairs.map(([on]) => `\u001b[${on}m`).join('')}${text}${pairs.reverse().map(([, off]) => `\u001b[${off}m`).join('')}`;
  }
  const [on, off] = styleCodes(format);
  const isPlain = validateStream && !(stream?.isTTY && (typeof stream.getColorDepth !== 'function' || stream.getColorDepth() > 2));
  return isPlain ? text : `\u001b[${on}m${text}\u001b[${off}m`;
}
// Control sequences with either introducer, and operating system commands up to their end.
const controls = /(?:\u001b\][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c))|[\u001b\u009b][[\]()#;?]*(?:\d{1,4}(?:[;:]\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~]/g;
async function aborted(signal, resource) {
  if (signal === undefined) throw argumentType('signal', 'AbortSignal', signal);
  shelf.checkSignal(signal, 'signal');
  if (resource === null || (typeof resource !== 'object' && typeof resource !== 'function')) throw argumentType('resource', 'Object', resource);
  if (signal.aborted) return;
  await new Promise((resolve) => { signal.addEventListener('abort', () => resolve(), { once: true }); });
}
function systemErrorMap() { shelf.load('system_errors'); return new Map(shelf.systemErrors); }
function getSystemErrorName(number) {
  base.checks.isNumber(number, 'err');
  if (number >= 0 || !Number.isSafeInteger(number)) throw base.outOfRange('err', 'a negative integer', number);
  return systemErrorMap().get(number)?.[0] ?? `Unknown system error ${number}`;
}
const util = {
  aborted, callbackify, debug: debuglog, debuglog, deprecate,
  format: (...args) => shelf.formatLine({}, args),
  formatWithOptions(options, ...args) {
    if (options === null || typeof options !== 'object') throw argumentType('inspectOptions', 'Object', options);
    return shelf.formatLine(options, args);
  },
  getSystemErrorMap: systemErrorMap, getSystemErrorName, inherits, inspect: shelf.inspect, isArray: Array.isArray,
  isDeepStrictEqual(a, b) { shelf.load('equality'); return shelf.isDeep(a, b, true); },
  parseArgs(given) { shelf.load('parse_args'); return shelf.parseArgs(given); },
  promisify, stripVTControlCharacters(text) { base.checks.isString(text, 'str'); return text.replace(controls, ''); },
  styleText,
  toUSVString(text) { return `${text}`.toWellFormed(); },
  types,
};
for (const name of ['MIMEType', 'MIMEParams']) Object.defineProperty(util, name, { configurable: true, enumerable: true, get() { shelf.load('mime'); return shelf.mime[name]; } });
for (const name of ['_extend', 'isBoolean', 'isBuffer', 'isDate', 'isError', 'isFunction', 'isNull', 'isNullOrUndefined', 'isNumber', 'isObject', 'isPrimitive', 'isRegExp', 'isString', 'isSymbol', 'isUndefined', 'log', 'parseEnv']) {
  util[name] = { [name](...args) { shelf.load('util_legacy'); return shelf.utilLegacy[name](...args); } }[name];
}
util.deprecate = deprecate;
builtins.util = util;
builtins['util/types'] = types;
builtins.sys = util;
for (const [name, file] of [['os', 'os'], ['assert', 'assert'], ['assert/strict', 'assert'], ['async_hooks', 'async_hooks'], ['path/win32', 'path_win32']]) shelf.lazily(builtins, name, file);
shelf.lazily(builtins, 'stream/web', 'web_writable');
// Where the host gives scripts files (lang/script/world).
if (base.natives.fsNow !== undefined) for (const [name, file] of [['fs', 'fs'], ['fs/promises', 'fs_promises']]) shelf.lazily(builtins, name, file);
