// SPDX-License-Identifier: Apache-2.0
// A pipeline of async functions, and in which order its parts end.
const log = console.log; const step = (n, k) => new Promise((r) => (k === 0 ? r(n) : k === 1 ? setImmediate(r, n) : k === 2 ? process.nextTick(r, n) : queueMicrotask(() => r(n)))); const worker = async (id, items) => { for (const [n, k] of items) { log(id, 'starts', n); const v = await step(n, k); log(id, 'has', v); } return id; };
Promise.all([worker('a', [[1, 0], [2, 1], [3, 2]]), worker('b', [[1, 2], [2, 0], [3, 3]]), worker('c', [[1, 1], [2, 1]])]).then((v) => log('all', v)); Promise.race([worker('d', [[1, 1]]), worker('e', [[1, 2]])]).then((v) => log('race', v)); log('main');
