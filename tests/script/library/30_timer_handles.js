// SPDX-License-Identifier: Apache-2.0
// What an immediate shows of itself in each stage.
const shown = (one) => console.log(one._onImmediate === null, one._destroyed, one.hasRef(), one._argv);
const first = setImmediate(function run(...args) { console.log(this === first, args); shown(this); setImmediate(() => shown(first)); }, 1, 2);
shown(first);
const second = setImmediate(() => console.log('never'));
clearImmediate(second);
shown(second);
clearImmediate(second);
second.ref();
console.log(process.getActiveResourcesInfo().filter((name) => name === 'Immediate').length);
