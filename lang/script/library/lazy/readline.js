// SPDX-License-Identifier: Apache-2.0
// node:readline and readline/promises: lines of a stream. Lines of a terminal are edited by the
// terminal itself: there are no keys and no history here.
'use strict';
const { base, builtins, nextTick } = shelf;
const { coded, argumentType } = base;
shelf.load('stream');
const EventEmitter = builtins.events;

const closed = () => coded(Error, 'ERR_USE_AFTER_CLOSE', 'readline was closed');
const lineEnd = /\r\n|\n|\r(?!\n)/g;
class Interface extends EventEmitter {
  constructor(input, output, completer, terminal) {
    super();
    const options = input?.input === undefined ? { input, output, completer, terminal } : input;
    if (options.completer !== undefined && typeof options.completer !== 'function') throw base.argumentValue('completer', options.completer);
    const { historySize, tabSize, signal } = options;
    for (const [name, value] of [['historySize', historySize]]) {
      if (value === undefined) continue;
      base.checks.isNumber(value, name);
      if (!(value >= 0)) throw base.outOfRange(name, '>= 0', value);
    }
    if (tabSize !== undefined && (!Number.isInteger(tabSize) || tabSize < 1)) throw base.outOfRange('tabSize', '>= 1', tabSize);
    Object.assign(this, { input: options.input, output: options.output ?? undefined, line: '', cursor: 0, terminal: Boolean(options.terminal), closed: false, paused: false, history: options.history ?? [] });
    const delay = Math.max(100, Number.isFinite(options.crlfDelay) ? options.crlfDelay : options.crlfDelay === Infinity ? Infinity : 100);
    const state = { prompt: options.prompt === undefined ? '> ' : `${options.prompt}`, kept: '', question: undefined, sawReturn: 0, delay, decoder: new builtins.string_decoder.StringDecoder('utf8') };
    Object.defineProperty(this, 'state', { value: state, enumerable: false });
    this.crlfDelay = delay;
    state.onData = (chunk) => this.#take(typeof chunk === 'string' ? chunk : state.decoder.write(chunk));
    state.onEnd = () => {
      const rest = state.kept + state.decoder.end();
      state.kept = '';
      if (rest !== '') this.#tell(rest);
      this.close();
    };
    state.onError = (error) => this.emit('error', error);
    this.input.on('error', state.onError);
    this.input.on('data', state.onData);
    this.input.on('end', state.onEnd);
    if (signal) {
      const abort = () => this.close();
      if (signal.aborted) nextTick(abort);
      else {
        signal.addEventListener('abort', abort, { once: true });
        this.once('close', () => signal.removeEventListener('abort', abort));
      }
    }
    this.input.resume();
  }
  #take(text) {
    const { state } = this;
    let given = text;
    // A return at the end of a part and a newline at the begin of the next one are one end of a line.
    if (state.sawReturn > 0 && given.startsWith('\n') && Date.now() - state.sawReturn <= state.delay) given = given.slice(1);
    state.sawReturn = 0;
    if (given === '') return;
    if (given.endsWith('\r')) state.sawReturn = Date.now();
    const whole = state.kept + given;
    const lines = whole.split(lineEnd);
    state.kept = lines.pop();
    for (const line of lines) this.#tell(line);
  }
  #tell(line) {
    const { state } = this;
    if (this.closed && state.question === undefined && this.listenerCount('line') === 0) return;
    if (state.question !== undefined) {
      const callback = state.question;
      state.question = undefined;
      this.setPrompt(state.before);
      callback(line);
    } else this.emit('line', line);
  }
  getPrompt() { return this.state.prompt; }
  setPrompt(prompt) { this.state.prompt = prompt; }
  prompt() {
    if (this.paused) this.resume();
    if (this.output) this.output.write(this.state.prompt);
  }
  question(query, options, callback) {
    const [chosen, then] = typeof options === 'function' ? [undefined, options] : [options, callback];
    if (this.closed) throw closed();
    const { signal } = chosen ?? {};
    if (signal) {
      shelf.checkSignal(signal, 'options.signal');
      if (signal.aborted) return;
      const abort = () => { if (this.state.question === then) this.state.question = undefined; };
      signal.addEventListener('abort', abort, { once: true });
    }
    if (typeof then !== 'function') return;
    if (this.state.question !== undefined) this.prompt();
    else {
      this.state.before = this.state.prompt;
      this.state.prompt = query;
      this.state.question = then;
      this.prompt();
    }
  }
  write(data) {
    if (this.closed) throw closed();
    if (this.paused) this.resume();
    if (data !== undefined && data !== null) this.#take(typeof data === 'string' ? data : this.state.decoder.write(data));
  }
  pause() {
    if (this.paused) return this;
    this.input.pause();
    this.paused = true;
    this.emit('pause');
    return this;
  }
  resume() {
    if (!this.paused) return this;
    this.input.resume();
    this.paused = false;
    this.emit('resume');
    return this;
  }
  close() {
    if (this.closed) return;
    this.pause();
    this.input.removeListener('data', this.state.onData);
    this.input.removeListener('end', this.state.onEnd);
    this.closed = true;
    this.emit('close');
  }
  getCursorPos() { return { cols: 0, rows: 0 }; }
  [Symbol.asyncIterator]() {
    this.lines ??= builtins.events.on(this, 'line', { close: ['close'], highWaterMark: 1024, [Symbol.for('nodejs.watermarkData')]: true });
    const { lines } = this;
    return {
      async next() {
        const { value, done } = await lines.next();
        return done ? { value: undefined, done: true } : { value: value[0], done: false };
      },
      return: (value) => { this.close(); return lines.return(value); },
      throw: (error) => lines.throw(error),
      [Symbol.asyncIterator]() { return this; },
    };
  }
}
Interface.prototype.question[builtins.util.promisify.custom] = function question(query, options) {
  const { signal } = options ?? {};
  if (signal?.aborted) return Promise.reject(new shelf.streamParts.AbortError(undefined, { cause: signal.reason }));
  return new Promise((resolve, reject) => {
    this.question(query, options, resolve);
    signal?.addEventListener('abort', () => reject(new shelf.streamParts.AbortError(undefined, { cause: signal.reason })), { once: true });
  });
};
class PromiseInterface extends Interface {
  question(query, options) {
    if (this.closed) return Promise.reject(closed());
    return base.apply(super.question[builtins.util.promisify.custom], { question: super.question.bind(this) }, [query, options]);
  }
}

// ---- Codes of a terminal ----

const sequence = (text) => (stream, callback) => {
  if (callback !== undefined) base.checks.isFunction(callback, 'callback');
  if (stream === null || stream === undefined) {
    if (callback) nextTick(callback, null);
    return true;
  }
  return stream.write(text, callback);
};
function cursorTo(stream, x, y, callback) {
  const [row, then] = typeof y === 'function' ? [undefined, y] : [y, callback];
  if (then !== undefined) base.checks.isFunction(then, 'callback');
  for (const [value, name] of [[x, 'x'], [row, 'y']]) if (Number.isNaN(value)) throw base.argumentValue(name, value);
  if (stream == null || (typeof x !== 'number' && typeof row !== 'number')) {
    if (then) nextTick(then, null);
    return true;
  }
  if (typeof x !== 'number') throw coded(TypeError, 'ERR_INVALID_CURSOR_POS', 'Cannot set cursor row without setting its column');
  return stream.write(typeof row !== 'number' ? `\u001b[${x + 1}G` : `\u001b[${row + 1};${x + 1}H`, then);
}
function moveCursor(stream, x, y, callback) {
  if (callback !== undefined) base.checks.isFunction(callback, 'callback');
  let text = '';
  if (x < 0) text += `\u001b[${-x}D`;
  else if (x > 0) text += `\u001b[${x}C`;
  if (y < 0) text += `\u001b[${-y}A`;
  else if (y > 0) text += `\u001b[${y}B`;
  if (stream == null || text === '') {
    if (callback) nextTick(callback, null);
    return true;
  }
  return stream.write(text, callback);
}
const clearLine = (stream, direction, callback) => sequence(direction < 0 ? '\u001b[1K' : direction > 0 ? '\u001b[0K' : '\u001b[2K')(stream, callback);
const readline = {
  Interface, clearLine, clearScreenDown: sequence('\u001b[0J'), createInterface: (...given) => new Interface(...given), cursorTo, moveCursor,
  emitKeypressEvents(stream) { if (stream === null || typeof stream !== 'object') throw argumentType('stream', 'Stream', stream); },
};
builtins['readline/promises'] = { Interface: PromiseInterface, createInterface: (...given) => new PromiseInterface(...given) };
readline.promises = builtins['readline/promises'];
builtins.readline = readline;
