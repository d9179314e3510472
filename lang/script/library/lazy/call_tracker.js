// SPDX-License-Identifier: Apache-2.0
// assert.CallTracker: functions that are to be called a number of times.
'use strict';
const { base, process: self } = shelf;
const { coded, checks } = base;
const nothing = () => {};

class CallTracker {
  #all = new base.SafeSet();
  #tracked = new WeakMap();
  #of(fn) {
    const found = this.#tracked.get(fn);
    if (found === undefined) throw base.argumentValue('tracked', fn, 'is not a tracked function');
    return found;
  }
  // calls(fn, times), calls(fn) or calls(times); once, where `times` is left out.
  calls(fn, times = 1) {
    if (self._exiting) throw coded(Error, 'ERR_UNAVAILABLE_DURING_EXIT', 'Cannot call function in process exit handler');
    const [body, expected] = typeof fn === 'number' ? [nothing, fn] : [fn ?? nothing, times];
    checks.isNumber(expected, 'expected');
    if (!Number.isInteger(expected)) throw base.outOfRange('expected', 'an integer', expected);
    if (expected < 1) throw base.outOfRange('expected', '>= 1 && <= 4294967295', expected);
    const entry = { expected, calls: [], name: body.name || 'calls', stack: new Error() };
    const tracked = new Proxy(body, {
      __proto__: null,
      apply(target, thisArg, args) {
        entry.calls[entry.calls.length] = Object.freeze({ __proto__: null, thisArg, arguments: Object.freeze(args) });
        return base.apply(target, thisArg, args);
      },
    });
    this.#all.add(entry);
    this.#tracked.set(tracked, entry);
    return tracked;
  }
  getCalls(fn) { return Object.freeze(this.#of(fn).calls.map(({ thisArg, arguments: args }) => Object.freeze({ thisArg, arguments: args }))); }
  reset(fn) {
    if (fn === undefined) this.#all.forEach((entry) => { entry.calls = []; });
    else this.#of(fn).calls = [];
  }
  // Of the functions that were not called as often as expected.
  report() {
    const errors = [];
    this.#all.forEach(({ expected, calls, name, stack }) => {
      if (calls.length === expected) return;
      errors[errors.length] = { message: `Expected the ${name} function to be executed ${expected} time(s) but was executed ${calls.length} time(s).`, actual: calls.length, expected, operator: name, stack };
    });
    return errors;
  }
  verify() {
    const errors = this.report();
    if (errors.length === 0) return;
    const message = errors.length === 1 ? errors[0].message : 'Functions were not called the expected number of times';
    throw new shelf.AssertionError({ message, details: errors });
  }
}
let hasWarned = false;
shelf.trackerClass = () => {
  if (!hasWarned) self.emitWarning('assert.CallTracker is deprecated.', 'DeprecationWarning', 'DEP0173');
  hasWarned = true;
  return CallTracker;
};
