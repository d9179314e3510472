// SPDX-License-Identifier: Apache-2.0
// Puts the globals in place, in Node's order and with Node's attributes.
'use strict';
const define = (name, value, isEnumerable) => Object.defineProperty(globalThis, name, {
  value, configurable: true, writable: true, enumerable: isEnumerable,
});
// As an accessor, which a script may replace by assignment.
const access = (name, value, isEnumerable) => {
  let current = value;
  Object.defineProperty(globalThis, name, {
    configurable: true, enumerable: isEnumerable,
    get: { [name]() { return current; } }[name],
    set: { [name](given) { current = given; } }[name],
  });
};
const { globals } = shelf;
define('global', globalThis, true);
for (const name of ['clearImmediate', 'setImmediate', 'clearInterval', 'clearTimeout', 'setInterval', 'setTimeout', 'queueMicrotask']) define(name, shelf[name], true);
const accessors = { atob: true, btoa: true, performance: true, crypto: true, AbortController: false, AbortSignal: false, DOMException: false, TextEncoder: false, TextDecoder: false };
define('structuredClone', globals.structuredClone, true);
for (const name of Object.keys(accessors)) access(name, globals[name], accessors[name]);
for (const name of Object.keys(globals)) if (name !== 'structuredClone' && accessors[name] === undefined) define(name, globals[name], false);
access('process', shelf.process, false);
define('console', shelf.console, false);
Object.defineProperty(globalThis, Symbol.toStringTag, { value: 'global', configurable: true, writable: false, enumerable: false });
