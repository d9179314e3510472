// SPDX-License-Identifier: Apache-2.0
// WritableStream, TransformStream and the queuing strategies, as the Streams Standard of WHATWG has
// them.
'use strict';
shelf.load('web_readable');
const { base } = shelf;
const { argumentType, argumentValue, coded, then } = base;
const { deferred, illegal, method, noop, only, promiseOf, rejected, stateError, strategyOf, wrongThis } = shelf.streamTools;
const tools = shelf.streamTools;
const inspectCustom = Symbol.for('nodejs.util.inspect.custom');

// ---- The stream: writable, then erroring and errored, or closed ----

class Sink {
  state = 'writable';
  error = undefined;
  writer = undefined;  // { closed, ready }
  requests = [];  // a promise for each write that the sink has not begun
  inWrite = undefined;
  closing = undefined;  // the close that was asked for
  inClose = undefined;
  pendingAbort = undefined;  // { promise, reason, wasErroring }
  isFull = false;
  queue = [];
  size = 0;
  isStarted = false;

  setUp(face, given, strategy) {
    this.highWaterMark = strategy.highWaterMark;
    this.sizeOf = strategy.size;
    this.face = face;
    this.isFull = this.desired <= 0;
    this.aborter = new AbortController();
    this.writeSink = method(given, 'write', noop);
    this.closeSink = method(given, 'close', noop);
    this.abortSink = method(given, 'abort', noop);
    const start = method(given, 'start', noop);
    const begun = start(face);
    then(Promise.resolve(begun), () => { this.isStarted = true; this.advance(); }, (error) => { this.isStarted = true; this.dealWith(error); });
  }
  get desired() { return this.highWaterMark - this.size; }
  get isClosing() { return this.closing !== undefined || this.inClose !== undefined; }
  forget() { this.writeSink = this.closeSink = this.abortSink = noop; }

  // ---- From the writer ----

  write(chunk) {
    let size = 1;
    try {
      size = Number(this.sizeOf(chunk));
    } catch (error) {
      if (this.state === 'writable') this.startErroring(error);
    }
    if (this.state === 'errored') return rejected(this.error).promise;
    if (this.isClosing || this.state === 'closed') return rejected(stateError('The stream is closing or closed')).promise;
    if (this.state === 'erroring') return rejected(this.error).promise;
    const request = deferred();
    this.requests.push(request);
    if (Number.isNaN(size) || size < 0 || size === Infinity) {
      this.startErroring(argumentValue('size', size, 'is invalid', RangeError));
      return request.promise;
    }
    this.queue.push([chunk, size]);
    this.size += size;
    if (!this.isClosing && this.state === 'writable') this.updateFull();
    this.advance();
    return request.promise;
  }
  close() {
    if (this.state === 'closed' || this.state === 'errored') return rejected(stateError('WritableStream is closed')).promise;
    if (this.isClosing) return rejected(stateError('Failure closing WritableStream')).promise;
    const asked = deferred();
    this.closing = asked;
    if (this.writer !== undefined && this.isFull && this.state === 'writable') this.writer.ready.resolve();
    this.queue.push([only, 0]);
    this.advance();
    return asked.promise;
  }
  closeForPipe() {
    if (this.isClosing || this.state === 'closed') return Promise.resolve();
    if (this.state === 'errored') return Promise.reject(this.error);
    return this.close();
  }
  abort(reason) {
    if (this.state === 'closed' || this.state === 'errored') return Promise.resolve();
    this.aborter.abort(reason);
    if (this.state === 'closed' || this.state === 'errored') return Promise.resolve();
    if (this.pendingAbort !== undefined) return this.pendingAbort.done.promise;
    const wasErroring = this.state === 'erroring';
    const done = deferred();
    this.pendingAbort = { done, reason: wasErroring ? undefined : reason, wasErroring };
    if (!wasErroring) this.startErroring(reason);
    return done.promise;
  }

  // ---- The queue ----

  updateFull() {
    const isFull = this.desired <= 0;
    if (this.writer !== undefined && isFull !== this.isFull) {
      if (isFull) this.writer.ready = deferred(); else this.writer.ready.resolve();
    }
    this.isFull = isFull;
  }
  advance() {
    if (!this.isStarted || this.inWrite !== undefined || this.inClose !== undefined) return;
    if (this.state === 'erroring') { this.finishErroring(); return; }
    if (this.queue.length === 0 || this.state !== 'writable') return;
    const [chunk] = this.queue[0];
    if (chunk === only) this.runClose(); else this.runWrite(chunk);
  }
  dequeue() {
    const [, size] = this.queue.shift();
    this.size = Math.max(0, this.size - size);
  }
  runClose() {
    this.inClose = this.closing;
    this.closing = undefined;
    this.dequeue();
    const { closeSink } = this;
    const made = promiseOf(() => closeSink());
    this.forget();
    then(made, () => {
      const ended = this.inClose;
      this.inClose = undefined;
      ended.resolve();
      if (this.state === 'erroring') {
        this.error = undefined;
        this.pendingAbort?.done.resolve();
        this.pendingAbort = undefined;
      }
      this.state = 'closed';
      this.writer?.closed.resolve();
    }, (error) => {
      const ended = this.inClose;
      this.inClose = undefined;
      ended.reject(error);
      this.pendingAbort?.done.reject(error);
      this.pendingAbort = undefined;
      this.dealWith(error);
    });
  }
  runWrite(chunk) {
    this.inWrite = this.requests.shift();
    then(promiseOf(() => this.writeSink(chunk, this.face)), () => {
      const ended = this.inWrite;
      this.inWrite = undefined;
      ended.resolve();
      this.dequeue();
      if (!this.isClosing && this.state === 'writable') this.updateFull();
      this.advance();
    }, (error) => {
      if (this.state === 'writable') this.forget();
      const ended = this.inWrite;
      this.inWrite = undefined;
      ended.reject(error);
      this.dealWith(error);
    });
  }

  // ---- Errors ----

  dealWith(error) {
    if (this.state === 'writable') this.startErroring(error); else this.finishErroring();
  }
  startErroring(error) {
    this.state = 'erroring';
    this.error = error;
    if (this.writer !== undefined) this.failReady(error);
    if (this.inWrite === undefined && this.inClose === undefined && this.isStarted) this.finishErroring();
  }
  failReady(error) {
    if (this.isFull && !this.isClosing) this.writer.ready.reject(error); else this.writer.ready = rejected(error);
    this.writer.isReadyFailed = true;
  }
  finishErroring() {
    if (this.state !== 'erroring') return;
    this.state = 'errored';
    this.queue = [];
    this.size = 0;
    const stored = this.error;
    for (const request of this.requests.splice(0)) request.reject(stored);
    const abort = this.pendingAbort;
    this.pendingAbort = undefined;
    const { abortSink } = this;
    this.forget();
    if (abort === undefined) { this.rejectClosed(); return; }
    if (abort.wasErroring) {
      abort.done.reject(stored);
      this.rejectClosed();
      return;
    }
    then(promiseOf(() => abortSink(abort.reason)), () => { abort.done.resolve(); this.rejectClosed(); }, (error) => { abort.done.reject(error); this.rejectClosed(); });
  }
  rejectClosed() {
    this.closing?.reject(this.error);
    this.closing = undefined;
    this.writer?.closed.reject(this.error);
  }
}

let sinkOf;
class WritableStream {
  #sink = new Sink();
  static { sinkOf = (stream) => { if (stream === null || typeof stream !== 'object' || !(#sink in stream)) throw wrongThis('WritableStream'); return stream.#sink; }; }
  constructor(sink = {}, strategy = {}) {
    if (sink === null || typeof sink !== 'object' && typeof sink !== 'function') throw argumentType('sink', 'Object', sink);
    if (sink.type !== undefined) throw argumentValue('type', sink.type, 'is invalid', RangeError);
    this.#sink.setUp(new WritableStreamDefaultController(only, this.#sink), sink, strategyOf(strategy, 1));
  }
  get locked() { return sinkOf(this).writer !== undefined; }
  abort(reason = undefined) {
    try {
      if (this.locked) return Promise.reject(stateError('WritableStream is locked'));
      return sinkOf(this).abort(reason);
    } catch (error) { return Promise.reject(error); }
  }
  close() {
    try {
      if (this.locked) return Promise.reject(stateError('WritableStream is locked'));
      return sinkOf(this).close();
    } catch (error) { return Promise.reject(error); }
  }
  getWriter() { return new WritableStreamDefaultWriter(this); }
  [inspectCustom](depth, options) { return depth < 0 ? this : `WritableStream ${shelf.inspect({ locked: this.locked, state: this.#sink.state }, options)}`; }
}
let writerOf;
const notAttached = () => stateError('Writer is not bound to a WritableStream');
class WritableStreamDefaultWriter {
  #writer = { sink: undefined, closed: deferred(), ready: deferred() };
  static { writerOf = (writer) => { if (writer === null || typeof writer !== 'object' || !(#writer in writer)) throw wrongThis('WritableStreamDefaultWriter'); return writer.#writer; }; }
  constructor(stream) {
    const sink = sinkOf(stream);
    if (sink.writer !== undefined) throw stateError('WritableStream is locked');
    const writer = this.#writer;
    writer.sink = sink;
    sink.writer = writer;
    if (sink.state === 'writable') {
      if (sink.isClosing || !sink.isFull) writer.ready.resolve();
    } else if (sink.state === 'erroring') {
      writer.ready.reject(sink.error);
    } else if (sink.state === 'closed') {
      writer.ready.resolve();
      writer.closed.resolve();
    } else {
      writer.ready.reject(sink.error);
      writer.closed.reject(sink.error);
    }
  }
  get closed() { try { return writerOf(this).closed.promise; } catch (error) { return Promise.reject(error); } }
  get ready() { try { return writerOf(this).ready.promise; } catch (error) { return Promise.reject(error); } }
  get desiredSize() {
    const { sink } = writerOf(this);
    if (sink === undefined) throw notAttached();
    if (sink.state === 'errored' || sink.state === 'erroring') return null;
    return sink.state === 'closed' ? 0 : sink.desired;
  }
  #with(run) {
    try {
      const { sink } = writerOf(this);
      return sink === undefined ? Promise.reject(notAttached()) : run(sink);
    } catch (error) { return Promise.reject(error); }
  }
  abort(reason = undefined) { return this.#with((sink) => sink.abort(reason)); }
  close() { return this.#with((sink) => sink.close()); }
  write(chunk = undefined) { return this.#with((sink) => sink.write(chunk)); }
  releaseLock() { releaseWriter(this); }
}
function releaseWriter(face) {
  const writer = writerOf(face);
  const { sink } = writer;
  if (sink === undefined) return;
  const error = stateError('Writer has been released');
  for (const name of ['ready', 'closed']) {
    writer[name].reject(error);
    writer[name] = rejected(error);
  }
  sink.writer = undefined;
  writer.sink = undefined;
}
class WritableStreamDefaultController {
  #sink;
  constructor(key, sink) { illegal(key); this.#sink = sink; }
  get signal() { return this.#sink.aborter.signal; }
  error(error = undefined) { if (this.#sink.state === 'writable') { this.#sink.forget(); this.#sink.startErroring(error); } }
}
Object.assign(tools, {
  abortWritable: (sink, reason) => sink.abort(reason), closeForPipe: (sink) => sink.closeForPipe(), isClosing: (sink) => sink.isClosing, releaseWriter, writableStateOf: sinkOf,
});

// ---- TransformStream ----

const { ReadableStream } = shelf.globals;
// What the two sides of a transform share. The writable side waits while the readable side is full.
class Transform {
  isFull = true;
  change = deferred();
  finished = undefined;  // of a cancel, an abort or a flush: the first of them
  setFull(isFull) {
    this.change.resolve();
    this.change = deferred();
    this.isFull = isFull;
  }
  get queue() { return this.readState.controller; }
  get desiredSize() { return this.queue.desiredSize; }
  enqueue(chunk) {
    if (!this.queue.canEnqueue()) throw stateError('Readable side is not readable');
    try { this.queue.enqueue(chunk); } catch (error) {
      this.failWritable(error);
      throw this.readState.error;
    }
    const isFull = !this.queue.shouldPull();
    if (isFull !== this.isFull) this.setFull(true);
  }
  error(error) {
    this.queue.fail(error);
    this.failWritable(error);
  }
  terminate() {
    if (this.queue.canEnqueue()) this.queue.close();
    this.failWritable(stateError('TransformStream has been terminated'));
  }
  failWritable(error) {
    this.forget();
    if (this.sink.state === 'writable') { this.sink.forget(); this.sink.startErroring(error); }
    if (this.isFull) this.setFull(false);
  }
  forget() { this.transform = this.flush = this.cancel = noop; }
  async write(chunk) {
    if (this.isFull) {
      await this.change.promise;
      if (this.sink.state === 'erroring') throw this.sink.error;
    }
    try { await this.transform(chunk, this.face); } catch (error) {
      this.error(error);
      throw error;
    }
  }
  finish(run, onDone, onFailed) {
    this.finished ??= then(promiseOf(run), onDone, (error) => { onFailed(error); throw error; });
    return this.finished;
  }
  pull() {
    this.setFull(false);
    return this.change.promise;
  }
  cancelReadable(reason) {
    const { cancel } = this;
    return this.finish(() => cancel(reason), () => {
      if (this.sink.state === 'errored') throw this.sink.error;
      this.failWritable(reason);
    }, (error) => this.failWritable(error));
  }
  close() {
    const { flush } = this;
    return this.finish(() => flush(this.face), () => {
      if (this.readState.state === 'errored') throw this.readState.error;
      if (this.queue.canEnqueue()) this.queue.close();
      this.forget();
    }, (error) => this.queue.fail(error));
  }
  abort(reason) {
    const { cancel } = this;
    return this.finish(() => cancel(reason), () => {
      if (this.readState.state === 'errored') throw this.readState.error;
      this.queue.fail(reason);
    }, (error) => this.queue.fail(error));
  }
}
class TransformStream {
  #readable; #writable;
  constructor(transformer = {}, writableStrategy = {}, readableStrategy = {}) {
    for (const name of ['readableType', 'writableType']) {
      if (transformer?.[name] !== undefined) throw argumentValue(`transformer.${name}`, transformer[name], 'is invalid', RangeError);
    }
    const begun = deferred();
    const inner = new Transform();
    inner.face = new TransformStreamDefaultController(only, inner);
    inner.transform = method(transformer, 'transform', (chunk, face) => face.enqueue(chunk));
    inner.flush = method(transformer, 'flush', noop);
    inner.cancel = method(transformer, 'cancel', noop);
    const start = () => begun.promise;
    const writes = strategyOf(writableStrategy, 1);
    const reads = strategyOf(readableStrategy, 0);
    this.#writable = new WritableStream({ start, write: (chunk) => inner.write(chunk), close: () => inner.close(), abort: (reason) => inner.abort(reason) }, writes);
    inner.sink = sinkOf(this.#writable);
    this.#readable = new ReadableStream({ start, pull: () => inner.pull(), cancel: (reason) => inner.cancelReadable(reason) }, reads);
    inner.readState = tools.readableStateOf(this.#readable);
    const begin = method(transformer, 'start', noop);
    begun.resolve(begin(inner.face));
  }
  get readable() { return this.#readable; }
  get writable() { return this.#writable; }
  [inspectCustom](depth, options) { return depth < 0 ? this : `TransformStream ${shelf.inspect({ readable: this.#readable, writable: this.#writable }, options)}`; }
}
class TransformStreamDefaultController {
  #parts;
  constructor(key, parts) { illegal(key); this.#parts = parts; }
  get desiredSize() { return this.#parts.desiredSize; }
  enqueue(chunk = undefined) { this.#parts.enqueue(chunk); }
  error(error = undefined) { this.#parts.error(error); }
  terminate() { this.#parts.terminate(); }
}

// ---- Strategies, and the streams of TextEncoder and TextDecoder ----

function markOf(init) {
  if (init === null || typeof init !== 'object') throw argumentType('init', 'Object', init);
  if (init.highWaterMark === undefined) throw coded(TypeError, 'ERR_MISSING_OPTION', 'options.highWaterMark is required');
  return +init.highWaterMark;
}
const oneEach = Object.defineProperty(() => 1, 'name', { value: 'size' });
const bytesEach = Object.defineProperty((chunk) => chunk.byteLength, 'name', { value: 'size' });
class CountQueuingStrategy {
  #mark;
  constructor(init) { this.#mark = markOf(init); }
  get highWaterMark() { return this.#mark; }
  get size() { return oneEach; }
}
class ByteLengthQueuingStrategy {
  #mark;
  constructor(init) { this.#mark = markOf(init); }
  get highWaterMark() { return this.#mark; }
  get size() { return bytesEach; }
}
class TextEncoderStream {
  #pair; #left = '';
  constructor() {
    const encoder = new shelf.globals.TextEncoder();
    this.#pair = new TransformStream({
      transform: (chunk, controller) => {
        let text = this.#left + `${chunk}`;
        this.#left = '';
        if (/[\ud800-\udbff]$/.test(text)) { this.#left = text.slice(-1); text = text.slice(0, -1); }
        if (text !== '') controller.enqueue(encoder.encode(text));
      },
      flush: (controller) => { if (this.#left !== '') controller.enqueue(encoder.encode(this.#left)); },
    });
  }
  get encoding() { return 'utf-8'; }
  get readable() { return this.#pair.readable; }
  get writable() { return this.#pair.writable; }
}
class TextDecoderStream {
  #pair; #decoder;
  constructor(encoding = 'utf-8', options = {}) {
    const decoder = new shelf.globals.TextDecoder(encoding, options);
    this.#decoder = decoder;
    this.#pair = new TransformStream({
      transform(chunk, controller) {
        const text = decoder.decode(chunk, { stream: true });
        if (text !== '') controller.enqueue(text);
      },
      flush(controller) {
        const text = decoder.decode();
        if (text !== '') controller.enqueue(text);
      },
    });
  }
  get encoding() { return this.#decoder.encoding; }
  get fatal() { return this.#decoder.fatal; }
  get ignoreBOM() { return this.#decoder.ignoreBOM; }
  get readable() { return this.#pair.readable; }
  get writable() { return this.#pair.writable; }
}
for (const [made, names] of [[WritableStream, ['locked', 'abort', 'close', 'getWriter']], [WritableStreamDefaultWriter, ['closed', 'ready', 'desiredSize', 'abort', 'close', 'releaseLock', 'write']], [WritableStreamDefaultController, ['signal', 'error']], [TransformStream, ['readable', 'writable']], [TransformStreamDefaultController, ['desiredSize', 'enqueue', 'error', 'terminate']], [CountQueuingStrategy, ['highWaterMark', 'size']], [ByteLengthQueuingStrategy, ['highWaterMark', 'size']], [TextEncoderStream, ['encoding', 'readable', 'writable']], [TextDecoderStream, ['encoding', 'fatal', 'ignoreBOM', 'readable', 'writable']]]) {
  for (const name of names) Object.defineProperty(made.prototype, name, { enumerable: true });
  Object.defineProperty(made.prototype, Symbol.toStringTag, { value: made.name, configurable: true });
}
const made = { WritableStream, WritableStreamDefaultWriter, WritableStreamDefaultController, TransformStream, TransformStreamDefaultController, CountQueuingStrategy, ByteLengthQueuingStrategy, TextEncoderStream, TextDecoderStream };
Object.assign(shelf.globals, made);
const names = ['ReadableStream', 'ReadableStreamDefaultReader', 'ReadableStreamBYOBReader', 'ReadableStreamDefaultController', 'ReadableByteStreamController', 'ReadableStreamBYOBRequest'];
shelf.builtins['stream/web'] = Object.assign({}, ...names.map((name) => ({ [name]: shelf.globals[name] })), made);
for (const name of ['CompressionStream', 'DecompressionStream']) {
  Object.defineProperty(shelf.builtins['stream/web'], name, { configurable: true, enumerable: true, get() { shelf.load('web_compression'); return shelf.globals[name]; } });
}
