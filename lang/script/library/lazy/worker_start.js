// SPDX-License-Identifier: Apache-2.0
// The start of a worker: its process, the messages that its parent has sent with it, and the way of
// its errors.
'use strict';
shelf.load('message_ports');
const { base, process: self, workerSetup: setup, messages } = shelf;
const { natives, coded } = base;

const boot = shelf.takeMessage(setup.boot).value;
natives.portClose(setup.boot);
shelf.environmentData = boot.environmentData;
shelf.workerData = boot.workerData;
shelf.parentPort = shelf.makePort(setup.port);

// ---- process ----

const unsupported = (name) => ({ [name]() { throw coded(TypeError, 'ERR_WORKER_UNSUPPORTED_OPERATION', `process.${name}() is not supported in workers`); } }[name]);
for (const name of ['abort', 'chdir']) self[name] = unsupported(name);
const { umask } = self;
self.umask = (mask) => { if (mask !== undefined) throw coded(TypeError, 'ERR_WORKER_UNSUPPORTED_OPERATION', 'Setting process.umask() is not supported in workers'); return umask(); };
self.execArgv = setup.execArgv;
if (setup.isText) self.argv.splice(1, 0, '[worker eval]');
// Its standard input: what the parent writes to worker.stdin; without that it is at its end.
Object.defineProperty(self, 'stdin', {
  configurable: true, enumerable: true,
  get() {
    const { Readable } = shelf.builtins.stream;
    const stdin = new Readable({ read() {} });
    stdin.fd = 0;
    if (setup.stdin === undefined) stdin.push(null);
    else {
      const port = shelf.makePort(setup.stdin);
      port.on('message', (chunk) => {
        stdin.push(chunk === null ? null : shelf.Buffer.from(chunk));
        if (chunk === null) port.close();
      });
      port.unref();
      stdin.on('newListener', (type) => { if (type === 'data' || type === 'readable') port.ref(); });
      stdin.on('end', () => port.unref());
    }
    Object.defineProperty(self, 'stdin', { value: stdin, configurable: true, enumerable: true });
    return stdin;
  },
});

// ---- Errors ----

// All that an error has, also what its prototypes have, without what cannot be cloned.
function propertiesOf(error) {
  const found = [];
  for (let object = error; object !== null && object !== Object.prototype; object = Object.getPrototypeOf(object)) {
    for (const name of Object.getOwnPropertyNames(object)) {
      if (name === 'constructor' || found.some((one) => one.name === name)) continue;
      try {
        const value = error[name];
        if (typeof value === 'function') continue;
        messages.encode(value);
        found.push({ name, value, isEnumerable: Object.getOwnPropertyDescriptor(object, name).enumerable });
      } catch { /* Left out. */ }
    }
  }
  return found;
}
const types = ['Error', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError'];
function described(error) {
  if (error !== null && typeof error === 'object' && base.objectToString(error) === '[object Error]') {
    for (let object = Object.getPrototypeOf(error); object !== null; object = Object.getPrototypeOf(object)) {
      const name = base.hasOwn(object, 'constructor') ? object.constructor?.name : undefined;
      if (types.includes(name)) return { type: name, properties: propertiesOf(error) };
    }
  }
  return { value: error };
}
shelf.tellFailure = (error) => {
  let message;
  try { message = messages.encode(described(error)); } catch {
    message = messages.encode({ value: shelf.inspect(error) });
  }
  natives.portPost(setup.control, message.text, message.bytes, '');
};
natives.workerOnline();
