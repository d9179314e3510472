// SPDX-License-Identifier: Apache-2.0
// Immediates that clear others of their batch and of the next one, from ticks and microtasks too.
const h = []; for (let i = 0; i < 8; i++) h.push(setImmediate(() => { console.log(i); if (i === 0) { clearImmediate(h[1]); process.nextTick(() => { console.log('tick'); clearImmediate(h[2]); }); Promise.resolve().then(() => { console.log('micro'); clearImmediate(h[3]); }); } if (i === 4) { const n = setImmediate(() => console.log('never')); setImmediate(() => console.log('next batch')); clearImmediate(n); clearImmediate(h[4]); clearImmediate(h[7]); } }));
setImmediate(() => { console.log(h[0]._destroyed, h[0].hasRef(), h[1].hasRef()); }); h[5].unref(); h[6].unref().ref();
