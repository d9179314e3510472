// SPDX-License-Identifier: Apache-2.0
// The comparison behind assert.deepEqual, assert.deepStrictEqual and util.isDeepStrictEqual.
'use strict';
const { base } = shelf;
const { engine, hasOwn } = base;
const kindOf = (value) => (value !== null && (typeof value === 'object' || typeof value === 'function') ? engine.kind(value) : '');
const isObject = (value) => value !== null && typeof value === 'object';
const same = Object.is;
const loose = (a, b) => a == b || (a !== a && b !== b);
const isOwnAndShown = base.uncurry(Object.prototype.propertyIsEnumerable);
const shownSymbols = (value) => Object.getOwnPropertySymbols(value).filter((key) => isOwnAndShown(value, key));

// The objects that are being compared, for cycles. The outermost pair is remembered as a pair, deeper
// objects as a set: where both are in it already they count as equal, where one is, as unequal.
class Comparing {
  first = undefined;
  depth = 0;
  open = new base.SafeSet();
  // The answer, or undefined where the insides must be compared.
  enter(a, b) {
    this.depth += 1;
    if (this.depth === 1) this.first = [a, b];
    if (this.depth === 2 && this.first[0] === a && this.first[1] === b) return this.leaveWith(true);
    if (this.depth > 2) {
      const known = Number(this.open.has(a)) + Number(this.open.has(b));
      if (known > 0) return this.leaveWith(known === 2);
    }
    return undefined;
  }
  leaveWith(answer) { this.depth -= 1; return answer; }
}

function isDeep(a, b, isStrict, comparing = new Comparing()) {
  if (a === b) return a !== 0 || !isStrict || same(a, b);
  if (!isObject(a) || !isObject(b)) {
    if (isStrict) return typeof a === 'number' && same(a, b);
    return !isObject(a) && !isObject(b) && typeof a !== 'function' && typeof b !== 'function' && loose(a, b);
  }
  if (isStrict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  const kind = kindOf(a);
  if (kind !== kindOf(b) || base.objectToString(a) !== base.objectToString(b)) return false;
  if (kind === 'Array' && a.length !== b.length) return false;
  const deep = (x, y) => isDeep(x, y, isStrict, comparing);
  if (!hasSameInside(a, b, kind, isStrict, deep) || !haveSameKeys(a, b, kind, isStrict)) return false;
  const known = comparing.enter(a, b);
  if (known !== undefined) return known;
  const { open } = comparing;
  const [isNewA, isNewB] = [!open.has(a), !open.has(b)];
  open.add(a);
  open.add(b);
  const answer = haveSameEntries(a, b, kind, isStrict, deep);
  if (isNewA) open.delete(a);
  if (isNewB) open.delete(b);
  return comparing.leaveWith(answer);
}
// Without the indexes of a typed array, which may be millions.
const keysOf = (value, kind) => (kind === 'TypedArray' ? ownExtras(value) : Object.keys(value));
function haveSameKeys(a, b, kind, isStrict) {
  const keys = keysOf(a, kind);
  if (keys.length !== keysOf(b, kind).length || !keys.every((key) => hasOwn(b, key))) return false;
  if (!isStrict) return true;
  const own = shownSymbols(a);
  return own.length === shownSymbols(b).length && own.every((key) => isOwnAndShown(b, key));
}
function haveSameEntries(a, b, kind, isStrict, deep) {
  if (kind === 'Set' && !sameSets(a, b, deep)) return false;
  if (kind === 'Map' && !sameMaps(a, b, deep)) return false;
  if (kind === 'TypedArray') return ownExtras(a).every((key) => deep(a[key], b[key]));
  if (!Object.keys(a).every((key) => deep(a[key], b[key]))) return false;
  return !isStrict || shownSymbols(a).every((key) => deep(a[key], b[key]));
}
const ownExtras = (value) => engine.ownNonIndexKeys(value, false);
function hasSameInside(a, b, kind, isStrict, deep) {
  switch (kind) {
    case 'Date': return same(Date.prototype.getTime.call(a), Date.prototype.getTime.call(b));
    case 'RegExp': return a.source === b.source && a.flags === b.flags && a.lastIndex === b.lastIndex;
    case 'Error':
      // What a constructor sets is not enumerable.
      return a.message === b.message && a.name === b.name && ['cause', 'errors'].every((key) => hasOwn(a, key) === hasOwn(b, key) && (isOwnAndShown(a, key) || deep(a[key], b[key])));
    case 'Number': case 'String': case 'Boolean': case 'BigInt': case 'Symbol': return same(a.valueOf(), b.valueOf());
    case 'ArrayBuffer': return deep(new Uint8Array(a), new Uint8Array(b));
    case 'TypedArray': return a.length === b.length && haveSameNumbers(a, b, isStrict);
    default: return !(a instanceof URL && b instanceof URL) || a.href === b.href;
  }
}
// Of one type and length. Floats that are equal may differ in their bytes.
function haveSameNumbers(a, b, isStrict) {
  const bytesOf = (view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  if (!/Float/.test(base.objectToString(a))) return base.natives.bytesCompare(bytesOf(a), bytesOf(b)) === 0;
  for (let i = 0; i < a.length; i += 1) if (!(isStrict ? same(a[i], b[i]) : a[i] === b[i])) return false;
  return true;
}
function sameSets(a, b, deep) {
  if (a.size !== b.size) return false;
  const left = [...b];
  for (const value of a) {
    let at = left.findIndex((other) => other === value);
    if (at === -1) at = left.findIndex((other) => deep(value, other));
    if (at === -1) return false;
    left.splice(at, 1);
  }
  return true;
}
function sameMaps(a, b, deep) {
  if (a.size !== b.size) return false;
  const left = [...b];
  for (const [key, value] of a) {
    let at = left.findIndex(([other, found]) => same(other, key) && deep(value, found));
    if (at === -1) at = left.findIndex(([other, found]) => deep(key, other) && deep(value, found));
    if (at === -1) return false;
    left.splice(at, 1);
  }
  return true;
}
shelf.isDeep = isDeep;
