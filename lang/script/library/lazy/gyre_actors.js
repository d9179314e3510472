// SPDX-License-Identifier: Apache-2.0
// gyre:actors: objects of the script as actors of gyre/actor, over the natives of lang/script/actors.
//
//     import { spawn } from 'gyre:actors';
//     class Counter { total = 0; add(n) { this.total += n; return this.total; } }
//     const counter = spawn(Counter, { name: 'counter' });
//     counter.send('add', [3]);
//     const total = await counter.ask('add', [4]);
'use strict';
shelf.load('json_values');
const { base, builtins } = shelf;
const { natives, checks, argumentType, argumentValue, SafeMap } = base;
const { jsonValues } = shelf;

// `code` is ERR_ACTOR_FAILED (the method threw), ERR_ACTOR_ENDED, ERR_MAILBOX_FULL, ERR_ACTOR_CYCLE, or
// ERR_ACTOR_TIMEOUT; `cause` is the name of what the method threw.
class ActorError extends Error {
  constructor(text) {
    const [code, name, ...message] = text.split('\0');
    super(message.join('\0'));
    this.name = 'ActorError';
    this.code = code;
    if (code === 'ERR_ACTOR_FAILED') this.cause = name;
  }
}

// ---- Values: a reference is {"$actor": number} ----

const refs = new SafeMap();  // by number; of actors that have not ended
const numberOf = new WeakMap();
const encoding = {
  isNumberKept: true,
  asText(value) {
    if (value instanceof ActorRef) return `{"$actor":${numberOf.get(value)}}`;
    const keys = Object.keys(value);
    if (keys.length === 1 && keys[0] === '$actor') throw argumentValue('value', value, 'has the one property $actor, which stands for an actor');
    return undefined;
  },
};
const revive = (key, value) => {
  if (value !== null && typeof value === 'object' && typeof value.$actor === 'number') return refOf(value.$actor);
  return jsonValues.revive(key, value);
};
const encoded = (value) => jsonValues.encoded(value, 0, encoding);
const decoded = (text) => jsonValues.decoded(text, revive);
function argumentsText(args) {
  if (!Array.isArray(args)) throw argumentType('arguments', 'Array', args);
  return encoded(args);
}
const checkMethod = (method) => {
  checks.isString(method, 'method');
  if (method.includes('\n')) throw argumentValue('method', method, 'must be a name');
};

// ---- References ----

// begin(done id) starts the call; a signal withdraws it.
function asked(begin, signal) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => natives.actorCancel(id);
    const id = shelf.expect((number, text) => {
      signal?.removeEventListener('abort', stop);
      if (number === 0) return resolve(decoded(text));
      return reject(signal?.aborted ? signal.reason : new ActorError(text));
    });
    signal?.addEventListener('abort', stop);
    try { begin(id); } catch (error) {
      shelf.forget(id);
      signal?.removeEventListener('abort', stop);
      throw error;
    }
  });
}
class ActorRef {
  #end;
  constructor(number, name) {
    numberOf.set(this, number);
    Object.defineProperty(this, 'name', { value: name, enumerable: true });
  }
  // Never waits. False: the mailbox is full, or the actor has ended.
  send(method, args = []) {
    checkMethod(method);
    return natives.actorSend(numberOf.get(this), method, argumentsText(args)) === 0;
  }
  // Waits for room in the mailbox.
  async post(method, args = [], { signal } = {}) {
    checkMethod(method);
    const text = argumentsText(args);
    await asked((done) => natives.actorPost(done, numberOf.get(this), method, text), signal);
  }
  // What the method returns, or an ActorError; `timeout` in milliseconds.
  async ask(method, args = [], { signal, timeout = 0 } = {}) {
    checkMethod(method);
    checks.isNumber(timeout, 'options.timeout');
    if (!(timeout >= 0 && timeout <= 2 ** 31 - 1)) throw base.outOfRange('options.timeout', '>= 0 && <= 2147483647', timeout);
    const text = argumentsText(args);
    return asked((done) => natives.actorAsk(done, numberOf.get(this), method, text, timeout), signal);
  }
  // Takes no more messages, handles those that wait, and ends.
  stop() { natives.actorStop(numberOf.get(this), false); }
  // Drops the messages that wait too.
  stopNow() { natives.actorStop(numberOf.get(this), true); }
  get isEnded() { return natives.actorIsEnded(numberOf.get(this)); }
  // Fulfilled when the actor has ended; of an actor that this script has spawned.
  get ended() {
    const actor = actors.get(numberOf.get(this));
    this.#end ??= actor === undefined ? Promise.resolve() : actor.end;
    return this.#end;
  }
}
function refOf(number, name = '') {
  const known = refs.get(number);
  if (known !== undefined) return known;
  const made = new ActorRef(number, name);
  refs.set(number, made);
  return made;
}

// ---- Actors ----

const actors = new SafeMap();  // by number
const owners = new WeakMap();  // object to reference
let lastNumber = 0;

function build(actor) {
  const object = new actor.Class(...decoded(actor.args));
  owners.set(object, refOf(actor.number));
  actor.object = object;
}
// Of the class and those above it, without what all objects have.
function methodOf(object, name) {
  for (let at = object; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    const found = Object.getOwnPropertyDescriptor(at, name);
    if (found !== undefined) return name !== 'constructor' && typeof found.value === 'function' ? found.value : undefined;
  }
  return undefined;
}
function fail(letter, error) {
  const isError = base.engine.kind(error) === 'Error';
  natives.actorAnswer(letter, false, isError ? `${error.name}` : 'Error', isError ? `${error.message}` : shelf.inspect(error));
}
function reply(letter, value) {
  let text;
  try { text = encoded(value); } catch (error) { return fail(letter, error); }
  return natives.actorAnswer(letter, true, text);
}
function handle(letter, actor, name, args) {
  let value;
  try {
    if (actor.failure !== undefined) throw actor.failure.error;
    const method = methodOf(actor.object, name);
    if (method === undefined) throw new TypeError(`${actor.Class.name} has no method ${name}`);
    value = base.apply(method, actor.object, decoded(args));
  } catch (error) { return fail(letter, error); }
  if (value === null || typeof value !== 'object' || typeof value.then !== 'function') return reply(letter, value);
  return base.then(Promise.resolve(value), (result) => reply(letter, result), (error) => fail(letter, error));
}
function restart(actor) {
  actor.failure = undefined;
  // Its next message fails with what the constructor threw.
  try { build(actor); } catch (error) { actor.failure = { error }; }
}
natives.actorsListen(shelf.expect((letter, text) => {
  const first = text.indexOf('\n');
  if (letter === 0) {
    const number = Number(text.slice(first + 1));
    const actor = actors.get(number);
    if (actor === undefined) return;
    if (text.startsWith('restart')) return restart(actor);
    actors.delete(number);
    refs.delete(number);
    actor.tellEnd();
    return;
  }
  const second = text.indexOf('\n', first + 1);
  handle(letter, actors.get(Number(text.slice(0, first))), text.slice(first + 1, second), text.slice(second + 1));
}, true));

const oneOf = (value, name, words) => {
  if (!words.includes(value)) throw argumentValue(`options.${name}`, value, `must be one of: ${words.map((word) => `'${word}'`).join(', ')}`);
};
const whole = (value, name, low, high) => {
  if (!Number.isInteger(value) || value < low || value > high) throw base.outOfRange(`options.${name}`, `an integer >= ${low} && <= ${high}`, value);
};
// Makes an object of the class an actor. Throws what the constructor throws.
function spawn(Class, options = {}) {
  checks.isFunction(Class, 'class');
  checks.isObject(options, 'options');
  const { name = '', args = [], capacity = 1024, whenFull = 'reject', order = 'interleaved', onFailure = 'stop', restarts = 5, within = 60_000 } = options;
  checks.isString(name, 'options.name');
  whole(capacity, 'capacity', 1, 1_000_000);
  whole(restarts, 'restarts', 0, 1_000_000);
  whole(within, 'within', 1, 2 ** 31 - 1);
  oneOf(whenFull, 'whenFull', ['reject', 'drop-oldest', 'drop-newest']);
  oneOf(order, 'order', ['interleaved', 'exclusive']);
  oneOf(onFailure, 'onFailure', ['stop', 'resume', 'restart']);
  const actor = { number: ++lastNumber, Class, args: argumentsText(args), object: undefined, failure: undefined };
  actor.end = new Promise((resolve) => { actor.tellEnd = resolve; });
  const ref = refOf(actor.number, name);
  try {
    build(actor);
    natives.actorSpawn(actor.number, name, capacity, whenFull, order, onFailure, restarts, within);
  } catch (error) {
    refs.delete(actor.number);
    throw error;
  }
  actors.set(actor.number, actor);
  return ref;
}
// The actor of that name: of this script, or one that the host has given.
function find(name) {
  checks.isString(name, 'name');
  const number = natives.actorFind(name);
  return number === undefined ? undefined : refOf(number, name);
}
// The reference of an actor, for its own object: what it sends to others so that they can answer.
const self = (object) => owners.get(object);
builtins['gyre:actors'] = { spawn, find, self, ActorRef, ActorError, dump: () => natives.actorDump() };
