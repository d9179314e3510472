// SPDX-License-Identifier: Apache-2.0
// vm.SourceTextModule and vm.SyntheticModule: ES modules that the script links itself, in its own context.
'use strict';
const { base, moduleParts: parts } = shelf;
const { engine, coded, argumentType } = base;

const statusError = (what) => coded(Error, 'ERR_VM_MODULE_STATUS', `Module status ${what}`);
const states = new base.SafeWeakMap();  // { number, status, error, identifier, links }
let count = 0;

function stateOf(module) {
  const state = states.get(module);
  if (state === undefined) throw argumentType('this', 'Module', module);
  return state;
}
// Links a module and those below it: status 'linking' until all of them are.
async function linkBelow(module, linker, walked) {
  const state = stateOf(module);
  walked[walked.length] = state;
  state.status = 'linking';
  const requests = engine.moduleRequests(state.number);
  const asked = [];
  for (let i = 0; i < requests.length; i += 2) {
    const attributes = requests[i + 1] === undefined ? {} : { type: requests[i + 1] };
    asked[asked.length] = [requests[i], linker(requests[i], module, { attributes, assert: attributes })];
  }
  for (let i = 0; i < asked.length; i += 1) {
    const other = await asked[i][1];
    const found = other !== null && typeof other === 'object' ? states.get(other) : undefined;
    if (found === undefined) throw coded(Error, 'ERR_VM_MODULE_NOT_MODULE', 'Provided module is not an instance of Module');
    if (found.status === 'errored') throw Object.assign(coded(Error, 'ERR_VM_MODULE_LINK_FAILURE', `request for '${asked[i][0]}' resolved to errored module`), { cause: found.error });
    engine.linkModule(state.number, asked[i][0], found.number);
    state.links[state.links.length] = found;
    if (found.status === 'unlinked') await linkBelow(other, linker, walked);
  }
}
function setEvaluated(state, seen = new base.SafeSet()) {
  if (seen.has(state)) return;
  seen.add(state);
  if (state.status === 'linked' || state.status === 'evaluating') state.status = 'evaluated';
  for (const one of state.links) setEvaluated(one, seen);
}
class Module {
  constructor(made, options, defaultName) {
    if (new.target === Module) throw new TypeError('Module is not a constructor');
    base.checks.isObject(options, 'options');
    const { identifier = `${defaultName}(${count++})`, context } = options;
    base.checks.isString(identifier, 'options.identifier');
    if (context !== undefined) throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'gyre has modules of vm in the context of the script alone: leave options.context out');
    const state = { number: made(identifier, this), status: 'unlinked', error: undefined, identifier, links: [], promise: undefined };
    states.set(this, state);
  }
  get identifier() { return stateOf(this).identifier; }
  get context() { stateOf(this); return undefined; }
  get status() { return stateOf(this).status; }
  get error() {
    const state = stateOf(this);
    if (state.status !== 'errored') throw statusError('must be errored');
    return state.error;
  }
  get namespace() {
    const state = stateOf(this);
    if (state.status === 'unlinked' || state.status === 'linking') throw statusError('must not be unlinked or linking');
    return engine.moduleNamespace(state.number);
  }
  async link(linker) {
    const state = stateOf(this);
    base.checks.isFunction(linker, 'linker');
    if (state.status === 'linked') throw coded(Error, 'ERR_VM_MODULE_ALREADY_LINKED', 'Module has already been linked');
    if (state.status !== 'unlinked') throw statusError('must be unlinked');
    const walked = [];
    try {
      await linkBelow(this, linker, walked);
      engine.instantiateModule(state.number);
    } catch (error) {
      for (const one of walked) Object.assign(one, { status: 'errored', error });
      throw error;
    }
    for (const one of walked) one.status = 'linked';
  }
  evaluate(options = {}) {
    let state;
    try {
      state = stateOf(this);
      base.checks.isObject(options, 'options');
      if (!['linked', 'evaluating', 'evaluated', 'errored'].includes(state.status)) throw statusError('must be one of linked, evaluated, or errored');
    } catch (error) { return Promise.reject(error); }
    state.promise ??= this.#begin(state);
    return state.promise;
  }
  async #begin(state) {
    if (state.status === 'errored') throw state.error;
    state.status = 'evaluating';
    try { await engine.evaluateModule(state.number); } catch (error) {
      Object.assign(state, { status: 'errored', error });
      throw error;
    }
    setEvaluated(state);
  }
  [shelf.inspect.custom](depth, options) {
    const { status, identifier } = stateOf(this);
    return `${this.constructor.name} ${shelf.inspect({ status, identifier, context: undefined }, options)}`;
  }
}
class SourceTextModule extends Module {
  constructor(code, options = {}) {
    base.checks.isString(code, 'code');
    if (engine.name !== 'v8') throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `the engine ${engine.name} links modules while it compiles them: vm.SourceTextModule is there with gyre run --engine v8`);
    const { initializeImportMeta: fill, importModuleDynamically: load } = options ?? {};
    if (fill !== undefined) base.checks.isFunction(fill, 'options.initializeImportMeta');
    if (load !== undefined) base.checks.isFunction(load, 'options.importModuleDynamically');
    super((identifier, module) => {
      parts.vmModules.set(identifier, { module, fill, load });
      return engine.createModule(identifier, code);
    }, options, 'vm:module');
  }
  get dependencySpecifiers() {
    const state = stateOf(this);
    return state.specifiers ??= Object.freeze(engine.moduleRequests(state.number).filter((_, i) => i % 2 === 0));
  }
}
class SyntheticModule extends Module {
  constructor(names, evaluate, options = {}) {
    if (!Array.isArray(names) || names.some((name) => typeof name !== 'string')) throw argumentType('exportNames', 'Array of unique strings', names);
    names.forEach((name, i) => { if (names.indexOf(name) !== i) throw base.argumentValue(`exportNames.${name}`, name, 'is duplicated'); });
    base.checks.isFunction(evaluate, 'evaluateCallback');
    super((identifier, module) => engine.createSynthetic(identifier, [...names], () => base.apply(evaluate, module, [])), options, 'vm:module');
    const known = new base.SafeSet();
    for (const name of names) known.add(name);
    stateOf(this).names = known;
  }
  setExport(name, value) {
    base.checks.isString(name, 'name');
    const state = stateOf(this);
    if (state.status === 'unlinked' || state.status === 'linking') throw statusError('must be linked');
    if (!state.names.has(name)) throw new ReferenceError(`Export '${name}' is not defined in module`);
    engine.setExport(state.number, name, value);
  }
}
// import() in a module of vm, by its identifier.
parts.importOfVm = async ({ module, load }, name, type) => {
  if (load === undefined) throw coded(TypeError, 'ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING', 'A dynamic import callback was not specified.');
  const made = await load(name, module, type === undefined ? {} : { type });
  if (made === null || typeof made !== 'object' || !states.has(made)) {
    if (engine.kind(made) === 'Module') return made;
    throw coded(Error, 'ERR_VM_MODULE_NOT_MODULE', 'Provided module is not an instance of Module');
  }
  if (made.status === 'errored') throw made.error;
  await made.evaluate();
  return made.namespace;
};
Object.assign(shelf.builtins.vm, { Module, SourceTextModule, SyntheticModule });
