// SPDX-License-Identifier: Apache-2.0
const log = console.log;
const later = (v, ms) => new Promise((ok) => setTimeout(ok, ms, v));
Promise.all([1, later(2, 10), Promise.resolve(3)]).then((v) => log('all', v));
Promise.race([later('slow', 30), later('fast', 5)]).then((v) => log('race', v));
Promise.allSettled([1, Promise.reject(2)]).then((v) => log('settled', v));
Promise.any([Promise.reject(1), later('any', 15)]).then((v) => log('any', v));
Promise.any([Promise.reject(1)]).catch((e) => log(e.constructor.name, e.errors));
Promise.all([]).then(() => log('all of nothing'));
Promise.race([1, 2]).then((v) => log('race of values', v));
