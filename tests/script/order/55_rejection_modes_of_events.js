// SPDX-License-Identifier: Apache-2.0
const log = console.log;
process.on('unhandledRejection', (r, p) => { log('unhandled', r instanceof Error ? r.message : r, p instanceof Promise); });
(async () => { throw new Error('async'); })();
new Promise((_, no) => no(1)); Promise.reject(undefined); Promise.reject(null);
new Promise(() => { throw new TypeError('executor'); });
Promise.resolve().then(() => { throw 'then'; });
Promise.all([Promise.reject('one'), Promise.reject('two')]);
Promise.reject('chained').then(() => {}).then(() => {});
