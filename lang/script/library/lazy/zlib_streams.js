// SPDX-License-Identifier: Apache-2.0
// The streams of node:zlib. Each step of a compressor is a job of its own, as in Node, where it is
// one of the pool; a step that filled its room waits until the reader wants more.
'use strict';
const { base, streams, Buffer } = shelf;
const { coded, outOfRange } = base;
const { coderOf, settingsOf, constants, modes } = shelf.zlibParts;

class ZlibBase extends streams.Transform {
  constructor(options, mode) {
    const settings = settingsOf(options, mode);
    super({ autoDestroy: true, ...options });
    Object.defineProperty(this, 'coder', { value: coderOf(mode, settings), enumerable: false });
    this.bytesWritten = 0;
    this._level = settings.level;
    this._strategy = settings.strategy;
    this._chunkSize = settings.chunkSize;
    this._flushes = [];
  }
  _transform(chunk, encoding, callback) {
    const { settings } = this.coder;
    // The last chunk is written with the flag that ends the data.
    const isLast = this.writableEnded && this.writableLength === chunk.byteLength;
    this.#step(Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk), isLast ? settings.finishFlush : settings.flush, callback);
    if (isLast) this.isFinished = true;
  }
  _flush(callback) {
    if (this.isFinished || this.coder.isOver) callback();
    else this.#step(Buffer.alloc(0), this.coder.settings.finishFlush, callback);
  }
  _final(callback) { callback(); }
  #step(input, flush, callback) {
    const { coder } = this;
    coder.input = input;
    const before = input.length;
    const run = () => {
      if (this.destroyed || coder.number === undefined) return;
      const output = Buffer.alloc(this._chunkSize);
      let room;
      try { room = coder.run(flush, output); } catch (error) {
        this.bytesWritten += before - coder.input.length;
        this.destroy(error);
        return;
      }
      const used = output.length - room;
      const wantsMore = used === 0 || this.push(output.subarray(0, used));
      if (this.destroyed) return;
      if (room !== 0 || coder.isOver) {
        this.bytesWritten += before - coder.input.length;
        // What stands behind the end of the data is ignored, as in Node.
        if (coder.isOver && (coder.mode === 2 || coder.mode === 4 || coder.mode === 6 || coder.mode === 7) && coder.input.length > 0) this.push(null);
        callback();
        return;
      }
      if (wantsMore) shelf.setImmediate(run);
      else this.waiting = run;
    };
    shelf.setImmediate(run);
  }
  _read(size) {
    if (this.waiting) {
      const run = this.waiting;
      this.waiting = undefined;
      shelf.setImmediate(run);
      return;
    }
    super._read(size);
  }
  flush(kind, callback) {
    const [flag, then] = typeof kind === 'function' || (kind === undefined && !callback) ? [constants.Z_FULL_FLUSH, kind] : [kind, callback];
    if (this.writableFinished) {
      if (then) shelf.nextTick(then);
      return;
    }
    if (this.writableEnded) {
      if (then) this.once('end', then);
      return;
    }
    const marker = Buffer.alloc(0);
    const { settings } = this.coder;
    const before = settings.flush;
    // An empty chunk in the order of the others, with a flag of its own.
    this._flushes.push([marker, flag]);
    this.write(marker, '', (...given) => { settings.flush = before; then?.(...given); });
  }
  params(level, strategy, callback) {
    if (!(level >= -1 && level <= 9)) throw outOfRange('level', '>= -1 and <= 9', level);
    if (!(strategy >= 0 && strategy <= 4)) throw outOfRange('strategy', '>= 0 and <= 4', strategy);
    this.flush(constants.Z_SYNC_FLUSH, () => {
      if (this.coder.number !== undefined) shelf.base.natives.zlibParameters(this.coder.number, level, strategy);
      [this._level, this._strategy] = [level, strategy];
      callback?.();
    });
  }
  reset() {
    if (this.coder.number === undefined) throw coded(Error, 'ERR_INTERNAL_ASSERTION', 'zlib binding closed');
    base.natives.zlibReset(this.coder.number);
  }
  close(callback) {
    if (callback) streams.finished(this, callback);
    this.destroy();
  }
  _destroy(error, callback) {
    this.coder.close();
    callback(error);
  }
}
const original = ZlibBase.prototype._transform;
ZlibBase.prototype._transform = function _transform(chunk, encoding, callback) {
  if (this._flushes.length > 0 && chunk === this._flushes[0][0]) this.coder.settings.flush = this._flushes.shift()[1];
  return base.apply(original, this, [chunk, encoding, callback]);
};
// Called with and without `new`, as the classes of Node.
const classes = {};
modes.forEach((name, i) => {
  const Made = { [name]: class extends ZlibBase { constructor(options) { super(options, i + 1); } } }[name];
  classes[name] = new Proxy(Made, { apply: (target, self, [options]) => new Made(options) });
  Made.prototype.constructor = classes[name];
});
shelf.zlibParts.classes = classes;
