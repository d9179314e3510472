// SPDX-License-Identifier: Apache-2.0
// ReadableStream, its readers and controllers, as the Streams Standard of WHATWG has them.
'use strict';
const { base } = shelf;
const { coded, argumentType, argumentValue, then } = base;
const inspectCustom = Symbol.for('nodejs.util.inspect.custom');

const tools = {};
shelf.streamTools = tools;
const noop = () => {};
const wrongThis = (type) => coded(TypeError, 'ERR_INVALID_THIS', `Value of "this" must be of type ${type}`);
const stateError = (text) => coded(TypeError, 'ERR_INVALID_STATE', `Invalid state: ${text}`);
const only = {};  // the key of constructors that programs may not call
const illegal = (key) => { if (key !== only) throw coded(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor'); };
// A promise with its functions, whose rejection is nobody's error.
function deferred() {
  const made = {};
  made.promise = new Promise((resolve, reject) => { made.resolve = resolve; made.reject = reject; });
  then(made.promise, noop, noop);
  return made;
}
const rejected = (error) => { const made = deferred(); made.reject(error); return made; };
const resolved = (value) => { const made = deferred(); made.resolve(value); return made; };
// The method of an object that a program gave, bound to it; none is a function that does nothing.
function method(owner, name, otherwise) {
  const found = owner?.[name];
  if (found === undefined) return otherwise;
  if (typeof found !== 'function') throw argumentType(`${name}`, 'Function', found);
  return (...args) => base.apply(found, owner, args);
}
const promiseOf = (run) => { try { return Promise.resolve(run()); } catch (error) { return Promise.reject(error); } };
function strategyOf(strategy, otherwise) {
  if (strategy !== undefined && strategy !== null && typeof strategy !== 'object' && typeof strategy !== 'function') throw argumentType('strategy', 'Object', strategy);
  const highWaterMark = strategy?.highWaterMark === undefined ? otherwise : +strategy.highWaterMark;
  if (Number.isNaN(highWaterMark) || highWaterMark < 0) throw argumentValue('strategy.highWaterMark', strategy.highWaterMark, 'is invalid', RangeError);
  const size = strategy?.size;
  if (size !== undefined && typeof size !== 'function') throw argumentType('strategy.size', 'Function', size);
  return { highWaterMark, size: size === undefined ? () => 1 : (chunk) => size(chunk) };
}
Object.assign(tools, { deferred, illegal, method, noop, only, promiseOf, rejected, resolved, stateError, strategyOf, wrongThis });

// ---- The stream ----

let stateOf;  // { state, error, reader, isDisturbed, controller }
const newState = () => ({ state: 'readable', error: undefined, reader: undefined, isDisturbed: false, controller: undefined });
function close(stream) {
  stream.state = 'closed';
  const { reader } = stream;
  if (reader === undefined) return;
  reader.closed.resolve();
  if (reader.isDefault) for (const request of reader.requests.splice(0)) request.close();
}
function fail(stream, error) {
  if (stream.state !== 'readable') return;
  stream.state = 'errored';
  stream.error = error;
  const { reader } = stream;
  if (reader === undefined) return;
  reader.closed.reject(error);
  for (const request of reader.requests.splice(0)) request.fail(error);
}
function cancel(stream, reason) {
  stream.isDisturbed = true;
  if (stream.state === 'closed') return Promise.resolve();
  if (stream.state === 'errored') return Promise.reject(stream.error);
  close(stream);
  if (stream.reader !== undefined && !stream.reader.isDefault) for (const request of stream.reader.requests.splice(0)) request.close(undefined);
  return then(stream.controller.cancel(reason), noop);
}
class ReadableStream {
  #state = newState();
  static { stateOf = (stream) => { if (stream === null || typeof stream !== 'object' || !(#state in stream)) throw wrongThis('ReadableStream'); return stream.#state; }; }
  constructor(source = {}, strategy = {}) {
    if (source === only) return;
    if (source === null || typeof source !== 'object' && typeof source !== 'function') throw argumentType('source', 'Object', source);
    const type = source.type === undefined ? undefined : `${source.type}`;
    if (type === 'bytes') {
      if (strategy?.size !== undefined) throw argumentValue('strategy.size', strategy.size, 'is invalid', RangeError);
      const { autoAllocateChunkSize } = source;
      if (autoAllocateChunkSize === 0) throw argumentValue('source.autoAllocateChunkSize', autoAllocateChunkSize);
      setUpBytes(this.#state, source, strategyOf(strategy, 0).highWaterMark, autoAllocateChunkSize);
    } else if (type === undefined) {
      setUpDefault(this.#state, source, strategyOf(strategy, 1));
    } else {
      throw argumentValue('source.type', type);
    }
  }
  get locked() { return stateOf(this).reader !== undefined; }
  cancel(reason = undefined) {
    try {
      if (stateOf(this).reader !== undefined) return Promise.reject(stateError('ReadableStream is locked'));
      return cancel(stateOf(this), reason);
    } catch (error) { return Promise.reject(error); }
  }
  getReader(options = {}) {
    if (options !== null && typeof options !== 'object' && typeof options !== 'function') throw argumentType('options', 'Object', options);
    const mode = options?.mode;
    if (mode === undefined) return new ReadableStreamDefaultReader(this);
    if (`${mode}` !== 'byob') throw argumentValue('options.mode', mode);
    return new ReadableStreamBYOBReader(this);
  }
  pipeThrough(transform, options = {}) {
    const writable = transform?.writable;
    const readable = transform?.readable;
    stateOf(readable);
    tools.writableStateOf(writable);
    if (this.locked) throw stateError('The ReadableStream is locked');
    if (writable.locked) throw stateError('The WritableStream is locked');
    then(pipe(this, writable, options), noop, noop);
    return readable;
  }
  pipeTo(destination, options = {}) {
    try {
      stateOf(this);
      tools.writableStateOf(destination);
      if (this.locked) throw stateError('The ReadableStream is locked');
      if (destination.locked) throw stateError('The WritableStream is locked');
      return pipe(this, destination, options);
    } catch (error) { return Promise.reject(error); }
  }
  tee() { return tee(this); }
  values(options = {}) {
    const preventCancel = Boolean(options?.preventCancel);
    const reader = new ReadableStreamDefaultReader(this);
    let isDone = false;
    let ongoing = Promise.resolve();
    const next = async () => {
      if (isDone) return { value: undefined, done: true };
      let result;
      try { result = await reader.read(); } catch (error) { isDone = true; reader.releaseLock(); throw error; }
      if (result.done) { isDone = true; reader.releaseLock(); }
      return result;
    };
    const leave = async (value) => {
      if (!isDone) {
        isDone = true;
        const ended = preventCancel ? undefined : reader.cancel(value);
        reader.releaseLock();
        await ended;
      }
      return { value, done: true };
    };
    const iterator = Object.create(asyncIteratorPrototype);
    iterator.next = () => { ongoing = then(ongoing, next, next); return ongoing; };
    iterator.return = (value) => { const run = () => leave(value); ongoing = then(ongoing, run, run); return ongoing; };
    return iterator;
  }
  // Of any iterable: a chunk is pulled when it is asked for.
  static from(iterable) {
    const make = iterable?.[Symbol.asyncIterator] ?? iterable?.[Symbol.iterator];
    if (typeof make !== 'function') throw coded(TypeError, 'ERR_ARG_NOT_ITERABLE', `${shelf.inspect(iterable)} must be iterable`);
    const iterator = base.apply(make, iterable, []);
    return new ReadableStream({
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done) controller.close();
        else controller.enqueue(await value);
      },
      async cancel(reason) { await iterator.return?.(reason); },
    }, { highWaterMark: 0 });
  }
  [inspectCustom](depth, options) {
    if (depth < 0) return this;
    const { state, controller } = this.#state;
    return `ReadableStream ${shelf.inspect({ locked: this.locked, state, supportsBYOB: controller?.isBytes === true }, options)}`;
  }
}
Object.defineProperty(ReadableStream.prototype, Symbol.asyncIterator, { value: ReadableStream.prototype.values, configurable: true, writable: true });
const asyncIteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf((async function* () {}).prototype));

// ---- Readers: { stream, closed, requests, isDefault } ----

function take(reader, stream, isDefault) {
  if (stream.reader !== undefined) throw stateError('ReadableStream is locked');
  stream.reader = reader;
  Object.assign(reader, { stream, isDefault, requests: [], closed: deferred() });
  if (stream.state === 'closed') reader.closed.resolve();
  else if (stream.state === 'errored') reader.closed.reject(stream.error);
}
function release(reader) {
  const { stream } = reader;
  if (stream === undefined) return;
  const error = stateError('Releasing reader');
  if (stream.state === 'readable') reader.closed.reject(error);
  else reader.closed = rejected(error);
  stream.controller.release();
  stream.reader = undefined;
  reader.stream = undefined;
  for (const request of reader.requests.splice(0)) request.fail(error);
}
// request: { chunk(value), close(), fail(error) }
function readDefault(reader, request) {
  const { stream } = reader;
  stream.isDisturbed = true;
  if (stream.state === 'closed') request.close();
  else if (stream.state === 'errored') request.fail(stream.error);
  else stream.controller.pullSteps(request);
}
const released = () => stateError('The reader is not attached to a stream');
let readerOf;
class ReadableStreamDefaultReader {
  #reader = {};
  static { readerOf = (reader) => { if (reader === null || typeof reader !== 'object' || !(#reader in reader)) throw wrongThis('ReadableStreamDefaultReader'); return reader.#reader; }; }
  constructor(stream) { take(this.#reader, stateOf(stream), true); }
  get closed() { try { return readerOf(this).closed.promise; } catch (error) { return Promise.reject(error); } }
  read() {
    try {
      const reader = readerOf(this);
      if (reader.stream === undefined) return Promise.reject(released());
      return new Promise((resolve, reject) => {
        readDefault(reader, { chunk: (value) => resolve({ value, done: false }), close: () => resolve({ value: undefined, done: true }), fail: reject });
      });
    } catch (error) { return Promise.reject(error); }
  }
  cancel(reason = undefined) {
    try {
      const { stream } = readerOf(this);
      return stream === undefined ? Promise.reject(released()) : cancel(stream, reason);
    } catch (error) { return Promise.reject(error); }
  }
  releaseLock() { release(readerOf(this)); }
  [inspectCustom](depth, options) { return depth < 0 ? this : `ReadableStreamDefaultReader ${shelf.inspect({ stream: this.#reader.stream === undefined ? undefined : 'ReadableStream', readRequests: this.#reader.requests.length, close: this.#reader.closed.promise }, options)}`; }
}
let byobReaderOf;
class ReadableStreamBYOBReader {
  #reader = {};
  static { byobReaderOf = (reader) => { if (reader === null || typeof reader !== 'object' || !(#reader in reader)) throw wrongThis('ReadableStreamBYOBReader'); return reader.#reader; }; }
  constructor(stream) {
    if (stateOf(stream).controller.isBytes !== true) throw argumentValue('stream', stream, 'must be a byte stream');
    take(this.#reader, stateOf(stream), false);
  }
  get closed() { try { return byobReaderOf(this).closed.promise; } catch (error) { return Promise.reject(error); } }
  read(view, options = {}) {
    try {
      const reader = byobReaderOf(this);
      if (!ArrayBuffer.isView(view)) throw argumentType('view', ['Buffer', 'TypedArray', 'DataView'], view);
      if (view.byteLength === 0) throw stateError('View length must not be 0');
      if (view.buffer.byteLength === 0) throw stateError('View ArrayBuffer is detached');
      const least = options?.min === undefined ? 1 : options.min;
      if (reader.stream === undefined) return Promise.reject(released());
      return new Promise((resolve, reject) => {
        const { stream } = reader;
        stream.isDisturbed = true;
        const request = { chunk: (value) => resolve({ value, done: false }), close: (value) => resolve({ value, done: true }), fail: reject };
        if (stream.state === 'errored') reject(stream.error);
        else stream.controller.pullInto(view, least, request);
      });
    } catch (error) { return Promise.reject(error); }
  }
  cancel(reason = undefined) {
    try {
      const { stream } = byobReaderOf(this);
      return stream === undefined ? Promise.reject(released()) : cancel(stream, reason);
    } catch (error) { return Promise.reject(error); }
  }
  releaseLock() { release(byobReaderOf(this)); }
}

// ---- The pull loop that both controllers have ----

class Pulling {
  constructor(stream, source, highWaterMark) {
    this.stream = stream;
    this.highWaterMark = highWaterMark;
    this.queue = [];
    this.size = 0;
    this.isStarted = this.isCloseRequested = this.isPulling = this.pullsAgain = false;
    this.pullSource = method(source, 'pull', noop);
    this.cancelSource = method(source, 'cancel', noop);
  }
  start(source, face) {
    this.face = face;
    const start = method(source, 'start', noop);
    const begun = start(face);
    then(Promise.resolve(begun), () => { this.isStarted = true; this.callPull(); }, (error) => this.fail(error));
  }
  get desiredSize() {
    if (this.stream.state === 'errored') return null;
    return this.stream.state === 'closed' ? 0 : this.highWaterMark - this.size;
  }
  shouldPull() {
    const { stream } = this;
    if (!this.isStarted || this.isCloseRequested || stream.state !== 'readable') return false;
    return stream.reader !== undefined && stream.reader.requests.length > 0 || this.desiredSize > 0;
  }
  callPull() {
    if (!this.shouldPull()) return;
    if (this.isPulling) { this.pullsAgain = true; return; }
    this.isPulling = true;
    then(promiseOf(() => this.pullSource(this.face)), () => {
      this.isPulling = false;
      if (!this.pullsAgain) return;
      this.pullsAgain = false;
      this.callPull();
    }, (error) => this.fail(error));
  }
  forget() { this.pullSource = this.cancelSource = noop; }
  fail(error) {
    if (this.stream.state !== 'readable') return;
    this.queue = [];
    this.size = 0;
    this.forget();
    fail(this.stream, error);
  }
  cancel(reason) {
    this.queue = [];
    this.size = 0;
    const { cancelSource } = this;
    const made = promiseOf(() => cancelSource(reason));
    this.forget();
    return made;
  }
  release() {}
}

// ---- Chunks of any kind ----

class DefaultQueue extends Pulling {
  constructor(stream, source, strategy) { super(stream, source, strategy.highWaterMark); this.sizeOf = strategy.size; }
  pullSteps(request) {
    if (this.queue.length > 0) {
      const [value, size] = this.queue.shift();
      this.size = Math.max(0, this.size - size);
      if (this.isCloseRequested && this.queue.length === 0) { this.forget(); close(this.stream); } else this.callPull();
      request.chunk(value);
    } else {
      this.stream.reader.requests.push(request);
      this.callPull();
    }
  }
  canEnqueue() { return !this.isCloseRequested && this.stream.state === 'readable'; }
  enqueue(chunk) {
    if (!this.canEnqueue()) throw stateError(this.stream.state === 'readable' ? 'Controller is already closed' : `Controller is already ${this.stream.state === 'errored' ? 'errored' : 'closed'}`);
    const waiting = this.stream.reader?.requests;
    if (waiting !== undefined && waiting.length > 0) {
      waiting.shift().chunk(chunk);
    } else {
      let size;
      try {
        size = Number(this.sizeOf(chunk));
        if (Number.isNaN(size) || size < 0 || size === Infinity) throw argumentValue('size', size, 'is invalid', RangeError);
      } catch (error) {
        this.fail(error);
        throw error;
      }
      this.queue.push([chunk, size]);
      this.size += size;
    }
    this.callPull();
  }
  close() {
    if (!this.canEnqueue()) throw stateError('Controller is already closed');
    this.isCloseRequested = true;
    if (this.queue.length > 0) return;
    this.forget();
    close(this.stream);
  }
}
let defaultOf;
class ReadableStreamDefaultController {
  #queue;
  static { defaultOf = (face) => { if (face === null || typeof face !== 'object' || !(#queue in face)) throw wrongThis('ReadableStreamDefaultController'); return face.#queue; }; }
  constructor(key, queue) { illegal(key); this.#queue = queue; }
  get desiredSize() { return defaultOf(this).desiredSize; }
  close() { defaultOf(this).close(); }
  enqueue(chunk = undefined) { defaultOf(this).enqueue(chunk); }
  error(error = undefined) { defaultOf(this).fail(error); }
}
function setUpDefault(stream, source, strategy) {
  const queue = new DefaultQueue(stream, source, strategy);
  stream.controller = queue;
  queue.start(source, new ReadableStreamDefaultController(only, queue));
}

// ---- Bytes ----

// What a reader of bytes gave: { buffer, offset, length, filled, least, unit, View, request }.
class ByteQueue extends Pulling {
  isBytes = true;
  constructor(stream, source, highWaterMark, chunkSize) { super(stream, source, highWaterMark); this.chunkSize = chunkSize; this.intos = []; this.asked = null; }
  shouldPull() {
    const { stream } = this;
    if (!this.isStarted || this.isCloseRequested || stream.state !== 'readable') return false;
    return stream.reader !== undefined && (stream.reader.requests.length > 0 || this.intos.length > 0) || this.desiredSize > 0;
  }
  takeChunk() {
    const { buffer, offset, length } = this.queue.shift();
    this.size -= length;
    this.afterTake();
    return new Uint8Array(buffer, offset, length);
  }
  afterTake() {
    if (this.size === 0 && this.isCloseRequested) { this.forget(); close(this.stream); } else this.callPull();
  }
  pullSteps(request) {
    if (this.size > 0) { request.chunk(this.takeChunk()); return; }
    if (this.chunkSize !== undefined) {
      this.intos.push({ buffer: new ArrayBuffer(this.chunkSize), offset: 0, length: this.chunkSize, filled: 0, least: 1, unit: 1, View: Uint8Array, isDefault: true });
    }
    this.stream.reader.requests.push(request);
    this.callPull();
  }
  pullInto(view, least, request) {
    const unit = view.BYTES_PER_ELEMENT ?? 1;
    const into = { offset: view.byteOffset, length: view.byteLength, filled: 0, least: least * unit, unit, View: view.constructor, request };
    into.buffer = moved(view.buffer);
    if (this.stream.state === 'closed') { request.close(new into.View(into.buffer, into.offset, 0)); return; }
    if (this.intos.length === 0 && this.size > 0) {
      if (this.fill(into)) { this.afterTake(); request.chunk(viewOf(into)); return; }
      if (this.isCloseRequested) {
        const error = stateError('Insufficient bytes to fill elements in the given buffer');
        this.fail(error);
        request.fail(error);
        return;
      }
    }
    this.intos.push(into);
    this.callPull();
  }
  // Copies what is queued; true when there is enough.
  fill(into) {
    while (this.size > 0 && into.filled < into.length) {
      const [head] = this.queue;
      const count = Math.min(head.length, into.length - into.filled);
      new Uint8Array(into.buffer, into.offset + into.filled, count).set(new Uint8Array(head.buffer, head.offset, count));
      head.offset += count;
      head.length -= count;
      if (head.length === 0) this.queue.shift();
      this.size -= count;
      into.filled += count;
    }
    const rest = into.filled % into.unit;
    if (into.filled - rest < into.least) return false;
    if (rest > 0) this.putBack(into, rest);
    return true;
  }
  putBack(into, rest) {
    const at = into.offset + into.filled - rest;
    this.queue.unshift({ buffer: into.buffer.slice(at, at + rest), offset: 0, length: rest });
    this.size += rest;
    into.filled -= rest;
  }
  settle(into) {
    const isDone = this.stream.state === 'closed';
    const view = viewOf(into);
    if (into.isDefault) {
      const request = this.stream.reader?.requests.shift();
      if (isDone) request?.close(); else request?.chunk(view);
    } else if (isDone) into.request.close(view);
    else into.request.chunk(view);
  }
  enqueue(view) {
    if (!ArrayBuffer.isView(view)) throw argumentType('chunk', ['Buffer', 'TypedArray', 'DataView'], view);
    if (view.byteLength === 0 || view.buffer.byteLength === 0) throw stateError('chunk ArrayBuffer is zero-length or detached');
    if (this.isCloseRequested) throw stateError('Controller is already closed');
    if (this.stream.state !== 'readable') throw stateError('ReadableStream is already closed');
    const { byteOffset: offset, byteLength: length } = view;
    const buffer = moved(view.buffer);
    this.dropAsked();
    const requests = this.stream.reader?.isDefault ? this.stream.reader.requests : [];
    if (requests.length > 0 && this.size === 0) {
      if (this.intos[0]?.isDefault) this.intos.shift();
      requests.shift().chunk(new Uint8Array(buffer, offset, length));
    } else {
      this.queue.push({ buffer, offset, length });
      this.size += length;
      this.serve();
    }
    this.callPull();
  }
  serve() {
    while (this.intos.length > 0 && this.size > 0) {
      const [into] = this.intos;
      if (!this.fill(into)) return;
      this.intos.shift();
      this.settle(into);
    }
  }
  dropAsked() {
    if (this.asked === null) return;
    this.asked.detach();
    this.asked = null;
  }
  get request() {
    if (this.asked === null && this.intos.length > 0) {
      const [into] = this.intos;
      this.asked = new ReadableStreamBYOBRequest(only, this, new Uint8Array(into.buffer, into.offset + into.filled, into.length - into.filled));
    }
    return this.asked;
  }
  respond(count, view) {
    const [into] = this.intos;
    const { state } = this.stream;
    if (state === 'closed') {
      if (count !== 0) throw argumentValue('bytesWritten', count);
    } else {
      if (count === 0) throw argumentValue('bytesWritten', count);
      if (into.filled + count > into.length) throw argumentValue('bytesWritten', count, 'is invalid', RangeError);
    }
    this.dropAsked();
    into.buffer = moved(view?.buffer ?? into.buffer);
    if (state === 'closed') {
      for (const one of this.intos.splice(0)) this.settle(one);
    } else {
      into.filled += count;
      const rest = into.filled % into.unit;
      if (into.filled - rest >= into.least) {
        this.intos.shift();
        if (rest > 0) this.putBack(into, rest);
        this.settle(into);
        this.serve();
      }
    }
    this.callPull();
  }
  close() {
    if (this.isCloseRequested || this.stream.state !== 'readable') throw stateError('Controller is already closed');
    if (this.size > 0) { this.isCloseRequested = true; return; }
    if (this.intos.length > 0 && this.intos[0].filled % this.intos[0].unit !== 0) {
      const error = stateError('Partial read');
      this.fail(error);
      throw error;
    }
    this.forget();
    close(this.stream);
  }
  fail(error) {
    if (this.stream.state !== 'readable') return;
    this.dropAsked();
    const intos = this.intos.splice(0);
    super.fail(error);
    for (const into of intos) into.request?.fail(error);
  }
  cancel(reason) {
    this.dropAsked();
    for (const into of this.intos.splice(0)) into.request?.close(undefined);
    return super.cancel(reason);
  }
  release() {
    const error = stateError('Releasing reader');
    for (const into of this.intos.splice(1)) into.request?.fail(error);
    if (this.intos.length === 0) return;
    const [into] = this.intos;
    into.request?.fail(error);
    // The source may still answer the request that it has: its bytes are queued.
    this.intos = [{ ...into, isDefault: false, request: { chunk: (view) => this.requeue(view), close: noop, fail: noop } }];
  }
  requeue(view) {
    this.queue.push({ buffer: view.buffer, offset: view.byteOffset, length: view.byteLength });
    this.size += view.byteLength;
  }
}
const viewOf = (into) => new into.View(into.buffer, into.offset, into.filled / (into.View.BYTES_PER_ELEMENT ?? 1));
// The memory of a buffer, in a buffer of its own: the program's is detached.
const moved = (buffer) => (base.engine.detach === undefined ? buffer : base.engine.detach(buffer) ?? buffer);
let bytesOf;
class ReadableByteStreamController {
  #queue;
  static { bytesOf = (face) => { if (face === null || typeof face !== 'object' || !(#queue in face)) throw wrongThis('ReadableByteStreamController'); return face.#queue; }; }
  constructor(key, queue) { illegal(key); this.#queue = queue; }
  get byobRequest() { return bytesOf(this).request; }
  get desiredSize() { return bytesOf(this).desiredSize; }
  close() { bytesOf(this).close(); }
  enqueue(chunk) { bytesOf(this).enqueue(chunk); }
  error(error = undefined) { bytesOf(this).fail(error); }
}
class ReadableStreamBYOBRequest {
  #queue; #view;
  constructor(key, queue, view) { illegal(key); this.#queue = queue; this.#view = view; }
  get view() { return this.#view ?? null; }
  detach() { this.#queue = this.#view = undefined; }
  respond(count) {
    if (this.#queue === undefined) throw stateError('This BYOB request has been invalidated');
    this.#queue.respond(Number(count));
  }
  respondWithNewView(view) {
    if (this.#queue === undefined) throw stateError('This BYOB request has been invalidated');
    if (!ArrayBuffer.isView(view)) throw argumentType('view', ['Buffer', 'TypedArray', 'DataView'], view);
    this.#queue.respond(view.byteLength, view);
  }
}
function setUpBytes(stream, source, highWaterMark, chunkSize) {
  const queue = new ByteQueue(stream, source, highWaterMark, chunkSize);
  stream.controller = queue;
  queue.start(source, new ReadableByteStreamController(only, queue));
}

// ---- tee ----

function tee(stream) {
  const original = stateOf(stream);
  const reader = new ReadableStreamDefaultReader(stream);
  const inner = readerOf(reader);
  const isBytes = original.controller.isBytes === true;
  const done = deferred();
  const isCancelled = [false, false];
  const reasons = [];
  const faces = [];
  let isReading = false;
  let readsAgain = false;
  const pull = () => {
    if (isReading) { readsAgain = true; return; }
    isReading = true;
    readDefault(inner, {
      // Later, as a reader would see it: what reads from a branch must not run inside of its pull.
      chunk: (value) => base.engine.queueMicrotask(() => {
        readsAgain = false;
        [value, isBytes ? copyOf(value) : value].forEach((chunk, i) => { if (!isCancelled[i]) faces[i].enqueue(chunk); });
        isReading = false;
        if (readsAgain) pull();
      }),
      close: () => {
        isReading = false;
        faces.forEach((face, i) => {
          if (isCancelled[i]) return;
          face.close();
          if (isBytes) face.byobRequest?.respond(0);
        });
        if (!isCancelled[0] || !isCancelled[1]) done.resolve();
      },
      fail: () => { isReading = false; },
    });
  };
  const branch = (i) => new ReadableStream({
    ...(isBytes ? { type: 'bytes' } : {}),
    start(face) { faces[i] = face; },
    pull() { pull(); },
    cancel(reason) {
      isCancelled[i] = true;
      reasons[i] = reason;
      if (isCancelled[1 - i]) then(cancel(original, reasons), done.resolve, done.reject);
      return done.promise;
    },
  }, isBytes ? { highWaterMark: 0 } : undefined);
  const branches = [branch(0), branch(1)];
  then(inner.closed.promise, noop, (error) => {
    faces.forEach((face) => face.error(error));
    if (!isCancelled[0] || !isCancelled[1]) done.resolve();
  });
  return branches;
}
const copyOf = (view) => new Uint8Array(view);

// ---- pipeTo ----

function pipe(from, to, options) {
  const preventClose = Boolean(options?.preventClose);
  const preventAbort = Boolean(options?.preventAbort);
  const preventCancel = Boolean(options?.preventCancel);
  const signal = options?.signal;
  if (signal !== undefined) shelf.checkSignal(signal, 'options.signal');
  const source = stateOf(from);
  const sink = tools.writableStateOf(to);
  const reader = new ReadableStreamDefaultReader(from);
  const inner = readerOf(reader);
  const writer = to.getWriter();
  source.isDisturbed = true;
  const done = deferred();
  const result = new Promise((resolve, reject) => { then(done.promise, resolve, reject); });
  let isEnding = false;
  let written = Promise.resolve();
  const finish = (hasError, error) => {
    tools.releaseWriter(writer);
    release(inner);
    signal?.removeEventListener('abort', onAbort);
    if (hasError) done.reject(error); else done.resolve();
  };
  // Ends the pipe once what was read is written, after `action`.
  const end = (action, hasError, error) => {
    if (isEnding) return;
    isEnding = true;
    const act = () => {
      if (action === undefined) return finish(hasError, error);
      return then(action(), () => finish(hasError, error), (second) => finish(true, second));
    };
    const mayWrite = sink.state === 'writable' && !tools.isClosing(sink);
    if (mayWrite) then(written, act, act); else act();
  };
  function onAbort() {
    const { reason } = signal;
    end(() => Promise.all([
      preventAbort || sink.state !== 'writable' ? undefined : tools.abortWritable(sink, reason),
      preventCancel || source.state !== 'readable' ? undefined : cancel(source, reason),
    ]), true, reason);
  }
  if (signal?.aborted) { onAbort(); return result; }
  signal?.addEventListener('abort', onAbort);
  const onSourceFailed = (error) => end(preventAbort ? undefined : () => tools.abortWritable(sink, error), true, error);
  const onSourceClosed = () => end(preventClose ? undefined : () => tools.closeForPipe(sink), false);
  const onSinkFailed = (error) => end(preventCancel ? undefined : () => cancel(source, error), true, error);
  const onSinkClosed = () => {
    const error = stateError('Destination WritableStream is closed');
    end(preventCancel ? undefined : () => cancel(source, error), true, error);
  };
  if (source.state === 'errored') onSourceFailed(source.error);
  else if (sink.state === 'errored' || sink.state === 'erroring') onSinkFailed(sink.error);
  else if (source.state === 'closed') onSourceClosed();
  else if (tools.isClosing(sink) || sink.state === 'closed') onSinkClosed();
  then(inner.closed.promise, () => onSourceClosed(), (error) => { if (source.state === 'errored') onSourceFailed(error); });
  then(writer.closed, () => onSinkClosed(), (error) => { if (sink.state === 'errored' || sink.state === 'erroring') onSinkFailed(sink.error ?? error); });
  const step = () => {
    if (isEnding) return;
    then(writer.ready, () => {
      if (isEnding) return;
      readDefault(inner, {
        chunk: (value) => {
          written = then(Promise.resolve(), () => writer.write(value));
          then(written, noop, noop);
          then(Promise.resolve(), step);
        },
        close: noop,
        fail: noop,
      });
    }, noop);
  };
  step();
  return result;
}

Object.assign(tools, { cancelReadable: cancel, readableStateOf: stateOf, pipe });
for (const [made, names] of [[ReadableStream, ['locked', 'cancel', 'getReader', 'pipeThrough', 'pipeTo', 'tee', 'values']], [ReadableStreamDefaultReader, ['closed', 'read', 'cancel', 'releaseLock']], [ReadableStreamBYOBReader, ['closed', 'read', 'cancel', 'releaseLock']], [ReadableStreamDefaultController, ['desiredSize', 'close', 'enqueue', 'error']], [ReadableByteStreamController, ['byobRequest', 'desiredSize', 'close', 'enqueue', 'error']], [ReadableStreamBYOBRequest, ['view', 'respond', 'respondWithNewView']]]) {
  for (const name of names) Object.defineProperty(made.prototype, name, { enumerable: true });
  Object.defineProperty(made.prototype, Symbol.toStringTag, { value: made.name, configurable: true });
}
Object.assign(shelf.globals, { ReadableStream, ReadableStreamDefaultReader, ReadableStreamBYOBReader, ReadableStreamDefaultController, ReadableByteStreamController, ReadableStreamBYOBRequest });
