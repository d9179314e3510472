// SPDX-License-Identifier: Apache-2.0
// What the library itself uses of the language, taken before any script can change it, and the
// errors with Node's codes.
'use strict';
for (const name of ['dispose', 'asyncDispose']) {
  if (Symbol[name] === undefined) Object.defineProperty(Symbol, name, { value: Symbol.for(`nodejs.${name}`), configurable: false, enumerable: false, writable: false });
}
const { apply, construct, ownKeys, getOwnPropertyDescriptor, defineProperty } = Reflect;
const uncurry = (method) => (self, ...args) => apply(method, self, args);

// A copy of a collection class whose methods a script cannot reach.
function safe(Base) {
  class Safe extends Base {
    constructor() { super(); }
  }
  for (const key of ownKeys(Base.prototype)) {
    if (key !== 'constructor') {
      defineProperty(Safe.prototype, key, getOwnPropertyDescriptor(Base.prototype, key));
    }
  }
  Object.setPrototypeOf(Safe.prototype, null);
  return Object.freeze(Safe.prototype) && Safe;
}

const base = {
  apply, construct, ownKeys, defineProperty, getOwnPropertyDescriptor, uncurry,
  SafeMap: safe(Map), SafeSet: safe(Set), SafeWeakMap: safe(WeakMap),
  JSON: { parse: JSON.parse, stringify: JSON.stringify },
  then: uncurry(Promise.prototype.then),
  hasOwn: uncurry(Object.prototype.hasOwnProperty),
  objectToString: uncurry(Object.prototype.toString),
  errorToString: uncurry(Error.prototype.toString),
  functionToString: uncurry(Function.prototype.toString),
  join: uncurry(Array.prototype.join),
  slice: uncurry(Array.prototype.slice),
  Promise, Object, Array, Error, TypeError, RangeError, Map, Set, Symbol, String, Number, Math, Date,
};
base.natives = host.natives;
// The async context, read and set only once a script uses one: each is a call into the engine.
base.contexts = {
  isUsed: false,
  get() { return this.isUsed ? host.engine.getContext() : undefined; },
  set(context) { if (this.isUsed) host.engine.setContext(context); },
  // Of a callback that throws: the listeners of 'uncaughtException' run in it.
  thrown: undefined,
  leave(isDone) {
    if (!this.isUsed) return;
    if (!isDone) this.thrown = host.engine.getContext();
    host.engine.setContext(undefined);
  },
};
base.engine = host.engine;
base.config = base.JSON.parse(host.config);
// For --steps: a callback that runs now, with the place of its function. QuickJS has it in getters.
base.tell = (what, callback) => {
  const place = host.engine.functionPlace?.(callback)
    ?? (callback.fileName ? `${callback.fileName}:${callback.lineNumber}:${callback.columnNumber}` : 'the engine');
  const { name } = callback;
  base.natives.tellStep(`${what}: ${typeof name === 'string' && name !== '' ? name : '(anonymous)'} (${place})`);
};

// How an error message names a value that has the wrong type.
function received(value) {
  if (value === null || value === undefined) return `${value}`;
  switch (typeof value) {
    case 'function': return `function ${value.name}`;
    case 'object':
      if (value.constructor && 'name' in value.constructor) return `an instance of ${value.constructor.name}`;
      return shelf.inspect(value, { depth: -1 });
    case 'string': {
      const text = value.length > 28 ? `${value.slice(0, 25)}...` : value;
      return `type string (${text.includes("'") ? base.JSON.stringify(text) : `'${text}'`})`;
    }
    default: return `type ${typeof value} (${shelf.inspect(value, { colors: false })})`;
  }
}

// An error whose stack begins with its code, as Node's.
function coded(Type, code, message) {
  const error = new Type(message);
  const { name } = error;
  defineProperty(error, 'name', { value: `${name} [${code}]`, configurable: true, writable: true, enumerable: false });
  void error.stack;
  delete error.name;
  error.code = code;
  defineProperty(error, 'toString', {
    value() { return `${this.name} [${code}]: ${this.message}`; },
    enumerable: false, configurable: true, writable: true,
  });
  return error;
}

const plainTypes = new base.SafeSet();
for (const name of ['string', 'function', 'number', 'object', 'Function', 'Object', 'boolean', 'bigint', 'symbol']) plainTypes.add(name);

// expected: a type or a class, or a list of them.
function argumentType(name, expected, value) {
  const list = typeof expected === 'string' ? [expected] : expected;
  let types = list.filter((type) => plainTypes.has(type)).map((type) => type.toLowerCase());
  const classes = list.filter((type) => !plainTypes.has(type) && /^([A-Z][a-z0-9]*)+$/.test(type));
  const others = list.filter((type) => !plainTypes.has(type) && !classes.includes(type));
  if (classes.length > 0 && types.includes('object')) {
    types = types.filter((type) => type !== 'object');
    classes.push('Object');
  }
  const or = (words) => (words.length < 3 ? words.join(' or ') : `${words.slice(0, -1).join(', ')}, or ${words[words.length - 1]}`);
  const must = [];
  if (types.length) must.push(`${types.length > 1 ? 'one of type' : 'of type'} ${or(types)}`);
  if (classes.length) must.push(`an instance of ${or(classes)}`);
  if (others.length > 1) must.push(`one of ${or(others)}`);
  else if (others.length) must.push(others[0].toLowerCase() === others[0] ? others[0] : `an ${others[0]}`);
  const what = name.endsWith(' argument') ? `The ${name}` : `The "${name}" ${name.includes('.') ? 'property' : 'argument'}`;
  return coded(TypeError, 'ERR_INVALID_ARG_TYPE', `${what} must be ${must.join(' or ')}. Received ${received(value)}`);
}

function argumentValue(name, value, reason = 'is invalid', Type = TypeError) {
  let text = shelf.inspect(value);
  if (text.length > 128) text = `${text.slice(0, 128)}...`;
  const what = name.includes('.') ? 'property' : 'argument';
  return coded(Type, 'ERR_INVALID_ARG_VALUE', `The ${what} '${name}' ${reason}. Received ${text}`);
}

function outOfRange(name, range, value) {
  const isLarge = typeof value === 'bigint' ? value > 2n ** 32n || value < -(2n ** 32n) : Number.isInteger(value) && Math.abs(value) > 2 ** 32;
  let text = isLarge ? String(value).replace(/\B(?=(\d{3})+$)/g, '_') : shelf.inspect(value);
  if (isLarge && typeof value === 'bigint') text += 'n';
  return coded(RangeError, 'ERR_OUT_OF_RANGE', `The value of "${name}" is out of range. It must be ${range}. Received ${text}`);
}

// In a sandbox: throws where the permissions do not open `what`. The host checks each access itself;
// this makes the error of it.
const accesses = { __proto__: null, fs: 0, net: 1, env: 2, child: 3, signal: 4 };
function denied(why, permission, resource) {
  const error = coded(Error, 'ERR_ACCESS_DENIED', why);
  error.permission = permission;
  error.resource = resource;
  return error;
}
// All capitals or all small, as the names of variables are.
const matches = uncurry(RegExp.prototype.test);
base.isVariableName = (name) => matches(/^(?:[A-Z0-9_]+|[a-z0-9_]+)$/, name);
function permit(permission, resource) {
  if (!base.config.sandbox) return;
  const why = base.natives.refusal(accesses[permission], resource);
  if (why !== undefined) throw denied(why, permission, resource);
}

base.checks = {
  isFunction(value, name) { if (typeof value !== 'function') throw argumentType(name, 'function', value); },
  isString(value, name) { if (typeof value !== 'string') throw argumentType(name, 'string', value); },
  isNumber(value, name) { if (typeof value !== 'number') throw argumentType(name, 'number', value); },
  isBoolean(value, name) { if (typeof value !== 'boolean') throw argumentType(name, 'boolean', value); },
  isObject(value, name) {
    if (value === null || typeof value !== 'object') throw argumentType(name, 'Object', value);
  },
};
Object.assign(base, { denied, permit, received, coded, argumentType, argumentValue, outOfRange });
shelf.base = base;
shelf.builtins = { __proto__: null };
// Files of library/lazy run once, when something of theirs is first used.
const ran = new base.SafeSet();
shelf.load = (file) => {
  if (ran.has(file)) return;
  ran.add(file);
  base.apply(host.engine.compileLibrary(file), undefined, [host, shelf]);
};
// A file that the build may lack, because it holds a package that was not fetched.
shelf.loadPackaged = (file, code, message) => {
  try { shelf.load(file); } catch (error) {
    ran.delete(file);
    if (!/has no such file/.test(error.message)) throw error;
    throw coded(Error, code, message);
  }
};
// The function that requires files of such a package; `shared` has our own in place of some of them.
shelf.packageLoader = (files, shared = {}) => {
  const loaded = { __proto__: null };
  const join = (from, name) => {
    const parts = from.split('/').slice(0, -1);
    for (const part of name.split('/')) {
      if (part === '..') parts.pop();
      else if (part !== '.') parts.push(part);
    }
    return parts.join('/');
  };
  const moduleOf = (name) => {
    const file = [name, `${name}.js`, `${name}/index.js`].find((one) => shared[one] !== undefined || files[one] !== undefined);
    if (file === undefined) throw new Error(`the package has no file ${name}`);
    if (loaded[file] !== undefined) return loaded[file];
    const module = loaded[file] = { exports: {} };
    const found = { __proto__: null };  // Constructors of a package may require each time.
    const requireOther = (other) => (found[other] ??= moduleOf(other.startsWith('.') ? join(file, other) : other)).exports;
    if (shared[file] !== undefined) module.exports = shared[file]();
    else files[file](module, module.exports, requireOther);
    return module;
  };
  return (name) => moduleOf(name).exports;
};
// A property that a lazy file replaces by a plain value.
shelf.lazily = (owner, name, file, isEnumerable = true) => {
  const keep = (value) => defineProperty(owner, name, { value, configurable: true, writable: true, enumerable: isEnumerable });
  defineProperty(owner, name, {
    configurable: true, enumerable: isEnumerable,
    get() { shelf.load(file); return owner[name]; },
    set: keep,
  });
};
