// SPDX-License-Identifier: Apache-2.0
process.on('unhandledRejection', (e) => console.log('unhandled', e.name, e.message));
Promise.resolve().then(() => undefinedFunction());
Promise.resolve().then(() => null.x);
(async () => { decodeURIComponent('%'); })();
new Promise((ok) => { ok(1); throw new Error('ignored'); }).then((v) => console.log('value', v));
