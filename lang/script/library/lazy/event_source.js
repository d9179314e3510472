// SPDX-License-Identifier: Apache-2.0
// EventSource: events that a server sends over a connection that stays open, on fetch; it connects again
// after the time that the server names, and says which event it had last.
'use strict';
shelf.load('web_fetch');
shelf.load('message_event');
const { base, globals } = shelf;
const { URL, EventTarget, Event, DOMException } = globals;

const [connecting, open, closed] = [0, 1, 2];
// Of one line, and of the data of one event; a stream that goes beyond it is an error.
const limit = 1 << 24;

// Text in, events out: { type, data, lastEventId } by `tell`, ids by `keep`, the time to wait by `retry`.
class Parser {
  #rest = '';
  #isFirst = true;
  #hadReturn = false;
  #data = '';
  #type = '';
  id = '';
  constructor(tell, keep, retry) { Object.assign(this, { tell, keep, retry }); }
  take(text) {
    let input = text;
    if (this.#isFirst && input !== '') {
      this.#isFirst = false;
      if (input[0] === '\ufeff') input = input.slice(1);
    }
    if (this.#hadReturn && input[0] === '\n') input = input.slice(1);
    if (input === '') return;
    this.#hadReturn = input.endsWith('\r');
    const lines = (this.#rest + input).split(/\r\n|\n|\r/);
    this.#rest = lines.pop();
    for (const line of lines) this.#line(line);
    if (this.#rest.length > limit || this.#data.length > limit) throw new RangeError(`an event is longer than the limit of ${limit} characters`);
  }
  #line(line) {
    if (line === '') {
      this.#dispatch();
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') this.#data += `${value}\n`;
    else if (name === 'event') this.#type = value;
    else if (name === 'id' && !value.includes('\0')) this.id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) this.retry(Number(value));
  }
  #dispatch() {
    const [data, type] = [this.#data, this.#type];
    this.#data = '';
    this.#type = '';
    this.keep(this.id);  // also of an event without data
    if (data !== '') this.tell({ type: type || 'message', data: data.slice(0, -1), lastEventId: this.id });
  }
}

class EventSource extends EventTarget {
  static CONNECTING = connecting;
  static OPEN = open;
  static CLOSED = closed;
  #url;
  #state = connecting;
  #withCredentials;
  #wait = 3000;
  #lastId = '';
  #stop;
  #timer;
  #handlers = { __proto__: null };
  constructor(url, init = {}) {
    if (arguments.length === 0) throw new TypeError("Failed to construct 'EventSource': 1 argument required, but only 0 present.");
    super();
    try { this.#url = new URL(`${url}`).href; } catch { throw new DOMException(`Cannot open an EventSource to '${url}'. The URL is invalid.`, 'SyntaxError'); }
    this.#withCredentials = Boolean(init?.withCredentials);
    this.#connect();
  }
  get url() { return this.#url; }
  get readyState() { return this.#state; }
  get withCredentials() { return this.#withCredentials; }
  close() {
    this.#state = closed;
    shelf.clearTimeout(this.#timer);
    this.#stop?.abort();
  }
  #on(type) { return this.#handlers[type]?.handler ?? null; }
  #setOn(type, handler) {
    const old = this.#handlers[type];
    if (old !== undefined) this.removeEventListener(type, old.listener);
    this.#handlers[type] = undefined;
    if (typeof handler !== 'function') return;
    const listener = (event) => base.apply(handler, this, [event]);
    this.#handlers[type] = { handler, listener };
    this.addEventListener(type, listener);
  }
  get onopen() { return this.#on('open'); }
  set onopen(handler) { this.#setOn('open', handler); }
  get onmessage() { return this.#on('message'); }
  set onmessage(handler) { this.#setOn('message', handler); }
  get onerror() { return this.#on('error'); }
  set onerror(handler) { this.#setOn('error', handler); }

  async #connect() {
    this.#stop = new AbortController();
    const headers = { accept: 'text/event-stream', 'cache-control': 'no-cache' };
    if (this.#lastId !== '') headers['last-event-id'] = this.#lastId;
    let response;
    try {
      response = await globals.fetch(this.#url, { headers, signal: this.#stop.signal });
    } catch {
      this.#again();
      return;
    }
    if (this.#state === closed) return;
    const type = (response.headers.get('content-type') ?? '').split(';')[0].trim().toLowerCase();
    if (response.status !== 200 || type !== 'text/event-stream') {
      this.#fail();
      return;
    }
    this.#state = open;
    this.dispatchEvent(new Event('open'));
    try {
      await this.#read(response);
    } catch { /* It connects again. */ }
    this.#again();
  }
  async #read(response) {
    const { origin } = new URL(response.url || this.#url);
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    const parser = new Parser(({ type, data, lastEventId }) => {
      if (this.#state === closed) return;
      this.dispatchEvent(new globals.MessageEvent(type, { data, origin, lastEventId }));
    }, (id) => { this.#lastId = id; }, (time) => { this.#wait = time; });
    parser.id = this.#lastId;
    for await (const part of response.body) {
      if (this.#state === closed) return;
      parser.take(decoder.decode(part, { stream: true }));
    }
  }
  #again() {
    if (this.#state === closed) return;
    this.#state = connecting;
    this.dispatchEvent(new Event('error'));
    if (this.#state !== closed) this.#timer = shelf.setTimeout(() => this.#connect(), this.#wait);
  }
  #fail() {
    this.close();
    this.dispatchEvent(new Event('error'));
  }
}
for (const [name, value] of [['CONNECTING', connecting], ['OPEN', open], ['CLOSED', closed]]) {
  for (const owner of [EventSource, EventSource.prototype]) Object.defineProperty(owner, name, { value, enumerable: true, configurable: false, writable: false });
}
Object.defineProperty(EventSource.prototype, Symbol.toStringTag, { value: 'EventSource', configurable: true });
globals.EventSource = EventSource;
