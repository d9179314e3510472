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
shelf.performanceClasses = { PerformanceEntry, PerformanceMark, PerformanceMeasure };
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
  getEntries: () => inOrder(entries),
  getEntriesByName: (name, type) => inOrder(entries.filter((entry) => entry.name === `${name}` && (type === undefined || entry.entryType === `${type}`))),
  getEntriesByType: (type) => inOrder(entries.filter((entry) => entry.entryType === `${type}`)),
};
