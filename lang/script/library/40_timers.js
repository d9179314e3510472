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
  #isInterval = false;
  #context = contexts.get();
  constructor(callback, after, args, repeats) {
    let delay = +after;
    if (!config.js2il) {
      if (delay > longest) tooLong(delay);
      if (!(delay >= 1 && delay <= longest)) delay = 1;
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
      natives.setTimer(number, config.js2il ? this._idleTimeout : Math.trunc(this._idleTimeout), this._repeat !== null);
      this.#isInterval = this._repeat !== null;
    } catch (error) {
      timers.remove(number);
      throw error;
    }
    this.#number = number;
  }
  #repeat() {
    if (this.#isInterval) natives.clearTimer(this.#number, false);
    timers.remove(this.#number);
    this._idleTimeout = this._repeat;
    this.#start();
    if (!this.#hasRef) natives.refTimer(this.#number, false);
  }
  #stop() {
    if (this.#isInterval) natives.clearTimer(this.#number, false);
    this.#end();
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
  // A script may call these with another object.
  ref() { return #number in this ? this.#setRef(true) : this; }
  unref() { return #number in this ? this.#setRef(false) : this; }
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
  [Symbol.dispose]() { clearTimer(this, false); }
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
      timer._idleTimeout = -1;
      timer.#end();
    };
    // In the order js2il an interval without a period runs once.
    hooks.runTimer = (number) => {
      const timer = timers.items[number];
      if (timer === undefined) return;
      const callback = timer._onTimeout;
      const args = timer._timerArgs;
      if (!callback) {  // A script has taken it away.
        timer.#stop();
        return;
      }
      if (config.steps && typeof callback === 'function') base.tell(`timer ${number}`, callback);
      timer.#isRunning = true;
      contexts.set(timer.#context);
      let isDone = false;
      try {
        if (args === undefined) timer._onTimeout();
        else apply(callback, timer, args);
        isDone = true;
      } finally {
        contexts.leave(isDone);
        timer.#isRunning = false;
        // A script may have set _repeat, or _idleTimeout to -1, which ends an interval.
        const repeats = timer._repeat && timer._idleTimeout !== -1 && (!config.js2il || timer._repeat > 0);
        if (timer.#number === number && !timer.#isRestarted) {
          if (!repeats) timer.#stop();
          else if (!timer.#isInterval || timer._repeat !== timer._idleTimeout) timer.#repeat();
        }
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

// ---- Immediates: a list of those that wait, and the batch of the check phase ----

const { shared } = host;
const { ticksPending, immediatesWait, immediatesAreBatch, immediatesAreTaken, immediateReferences, immediatesRun } = shelf.words;
const numbers = new base.SafeWeakMap();  // for --steps
const slots = new Slots();
let waitingFirst = null;
let waitingLast = null;
let batchFirst = null;
let batchLast = null;
let takeBatch;
let stopImmediate;
let referenced;
class Immediate {
  #next = null;
  #previous = null;
  #hasRef = true;  // null: it has run or was cleared
  #context = contexts.get();
  constructor(callback, args) {
    this._idleNext = null;
    this._idlePrev = null;
    this._onImmediate = callback;
    this._argv = args;
    this._destroyed = false;
    if (shared[immediatesAreTaken] !== 0) takeBatch();
    if (waitingLast === null) {
      waitingFirst = this;
      shared[immediatesWait] = 1;
    } else {
      this.#previous = waitingLast;
      waitingLast.#next = this;
    }
    waitingLast = this;
    shared[immediateReferences] += 1;
  }
  #end() {
    const next = this.#next;
    const previous = this.#previous;
    if (previous !== null) previous.#next = next;
    else if (batchFirst === this) batchFirst = next;
    else waitingFirst = next;
    if (next !== null) next.#previous = previous;
    else if (batchLast === this) batchLast = previous;
    else waitingLast = previous;
    if (batchFirst === null) shared[immediatesAreBatch] = 0;
    if (waitingFirst === null) shared[immediatesWait] = 0;
    this.#next = null;
    this.#previous = null;
    if (this.#hasRef) shared[immediateReferences] -= 1;
    this.#hasRef = null;
    this._destroyed = true;
  }
  #setRef(hasRef) {
    if (this.#hasRef !== null && this.#hasRef !== hasRef) {
      shared[immediateReferences] += hasRef ? 1 : -1;
      this.#hasRef = hasRef;
    }
    return this;
  }
  ref() { return this.#setRef(true); }
  unref() { return this.#setRef(false); }
  hasRef() { return this.#hasRef === true; }
  [Symbol.dispose]() { stopImmediate(this); }
  static {
    takeBatch = () => {
      shared[immediatesAreTaken] = 0;
      if (waitingFirst === null) return;
      if (batchLast === null) {
        batchFirst = waitingFirst;
      } else {
        batchLast.#next = waitingFirst;
        waitingFirst.#previous = batchLast;
      }
      batchLast = waitingLast;
      waitingFirst = null;
      waitingLast = null;
      shared[immediatesAreBatch] = 1;
      shared[immediatesWait] = 0;
    };
    stopImmediate = (immediate) => {
      if (immediate.#hasRef === null) return;
      if (config.steps) slots.remove(numbers.get(immediate));
      immediate.#end();
      immediate._onImmediate = null;
    };
    referenced = () => {
      const kinds = [];
      for (const first of [batchFirst, waitingFirst]) {
        for (let one = first; one !== null; one = one.#next) if (one.#hasRef) kinds[kinds.length] = 'Immediate';
      }
      return kinds;
    };
    // Up to `max` of the batch; ends after one behind which a checkpoint has work, also such that an
    // earlier checkpoint left when it ended early.
    hooks.runImmediates = (max) => {
      let ran = 0;
      let isDone = false;
      let immediate;
      if (shared[immediatesAreTaken] !== 0) takeBatch();
      try {
        while (ran < max && batchFirst !== null) {
          immediate = batchFirst;
          const args = immediate._argv;
          immediate.#end();
          ran += 1;
          if (config.steps) tellImmediate(immediate);
          contexts.set(immediate.#context);
          if (args === undefined) immediate._onImmediate();
          else apply(immediate._onImmediate, immediate, args);
          immediate._onImmediate = null;
          if (shared[ticksPending] !== 0 || hasRejections() || hasMicrotasks()) break;
        }
        isDone = true;
      } finally {
        contexts.leave(isDone);
        shared[immediatesRun] = ran;
        if (!isDone) immediate._onImmediate = null;
      }
    };
  }
}
const { hasMicrotasks } = base.engine;
const { hasRejections } = shelf;
function tellImmediate(immediate) {
  const number = numbers.get(immediate);
  slots.remove(number);
  natives.enterImmediate(number);
  if (typeof immediate._onImmediate === 'function') base.tell(`immediate ${number}`, immediate._onImmediate);
}
function setImmediate(callback) {
  if (typeof callback !== 'function') throw argumentType('callback', 'function', callback);
  const made = new Immediate(callback, rest(arguments, 1));
  if (config.steps) {
    numbers.set(made, slots.add(made));
    natives.keepImmediate(numbers.get(made));
  }
  return made;
}
function clearImmediate(immediate) {
  if (immediate instanceof Immediate) stopImmediate(immediate);
}

// ---- The old functions for objects that are timers themselves ----

const started = new base.SafeWeakMap();  // an object to its timer
function warnOld(name, code, instead) {
  if (warnOld[name]) return;
  warnOld[name] = true;
  shelf.process.emitWarning(`timers.${name}() is deprecated. Please use ${instead} instead.`, 'DeprecationWarning', code);
}
function forget(item) {
  if (!started.has(item)) return;
  started.delete(item);
  item._idleNext = null;
  item._idlePrev = null;
}
function unenroll(item) {
  warnOld('unenroll', 'DEP0096', 'clearTimeout');
  const timer = started.get(item) ?? item;
  forget(item);
  if (timer instanceof Timeout) clearTimer(timer, false);
  item._idleTimeout = -1;
}
function enroll(item, delay) {
  warnOld('enroll', 'DEP0095', 'setTimeout');
  base.checks.isNumber(delay, 'msecs');
  if (!(delay >= 0 && Number.isFinite(delay))) throw base.outOfRange('msecs', 'a non-negative finite number', delay);
  if (started.has(item)) unenroll(item);
  if (delay > longest) shelf.process.emitWarning(`${delay} does not fit into a 32-bit signed integer.\nTimer duration was truncated to ${longest}.`, 'TimeoutOverflowWarning');
  item._idleTimeout = Math.min(Math.trunc(delay), longest);
}
function activate(item, hasRef) {
  const delay = item._idleTimeout;
  if (delay === undefined || delay < 0) return;
  const before = started.get(item);
  if (before !== undefined) clearTimer(before, false);
  const timer = new Timeout(() => { forget(item); if (typeof item._onTimeout === 'function') item._onTimeout(); }, delay, undefined, false);
  if (!hasRef) timer.unref();
  started.set(item, timer);
  item._idleStart = Math.trunc(natives.now());
  item._idleNext = item;
  item._idlePrev = item;
}
const old = {
  _unrefActive(item) { warnOld('_unrefActive', 'DEP0127', 'timeout.refresh()'); activate(item, false); },
  active(item) { warnOld('active', 'DEP0126', 'timeout.refresh()'); activate(item, true); },
  enroll, unenroll,
};

// ---- timers/promises ----

function checkOptions(options) {
  if (options === null || typeof options !== 'object') throw argumentType('options', 'Object', options);
  const { signal, ref } = options;
  shelf.checkSignal(signal, 'options.signal');
  if (ref !== undefined && typeof ref !== 'boolean') throw argumentType('options.ref', 'boolean', ref);
}
// After `end`, and after as many jobs as Node takes to take its listener from the signal.
function afterwards(promise, end) {
  const { then } = base;
  const copy = new Promise((resolve, reject) => { then(promise, resolve, reject); });
  const ended = then(copy,
    (value) => { end(); return then(Promise.resolve(), () => value); },
    (error) => { end(); return then(Promise.resolve(), () => { throw error; }); });
  return new Promise((resolve, reject) => { then(ended, resolve, reject); });
}
function waiting(start, stop, options) {
  try { checkOptions(options); } catch (error) { return Promise.reject(error); }
  const { signal, ref = true } = options;
  if (signal?.aborted) return Promise.reject(shelf.abortError(signal));
  let onAbort;
  const made = new Promise((resolve, reject) => {
    const timer = start(resolve);
    if (!ref) timer.unref();
    if (signal) {
      onAbort = () => { stop(timer); reject(shelf.abortError(signal)); };
      signal.addEventListener('abort', onAbort, { once: true });
    }
  });
  return onAbort === undefined ? made : afterwards(made, () => signal.removeEventListener('abort', onAbort));
}
function waitingFor(delay, start, stop, options) {
  if (delay !== undefined && typeof delay !== 'number') return Promise.reject(argumentType('delay', 'number', delay));
  return waiting(start, stop, options);
}
const promises = {
  setTimeout: (delay, value, options = {}) => waitingFor(delay, (done) => setTimeout(done, delay, value), clearTimeout, options),
  setImmediate: (value, options = {}) => waiting((done) => setImmediate(done, value), clearImmediate, options),
  async *setInterval(delay, value, options = {}) {
    if (delay !== undefined && typeof delay !== 'number') throw argumentType('delay', 'number', delay);
    checkOptions(options);
    const { signal, ref = true } = options;
    if (signal?.aborted) throw shelf.abortError(signal);
    let ticks = 0;
    let wake;
    const wakeWith = (result) => {
      const waiting = wake;
      wake = undefined;
      waiting?.(result);
    };
    const timer = setInterval(() => { ticks += 1; wakeWith(); }, delay);
    if (!ref) timer.unref();
    const onAbort = () => {
      clearInterval(timer);
      if (wake !== undefined) wakeWith(Promise.reject(shelf.abortError(signal)));
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      while (!signal?.aborted) {
        if (ticks === 0) await new Promise((resolve) => { wake = resolve; });
        for (; ticks > 0; ticks -= 1) yield value;
      }
      throw shelf.abortError(signal);
    } finally {
      clearInterval(timer);
      signal?.removeEventListener('abort', onAbort);
    }
  },
};
function checkScheduler(value) {
  if (value !== promises.scheduler) throw base.coded(TypeError, 'ERR_INVALID_THIS', 'Value of "this" must be of type Scheduler');
}
class Scheduler {
  constructor() { throw base.coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor'); }
  wait(delay, options) { checkScheduler(this); return promises.setTimeout(delay, undefined, options); }
  yield() { checkScheduler(this); return promises.setImmediate(); }
}
promises.scheduler = Object.create(Scheduler.prototype);

const customize = Symbol.for('nodejs.util.promisify.custom');
for (const [target, made] of [[setTimeout, promises.setTimeout], [setImmediate, promises.setImmediate]]) {
  Object.defineProperty(target, customize, { enumerable: true, get: () => made });
}
shelf.activeResources = () => [
  ...timers.items.filter((timer) => timer?.hasRef()).map(() => 'Timeout'),
  ...referenced(),
];
Object.defineProperty(setTimeout, 'length', { value: 5, configurable: true });
Object.defineProperty(setInterval, 'length', { value: 5, configurable: true });
Object.defineProperty(setImmediate, 'length', { value: 4, configurable: true });
const api = { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate };
Object.assign(shelf, api);
shelf.builtins.timers = { ...api, ...old, promises };
shelf.builtins['timers/promises'] = promises;
Object.defineProperty(shelf.builtins.timers, 'promises', { enumerable: true, configurable: true, get: () => promises });
