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
// What a file of library/lazy makes when it is first used.
const defineLazily = (file, names, isEnumerable) => names.forEach((name) => Object.defineProperty(globalThis, name, {
  configurable: true, enumerable: isEnumerable,
  get() {
    shelf.load(file);
    define(name, globals[name], isEnumerable);
    return globals[name];
  },
  set(value) { define(name, value, isEnumerable); },
}));
defineLazily('web_writable', ['ReadableStream', 'ReadableStreamDefaultReader', 'ReadableStreamBYOBReader', 'ReadableStreamDefaultController', 'ReadableByteStreamController', 'ReadableStreamBYOBRequest', 'WritableStream', 'WritableStreamDefaultWriter', 'WritableStreamDefaultController', 'TransformStream', 'TransformStreamDefaultController', 'CountQueuingStrategy', 'ByteLengthQueuingStrategy', 'TextEncoderStream', 'TextDecoderStream'], false);
defineLazily('web_compression', ['CompressionStream', 'DecompressionStream'], false);
defineLazily('web_bodies', ['Blob', 'File', 'FormData', 'Headers'], false);
defineLazily('web_fetch', ['Request', 'Response'], false);
if (shelf.base.natives.cryptoEngine() !== '') Object.defineProperty(globalThis, 'CryptoKey', {
  configurable: true, enumerable: false,
  get() { void shelf.builtins.crypto; shelf.load('crypto_subtle'); define('CryptoKey', globals.CryptoKey, false); return globals.CryptoKey; },
  set(value) { define('CryptoKey', value, false); },
});
// Where the host gives scripts threads (lang/script/threads).
if (shelf.base.natives.portPair !== undefined) defineLazily('message_ports', ['MessageChannel', 'MessagePort', 'BroadcastChannel'], false);
defineLazily('message_event', ['MessageEvent'], false);
// Where the host gives scripts a network (lang/script/http).
if (shelf.base.natives.httpOpen !== undefined) {
  defineLazily('web_fetch', ['fetch'], true);
  defineLazily('event_source', ['EventSource'], false);
}
shelf.defineLazily = defineLazily;
access('process', shelf.process, false);
define('console', shelf.console, false);
Object.defineProperty(globalThis, Symbol.toStringTag, { value: 'global', configurable: true, writable: false, enumerable: false });
