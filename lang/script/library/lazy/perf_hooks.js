// SPDX-License-Identifier: Apache-2.0
// node:perf_hooks: observers of marks and measures, and histograms.
'use strict';
const { base, builtins } = shelf;
const { coded, argumentType } = base;
shelf.load('performance');
const { PerformanceEntry, PerformanceMark, PerformanceMeasure, PerformanceResourceTiming } = shelf.performanceClasses;

class PerformanceObserverEntryList {
  #entries;
  constructor(entries) { this.#entries = entries.slice().sort((a, b) => a.startTime - b.startTime); }
  getEntries() { return this.#entries.slice(); }
  getEntriesByType(type) { return this.#entries.filter((entry) => entry.entryType === `${type}`); }
  getEntriesByName(name, type) { return this.#entries.filter((entry) => entry.name === `${name}` && (type === undefined || entry.entryType === type)); }
}
const observers = new Set();
const known = ['function', 'gc', 'http', 'http2', 'mark', 'measure', 'net', 'dns', 'resource'].sort();
let isQueued = false;
class PerformanceObserver {
  #callback; #types = new Set(); #waiting = [];
  constructor(callback) {
    base.checks.isFunction(callback, 'callback');
    this.#callback = callback;
  }
  observe(options = {}) {
    base.checks.isObject(options, 'options');
    const { entryTypes, type, buffered } = options;
    if (entryTypes === undefined && type === undefined) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "options.entryTypes" and "options.type" arguments must be specified');
    if (entryTypes != null && type != null) throw base.argumentValue('options.entryTypes', entryTypes, 'options.entryTypes can not set with options.type together');
    if (entryTypes !== undefined && !Array.isArray(entryTypes)) throw argumentType('options.entryTypes', 'string[]', entryTypes);
    if (entryTypes !== undefined) this.#types = new Set();
    for (const one of entryTypes ?? [type]) if (known.includes(one)) this.#types.add(one);
    if (buffered) for (const entry of shelf.marks.getEntries()) if (entry.entryType === type) this.take(entry);
    if (this.#types.size === 0) this.disconnect();
    else observers.add(this);
  }
  take(entry) {
    if (!this.#types.has(entry.entryType)) return;
    this.#waiting.push(entry);
    if (isQueued) return;
    isQueued = true;
    shelf.setImmediate(() => {
      isQueued = false;
      for (const one of [...observers]) one.tell();
    });
  }
  tell() {
    const list = this.takeRecords();
    if (list.length > 0) base.apply(this.#callback, this, [new PerformanceObserverEntryList(list), this]);
  }
  takeRecords() {
    const list = this.#waiting;
    this.#waiting = [];
    return list;
  }
  disconnect() {
    observers.delete(this);
    this.#waiting = [];
    this.#types.clear();
  }
  static get supportedEntryTypes() { return known; }
}
for (const name of ['take', 'tell']) Object.defineProperty(PerformanceObserver.prototype, name, { enumerable: false });
shelf.onPerformanceEntry = (entry) => { for (const one of observers) one.take(entry); };

// Values and how often they came: exact, where Node's loses digits.
class RecordableHistogram {
  #counts = new Map(); #count = 0; #exceeds = 0; #last;
  record(value) {
    if (typeof value !== 'bigint') {
      if (!Number.isInteger(value)) throw typeof value === 'number' ? base.outOfRange('val', 'an integer', value) : argumentType('val', 'number', value);
      if (value < 1 || value > Number.MAX_SAFE_INTEGER) throw base.outOfRange('val', `>= 1 && <= ${Number.MAX_SAFE_INTEGER}`, value);
    }
    const number = Number(value);
    this.#counts.set(number, (this.#counts.get(number) ?? 0) + 1);
    this.#count += 1;
  }
  recordDelta() {
    const now = Math.round(base.natives.now() * 1e6);
    if (this.#last !== undefined && now > this.#last) this.record(now - this.#last);
    this.#last = now;
  }
  add(other) {
    if (!(other instanceof RecordableHistogram)) throw argumentType('other', 'RecordableHistogram', other);
    for (const [value, times] of other.#counts) {
      this.#counts.set(value, (this.#counts.get(value) ?? 0) + times);
      this.#count += times;
    }
  }
  reset() { this.#counts.clear(); this.#count = 0; this.#last = undefined; }
  get count() { return this.#count; }
  get countBigInt() { return BigInt(this.#count); }
  get exceeds() { return this.#exceeds; }
  get min() { return this.#count === 0 ? 9223372036854776000 : Math.min(...this.#counts.keys()); }
  get max() { return this.#count === 0 ? 0 : Math.max(...this.#counts.keys()); }
  get mean() {
    let sum = 0;
    for (const [value, times] of this.#counts) sum += value * times;
    return this.#count === 0 ? NaN : sum / this.#count;
  }
  get stddev() {
    const { mean } = this;
    let sum = 0;
    for (const [value, times] of this.#counts) sum += (value - mean) ** 2 * times;
    return this.#count === 0 ? NaN : Math.sqrt(sum / this.#count);
  }
  percentile(share) {
    base.checks.isNumber(share, 'percentile');
    if (!(share > 0 && share <= 100)) throw base.outOfRange('percentile', '> 0 && <= 100', share);
    let seen = 0;
    for (const value of [...this.#counts.keys()].sort((a, b) => a - b)) {
      seen += this.#counts.get(value);
      if (seen >= Math.max(1, Math.ceil(share / 100 * this.#count))) return value;
    }
    return 0;
  }
  get percentiles() { return new Map([50, 75, 90, 99, 100].map((share) => [share, this.percentile(share)])); }
  toJSON() { return { count: this.count, min: this.min, max: this.max, mean: this.mean, exceeds: this.exceeds, stddev: this.stddev, percentiles: Object.fromEntries(this.percentiles) }; }
}
// How late a timer of the given resolution is, in nanoseconds.
class IntervalHistogram extends RecordableHistogram {
  #timer; #resolution;
  constructor(resolution) { super(); this.#resolution = resolution; }
  enable() {
    if (this.#timer !== undefined) return false;
    this.#timer = shelf.setInterval(() => this.recordDelta(), this.#resolution).unref();
    this.recordDelta();
    return true;
  }
  disable() {
    if (this.#timer === undefined) return false;
    shelf.clearInterval(this.#timer);
    this.#timer = undefined;
    return true;
  }
}
function monitorEventLoopDelay(options = {}) {
  base.checks.isObject(options, 'options');
  const { resolution = 10 } = options;
  base.checks.isNumber(resolution, 'options.resolution');
  if (!(resolution >= 1)) throw base.outOfRange('options.resolution', '>= 1 && <= 9007199254740991', resolution);
  return new IntervalHistogram(resolution);
}
const { performance, Performance } = shelf.globals;
builtins.perf_hooks = {
  Performance, PerformanceEntry, PerformanceMark, PerformanceMeasure, PerformanceResourceTiming, PerformanceObserver, PerformanceObserverEntryList, monitorEventLoopDelay,
  createHistogram: () => new RecordableHistogram(), performance, constants: Object.freeze({ NODE_PERFORMANCE_GC_MAJOR: 4, NODE_PERFORMANCE_GC_MINOR: 1, NODE_PERFORMANCE_GC_INCREMENTAL: 8, NODE_PERFORMANCE_GC_WEAKCB: 16 }),
};
