// SPDX-License-Identifier: Apache-2.0
// DOMException, Event, EventTarget, AbortController and AbortSignal.
'use strict';
const { base } = shelf;
const { natives, coded, argumentType, apply } = base;
const inspectCustom = Symbol.for('nodejs.util.inspect.custom');

const domNames = ['IndexSizeError', 'DOMStringSizeError', 'HierarchyRequestError', 'WrongDocumentError', 'InvalidCharacterError', 'NoDataAllowedError', 'NoModificationAllowedError', 'NotFoundError', 'NotSupportedError', 'InUseAttributeError', 'InvalidStateError', 'SyntaxError', 'InvalidModificationError', 'NamespaceError', 'InvalidAccessError', 'ValidationError', 'TypeMismatchError', 'SecurityError', 'NetworkError', 'AbortError', 'URLMismatchError', 'QuotaExceededError', 'TimeoutError', 'InvalidNodeTypeError', 'DataCloneError'];
const domConstants = ['INDEX_SIZE_ERR', 'DOMSTRING_SIZE_ERR', 'HIERARCHY_REQUEST_ERR', 'WRONG_DOCUMENT_ERR', 'INVALID_CHARACTER_ERR', 'NO_DATA_ALLOWED_ERR', 'NO_MODIFICATION_ALLOWED_ERR', 'NOT_FOUND_ERR', 'NOT_SUPPORTED_ERR', 'INUSE_ATTRIBUTE_ERR', 'INVALID_STATE_ERR', 'SYNTAX_ERR', 'INVALID_MODIFICATION_ERR', 'NAMESPACE_ERR', 'INVALID_ACCESS_ERR', 'VALIDATION_ERR', 'TYPE_MISMATCH_ERR', 'SECURITY_ERR', 'NETWORK_ERR', 'ABORT_ERR', 'URL_MISMATCH_ERR', 'QUOTA_EXCEEDED_ERR', 'TIMEOUT_ERR', 'INVALID_NODE_TYPE_ERR', 'DATA_CLONE_ERR'];
// An Error whose message, name and code are read from its class.
const domStates = new base.SafeWeakMap();
const domStateOf = (value) => {
  const state = domStates.get(value);
  if (state === undefined) throw coded(TypeError, 'ERR_INVALID_THIS', 'Value of "this" must be of type DOMException');
  return state;
};
class DOMException {
  constructor(message = '', options = 'Error') {
    Error.captureStackTrace?.(this, DOMException);
    const isObject = options !== null && typeof options === 'object';
    const name = isObject ? options.name ?? 'Error' : options;
    domStates.set(this, { message: `${message}`, name: `${name}` });
    if (isObject && 'cause' in options) base.defineProperty(this, 'cause', { value: options.cause, configurable: true, writable: true, enumerable: false });
    if (typeof this.stack === 'string') {
      const frames = this.stack.indexOf('\n    at');
      const head = message === '' ? `${name}` : `${name}: ${message}`;
      base.defineProperty(this, 'stack', { value: head + (frames === -1 ? '' : this.stack.slice(frames)), configurable: true, writable: true, enumerable: false });
    }
  }
  get name() { return domStateOf(this).name; }
  get message() { return domStateOf(this).message; }
  get code() { return domNames.indexOf(domStateOf(this).name) + 1; }
}
Object.setPrototypeOf(DOMException.prototype, Error.prototype);
for (const name of ['name', 'message', 'code']) base.defineProperty(DOMException.prototype, name, { enumerable: true });
base.defineProperty(DOMException.prototype, Symbol.toStringTag, { value: 'DOMException', configurable: true });
domConstants.forEach((name, i) => {
  for (const owner of [DOMException, DOMException.prototype]) base.defineProperty(owner, name, { value: i + 1, enumerable: true });
});
shelf.DOMException = DOMException;
const illegalThis = (type) => coded(TypeError, 'ERR_INVALID_THIS', `Value of "this" must be of type ${type}`);
const missing = (...names) => {
  const quoted = names.map((name) => `"${name}"`);
  return coded(TypeError, 'ERR_MISSING_ARGS', `The ${quoted.join(' and ')} argument${names.length > 1 ? 's' : ''} must be specified`);
};
const shallower = (options) => ({ ...options, depth: Number.isInteger(options.depth) ? options.depth - 1 : options.depth });

// ---- Event ----

const states = new base.SafeWeakMap();  // an event to its dispatch
const stateOf = (event) => {
  const state = states.get(event);
  if (state === undefined) throw illegalThis('Event');
  return state;
};
class Event {
  constructor(type, options = undefined) {
    if (arguments.length === 0) throw missing('type');
    if (options != null) base.checks.isObject(options, 'options');
    states.set(this, {
      type: `${type}`, bubbles: Boolean(options?.bubbles), cancelable: Boolean(options?.cancelable), composed: Boolean(options?.composed),
      target: null, isDispatching: false, isCancelled: false, isStopped: false, isStoppedAtOnce: false, time: natives.now(),
    });
  }
  initEvent(type, bubbles = false, cancelable = false) {
    if (arguments.length === 0) throw missing('type');
    const state = stateOf(this);
    if (!state.isDispatching) Object.assign(state, { type: `${type}`, bubbles: Boolean(bubbles), cancelable: Boolean(cancelable) });
  }
  get isTrusted() { stateOf(this); return trusted.has(this); }
  get type() { return stateOf(this).type; }
  get target() { return stateOf(this).target; }
  get currentTarget() { const state = stateOf(this); return state.isDispatching ? state.target : null; }
  get srcElement() { return stateOf(this).target; }
  get bubbles() { return stateOf(this).bubbles; }
  get cancelable() { return stateOf(this).cancelable; }
  get composed() { return stateOf(this).composed; }
  get defaultPrevented() { const state = stateOf(this); return state.cancelable && state.isCancelled; }
  get timeStamp() { return stateOf(this).time; }
  get eventPhase() { return stateOf(this).isDispatching ? 2 : 0; }
  get returnValue() { const state = stateOf(this); return !state.cancelable || !state.isCancelled; }
  get cancelBubble() { return stateOf(this).isStopped; }
  set cancelBubble(value) { if (value) stateOf(this).isStopped = true; }
  composedPath() { const state = stateOf(this); return state.isDispatching ? [state.target] : []; }
  preventDefault() { stateOf(this).isCancelled = true; }
  stopPropagation() { stateOf(this).isStopped = true; }
  stopImmediatePropagation() { Object.assign(stateOf(this), { isStopped: true, isStoppedAtOnce: true }); }
  [inspectCustom](depth, options) {
    const { type, isCancelled, cancelable, time } = stateOf(this);
    const { name } = this.constructor;
    if (depth < 0) return name;
    return `${name} ${shelf.inspect({ type, defaultPrevented: isCancelled, cancelable, timeStamp: time }, shallower(options))}`;
  }
}
const trusted = new base.SafeWeakMap();
const tag = (Class, name) => Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: name, configurable: true, enumerable: false, writable: false });
const enumerable = (Class, names) => {
  for (const name of names) Object.defineProperty(Class.prototype, name, { enumerable: true });
};
tag(Event, 'Event');
enumerable(Event, ['initEvent', 'stopImmediatePropagation', 'preventDefault', 'target', 'currentTarget', 'srcElement', 'type', 'cancelable', 'defaultPrevented', 'timeStamp', 'composedPath', 'returnValue', 'bubbles', 'composed', 'eventPhase', 'cancelBubble', 'stopPropagation', 'isTrusted']);
['NONE', 'CAPTURING_PHASE', 'AT_TARGET', 'BUBBLING_PHASE'].forEach((name, value) => {
  Object.defineProperty(Event, name, { value, enumerable: true, configurable: false, writable: false });
});
const details = new base.SafeWeakMap();
class CustomEvent extends Event {
  constructor(type, options = {}) {
    if (arguments.length === 0) throw missing('type');
    super(type, options);
    details.set(this, options?.detail ?? null);
  }
  get detail() {
    if (!details.has(this)) throw illegalThis('CustomEvent');
    return details.get(this);
  }
}
tag(CustomEvent, 'CustomEvent');
enumerable(CustomEvent, ['detail']);

// ---- EventTarget ----

const targets = new base.SafeWeakMap();  // a target to its listeners by type
const resists = Symbol('resists stopImmediatePropagation');
const listenersOf = (target) => {
  const all = target === null || typeof target !== 'object' && typeof target !== 'function' ? undefined : targets.get(target);
  if (all === undefined) throw illegalThis('EventTarget');
  return all;
};
// False for a listener that has no effect.
function isListener(listener) {
  if (listener === undefined || listener === null) return false;
  if (typeof listener === 'function' || typeof listener === 'object') return true;
  throw argumentType('listener', 'EventListener', listener);
}
function listenerOptions(options) {
  if (typeof options === 'boolean') return { capture: options };
  if (options === null || options === undefined) return {};
  if (typeof options !== 'object' && typeof options !== 'function') throw argumentType('options', 'Object', options);
  return { once: Boolean(options.once), capture: Boolean(options.capture), passive: Boolean(options.passive), signal: options.signal, resists: options[resists] };
}
function checkSignal(signal, name) {
  if (signal !== undefined && (signal === null || typeof signal !== 'object' || !('aborted' in signal))) throw argumentType(name, 'AbortSignal', signal);
}
const limits = new base.SafeWeakMap();  // a target to how many listeners of a type it takes without a warning
function warnOfMany(target, type, count) {
  const limit = limits.get(target)?.count ?? shelf.EventEmitter.defaultMaxListeners;
  if (limit === 0 || count <= limit || limits.get(target)?.isTold) return;
  limits.set(target, { count: limit, isTold: true });
  const warning = new Error(`Possible EventTarget memory leak detected. ${count} ${type} listeners added to ${shelf.inspect(target, { depth: -1 })}. MaxListeners is ${limit}. Use events.setMaxListeners() to increase limit`);
  warning.name = 'MaxListenersExceededWarning';
  shelf.process.emitWarning(Object.assign(warning, { target, type, count }));
}
const throwLater = (error) => shelf.process.nextTick(() => { throw error; });
function callListener(one, target, event, state) {
  try {
    let result;
    if (typeof one.callback === 'function') result = apply(one.callback, target, [event]);
    else result = (async () => { if (one.callback.handleEvent) await one.callback.handleEvent(event); })();
    state.isDispatching = false;
    if (result !== undefined && result !== null && typeof result.then === 'function') result.then(undefined, throwLater);
  } catch (error) {
    throwLater(error);
  }
}
class EventTarget {
  constructor() { targets.set(this, new base.SafeMap()); }
  addEventListener(type, listener, options = {}) {
    const all = listenersOf(this);
    if (arguments.length < 2) throw missing('type', 'listener');
    const { once = false, capture = false, signal, resists: isResisting = false } = listenerOptions(options);
    checkSignal(signal, 'options.signal');
    if (signal) {
      if (signal.aborted) return;
      signal.addEventListener('abort', () => this.removeEventListener(type, listener, options), { once: true, [resists]: true });
    }
    if (!isListener(listener)) {
      const warning = new Error(`addEventListener called with ${listener} which has no effect.`);
      warning.name = 'AddEventListenerArgumentTypeWarning';
      shelf.process.emitWarning(Object.assign(warning, { target: this, type }));
      return;
    }
    const name = `${type}`;
    const list = all.get(name) ?? [];
    if (list.some((one) => one.callback === listener && one.capture === capture)) return;
    list[list.length] = { callback: listener, once, capture, isResisting, isRemoved: false };
    all.set(name, list);
    warnOfMany(this, name, list.length);
  }
  removeEventListener(type, listener, options = {}) {
    const all = listenersOf(this);
    if (arguments.length < 2) throw missing('type', 'listener');
    if (!isListener(listener)) return;
    const capture = typeof options === 'boolean' ? options : options?.capture === true;
    const list = all.get(`${type}`) ?? [];
    for (const one of list) if (one.callback === listener && one.capture === capture) one.isRemoved = true;
    const left = list.filter((one) => !one.isRemoved);
    if (left.length > 0) all.set(`${type}`, left);
    else all.delete(`${type}`);
  }
  dispatchEvent(event) {
    const all = listenersOf(this);
    if (arguments.length < 1) throw missing('event');
    if (!(event instanceof Event)) throw argumentType('event', 'Event', event);
    const state = stateOf(event);
    if (state.isDispatching) throw coded(Error, 'ERR_EVENT_RECURSION', `The event "${event.type}" is already being dispatched`);
    state.target = this;
    state.isDispatching = true;
    // Listeners that are added meanwhile run too.
    const list = all.get(event.type) ?? [];
    for (let i = 0; i < list.length; i += 1) {
      const one = list[i];
      if (one.isRemoved || (state.isStoppedAtOnce && !one.isResisting)) continue;
      if (one.once) {
        one.isRemoved = true;
        const left = (all.get(event.type) ?? []).filter((other) => other !== one);
        if (left.length > 0) all.set(event.type, left);
        else all.delete(event.type);
      }
      callListener(one, this, event, state);
      const now = all.get(event.type);
      if (now !== undefined && now !== list) for (const other of now) if (!list.includes(other)) list[list.length] = other;
    }
    state.isDispatching = false;
    return !event.defaultPrevented;
  }
  [inspectCustom](depth, options) {
    const { name } = this.constructor;
    return depth < 0 ? name : `${name} ${shelf.inspect({}, shallower(options))}`;
  }
}
tag(EventTarget, 'EventTarget');
enumerable(EventTarget, ['addEventListener', 'removeEventListener', 'dispatchEvent']);
shelf.listenersOf = (target, type) => (targets.get(target)?.get(`${type}`) ?? []).map((one) => one.callback);
shelf.isEventTarget = (value) => value !== null && typeof value === 'object' && targets.has(value);
shelf.listenerLimit = (target) => limits.get(target)?.count ?? shelf.EventEmitter.defaultMaxListeners;
shelf.setListenerLimit = (target, count) => limits.set(target, { count, isTold: false });
shelf.checkSignal = checkSignal;
shelf.resistsStop = resists;

// ---- Abort ----

const isOwn = Symbol('only for AbortSignal itself');
const abortReason = () => new DOMException('This operation was aborted', 'AbortError');
const signals = new base.SafeWeakMap();  // a signal to its state
const signalOf = (signal) => {
  const state = signals.get(signal);
  if (state === undefined) throw illegalThis('AbortSignal');
  return state;
};
function makeSignal() { return new AbortSignal(isOwn); }
function stopSignal(signal, reason) {
  const state = signalOf(signal);
  if (state.isAborted) return;
  state.isAborted = true;
  state.reason = reason;
  const event = new Event('abort');
  trusted.set(event, true);
  signal.dispatchEvent(event);
  state.dependants.forEach((one) => stopSignal(one, reason));
}
class AbortSignal extends EventTarget {
  constructor() {
    if (arguments[0] !== isOwn) throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    super();
    signals.set(this, { isAborted: false, reason: undefined, dependants: new base.SafeSet(), sources: undefined, handler: null, wrapped: undefined });
  }
  get aborted() { return signalOf(this).isAborted; }
  get reason() { return signalOf(this).reason; }
  get onabort() { return signalOf(this).handler; }
  set onabort(handler) {
    const state = signalOf(this);
    state.handler = typeof handler === 'function' || (handler !== null && typeof handler === 'object') ? handler : null;
    if (state.wrapped === undefined) {
      state.wrapped = (event) => { if (typeof state.handler === 'function') apply(state.handler, this, [event]); };
      this.addEventListener('abort', state.wrapped);
    }
  }
  throwIfAborted() { const state = signalOf(this); if (state.isAborted) throw state.reason; }
  static abort(reason = abortReason()) {
    const signal = makeSignal();
    Object.assign(signalOf(signal), { isAborted: true, reason });
    return signal;
  }
  static timeout(delay) {
    base.checks.isNumber(delay, 'delay');
    if (!Number.isInteger(delay)) throw base.outOfRange('delay', 'an integer', delay);
    if (delay < 0 || delay > 4294967295) throw base.outOfRange('delay', '>= 0 && <= 4294967295', delay);
    const signal = makeSignal();
    shelf.setTimeout(() => stopSignal(signal, new DOMException('The operation was aborted due to timeout', 'TimeoutError')), delay).unref();
    return signal;
  }
  // Of signals made by any itself the sources are followed.
  static any(given) {
    if (!Array.isArray(given)) throw argumentType('signals', 'Array', given);
    given.forEach((signal, i) => checkSignal(signal ?? null, `signals[${i}]`));
    const made = makeSignal();
    const state = signalOf(made);
    state.sources = [];
    for (const signal of given) {
      if (signal.aborted) {
        stopSignal(made, signal.reason);
        return made;
      }
      for (const source of signalOf(signal).sources ?? [signal]) {
        if (state.sources.includes(source)) continue;
        state.sources.push(source);
        signalOf(source).dependants.add(made);
      }
    }
    return made;
  }
  [inspectCustom](depth, options) {
    return depth < 0 ? this : `${this.constructor.name} ${shelf.inspect({ aborted: this.aborted }, shallower(options))}`;
  }
}
tag(AbortSignal, 'AbortSignal');
enumerable(AbortSignal, ['aborted', 'onabort']);
class AbortController {
  #signal;
  get signal() { return this.#signal ??= makeSignal(); }
  abort(reason = abortReason()) { stopSignal(this.#signal ??= makeSignal(), reason); }
  [inspectCustom](depth, options) {
    return depth < 0 ? this : `${this.constructor.name} ${shelf.inspect({ signal: this.signal }, shallower(options))}`;
  }
}
tag(AbortController, 'AbortController');
enumerable(AbortController, ['signal', 'abort']);
shelf.eventGlobals = { Event, CustomEvent, EventTarget, AbortController, AbortSignal };
