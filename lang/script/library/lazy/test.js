// SPDX-License-Identifier: Apache-2.0
// node:test, part 1: tests, suites and hooks. Siblings run one after another, in the order of their
// calls; the report is TAP, as Node 20 writes it where no terminal reads it.
'use strict';
const { base, builtins, process: self } = shelf;
const { setTimeout: wait, clearTimeout: stopWaiting } = shelf;
shelf.load('test_report');
shelf.load('test_mock');
const { report, placeOfCall, failureOf } = shelf.testReport;

const counts = { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 };
let current;  // what the functions of the module belong to while a suite is read
// How many children run at a time: as many as those of the parent, where nothing else is said.
function concurrencyOf(parent, given) {
  if (given === undefined || given === null) return parent === undefined ? 1 : parent.concurrency;
  if (typeof given === 'boolean') return given ? Infinity : 1;
  if (typeof given !== 'number') throw base.argumentType('options.concurrency', ['boolean', 'number'], given);
  if (!Number.isInteger(given)) throw base.outOfRange('options.concurrency', 'an integer', given);
  if (!(given >= 1 && given <= 2 ** 32 - 1)) throw base.outOfRange('options.concurrency', '>= 1 && <= 4294967295', given);
  return given;
}
class Entry {
  constructor(parent, name, options, callback, place, isSuite) {
    const { skip, todo, timeout = Infinity, signal, plan } = options;
    this.concurrency = concurrencyOf(parent, options.concurrency);
    if (timeout !== Infinity && timeout !== null) {
      base.checks.isNumber(timeout, 'options.timeout');
      if (!(timeout >= 0 && timeout <= 2 ** 31 - 1)) throw base.outOfRange('options.timeout', '>= 0 && <= 2147483647', timeout);
    }
    if (signal !== undefined) shelf.checkSignal(signal, 'options.signal');
    Object.assign(this, { parent, name, callback, place, isSuite, skip, todo, timeout: timeout ?? Infinity, outer: signal, planned: plan, checked: 0 });
    Object.assign(this, { hooks: { before: [], after: [], beforeEach: [], afterEach: [] }, children: [], notes: [], running: 0, waiting: [], isBegun: false, isOver: false, failure: undefined });
    this.stopper = new AbortController();
    this.context = isSuite ? new SuiteContext(this) : new TestContext(this);
    this.done = new Promise((resolve) => { this.tellDone = resolve; });
    if (parent !== undefined) {
      parent.children.push(this);
      this.number = parent.children.length;
    }
  }
  get fullName() { return this.parent?.parent === undefined ? this.name : `${this.parent.fullName} > ${this.name}`; }
  // Runs when fewer siblings than the parent's concurrency run.
  start() {
    const { parent } = this;
    parent.waiting.push(this);
    if (parent.running === 0 && parent.isBegun) parent.startWaiting();
    else if (parent.running < parent.concurrency) Promise.resolve(parent.opening).then(() => parent.startWaiting());
    return this.done;
  }
  startWaiting() {
    while (this.waiting.length > 0 && this.running < this.concurrency) {
      const child = this.waiting.shift();
      this.running += 1;
      child.run();
      child.done.then(() => {
        this.running -= 1;
        this.startWaiting();
      });
    }
  }
  fail(failure) { this.failure ??= failure; }
  async run() {
    if (this.isOver) return;
    this.isBegun = true;
    this.startedAt = base.natives.now();
    const isSkipped = this.skip !== undefined && this.skip !== false && this.skip !== '';
    if (!isSkipped) await (this.isSuite ? this.runSuite() : this.runTest());
    this.end();
  }
  async runHooks(kind, list) {
    for (const [hook, timeout] of list) {
      try { await this.call(hook, [this.context], timeout); } catch (error) {
        this.fail(failureOf('hookFailed', `failed running ${kind} hook`, error));
        return;
      }
    }
  }
  // Hooks of all the levels above, from outside in.
  around(kind) {
    const list = this.parent === undefined ? [] : [...this.parent.around(kind)];
    return kind === 'afterEach' ? [...this.hooks[kind], ...list] : [...list, ...this.hooks[kind]];
  }
  async beforeOf(entry) {
    if (entry === undefined || entry.hasRunBefore) return;
    entry.hasRunBefore = true;
    await entry.runHooks('before', entry.hooks.before);
    if (entry.failure !== undefined) this.fail(entry.failure);
  }
  async runTest() {
    const { parent } = this;
    if (!parent.hasRunBefore && parent.hooks.before.length > 0) await this.beforeOf(parent);
    const each = parent.around('beforeEach');
    if (each.length > 0) await this.runHooks('beforeEach', each);
    if (this.failure === undefined) {
      try { await this.call(this.callback, [this.context], this.timeout, true); } catch (error) {
        this.fail(error?.isFailure ? error : failureOf('testCodeFailure', undefined, error));
      }
      if (this.planned !== undefined && this.failure === undefined && this.planned !== this.checked) {
        this.fail(failureOf('testCodeFailure', undefined, new Error(`plan expected ${this.planned} assertions but received ${this.checked}`)));
      }
    }
    this.cancelChildren();
    const after = parent.around('afterEach');
    if (after.length > 0) await this.runHooks('afterEach', after);
    await this.runHooks('after', this.hooks.after);
    TestContext.forgetMocks(this.context);
  }
  async runSuite() {
    const { parent } = this;
    if (!parent.hasRunBefore && parent.hooks.before.length > 0) await this.beforeOf(parent);
    try { await this.read; } catch (error) { this.fail(failureOf('testCodeFailure', undefined, error)); }
    this.isBegun = true;
    if (this.children.length > 0) await this.beforeOf(this);
    // What is added meanwhile runs too.
    let next = 0;
    const runner = async () => {
      while (next < this.children.length) await this.children[next++].run();
    };
    await Promise.all(Array.from({ length: Math.min(this.concurrency, Math.max(1, this.children.length)) }, runner));
    await this.runHooks('after', this.hooks.after);
  }
  // Awaits a test or a hook, which may take a callback as its second parameter.
  call(callback, args, timeout, isTest) {
    return new Promise((resolve, reject) => {
      const timer = timeout === undefined || timeout === Infinity ? undefined : wait(() => reject(failureOf('testTimeoutFailure', `test timed out after ${timeout}ms`)), timeout);
      const settle = (act) => (value) => {
        if (timer !== undefined) stopWaiting(timer);
        act(value);
      };
      const [fine, bad] = [settle(resolve), settle(reject)];
      const abort = () => bad(failureOf('testAborted', 'The test was aborted'));
      if (isTest && this.outer !== undefined) {
        if (this.outer.aborted) return abort();
        this.outer.addEventListener('abort', abort, { once: true });
      }
      if (isTest) this.cancel = bad;
      let calls = 0;
      const given = callback.length > args.length ? [...args, (error) => {
        calls += 1;
        if (calls > 1) return bad(this.failTwice());
        return error ? bad(error) : shelf.nextTick(() => (calls > 1 ? undefined : fine()));
      }] : args;
      let value;
      const outside = current;
      current = isTest ? this : outside;
      try { value = shelf.testScope(this, () => base.apply(callback, this.context, given)); } catch (error) {
        return bad(error);
      } finally { current = outside; }
      const isPromise = value !== null && typeof value === 'object' && typeof value.then === 'function';
      if (given !== args) return isPromise ? bad(failureOf('callbackAndPromisePresent', 'passed a callback but also returned a Promise')) : undefined;
      return isPromise ? base.then(Promise.resolve(value), fine, bad) : fine();
    });
  }
  failTwice() { return failureOf('multipleCallbackInvocations', 'callback invoked multiple times'); }
  cancelChildren() {
    for (const child of this.children) {
      if (child.isOver) continue;
      child.startedAt ??= base.natives.now();
      child.fail(failureOf('cancelledByParent', 'test did not finish before its parent and was cancelled'));
      child.cancelChildren();
      child.end();
    }
  }
  end() {
    if (this.isOver) return;
    this.isOver = true;
    this.took = base.natives.now() - this.startedAt;
    const failed = this.children.filter((child) => child.hasFailed);
    if (failed.length > 0) this.fail(failureOf('subtestsFailed', `${failed.length} subtest${failed.length > 1 ? 's' : ''} failed`));
    this.count();
    this.stopper.abort();
    if (this.parent?.parent === undefined) report.entry(this);
    this.tellDone();
  }
  get hasFailed() { return this.failure !== undefined && !this.isTodo && !this.isSkipped; }
  get isTodo() { return this.todo !== undefined && this.todo !== false; }
  get isSkipped() { return this.skip !== undefined && this.skip !== false; }
  count() {
    if (this.isSuite) { counts.suites += 1; return; }
    counts.tests += 1;
    if (this.isSkipped) counts.skipped += 1;
    else if (this.isTodo) counts.todo += 1;
    else if (this.failure === undefined) counts.pass += 1;
    else if (['cancelledByParent', 'testAborted', 'testTimeoutFailure'].includes(this.failure.failureType)) counts.cancelled += 1;
    else counts.fail += 1;
  }
}
const addHook = (entry, kind, callback, options = {}) => {
  base.checks.isFunction(callback, 'fn');
  entry.hooks[kind].push([callback, options.timeout]);
};
class TestContext {
  #entry; #mock;
  constructor(entry) { this.#entry = entry; }
  get signal() { return this.#entry.stopper.signal; }
  get name() { return this.#entry.name; }
  get fullName() { return this.#entry.fullName; }
  get error() { return this.#entry.failure ?? null; }
  get passed() { return this.#entry.failure === undefined; }
  diagnostic(message) { this.#entry.notes.push(message); }
  plan(count) {
    base.checks.isNumber(count, 'count');
    this.#entry.planned = count;
  }
  get assert() {
    const made = {};
    for (const name of Object.keys(builtins.assert)) {
      if (['AssertionError', 'CallTracker', 'strict'].includes(name)) continue;
      made[name] = (...given) => {
        this.#entry.checked += 1;
        return name === 'ok' ? shelf.checkTruth(made.ok, given) : builtins.assert[name](...given);
      };
    }
    return made;
  }
  get mock() { return this.#mock ??= new shelf.MockTracker(); }
  static forgetMocks(context) { context.#mock?.reset(); }
  runOnly() {}
  skip(message) { this.#entry.skip = message ?? true; }
  todo(message) { this.#entry.todo = message ?? true; }
  test(name, options, callback) {
    if (this.#entry.planned !== undefined) this.#entry.checked += 1;
    return make(this.#entry, [name, options, callback], false);
  }
  before(callback, options) { addHook(this.#entry, 'before', callback, options); }
  after(callback, options) { addHook(this.#entry, 'after', callback, options); }
  beforeEach(callback, options) { addHook(this.#entry, 'beforeEach', callback, options); }
  afterEach(callback, options) { addHook(this.#entry, 'afterEach', callback, options); }
}
class SuiteContext {
  #entry;
  constructor(entry) { this.#entry = entry; }
  get signal() { return this.#entry.stopper.signal; }
  get name() { return this.#entry.name; }
  get fullName() { return this.#entry.fullName; }
}

let root;
function rootEntry() {
  if (root !== undefined) return root;
  root = new Entry(undefined, '<root>', {}, () => {}, '', true);
  // Tests begin when the file has been read.
  root.opening = new Promise((resolve) => { shelf.nextTick(() => resolve()); });
  root.startedAt = base.natives.now();
  const finish = async () => {
    for (const child of root.children) {
      if (child.isOver) continue;
      const late = failureOf('cancelledByParent', 'Promise resolution is still pending but the event loop has already resolved');
      child.fail(late);
      child.cancelChildren();
      child.cancel?.(late);
      child.end();
    }
    await root.runHooks('after', root.hooks.after);
    if (counts.fail > 0 || counts.cancelled > 0 || root.failure !== undefined || root.children.some((child) => child.hasFailed)) self.exitCode = 1;
    report.end(root.children.length, counts, base.natives.now() - root.startedAt);
  };
  self.once('beforeExit', finish);
  return root;
}
// (name, options, callback), any of them left out.
function make(parent, given, isSuite, extra) {
  let [name, options, callback] = given;
  if (typeof name === 'function') callback = name;
  else if (name !== null && typeof name === 'object') [callback, options] = [options, name];
  else if (typeof options === 'function') callback = options;
  if (options === null || typeof options !== 'object') options = {};
  if (typeof callback !== 'function') callback = () => {};
  if (typeof name !== 'string' || name === '') name = callback.name || '<anonymous>';
  const entry = new Entry(parent, name, { ...options, ...extra }, callback, placeOfCall(), isSuite);
  const isSkipped = entry.skip !== undefined && entry.skip !== false;
  if (isSuite && !isSkipped) {
    const outside = current;
    current = entry;
    try {
      const read = base.apply(callback, entry.context, [entry.context]);
      entry.read = Promise.resolve(read);
      entry.read.catch(() => {});
    } catch (error) { entry.read = Promise.reject(error); entry.read.catch(() => {}); } finally { current = outside; }
  }
  // What belongs to a suite is run by it.
  if (parent.isSuite && parent !== root) return Promise.resolve();
  if (parent === root && !root.hasRunBefore && root.hooks.before.length > 0) entry.beforeOf(root);
  return entry.start();
}
// Which test asks: the one whose body runs, or the suite that is read.
const scopes = new builtins.async_hooks.AsyncLocalStorage();
shelf.testScope = (entry, callback) => scopes.run(entry, callback);
const owner = () => (current?.isSuite ? current : scopes.getStore() ?? current ?? rootEntry());
const define = (isSuite) => {
  const made = (...given) => make(owner(), given, isSuite);
  for (const kind of ['skip', 'todo', 'only']) made[kind] = (...given) => make(owner(), given, isSuite, { [kind]: true });
  return made;
};
const [test, describe] = [define(false), define(true)];
const hook = (kind) => ({ [kind](callback, options) { addHook(owner(), kind, callback, options); } }[kind]);
for (const kind of ['after', 'afterEach', 'before', 'beforeEach']) test[kind] = hook(kind);
Object.assign(test, { describe, it: test, run() { throw base.coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'gyre has no test.run: run each file of tests by gyre run'); }, suite: describe, test });
Object.defineProperty(test, 'mock', { configurable: true, enumerable: true, value: new shelf.MockTracker() });
Object.defineProperty(test, 'name', { value: 'test' });
builtins.test = test;
