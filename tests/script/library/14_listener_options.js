// SPDX-License-Identifier: Apache-2.0
// The options of addEventListener that are read.
'use strict';
const read = new Set();
const options = new Proxy({}, { get(target, key) { read.add(String(key)); return undefined; } });
new EventTarget().addEventListener('x', () => {}, options);
console.log(['capture', 'once', 'passive', 'signal'].map((name) => [name, read.has(name)]));
