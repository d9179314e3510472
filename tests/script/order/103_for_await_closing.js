// SPDX-License-Identifier: Apache-2.0
// How a loop closes its iterator: break, return, throw, and a return that fails.
const make = (name, ret) => ({ [Symbol.asyncIterator]() { let n = 0; return { next: async () => ({ value: n++, done: n > 3 }), return: ret && (() => { console.log(name, 'closes'); return ret(); }) }; } });
const run = async (name, f) => { try { console.log(name, await f()); } catch (e) { console.log(name, 'error', e.message ?? e); } };
(async () => {
  await run('break', async () => { for await (const v of make('a', async () => ({}))) { console.log(v); break; } return 'done'; });
  await run('return', async () => { for await (const v of make('b', async () => ({}))) return v; });
  await run('throw', async () => { for await (const v of make('c', async () => { throw new Error('closing'); })) throw new Error('body'); });
  await run('bad return', async () => { for await (const v of make('d', async () => { throw new Error('closing'); })) break; });
  await run('no object', async () => { for await (const v of make('e', async () => 5)) break; });
  await run('without', async () => { for await (const v of make('f')) break; return 'fine'; });
  await run('label', async () => { let n = 0; o: for (const x of [1, 2]) for await (const v of make('g', async () => ({}))) { n++; continue o; } return n; });
})();
