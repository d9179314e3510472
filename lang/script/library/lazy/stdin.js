// SPDX-License-Identifier: Apache-2.0
// process.stdin as a stream of node:stream.
'use strict';
const { base, hooks, streams, Buffer } = shelf;
const { natives, config } = base;
const made = new streams.Readable({ highWaterMark: 65536, read() { natives.readInput(); } });
hooks.takeInput = (text) => { made.push(text === '' ? null : Buffer.from(text)); };
Object.assign(made, { fd: 0, isTTY: config.tty0 ? true : undefined, ref() { return made; }, unref() { return made; } });
shelf.stdin = made;
