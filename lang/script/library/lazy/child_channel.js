// SPDX-License-Identifier: Apache-2.0
// The channel between a process and the child that it has forked: messages over a pair of sockets, as
// Node's: a line of JSON each, or (serialization 'advanced', between gyre and gyre) a structured clone
// with its length before it.
'use strict';
shelf.load('net_address');
shelf.load('net_handle');
const { base, builtins } = shelf;
const { coded, argumentType } = base;

// Of one message; a longer one ends the channel.
const messageBytesMax = 1 << 28;
// Unsent bytes at which send() gives false.
const highWater = 2 * 65536;

// ---- Forms ----

// Each has encode(message), and feed(bytes, give) that gives each message that has come whole.
class Lines {
  #decoder = new (builtins.string_decoder.StringDecoder)('utf8');
  #rest = '';
  encode(message) { return shelf.Buffer.from(`${base.JSON.stringify(message)}\n`); }
  feed(bytes, give) {
    const parts = this.#decoder.write(bytes).split('\n');
    parts[0] = this.#rest + parts[0];
    this.#rest = parts.pop();
    if (this.#rest.length > messageBytesMax) throw new RangeError(`a message is longer than ${messageBytesMax} bytes`);
    for (const part of parts) if (part !== '') give(base.JSON.parse(part));
  }
}
class Clones {
  #held = shelf.Buffer.alloc(0);
  constructor() { shelf.load('messages'); }
  // The sizes of both parts, the text, the bytes of the buffers.
  encode(message) {
    const { text, bytes } = shelf.messages.encode(message);
    const words = shelf.Buffer.from(text);
    const head = shelf.Buffer.alloc(8);
    head.writeUInt32BE(words.length, 0);
    head.writeUInt32BE(bytes?.length ?? 0, 4);
    return shelf.Buffer.concat([head, words, ...bytes?.length > 0 ? [bytes] : []]);
  }
  feed(bytes, give) {
    let held = this.#held.length === 0 ? bytes : shelf.Buffer.concat([this.#held, bytes]);
    while (held.length >= 8) {
      const [size, extra] = [held.readUInt32BE(0), held.readUInt32BE(4)];
      if (size + extra > messageBytesMax) throw new RangeError(`a message is longer than ${messageBytesMax} bytes`);
      if (held.length < 8 + size + extra) break;
      const text = held.toString('utf8', 8, 8 + size);
      const parts = new Uint8Array(held.subarray(8 + size, 8 + size + extra));
      held = held.subarray(8 + size + extra);
      give(shelf.messages.decode({ text, bytes: parts, ports: () => undefined, shared: () => undefined }));
    }
    this.#held = held;
  }
}

// ---- A channel ----

// process.channel: keeps the loop alive while it is wanted, or as the program says.
class Control extends builtins.events {
  #handle;
  #count = 0;
  #isSet = false;
  constructor(handle) { super(); this.#handle = handle; }
  refCounted() {
    this.#count += 1;
    if (this.#count === 1 && !this.#isSet) this.#handle.ref();
  }
  unrefCounted() {
    this.#count -= 1;
    if (this.#count > 0 || this.#isSet) return;
    this.#handle.unref();
    this.emit('unref');
  }
  ref() { this.#isSet = true; this.#handle.ref(); }
  unref() { this.#isSet = true; this.#handle.unref(); }
  get fd() { return this.#handle.fd; }
}
const isInternal = (message) => message !== null && typeof message === 'object' && typeof message.cmd === 'string' && message.cmd.length > 5 && message.cmd.startsWith('NODE_');
const ipcError = (code, text) => coded(Error, code, text);

function checkMessage(message) {
  if (message === undefined) throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "message" argument must be specified');
  if (!['string', 'object', 'number', 'boolean'].includes(typeof message)) throw argumentType('message', ['string', 'object', 'number', 'boolean'], message);
}
// target is a ChildProcess, or the process itself.
shelf.openChannel = (target, handle, form) => {
  const codec = form === 'advanced' ? new Clones() : new Lines();
  const control = new Control(handle);
  const early = [];  // messages before the first listener
  let isClosed = false;
  Object.assign(target, { channel: control, connected: true });
  const emit = (name, message) => {
    if (name === 'internalMessage' || target.listenerCount('message') > 0) target.emit(name, message, undefined);
    else early.push(message);
  };
  target.on('newListener', (name) => {
    if (name !== 'message' || early.length === 0) return;
    shelf.nextTick(() => { for (const message of early.splice(0)) emit('message', message); });
  });
  function close() {
    if (isClosed) return;
    isClosed = true;
    handle.readStop();
    handle.close(() => target._maybeClose?.());
    target.channel = null;
    shelf.nextTick(() => target.emit('disconnect'));
  }
  let unsent = 0;
  let wantsEnd = false;
  handle.onread = (bytes, status) => {
    if (bytes === undefined) {
      target.connected = false;
      close();
      return;
    }
    try {
      codec.feed(bytes, (message) => shelf.nextTick(emit, isInternal(message) ? 'internalMessage' : 'message', message));
    } catch (error) {
      target.connected = false;
      close();
      target.emit('error', error);
    }
  };
  target.send = function send(message, sent, options, done) {
    let [given, how, callback] = [sent, options, done];
    if (typeof given === 'function') [given, how, callback] = [undefined, undefined, given];
    else if (typeof how === 'function') [how, callback] = [undefined, how];
    else if (how !== undefined) base.checks.isObject(how, 'options');
    if (!this.connected) {
      const error = ipcError('ERR_IPC_CHANNEL_CLOSED', 'Channel closed');
      if (typeof callback === 'function') shelf.nextTick(callback, error);
      else shelf.nextTick(() => this.emit('error', error));
      return false;
    }
    checkMessage(message);
    if (given !== undefined && given !== null) throw coded(TypeError, 'ERR_INVALID_HANDLE_TYPE', 'This handle type cannot be sent');
    return write(message, callback);
  };
  function write(message, callback) {
    const data = codec.encode(message);
    unsent += 1;
    control.refCounted();
    const finish = (status) => {
      unsent -= 1;
      control.unrefCounted();
      const error = status < 0 ? shelf.netAddress.systemError(status, 'write') : null;
      if (typeof callback === 'function') shelf.nextTick(callback, error);
      else if (error !== null) shelf.nextTick(() => target.emit('error', error));
      if (unsent === 0 && wantsEnd) close();
    };
    const status = handle.write(data, false, finish);
    if (status !== 1) finish(status);
    return handle.writeQueueSize < highWater;
  }
  target.disconnect = function disconnect() {
    if (!this.connected) {
      this.emit('error', ipcError('ERR_IPC_DISCONNECTED', 'IPC channel is already disconnected'));
      return;
    }
    this.connected = false;
    if (unsent === 0) close();
    else wantsEnd = true;
  };
  handle.readStart();
  return control;
};

// In a child: the channel keeps the loop alive while somebody listens to it.
shelf.openOwnChannel = (descriptor, form) => {
  const { process } = shelf;
  const handle = shelf.netHandle.Handle.inherited(descriptor);
  if (handle === undefined) return;
  handle.unref();
  const control = shelf.openChannel(process, handle, form);
  const counts = (name) => name === 'message' || name === 'disconnect';
  process.on('newListener', (name) => { if (counts(name)) control.refCounted(); });
  process.on('removeListener', (name) => { if (counts(name)) control.unrefCounted(); });
};
