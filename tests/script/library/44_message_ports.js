// SPDX-License-Identifier: Apache-2.0
// Messages within one thread: their order beside timers and immediates, values, transfers, errors.
const { MessageChannel, receiveMessageOnPort, markAsUntransferable, BroadcastChannel } = require('worker_threads');
const fails = (run) => { try { run(); console.log('fine'); } catch (e) { console.log(e.name, '|', e.message, '|', e.code); } };
const { port1, port2 } = new MessageChannel();
const take = () => receiveMessageOnPort(port2)?.message;
class Point { constructor() { this.x = 1; } get y() { return 2; } }
const cycle = { list: [] }; cycle.list.push(cycle, cycle.list);
const holes = [1, , 3]; holes.named = 'n';
for (const value of [undefined, null, -0, 1n, 'lone \ud800', new Point(), cycle, holes, new Map([[{}, new Set([1])]]), new Error('e', { cause: new TypeError('c') }), /a/gi, new Date(NaN), Object(1), Object('s'),
  new Uint8Array([1, 2, 3]).subarray(1), new DataView(new ArrayBuffer(4), 2), new Float64Array([0.1]), new BigInt64Array(1), [], {}, { __proto__: null, a: 1 }, { ['__proto__']: 1, b: undefined }]) {
  port1.postMessage(value);
  const got = take();
  if (got instanceof Error) console.log(got.name, got.message, got.cause?.name, got.stack === value.stack);
  else console.log(got);
}
for (const bad of [Symbol('s'), () => {}, Promise.resolve(), new WeakMap(), new WeakRef({}), { f() {} }, new Proxy({}, {})]) fails(() => port1.postMessage(bad));
const buffer = new ArrayBuffer(8);
const view = new Uint8Array(buffer, 2, 3).fill(7);
port1.postMessage({ view, buffer }, [buffer]);
const moved = take();
console.log(buffer.byteLength, view.length, moved.view, moved.view.buffer === moved.buffer);
fails(() => port1.postMessage(1, [buffer, buffer]));
fails(() => port1.postMessage(1, [{}]));
fails(() => port1.postMessage(1, 5));
fails(() => port1.postMessage());
fails(() => receiveMessageOnPort({}));
fails(() => new (port1.constructor)());
const other = new MessageChannel();
port1.postMessage({ port: other.port2 }, { transfer: [other.port2] });
other.port1.postMessage('through');
console.log(receiveMessageOnPort(take().port));
const clone = structuredClone({ p: other.port1 }, { transfer: [other.port1] });
console.log(clone.p instanceof port1.constructor, clone.p !== other.port1);
clone.p.close();
fails(() => structuredClone({ p: port1 }));

// ---- Order ----
port2.onmessage = (event) => {
  console.log(event.type, event.data, event.target === port2, event.ports.length);
  process.nextTick(() => console.log('tick after', event.data));
  Promise.resolve().then(() => console.log('promise after', event.data));
  if (event.data === 3) port2.close();
};
port2.on('close', () => console.log('closed'));
for (let i = 1; i < 4; i += 1) port1.postMessage(i);
setImmediate(() => console.log('immediate'));
process.nextTick(() => console.log('tick'));
const rooms = ['a', 'a', 'b'].map((name) => new BroadcastChannel(name));
rooms.forEach((room, i) => { room.onmessage = ({ data }) => { console.log('room', i, data); rooms.forEach((one) => one.close()); }; });
fails(() => rooms[0].postMessage(() => {}));
rooms[0].postMessage({ to: 'all of a' });
rooms[1].postMessage; fails(() => new BroadcastChannel());
setTimeout(() => fails(() => rooms[0].postMessage(1)), 20);
