// SPDX-License-Identifier: Apache-2.0
function block(ms) { const e = Date.now() + ms; while (Date.now() < e); }
const log = console.log;
const t = [1, 2, 3, 4].map((n) => setTimeout(() => { log('timer', n); if (n === 1) { clearTimeout(t[1]); process.nextTick(() => clearTimeout(t[2])); } }, 1));
const i = [1, 2, 3, 4].map((n) => setImmediate(() => { log('immediate', n); if (n === 1) { clearImmediate(i[1]); Promise.resolve().then(() => clearImmediate(i[2])); } }));
clearTimeout('nothing'); clearImmediate(null); clearTimeout({}); clearInterval(12345);
const byNumber = setTimeout(log, 1, 'never'); clearTimeout(+byNumber);
const byText = setTimeout(log, 1, 'never'); clearTimeout(String(+byText));
block(5);
