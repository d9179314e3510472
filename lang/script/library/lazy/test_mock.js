// SPDX-License-Identifier: Apache-2.0
// node:test, part 3: mocks of functions and methods, and of timers and Date in a time of their own.
'use strict';
const { base, builtins } = shelf;
const { coded } = base;

class MockFunctionContext {
  #calls = []; #original; #implementation; #restore; #once = new Map(); #times;
  constructor(original, implementation, restore, times) {
    [this.#original, this.#implementation, this.#restore, this.#times] = [original, implementation, restore, times];
  }
  get calls() { return this.#calls.slice(); }
  callCount() { return this.#calls.length; }
  mockImplementation(implementation) {
    base.checks.isFunction(implementation, 'implementation');
    this.#implementation = implementation;
  }
  mockImplementationOnce(implementation, onCall) {
    base.checks.isFunction(implementation, 'implementation');
    const next = this.#calls.length;
    const call = onCall ?? next;
    if (!Number.isInteger(call) || call < next) throw base.outOfRange('onCall', `>= ${next} && <= ${Number.MAX_SAFE_INTEGER}`, call);
    this.#once.set(call, implementation);
  }
  restore() {
    this.#restore?.();
    this.#implementation = this.#original;
    this.#once.clear();
  }
  resetCalls() { this.#calls = []; }
  // The proxy around the function.
  static wrap(original, implementation, restore, times) {
    const context = new MockFunctionContext(original, implementation, restore, times);
    const run = (self, args, target) => {
      const number = context.#calls.length;
      const once = context.#once.get(number);
      context.#once.delete(number);
      const chosen = once ?? context.#implementation;
      if (context.#times !== undefined && number + 1 >= context.#times) context.restore();
      const call = { arguments: args, error: undefined, result: undefined, stack: new Error(), target, this: self };
      try {
        call.result = target === undefined ? base.apply(chosen, self, args) : base.construct(chosen, args, target === mock ? chosen : target);
        if (target !== undefined) [call.this, call.target] = [call.result, original];
        return call.result;
      } catch (error) {
        call.error = error;
        throw error;
      } finally { context.#calls.push(call); }
    };
    const mock = new Proxy(original, {
      apply: (target, self, args) => run(self, args, undefined), construct: (target, args, newTarget) => run(undefined, args, newTarget),
      get: (target, key, receiver) => (key === 'mock' ? context : Reflect.get(target, key, receiver)),
    });
    return mock;
  }
}
function checkOptions(options) {
  base.checks.isObject(options, 'options');
  const { times } = options;
  if (times === undefined) return undefined;
  base.checks.isNumber(times, 'options.times');
  if (!Number.isInteger(times) || times < 1) throw base.outOfRange('options.times', `>= 1 && <= ${Number.MAX_SAFE_INTEGER}`, times);
  return times;
}
const describeProperty = (object, name) => {
  for (let at = object; at !== null && at !== undefined; at = Object.getPrototypeOf(at)) {
    const found = Object.getOwnPropertyDescriptor(at, name);
    if (found !== undefined) return found;
  }
  return undefined;
};
class MockTracker {
  #mocks = []; #timers;
  get timers() { return this.#timers ??= new MockTimers(); }
  fn(original = function () {}, implementation = original, options = {}) {
    let [first, second, third] = [original, implementation, options];
    if (first !== null && typeof first === 'object') [first, second, third] = [function () {}, undefined, first];
    else if (second !== null && typeof second === 'object') [second, third] = [first, second];
    second ??= first;
    base.checks.isFunction(first, 'original');
    base.checks.isFunction(second, 'implementation');
    const made = MockFunctionContext.wrap(first, second, undefined, checkOptions(third));
    this.#mocks.push(made.mock);
    return made;
  }
  method(object, name, implementation, options = {}) {
    if (object === null || (typeof object !== 'object' && typeof object !== 'function')) throw base.argumentType('objectOrFunction', ['Object', 'Function'], object);
    if (typeof name !== 'string' && typeof name !== 'symbol') throw base.argumentType('methodName', ['string', 'symbol'], name);
    const [given, settings] = implementation !== null && typeof implementation === 'object' ? [undefined, implementation] : [implementation, options];
    const { getter = false, setter = false } = settings;
    if (setter && getter) throw base.argumentValue('options.setter', setter, "cannot be used with 'options.getter'");
    const property = describeProperty(object, name);
    const original = getter ? property?.get : setter ? property?.set : property?.value;
    if (typeof original !== 'function') throw base.argumentValue('methodName', original, 'must be a method');
    const replacement = given ?? original;
    base.checks.isFunction(replacement, 'implementation');
    const isOwn = base.hasOwn(object, name);
    const restore = () => (isOwn ? Object.defineProperty(object, name, property) : delete object[name]);
    const made = MockFunctionContext.wrap(original, replacement, restore, checkOptions(settings));
    const key = getter ? 'get' : setter ? 'set' : 'value';
    const changed = { configurable: property.configurable, enumerable: property.enumerable };
    if (getter || setter) Object.assign(changed, { get: property.get, set: property.set });
    else changed.writable = property.writable;
    changed[key] = made;
    Object.defineProperty(object, name, changed);
    this.#mocks.push(made.mock);
    return made;
  }
  getter(object, name, implementation, options) {
    const settings = implementation !== null && typeof implementation === 'object' ? implementation : options;
    return this.method(object, name, typeof implementation === 'function' ? implementation : undefined, { ...settings, getter: true });
  }
  setter(object, name, implementation, options) {
    const settings = implementation !== null && typeof implementation === 'object' ? implementation : options;
    return this.method(object, name, typeof implementation === 'function' ? implementation : undefined, { ...settings, setter: true });
  }
  reset() {
    this.restoreAll();
    this.#timers?.reset();
    this.#mocks = [];
  }
  restoreAll() { for (const mock of this.#mocks) mock.restore(); }
}

const apis = ['setTimeout', 'setInterval', 'setImmediate', 'Date'];
class MockTimers {
  #isOn = false; #now = 0; #waiting = []; #last = 0; #restores = [];
  #check() { if (!this.#isOn) throw coded(Error, 'ERR_INVALID_STATE', 'Invalid state: You should enable MockTimers first by calling the .enable function'); }
  #add(callback, delay, args, isRepeated) {
    base.checks.isFunction(callback, 'callback');
    this.#last += 1;
    const timer = { id: this.#last, at: this.#now + delay, callback, args, every: isRepeated ? delay : undefined, ref() { return this; }, unref() { return this; }, hasRef: () => true, refresh() { return this; }, [Symbol.toPrimitive]() { return this.id; } };
    this.#waiting.push(timer);
    return timer;
  }
  #clear(timer) {
    const id = typeof timer === 'object' && timer !== null ? timer.id : Number(timer);
    this.#waiting = this.#waiting.filter((one) => one.id !== id);
  }
  #replace(owner, name, value) {
    const before = Object.getOwnPropertyDescriptor(owner, name);
    Object.defineProperty(owner, name, { configurable: true, writable: true, enumerable: before?.enumerable ?? true, value });
    this.#restores.push(() => Object.defineProperty(owner, name, before));
  }
  enable(options = {}) {
    if (this.#isOn) throw coded(Error, 'ERR_INVALID_STATE', 'Invalid state: MockTimers is already enabled!');
    base.checks.isObject(options, 'options');
    const { apis: chosen = apis, now = 0 } = options;
    if (!Array.isArray(chosen)) throw base.argumentType('options.apis', 'Array', chosen);
    for (const name of chosen) if (!apis.includes(name)) throw base.argumentValue('options.apis', name, `option ${name} is not supported`);
    const start = base.engine.kind(now) === 'Date' ? now.getTime() : now;
    base.checks.isNumber(start, 'initialTime');
    if (!(start >= 0)) throw base.argumentValue('initialTime', start, 'must be a positive integer');
    this.#now = start;
    const set = {
      setTimeout: (callback, delay, ...args) => this.#add(callback, Math.max(1, delay || 0), args), setInterval: (callback, delay, ...args) => this.#add(callback, Math.max(1, delay || 0), args, true),
      setImmediate: (callback, ...args) => this.#add(callback, -1, args),
    };
    for (const name of chosen) {
      if (name === 'Date') { this.#replaceDate(); continue; }
      for (const owner of [globalThis, builtins.timers]) {
        this.#replace(owner, name, set[name]);
        this.#replace(owner, name.replace('set', 'clear'), (timer) => this.#clear(timer));
      }
    }
    this.#isOn = true;
  }
  #replaceDate() {
    const Real = globalThis.Date;
    const now = () => this.#now;
    function MockDate(...given) {
      if (!new.target) return new Real(now()).toString();
      return base.construct(Real, given.length === 0 ? [now()] : given, new.target === MockDate ? Real : new.target);
    }
    Object.defineProperties(MockDate, Object.getOwnPropertyDescriptors(Real));
    MockDate.now = now;
    Object.defineProperty(MockDate, 'name', { value: 'Date' });
    this.#replace(globalThis, 'Date', MockDate);
  }
  // What is due runs in the order of time, then of the calls.
  #runTo(end) {
    for (;;) {
      let next;
      for (const one of this.#waiting) if (one.at <= end && (next === undefined || one.at < next.at || (one.at === next.at && one.id < next.id))) next = one;
      if (next === undefined) break;
      this.#now = Math.max(this.#now, next.at);
      if (next.every === undefined) this.#clear(next);
      else next.at += next.every;
      next.callback(...next.args);
    }
    this.#now = Math.max(this.#now, end);
  }
  tick(time = 1) {
    base.checks.isNumber(time, 'time');
    if (!(time >= 0)) throw base.argumentValue('time', time, 'must be a positive integer');
    this.#check();
    this.#runTo(this.#now + time);
  }
  setTime(time = 0) {
    base.checks.isNumber(time, 'time');
    if (!(time >= 0)) throw base.argumentValue('time', time, 'must be a positive integer');
    this.#check();
    this.#now = time;
  }
  runAll() {
    this.#check();
    const last = Math.max(this.#now, ...this.#waiting.map((one) => one.at));
    this.#runTo(last);
  }
  reset() {
    for (const restore of this.#restores.reverse()) restore();
    [this.#restores, this.#waiting, this.#isOn] = [[], [], false];
  }
  [Symbol.dispose]() { this.reset(); }
}
shelf.MockTracker = MockTracker;
