// SPDX-License-Identifier: Apache-2.0
// A rejection that is handled in each later stage.
process.on('unhandledRejection', (r) => console.log('unhandled', r)); process.on('rejectionHandled', () => console.log('handled'));
const later = (name, when) => { const p = Promise.reject(name); when(() => { console.log('catch', name); p.catch(() => console.log('caught', name)); }); };
later('sync', (f) => f()); later('tick', process.nextTick); later('micro', queueMicrotask); later('tick of micro', (f) => queueMicrotask(() => process.nextTick(f))); later('micro of tick', (f) => process.nextTick(() => queueMicrotask(f)));
later('immediate', setImmediate); later('timer', (f) => setTimeout(f, 20)); later('tick of immediate', (f) => setImmediate(() => process.nextTick(f)));
