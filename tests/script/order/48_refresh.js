// SPDX-License-Identifier: Apache-2.0
function block(ms) { const e = Date.now() + ms; while (Date.now() < e); }
const log = console.log;
const a = setTimeout(() => log('a'), 300);
setTimeout(() => { log('refreshes a'); a.refresh(); }, 200);
setTimeout(() => log('b'), 400);
let n = 0;
const again = setTimeout(() => { n += 1; log('again', n); if (n < 3) again.refresh(); }, 5);
const over = setTimeout(() => {}, 1); setTimeout(() => { over.refresh(); log(over.hasRef()); }, 100);
