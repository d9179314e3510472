// SPDX-License-Identifier: Apache-2.0
// node:v8: statistics of the heap, snapshots for a debugger, and values as bytes. The bytes are those of
// structured clones here (messages.js), not V8's: what `serialize` writes, `deserialize` reads.
'use strict';
shelf.load('messages');
const { base, builtins, Buffer, process: self } = shelf;
const { coded, engine } = base;
const none = (name) => coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `gyre has no v8.${name}`);

// What the engine does not tell is 0.
function getHeapStatistics() {
  const { heapTotal, heapUsed, external } = self.memoryUsage();
  const limit = engine.heapLimit?.() ?? 0;
  return {
    total_heap_size: heapTotal, total_heap_size_executable: 0, total_physical_size: heapTotal, total_available_size: Math.max(0, limit - heapUsed), used_heap_size: heapUsed, heap_size_limit: limit,
    malloced_memory: 0, peak_malloced_memory: 0, does_zap_garbage: 0, number_of_native_contexts: 1, number_of_detached_contexts: 0, total_global_handles_size: 0, used_global_handles_size: 0, external_memory: external,
  };
}

// ---- Values as bytes: a mark, the length of the text, the text, the buffers ----

const mark = Buffer.from('gyre\x01');
function serialize(value) {
  let made;
  try { made = shelf.messages.encode(value); } catch (error) { throw error.name === 'DataCloneError' ? new Error(error.message) : error; }
  const { text, bytes, shared } = made;
  if (shared.length > 0) throw new Error('#<SharedArrayBuffer> could not be cloned.');
  const words = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(words.length);
  return Buffer.concat([mark, length, words, bytes]);
}
function deserialize(given) {
  if (!ArrayBuffer.isView(given)) throw base.argumentType('buffer', ['Buffer', 'TypedArray', 'DataView'], given);
  const all = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  const head = mark.length + 4;
  const size = all.length < head || !all.subarray(0, mark.length).equals(mark) ? undefined : all.readUInt32LE(mark.length);
  if (size === undefined || head + size > all.length) throw new Error('Unable to deserialize cloned data due to invalid or unsupported version.');
  const bytes = new Uint8Array(all.subarray(head + size));
  const absent = () => { throw new Error('Unable to deserialize cloned data.'); };
  try { return shelf.messages.decode({ text: all.toString('utf8', head, head + size), bytes, ports: absent, shared: absent }); } catch { return absent(); }
}

// ---- Snapshots ----

function snapshotText() {
  if (engine.heapSnapshot === undefined) throw coded(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `the engine ${engine.name} writes no snapshots of its heap: gyre run --engine v8`);
  return engine.heapSnapshot();
}
function getHeapSnapshot() {
  const text = snapshotText();
  function* pieces() { for (let at = 0; at < text.length; at += 65536) yield Buffer.from(text.slice(at, at + 65536)); }
  return shelf.streams.Readable.from(pieces(), { objectMode: false });
}
let count = 0;
function writeHeapSnapshot(filename) {
  if (filename !== undefined && typeof filename !== 'string') throw base.argumentType('path', 'string', filename);
  count += 1;
  const time = new Date().toISOString().replace(/[-:]/g, '').replace('T', '.').slice(0, 15);
  const path = builtins.path.resolve(filename ?? `Heap.${time}.${self.pid}.0.${String(count).padStart(3, '0')}.heapsnapshot`);
  builtins.fs.writeFileSync(path, snapshotText());
  return path;
}

const v8 = { cachedDataVersionTag: () => 0, deserialize, getHeapSnapshot, getHeapStatistics, serialize, setHeapSnapshotNearHeapLimit() {}, writeHeapSnapshot,
  startupSnapshot: { isBuildingSnapshot: () => false } };
for (const name of ['setFlagsFromString', 'getHeapSpaceStatistics', 'getHeapCodeStatistics', 'takeCoverage', 'stopCoverage', 'queryObjects']) v8[name] = { [name]() { throw none(name); } }[name];
builtins.v8 = v8;
