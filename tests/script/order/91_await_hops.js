// SPDX-License-Identifier: Apache-2.0
// How many jobs each kind of await takes.
let n = 0; const tick = () => { if (n++ < 12) { console.log('-', n); Promise.resolve().then(tick); } }; tick();
const t = (name, make) => (async () => { await make(); console.log(name); })();
t('value', () => 1); t('native', () => Promise.resolve()); t('thenable', () => ({ then(ok) { ok(); } })); t('async', async () => {}); t('async of promise', async () => Promise.resolve());
t('async of thenable', async () => ({ then(ok) { ok(); } })); t('subclass', () => new (class extends Promise {})((ok) => ok())); t('resolved with promise', () => new Promise((ok) => ok(Promise.resolve())));
t('own then', () => Object.assign(Promise.resolve(), { then(ok) { ok(); } })); t('own constructor', () => Object.assign(Promise.resolve(), { constructor: Object }));
