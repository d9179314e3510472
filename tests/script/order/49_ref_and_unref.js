// SPDX-License-Identifier: Apache-2.0
function block(ms) { const e = Date.now() + ms; while (Date.now() < e); }
const log = console.log;
setTimeout(log, 50, 'never').unref();
setImmediate(log, 'beside a timer').unref();
setTimeout(log, 1, 'timer');
const t = setTimeout(log, 5, 'ref again').unref(); t.ref();
log(t.hasRef(), setTimeout(() => {}, 1).unref().hasRef());
block(10);
