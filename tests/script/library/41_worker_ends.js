// SPDX-License-Identifier: Apache-2.0
const { Worker, MessageChannel, BroadcastChannel, receiveMessageOnPort, setEnvironmentData } = require('worker_threads');
setEnvironmentData('k', { v: 1 });
const code = `
const { parentPort, workerData, getEnvironmentData, BroadcastChannel, threadId } = require('worker_threads');
console.log(process.argv.slice(2), process.env.FOO, getEnvironmentData('k'));
const b = new BroadcastChannel('room');
b.onmessage = (e) => { console.log('worker', threadId, 'heard', e.data); b.close(); parentPort.postMessage('bye'); };
parentPort.postMessage('up');
`;
const w = new Worker(code, { eval: true, argv: ['x', 'y'], env: { FOO: 'bar' } });
const b = new BroadcastChannel('room');
w.on('message', (m) => { console.log(m); if (m === 'up') b.postMessage({ all: true }); else b.close(); });
w.on('exit', async (c) => {
  console.log('exit', c);
  const t = new Worker('const a = new Int32Array(new SharedArrayBuffer(4)); Atomics.wait(a, 0, 0)', { eval: true });
  t.on('online', async () => { console.log('terminated', await t.terminate()); loop(); });
});
function loop() {
  const t = new Worker('for(;;);', { eval: true });
  t.on('online', async () => { console.log('terminated', await t.terminate()); more(); });
}
function more() {
  const t = new Worker('process.exit(7)', { eval: true });
  t.on('exit', (c) => { console.log('exit', c); chan(); });
}
function chan() {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage({ a: 1 });
  port1.postMessage('two');
  console.log(receiveMessageOnPort(port2), receiveMessageOnPort(port2), receiveMessageOnPort(port2));
  try { port1.postMessage(() => {}); } catch (e) { console.log(e.name, e.message, e.code); }
  try { port1.postMessage({ p: port2 }); } catch (e) { console.log(e.name, e.message, e.code); }
  try { port1.postMessage(1, [port1]); } catch (e) { console.log(e.name, e.message, e.code); }
  try { new Worker('foo.js'); } catch (e) { console.log(e.name, e.message, e.code); }
  try { new Worker(1); } catch (e) { console.log(e.name, e.message, e.code); }
  port2.on('message', (m) => { console.log('got', m); port2.close(); });
  port2.on('close', () => { console.log('closed 2'); miss(); });
  setImmediate(() => console.log('immediate'));
  port1.postMessage(1); port1.postMessage(2);
  process.nextTick(() => console.log('tick'));
}
function miss() {
  const w = new Worker('/nowhere/x.js');
  w.on('error', (e) => console.log(e.code, e.message.split('\n')[0]));
  w.on('exit', (c) => { console.log('exit', c); late(); });
}
function late() {
  const w = new Worker('Promise.reject(new TypeError("nope"))', { eval: true });
  w.on('error', (e) => console.log(e.name, e.message));
  w.on('exit', (c) => { console.log('exit', c); s(); });
}
function s() {
  const w = new Worker('process.stdin.on("data", (d) => process.stdout.write(String(d).toUpperCase())); process.stdin.on("end", () => console.error("ended"))', { eval: true, stdin: true, stdout: true });
  w.stdout.on('data', (d) => console.log('out', String(d)));
  w.stdin.write('hello'); w.stdin.end('world');
  w.on('exit', (c) => { console.log('exit', c); str(); });
}
function str() {
  const w = new Worker('throw "text"', { eval: true });
  w.on('error', (e) => console.log('err', e));
  w.on('exit', (c) => { console.log('exit', c); });
}
