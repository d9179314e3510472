// SPDX-License-Identifier: Apache-2.0
// node:events: EventEmitter, once, on.
'use strict';
const { base } = shelf;
const { apply, coded, argumentType, outOfRange } = base;

shelf.emittedErrors = new base.SafeWeakMap();  // an error to where it was emitted without a listener
const kCapture = Symbol('kCapture');
const kShapeMode = Symbol('shapeMode');
const kRejection = Symbol.for('nodejs.rejection');
let defaultMaxListeners = 10;

function EventEmitter(options) {
  apply(EventEmitter.init, this, [options]);
}
EventEmitter.init = function init(options) {
  const isFresh = this._events === undefined || this._events === Object.getPrototypeOf(this)._events;
  if (isFresh) {
    this._events = { __proto__: null };
    this._eventsCount = 0;
  }
  this._maxListeners = this._maxListeners || undefined;
  this[kShapeMode] = !isFresh;
  if (options?.captureRejections) {
    base.checks.isBoolean(options.captureRejections, 'options.captureRejections');
    this[kCapture] = true;
  } else {
    this[kCapture] = EventEmitter.prototype[kCapture];
  }
};
Object.defineProperty(EventEmitter.prototype, kCapture, { value: false, writable: true, enumerable: false });
EventEmitter.prototype._events = undefined;
EventEmitter.prototype._eventsCount = 0;
EventEmitter.prototype._maxListeners = undefined;

function checkListener(listener) { base.checks.isFunction(listener, 'listener'); }

function checkLimit(count, name) {
  base.checks.isNumber(count, name);
  if (!(count >= 0)) throw outOfRange(name, '>= 0', count);
}
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

function onceWrapper(...args) {
  if (this.fired) return undefined;
  this.target.removeListener(this.type, this.wrapped);
  this.fired = true;
  return apply(this.listener, this.target, args);
}
function wrapOnce(emitter, type, listener) {
  const state = { fired: false, wrapped: undefined, target: emitter, type, listener };
  const wrapped = onceWrapper.bind(state);
  wrapped.listener = listener;
  state.wrapped = wrapped;
  return wrapped;
}

// With captureRejections the promise of an async listener becomes an 'error' event, in a tick of its own.
function captureRejection(emitter, promise, type, args) {
  if (!emitter[kCapture]) return;
  try {
    const { then } = promise;
    if (typeof then === 'function') apply(then, promise, [undefined, (error) => shelf.process.nextTick(emitRejection, emitter, error, type, args)]);
  } catch (error) {
    emitter.emit('error', error);
  }
}
function emitRejection(emitter, error, type, args) {
  if (typeof emitter[kRejection] === 'function') {
    emitter[kRejection](error, type, ...args);
    return;
  }
  const before = emitter[kCapture];
  try {
    emitter[kCapture] = false;
    emitter.emit('error', error);
  } finally {
    emitter[kCapture] = before;
  }
}

function copyOf(list) {
  const made = new Array(list.length);
  for (let i = 0; i < list.length; i += 1) made[i] = list[i];
  return made;
}
const methods = {
  setMaxListeners(count) {
    checkLimit(count, 'setMaxListeners');
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
        if (error instanceof Error) {
          const told = { stack: '', owner: '' };
          Error.captureStackTrace?.(told, EventEmitter.prototype.emit);
          const name = this.constructor?.name;
          if (name !== undefined && name !== 'EventEmitter') told.owner = ` on ${name} instance`;
          shelf.emittedErrors.set(error, told);
          throw error;
        }
        let text;
        try { text = shelf.inspect(error); } catch { text = error; }
        const unhandled = coded(Error, 'ERR_UNHANDLED_ERROR', `Unhandled error. (${text})`);
        unhandled.context = error;
        throw unhandled;
      }
    }
    if (handler === undefined) return false;
    if (typeof handler === 'function') {
      const result = apply(handler, this, args);
      if (result !== undefined && result !== null) captureRejection(this, result, type, args);
    } else {
      const list = copyOf(handler);
      for (let i = 0; i < list.length; i += 1) {
        const result = apply(list[i], this, args);
        if (result !== undefined && result !== null) captureRejection(this, result, type, args);
      }
    }
    return true;
  },
  addListener(type, listener) { return add(this, type, listener, false); },
  prependListener(type, listener) { return add(this, type, listener, true); },
  once(type, listener) {
    checkListener(listener);
    return this.on(type, wrapOnce(this, type, listener));
  },
  prependOnceListener(type, listener) {
    checkListener(listener);
    return this.prependListener(type, wrapOnce(this, type, listener));
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
      list.splice(at, 1);
      if (list.length === 1) [events[type]] = list;
      if (events.removeListener !== undefined) this.emit('removeListener', type, listener);
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
const twins = { addListener: 'on', removeListener: 'off' };
for (const name of Object.keys(methods)) {
  EventEmitter.prototype[name] = methods[name];
  if (twins[name] !== undefined) EventEmitter.prototype[twins[name]] = methods[name];
}

function abortError(signal) {
  const error = coded(Error, 'ABORT_ERR', 'The operation was aborted');
  error.name = 'AbortError';
  error.stack = error.stack.replace(/^Error \[ABORT_ERR\]/, 'AbortError');
  delete error.toString;
  if (signal !== undefined) Object.defineProperty(error, 'cause', { value: signal.reason, configurable: true, writable: true, enumerable: false });
  return error;
}

// Adds a listener to an emitter or to an event target; returns how to remove it.
function listen(emitter, name, listener, options) {
  if (typeof emitter.on === 'function') {
    if (options?.once) emitter.once(name, listener);
    else emitter.on(name, listener);
    return () => emitter.removeListener(name, listener);
  }
  if (typeof emitter.addEventListener !== 'function') throw argumentType('emitter', 'EventEmitter', emitter);
  emitter.addEventListener(name, listener, { ...options, [shelf.resistsStop]: true });
  return () => emitter.removeEventListener(name, listener);
}
async function once(emitter, name, options = {}) {
  const signal = options?.signal;
  shelf.checkSignal(signal, 'options.signal');
  if (signal?.aborted) throw abortError(signal);
  return new Promise((resolve, reject) => {
    const removes = [];
    const end = () => { for (const remove of removes) remove(); };
    removes.push(listen(emitter, name, (...args) => { end(); resolve(args); }, { once: true }));
    // Event targets have no 'error' event.
    if (name !== 'error' && typeof emitter.once === 'function') {
      const onError = (error) => { end(); reject(error); };
      emitter.once('error', onError);
      removes.push(() => emitter.removeListener('error', onError));
    }
    if (signal) removes.push(listen(signal, 'abort', () => { end(); reject(abortError(signal)); }, { once: true }));
  });
}

const asyncIteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf(async function* none() {}).prototype);
function on(emitter, name, options = {}) {
  const signal = options?.signal;
  shelf.checkSignal(signal, 'options.signal');
  if (signal?.aborted) throw abortError(signal);
  const values = [];
  const waiting = [];
  const removes = [];
  let failure;
  let isDone = false;
  const end = () => {
    for (const remove of removes.splice(0)) remove();
    isDone = true;
    for (const one of waiting.splice(0)) one.resolve({ value: undefined, done: true });
    return Promise.resolve({ value: undefined, done: true });
  };
  const onValue = (...args) => {
    if (waiting.length) waiting.shift().resolve({ value: args, done: false });
    else values.push(args);
  };
  const onError = (error) => {
    if (waiting.length) waiting.shift().reject(error);
    else failure = { error };
    end();
  };
  const iterator = Object.setPrototypeOf({
    next() {
      if (values.length) return Promise.resolve({ value: values.shift(), done: false });
      if (failure) {
        const made = Promise.reject(failure.error);
        failure = undefined;
        return made;
      }
      if (isDone) return end();
      return new Promise((resolve, reject) => { waiting.push({ resolve, reject }); });
    },
    return() { return end(); },
    throw(error) {
      if (!(error instanceof Error)) throw argumentType('EventEmitter.AsyncIterator', 'Error', error);
      onError(error);
    },
    [Symbol.asyncIterator]() { return this; },
  }, asyncIteratorPrototype);
  removes.push(listen(emitter, name, onValue));
  if (name !== 'error' && typeof emitter.on === 'function') removes.push(listen(emitter, 'error', onError));
  for (const close of Array.isArray(options?.close) ? options.close : []) removes.push(listen(emitter, close, end));
  if (signal) removes.push(listen(signal, 'abort', () => onError(abortError(signal)), { once: true }));
  return iterator;
}
function addAbortListener(signal, listener) {
  if (signal === undefined) throw argumentType('signal', 'AbortSignal', signal);
  shelf.checkSignal(signal, 'signal');
  base.checks.isFunction(listener, 'listener');
  let remove;
  if (signal.aborted) shelf.queueMicrotask(() => listener());
  else remove = listen(signal, 'abort', listener, { once: true });
  return { __proto__: null, [Symbol.dispose]() { remove?.(); } };
}

EventEmitter.EventEmitter = EventEmitter;
EventEmitter.errorMonitor = Symbol('events.errorMonitor');
EventEmitter.captureRejectionSymbol = kRejection;
Object.defineProperty(EventEmitter, 'captureRejections', {
  enumerable: true, configurable: true,
  get: () => EventEmitter.prototype[kCapture],
  set(value) {
    base.checks.isBoolean(value, 'EventEmitter.captureRejections');
    EventEmitter.prototype[kCapture] = value;
  },
});
EventEmitter.usingDomains = false;
Object.assign(EventEmitter, { addAbortListener, once, on });
const notEmitter = (value) => argumentType('emitter', ['EventEmitter', 'EventTarget'], value);
EventEmitter.listenerCount = (emitter, type) => (typeof emitter.listenerCount === 'function' ? emitter.listenerCount(type) : apply(methods.listenerCount, emitter, [type]));
EventEmitter.getEventListeners = function getEventListeners(emitter, type) {
  if (typeof emitter?.listeners === 'function') return emitter.listeners(type);
  if (shelf.isEventTarget(emitter)) return shelf.listenersOf(emitter, type);
  throw notEmitter(emitter);
};
EventEmitter.getMaxListeners = function getMaxListeners(emitter) {
  if (typeof emitter?.getMaxListeners === 'function') return limitOf(emitter);
  if (shelf.isEventTarget(emitter)) return shelf.listenerLimit(emitter);
  throw notEmitter(emitter);
};
EventEmitter.setMaxListeners = function setMaxListeners(count = defaultMaxListeners, ...emitters) {
  checkLimit(count, 'setMaxListeners');
  if (emitters.length === 0) defaultMaxListeners = count;
  for (const one of emitters) {
    if (shelf.isEventTarget(one)) shelf.setListenerLimit(one, count);
    else if (typeof one.setMaxListeners === 'function') one.setMaxListeners(count);
    else throw argumentType('eventTargets', ['EventEmitter', 'EventTarget'], one);
  }
};
Object.defineProperty(EventEmitter, 'defaultMaxListeners', {
  enumerable: true, configurable: true,
  get: () => defaultMaxListeners,
  set(count) {
    checkLimit(count, 'defaultMaxListeners');
    defaultMaxListeners = count;
  },
});
shelf.EventEmitter = EventEmitter;
shelf.abortError = abortError;
shelf.builtins.events = EventEmitter;
shelf.lazily(EventEmitter, 'EventEmitterAsyncResource', 'emitter_resource');
// In Node's order, which `for in` and the names of an import show.
for (const name of ['addAbortListener', 'once', 'on', 'getEventListeners', 'getMaxListeners', 'EventEmitter', 'usingDomains', 'captureRejectionSymbol', 'captureRejections', 'EventEmitterAsyncResource', 'errorMonitor', 'defaultMaxListeners', 'setMaxListeners', 'init', 'listenerCount']) {
  const property = Object.getOwnPropertyDescriptor(EventEmitter, name);
  if (!property.configurable) continue;
  delete EventEmitter[name];
  Object.defineProperty(EventEmitter, name, property);
}
