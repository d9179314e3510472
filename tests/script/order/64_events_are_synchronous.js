// SPDX-License-Identifier: Apache-2.0
const E = require('events'); const log = console.log;
const e = new E();
e.on('x', (v) => { log('a', v); process.nextTick(log, 'tick'); if (v === 1) e.emit('x', 2); });
e.once('x', (v) => log('once', v));
e.on('newListener', (name) => log('new', String(name)));
e.on('x', async (v) => { log('b', v); await null; log('b later', v); });
log(e.emit('x', 1), e.emit('none'));
E.once(e, 'y').then((v) => log('once resolved', v)); e.emit('y', 1, 2);
