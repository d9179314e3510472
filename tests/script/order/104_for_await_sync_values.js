// SPDX-License-Identifier: Apache-2.0
// for await over arrays: promises, rejections, thenables, and the jobs in between.
(async () => { let n = 0; const t = (async () => { while (n < 14) { await null; console.log('-', n++); } })();
  for await (const v of [1, Promise.resolve(2), { then(ok) { console.log('then'); ok(3); } }, new Promise((r) => setImmediate(r, 4))]) console.log('v', v); await t;
  try { for await (const v of [Promise.resolve('a'), Promise.reject('b'), 'c']) console.log('v', v); } catch (e) { console.log('caught', e); }
  function* g() { try { yield Promise.reject('in g'); } finally { console.log('g closes'); } } try { for await (const v of g()) console.log(v); } catch (e) { console.log('caught', e); }
  function* h() { try { yield 1; yield 2; } finally { console.log('h closes'); } } for await (const v of h()) { console.log(v); break; } })();
