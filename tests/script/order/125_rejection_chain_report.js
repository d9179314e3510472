// SPDX-License-Identifier: Apache-2.0
// Only the end of a chain is reported, and each branch by itself.
process.on('unhandledRejection', (r) => console.log('unhandled', r)); const p = Promise.reject('root'); p.then(() => {}); p.finally(() => console.log('finally')); p.then(1, (e) => { console.log('handled', e); throw 'new ' + e; }); (async () => { await p; })(); (async () => { try { await p; } catch { return Promise.reject('returned'); } })();
Promise.all([p, Promise.reject('all')]); Promise.allSettled([Promise.reject('settled')]); Promise.race([Promise.reject('race'), Promise.reject('not seen')]); Promise.any([Promise.reject('any')]).catch((e) => console.log(e.errors));
new Promise((_, no) => { no('executor'); throw 'ignored'; }); new Promise(() => { throw 'thrown'; }); process.nextTick(() => console.log('tick'));
