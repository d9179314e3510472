// SPDX-License-Identifier: Apache-2.0
let ok; const p = new Promise((r) => { ok = r; }); ok(p);
p.catch((e) => console.log(e.name, e.message));
let ok2; const q = new Promise((r) => { ok2 = r; }); ok2(q.then(() => {}));
setTimeout(() => console.log('nothing waits for q'), 1);
