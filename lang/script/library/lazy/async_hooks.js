// SPDX-License-Identifier: Apache-2.0
// node:async_hooks: the async context that the engine and the timers carry.
'use strict';
const { base, builtins } = shelf;
const { coded, apply } = base;

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
    const told = (body) => builtins.util.deprecate(body, 'The asyncResource property on bound functions is deprecated', 'DEP0172');
    Object.defineProperty(bound, 'asyncResource', { configurable: true, enumerable: true, get: told(() => owner), set: told((value) => { owner = value; }) });
    return bound;
  }
  static bind(callback, type, self) { return new AsyncResource(type || callback?.name || 'bound-anonymous-fn').bind(callback, self); }
}
builtins.async_hooks = {
  AsyncLocalStorage, AsyncResource, executionAsyncId: () => 1, triggerAsyncId: () => 0, executionAsyncResource: () => ({}),
  createHook: () => ({ enable() { return this; }, disable() { return this; } }),
};
