// SPDX-License-Identifier: Apache-2.0
process.on('warning', (w) => console.log(w.name, w.message, w.code));
process.emitWarning('text'); process.emitWarning('typed', 'CustomWarning', 'C1'); process.emitWarning(new Error('an error'));
process.nextTick(console.log, 'tick'); queueMicrotask(() => console.log('micro'));
const E = require('events'); const e = new E(); for (let i = 0; i < 11; i += 1) e.on('x', () => {});
