// SPDX-License-Identifier: Apache-2.0
// structuredClone: a copy of what the algorithm of HTML can copy, with the texts of V8's refusals.
'use strict';
const { base, DOMException } = shelf;
const { engine, coded } = base;
const kindOf = (value) => (value !== null && (typeof value === 'object' || typeof value === 'function') ? engine.kind(value) : '');

function structuredClone(given) {
  const [value, options] = given;
  if (given.length === 0) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The value argument must be specified');
  if (options !== undefined && options !== null && typeof options !== 'object' && typeof options !== 'function') {
    throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The options argument must be either an object or undefined');
  }
  const transfer = options?.transfer;
  if (transfer != null && (typeof transfer !== 'object' || typeof transfer[Symbol.iterator] !== 'function')) {
    throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'Optional transferList argument must be an iterable');
  }
  if (shelf.hasPorts?.(transfer)) return shelf.messages.copy(value, transfer);
  const moved = new base.SafeSet();
  for (const one of transfer ?? []) {
    if (kindOf(one) !== 'ArrayBuffer') throw coded(TypeError, 'ERR_INVALID_TRANSFER_OBJECT', 'Found invalid object in transferList');
    if (moved.has(one)) throw new DOMException('Transfer list contains duplicate ArrayBuffer', 'DataCloneError');
    moved.add(one);
  }
  const made = clone(value, new base.SafeMap());
  moved.forEach((one) => engine.detach(one));
  return made;
}
const unclonable = ['Symbol', 'Promise', 'WeakMap', 'WeakSet', 'Generator', 'Module', 'MapIterator', 'SetIterator', 'Proxy', 'External', 'Arguments'];
const iteratorParent = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
// Objects with insides that no kind names: iterators, weak references, objects of the host's classes.
const hasHiddenInside = (value) => value instanceof WeakRef || value instanceof FinalizationRegistry || (iteratorParent.isPrototypeOf(value) && !(base.hasOwn(value, 'next')) && Object.getPrototypeOf(value) !== iteratorParent && Object.getPrototypeOf(Object.getPrototypeOf(value)) === iteratorParent);
const isUnclonable = (kind, value) => unclonable.includes(kind) || hasHiddenInside(value) || shelf.isPort?.(value);
function refuse(value) {
  if (shelf.isPort?.(value)) throw coded(TypeError, 'ERR_MISSING_TRANSFERABLE_IN_TRANSFER_LIST', 'Object that needs transfer was found in message but not listed in transferList');
  let text;
  if (typeof value === 'symbol') text = String(value);
  else if (typeof value === 'function') text = base.functionToString(value);
  else {
    const kind = engine.kind(value);
    if (kind === 'Symbol' || kind === 'Generator') text = `[object ${kind}]`;
    else if (kind === 'Proxy' || kind === 'Arguments' || iteratorParent.isPrototypeOf(value)) text = '#<Object>';
    else text = `#<${engine.constructorName(value)}>`;
  }
  throw new DOMException(`${text} could not be cloned.`, 'DataCloneError');
}
const errorTypes = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
function clone(value, seen) {
  if (typeof value === 'function' || typeof value === 'symbol') refuse(value);
  if (value === null || typeof value !== 'object') return value;
  if (seen.has(value)) return seen.get(value);
  const keep = (made) => { seen.set(value, made); return made; };
  const deep = (inner) => clone(inner, seen);
  const kind = engine.kind(value);
  if (isUnclonable(kind, value)) return refuse(value);
  switch (kind) {
    case 'Number': case 'String': case 'Boolean': case 'BigInt': return keep(Object(value.valueOf()));
    case 'Date': return keep(new Date(Date.prototype.getTime.call(value)));
    case 'RegExp': return keep(new RegExp(value.source, value.flags));
    case 'ArrayBuffer': return keep(ArrayBuffer.prototype.slice.call(value, 0));
    case 'SharedArrayBuffer': return keep(value);
    case 'TypedArray': case 'DataView': {
      const Type = kind === 'DataView' ? DataView : globalThis[value[Symbol.toStringTag]];
      return keep(new Type(deep(value.buffer), value.byteOffset, kind === 'DataView' ? value.byteLength : value.length));
    }
    case 'Map': {
      const made = keep(new Map());
      for (const [name, inner] of [...Map.prototype.entries.call(value)]) made.set(deep(name), deep(inner));
      return made;
    }
    case 'Set': {
      const made = keep(new Set());
      for (const inner of [...Set.prototype.values.call(value)]) made.add(deep(inner));
      return made;
    }
    case 'Error': {
      const Type = errorTypes[value.name] ?? Error;
      const copy = keep(new Type());
      for (const name of ['message', 'stack', 'cause']) {
        if (base.hasOwn(value, name)) Object.defineProperty(copy, name, { value: deep(value[name]), configurable: true, writable: true, enumerable: false });
      }
      return copy;
    }
    default: break;
  }
  const made = keep(kind === 'Array' ? new Array(value.length) : {});
  for (const name of Object.keys(value)) made[name] = deep(value[name]);
  return made;
}
shelf.structuredClone = structuredClone;
shelf.cloneParts = { kindOf, isUnclonable, refuse, errorTypes };
