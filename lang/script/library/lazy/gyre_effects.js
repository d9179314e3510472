// SPDX-License-Identifier: Apache-2.0
// gyre:effects: runs functions of WebAssembly modules that perform effects; functions of the script
// answer them.
'use strict';
shelf.load('json_values');
const { base, builtins } = shelf;
const { natives, checks } = base;
const { encoded, decoded } = shelf.jsonValues;
const { resolve } = builtins.path;

// ---- Answers ----

class End { constructor(value) { this.value = value; } }
// Ends the run with the value: the module does not go on.
const end = (value) => new End(value);

// { 'com.example.async': { await(n) {} } }, or { 'com.example.async::await'(n) {} }
function tableOf(handlers) {
  const table = new base.SafeMap();
  checks.isObject(handlers, 'handlers');
  for (const key of Object.keys(handlers)) {
    const value = handlers[key];
    if (typeof value === 'function') { table.set(key, (...given) => value(...given)); continue; }
    checks.isObject(value, `handlers[${base.JSON.stringify(key)}]`);
    for (const op of Object.keys(value)) {
      checks.isFunction(value[op], `handlers[${base.JSON.stringify(key)}].${op}`);
      table.set(`${key}::${op}`, (...given) => value[op](...given));
    }
  }
  return table;
}
// By the number of the module, which a request names.
const active = new base.SafeMap();
const messageOf = (error) => (base.engine.kind(error) === 'Error' ? `${error.message}` : shelf.inspect(error));
function reply(request, value) {
  try {
    if (value instanceof End) natives.effectsAnswer(request, 'end', encoded(value.value));
    else natives.effectsAnswer(request, 'value', encoded(value));
  } catch (error) { natives.effectsAnswer(request, 'failure', messageOf(error)); }
}
natives.effectsListen(shelf.expect((request, text) => {
  const at = text.indexOf('\n');
  const [name, given] = [text.slice(0, at), decoded(text.slice(at + 1))];
  const [, module, op] = /^(\d+) ([^]*)$/.exec(name);
  const handler = active.get(Number(module)).get(op);
  let value;
  try { value = handler(...given); } catch (error) { return natives.effectsAnswer(request, 'failure', messageOf(error)); }
  if (value === null || typeof value !== 'object' || typeof value.then !== 'function') return reply(request, value);
  return base.then(Promise.resolve(value), (result) => reply(request, result), (error) => natives.effectsAnswer(request, 'failure', messageOf(error)));
}, true));

// ---- Modules and runs ----

class EffectError extends Error {
  constructor(outcome) {
    super(outcome.message ?? outcome.reason);
    this.name = 'EffectError';
    this.code = outcome.kind === 'cancelled' ? 'ERR_EFFECT_CANCELLED' : 'ERR_EFFECT_FAILED';
    if (outcome.error !== undefined) this.kind = outcome.error;
  }
}
class Module {
  #number;
  constructor({ number, ops, functions }) {
    this.#number = number;
    this.ops = ops;
    this.functions = functions;
  }
  // The outcome: { kind: 'value', value }, { kind: 'failed', error, message } or { kind: 'cancelled', reason }.
  outcome(entry = 'main', given = [], options = {}) {
    checks.isString(entry, 'entry');
    if (!Array.isArray(given)) throw base.argumentType('arguments', 'Array', given);
    const { signal } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((settle) => {
      let stop;
      const run = natives.effectsStart(shelf.expect((_, text) => {
        signal?.removeEventListener('abort', stop);
        settle(decoded(text));
      }), this.#number, entry, encoded(given));
      stop = () => natives.effectsCancel(run, messageOf(signal.reason));
      signal?.addEventListener('abort', stop, { once: true });
    });
  }
  // The value of the function, or an EffectError.
  async run(entry, given, options) {
    const outcome = await this.outcome(entry, given, options);
    if (outcome.kind === 'value') return outcome.value;
    throw new EffectError(outcome);
  }
}
// load(path, handlers): compiles a module. Ops without a handler are answered as gyre run answers
// those of the standard library, or fail their run.
function load(path, handlers = {}) {
  checks.isString(path, 'path');
  const table = tableOf(handlers);
  const names = [];
  table.forEach((_, name) => { names[names.length] = name; });
  const made = base.JSON.parse(natives.effectsLoad(resolve(natives.directory(), path), `\n${names.join('\n')}\n`));
  active.set(made.number, table);
  return new Module(made);
}
// Of gyre run app.wasm --handlers h.js: one line of JSON, and the exit status.
async function runMain(path, exported, entry, given) {
  const { default: handlers = exported } = exported;
  const outcome = await load(path, handlers).outcome(entry, decoded(given));
  shelf.process.stdout.write(`${encoded(outcome)}\n`);
  const isLimit = /^(?:time|memory|stack)_limit$/.test(outcome.error ?? '');
  shelf.process.exitCode ??= outcome.kind === 'value' ? 0 : outcome.kind === 'cancelled' || isLimit ? 4 : 1;
}
builtins['gyre:effects'] = { load, end, EffectError, runMain };
