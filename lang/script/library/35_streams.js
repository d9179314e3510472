// SPDX-License-Identifier: Apache-2.0
// process.stdin, stdout and stderr.
'use strict';
const { base, EventEmitter, hooks, process: self, nextTick } = shelf;
const { natives, config } = base;

const put = (fd, chunk) => {
  if (typeof chunk === 'string') natives.write(fd, chunk);
  else if (chunk.byteLength > 0) natives.write(fd, new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength));
};
// A plain emitter; when a script loads node:stream, lazy/stream.js makes Writables of them.
shelf.outputs = [];
shelf.outputParts = new base.SafeWeakMap();  // what the library gave to one, a script may replace
shelf.putOutput = put;
function stream(fd) {
  const made = plainStream(fd);
  shelf.outputs[shelf.outputs.length] = made;
  shelf.becomeWritable?.(made);
  return made;
}
function plainStream(fd) {
  const made = Object.create(EventEmitter.prototype);
  base.apply(EventEmitter, made, []);
  const parts = {
    fd, writable: true, isTTY: config[`tty${fd}`] ? true : undefined, columns: config[`tty${fd}`] ? 80 : undefined,
    write(text, encoding, callback) {
      if (text === null) throw base.coded(TypeError, 'ERR_STREAM_NULL_VALUES', 'May not write null values to stream');
      if (typeof text !== 'string' && !ArrayBuffer.isView(text)) throw base.argumentType('chunk', ['string', 'Buffer', 'TypedArray', 'DataView'], text);
      put(fd, text);
      const done = typeof encoding === 'function' ? encoding : callback;
      if (typeof done === 'function') nextTick(done);
      return true;
    },
    end(text, encoding, callback) {
      if (text !== undefined && typeof text !== 'function') made.write(text, encoding);
      const done = [text, encoding, callback].find((one) => typeof one === 'function');
      if (done) nextTick(done);
      return made;
    },
    writableLength: 0, writableEnded: false, destroyed: false, cork() {}, uncork() {},
    ...(config[`tty${fd}`] ? { getColorDepth: () => 8, hasColors: () => true, getWindowSize: () => [80, 24] } : {}),
  };
  shelf.outputParts.set(made, parts);
  return Object.assign(made, parts);
}
let takeInput = null;
hooks.onInput = (text) => { (hooks.takeInput ?? takeInput)?.(text); };
function inputStream() {
  const made = Object.create(EventEmitter.prototype);
  base.apply(EventEmitter, made, []);
  const waiting = [];
  let isReading = false;
  let isFlowing = false;
  let isOver = false;
  // One part at a time; the host calls onInput with it.
  const read = () => {
    if (isReading || isOver) return;
    isReading = true;
    natives.readInput();
  };
  takeInput = (text) => {
    isReading = false;
    if (text === '') isOver = true;
    if (waiting.length > 0) waiting.shift()(text);
    else if (made.listenerCount('readable') > 0) tellReadable(text);
    else if (isOver) {
      made.emit('end');
      made.emit('close');
    } else made.emit('data', text);
    if (isFlowing || waiting.length > 0) read();
  };
  // Paused mode: read() takes what has come; null is the sign that all is taken.
  let kept = '';
  const tellReadable = (text) => {
    kept += text;
    made.emit('readable');
    if (!isOver) read();
    else nextTick(() => { made.emit('end'); made.emit('close'); });
  };
  const take = () => {
    const text = kept === '' ? null : kept;
    kept = '';
    return text;
  };
  const flow = () => { isFlowing = true; read(); return made; };
  return Object.assign(made, {
    fd: 0, isTTY: config.tty0 ? true : undefined, readable: true,
    setEncoding() { return made; }, read: take, resume: flow, pause() { isFlowing = false; return made; }, ref() { return made; }, unref() { return made; },
    on(type, listener) {
      base.apply(EventEmitter.prototype.on, made, [type, listener]);
      if (type === 'readable') read();
      return type === 'data' ? flow() : made;
    },
    async *[Symbol.asyncIterator]() {
      while (!isOver) {
        const text = await new Promise((resolve) => { waiting.push(resolve); read(); });
        if (text === '') return;
        yield text;
      }
    },
  });
}
const lazy = (name, make) => {
  let value;
  Object.defineProperty(self, name, {
    configurable: true, enumerable: true,
    get() { return value ??= make(); }, set(given) { value = given; },
  });
};
lazy('stdout', () => stream(1));
lazy('stderr', () => stream(2));
// A build without the package of streams has a plain emitter of texts.
lazy('stdin', () => {
  try { shelf.load('stdin'); } catch (error) {
    if (error.code !== 'ERR_UNKNOWN_BUILTIN_MODULE') throw error;
    return inputStream();
  }
  return shelf.stdin;
});
