// SPDX-License-Identifier: Apache-2.0
// Timers whose fields a script changes, and objects that are timers themselves.
'use strict';
const timers = require('timers');
process.on('warning', (warning) => console.log(warning.name, warning.code, warning.message));

const endings = {
  clear: (interval) => clearTimeout(interval),
  close: (interval) => interval.close(),
  unenroll: (interval) => timers.unenroll(interval),
  'no timeout': (interval) => { interval._idleTimeout = -1; },
  'no callback': (interval) => { interval._onTimeout = null; },
  'no repeat': (interval) => { interval._repeat = null; },
};
const wait = (delay) => new Promise((resolve) => { setTimeout(resolve, delay); });
async function main() {
  for (const [name, end] of Object.entries(endings)) {
    let count = 0;
    const interval = setInterval(() => {
      count += 1;
      end(interval);
    }, 1);
    await wait(15);
    console.log(name, count, interval._destroyed, interval._idleTimeout);
  }
  const again = setTimeout(() => {
    console.log('again', again._repeat);
    again._repeat = again._repeat === null ? 2 : null;
  }, 1);
  await wait(30);
  let count = 0;
  const changed = setInterval(() => {
    count += 1;
    changed._repeat = count === 1 ? 3 : changed._repeat;
    if (count === 3) clearInterval(changed);
    console.log('changed', count, changed._idleTimeout);
  }, 1);
  await wait(40);
  for (const delay of [0, 1]) {
    const item = { _idleTimeout: delay, _onTimeout() { console.log('item', delay); } };
    timers.active(item);
    console.log(item._idleTimeout, Number.isInteger(item._idleStart), Boolean(item._idleNext), Boolean(item._idlePrev));
    await wait(10);
  }
  for (const delay of [-1, undefined]) {
    const item = { _idleTimeout: delay };
    timers.active(item);
    console.log(item);
  }
}
main();
