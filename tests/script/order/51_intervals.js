// SPDX-License-Identifier: Apache-2.0
function block(ms) { const e = Date.now() + ms; while (Date.now() < e); }
const log = console.log;
let n = 0;
const id = setInterval(() => { n += 1; log('interval', n); if (n === 1) block(25); if (n === 3) { clearInterval(id); log('cleared', id._destroyed); } }, 10);
const once = setInterval(() => { log('once'); clearTimeout(once); }, 10);
