// SPDX-License-Identifier: Apache-2.0
const log = console.log;
const p = Promise.resolve('inner');
new Promise((ok) => ok(p)).then((v) => log('adopted', v));
(async () => p)().then((v) => log('returned', v));
(async () => { await p; log('awaited'); })();
(async () => await p)().then((v) => log('awaited and returned', v));
let chain = Promise.resolve();
for (let i = 1; i <= 6; i += 1) chain = chain.then(() => log('job', i));
