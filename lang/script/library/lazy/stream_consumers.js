// SPDX-License-Identifier: Apache-2.0
// node:stream/consumers: a whole stream as one value.
'use strict';
const { base, builtins, Buffer } = shelf;

async function buffer(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : ArrayBuffer.isView(chunk) ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength) : Buffer.from(chunk));
  return Buffer.concat(chunks);
}
async function arrayBuffer(stream) {
  const bytes = await buffer(stream);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
}
async function text(stream) {
  const decoder = new TextDecoder();
  let made = '';
  for await (const chunk of stream) made += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
  return made + decoder.decode();
}
const json = async (stream) => base.JSON.parse(await text(stream));
async function blob(stream) {
  if (typeof globalThis.Blob !== 'function') throw new Error('this build has no Blob');
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return new globalThis.Blob(chunks);
}
builtins['stream/consumers'] = { arrayBuffer, blob, buffer, text, json };
