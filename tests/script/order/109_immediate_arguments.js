// SPDX-License-Identifier: Apache-2.0
// Arguments and this of immediates and timers, and handles as values.
setImmediate(function (...a) { console.log(a, this.constructor.name, this._argv); }, 1, 2); setImmediate(function () { console.log(arguments.length, typeof this); }); setTimeout(function (...a) { console.log(a, this.constructor.name); }, 1, 'x', undefined); for (const f of [setImmediate, setTimeout, setInterval, queueMicrotask, process.nextTick]) for (const v of [undefined, null, 5, 'x', {}]) try { f(v); } catch (e) { console.log(f.name, e.code, e.message); }
const t = setTimeout(() => {}, 1); console.log(typeof t[Symbol.toPrimitive](), typeof +t, `${t}` === String(+t), t.constructor.name, Object.keys(t)); clearTimeout(t);
for (const end = Date.now() + 5; Date.now() < end;) continue;  // The timer is due before the first round.
