// SPDX-License-Identifier: Apache-2.0
// node:net, part 2: what a socket of the system is to the library: a number of the host
// (lang/script/world/internal/sockets.hpp) with the events of its reads and accepts.
'use strict';
const { base } = shelf;
const { natives } = base;

const options = { noDelay: 0, keepAlive: 1, keepAliveIdle: 2, keepAliveInterval: 3, keepAliveCount: 4 };
const endOfStream = -4095;
const nothing = new Uint8Array(0);
const memory = new Uint8Array(64 << 10);  // of one read: ScriptSockets::chunk_bytes_max
const keptFor = 2 ** 48;  // added to the size of what is sent later

class Handle {
  #number;
  #events;
  #isMissed = false;
  isClosed = false;
  reading = false;
  bytesRead = 0;
  bytesWritten = 0;
  isPipe = false;
  // onread(bytes, error): bytes, or undefined and a negative number; onconnection(handle, error)
  onread = undefined;
  onconnection = undefined;
  // {isReady(), take(memory, size)}: gets what arrives, while it is ready, in memory of the handle.
  consumer = undefined;
  constructor(number) {
    this.#events = shelf.expect((value, text) => this.#take(value, text), true);
    if (number === undefined) this.#number = natives.netOpen(this.#events);
    else {
      this.#number = number;
      if (number > 0) natives.netAdopt(number, this.#events);
    }
  }
  // Connected with `far`, a descriptor for a child; without one, `failure` is a negative error.
  static pair() {
    const handle = new Handle(0);
    const [number, far] = natives.netPair(handle.#events).split(' ').map(Number);
    handle.#number = number;
    handle.isPipe = true;
    if (number < 0) handle.failure = number;
    else handle.far = far;
    return handle;
  }
  // A socket that the process was started with; undefined where the descriptor is none.
  static inherited(descriptor) {
    const handle = new Handle(0);
    handle.#number = natives.netInherit(handle.#events, descriptor);
    handle.isPipe = true;
    return handle.#number < 0 ? undefined : handle;
  }
  failure = 0;
  far = undefined;
  #take(value, text) {
    if (this.isClosed) return;
    if (text === 'A') {
      if (value < 0) this.onconnection(undefined, value);
      else {
        const handle = new Handle(value);
        handle.isPipe = this.isPipe;
        this.onconnection(handle);
      }
      return;
    }
    if (!this.reading) {
      this.#isMissed = true;  // paused meanwhile
      return;
    }
    if (value <= 0) {
      natives.netTake(this.#number, nothing);
      this.onread(undefined, value);
      return;
    }
    if (this.consumer?.isReady()) {
      natives.netTake(this.#number, memory);
      this.bytesRead += value;
      this.consumer.take(memory, value);
      return;
    }
    const bytes = shelf.Buffer.allocUnsafeSlow(value);
    natives.netTake(this.#number, bytes);
    this.bytesRead += value;
    this.onread(bytes, 0);
  }
  get fd() { return this.#number < 0 || this.isClosed ? -1 : this.#number; }
  connect(path, bytes, port, name, done) {
    if (this.#number < 0) return this.#number;
    return natives.netConnect(this.#number, shelf.expect((status, text) => done(status, text)), path, bytes, port, name);
  }
  listen(path, bytes, port, backlog) {
    if (this.#number < 0) return this.#number;
    return natives.netListen(this.#number, path, bytes, port, backlog);
  }
  readStart() {
    this.reading = true;
    const isMissed = this.#isMissed;
    this.#isMissed = false;
    return natives.netRead(this.#number, true, isMissed);
  }
  readStop() {
    this.reading = false;
    return natives.netRead(this.#number, false, false);
  }
  // done(status) is called later where it returns 1; below 0 is an error.
  write(data, isLatin1, done) {
    const id = shelf.reserve();
    const taken = natives.netWrite(this.#number, id, data, isLatin1);
    if (taken < 0) return taken;
    const waits = taken >= keptFor;
    if (waits) shelf.expectAs(id, done);
    this.bytesWritten += waits ? taken - keptFor : taken;
    return waits ? 1 : 0;
  }
  get writeQueueSize() { return natives.netUnsent(this.#number); }
  shutdown(done) {
    const id = shelf.expect(done);
    const status = natives.netFinish(this.#number, id);
    if (status !== 0) shelf.forget(id);
    return status;
  }
  close(done, isReset = false) {
    if (this.isClosed) return;
    this.isClosed = true;
    shelf.forget(this.#events);
    natives.netClose(this.#number, shelf.expect(() => done?.()), isReset);
  }
  reset(done) { this.close(done, true); return 0; }
  getAsyncId() { return 0; }
  #address(ofPeer) {
    const text = this.isClosed ? undefined : natives.netAddress(this.#number, ofPeer);
    if (text === undefined) return undefined;
    if (this.isPipe) return text;
    const [shown, port] = text.split(' ');
    // An address of IPv4 within IPv6 has dots.
    const address = shown.replace(/^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/, (all, high, low) => `::ffff:${[parseInt(high, 16) >> 8, parseInt(high, 16) & 255, parseInt(low, 16) >> 8, parseInt(low, 16) & 255].join('.')}`);
    return { address, family: address.includes(':') ? 'IPv6' : 'IPv4', port: Number(port) };
  }
  peer() { return this.#address(true); }
  local() { return this.#address(false); }
  set(name, value) { return natives.netOption(this.#number, options[name], value); }
  #isReferenced = true;
  ref() { this.#isReferenced = true; natives.netRefer(this.#number, true); }
  unref() { this.#isReferenced = false; natives.netRefer(this.#number, false); }
  hasRef() { return this.#isReferenced; }
}
shelf.netHandle = { Handle, endOfStream };
