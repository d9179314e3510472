// SPDX-License-Identifier: Apache-2.0
const text = 'hello hello hello '.repeat(3000);
for (const format of ['gzip', 'deflate', 'deflate-raw']) {
  const packed = await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream(format))).arrayBuffer();
  console.log(format, packed.byteLength);
  const back = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream(format))).text();
  console.log(back === text, back.length);
}
for (const bad of ['x', undefined, 1]) try { new CompressionStream(bad); } catch (e) { console.log(e.name, e.code, e.message); }
const w = new CompressionStream('gzip');
console.log(Object.prototype.toString.call(w), CompressionStream.length, Object.keys(CompressionStream.prototype));
try {
  await new Response(new Blob(['not gzip data at all']).stream().pipeThrough(new DecompressionStream('gzip'))).text();
} catch (e) { console.log(e.name, e.code, e.message); }
{
  const packed = new Uint8Array(await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer());
  try { await new Response(new Blob([packed.slice(0, 20)]).stream().pipeThrough(new DecompressionStream('gzip'))).text(); } catch (e) { console.log(e.name, e.code, e.message); }
}
{
  const c = new CompressionStream('deflate');
  const writer = c.writable.getWriter();
  const reader = c.readable.getReader();
  const done = (async () => { let n = 0; for (;;) { const { done, value } = await reader.read(); if (done) break; n += value.length; } return n; })();
  writer.write(new Uint8Array(10)); writer.write(new DataView(new ArrayBuffer(5))); await writer.close();
  console.log(await done);
}
import('stream/web').then((m) => console.log(m.CompressionStream === CompressionStream));
