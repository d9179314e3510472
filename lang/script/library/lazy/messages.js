// SPDX-License-Identifier: Apache-2.0
// Messages between scripts: a value as JSON text, with the bytes of its buffers, its ports and its
// shared memory beside it. An object is a list whose first element says what it is; one that was met
// before is ['r', its number].
'use strict';
shelf.load('structured_clone');
const { base, DOMException } = shelf;
const { engine, coded } = base;
const { kindOf, isUnclonable, refuse, errorTypes } = shelf.cloneParts;
const bytesOf = (buffer) => new Uint8Array(buffer);

function writer(transferred) {
  const seen = new base.SafeMap();
  const made = { parts: [], size: 0, ports: [], shared: [] };
  const list = (head, items) => { const all = [...head]; for (const one of items) all[all.length] = write(one); return all; };
  function number(value) {
    return Number.isFinite(value) && !Object.is(value, -0) ? value : ['n', Object.is(value, -0) ? '-0' : `${value}`];
  }
  function properties(head, value) {
    const all = head;
    for (const key of Object.keys(value)) all.push(key, write(value[key]));
    return all;
  }
  function buffer(value) {
    const at = made.size;
    try { made.parts.push(bytesOf(value).slice()); } catch { throw new DOMException('An ArrayBuffer is detached and could not be cloned.', 'DataCloneError'); }
    made.size += value.byteLength;
    return ['b', at, value.byteLength];
  }
  function object(value) {
    if (shelf.isPort?.(value) && transferred.has(value)) { made.ports.push(value); return ['p', made.ports.length - 1]; }
    const kind = kindOf(value);
    if (isUnclonable(kind, value)) return refuse(value);
    switch (kind) {
      case 'Number': case 'String': case 'Boolean': case 'BigInt': return ['o', write(value.valueOf())];
      case 'Date': return ['d', write(Date.prototype.getTime.call(value))];
      case 'RegExp': return ['e', value.source, value.flags];
      case 'ArrayBuffer': return buffer(value);
      case 'SharedArrayBuffer': made.shared.push(value); return ['s', made.shared.length - 1];
      case 'TypedArray': case 'DataView': return ['t', kind === 'DataView' ? kind : value[Symbol.toStringTag], write(value.buffer), value.byteOffset, kind === 'DataView' ? value.byteLength : value.length];
      case 'Map': return list(['m'], [...Map.prototype.entries.call(value)].flat(1));
      case 'Set': return list(['S'], [...Set.prototype.values.call(value)]);
      case 'Error': {
        const all = ['E', errorTypes[value.name] === undefined ? 'Error' : value.name];
        for (const name of ['message', 'stack', 'cause']) if (base.hasOwn(value, name) || (name === 'stack' && typeof value.stack === 'string')) all.push(name, write(value[name]));
        return all;
      }
      case 'Array': {
        const keys = Object.keys(value);
        const isDense = keys.length === value.length && (keys.length === 0 || keys[keys.length - 1] === `${keys.length - 1}`);
        return isDense ? list(['a'], value) : properties(['h', value.length], value);
      }
      default: return properties(['O'], value);
    }
  }
  function write(value) {
    switch (typeof value) {
      case 'string': case 'boolean': return value;
      case 'number': return number(value);
      case 'undefined': return ['u'];
      case 'bigint': return ['i', `${value}`];
      case 'function': case 'symbol': return refuse(value);
      default: break;
    }
    if (value === null) return null;
    const known = seen.get(value);
    if (known !== undefined) return ['r', known];
    seen.set(value, seen.size);
    return object(value);
  }
  return { made, write };
}
function checkTransfers(transfer, source) {
  const moved = new base.SafeSet();
  for (const one of transfer ?? []) {
    const isPort = shelf.isPort?.(one);
    if (!isPort && kindOf(one) !== 'ArrayBuffer') throw coded(TypeError, 'ERR_INVALID_TRANSFER_OBJECT', 'Found invalid object in transferList');
    if (moved.has(one)) throw new DOMException(`Transfer list contains duplicate ${isPort ? 'MessagePort' : 'ArrayBuffer'}`, 'DataCloneError');
    if (isPort && one === source) throw new DOMException('Transfer list contains source port', 'DataCloneError');
    if (isPort && shelf.portNumber(one) === undefined) throw new DOMException('MessagePort in transfer list is already detached', 'DataCloneError');
    if (shelf.untransferable?.has(one)) throw new DOMException('Object that is not transferable was found in transferList', 'DataCloneError');
    moved.add(one);
  }
  return moved;
}
// The transferred objects belong to the message from then on.
function encode(value, transfer, source) {
  const moved = checkTransfers(transfer, source);
  const { made, write } = writer(moved);
  const text = base.JSON.stringify(write(value));
  const bytes = new Uint8Array(made.size);
  let at = 0;
  for (const part of made.parts) { bytes.set(part, at); at += part.length; }
  moved.forEach((one) => {
    if (!shelf.isPort?.(one)) { engine.detach(one); return; }
    if (!made.ports.includes(one)) made.ports.push(one);
  });
  return { text, bytes, ports: made.ports.map((port) => shelf.givePort(port)), shared: made.shared };
}

// ---- Reading ----

function reader({ bytes, ports, shared }) {
  const seen = [];
  const put = (owner, key, value) => {
    if (key === '__proto__') Object.defineProperty(owner, key, { value, configurable: true, writable: true, enumerable: true });
    else owner[key] = value;
  };
  function fill(owner, node, first) {
    for (let i = first; i < node.length; i += 2) put(owner, node[i], read(node[i + 1]));
    return owner;
  }
  const readers = {
    o: (node, keep) => keep(Object(read(node[1]))),
    d: (node, keep) => keep(new Date(read(node[1]))),
    e: (node, keep) => keep(new RegExp(node[1], node[2])),
    b: (node, keep) => keep(bytes.slice(node[1], node[1] + node[2]).buffer),
    s: (node, keep) => keep(shared(node[1])),
    p: (node, keep) => keep(ports(node[1])),
    t(node, keep) {
      const buffer = read(node[2]);
      const Type = node[1] === 'DataView' ? DataView : globalThis[node[1]];
      return keep(new Type(buffer, node[3], node[4]));
    },
    m(node, keep) {
      const made = keep(new Map());
      for (let i = 1; i < node.length; i += 2) { const key = read(node[i]); made.set(key, read(node[i + 1])); }
      return made;
    },
    S(node, keep) {
      const made = keep(new Set());
      for (let i = 1; i < node.length; i += 1) made.add(read(node[i]));
      return made;
    },
    E(node, keep) {
      const made = keep(new errorTypes[node[1]]());
      delete made.stack;
      for (let i = 2; i < node.length; i += 2) Object.defineProperty(made, node[i], { value: read(node[i + 1]), configurable: true, writable: true, enumerable: false });
      return made;
    },
    a(node, keep) {
      const made = keep(new Array(node.length - 1));
      for (let i = 1; i < node.length; i += 1) made[i - 1] = read(node[i]);
      return made;
    },
    h: (node, keep) => fill(keep(new Array(node[1])), node, 2),
    O: (node, keep) => fill(keep({}), node, 1),
  };
  function read(node) {
    if (node === null || typeof node !== 'object') return node;
    switch (node[0]) {
      case 'n': return Number(node[1]);
      case 'u': return undefined;
      case 'i': return BigInt(node[1]);
      case 'r': return seen[node[1]];
      default: break;
    }
    const place = seen.length;
    seen.push(undefined);
    return readers[node[0]](node, (made) => { seen[place] = made; return made; });
  }
  return read;
}
const decode = (message) => reader(message)(base.JSON.parse(message.text));
shelf.messages = {
  encode, decode,
  copy(value, transfer) {
    const { text, bytes, ports, shared } = encode(value, transfer);
    return decode({ text, bytes, ports: (i) => shelf.makePort(ports[i]), shared: (i) => shared[i] });
  },
};
