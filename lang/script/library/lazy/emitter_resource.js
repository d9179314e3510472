// SPDX-License-Identifier: Apache-2.0
// events.EventEmitterAsyncResource: an emitter whose listeners run in the async context it was made in.
'use strict';
const { base, builtins, EventEmitter } = shelf;
const { AsyncResource } = builtins.async_hooks;

class EventEmitterReferencingAsyncResource extends AsyncResource {
  #emitter;
  constructor(emitter, type, options) { super(type, options); this.#emitter = emitter; }
  get eventEmitter() { return this.#emitter; }
}
class EventEmitterAsyncResource extends EventEmitter {
  #resource;
  constructor(options = undefined) {
    let name;
    if (typeof options === 'string') name = options;
    else {
      if (new.target === EventEmitterAsyncResource) base.checks.isString(options?.name, 'options.name');
      name = options?.name || new.target.name;
    }
    super(typeof options === 'string' ? undefined : options);
    this.#resource = new EventEmitterReferencingAsyncResource(this, name, typeof options === 'string' ? undefined : options);
  }
  emit(type, ...args) { return this.#resource.runInAsyncScope(super.emit, this, type, ...args); }
  emitDestroy() { this.#resource.emitDestroy(); }
  get asyncId() { return this.#resource.asyncId(); }
  get triggerAsyncId() { return this.#resource.triggerAsyncId(); }
  get asyncResource() { return this.#resource; }
}
EventEmitter.EventEmitterAsyncResource = EventEmitterAsyncResource;
