// SPDX-License-Identifier: Apache-2.0
const log = console.log;
const t = { then(ok) { log('then called'); ok('t'); } };
Promise.resolve(t).then(log);
(async () => { log(await t, 'awaited'); })();
new Promise((ok) => { ok(t); log('resolve returned'); }).then((v) => log(v, 'resolved'));
let chain = Promise.resolve();
for (let i = 1; i <= 5; i += 1) chain = chain.then(() => log('job', i));
