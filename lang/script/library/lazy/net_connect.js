// SPDX-License-Identifier: Apache-2.0
// node:net, part 4: Socket.connect: paths, addresses, names, and names of several addresses.
'use strict';
shelf.load('net_socket');
const { base, builtins, netAddress } = shelf;
const { coded, argumentType, argumentValue, outOfRange, checks } = base;
const { isIP, bytesOf, checkPort, addressError } = netAddress;
const { Handle } = shelf.netHandle;
const { Socket, attach, kSettings, setKeepAlive, stopTimer, state } = shelf.netSocket;

const kNormalized = Symbol('normalized');
const nothing = new Uint8Array(0);
const toNumber = (value) => { const number = Number(value); return number >= 0 ? number : false; };

// [options, callback], as the arguments of connect and listen are.
function normalizeArgs(args) {
  let made;
  if (args.length === 0) made = [{}, null];
  else {
    const [first] = args;
    let options = {};
    if (typeof first === 'object' && first !== null) options = first;
    else if (typeof first === 'string' && toNumber(first) === false) options.path = first;
    else {
      options.port = first;
      if (args.length > 1 && typeof args[1] === 'string') [, options.host] = args;
    }
    const callback = args[args.length - 1];
    made = [options, typeof callback === 'function' ? callback : null];
  }
  made[kNormalized] = true;
  return made;
}

// ---- One attempt ----

function refused(text, place) {
  const error = base.denied(text.slice(1), 'net', place);
  error.stack = `Error: ${error.message}`;
  return error;
}
// to: { path } or { address, port, name, local }
function attempt(socket, to, done) {
  const handle = socket._handle;
  const place = to.path ?? to.address;
  if (to.path !== undefined && to.path.length > 107) { done(-22, undefined, handle); return; }
  const status = handle.connect(to.path ?? '', to.path === undefined ? bytesOf(to.address) : nothing, to.port ?? 0, to.name ?? '', (ended, text) => {
    done(ended, text.startsWith('P') ? refused(text, place) : undefined, handle);
  });
  if (status < 0) done(status, undefined, handle);
}
function failure(status, refusal, to) {
  return refusal ?? addressError(status, 'connect', to.path ?? to.address, to.port);
}
function afterConnect(socket, status, refusal, handle, to) {
  if (socket.destroyed || socket._handle !== handle) return;
  socket.connecting = false;
  socket._sockname = null;
  if (status !== 0) {
    socket.destroy(failure(status, refusal, to));
    return;
  }
  socket._unrefTimer();
  const { noDelay, keepAlive, keepAliveDelay } = socket[kSettings];
  if (!handle.isPipe) {
    if (noDelay) { socket[kSettings].isNoDelay = true; handle.set('noDelay', 1); }
    if (keepAlive) setKeepAlive(handle, true, keepAliveDelay);
  }
  socket.emit('connect');
  socket.emit('ready');
  if (socket.readable && !socket.isPaused()) socket.read(0);
}
function connectNow(socket, to) {
  if (!socket.connecting || socket.destroyed) return;
  if (to.path === undefined) socket.emit('connectionAttempt', to.address, to.port, isIP(to.address));
  attempt(socket, to, (status, refusal, handle) => {
    if (status !== 0 && to.path === undefined && !socket.destroyed) socket.emit('connectionAttemptFailed', to.address, to.port, isIP(to.address), failure(status, refusal, to));
    afterConnect(socket, status, refusal, handle, to);
  });
}

// ---- Several addresses, one after the other ----

function connectMultiple(socket, list, how) {
  const errors = [];
  let at = 0;
  const next = () => {
    if (!socket.connecting || socket.destroyed) return;
    if (at >= list.length) {
      socket.connecting = false;
      const error = new AggregateError(errors);
      error.code = errors[0]?.code;
      error.stack = `AggregateError [${error.code}]: ${errors.map((one) => `\n    ${one.stack}`).join('')}`;
      socket.destroy(errors.length === 1 ? errors[0] : error);
      return;
    }
    const to = { ...how, address: list[at] };
    at += 1;
    const isLast = at >= list.length;
    if (at > 1) {
      const old = socket._handle;
      const handle = new Handle();
      if (old !== null && old.isUnreferenced) handle.unref();
      attach(socket, handle);
      old?.close();
    }
    const { _handle: handle } = socket;
    socket.emit('connectionAttempt', to.address, to.port, isIP(to.address));
    let isOver = false;
    let timer;
    const finish = (status, refusal) => {
      if (isOver) return;
      isOver = true;
      shelf.clearTimeout(timer);
      if (!socket.connecting || socket.destroyed) return;
      if (status === 0) {
        afterConnect(socket, 0, undefined, handle, to);
        return;
      }
      const error = failure(status, refusal, to);
      errors.push(error);
      socket.emit('connectionAttemptFailed', to.address, to.port, isIP(to.address), error);
      next();
    };
    if (!isLast) {
      timer = shelf.setTimeout(() => {
        if (isOver) return;
        socket.emit('connectionAttemptTimeout', to.address, to.port, isIP(to.address));
        finish(-110);
      }, how.timeout);
    }
    attempt(socket, to, (status, refusal) => finish(status, refusal));
  };
  next();
}
// IPv6 and IPv4 in turn, beginning with the family of the first.
function interleaved(addresses) {
  const first = isIP(addresses[0]);
  const [same, other] = [addresses.filter((one) => isIP(one) === first), addresses.filter((one) => isIP(one) !== first)];
  const made = [];
  for (let i = 0; i < Math.max(same.length, other.length); i += 1) {
    if (i < same.length) made.push(same[i]);
    if (i < other.length) made.push(other[i]);
  }
  return made;
}

// ---- connect ----

function lookUp(socket, options, port) {
  const { host = 'localhost' } = options;
  const ownFamily = isIP(host);
  if (ownFamily) {
    shelf.nextTick(() => {
      if (socket.connecting) connectNow(socket, { address: host, port, family: ownFamily });
    });
    return;
  }
  if (options.lookup !== undefined && options.lookup !== null) checks.isFunction(options.lookup, 'options.lookup');
  const lookup = options.lookup ?? builtins.dns.lookup;
  const auto = options.autoSelectFamily ?? state.autoSelectFamily;
  const takesAll = auto && options.family !== 4 && options.family !== 6 && !options.localAddress;
  const timeout = Math.max(10, options.autoSelectFamilyAttemptTimeout ?? state.attemptTimeout);
  socket._host = host;
  // A name gives its own addresses a permission, not those that a program's own function finds.
  const name = options.lookup ? '' : host;
  lookup(host, { family: options.family, hints: options.hints || 0, ...(takesAll ? { all: true } : {}) }, (error, found, family) => {
    const list = Array.isArray(found) ? found : [{ address: found, family }];
    if (!Array.isArray(found) || error) socket.emit('lookup', error, found, family, host);
    else for (const one of list) socket.emit('lookup', null, one.address, one.family, host);
    if (!socket.connecting) return;
    if (error) {
      shelf.nextTick(() => socket.destroy(error));
      return;
    }
    const wrong = list.find((one) => !isIP(one.address));
    if (wrong !== undefined) {
      shelf.nextTick(() => socket.destroy(coded(TypeError, 'ERR_INVALID_IP_ADDRESS', `Invalid IP address: ${wrong.address}`)));
      return;
    }
    socket._unrefTimer();
    if (list.length === 1) connectNow(socket, { address: list[0].address, port, name });
    else connectMultiple(socket, interleaved(list.map((one) => one.address)), { port, name, timeout });
  });
}
function checkConnect(options) {
  const { path, host, port, localAddress, localPort } = options;
  if (path) {
    checks.isString(path, 'options.path');
    return 0;
  }
  if (localAddress && !isIP(localAddress)) throw coded(TypeError, 'ERR_INVALID_IP_ADDRESS', `Invalid IP address: ${localAddress}`);
  if (localPort) checks.isNumber(localPort, 'options.localPort');
  if (host !== undefined && host !== null && typeof host !== 'string') throw argumentType('hostname', 'string', host);
  if (typeof port === 'undefined') throw coded(TypeError, 'ERR_MISSING_ARGS', 'The "options" or "port" or "path" argument must be specified');
  if (typeof port !== 'number' && typeof port !== 'string') throw argumentType('options.port', ['number', 'string'], port);
  if (options.family !== undefined && ![0, 4, 6, 'IPv4', 'IPv6'].includes(options.family)) throw argumentValue('options.family', options.family, 'must be one of: 0, 4, 6');
  if (options.autoSelectFamily !== undefined && options.autoSelectFamily !== null) checks.isBoolean(options.autoSelectFamily, 'options.autoSelectFamily');
  if (options.autoSelectFamilyAttemptTimeout !== undefined && options.autoSelectFamilyAttemptTimeout !== null) {
    const value = options.autoSelectFamilyAttemptTimeout;
    checks.isNumber(value, 'options.autoSelectFamilyAttemptTimeout');
    if (!Number.isInteger(value)) throw outOfRange('options.autoSelectFamilyAttemptTimeout', 'an integer', value);
    if (value < 1) throw outOfRange('options.autoSelectFamilyAttemptTimeout', '>= 1 && <= 2147483647', value);
  }
  return checkPort(port);
}
Socket.prototype.connect = function connect(...args) {
  const [options, callback] = Array.isArray(args[0]) && args[0][kNormalized] ? args[0] : normalizeArgs(args);
  if (options.onread) throw argumentValue('options.onread', options.onread, 'is not there: read from the stream');
  const port = checkConnect(options);
  if (this.write !== Socket.prototype.write) this.write = Socket.prototype.write;
  if (this.destroyed) {
    this._handle = null;
    this._peername = undefined;
    this._sockname = undefined;
  }
  if (this.destroyed || this._readableState.destroyed) this._undestroy();
  if (!this._handle) {
    const handle = new Handle();
    handle.isPipe = Boolean(options.path);
    attach(this, handle);
  }
  if (callback !== null) this.once('connect', callback);
  if (options.noDelay) this[kSettings].noDelay = true;
  if (options.keepAlive) Object.assign(this[kSettings], { keepAlive: true, keepAliveDelay: ~~((options.keepAliveInitialDelay ?? 0) / 1000) });
  this._unrefTimer();
  this.connecting = true;
  if (options.path) connectNow(this, { path: options.path });
  else lookUp(this, options, port);
  return this;
};
function connect(...args) {
  const normalized = normalizeArgs(args);
  const [options] = normalized;
  const socket = new Socket(options);
  if (options.timeout) socket.setTimeout(options.timeout);
  return socket.connect(normalized);
}
shelf.netConnect = { connect, normalizeArgs, toNumber };
