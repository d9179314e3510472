// SPDX-License-Identifier: Apache-2.0
setTimeout(function () { console.log(this.constructor.name, [...arguments]); }, 1, 'a', 2);
setImmediate(function () { console.log(this.constructor.name, [...arguments]); }, 'b');
process.nextTick(function () { 'use strict'; console.log(this, [...arguments]); }, 'c');
queueMicrotask(function () { 'use strict'; console.log(this, arguments.length); });
const i = setInterval(function () { console.log(this === i, [...arguments]); clearInterval(this); }, 1, 'd');
for (const until = Date.now() + 5; Date.now() < until;);  // The timers are due before the immediate.
