// SPDX-License-Identifier: Apache-2.0
const log = console.log;
Promise.resolve('v').finally(() => log('finally 1')).then((v) => log('then', v));
Promise.reject('r').finally(() => log('finally 2')).catch((r) => log('catch', r));
Promise.resolve().finally(() => { throw 'thrown'; }).catch((r) => log('catch', r));
(async () => { try { await null; return 'value'; } finally { log('finally 3'); await null; log('finally 4'); } })().then(log);
let chain = Promise.resolve();
for (let i = 1; i <= 8; i += 1) chain = chain.then(() => log('job', i));
