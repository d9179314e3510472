// SPDX-License-Identifier: Apache-2.0
const { Worker, isMainThread, parentPort, workerData, threadId, MessageChannel, receiveMessageOnPort } = require('worker_threads');
if (isMainThread) {
  const sab = new SharedArrayBuffer(8);
  const { port1, port2 } = new MessageChannel();
  const ab = new ArrayBuffer(16);
  const w = new Worker(__filename, { workerData: { a: [1, 2n, new Map([[1, { x: new Date(0) }]]), new Set('ab'), /x/g, undefined, -0, NaN], sab, port: port2, ab }, transferList: [port2, ab] });
  console.log(ab.byteLength, w.threadId, threadId);
  const ia = new Int32Array(sab);
  w.on('online', () => console.log('online'));
  w.on('message', (m) => { console.log('main got', m); if (m === 'ready') w.postMessage({ hi: 1, self: null }); });
  w.on('error', (e) => console.log('error', e instanceof RangeError, e.message, e.code, e.extra));
  w.on('exit', (c) => { console.log('exit', c, ia[0], w.threadId); port1.close(); });
  const seen = [];
  port1.on('message', (m) => seen.push(m));
  port1.on('close', () => seen.push('close'));
  process.on('exit', () => console.log('port1', seen));
} else {
  const { port, ...shown } = workerData;
  console.log('in worker', shown, threadId);
  parentPort.postMessage('ready');
  workerData.port.postMessage('via port');
  Atomics.store(new Int32Array(workerData.sab), 0, 42);
  parentPort.on('message', (m) => {
    console.log('worker got', m);
    process.on('exit', (c) => console.log('worker exit', c));
    const e = new RangeError('boom'); e.code = 'E_X'; e.extra = { deep: [1] };
    throw e;
  });
}
