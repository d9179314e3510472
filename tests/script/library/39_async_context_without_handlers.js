// SPDX-License-Identifier: Apache-2.0
// A reaction without a handler passes a rejection or a value on, inside of an async context too.
const { AsyncLocalStorage } = require('async_hooks');
const storage = new AsyncLocalStorage();
storage.run('store', () => {
  Promise.reject(new Error('passed on')).then(() => console.log('never')).catch((error) => console.log(error.message, storage.getStore()));
  Promise.resolve(1).then(2).catch(3).then((value) => console.log(value, storage.getStore()));
  (async () => { throw new Error('of a function'); })().finally(() => console.log('finally', storage.getStore())).catch((error) => console.log(error.message));
});
