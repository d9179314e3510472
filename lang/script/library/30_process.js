// SPDX-License-Identifier: Apache-2.0
// process: the object, its ticks (a list of arrays) and queueMicrotask. The host calls the hooks in
// Node's order (gyre/job/pump_order.cpp).
'use strict';
const { base, EventEmitter, hooks } = shelf;
const { engine, config, argumentType, contexts } = base;
const shared = host.shared;
const words = { ticksPending: 0, ticksRun: 1, immediatesWait: 2, immediatesAreBatch: 3, immediatesAreTaken: 4, immediateReferences: 5, immediatesRun: 6 };
const { ticksPending, ticksRun } = words;
shelf.words = words;

function process() {}
Object.setPrototypeOf(process.prototype, EventEmitter.prototype);
const self = Object.create(process.prototype);
base.apply(EventEmitter, self, []);
shelf.process = self;
const life = { isExiting: false };
shelf.life = life;

// A new array is young: the collector need not remember which old one refers to a young tick.
const tickCountOfPart = 2048;
class Part {
  ticks = new Array(tickCountOfPart);
  first = 0;
  end = 0;
  next = null;
}
let firstPart = new Part();
let lastPart = firstPart;
let count = 0;
class Tick {
  constructor(callback, args) {
    this.callback = callback;
    this.args = args;
    this.context = contexts.get();
  }
}
function push(tick) {
  if (lastPart.end === tickCountOfPart) {
    lastPart.next = new Part();
    lastPart = lastPart.next;
  }
  lastPart.ticks[lastPart.end] = tick;
  lastPart.end += 1;
  count += 1;
}
function popFirst() {
  const part = firstPart;
  const tick = part.ticks[part.first];
  part.ticks[part.first] = undefined;
  part.first += 1;
  count -= 1;
  if (part.first === part.end) {
    if (part.next === null) part.first = part.end = 0;
    else firstPart = part.next;
  }
  return tick;
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
  push(new Tick(callback, args));
  shared[ticksPending] = count;
}
hooks.runTicks = (max) => {
  let ran = 0;
  let isDone = false;
  try {
    while (ran < max && count > 0) {
      const tick = popFirst();
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
      contexts.set(undefined);
      shelf.reportUncaught(error, engine.placeOf(error), 'uncaughtException', true);
    } finally {
      contexts.set(undefined);
    }
  });
}
shelf.nextTick = nextTick;
shelf.queueMicrotask = queueMicrotask;
shelf.builtins.process = self;
