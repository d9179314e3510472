// SPDX-License-Identifier: Apache-2.0
// Timers and immediates with Node's objects. The host has their order; here are their callbacks, by
// numbers that the host calls with.
'use strict';
const { base, hooks } = shelf;
const { natives, engine, config, argumentType, outOfRange, apply, then } = base;
const { getContext, setContext } = engine;
const inspectCustom = Symbol.for('nodejs.util.inspect.custom');
const longest = 2 ** 31 - 1;

// Numbers are used again, the last one first.
class Slots {
  items = [];
  free = [];
  add(item) {
    const number = this.free.length > 0 ? this.free[this.free.length - 1] : this.items.length;
    if (this.free.length > 0) this.free.length -= 1;
    this.items[number] = item;
    return number;
  }
  remove(number) {
    this.items[number] = undefined;
    this.free[this.free.length] = number;
  }
}
const timers = new Slots();
const immediates = new Slots();
const byId = new base.SafeMap();  // timers whose primitive id was asked for
let lastId = 0;

function call(callback, self, args) {
  switch (args === undefined ? 0 : args.length) {
    case 0: return apply(callback, self, []);
    default: return apply(callback, self, args);
  }
}

class Timeout {
  constructor(callback, after, args, repeats) {
    let delay = +after;
    if (!config.js2il && !(delay >= 1 && delay <= longest)) {
      if (delay > longest) {
        shelf.process.emitWarning(`${delay} does not fit into a 32-bit signed integer.\nTimeout duration was set to 1.`, 'TimeoutOverflowWarning');
      }
      delay = 1;
    }
    lastId += 1;
    this._idleTimeout = config.js2il ? delay : Math.trunc(delay);
    this._idlePrev = null;
    this._idleNext = null;
    this._idleStart = null;
    this._onTimeout = callback;
    this._timerArgs = args;
    this._repeat = repeats ? this._idleTimeout : null;
    this._destroyed = false;
    Object.defineProperty(this, hidden, { value: { number: -1, hasRef: true, context: getContext(), id: lastId, isRunning: false }, enumerable: false });
    this[hidden].number = timers.add(this);
    try {
      natives.setTimer(this[hidden].number, this._idleTimeout, repeats);
    } catch (error) {
      timers.remove(this[hidden].number);
      throw error;
    }
  }
  ref() { return setRef(this, true); }
  unref() { return setRef(this, false); }
  hasRef() { return this[hidden].hasRef && !this._destroyed; }
  refresh() {
    const state = this[hidden];
    if (state.number >= 0) natives.refreshTimer(state.number);
    else if (this._onTimeout !== null && !state.isCleared) {
      // It has run: it starts anew.
      this._destroyed = false;
      state.number = timers.add(this);
      natives.setTimer(state.number, this._idleTimeout, this._repeat !== null);
      if (!state.hasRef) natives.refTimer(state.number, false);
    }
    return this;
  }
  close() { clearTimeout(this); return this; }
  [Symbol.toPrimitive]() {
    const { id } = this[hidden];
    if (!this._destroyed) byId.set(id, this);
    return id;
  }
  [inspectCustom](depth, options) {
    return shelf.inspect(this, { ...options, depth: 0, customInspect: false });
  }
}
const hidden = Symbol('timer');
function setRef(timer, hasRef) {
  const state = timer[hidden];
  if (state.hasRef !== hasRef) {
    state.hasRef = hasRef;
    if (state.number >= 0) natives.refTimer(state.number, hasRef);
  }
  return timer;
}
function end(timer) {
  const state = timer[hidden];
  if (state.number >= 0) timers.remove(state.number);
  state.number = -1;
  timer._destroyed = true;
  byId.delete(state.id);
}

// In the order js2il an interval without a period runs once.
hooks.runTimer = (number) => {
  const timer = timers.items[number];
  if (timer === undefined) return;
  const state = timer[hidden];
  const isLast = timer._repeat === null || (config.js2il && !(timer._repeat > 0));
  state.isRunning = true;
  setContext(state.context);
  let hasReturned = false;
  try {
    if (timer._onTimeout) call(timer._onTimeout, timer, timer._timerArgs);
    hasReturned = true;
  } finally {
    setContext(undefined);
    state.isRunning = false;
    if (isLast && state.number === number && !state.isRestarted) end(timer);
    state.isRestarted = false;
    void hasReturned;
  }
};
// A timer that is refreshed while it runs waits again.
const refresh = Timeout.prototype.refresh;
Timeout.prototype.refresh = function refreshed() {
  const state = this[hidden];
  if (state.isRunning && state.number >= 0) state.isRestarted = true;
  return apply(refresh, this, []);
};

function setTimeout(callback, after, ...args) {
  base.checks.isFunction(callback, 'callback');
  return new Timeout(callback, after, args.length ? args : undefined, false);
}
function setInterval(callback, after, ...args) {
  base.checks.isFunction(callback, 'callback');
  return new Timeout(callback, after, args.length ? args : undefined, true);
}
function clear(timer, isInterval) {
  if (timer instanceof Timeout && timer[hidden] !== undefined) {
    const state = timer[hidden];
    if (isInterval && config.js2il && timer._repeat === null) return;
    if (state.number >= 0) natives.clearTimer(state.number, isInterval && config.js2il);
    state.isCleared = true;
    timer._onTimeout = null;
    state.isRestarted = false;
    end(timer);
  } else if (typeof timer === 'number' || typeof timer === 'string') {
    const found = byId.get(Number(timer));
    if (found !== undefined) clear(found, isInterval);
  }
}
function clearTimeout(timer) { clear(timer, false); }
function clearInterval(timer) { clear(timer, true); }

class Immediate {
  constructor(callback, args) {
    this._idleNext = null;
    this._idlePrev = null;
    this._onImmediate = callback;
    this._argv = args;
    this._destroyed = false;
    Object.defineProperty(this, hidden, { value: { number: -1, hasRef: true, context: getContext() }, enumerable: false });
    this[hidden].number = immediates.add(this);
    try {
      natives.setImmediate(this[hidden].number);
    } catch (error) {
      immediates.remove(this[hidden].number);
      throw error;
    }
  }
  ref() { return setImmediateRef(this, true); }
  unref() { return setImmediateRef(this, false); }
  hasRef() { return this[hidden].hasRef && !this._destroyed; }
}
function setImmediateRef(immediate, hasRef) {
  const state = immediate[hidden];
  if (state.hasRef !== hasRef && state.number >= 0) natives.refImmediate(state.number, hasRef);
  state.hasRef = hasRef;
  return immediate;
}
function endImmediate(immediate) {
  immediates.remove(immediate[hidden].number);
  immediate[hidden].number = -1;
  immediate._destroyed = true;
}
hooks.runImmediate = (number) => {
  const immediate = immediates.items[number];
  if (immediate === undefined) return;
  endImmediate(immediate);
  const callback = immediate._onImmediate;
  immediate._onImmediate = null;
  setContext(immediate[hidden].context);
  try {
    call(callback, immediate, immediate._argv);
  } finally {
    setContext(undefined);
  }
};
function setImmediate(callback, ...args) {
  base.checks.isFunction(callback, 'callback');
  return new Immediate(callback, args.length ? args : undefined);
}
function clearImmediate(immediate) {
  if (!(immediate instanceof Immediate) || immediate[hidden] === undefined || immediate[hidden].number < 0) return;
  natives.clearImmediate(immediate[hidden].number);
  immediate._onImmediate = null;
  endImmediate(immediate);
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
void outOfRange; void then;
const api = { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate };
Object.assign(shelf, api);
shelf.builtins.timers = { ...api, promises };
shelf.builtins['timers/promises'] = promises;
shelf.builtins.timers.enroll = undefined;
delete shelf.builtins.timers.enroll;
Object.defineProperty(shelf.builtins.timers, 'promises', { enumerable: true, configurable: true, get: () => promises });
