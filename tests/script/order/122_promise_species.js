// SPDX-License-Identifier: Apache-2.0
// Subclasses: which constructors run in then, catch, finally and the combinators.
class P extends Promise { constructor(f) { super(f); console.log('P'); } static get [Symbol.species]() { console.log('species'); return super[Symbol.species]; } }
const p = P.resolve(1); console.log('then'); p.then(() => console.log('x')); console.log('catch'); p.catch(() => {}); console.log('finally'); p.finally(() => console.log('f')); console.log('all'); P.all([p, 2]).then((v) => console.log('all', v));
console.log('race'); P.race([p]).then((v) => console.log('race', v)); class Q extends Promise { static get [Symbol.species]() { return Promise; } } console.log(Q.resolve().then() instanceof Q, P.resolve(p) === p, Promise.resolve(p) === p);
