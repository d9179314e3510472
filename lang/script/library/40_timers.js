// SPDX-License-Identifier: Apache-2.0
// Timers and immediates with Node's objects. The host has their order; here are their callbacks, by
// numbers that the host calls with.
'use strict';
const { base, hooks } = shelf;
const { natives, config, argumentType, apply } = base;
const { contexts } = base;
const inspectCustom = Symbol.for('nodejs.util.inspect.custom');
const longest = 2 ** 31 - 1;
const none = -1;

// Numbers are used again, the last one first.
class Slots {
  items = [];
  free = [];
  freeCount = 0;
  add(item) {
    if (this.freeCount === 0) {
      this.items[this.items.length] = item;
      return this.items.length - 1;
    }
    this.freeCount -= 1;
    const number = this.free[this.freeCount];
    this.items[number] = item;
    return number;
  }
  remove(number) {
    this.items[number] = undefined;
    this.free[this.freeCount] = number;
    this.freeCount += 1;
  }
}
const timers = new Slots();
const immediates = new Slots();
const byId = new base.SafeMap();  // timers whose primitive id was asked for
let lastId = 0;

function tooLong(delay) {
  shelf.process.emitWarning(`${delay} does not fit into a 32-bit signed integer.\nTimeout duration was set to 1.`, 'TimeoutOverflowWarning');
}

let clearTimer;
class Timeout {
  #number = none;
  #id = (lastId += 1);
  #hasRef = true;
  #isRunning = false;
  #isRestarted = false;
  #isCleared = false;
  #context = contexts.get();
  constructor(callback, after, args, repeats) {
    let delay = +after;
    if (!config.js2il) {
      if (delay > longest) tooLong(delay);
      delay = delay >= 1 && delay <= longest ? Math.trunc(delay) : 1;
    }
    this._idleTimeout = delay;
    this._idlePrev = null;
    this._idleNext = null;
    this._idleStart = null;
    this._onTimeout = callback;
    this._timerArgs = args;
    this._repeat = repeats ? delay : null;
    this._destroyed = false;
    this.#start();
  }
  #start() {
    const number = timers.add(this);
    try {
      natives.setTimer(number, this._idleTimeout, this._repeat !== null);
    } catch (error) {
      timers.remove(number);
      throw error;
    }
    this.#number = number;
  }
  #end() {
    if (this.#number !== none) timers.remove(this.#number);
    this.#number = none;
    this._destroyed = true;
    if (byId.size > 0) byId.delete(this.#id);
  }
  #setRef(hasRef) {
    if (this.#hasRef !== hasRef && this.#number !== none) natives.refTimer(this.#number, hasRef);
    this.#hasRef = hasRef;
    return this;
  }
  ref() { return this.#setRef(true); }
  unref() { return this.#setRef(false); }
  hasRef() { return this.#hasRef && !this._destroyed; }
  // A timer that is refreshed while it runs waits again; one that has run starts anew.
  refresh() {
    if (this.#number !== none) {
      if (this.#isRunning) this.#isRestarted = true;
      natives.refreshTimer(this.#number);
    } else if (!this.#isCleared) {
      this._destroyed = false;
      this.#start();
      if (!this.#hasRef) natives.refTimer(this.#number, false);
    }
    return this;
  }
  close() { clearTimer(this, false); return this; }
  [Symbol.toPrimitive]() {
    if (!this._destroyed) byId.set(this.#id, this);
    return this.#id;
  }
  [inspectCustom](depth, options) {
    return shelf.inspect(this, { ...options, depth: 0, customInspect: false });
  }
  static {
    // In the order js2il clearInterval leaves a timeout alone.
    clearTimer = (timer, isInterval) => {
      if (isInterval && config.js2il && timer._repeat === null) return;
      if (timer.#number !== none) natives.clearTimer(timer.#number, isInterval && config.js2il);
      timer.#isCleared = true;
      timer.#isRestarted = false;
      timer._onTimeout = null;
      timer.#end();
    };
    // In the order js2il an interval without a period runs once.
    hooks.runTimer = (number) => {
      const timer = timers.items[number];
      if (timer === undefined) return;
      const callback = timer._onTimeout;
      const args = timer._timerArgs;
      timer.#isRunning = true;
      contexts.set(timer.#context);
      try {
        if (args === undefined) timer._onTimeout();
        else apply(callback, timer, args);
      } finally {
        contexts.set(undefined);
        timer.#isRunning = false;
        const isLast = timer._repeat === null || (config.js2il && !(timer._repeat > 0));
        if (isLast && timer.#number === number && !timer.#isRestarted) timer.#end();
        timer.#isRestarted = false;
      }
    };
  }
}

function rest(given, from) {
  if (given.length <= from) return undefined;
  const args = new Array(given.length - from);
  for (let i = from; i < given.length; i += 1) args[i - from] = given[i];
  return args;
}
function setTimeout(callback, after) {
  if (typeof callback !== 'function') throw argumentType('callback', 'function', callback);
  return new Timeout(callback, after, rest(arguments, 2), false);
}
function setInterval(callback, after) {
  if (typeof callback !== 'function') throw argumentType('callback', 'function', callback);
  return new Timeout(callback, after, rest(arguments, 2), true);
}
function clear(timer, isInterval) {
  if (timer instanceof Timeout) {
    clearTimer(timer, isInterval);
  } else if (typeof timer === 'number' || typeof timer === 'string') {
    const found = byId.get(Number(timer));
    if (found !== undefined) clearTimer(found, isInterval);
  }
}
function clearTimeout(timer) { clear(timer, false); }
function clearInterval(timer) { clear(timer, true); }

let stopImmediate;
class Immediate {
  #number = none;
  #hasRef = true;
  #context = contexts.get();
  constructor(callback, args) {
    this._idleNext = null;
    this._idlePrev = null;
    this._onImmediate = callback;
    this._argv = args;
    this._destroyed = false;
    const number = immediates.add(this);
    try {
      natives.setImmediate(number);
    } catch (error) {
      immediates.remove(number);
      throw error;
    }
    this.#number = number;
  }
  #end() {
    immediates.remove(this.#number);
    this.#number = none;
    this._destroyed = true;
    this._onImmediate = null;
  }
  #setRef(hasRef) {
    if (this.#hasRef !== hasRef && this.#number !== none) natives.refImmediate(this.#number, hasRef);
    this.#hasRef = hasRef;
    return this;
  }
  ref() { return this.#setRef(true); }
  unref() { return this.#setRef(false); }
  hasRef() { return this.#hasRef && !this._destroyed; }
  static {
    stopImmediate = (immediate) => {
      if (immediate.#number === none) return;
      natives.clearImmediate(immediate.#number);
      immediate.#end();
    };
    hooks.runImmediate = (number) => {
      const immediate = immediates.items[number];
      if (immediate === undefined) return;
      const callback = immediate._onImmediate;
      const args = immediate._argv;
      immediate.#end();
      contexts.set(immediate.#context);
      try {
        apply(callback, immediate, args ?? noArguments);
      } finally {
        contexts.set(undefined);
      }
    };
  }
}
const noArguments = Object.freeze([]);
function setImmediate(callback) {
  if (typeof callback !== 'function') throw argumentType('callback', 'function', callback);
  return new Immediate(callback, rest(arguments, 1));
}
function clearImmediate(immediate) {
  if (immediate instanceof Immediate) stopImmediate(immediate);
}

// ---- timers/promises ----

function checkOptions(options) {
  if (options === null || typeof options !== 'object') throw argumentType('options', 'Object', options);
  const { signal, ref } = options;
  if (signal !== undefined && (signal === null || typeof signal !== 'object' || !('aborted' in signal))) throw argumentType('options.signal', 'AbortSignal', signal);
  if (ref !== undefined && typeof ref !== 'boolean') throw argumentType('options.ref', 'boolean', ref);
}
function waiting(start, stop, options) {
  try { checkOptions(options); } catch (error) { return Promise.reject(error); }
  const { signal, ref = true } = options;
  if (signal?.aborted) return Promise.reject(shelf.abortError(signal));
  return new Promise((resolve, reject) => {
    let onAbort;
    const timer = start((value) => {
      if (onAbort) signal.removeEventListener('abort', onAbort);
      resolve(value);
    });
    if (!ref) timer.unref();
    if (signal) {
      onAbort = () => { stop(timer); reject(shelf.abortError(signal)); };
      signal.addEventListener('abort', onAbort, { once: true });
    }
  });
}
const promises = {
  setTimeout: (delay, value, options = {}) => waiting((done) => setTimeout(done, delay, value), clearTimeout, options),
  setImmediate: (value, options = {}) => waiting((done) => setImmediate(done, value), clearImmediate, options),
  async *setInterval(delay, value, options = {}) {
    checkOptions(options);
    const { signal, ref = true } = options;
    if (signal?.aborted) throw shelf.abortError(signal);
    let ticks = 0;
    let wake;
    const timer = setInterval(() => { ticks += 1; wake?.(); }, delay);
    if (!ref) timer.unref();
    const onAbort = () => { clearInterval(timer); wake?.(); };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      for (;;) {
        if (ticks === 0 && !signal?.aborted) await new Promise((resolve) => { wake = resolve; });
        if (signal?.aborted) throw shelf.abortError(signal);
        for (; ticks > 0; ticks -= 1) yield value;
      }
    } finally {
      clearInterval(timer);
      signal?.removeEventListener('abort', onAbort);
    }
  },
};
promises.scheduler = { wait: (delay, options) => promises.setTimeout(delay, undefined, options), yield: () => promises.setImmediate() };

const customize = Symbol.for('nodejs.util.promisify.custom');
for (const [target, made] of [[setTimeout, promises.setTimeout], [setImmediate, promises.setImmediate]]) {
  Object.defineProperty(target, customize, { enumerable: true, get: () => made });
}
shelf.activeResources = () => [
  ...timers.items.filter((timer) => timer?.hasRef()).map(() => 'Timeout'),
  ...immediates.items.filter((one) => one?.hasRef()).map(() => 'Immediate'),
];
const api = { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate };
Object.assign(shelf, api);
shelf.builtins.timers = { ...api, promises };
shelf.builtins['timers/promises'] = promises;
shelf.builtins.timers.enroll = undefined;
delete shelf.builtins.timers.enroll;
Object.defineProperty(shelf.builtins.timers, 'promises', { enumerable: true, configurable: true, get: () => promises });
