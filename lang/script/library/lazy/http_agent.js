// SPDX-License-Identifier: Apache-2.0
// node:http, part 7: Agent: connections that requests share.
'use strict';
const { base, builtins } = shelf;
const { argumentValue, checks } = base;
const { net } = builtins;
const EventEmitter = builtins.events;

const kRequestOptions = Symbol('requestOptions');
const kOnKeylog = Symbol('onkeylog');

function onFreeSocketError() {
  this.destroy();
  this.emit('agentRemove');
}
function Agent(given) {
  if (!(this instanceof Agent)) return new Agent(given);
  base.apply(EventEmitter, this, []);
  this.defaultPort = 80;
  this.protocol = 'http:';
  this.options = { __proto__: null, ...given };
  if (this.options.noDelay === undefined) this.options.noDelay = true;
  // Else it would be the path of a Unix socket.
  this.options.path = null;
  this.requests = { __proto__: null };
  this.sockets = { __proto__: null };
  this.freeSockets = { __proto__: null };
  this.keepAliveMsecs = this.options.keepAliveMsecs || 1000;
  this.keepAlive = this.options.keepAlive || false;
  this.maxSockets = this.options.maxSockets || Agent.defaultMaxSockets;
  this.maxFreeSockets = this.options.maxFreeSockets || 256;
  this.scheduling = this.options.scheduling || 'lifo';
  this.maxTotalSockets = this.options.maxTotalSockets;
  this.totalSocketCount = 0;
  if (this.scheduling !== 'fifo' && this.scheduling !== 'lifo') throw argumentValue('scheduling', this.scheduling, "must be one of: 'fifo', 'lifo'");
  if (this.maxTotalSockets !== undefined) {
    checks.isNumber(this.maxTotalSockets, 'maxTotalSockets');
    if (!(this.maxTotalSockets >= 1)) throw base.outOfRange('maxTotalSockets', '>= 1', this.maxTotalSockets);
  } else this.maxTotalSockets = Infinity;
  this.on('free', (socket, options) => onFree(this, socket, options));
}
Object.setPrototypeOf(Agent.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Agent, EventEmitter);
Agent.defaultMaxSockets = Infinity;

function onFree(agent, socket, options) {
  const name = agent.getName(options);
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const waiting = agent.requests[name];
  if (waiting?.length) {
    const request = waiting.shift();
    setRequestSocket(agent, request, socket);
    if (waiting.length === 0) delete agent.requests[name];
    return;
  }
  const request = socket._httpMessage;
  if (!request || !request.shouldKeepAlive || !agent.keepAlive) {
    socket.destroy();
    return;
  }
  const free = agent.freeSockets[name] || [];
  const count = free.length + (agent.sockets[name]?.length ?? 0);
  if (agent.totalSocketCount > agent.maxTotalSockets || count > agent.maxSockets || free.length >= agent.maxFreeSockets || !agent.keepSocketAlive(socket)) {
    socket.destroy();
    return;
  }
  agent.freeSockets[name] = free;
  socket._httpMessage = null;
  agent.removeSocket(socket, options);
  socket.once('error', onFreeSocketError);
  free.push(socket);
}
function setRequestSocket(agent, request, socket) {
  request.onSocket(socket);
  const ofAgent = agent.options.timeout || 0;
  if (request.timeout === undefined || request.timeout === ofAgent) return;
  socket.setTimeout(request.timeout);
}
function watch(agent, socket, options) {
  const onSocketFree = () => agent.emit('free', socket, options);
  const onClose = () => {
    agent.totalSocketCount -= 1;
    agent.removeSocket(socket, options);
  };
  const onTimeout = () => {
    for (const name of Object.keys(agent.freeSockets)) if (agent.freeSockets[name].includes(socket)) { socket.destroy(); return; }
  };
  const onRemove = () => {
    agent.totalSocketCount -= 1;
    agent.removeSocket(socket, options);
    for (const [event, listener] of listeners) socket.removeListener(event, listener);
  };
  const listeners = [['free', onSocketFree], ['close', onClose], ['timeout', onTimeout], ['agentRemove', onRemove]];
  for (const [event, listener] of listeners) socket.on(event, listener);
}
function normalizeServerName(options, request) {
  if (options.servername || options.servername === '') return;
  options.servername = options.host;
  const host = request?.getHeader('host');
  if (!host) return;
  if (typeof host !== 'string') throw base.argumentType('options.headers.host', 'string', host);
  if (host.startsWith('[')) options.servername = host.includes(']') ? host.slice(1, host.indexOf(']')) : host;
  else [options.servername] = host.split(':', 1);
  if (net.isIP(options.servername)) options.servername = '';
}
Object.assign(Agent.prototype, {
  createConnection: net.createConnection,
  getName(options = {}) {
    let name = `${options.host || 'localhost'}:${options.port || ''}:${options.localAddress || ''}`;
    if (options.family === 4 || options.family === 6) name += `:${options.family}`;
    if (options.socketPath) name += `:${options.socketPath}`;
    return name;
  },
  addRequest(request, given, port, localAddress) {
    let options = given;
    if (typeof options === 'string') options = { __proto__: null, host: options, port, localAddress };
    options = { __proto__: null, ...options, ...this.options };
    if (options.socketPath) options.path = options.socketPath;
    normalizeServerName(options, request);
    const name = this.getName(options);
    this.sockets[name] ||= [];
    const free = this.freeSockets[name];
    let socket;
    if (free) {
      while (free.length && free[0].destroyed) free.shift();
      socket = this.scheduling === 'fifo' ? free.shift() : free.pop();
      if (!free.length) delete this.freeSockets[name];
    }
    const count = (free?.length ?? 0) + this.sockets[name].length;
    if (socket) {
      this.reuseSocket(socket, request);
      setRequestSocket(this, request, socket);
      this.sockets[name].push(socket);
    } else if (count < this.maxSockets && this.totalSocketCount < this.maxTotalSockets) {
      this.createSocket(request, options, (error, made) => {
        if (error) request.onSocket(made, error);
        else setRequestSocket(this, request, made);
      });
    } else {
      request[kRequestOptions] = options;
      (this.requests[name] ||= []).push(request);
    }
  },
  createSocket(request, given, callback) {
    const options = { __proto__: null, ...given, ...this.options };
    if (options.socketPath) options.path = options.socketPath;
    normalizeServerName(options, request);
    const name = this.getName(options);
    options._agentKey = name;
    options.encoding = null;
    let isDone = false;
    const done = (error, socket) => {
      if (isDone) return;
      isDone = true;
      if (error) { callback(error); return; }
      (this.sockets[name] ||= []).push(socket);
      this.totalSocketCount += 1;
      watch(this, socket, options);
      callback(null, socket);
    };
    if (this.keepAlive) {
      options.keepAlive = this.keepAlive;
      options.keepAliveInitialDelay = this.keepAliveMsecs;
    }
    const made = this.createConnection(options, done);
    if (made) done(null, made);
  },
  removeSocket(socket, given) {
    let options = given;
    const name = this.getName(options);
    const sets = [this.sockets];
    if (!socket.writable) sets.push(this.freeSockets);
    for (const set of sets) {
      const at = set[name]?.indexOf(socket) ?? -1;
      if (at === -1) continue;
      set[name].splice(at, 1);
      if (set[name].length === 0) delete set[name];
    }
    let request = this.requests[name]?.[0];
    if (request === undefined) {
      for (const key of Object.keys(this.requests)) {
        if (this.sockets[key]?.length) break;
        [request] = this.requests[key];
        options = request[kRequestOptions];
        break;
      }
    }
    if (!request || !options) return;
    request[kRequestOptions] = undefined;
    this.createSocket(request, options, (error, made) => {
      if (error) request.onSocket(null, error);
      else made.emit('free');
    });
  },
  keepSocketAlive(socket) {
    socket.setKeepAlive(true, this.keepAliveMsecs);
    socket.unref();
    let timeout = this.options.timeout || 0;
    const hint = /^timeout=(\d+)/.exec(socket._httpMessage?.res?.headers['keep-alive'] ?? '')?.[1];
    if (hint) {
      // Before the server closes it.
      const ofServer = Math.max(0, Number(hint) * 1000 - 1000);
      if (ofServer === 0) return false;
      if (ofServer < timeout || timeout === 0) timeout = ofServer;
    }
    if (socket.timeout !== timeout) socket.setTimeout(timeout);
    return true;
  },
  reuseSocket(socket, request) {
    request.reusedSocket = true;
    socket.removeListener('error', onFreeSocketError);
    socket.ref();
  },
  destroy() {
    for (const set of [this.freeSockets, this.sockets]) for (const name of Object.keys(set)) for (const socket of [...set[name]]) socket.destroy();
  },
});
const state = { globalAgent: new Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 }) };
shelf.httpAgent = { Agent, state, onFreeSocketError, kOnKeylog };
