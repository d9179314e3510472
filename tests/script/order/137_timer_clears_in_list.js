// SPDX-License-Identifier: Apache-2.0
// Timers that clear, refresh and add to their own list.
const block = (ms) => { const e = performance.now() + ms; while (performance.now() < e); }; const h = []; for (let i = 0; i < 7; i++) h.push(setTimeout(() => { console.log(i); if (i === 0) { clearTimeout(h[1]); h[2].refresh(); setTimeout(() => console.log('added'), 5); } if (i === 3) { clearTimeout(h[3]); process.nextTick(() => clearTimeout(h[4])); } if (i === 5) queueMicrotask(() => clearTimeout(h[6])); }, 5)); block(20);
setImmediate(() => console.log('immediate'));
