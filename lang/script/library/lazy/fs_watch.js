// SPDX-License-Identifier: Apache-2.0
// fs.watch and fs.promises.watch.
'use strict';
const { base, builtins } = shelf;
const { natives } = base;
const { callbackOf, optionsOf, pathOf, systemError } = shelf.fsCalls;

class FSWatcher extends builtins.events {
  #id;
  #path;
  constructor(path, options) {
    super();
    this.#path = path;
    this.#id = shelf.expect((number, text) => this.#take(number, text), true);
    natives.watchStart(this.#id, path, Boolean(options.recursive));
  }
  #take(number, text) {
    if (text[0] === 'R' || text[0] === 'M') {
      if (this.#id !== 0) this.emit('change', text[0] === 'R' ? 'rename' : 'change', text.slice(1));
    } else if (text[0] !== 'W' && this.#id !== 0) {
      const id = this.#id;
      this.#id = 0;
      shelf.forget(id);
      if (number < 0) this.emit('error', text[0] === 'D' ? base.denied(text.slice(1), 'fs', this.#path) : Object.assign(systemError(number, 'watch', this.#path), { filename: this.#path }));
      else this.emit('close');
    }
  }
  close() {
    if (this.#id === 0) return;
    const id = this.#id;
    this.#id = 0;
    shelf.forget(id);
    natives.watchStop(id);
    shelf.nextTick(() => this.emit('close'));
  }
  ref() { return this; }
  unref() { return this; }
}
function watch(path, given, listener) {
  const options = optionsOf(typeof given === 'function' ? undefined : given, { recursive: false });
  const heard = typeof given === 'function' ? given : listener;
  const watcher = new FSWatcher(pathOf(path, 'filename'), options);
  if (heard !== undefined) watcher.on('change', callbackOf(heard));
  if (options.signal !== undefined) {
    if (options.signal.aborted) shelf.nextTick(() => watcher.close());
    else options.signal.addEventListener('abort', () => watcher.close(), { once: true });
  }
  return watcher;
}
async function* watched(path, options = {}) {
  const { signal } = options;
  if (signal?.aborted) throw shelf.abortError(signal);
  const watcher = watch(path, { ...options, signal: undefined });
  const waiting = [];
  let wake = () => {};
  let failure;
  watcher.on('change', (eventType, filename) => { waiting.push({ eventType, filename }); wake(); });
  watcher.on('error', (error) => { failure = error; wake(); });
  const onAbort = () => { failure = shelf.abortError(signal); wake(); };
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      while (waiting.length > 0) yield waiting.shift();
      if (failure !== undefined) throw failure;
      await new Promise((resolve) => { wake = resolve; });
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    watcher.close();
  }
}
Object.assign(builtins.fs, { watch, FSWatcher });
shelf.fsWatched = watched;
