// SPDX-License-Identifier: Apache-2.0
// node:vm: scripts in this context and in others. A context has a global object of its own, which
// shows the object that it was made of.
'use strict';
const { base, builtins } = shelf;
const { engine, coded, argumentType, outOfRange } = base;

// ---- Contexts ----

const contexts = new base.SafeWeakMap();  // a sandbox to its context
const isObject = (value) => value !== null && (typeof value === 'object' || typeof value === 'function');
function checkOptions(options, names) {
  if (options === undefined) return {};
  base.checks.isObject(options, 'options');
  for (const [name, check] of names) if (options[name] !== undefined) check(options[name], `options.${name}`);
  return options;
}
let count = 0;
// The realm itself is no context.
function createContext(sandbox = {}, options = {}) {
  if (!isObject(sandbox)) throw argumentType('object', 'Object', sandbox);
  if (contexts.has(sandbox)) return sandbox;
  base.checks.isObject(options, 'options');
  count += 1;
  const { name = `VM Context ${count}`, origin, codeGeneration, microtaskMode } = options;
  base.checks.isString(name, 'options.name');
  if (origin !== undefined) base.checks.isString(origin, 'options.origin');
  if (codeGeneration !== undefined) base.checks.isObject(codeGeneration, 'options.codeGeneration');
  if (microtaskMode !== undefined && microtaskMode !== 'afterEvaluate') throw base.argumentValue('options.microtaskMode', microtaskMode, "must be one of: 'afterEvaluate', undefined");
  const made = engine.makeContext(sandbox);
  if (engine.name !== 'v8') made.link = linkOf(made.global, sandbox);
  contexts.set(sandbox, made);
  return sandbox;
}
function isContext(object) {
  if (!isObject(object)) throw argumentType('object', 'Object', object);
  return contexts.has(object);
}
function contextOf(sandbox) {
  const found = isObject(sandbox) ? contexts.get(sandbox) : undefined;
  if (found === undefined) throw argumentType('contextifiedObject', 'vm.Context', sandbox);
  return found;
}

// An engine whose global object cannot show another one: each property of the sandbox becomes an
// accessor of the global object before a run, and each new global a property of the sandbox after it.
// A variable that is declared stays where it is, and is copied.
function linkOf(global, sandbox) {
  const own = new base.SafeSet();
  for (const key of Reflect.ownKeys(global)) own.add(key);
  const declared = new base.SafeSet();
  const linked = new base.SafeSet();
  function link(key) {
    linked.add(key);
    const { enumerable } = Reflect.getOwnPropertyDescriptor(sandbox, key) ?? { enumerable: true };
    Reflect.defineProperty(global, key, {
      configurable: true, enumerable,
      get: () => (sandbox[key] === sandbox ? global : sandbox[key]),
      set: (value) => { sandbox[key] = value; },
    });
  }
  return {
    before() {
      for (const key of linked) if (!(key in sandbox)) { linked.delete(key); Reflect.deleteProperty(global, key); }
      for (let object = sandbox; object !== null && object !== Object.prototype; object = Object.getPrototypeOf(object)) {
        for (const key of Reflect.ownKeys(object)) {
          if (declared.has(key)) Reflect.set(global, key, sandbox[key]);
          else if (!linked.has(key)) link(key);
        }
      }
    },
    after() {
      for (const key of linked) if (Reflect.getOwnPropertyDescriptor(global, key) === undefined) { linked.delete(key); Reflect.deleteProperty(sandbox, key); }
      // As V8 declares them: functions come first.
      const isFunction = (key) => typeof Reflect.getOwnPropertyDescriptor(global, key).value === 'function';
      const keys = Reflect.ownKeys(global);
      for (const key of [...keys.filter(isFunction), ...keys.filter((one) => !isFunction(one))]) {
        const found = Reflect.getOwnPropertyDescriptor(global, key);
        const isNew = !own.has(key) && (!linked.has(key) || 'value' in found);
        if (!isNew) continue;
        linked.delete(key);
        if (found.configurable) { Reflect.defineProperty(sandbox, key, found); link(key); continue; }
        declared.add(key);
        if (!(key in sandbox) || sandbox[key] !== found.value) sandbox[key] = found.value;
      }
    },
  };
}

// ---- Scripts ----

const flag = (value, name) => base.checks.isBoolean(value, name);
function whole(value, name) {
  base.checks.isNumber(value, name);
  if (!Number.isInteger(value)) throw outOfRange(name, 'an integer', value);
}
function positive(value, name) {
  whole(value, name);
  if (value < 1 || value > 4294967295) throw outOfRange(name, '>= 1 && <= 4294967295', value);
}
const runOptions = [['displayErrors', flag], ['timeout', positive], ['breakOnSigint', flag]];
function placeOf(given, missing = 'evalmachine.<anonymous>') {
  const options = typeof given === 'string' ? { filename: given } : given ?? {};
  if (typeof options !== 'object') throw argumentType('options', 'Object', options);
  const { filename = missing, lineOffset = 0, columnOffset = 0 } = options;
  base.checks.isString(filename, 'options.filename');
  whole(lineOffset, 'options.lineOffset');
  whole(columnOffset, 'options.columnOffset');
  return [filename, lineOffset, columnOffset];
}
// The engine throws `true` where a run has passed its limit.
// An error tells its line, above its stack.
function show(error) {
  if (error === null || typeof error !== 'object' || engine.kind(error) !== 'Error' || shelf.placedErrors.has(error)) return;
  const place = engine.placeOf(error);
  if (!place) return;
  shelf.placedErrors.set(error, true);
  try { error.stack = `${place}\n\n${error.stack}`; } catch { /* A frozen error shows without. */ }
}
function started(run, text, place, timeout = 0, isShown = true) {
  try { return run(text, place[0], place[1], place[2], timeout); } catch (error) {
    if (isShown) show(error);
    if (error === true && timeout > 0) throw coded(Error, 'ERR_SCRIPT_EXECUTION_TIMEOUT', `Script execution timed out after ${timeout}ms`);
    throw error;
  }
}
class Script {
  #text; #place;
  constructor(code, options = {}) {
    this.#text = `${code}`;
    this.#place = placeOf(options);
    if (options !== null && typeof options === 'object') {
      const { cachedData, produceCachedData } = options;
      if (cachedData !== undefined && !ArrayBuffer.isView(cachedData)) throw argumentType('options.cachedData', ['Buffer', 'TypedArray', 'DataView'], cachedData);
      if (produceCachedData !== undefined) flag(produceCachedData, 'options.produceCachedData');
      if (cachedData !== undefined) this.cachedDataRejected = true;
    }
    // A syntax error is told here, as in Node.
    try { (checkers.get(options) ?? engine.checkScript)(this.#text, ...this.#place); } catch (error) {
      show(error);
      throw error;
    }
    Object.defineProperty(this, 'sourceMapURL', { value: /\/\/[#@] sourceMappingURL=(\S+)\s*$/.exec(this.#text)?.[1], writable: true, enumerable: true, configurable: true });
  }
  runInThisContext(options) {
    const { timeout, displayErrors } = checkOptions(options, runOptions);
    return started(engine.runScript, this.#text, this.#place, timeout, displayErrors);
  }
  runInContext(sandbox, options) {
    const context = contextOf(sandbox);
    const { timeout, displayErrors } = checkOptions(options, runOptions);
    context.link?.before();
    try { return started(context.run, this.#text, this.#place, timeout, displayErrors); } finally {
      context.link?.after();
      // What its first reactions have set.
      if (context.link) engine.queueMicrotask(() => engine.queueMicrotask(context.link.after));
    }
  }
  runInNewContext(sandbox, options) {
    const { contextName, contextOrigin, contextCodeGeneration, microtaskMode } = options ?? {};
    return this.runInContext(createContext(sandbox, { name: contextName, origin: contextOrigin, codeGeneration: contextCodeGeneration, microtaskMode }), options);
  }
  createCachedData() { return shelf.Buffer.alloc(0); }
}
// A text that is run once is compiled in its context, so that a syntax error is one of there.
const checkers = new base.SafeWeakMap();
function compiledFor(sandbox, code, options) {
  const given = { ...optionsOf(options) };
  checkers.set(given, contextOf(sandbox).check);
  return new Script(code, given);
}
const optionsOf = (options) => (typeof options === 'string' ? { filename: options } : options);
function compileFunction(code, params = [], options = {}) {
  base.checks.isString(code, 'code');
  if (!Array.isArray(params)) throw argumentType('params', 'Array', params);
  params.forEach((name, i) => base.checks.isString(name, `params[${i}]`));
  base.checks.isObject(options, 'options');
  const [name, line, column] = placeOf(options, '');
  const { parsingContext, contextExtensions = [] } = options;
  if (!Array.isArray(contextExtensions)) throw argumentType('options.contextExtensions', 'Array', contextExtensions);
  if (parsingContext === undefined) return engine.compileFunction(code, name, params);
  const context = contextOf(parsingContext);
  context.link?.before();
  // Checked by itself, so that no text closes the function.
  engine.compileFunction(code, name, params);
  return started(context.run, `(function (${params.join(',')}) {${code}\n})`, [name, line, column]);
}
builtins.vm = {
  Script, createContext, createScript: (code, options) => new Script(code, options),
  runInContext(code, sandbox, options) { return compiledFor(sandbox, code, options).runInContext(sandbox, optionsOf(options)); },
  runInNewContext(code, sandbox, options) { return new Script(code, optionsOf(options)).runInNewContext(sandbox, optionsOf(options)); },
  runInThisContext(code, options) { return new Script(code, optionsOf(options)).runInThisContext(optionsOf(options)); },
  isContext, compileFunction,
  measureMemory() { throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'gyre has no vm.measureMemory'); },
  constants: Object.freeze({ __proto__: null, USE_MAIN_CONTEXT_DEFAULT_LOADER: Symbol('vm_dynamic_import_main_context_default') }),
};
shelf.load('vm_modules');
