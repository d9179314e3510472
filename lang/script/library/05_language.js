// SPDX-License-Identifier: Apache-2.0
// Functions of the language that Node 20 has and an older engine lacks.
'use strict';
const { base } = shelf;
const relative = (given, length, missing) => {
  if (given === undefined) return missing;
  const at = Math.trunc(Number(given)) || 0;
  return at < 0 ? Math.max(at + length, 0) : Math.min(at, length);
};
const indexOf = (given, length) => {
  const at = Math.trunc(Number(given)) || 0;
  const index = at < 0 ? at + length : at;
  if (index < 0 || index >= length) throw new RangeError(`Invalid index : ${at}`);
  return index;
};
// A plain array with the elements of an array-like: holes become undefined.
const copyOf = (value) => {
  const source = Object(value);
  const length = Math.min(Math.max(Math.trunc(Number(source.length)) || 0, 0), Number.MAX_SAFE_INTEGER);
  if (length > 2 ** 32 - 1) throw new RangeError('Invalid array length');
  const made = new Array(length);
  for (let i = 0; i < length; i += 1) made[i] = source[i];
  return made;
};
const checkOrder = (compare) => {
  if (compare !== undefined && typeof compare !== 'function') throw new TypeError('The comparison function must be either a function or undefined');
};
const { sort, reverse, splice } = Array.prototype;
const lists = {
  toReversed() { return base.apply(reverse, copyOf(this), []); },
  toSorted(compare) { checkOrder(compare); return base.apply(sort, copyOf(this), [compare]); },
  toSpliced(start, count, ...items) {
    const made = copyOf(this);
    const from = relative(start, made.length, 0);
    const removed = arguments.length === 0 ? 0 : arguments.length === 1 ? made.length - from : Math.min(Math.max(Math.trunc(Number(count)) || 0, 0), made.length - from);
    base.apply(splice, made, [from, removed, ...items]);
    return made;
  },
  with(index, value) { const made = copyOf(this); made[indexOf(index, made.length)] = value; return made; },
};
const Typed = Object.getPrototypeOf(Uint8Array);
const lengthOf = base.uncurry(Object.getOwnPropertyDescriptor(Typed.prototype, 'length').get);
const nameOf = base.uncurry(Object.getOwnPropertyDescriptor(Typed.prototype, Symbol.toStringTag).get);
const typedClasses = { Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array };
const typedCopy = (value) => {
  const name = nameOf(value);
  if (name === undefined) throw new TypeError('this is not a typed array.');
  return new typedClasses[name](value);
};
const typed = {
  toReversed() { return base.apply(Typed.prototype.reverse, typedCopy(this), []); },
  toSorted(compare) { checkOrder(compare); return base.apply(Typed.prototype.sort, typedCopy(this), [compare]); },
  with(index, value) {
    const made = typedCopy(this);
    const number = nameOf(made).startsWith('Big') ? BigInt(value) : Number(value);
    made[indexOf(index, lengthOf(made))] = number;
    return made;
  },
};
const lone = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const loneAll = new RegExp(lone, 'g');
const textOf = (value, name) => {
  if (value === undefined || value === null) throw new TypeError(`String.prototype.${name} called on null or undefined`);
  return `${value}`;
};
const texts = {
  isWellFormed() { return !lone.test(textOf(this, 'isWellFormed')); },
  toWellFormed() { return textOf(this, 'toWellFormed').replace(loneAll, '\ufffd'); },
};
for (const [owner, added] of [[Array.prototype, lists], [Typed.prototype, typed], [String.prototype, texts]]) {
  for (const name of Object.keys(added)) {
    if (name in owner) continue;
    base.defineProperty(owner, name, { value: added[name], configurable: true, writable: true, enumerable: false });
    if (owner === Array.prototype && name !== 'with') owner[Symbol.unscopables][name] = true;
  }
}
for (const name of ['toSpliced', 'toSorted']) base.defineProperty(Array.prototype[name], 'length', { value: name === 'toSpliced' ? 2 : 1, configurable: true });

// What V8's call sites have besides, for packages that look at their callers (QuickJS).
const prepare = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');
let site;
Error.prepareStackTrace = (error, sites) => { [site] = sites; };
void new Error('').stack;
// QuickJS keeps it behind an accessor.
Error.prepareStackTrace = undefined;
if (prepare === undefined) delete Error.prepareStackTrace;
else Object.defineProperty(Error, 'prepareStackTrace', prepare);
const siteClass = site === undefined ? undefined : Object.getPrototypeOf(site);
if (siteClass !== undefined && !('isEval' in siteClass)) {
  const answers = { isEval: false, isConstructor: false, isToplevel: true, isAsync: false, isPromiseAll: false, getPromiseIndex: null, getThis: undefined, getFunction: undefined, getTypeName: null, getMethodName: null, getEvalOrigin: undefined };
  const methods = { getScriptNameOrSourceURL() { return this.getFileName(); } };
  for (const name of Object.keys(answers)) methods[name] = { [name]() { return answers[name]; } }[name];
  for (const name of Object.keys(methods)) Object.defineProperty(siteClass, name, { value: methods[name], configurable: true, writable: true, enumerable: false });
}
