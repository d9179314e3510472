// SPDX-License-Identifier: Apache-2.0
// AbortSignal.any: the order of the listeners of the sources and of the result.
const a = new AbortController(); const b = new AbortController();
const any = AbortSignal.any([a.signal, b.signal]); const nested = AbortSignal.any([any, b.signal]);
for (const [name, s] of [['a', a.signal], ['any', any], ['nested', nested], ['b', b.signal]]) s.addEventListener('abort', () => { console.log(name, s.reason, any.aborted, nested.aborted); queueMicrotask(() => console.log('micro', name)); process.nextTick(() => console.log('tick', name)); });
a.abort('why'); b.abort('again'); console.log('after', nested.reason, b.signal.reason);
console.log(AbortSignal.any([AbortSignal.abort('x'), AbortSignal.abort('y')]).reason, AbortSignal.any([]).aborted);
