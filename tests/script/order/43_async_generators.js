// SPDX-License-Identifier: Apache-2.0
const log = console.log;
async function* numbers(name) { for (let i = 0; i < 3; i += 1) { log(name, 'makes', i); yield i; await null; } }
(async () => { for await (const v of numbers('a')) log('a got', v); log('a done'); })();
(async () => { for await (const v of [Promise.resolve('x'), 'y']) log('list', v); })();
const g = numbers('b');
g.next().then((v) => log('b', v)); g.next().then((v) => log('b', v)); g.return('end').then((v) => log('b', v));
let chain = Promise.resolve();
for (let i = 1; i <= 12; i += 1) chain = chain.then(() => log('job', i));
