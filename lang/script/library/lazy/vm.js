// SPDX-License-Identifier: Apache-2.0
// node:vm in the one context that a script has. Other contexts are refused, with an error that says
// so: the engines of gyre run one global object each.
'use strict';
const { base, builtins } = shelf;
const { engine, coded, argumentType } = base;

const noContexts = (name) => coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `gyre has no vm.${name}: a script has one context (runInThisContext, Script and compileFunction are there)`);
function nameOf(options, missing = 'evalmachine.<anonymous>') {
  if (options === undefined || options === null) return missing;
  if (typeof options === 'string') return options;
  base.checks.isObject(options, 'options');
  if (options.filename !== undefined) base.checks.isString(options.filename, 'options.filename');
  if (options.timeout !== undefined) throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'gyre has no time limit inside of a script: gyre run --time-limit ends the whole of it');
  return options.filename ?? missing;
}
class Script {
  #text; #name;
  constructor(code, options = {}) {
    const text = `${code}`;
    if (options !== null && typeof options !== 'string' && typeof options !== 'object') throw argumentType('options', 'Object', options);
    this.#text = text;
    this.#name = nameOf(options);
    // A syntax error is told here, as in Node.
    engine.compileFunction(text, this.#name, []);
    this.cachedDataRejected = undefined;
  }
  runInThisContext() { return engine.runScript(this.#text, this.#name); }
  runInContext() { throw noContexts('Script.runInContext'); }
  runInNewContext() { throw noContexts('Script.runInNewContext'); }
  createCachedData() { return shelf.Buffer.alloc(0); }
}
function compileFunction(code, params = [], options = {}) {
  base.checks.isString(code, 'code');
  if (!Array.isArray(params)) throw argumentType('params', 'Array', params);
  params.forEach((name, i) => base.checks.isString(name, `params[${i}]`));
  if (options?.parsingContext !== undefined) throw noContexts('compileFunction with a parsingContext');
  return engine.compileFunction(code, nameOf(options, ''), params);
}
const refuse = (name) => ({ [name]() { throw noContexts(name); } }[name]);
builtins.vm = {
  Script, createContext: refuse('createContext'), createScript: (code, options) => new Script(code, options),
  runInContext: refuse('runInContext'), runInNewContext: refuse('runInNewContext'),
  runInThisContext(code, options) {
    return engine.runScript(`${code}`, nameOf(options));
  },
  isContext(object) {
    if (object === null || typeof object !== 'object') throw argumentType('object', 'Object', object);
    return false;
  },
  compileFunction, measureMemory: refuse('measureMemory'),
  constants: Object.freeze({ __proto__: null, USE_MAIN_CONTEXT_DEFAULT_LOADER: Symbol('vm_dynamic_import_main_context_default') }),
};
