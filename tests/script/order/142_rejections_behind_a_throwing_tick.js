// SPDX-License-Identifier: Apache-2.0
// A tick that throws ends its checkpoint: the rejections that it has not reported follow the next callback
// that ends, of whatever kind. A loop that nothing keeps alive is not entered, also when a cleared timer
// would be due.
const block = (ms) => { const end = performance.now() + ms; while (performance.now() < end); };
process.on('uncaughtException', (error) => console.log(`uncaught ${error.message}`));
process.on('unhandledRejection', (reason) => { console.log(`unhandled ${reason}`); queueMicrotask(() => console.log('microtask of the handler')); });
process.on('rejectionHandled', () => console.log('rejection handled'));

function scene(name, next) {
  console.log(`-- ${name}`);
  const late = Promise.reject(`late of ${name}`);
  const leave = () => {
    late.catch(() => {});
    Promise.reject(`left of ${name}`);
    process.nextTick(() => { console.log('tick throws'); throw new Error(name); });
    process.nextTick(() => { console.log('second tick throws'); throw new Error(`${name} again`); });
    Promise.resolve().then(() => console.log('microtask'));
  };
  setImmediate(() => {
    console.log('first immediate');
    setImmediate(() => console.log('of the first'));
    leave();
  });
  setImmediate(() => console.log('second immediate'));
  setImmediate(() => { console.log('third immediate'); setImmediate(() => console.log('of the third')); });
  setImmediate(() => console.log('fourth immediate'));
  setTimeout(next, 5);
}

let dry = 0;
process.on('beforeExit', () => {
  console.log('beforeExit');
  dry += 1;
  if (dry === 1) {
    setImmediate(() => console.log('immediate without a reference')).unref();
    setTimeout(() => console.log('timer without a reference'), 1).unref();
    clearTimeout(setTimeout(() => {}, 3));
    setTimeout(() => console.log('timer that is due'), 2);
    block(10);
  } else if (dry === 2) {
    setImmediate(() => console.log('never')).unref();
    clearTimeout(setTimeout(() => {}, 2));
    block(10);
  }
});
// The end of the timers and the start of the immediates are checkpoints of their own: each ends early.
function twice(next) {
  console.log('-- twice');
  Promise.reject('left twice');
  for (const name of ['of the timers', 'of the immediates']) {
    process.nextTick(() => { console.log('tick throws'); throw new Error(name); });
  }
  for (const name of ['first', 'second', 'third']) setImmediate(() => console.log(name));
  setTimeout(next, 5);
}
setImmediate(() => console.log('immediate without a reference, but with company')).unref();
setTimeout(() => twice(() => scene('one', () => {
  Promise.reject('between');
  process.nextTick(() => { throw new Error('in a tick of a timer'); });
  scene('two', () => console.log('end'));
})), 1);
clearTimeout(setTimeout(() => console.log('cleared'), 1));
block(3);
