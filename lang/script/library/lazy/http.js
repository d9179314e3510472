// SPDX-License-Identifier: Apache-2.0
// node:http: what the module has.
'use strict';
for (const file of ['http_parser', 'http_incoming', 'http_fields', 'http_outgoing', 'http_response', 'http_server', 'http_agent', 'http_client']) shelf.load(file);
const { builtins } = shelf;
const { methods, statusCodes, checkName, checkValue, limits } = shelf.httpParser;
const { state } = shelf.httpAgent;
const { ClientRequest } = shelf.httpClient;
const { Server, onConnection } = shelf.httpServer;

function request(url, options, callback) { return new ClientRequest(url, options, callback); }
function get(url, options, callback) {
  const made = request(url, options, callback);
  made.end();
  return made;
}
function createServer(options, listener) { return new Server(options, listener); }
builtins.http = {
  _connectionListener: onConnection, METHODS: methods, STATUS_CODES: statusCodes, Agent: shelf.httpAgent.Agent, ClientRequest,
  IncomingMessage: shelf.httpIncoming.IncomingMessage, OutgoingMessage: shelf.httpOutgoing.OutgoingMessage, Server,
  ServerResponse: shelf.httpResponse.ServerResponse, createServer,
  validateHeaderName: (name, label) => checkName(name, label), validateHeaderValue: checkValue, get, request,
  setMaxIdleHTTPParsers(max) {
    shelf.base.checks.isNumber(max, 'max');
    if (max < 1) throw shelf.base.outOfRange('max', '>= 1', max);
  },
};
Object.defineProperty(builtins.http, 'maxHeaderSize', { configurable: true, enumerable: true, get() { return limits.maxHeaderSize; } });
Object.defineProperty(builtins.http, 'globalAgent', { configurable: true, enumerable: true, get() { return state.globalAgent; }, set(agent) { state.globalAgent = agent; } });
