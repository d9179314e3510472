// SPDX-License-Identifier: Apache-2.0
// Puts the globals in place.
'use strict';
const define = (name, value, isEnumerable = true) => Object.defineProperty(globalThis, name, {
  value, configurable: true, writable: true, enumerable: isEnumerable,
});
define('global', globalThis);
for (const name of ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate', 'queueMicrotask']) {
  define(name, shelf[name]);
}
define('process', shelf.process, false);
define('console', shelf.console, false);
for (const name of Object.keys(shelf.globals ?? {})) define(name, shelf.globals[name], false);
Object.defineProperty(globalThis, Symbol.toStringTag, { value: 'global', configurable: true, writable: false, enumerable: false });
