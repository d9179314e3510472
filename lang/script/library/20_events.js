// SPDX-License-Identifier: Apache-2.0
// node:events: EventEmitter, once, on.
'use strict';
const { base } = shelf;
const { apply, coded, argumentType, argumentValue, outOfRange } = base;

const kCapture = Symbol('kCapture');
let defaultMaxListeners = 10;

function EventEmitter(options) {
  apply(EventEmitter.init, this, [options]);
}
EventEmitter.init = function init() {
  if (this._events === undefined || this._events === Object.getPrototypeOf(this)._events) {
    this._events = { __proto__: null };
    this._eventsCount = 0;
  }
  this._maxListeners = this._maxListeners || undefined;
};
EventEmitter.prototype._events = undefined;
EventEmitter.prototype._eventsCount = 0;
EventEmitter.prototype._maxListeners = undefined;

function checkListener(listener) { base.checks.isFunction(listener, 'listener'); }

function limitOf(emitter) { return emitter._maxListeners === undefined ? defaultMaxListeners : emitter._maxListeners; }

function add(emitter, type, listener, isFirst) {
  checkListener(listener);
  let events = emitter._events;
  if (events === undefined) {
    events = emitter._events = { __proto__: null };
    emitter._eventsCount = 0;
  } else if (events.newListener !== undefined) {
    emitter.emit('newListener', type, listener.listener ?? listener);
    events = emitter._events;
  }
  const existing = events[type];
  if (existing === undefined) {
    events[type] = listener;
    emitter._eventsCount += 1;
    return emitter;
  }
  if (typeof existing === 'function') events[type] = isFirst ? [listener, existing] : [existing, listener];
  else if (isFirst) existing.unshift(listener);
  else existing.push(listener);
  const list = events[type];
  const limit = limitOf(emitter);
  if (limit > 0 && list.length > limit && !list.warned) {
    list.warned = true;
    const warning = new Error(`Possible EventEmitter memory leak detected. ${list.length} ${String(type)} listeners added to ${shelf.inspect(emitter, { depth: -1 })}. MaxListeners is ${limit}. Use emitter.setMaxListeners() to increase limit`);
    warning.name = 'MaxListenersExceededWarning';
    warning.emitter = emitter;
    warning.type = type;
    warning.count = list.length;
    shelf.process.emitWarning(warning);
  }
  return emitter;
}

function onceWrapper(emitter, type, listener) {
  const state = { fired: false };
  function wrapped(...args) {
    if (state.fired) return undefined;
    emitter.removeListener(type, wrapped);
    state.fired = true;
    return apply(listener, emitter, args);
  }
  wrapped.listener = listener;
  return wrapped;
}

const methods = {
  setMaxListeners(count) {
    if (typeof count !== 'number' || count < 0 || Number.isNaN(count)) throw outOfRange('n', 'a non-negative number', count);
    this._maxListeners = count;
    return this;
  },
  getMaxListeners() { return limitOf(this); },
  emit(type, ...args) {
    const events = this._events;
    const handler = events === undefined ? undefined : events[type];
    if (type === 'error') {
      if (events !== undefined && events[EventEmitter.errorMonitor] !== undefined) this.emit(EventEmitter.errorMonitor, ...args);
      if (handler === undefined) {
        const [error] = args;
        if (error instanceof Error) throw error;
        let text;
        try { text = shelf.inspect(error); } catch { text = error; }
        const unhandled = coded(Error, 'ERR_UNHANDLED_ERROR', `Unhandled error. (${text})`);
        unhandled.context = error;
        throw unhandled;
      }
    }
    if (handler === undefined) return false;
    if (typeof handler === 'function') {
      apply(handler, this, args);
    } else {
      const list = base.slice(handler);
      for (let i = 0; i < list.length; i += 1) apply(list[i], this, args);
    }
    return true;
  },
  addListener(type, listener) { return add(this, type, listener, false); },
  on(type, listener) { return add(this, type, listener, false); },
  prependListener(type, listener) { return add(this, type, listener, true); },
  once(type, listener) {
    checkListener(listener);
    return this.on(type, onceWrapper(this, type, listener));
  },
  prependOnceListener(type, listener) {
    checkListener(listener);
    return this.prependListener(type, onceWrapper(this, type, listener));
  },
  removeListener(type, listener) {
    checkListener(listener);
    const events = this._events;
    const list = events === undefined ? undefined : events[type];
    if (list === undefined) return this;
    if (list === listener || list.listener === listener) {
      drop(this, type);
      if (events.removeListener) this.emit('removeListener', type, list.listener ?? listener);
    } else if (typeof list !== 'function') {
      let at = list.length - 1;
      while (at >= 0 && list[at] !== listener && list[at].listener !== listener) at -= 1;
      if (at < 0) return this;
      const [removed] = list.splice(at, 1);
      if (list.length === 1) [events[type]] = list;
      if (events.removeListener !== undefined) this.emit('removeListener', type, removed.listener ?? listener);
    }
    return this;
  },
  removeAllListeners(type) {
    const events = this._events;
    if (events === undefined) return this;
    if (events.removeListener === undefined) {
      if (arguments.length === 0) {
        this._events = { __proto__: null };
        this._eventsCount = 0;
      } else if (events[type] !== undefined) {
        drop(this, type);
      }
      return this;
    }
    if (arguments.length === 0) {
      for (const key of Reflect.ownKeys(events)) if (key !== 'removeListener') this.removeAllListeners(key);
      this.removeAllListeners('removeListener');
      this._events = { __proto__: null };
      this._eventsCount = 0;
      return this;
    }
    const list = events[type];
    if (typeof list === 'function') this.removeListener(type, list);
    else if (list !== undefined) for (let i = list.length - 1; i >= 0; i -= 1) this.removeListener(type, list[i]);
    return this;
  },
  listeners(type) { return rawList(this, type).map((listener) => listener.listener ?? listener); },
  rawListeners(type) { return rawList(this, type); },
  listenerCount(type, listener) {
    const list = rawList(this, type);
    return listener == null ? list.length : list.filter((one) => one === listener || one.listener === listener).length;
  },
  eventNames() { return this._eventsCount > 0 ? Reflect.ownKeys(this._events) : []; },
};
function drop(emitter, type) {
  emitter._eventsCount -= 1;
  if (emitter._eventsCount === 0) emitter._events = { __proto__: null };
  else delete emitter._events[type];
}
function rawList(emitter, type) {
  const list = emitter._events === undefined ? undefined : emitter._events[type];
  if (list === undefined) return [];
  return typeof list === 'function' ? [list] : base.slice(list);
}
for (const name of Object.keys(methods)) EventEmitter.prototype[name] = methods[name];
EventEmitter.prototype.off = EventEmitter.prototype.removeListener;

function abortError(signal) {
  const error = coded(Error, 'ABORT_ERR', 'The operation was aborted');
  Object.defineProperty(error, 'name', { value: 'AbortError', configurable: true, writable: true, enumerable: false });
  error.stack = error.stack.replace(/^Error \[ABORT_ERR\]/, 'AbortError');
  delete error.toString;
  if (signal !== undefined) Object.defineProperty(error, 'cause', { value: signal.reason, configurable: true, writable: true, enumerable: false });
  return error;
}

function once(emitter, name, options = {}) {
  const signal = options?.signal;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) throw abortError(signal);
    if (typeof emitter.addEventListener === 'function' && typeof emitter.on !== 'function') {
      emitter.addEventListener(name, (...args) => resolve(args), { once: true });
      return;
    }
    const onError = (error) => { emitter.removeListener(name, resolver); reject(error); };
    const resolver = (...args) => {
      emitter.removeListener('error', onError);
      resolve(args);
    };
    emitter.once(name, resolver);
    if (name !== 'error') emitter.once('error', onError);
    signal?.addEventListener('abort', () => {
      emitter.removeListener(name, resolver);
      emitter.removeListener('error', onError);
      reject(abortError(signal));
    }, { once: true });
  });
}

function on(emitter, name, options = {}) {
  const signal = options?.signal;
  if (signal?.aborted) throw abortError(signal);
  const values = [];
  const waiting = [];
  let failure;
  let isDone = false;
  const onValue = (...args) => {
    if (waiting.length) waiting.shift().resolve({ value: args, done: false });
    else values.push(args);
  };
  const onError = (error) => {
    if (waiting.length) waiting.shift().reject(error);
    else failure = { error };
    iterator.return();
  };
  const iterator = {
    next() {
      if (values.length) return Promise.resolve({ value: values.shift(), done: false });
      if (failure) {
        const made = Promise.reject(failure.error);
        failure = undefined;
        return made;
      }
      if (isDone) return Promise.resolve({ value: undefined, done: true });
      return new Promise((resolve, reject) => { waiting.push({ resolve, reject }); });
    },
    return() {
      isDone = true;
      emitter.removeListener(name, onValue);
      emitter.removeListener('error', onError);
      for (const one of waiting.splice(0)) one.resolve({ value: undefined, done: true });
      return Promise.resolve({ value: undefined, done: true });
    },
    throw(error) { onError(error); return Promise.resolve({ value: undefined, done: true }); },
    [Symbol.asyncIterator]() { return this; },
  };
  emitter.on(name, onValue);
  if (name !== 'error') emitter.on('error', onError);
  signal?.addEventListener('abort', () => onError(abortError(signal)), { once: true });
  return iterator;
}

EventEmitter.EventEmitter = EventEmitter;
EventEmitter.errorMonitor = Symbol('events.errorMonitor');
EventEmitter.captureRejectionSymbol = Symbol.for('nodejs.rejection');
EventEmitter.captureRejections = false;
EventEmitter.usingDomains = false;
EventEmitter.once = once;
EventEmitter.on = on;
EventEmitter.listenerCount = (emitter, type) => emitter.listenerCount(type);
EventEmitter.getEventListeners = (emitter, type) => (emitter.listeners ? emitter.listeners(type) : shelf.listenersOf(emitter, type));
EventEmitter.getMaxListeners = (emitter) => limitOf(emitter);
EventEmitter.setMaxListeners = (count = defaultMaxListeners, ...targets) => {
  if (typeof count !== 'number' || count < 0 || Number.isNaN(count)) throw outOfRange('n', 'a non-negative number', count);
  if (targets.length === 0) defaultMaxListeners = count;
  for (const target of targets) target.setMaxListeners?.(count);
};
Object.defineProperty(EventEmitter, 'defaultMaxListeners', {
  enumerable: true,
  get: () => defaultMaxListeners,
  set(count) {
    if (typeof count !== 'number' || count < 0 || Number.isNaN(count)) throw outOfRange('defaultMaxListeners', 'a non-negative number', count);
    defaultMaxListeners = count;
  },
});
void kCapture; void argumentType; void argumentValue;
shelf.EventEmitter = EventEmitter;
shelf.abortError = abortError;
shelf.builtins.events = EventEmitter;
