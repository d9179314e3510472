// SPDX-License-Identifier: Apache-2.0
// process: the object, its ticks (a ring that doubles) and queueMicrotask. The host calls the hooks in
// Node's order (gyre/job/pump_order.cpp).
'use strict';
const { base, EventEmitter, hooks } = shelf;
const { engine, config, argumentType, contexts } = base;
const shared = host.shared;
const ticksPending = 0;
const ticksRun = 1;

function process() {}
Object.setPrototypeOf(process.prototype, EventEmitter.prototype);
const self = Object.create(process.prototype);
base.apply(EventEmitter, self, []);
shelf.process = self;
const life = { isExiting: false };
shelf.life = life;

let ring = new Array(64);
let first = 0;
let count = 0;
class Tick {
  constructor(callback, args) {
    this.callback = callback;
    this.args = args;
    this.context = contexts.get();
  }
}
function grow() {
  const larger = new Array(ring.length * 2);
  for (let i = 0; i < count; i += 1) larger[i] = ring[(first + i) & (ring.length - 1)];
  ring = larger;
  first = 0;
}
function nextTick(callback) {
  if (typeof callback !== 'function') throw argumentType('callback', 'function', callback);
  if (life.isExiting) return;
  let args;
  if (arguments.length > 1) {
    args = new Array(arguments.length - 1);
    for (let i = 1; i < arguments.length; i += 1) args[i - 1] = arguments[i];
  }
  if (config.js2il) {
    queueMicrotask(() => base.apply(callback, undefined, args ?? []));
    return;
  }
  if (count === ring.length) grow();
  ring[(first + count) & (ring.length - 1)] = new Tick(callback, args);
  count += 1;
  shared[ticksPending] = count;
}
hooks.runTicks = (max) => {
  let ran = 0;
  let isDone = false;
  try {
    while (ran < max && count > 0) {
      const tick = ring[first];
      ring[first] = undefined;
      first = (first + 1) & (ring.length - 1);
      count -= 1;
      ran += 1;
      contexts.set(tick.context);
      const { args, callback } = tick;
      if (config.steps) base.tell('tick', callback);
      if (args === undefined) callback();
      else base.apply(callback, undefined, args);
    }
    isDone = true;
  } finally {
    contexts.leave(isDone);
    shared[ticksPending] = count;
    shared[ticksRun] = ran;
  }
};

function queueMicrotask(callback) {
  base.checks.isFunction(callback, 'callback');
  const context = contexts.get();
  engine.queueMicrotask(() => {
    contexts.set(context);
    if (config.steps) base.tell('queueMicrotask', callback);
    try {
      callback();
    } catch (error) {
      shelf.reportUncaught(error, engine.placeOf(error), 'uncaughtException');
    } finally {
      contexts.set(undefined);
    }
  });
}
shelf.nextTick = nextTick;
shelf.queueMicrotask = queueMicrotask;
shelf.builtins.process = self;
