// SPDX-License-Identifier: Apache-2.0
// An interval that clears, refreshes and unrefs itself, and one that is cleared by others.
let n = 0; const a = setInterval(() => { console.log('a', ++n); process.nextTick(() => { console.log('tick'); if (n === 3) clearInterval(a); }); }, 2); let m = 0; const b = setInterval(() => { console.log('b', ++m); if (m === 2) { b.unref(); } }, 50); b.ref(); console.log(a.hasRef(), b.hasRef());
setTimeout(() => { console.log('end'); clearInterval(b); clearTimeout(b); clearInterval(undefined); clearInterval({}); clearInterval('x'); }, 130); const c = setInterval(() => console.log('never'), 1); clearTimeout(+c);
