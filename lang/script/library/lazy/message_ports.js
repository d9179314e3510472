// SPDX-License-Identifier: Apache-2.0
// MessageChannel, MessagePort and BroadcastChannel, over the natives of lang/script/threads.
'use strict';
shelf.load('message_event');
shelf.load('messages');
const { base, globals, DOMException, messages } = shelf;
const { natives, coded, apply } = base;
const { EventTarget, Event } = shelf.eventGlobals;
const { MessageEvent } = globals;
const inspectCustom = Symbol.for('nodejs.util.inspect.custom');
const isOwn = Symbol('only for the library');
const states = new base.SafeWeakMap();  // a port to its state; `id` is undefined when it is closed or was given away
shelf.isPort = (value) => value !== null && typeof value === 'object' && states.get(value)?.isPort === true;
shelf.hasPorts = (list) => Array.isArray(list) && list.some(shelf.isPort);
shelf.portNumber = (port) => states.get(port)?.id;

// ---- Taking a message ----

// undefined: none waits.
function take(id) {
  const given = natives.portTake(id);
  if (given === undefined) return undefined;
  const at = given.indexOf('\n');
  const [size, ...numbers] = given.slice(0, at).split(',').map(Number);
  const bytes = new Uint8Array(size);
  if (size > 0) natives.portBytes(bytes);
  const made = numbers.map((number) => shelf.makePort(number));
  // Memory is fetched before another message is taken.
  return { value: messages.decode({ text: given.slice(at + 1), bytes, ports: (i) => made[i], shared: (i) => natives.portShared(i) }), ports: made };
}
shelf.takeMessage = take;
function deliver(target, state) {
  let message;
  let type = 'message';
  try { message = take(state.id); } catch (error) { message = { value: error, ports: [] }; type = 'messageerror'; }
  if (message === undefined) return false;
  target.dispatchEvent(new MessageEvent(type, { data: message.value, ports: message.ports }));
  keepAlive(target);
  return true;
}
function onEvent(target, number) {
  const state = states.get(target);
  if (state.id === undefined) return;
  if (number === 1) { deliver(target, state); return; }
  while (state.isStarted && state.id !== undefined && deliver(target, state));
  end(target);
}
// The port has ended: here, or at its other end.
function end(target) {
  const state = states.get(target);
  if (state.id === undefined) return;
  natives.portClose(state.id);
  state.id = undefined;
  shelf.forget(state.event);
  hold(state, false);
  target.dispatchEvent(new Event('close'));
}
function hold(state, isHeld) {
  if (state.isHeld === isHeld) return;
  state.isHeld = isHeld;
  natives.threadHold(isHeld);
}
function attach(target, state) {
  states.set(target, state);
  state.event = shelf.expect((number) => onEvent(target, number), true);
  natives.portAttach(state.id, state.event);
}
// Listeners of messages keep the loop alive.
function keepAlive(target) {
  const state = states.get(target);
  if (!state.isPort) return;
  const count = shelf.listenersOf(target, 'message').length;
  if ((count > 0) === state.hasListeners) return;
  state.hasListeners = count > 0;
  if (count > 0) target.ref();
  else target.unref();
  if (count > 0) target.start();
}
function post(target, state, value, transfer) {
  const list = transfer !== null && typeof transfer === 'object' && typeof transfer[Symbol.iterator] !== 'function' ? transfer.transfer : transfer;
  if (list != null && (typeof list !== 'object' || typeof list[Symbol.iterator] !== 'function')) throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'Optional transferList argument must be an iterable');
  const { text, bytes, ports, shared } = messages.encode(value, list == null ? list : [...list], target);
  if (state.id === undefined) return;
  natives.portPost(state.id, text, bytes, ports.map((number) => `${number},`).join(''), ...shared);
}

// ---- Listeners in the ways of an emitter ----

const wrappers = new base.SafeWeakMap();  // a port to the wrappers of its emitter-style listeners
function wrapperOf(target, type, listener, isNew) {
  let all = wrappers.get(target);
  if (all === undefined) wrappers.set(target, all = new base.SafeMap());
  const own = all.get(type) ?? new base.SafeMap();
  all.set(type, own);
  let found = own.get(listener);
  if (found === undefined && isNew) {
    found = (event) => apply(listener, target, event instanceof MessageEvent ? [event.data] : shelf.emitted?.event === event ? shelf.emitted.args : event.type === 'close' ? [] : [event]);
    found.listener = listener;
    own.set(listener, found);
  }
  return found;
}
const handlerOf = (target, type) => states.get(target)?.handlers?.[type] ?? null;
function setHandler(target, type, handler) {
  const state = states.get(target);
  state.handlers ??= { __proto__: null };
  state.wrapped ??= { __proto__: null };
  state.handlers[type] = typeof handler === 'function' ? handler : null;
  if (state.wrapped[type] !== undefined) target.removeEventListener(type, state.wrapped[type]);
  state.wrapped[type] = undefined;
  if (state.handlers[type] === null) return;
  state.wrapped[type] = (event) => apply(state.handlers[type], target, [event]);
  target.addEventListener(type, state.wrapped[type]);
}
const handlers = (Class, types) => {
  for (const type of types) {
    Object.defineProperty(Class.prototype, `on${type}`, { configurable: true, enumerable: true, get() { return handlerOf(this, type); }, set(handler) { setHandler(this, type, handler); } });
  }
};

class NodeEventTarget extends EventTarget {
  on(type, listener) { this.addEventListener(type, wrapperOf(this, `${type}`, listener, true)); return this; }
  addListener(type, listener) { return this.on(type, listener); }
  once(type, listener) { this.addEventListener(type, wrapperOf(this, `${type}`, listener, true), { once: true }); return this; }
  off(type, listener) {
    const found = wrapperOf(this, `${type}`, listener, false);
    this.removeEventListener(type, found ?? listener);
    return this;
  }
  removeListener(type, listener) { return this.off(type, listener); }
  removeAllListeners(type) {
    const all = type === undefined ? ['message', 'messageerror', 'close'] : [type];
    for (const one of all) for (const listener of shelf.listenersOf(this, one)) this.removeEventListener(one, listener);
    return this;
  }
  emit(type, ...args) {
    const count = shelf.listenersOf(this, type).length;
    const event = type === 'message' ? new MessageEvent(type, { data: args[0] }) : new Event(type);
    shelf.emitted = { event, args };
    this.dispatchEvent(event);
    shelf.emitted = undefined;
    return count > 0;
  }
  listenerCount(type) { return shelf.listenersOf(this, type).length; }
  eventNames() { return ['message', 'messageerror', 'close'].filter((type) => this.listenerCount(type) > 0); }
  setMaxListeners(count) { shelf.setListenerLimit(this, count); return this; }
  getMaxListeners() { return shelf.listenerLimit(this); }
}
class MessagePort extends NodeEventTarget {
  constructor(key, id) {
    if (key !== isOwn) throw coded(TypeError, 'ERR_CONSTRUCT_CALL_INVALID', 'Constructor cannot be called');
    super();
    attach(this, { id, isPort: true, isStarted: false, isHeld: false, hasListeners: false });
  }
  addEventListener(type, ...rest) {
    apply(EventTarget.prototype.addEventListener, this, [type, ...rest]);
    if (type === 'message') keepAlive(this);
  }
  removeEventListener(type, ...rest) {
    apply(EventTarget.prototype.removeEventListener, this, [type, ...rest]);
    if (type === 'message') keepAlive(this);
  }
  postMessage(value, transfer) {
    if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'Not enough arguments to MessagePort.postMessage');
    post(this, states.get(this), value, transfer);
  }
  start() {
    const state = states.get(this);
    if (state.id === undefined || state.isStarted) return;
    state.isStarted = true;
    natives.portStart(state.id);
  }
  close(done) {
    if (typeof done === 'function') this.once('close', done);
    const { id } = states.get(this);
    if (id !== undefined) natives.portEnd(id);
  }
  ref() { const state = states.get(this); if (state.id !== undefined) hold(state, true); }
  unref() { hold(states.get(this), false); }
  hasRef() { return states.get(this).isHeld; }
  [inspectCustom](depth, options) {
    const state = states.get(this);
    return `MessagePort [EventTarget] ${shelf.inspect({ active: state.id !== undefined, refed: state.isHeld }, options)}`;
  }
}
handlers(MessagePort, ['message', 'messageerror']);
Object.defineProperty(MessagePort.prototype, Symbol.toStringTag, { value: 'MessagePort', configurable: true });
shelf.makePort = (id) => new MessagePort(isOwn, id);
// The port goes into a message: here it is closed.
shelf.givePort = (port) => {
  const state = states.get(port);
  const { id } = state;
  natives.portDetach(id);
  state.id = undefined;
  shelf.forget(state.event);
  hold(state, false);
  return id;
};

class MessageChannel {
  constructor() {
    const id = natives.portPair();
    this.port1 = shelf.makePort(id);
    this.port2 = shelf.makePort(id + 1);
  }
}

class BroadcastChannel extends EventTarget {
  #name;
  constructor(name) {
    if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "name" argument must be specified');
    super();
    this.#name = `${name}`;
    const state = { id: natives.portMember(this.#name), isPort: false, isStarted: true, isHeld: false };
    attach(this, state);
    natives.portStart(state.id);
    hold(state, true);
  }
  get name() { return this.#name; }
  postMessage(value) {
    if (arguments.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "message" argument must be specified');
    const state = states.get(this);
    if (state.id === undefined) throw new DOMException('BroadcastChannel is closed.', 'InvalidStateError');
    post(this, state, value, undefined);
  }
  close() {
    const state = states.get(this);
    if (state.id === undefined) return;
    natives.portClose(state.id);
    state.id = undefined;
    shelf.forget(state.event);
    hold(state, false);
  }
  ref() { const state = states.get(this); if (state.id !== undefined) hold(state, true); return this; }
  unref() { hold(states.get(this), false); return this; }
  [inspectCustom](depth, options) {
    return depth < 0 ? 'BroadcastChannel' : `BroadcastChannel ${shelf.inspect({ name: this.#name, active: states.get(this).id !== undefined }, { ...options, depth: options.depth == null ? null : options.depth - 1 })}`;
  }
}
handlers(BroadcastChannel, ['message', 'messageerror']);
for (const name of ['name', 'close', 'postMessage']) Object.defineProperty(BroadcastChannel.prototype, name, { enumerable: true });
Object.defineProperty(BroadcastChannel.prototype, Symbol.toStringTag, { value: 'BroadcastChannel', configurable: true });
Object.assign(globals, { MessageChannel, MessagePort, BroadcastChannel });
