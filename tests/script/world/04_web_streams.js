// SPDX-License-Identifier: Apache-2.0
// Web streams: order, back-pressure, tee, pipes, bytes, errors.
const log = (...a) => console.log(...a);
(async () => {
  // basic, back-pressure order
  const order = [];
  const rs = new ReadableStream({ start() { order.push('start'); }, pull(c) { order.push('pull ' + c.desiredSize); c.enqueue(order.length); if (order.length > 6) c.close(); } }, { highWaterMark: 2 });
  await null; await null; await null; await null;
  log(order.join());
  const got = []; for await (const x of rs) got.push(x);
  log(got, order.join());
  // tee
  const t = new ReadableStream({ start(c) { c.enqueue(1); c.enqueue(2); c.close(); } }).tee();
  const r0 = t[0].getReader(), r1 = t[1].getReader();
  log(await r0.read(), await r0.read(), await r0.read(), await r1.read(), await r1.read(), await r1.read());
  // transform
  const up = new TransformStream({ start(c) { c.enqueue('<'); }, transform(x, c) { c.enqueue(x.toUpperCase()); c.enqueue('.'); }, flush(c) { c.enqueue('>'); } });
  const src = new ReadableStream({ start(c) { for (const x of ['a', 'b', 'c']) c.enqueue(x); c.close(); } });
  const parts = []; for await (const p of src.pipeThrough(up)) parts.push(p); log(parts.join(''));
  // writable back-pressure
  const w = []; let release;
  const ws = new WritableStream({ write(x) { w.push('begin ' + x); return new Promise((r) => { release = () => { w.push('end ' + x); r(); }; }); }, close() { w.push('close'); }, abort(r) { w.push('abort ' + r); } }, { highWaterMark: 2 });
  const wr = ws.getWriter();
  log(wr.desiredSize); wr.write(1); log(wr.desiredSize); wr.write(2); log(wr.desiredSize);
  let isReady = false; wr.ready.then(() => { isReady = true; });
  await new Promise((r) => setTimeout(r, 1)); log(isReady, w.join()); release();
  await new Promise((r) => setTimeout(r, 1)); log(isReady, w.join()); release();
  const closed = wr.close(); await closed; log(w.join());
  // errors
  const e1 = new WritableStream({ write() { throw new Error('w'); } });
  const p1 = new ReadableStream({ start(c) { c.enqueue(1); }, cancel(r) { log('source cancelled', r.message); } }).pipeTo(e1).catch((e) => log('pipe failed', e.message)); await p1;
  const e2 = new WritableStream({ abort(r) { log('sink aborted', r.message); } });
  await new ReadableStream({ start(c) { c.error(new Error('src')); } }).pipeTo(e2).catch((e) => log('pipe failed', e.message));
  const ac = new AbortController();
  const e3 = new WritableStream({ abort(r) { log('sink aborted', r.name); } });
  const pp = new ReadableStream({ pull() { return new Promise(() => {}); }, cancel(r) { log('cancel', r.name); } }).pipeTo(e3, { signal: ac.signal }).catch((e) => log('aborted', e.name));
  setTimeout(() => ac.abort(), 1); await pp;
  // BYOB
  const bs = new ReadableStream({ type: 'bytes', pull(c) { const r = c.byobRequest; if (r) { r.view[0] = 7; r.view[1] = 8; r.respond(2); } else c.enqueue(new Uint8Array([1, 2, 3])); } });
  const br = bs.getReader({ mode: 'byob' });
  const v = await br.read(new Uint8Array(10)); log(v.value.length, [...v.value], v.value.buffer.byteLength);
  br.releaseLock(); const dr = bs.getReader(); log((await dr.read()).value);
  const auto = new ReadableStream({ type: 'bytes', autoAllocateChunkSize: 4, pull(c) { c.byobRequest.view.fill(5); c.byobRequest.respond(3); } });
  log((await auto.getReader().read()).value);
  const eb = new ReadableStream({ type: 'bytes', start(c) { c.enqueue(new Uint8Array([1, 2, 3, 4, 5])); c.close(); } });
  const er = eb.getReader({ mode: 'byob' });
  log(await er.read(new Uint8Array(3)), await er.read(new Uint8Array(3)), await er.read(new Uint8Array(3)));
  // bytes tee
  const bt = new ReadableStream({ type: 'bytes', start(c) { c.enqueue(new Uint8Array([9])); c.close(); } }).tee();
  log((await bt[0].getReader().read()).value, (await bt[1].getReader().read()).value);
  // cancel, releaseLock
  const cs = new ReadableStream({ cancel(r) { log('cancelled', r); } });
  const cr = cs.getReader(); const pending = cr.read().catch((e) => log(e.constructor.name)); cr.releaseLock(); await pending; log(cs.locked); await cs.cancel('why');
  for await (const x of new ReadableStream({ pull(c) { c.enqueue(1); }, cancel(r) { log('left', r); } })) { log(x); break; }
  // text streams
  const te = new ReadableStream({ start(c) { c.enqueue('\ud83d'); c.enqueue('\ude00é'); c.close(); } }).pipeThrough(new TextEncoderStream());
  const bytes = []; for await (const x of te) bytes.push(...x); log(bytes.join());
  const td = new ReadableStream({ start(c) { for (const x of bytes) c.enqueue(new Uint8Array([x])); c.close(); } }).pipeThrough(new TextDecoderStream());
  let text = ''; for await (const x of td) text += x; log(text);
  log(new CountQueuingStrategy({ highWaterMark: 3 }).size(), new ByteLengthQueuingStrategy({ highWaterMark: 3 }).size({ byteLength: 5 }));
  // terminate, writer errors
  const ts = new TransformStream({ transform(x, c) { c.terminate(); } });
  const tw = ts.writable.getWriter(); tw.write(1).catch(() => {}); log(await ts.readable.getReader().read()); await tw.closed.catch((e) => log('terminated', e.constructor.name));
  try { new ReadableStream({ start() { throw new Error('in start'); } }); } catch (e) { log(e.message); }
  log(await new ReadableStream({ start(c) { c.error(new Error('E')); } }).getReader().closed.catch((e) => e.message));
})().catch((e) => console.log('FAILED', e));
