// SPDX-License-Identifier: Apache-2.0
// One case of ./dev bench script: prints the milliseconds it took.
const t0 = process.hrtime.bigint(); const which = process.argv[2]; const N = 1e6;
const done = () => console.log(Number((process.hrtime.bigint() - t0) / 1000n) / 1000);
let n = 0;
({
 chain() { (function f() { if (++n < N) Promise.resolve().then(f); else done(); })(); },
 wide() { for (let i = 0; i < N; i++) Promise.resolve().then(() => { if (++n === N) done(); }); },
 await1() { (async () => { for (let i = 0; i < N; i++) await null; done(); })(); },
 await100() { for (let c = 0; c < 100; c++) (async () => { for (let i = 0; i < N / 100; i++) await null; if (++n === 100) done(); })(); },
 tickchain() { (function f() { if (++n < N) process.nextTick(f); else done(); })(); },
 tickwide() { for (let i = 0; i < N; i++) process.nextTick(() => { if (++n === N) done(); }); },
 immchain() { (function f() { if (++n < N / 5) setImmediate(f); else done(); })(); },
 immwide() { for (let i = 0; i < N; i++) setImmediate(() => { if (++n === N) done(); }); },
 timers() { for (let i = 0; i < N / 10; i++) setTimeout(() => { if (++n === N / 10) done(); }, i % 100); },
 setclear() { for (let i = 0; i < N; i++) clearTimeout(setTimeout(() => {}, 100)); done(); },
})[which]();
