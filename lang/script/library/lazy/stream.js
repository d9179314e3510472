// SPDX-License-Identifier: Apache-2.0
// node:stream and node:stream/promises: the package readable-stream, which is Node's own streams, on
// this library's events, buffers, errors and ticks.
'use strict';
const { base, builtins } = shelf;
const { coded } = base;
shelf.loadPackaged('stream_package', 'ERR_UNKNOWN_BUILTIN_MODULE', "This build has no 'stream': readable-stream was not fetched (./dev setup)");
const files = shelf.streamPackage;

// ---- Errors, in Node's form ----

const texts = {
  ERR_ASSERTION: [Error, (text) => `${text}`],
  ERR_INVALID_RETURN_VALUE: [TypeError, (input, name, value) => `Expected ${input} to be returned from the "${name}" function but got ${value?.constructor?.name ? `an instance of ${value.constructor.name}` : `type ${typeof value}`}.`],
  ERR_MISSING_ARGS: [TypeError, (...names) => `The ${names.map((name) => `"${name}"`).join(' and ')} argument${names.length > 1 ? 's' : ''} must be specified`],
  ERR_MULTIPLE_CALLBACK: [Error, () => 'Callback called multiple times'],
  ERR_METHOD_NOT_IMPLEMENTED: [Error, (name) => `The ${name} method is not implemented`],
  ERR_STREAM_ALREADY_FINISHED: [Error, (name) => `Cannot call ${name} after a stream was finished`],
  ERR_STREAM_CANNOT_PIPE: [Error, () => 'Cannot pipe, not readable'],
  ERR_STREAM_DESTROYED: [Error, (name) => `Cannot call ${name} after a stream was destroyed`],
  ERR_STREAM_NULL_VALUES: [TypeError, () => 'May not write null values to stream'],
  ERR_STREAM_PREMATURE_CLOSE: [Error, () => 'Premature close'],
  ERR_STREAM_PUSH_AFTER_EOF: [Error, () => 'stream.push() after EOF'],
  ERR_STREAM_UNSHIFT_AFTER_END_EVENT: [Error, () => 'stream.unshift() after end event'],
  ERR_STREAM_WRITE_AFTER_END: [Error, () => 'write after end'],
  ERR_UNKNOWN_ENCODING: [TypeError, (name) => shelf.formatLine({}, ['Unknown encoding: %s', name])],
  ERR_ILLEGAL_CONSTRUCTOR: [TypeError, () => 'Illegal constructor'],
  ERR_SOCKET_BAD_PORT: [RangeError, (name, port) => `${name} should be >= 0 and < 65536. Received ${base.received(port)}.`],
  ERR_UNKNOWN_SIGNAL: [TypeError, (name) => `Unknown signal: ${name}`],
};
const codes = {
  // As Node 20 takes every view, the text names them.
  ERR_INVALID_ARG_TYPE: function make(name, expected, value) { return base.argumentType(name, name === 'chunk' ? ['string', 'Buffer', 'TypedArray', 'DataView'] : expected, value); },
  ERR_INVALID_ARG_VALUE: function make(name, value, reason) { return base.argumentValue(name, value, reason); },
  ERR_OUT_OF_RANGE: function make(name, range, value) { return base.outOfRange(name, range, value); },
};
for (const code of Object.keys(texts)) {
  const [Type, textOf] = texts[code];
  codes[code] = function make(...given) { return coded(Type, code, textOf(...given)); };
}
class AbortError extends Error {
  constructor(message = 'The operation was aborted', options = undefined) {
    if (options !== undefined && typeof options !== 'object') throw base.argumentType('options', 'Object', options);
    super(message, options);
    this.code = 'ABORT_ERR';
    this.name = 'AbortError';
  }
}
function aggregateTwoErrors(inner, outer) {
  if (!inner || !outer || inner === outer) return inner || outer;
  if (Array.isArray(outer.errors)) {
    outer.errors.push(inner);
    return outer;
  }
  return Object.assign(new AggregateError([outer, inner], outer.message), { code: outer.code });
}

// ---- What the package asks for ----

const { util } = builtins;
const shared = { __proto__: null,
  'lib/ours/errors.js': () => ({ AbortError, aggregateTwoErrors, hideStackFrames: (callback) => callback, codes }),
  'lib/ours/util.js': () => ({
    AggregateError, kEmptyObject: Object.freeze({ __proto__: null }), AbortSignalAny: (signals) => AbortSignal.any(signals), addAbortListener: builtins.events.addAbortListener,
    once(callback) {
      let isDone = false;
      return function once(...args) {
        if (isDone) return;
        isDone = true;
        base.apply(callback, this, args);
      };
    },
    createDeferredPromise() {
      const made = {};
      made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
      return made;
    },
    promisify: Object.assign((start) => new Promise((resolve, reject) => { start((error, ...values) => (error ? reject(error) : resolve(...values))); }), { custom: util.promisify.custom }),
    debuglog: () => () => {}, format: util.format, inspect: util.inspect, types: util.types,
    isBlob: (value) => typeof globalThis.Blob === 'function' && value instanceof globalThis.Blob,
    deprecate: util.deprecate,
  }),
  'buffer': () => builtins.buffer, 'events': () => Object.assign(function legacy() {}, { EventEmitter: builtins.events, addAbortListener: builtins.events.addAbortListener, __proto__: builtins.events }),
  'process/': () => shelf.process, 'string_decoder/': () => builtins.string_decoder,
};
const requireFile = shelf.packageLoader(files, shared);
const Stream = requireFile('lib/stream.js');
const promises = requireFile('lib/stream/promises.js');
Stream._isUint8Array = ArrayBuffer.isView;  // what the package lets pass
Stream._isArrayBufferView = ArrayBuffer.isView;
Stream._uint8ArrayToBuffer = (chunk) => shelf.Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
// Two duplex streams: what is written to one is read from the other.
Stream.duplexPair = function duplexPair(options) {
  const { Duplex } = Stream;
  const side = (given) => {
    const made = new Duplex({ ...given,
      read() {
        const { waiting } = made;
        made.waiting = null;
        if (waiting) waiting();
      },
      write(chunk, encoding, callback) {
        if (chunk.length === 0) shelf.nextTick(callback);
        else {
          made.other.push(chunk);
          made.other.waiting = callback;
        }
      },
      final(callback) {
        made.other.on('end', callback);
        made.other.push(null);
      },
    });
    Object.defineProperties(made, { waiting: { value: null, writable: true }, other: { value: undefined, writable: true } });
    return made;
  };
  const [one, two] = [side(options), side(options)];
  [one.other, two.other] = [two, one];
  return [one, two];
};
shelf.streamParts = { AbortError };
builtins.stream = Stream;
builtins['stream/promises'] = promises;
for (const name of ['Duplex', 'PassThrough', 'Readable', 'Transform', 'Writable']) builtins[`_stream_${name.toLowerCase()}`] = Stream[name];
shelf.streams = Stream;

// process.stdout and stderr, which exist before. They are written at once; what ends them, as a
// pipeline does, closes nothing: they can be written again.
shelf.becomeWritable = (output) => {
  const parts = shelf.outputParts.get(output);
  const { fd, _events: events, _eventsCount: count } = output;
  for (const name of ['write', 'end', 'cork', 'uncork', 'writable', 'writableLength', 'writableEnded', 'destroyed']) if (output[name] === parts[name]) delete output[name];
  Object.setPrototypeOf(output, Stream.Writable.prototype);
  base.apply(Stream.Writable, output, [{
    decodeStrings: false, emitClose: false,
    write(chunk, encoding, callback) {
      shelf.putOutput(fd, typeof chunk === 'string' && encoding !== 'utf8' ? shelf.Buffer.from(chunk, encoding) : chunk);
      callback();
    },
  }]);
  Object.assign(output, { _events: events, _eventsCount: count, _type: 'pipe', _isStdio: true, destroySoon: output.destroy,
    _destroy(error, callback) {
      callback(error);
      output._undestroy();
      shelf.nextTick(() => output.emit('close'));
    },
  });
};
for (const output of shelf.outputs) shelf.becomeWritable(output);
