// SPDX-License-Identifier: Apache-2.0
// MessageEvent.
'use strict';
const { base } = shelf;
const { Event } = shelf.eventGlobals;
const states = new base.SafeWeakMap();
const stateOf = (event) => {
  const state = states.get(event);
  if (state === undefined) throw base.coded(TypeError, 'ERR_INVALID_THIS', 'Value of "this" must be of type MessageEvent');
  return state;
};
class MessageEvent extends Event {
  constructor(type, { data = null, origin = '', lastEventId = '', source = null, ports = [], ...options } = {}) {
    super(type, options);
    if (source !== null && !shelf.isPort?.(source)) throw base.argumentType('init.source', 'MessagePort', source);
    states.set(this, { data, origin: `${origin}`, lastEventId: `${lastEventId}`, source, ports: Object.freeze([...ports]) });
  }
  get data() { return stateOf(this).data; }
  get origin() { return stateOf(this).origin; }
  get lastEventId() { return stateOf(this).lastEventId; }
  get source() { return stateOf(this).source; }
  get ports() { return stateOf(this).ports; }
  initMessageEvent(type, bubbles, cancelable, data = null, origin = '', lastEventId = '', source = null, ports = []) {
    this.initEvent(type, bubbles, cancelable);
    states.set(this, { data, origin: `${origin}`, lastEventId: `${lastEventId}`, source, ports: Object.freeze([...ports]) });
  }
}
for (const name of ['data', 'origin', 'lastEventId', 'source', 'ports']) Object.defineProperty(MessageEvent.prototype, name, { enumerable: true });
Object.defineProperty(MessageEvent.prototype, Symbol.toStringTag, { value: 'MessageEvent', configurable: true });
shelf.globals.MessageEvent = MessageEvent;
