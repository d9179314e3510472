// SPDX-License-Identifier: Apache-2.0
// AbortSignal.timeout: what it gives, and that it does not keep the program alive.
const s = AbortSignal.timeout(5); const never = AbortSignal.timeout(100000); never.onabort = () => console.log('never');
s.addEventListener('abort', () => { console.log(s.reason.name, s.reason.code, s.reason.message, s.reason instanceof DOMException); process.nextTick(() => console.log('tick')); Promise.resolve().then(() => console.log('micro')); });
setTimeout(() => console.log('end', s.aborted), 40);
for (const v of [-1, NaN, '5', undefined, 2 ** 53]) try { AbortSignal.timeout(v); console.log('fine'); } catch (e) { console.log(e.name, e.code, e.message); }
