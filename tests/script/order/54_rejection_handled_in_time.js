// SPDX-License-Identifier: Apache-2.0
const log = console.log;
process.on('unhandledRejection', (r) => log('unhandled', r));
process.on('rejectionHandled', () => log('handled later'));
const at = (name) => { const p = Promise.reject(name); return p; };
const tick = at('in a tick'); process.nextTick(() => tick.catch((r) => log('caught', r)));
const micro = at('in a microtask'); queueMicrotask(() => micro.catch((r) => log('caught', r)));
const deep = at('in a tick of a microtask'); queueMicrotask(() => process.nextTick(() => deep.catch((r) => log('caught', r))));
const late = at('in an immediate'); setImmediate(() => { late.catch((r) => log('caught', r)); log('immediate'); });
const never = at('never');
