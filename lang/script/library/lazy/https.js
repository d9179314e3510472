// SPDX-License-Identifier: Apache-2.0
// node:https: http on tls.
'use strict';
const { base, builtins } = shelf;
const { http, tls } = builtins;
const { onConnection, initServer, methods: httpMethods } = shelf.httpServer;

function Server(given, listener) {
  if (!(this instanceof Server)) return new Server(given, listener);
  const [options, onRequest] = typeof given === 'function' ? [{}, given] : [{ ...given }, listener];
  if (!options.ALPNProtocols && !options.ALPNCallback) options.ALPNProtocols = ['http/1.1'];
  base.apply(tls.Server, this, [{ ...options, allowHalfOpen: true, noDelay: options.noDelay ?? true }]);
  initServer(this, options);
  this.on('secureConnection', onConnection);
  if (onRequest) this.on('request', onRequest);
  this.on('tlsClientError', (error, socket) => { if (!this.emit('clientError', error, socket)) socket.destroy(error); });
}
Object.setPrototypeOf(Server.prototype, tls.Server.prototype);
Object.setPrototypeOf(Server, tls.Server);
Object.assign(Server.prototype, httpMethods);

// ---- The agent ----

const nameParts = ['ca', 'cert', 'clientCertEngine', 'ciphers', 'key', 'pfx', 'rejectUnauthorized', 'servername', 'minVersion', 'maxVersion', 'secureProtocol', 'crl', 'honorCipherOrder', 'ecdhCurve', 'dhparam', 'secureOptions', 'sessionIdContext', 'sigalgs', 'privateKeyIdentifier', 'privateKeyEngine'];
function createConnection(port, host, given) {
  let options = {};
  for (const one of [given, host, port]) if (one !== null && typeof one === 'object') { options = { ...one }; break; }
  if (typeof port === 'number') options.port = port;
  if (typeof host === 'string') options.host = host;
  return tls.connect(options);
}
function Agent(options) {
  if (!(this instanceof Agent)) return new Agent(options);
  base.apply(http.Agent, this, [options]);
  this.defaultPort = 443;
  this.protocol = 'https:';
  this.maxCachedSessions = this.options.maxCachedSessions === undefined ? 100 : this.options.maxCachedSessions;
}
Object.setPrototypeOf(Agent.prototype, http.Agent.prototype);
Object.setPrototypeOf(Agent, http.Agent);
Agent.prototype.createConnection = createConnection;
Agent.prototype.getName = function getName(options = {}) {
  let name = base.apply(http.Agent.prototype.getName, this, [options]);
  for (const part of nameParts) {
    name += ':';
    if (part === 'rejectUnauthorized' ? options[part] !== undefined : part === 'servername' ? options[part] && options[part] !== options.host : options[part]) name += options[part];
  }
  return name;
};
let globalAgent = new Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 });

function request(...args) {
  let options = {};
  if (typeof args[0] === 'string') options = builtins.url.urlToHttpOptions(new shelf.globals.URL(args.shift()));
  else if (args[0] instanceof shelf.globals.URL) options = builtins.url.urlToHttpOptions(args.shift());
  if (args[0] && typeof args[0] !== 'function') Object.assign(options, args.shift());
  options._defaultAgent = globalAgent;
  return new http.ClientRequest(options, args[0]);
}
function get(...args) {
  const made = request(...args);
  made.end();
  return made;
}
function createServer(options, listener) { return new Server(options, listener); }
builtins.https = { Agent, Server, createServer, get, request };
Object.defineProperty(builtins.https, 'globalAgent', { configurable: true, enumerable: true, get: () => globalAgent, set(agent) { globalAgent = agent; } });
