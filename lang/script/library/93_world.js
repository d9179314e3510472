// SPDX-License-Identifier: Apache-2.0
// Modules that are there where the host has the natives for them (lang/script/world, lang/script/http).
'use strict';
const { base, builtins, lazily } = shelf;
const { natives } = base;

lazily(builtins, 'gyre:sim', 'gyre_sim');
if (natives.serveStart !== undefined) lazily(builtins, 'gyre:http', 'gyre_http');
if (natives.dbOpen !== undefined) lazily(builtins, 'gyre:db', 'gyre_db');
if (natives.actorSpawn !== undefined) lazily(builtins, 'gyre:actors', 'gyre_actors');
if (natives.effectsLoad !== undefined) lazily(builtins, 'gyre:effects', 'gyre_effects');
if (natives.loopStats !== undefined) lazily(builtins, 'gyre:loop', 'gyre_loop');
if (natives.portPair !== undefined) lazily(builtins, 'worker_threads', 'worker_threads');
if (natives.nameFind !== undefined) for (const name of ['dns', 'dns/promises']) lazily(builtins, name, 'dns');
// Its pipes are streams of Node.
if (natives.childStart !== undefined && 'stream' in builtins) lazily(builtins, 'child_process', 'child_process');
if (natives.netOpen !== undefined && 'stream' in builtins) {
  lazily(builtins, 'net', 'net');
  lazily(builtins, 'tls', 'tls');
  if (natives.parserOpen !== undefined) for (const name of ['http', 'https', 'http2']) lazily(builtins, name, name);
  // Its handshake needs a hash.
  if (natives.parserOpen !== undefined && natives.cryptoEngine() !== '') shelf.defineLazily('web_socket', ['WebSocket', 'CloseEvent'], false);
}
const { Module } = shelf.moduleParts;
Module.builtinModules = Object.keys(builtins).filter((name) => !name.startsWith('gyre:') && Module.isBuiltin(name));
