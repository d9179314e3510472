// SPDX-License-Identifier: Apache-2.0
// node:diagnostics_channel: named channels, and the five of them that trace an operation.
'use strict';
const { base, builtins, nextTick } = shelf;
const { argumentType, apply } = base;

const channels = new Map();
function fail(error) {
  nextTick(() => { shelf.reportUncaught(error, base.engine.placeOf(error), 'uncaughtException'); });
}
class Channel {
  constructor(name) {
    Object.defineProperty(this, '_stores', { value: new Map(), configurable: true, writable: true, enumerable: false });
    this._subscribers = undefined;
    this.name = name;
    channels.set(name, this);
  }
  subscribe(listener) {
    base.checks.isFunction(listener, 'subscription');
    this._subscribers = [...(this._subscribers ?? []), listener];
  }
  unsubscribe(listener) {
    const at = (this._subscribers ?? []).indexOf(listener);
    if (at === -1) return false;
    this._subscribers = this._subscribers.filter((one, i) => i !== at);
    return true;
  }
  bindStore(store, transform) { this._stores.set(store, transform); }
  unbindStore(store) { return this._stores.delete(store); }
  get hasSubscribers() { return (this._subscribers?.length ?? 0) > 0 || this._stores.size > 0; }
  publish(message) {
    for (const listener of this._subscribers ?? []) {
      try { listener(message, this.name); } catch (error) { fail(error); }
    }
  }
  runStores(data, callback, thisArg, ...args) {
    let run = () => {
      this.publish(data);
      return apply(callback, thisArg, args);
    };
    for (const [store, transform] of this._stores) {
      const next = run;
      run = () => {
        let context = data;
        if (transform) {
          try { context = transform(data); } catch (error) { fail(error); return next(); }
        }
        return store.run(context, next);
      };
    }
    return run();
  }
}
function channel(name) {
  const found = channels.get(name);
  if (found !== undefined) return found;
  if (typeof name !== 'string' && typeof name !== 'symbol') throw argumentType('channel', ['string', 'symbol'], name);
  return new Channel(name);
}
const subscribe = (name, listener) => channel(name).subscribe(listener);
const unsubscribe = (name, listener) => channel(name).unsubscribe(listener);
const hasSubscribers = (name) => channels.get(name)?.hasSubscribers ?? false;

const traceEvents = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];
class TracingChannel {
  constructor(given) {
    for (const name of traceEvents) {
      if (typeof given === 'string') this[name] = channel(`tracing:${given}:${name}`);
      else {
        if (given === null || typeof given !== 'object') throw argumentType('nameOrChannels', ['string', 'object', 'TracingChannel'], given);
        if (!(given[name] instanceof Channel)) throw argumentType(`nameOrChannels.${name}`, ['Channel'], given[name]);
        this[name] = given[name];
      }
    }
  }
  get hasSubscribers() { return traceEvents.some((name) => this[name].hasSubscribers); }
  subscribe(handlers) { for (const name of traceEvents) if (handlers[name]) this[name]?.subscribe(handlers[name]); }
  unsubscribe(handlers) {
    let isDone = true;
    for (const name of traceEvents) if (handlers[name] && !this[name]?.unsubscribe(handlers[name])) isDone = false;
    return isDone;
  }
  traceSync(callback, context = {}, thisArg, ...args) {
    const { start, end, error } = this;
    return start.runStores(context, () => {
      try {
        const result = apply(callback, thisArg, args);
        context.result = result;
        return result;
      } catch (thrown) {
        context.error = thrown;
        error.publish(context);
        throw thrown;
      } finally { end.publish(context); }
    });
  }
  tracePromise(callback, context = {}, thisArg, ...args) {
    const { start, end, asyncStart, asyncEnd, error } = this;
    const settled = (isFine) => (value) => {
      context[isFine ? 'result' : 'error'] = value;
      if (!isFine) error.publish(context);
      asyncStart.publish(context);
      asyncEnd.publish(context);
      if (isFine) return value;
      return Promise.reject(value);
    };
    return start.runStores(context, () => {
      try {
        let promise = apply(callback, thisArg, args);
        if (!(promise instanceof Promise)) promise = Promise.resolve(promise);
        return promise.then(settled(true), settled(false));
      } catch (thrown) {
        context.error = thrown;
        error.publish(context);
        throw thrown;
      } finally { end.publish(context); }
    });
  }
  traceCallback(callback, position = -1, context = {}, thisArg, ...args) {
    const { start, end, asyncStart, asyncEnd, error } = this;
    const given = args.at(position);
    base.checks.isFunction(given, 'callback');
    function wrapped(failure, result) {
      if (failure) {
        context.error = failure;
        error.publish(context);
      } else context.result = result;
      asyncStart.runStores(context, () => {
        try {
          if (given) return apply(given, this, arguments);
        } finally { asyncEnd.publish(context); }
        return undefined;
      });
    }
    args.splice(position, 1, wrapped);
    return start.runStores(context, () => {
      try { return apply(callback, thisArg, args); } catch (thrown) {
        context.error = thrown;
        error.publish(context);
        throw thrown;
      } finally { end.publish(context); }
    });
  }
}
builtins.diagnostics_channel = { channel, hasSubscribers, subscribe, tracingChannel: (given) => new TracingChannel(given), unsubscribe, Channel };
