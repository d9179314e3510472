// SPDX-License-Identifier: Apache-2.0
// return and throw in each state of an async generator.
const show = (l) => [(v) => console.log(l, v), (e) => console.log(l, 'error', e)];
async function* g() { try { yield 1; yield 2; } catch (e) { console.log('caught', e); yield 'c'; } finally { console.log('finally'); yield 'f'; } }
(async () => {
  let i = g(); i.return('r').then(...show('start return')); i.next().then(...show('then next')); await new Promise(setImmediate);
  i = g(); i.throw('t').then(...show('start throw')); i.next().then(...show('then next')); await new Promise(setImmediate);
  i = g(); i.next().then(...show('next')); i.return('r').then(...show('return')); i.next().then(...show('next')); i.next().then(...show('next')); await new Promise(setImmediate);
  i = g(); i.next().then(...show('next')); i.throw('t').then(...show('throw')); i.return('r').then(...show('return')); i.next().then(...show('next')); i.next().then(...show('next')); await new Promise(setImmediate);
  i = g(); i.next().then(...show('next')); i.return(Promise.reject('rr')).then(...show('return rejected')); i.next().then(...show('next')); await new Promise(setImmediate);
})();
