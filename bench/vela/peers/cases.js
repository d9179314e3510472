// SPDX-License-Identifier: Apache-2.0
// The cases of bench/vela/cases.vela in JavaScript: NAME N; prints the result and milliseconds. Plain
// ECMAScript but for its last lines, so that every engine runs it.
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
class Point {
  constructor(x, y) { this.x = x; this.y = y; }
  add(other) { return new Point(this.x + other.x, this.y + other.y); }
  length() { return this.x + this.y; }
}
async function one(n) { return n; }
const cases = {
  fib,
  loops(n) {
    let total = 0;
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) total = total + (i * j) % 7;
    return total;
  },
  floats(n) {
    let x = 0.5;
    for (let i = 0; i < n; i++) x = 3.7 * x * (1.0 - x);
    return x;
  },
  text(n) {
    const parts = [];
    for (let i = 0; i < n; i++) parts.push(`item ${i};`);
    return parts.join('').length;
  },
  lists(n) {
    const list = [];
    for (let i = 0; i < n; i++) list.push(i * 7 % 1000);
    let total = 0;
    for (let i = 0; i < list.length; i++) total = total + list[i];
    for (const x of list) total = total + x;
    for (let i = 0; i < n; i++) list[i] = total % 10 + i;
    return total + list.map(x => x * 2).filter(x => x % 3 === 0).length;
  },
  maps(n) {
    const map = new Map();
    for (let i = 0; i < n; i++) map.set(i * 17 % 50021, i);
    let total = 0;
    for (let i = 0; i < n; i++) { const v = map.get(i); if (v !== undefined) total = total + v; }
    const words = new Map();
    for (let i = 0; i < n; i++) { const key = `k${i % 1000}`; words.set(key, (words.get(key) ?? 0) + 1); }
    return total + words.size;
  },
  sort(n) {
    const list = [];
    let seed = 42;
    for (let i = 0; i < n; i++) { seed = (seed * 1103515 + 12345) % 2147483648; list.push(seed); }
    list.sort((a, b) => a - b);
    return list[n / 2];
  },
  objects(n) {
    let p = new Point(0, 0);
    const by = new Point(1, 2);
    let total = 0;
    for (let i = 0; i < n; i++) { p = p.add(by); total = total + p.length() % 10; }
    return total;
  },
  closures(n) {
    let total = 0;
    const f = x => x + 1;
    for (let i = 0; i < n; i++) total = f(total);
    return total;
  },
  async settled(n) {
    const ready = Promise.resolve(1);
    let total = await ready;
    for (let i = 0; i < n; i++) total = total + await ready;
    return total;
  },
  async ready(n) {
    let total = 0;
    for (let i = 0; i < n; i++) total = total + await one(i);
    return total;
  },
  async spawn(n) {
    let total = 0;
    for (let i = 0; i < n; i++) { const t = Promise.resolve().then(() => one(i)); total = total + await t; }
    return total;
  },
  async tasks(n) {
    const all = [];
    for (let i = 0; i < n; i++) all.push(Promise.resolve().then(() => one(i)));
    let total = 0;
    for (const t of all) total = total + await t;
    return total;
  },
  async wake(n) {
    let total = 0;
    for (let i = 0; i < n; i++) {
      let resolve;
      const p = new Promise(r => { resolve = r; });
      const t = (async () => await p)();
      resolve(i);
      total = total + await t;
    }
    return total;
  },
};
const [name, size] = globalThis.process ? process.argv.slice(2) : globalThis.caseArguments;
const clock = globalThis.performance ?? Date;
const started = clock.now();
Promise.resolve(cases[name](Number(size))).then((value) => {
  console.log(value);
  console.log(clock.now() - started);
});
