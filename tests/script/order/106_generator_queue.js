// SPDX-License-Identifier: Apache-2.0
// Calls queue up in an async generator while it waits.
async function* g() { try { console.log('begin'); const a = yield 1; console.log('got', a); const b = yield Promise.resolve(2); console.log('got', b); return 3; } finally { console.log('finally'); await null; console.log('finally ends'); } }
const it = g(); const show = (l) => [(v) => console.log(l, v), (e) => console.log(l, 'error', e)];
it.next('a').then(...show('n1')); it.next('b').then(...show('n2')); it.next('c').then(...show('n3')); it.next('d').then(...show('n4'));
(async () => { for (let i = 0; i < 12; i++) { await null; console.log('-', i); } })();
