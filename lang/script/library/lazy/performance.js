// SPDX-License-Identifier: Apache-2.0
// Marks and measures of performance: a timeline that a script writes.
'use strict';
const { base } = shelf;
const { DOMException } = shelf;
const { natives, coded } = base;

class PerformanceEntry {
  constructor(name, entryType, startTime, duration, detail) {
    Object.assign(this, { name, entryType, startTime, duration });
    if (detail !== undefined) this.detail = detail;
  }
  toJSON() { return { name: this.name, entryType: this.entryType, startTime: this.startTime, duration: this.duration, detail: this.detail }; }
}
class PerformanceMark extends PerformanceEntry {}
class PerformanceMeasure extends PerformanceEntry {}
const making = Symbol('making');
// Of a fetch: what packages that fetch by themselves record.
class PerformanceResourceTiming extends PerformanceEntry {
  constructor(given, name, initiatorType, cacheMode, times) {
    if (given !== making) throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    super(name, 'resource', times.startTime, times.endTime - times.startTime);
    const { finalConnectionTimingInfo: connection } = times;
    Object.assign(this, {
      initiatorType, nextHopProtocol: connection?.ALPNNegotiatedProtocol, workerStart: times.finalServiceWorkerStartTime,
      redirectStart: times.redirectStartTime, redirectEnd: times.redirectEndTime, fetchStart: times.postRedirectStartTime,
      domainLookupStart: connection?.domainLookupStartTime, domainLookupEnd: connection?.domainLookupEndTime,
      connectStart: connection?.connectionStartTime, connectEnd: connection?.connectionEndTime,
      secureConnectionStart: connection?.secureConnectionStartTime, requestStart: times.finalNetworkRequestStartTime,
      responseStart: times.finalNetworkResponseStartTime, responseEnd: times.endTime,
      transferSize: cacheMode === 'local' ? 0 : cacheMode === 'validated' ? 300 : times.encodedBodySize + 300,
      encodedBodySize: times.encodedBodySize, decodedBodySize: times.decodedBodySize,
    });
  }
  toJSON() { return { ...this }; }
}
let resourcesMax = 250;
let entries = [];
function add(entry) {
  entries.push(entry);
  shelf.onPerformanceEntry?.(entry);
  return entry;
}
const copyOf = (detail) => (detail == null ? null : globalThis.structuredClone(detail));
// A time, or the name of a mark.
function timeOf(value) {
  if (typeof value === 'number') return value;
  const name = `${value}`;
  const found = entries.findLast((entry) => entry.entryType === 'mark' && entry.name === name);
  if (found === undefined) throw new DOMException(`The "${name}" performance mark has not been set`, 'SyntaxError');
  return found.startTime;
}
const inOrder = (list) => list.slice().sort((a, b) => a.startTime - b.startTime);
shelf.performanceClasses = { PerformanceEntry, PerformanceMark, PerformanceMeasure, PerformanceResourceTiming };
shelf.marks = {
  mark(name, options) {
    const text = `${name}`;
    const start = options?.startTime ?? natives.now();
    base.checks.isNumber(start, 'startTime');
    if (start < 0) throw coded(TypeError, 'ERR_PERFORMANCE_INVALID_TIMESTAMP', `${start} is not a valid timestamp`);
    return add(new PerformanceMark(text, 'mark', start, 0, copyOf(options?.detail)));
  },
  measure(name, given, endMark) {
    base.checks.isString(name, 'name');
    const options = given !== null && typeof given === 'object' ? given : { start: given, end: endMark };
    const end = options.end !== undefined ? timeOf(options.end)
      : options.start !== undefined && options.duration !== undefined ? timeOf(options.start) + options.duration : natives.now();
    const start = options.start !== undefined ? timeOf(options.start) : options.duration !== undefined ? end - options.duration : 0;
    return add(new PerformanceMeasure(name, 'measure', start, end - start, copyOf(options.detail)));
  },
  clearMarks(name) { entries = entries.filter((entry) => entry.entryType !== 'mark' || (name !== undefined && entry.name !== `${name}`)); },
  clearMeasures(name) { entries = entries.filter((entry) => entry.entryType !== 'measure' || (name !== undefined && entry.name !== `${name}`)); },
  // More than fit are told to observers, and not kept.
  markResourceTiming(times, name, initiatorType, global, cacheMode) {
    if (cacheMode !== '' && cacheMode !== 'local') throw coded(Error, 'ERR_INTERNAL_ASSERTION', "cache must be an empty string or 'local'");
    const entry = new PerformanceResourceTiming(making, name, initiatorType, cacheMode, times);
    if (entries.filter((one) => one.entryType === 'resource').length < resourcesMax) return add(entry);
    shelf.onPerformanceEntry?.(entry);
    shelf.setImmediate(() => shelf.globals.performance.dispatchEvent(new shelf.eventGlobals.Event('resourcetimingbufferfull')));
    return entry;
  },
  clearResourceTimings(name) { entries = entries.filter((entry) => entry.entryType !== 'resource' || (name !== undefined && entry.name !== name)); },
  setResourceTimingBufferSize(size) { resourcesMax = size; },
  getEntries: () => inOrder(entries),
  getEntriesByName: (name, type) => inOrder(entries.filter((entry) => entry.name === `${name}` && (type === undefined || entry.entryType === `${type}`))),
  getEntriesByType: (type) => inOrder(entries.filter((entry) => entry.entryType === `${type}`)),
};
