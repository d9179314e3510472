// SPDX-License-Identifier: Apache-2.0
// util.inspect, part 5: objects by their kinds.
'use strict';
const { base } = shelf;
const { engine, hasOwn } = base;
const parts = shelf.inspecting;
const { arrayEntries, bufferEntries, constructorName, custom, defaults, errorShape, fold, isInstance, iteratorEntries, keysOf, mapEntries,
  mapSize, moduleEntries, numberText, plain, plainPrefix, prefix, primitiveText, promiseEntries, propertyText, setEntries, setSize,
  typedClasses, typedEntries, typedName, weakEntries } = parts;

function format(state, value, depth, isTyped) {
  if (typeof value !== 'object' && typeof value !== 'function') return primitiveText(state, value);
  if (value === null) return state.stylize('null', 'null');
  const original = value;
  let kind = engine.kind(value);
  if (kind === 'Proxy') {
    const [target, handler] = engine.proxyDetails(value);
    if (target === null) return state.stylize('<Revoked Proxy>', 'special');
    if (state.showProxy) return proxyText(state, target, handler, depth);
    value = target;
    while (engine.kind(value) === 'Proxy') {
      value = engine.proxyDetails(value)[0];
      if (value === null) return state.stylize('<Revoked Proxy>', 'special');
    }
    kind = engine.kind(value);
  }
  if (state.customInspect) {
    const own = value[custom];
    if (typeof own === 'function' && own !== parts.inspect && !isBareConstructor(value)) {
      return customText(state, own, original, depth);
    }
  }
  if (state.seen.includes(value)) {
    let index = 1;
    if (state.circular === undefined) {
      state.circular = new base.SafeMap();
      state.circular.set(value, index);
    } else {
      index = state.circular.get(value);
      if (index === undefined) {
        index = state.circular.size + 1;
        state.circular.set(value, index);
      }
    }
    return state.stylize(`[Circular *${index}]`, 'special');
  }
  return objectText(state, value, kind, depth, isTyped);
}
const isBareConstructor = (value) => value.constructor && value.constructor.prototype === value;

function customText(state, own, value, depth) {
  const left = state.depth === null ? null : state.depth - depth;
  const made = base.apply(own, value, [left, userOptions(state), parts.inspect]);
  if (made === value) return objectText(state, value, engine.kind(value), depth);
  if (made !== null && typeof made === 'object' || typeof made === 'function') return format(state, made, depth);
  return typeof made === 'string' ? made.replaceAll('\n', `\n${' '.repeat(state.indent)}`) : format(state, made, depth);
}
const optionsOf = (state) => userOptions({ ...state, userOptions: undefined });
function userOptions(state) {
  const made = { stylize: state.stylize };
  for (const key of Object.keys(defaults)) made[key] = state[key];
  return Object.assign(made, state.userOptions);
}

function proxyText(state, target, handler, depth) {
  if (state.depth !== null && depth > state.depth) return state.stylize('Proxy [Array]', 'special');
  state.indent += 2;
  const parts = [format(state, target, depth + 1), format(state, handler, depth + 1)];
  state.indent -= 2;
  return fold(state, parts, '', ['Proxy [', ']'], true, depth + 1);
}

// What a value shows: its opening and closing, what stands before them, and its entries.
function objectText(state, value, kind, depth, isTyped) {
  const name = constructorName(state, value, depth);
  let tag = value[Symbol.toStringTag];
  // An own tag is among the properties already.
  if (typeof tag !== 'string' || (tag !== '' && (state.showHidden ? hasOwn : isEnumerable)(value, Symbol.toStringTag))) tag = '';
  const inherited = state.showHidden && (state.depth === null || depth <= state.depth) ? inheritedEntries(state, value, depth) : [];
  const shape = shapeOf(state, value, name === 'Object' && plainKinds.has(kind) ? '' : kind, name, tag, depth, { isTyped, hasInherited: inherited.length > 0 });
  if (shape.text !== undefined) return shape.text;
  const keys = shape.keys ?? keysOf(state, value, kind);
  if (state.depth !== null && depth > state.depth) {
    const label = plainPrefix(value, name, tag).slice(0, -1);
    return state.stylize(name === null ? label : `[${label}]`, 'special');
  }
  state.seen.push(value);
  state.current = depth;
  const { indent } = state;
  let output;
  try {
    output = shape.entries ? shape.entries(depth + 1) : [];
    for (const key of keys) output.push(propertyText(state, value, depth + 1, key, shape.isList ? 1 : 0));
    for (const text of inherited) output.push(text);
  } catch (error) {
    if (!(error instanceof RangeError) || !/call stack/.test(error.message)) throw error;
    state.indent = indent;
    return state.stylize(`[${plainPrefix(value, name, tag).slice(0, -1)}: Inspection interrupted prematurely. Maximum call stack size exceeded.]`, 'special');
  } finally {
    state.seen.pop();
  }
  let before = shape.base ?? '';
  const braces = shape.braces;
  if (state.circular !== undefined) {
    const index = state.circular.get(value);
    if (index !== undefined) {
      const mark = state.stylize(`<ref *${index}>`, 'special');
      if (state.compact !== true) before = before === '' ? mark : `${mark} ${before}`;
      else braces[0] = `${mark} ${braces[0]}`;
    }
  }
  if (state.sorted) {
    const order = typeof state.sorted === 'function' ? state.sorted : undefined;
    if (!shape.isList) output.sort(order);
    else if (keys.length > 1) output.push(...output.splice(output.length - keys.length).sort(order));
  }
  return fold(state, output, before, braces, shape.isList, depth, value);
}

const isEnumerable = base.uncurry(Object.prototype.propertyIsEnumerable);

// With showHidden: what an object gets from its classes, but for functions, up to the first class of
// the language and at most three.
function inheritedEntries(state, value, depth) {
  const output = [];
  const known = new base.SafeSet();
  let owner = value;
  for (let level = 0; level < 3; level += 1) {
    owner = Object.getPrototypeOf(owner);
    if (owner === null) break;
    const made = Object.getOwnPropertyDescriptor(owner, 'constructor');
    if (made !== undefined && typeof made.value === 'function' && parts.builtinNames.has(made.value.name)) break;
    state.seen.push(value);
    for (const key of base.ownKeys(owner)) {
      if (key === 'constructor' || hasOwn(value, key) || known.has(key)) continue;
      known.add(key);
      const property = Object.getOwnPropertyDescriptor(owner, key);
      if (typeof property.value === 'function') continue;
      const text = propertyText(state, owner, depth, key, 0, property, value);
      output.push(state.colors ? `\u001b[2m${text}\u001b[22m` : text);
    }
    state.seen.pop();
  }
  return output;
}
// Kinds that show as a plain object where Object itself is their nearest class.
const plainKinds = new base.SafeSet();
for (const kind of ['RegExp', 'Date', 'Error', 'ArrayBuffer', 'SharedArrayBuffer', 'DataView', 'Promise', 'WeakSet', 'WeakMap', 'Number', 'String', 'Boolean', 'BigInt', 'Symbol']) plainKinds.add(kind);

function shapeOf(state, value, kind, name, tag, depth, more) {
  const keys = () => keysOf(state, value, kind);
  const bare = (text, found) => (found.length === 0 && !more.hasInherited ? { text } : undefined);
  switch (kind) {
    case 'Array': {
      const own = keys();
      const before = name !== 'Array' || tag !== '' ? prefix(name, tag, 'Array', `(${value.length})`) : '';
      if (value.length === 0 && own.length === 0 && !more.hasInherited) return { text: `${before}[]` };
      return { braces: [`${before}[`, ']'], isList: true, keys: own, entries: (at) => arrayEntries(state, value, at) };
    }
    case 'Set': case 'Map': {
      const own = keys();
      const size = kind === 'Set' ? setSize(value) : mapSize(value);
      const before = prefix(name, tag, kind, `(${size})`);
      const entries = kind === 'Set' ? (at) => setEntries(state, value, at) : (at) => mapEntries(state, value, at);
      if (size === 0 && own.length === 0 && !more.hasInherited) return { text: `${before}{}` };
      return { braces: [`${before}{`, '}'], keys: own, entries };
    }
    case 'TypedArray': {
      const own = keys();
      const type = typedName(value);
      const bound = name === null ? new (typedClasses.get(type))(value) : value;
      const before = prefix(name, tag, name === null ? type : '', `(${bound.length})`);
      if (bound.length === 0 && own.length === 0 && !state.showHidden) return { text: `${before}[]` };
      return { braces: [`${before}[`, ']'], isList: true, keys: own, entries: (at) => typedEntries(state, bound, at) };
    }
    case 'MapIterator': case 'SetIterator': {
      const type = kind === 'MapIterator' ? 'Map' : 'Set';
      const made = { braces: [`[${tag || `${type} Iterator`}] {`, '}'] };
      made.entries = (at) => iteratorEntries(state, value, at, made.braces);
      return made;
    }
    default: return otherShape(state, value, kind, name, tag, depth, keys, bare, more);
  }
}

function otherShape(state, value, kind, name, tag, depth, keysHere, bare, more) {
  const own = keysHere();
  const braces = ['{', '}'];
  const withBase = (text) => bare(text, own) ?? { braces, base: text, keys: own };
  switch (kind) {
    case 'Arguments':
      if (own.length === 0 && !more.hasInherited) return { text: '[Arguments] {}' };
      return { braces: ['[Arguments] {', '}'], keys: own };
    case 'Function': case 'AsyncFunction': case 'GeneratorFunction': {
      const text = functionText(value, name, tag, kind);
      if (own.length === 0 && !more.hasInherited) return { text: state.stylize(text, 'special') };
      return { braces, base: text, keys: own };
    }
    case 'RegExp': {
      const text = RegExp.prototype.toString.call(name !== null ? value : new RegExp(value));
      const before = prefix(name, tag, 'RegExp');
      const full = before !== 'RegExp ' ? `${before}${text}` : text;
      if ((own.length === 0 && !more.hasInherited) || (state.depth !== null && depth > state.depth)) return { text: state.stylize(full, 'regexp') };
      return { braces, base: full, keys: own };
    }
    case 'Date': {
      const time = Date.prototype.getTime.call(value);
      const text = Number.isNaN(time) ? Date.prototype.toString.call(value) : Date.prototype.toISOString.call(value);
      const before = prefix(name, tag, 'Date');
      const full = before !== 'Date ' ? `${before}${text}` : text;
      return own.length === 0 && !more.hasInherited ? { text: state.stylize(full, 'date') } : { braces, base: full, keys: own };
    }
    case 'Error': return errorShape(state, value, name, tag, own, more);
    case 'ArrayBuffer': case 'SharedArrayBuffer':
      if (more.isTyped && own.length === 0 && !more.hasInherited) return { text: `${prefix(name, tag, kind)}{ byteLength: ${state.stylize(numberText(state, value.byteLength), 'number')} }` };
      return { braces: [`${prefix(name, tag, kind)}{`, '}'], keys: ['byteLength', ...own], entries: () => (more.isTyped ? [] : bufferEntries(state, value)) };
    case 'DataView':
      return { braces: [`${prefix(name, tag, 'DataView')}{`, '}'], keys: ['byteLength', 'byteOffset', 'buffer', ...own] };
    case 'Promise':
      return { braces: [`${prefix(name, tag, 'Promise')}{`, '}'], keys: own, entries: (at) => promiseEntries(state, value, at) };
    case 'WeakSet': case 'WeakMap':
      return { braces: [`${prefix(name, tag, kind)}{`, '}'], keys: own, entries: (at) => (state.showHidden ? weakEntries(state, value, at) : [state.stylize('<items unknown>', 'special')]) };
    case 'Module': return { braces: [`${name === null ? '[Module: null prototype]' : prefix(name, tag, 'Module').slice(0, -1)} {`, '}'], keys: [], entries: (at) => moduleEntries(state, value, own, at) };
    case 'Number': case 'String': case 'Boolean': case 'BigInt': case 'Symbol': return boxedShape(state, value, kind, name, tag, own, more);
    default: break;
  }
  if (isErrorLike(value)) return errorShape(state, value, name, tag, own, more);
  const before = name === 'Object' && tag === '' ? '' : plainPrefix(value, name, tag);
  if (own.length === 0 && !more.hasInherited) return { text: `${before}{}` };
  return { braces: [`${before}{`, '}'], keys: own };
}
const isErrorLike = (value) => isInstance(value, Error);

function functionText(value, name, tag, kind) {
  const source = base.functionToString(value);
  if (source.startsWith('class') && source.endsWith('}')) {
    const body = source.slice(5, -1);
    const brace = body.indexOf('{');
    if (brace !== -1 && (!body.slice(0, brace).includes('(') || /^(\s+[^(]*?)\s*{/.test(body.replace(/\/\*[^]*?\*\/|\/\/.*/g, '')))) {
      return classText(value, name, tag);
    }
  }
  let type = 'Function';
  if (kind === 'GeneratorFunction' || isGenerator(value)) type = `Generator${type}`;
  if (kind === 'AsyncFunction' || isAsync(value)) type = `Async${type}`;
  let text = `[${type}`;
  if (name === null) text += ' (null prototype)';
  text += value.name === '' ? ' (anonymous)' : `: ${String(value.name)}`;
  text += ']';
  if (name !== type && name !== null) text += ` ${name}`;
  if (tag !== '' && name !== tag) text += ` [${tag}]`;
  return text;
}
const functionTag = (value) => base.objectToString(value);
const isGenerator = (value) => /GeneratorFunction/.test(functionTag(value));
const isAsync = (value) => /\[object Async/.test(functionTag(value));
function classText(value, name, tag) {
  let text = `[class ${hasOwn(value, 'name') && value.name ? value.name : '(anonymous)'}`;
  if (name !== 'Function' && name !== null) text += ` [${name}]`;
  if (tag !== '' && name !== tag) text += ` [${tag}]`;
  if (name === null) return `${text} extends [null prototype]]`;
  const parent = Object.getPrototypeOf(value);
  if (parent !== null && parent.name) text += ` extends ${parent.name}`;
  else if (parent === null) text += ' extends [null prototype]';
  return `${text}]`;
}

function boxedShape(state, value, kind, name, tag, own, more) {
  const inside = { Number, String, Boolean, BigInt, Symbol }[kind].prototype.valueOf.call(value);
  let text = `[${kind}`;
  if (kind !== name) text += name === null ? ' (null prototype)' : ` (${name})`;
  text += `: ${primitiveText({ ...state, stylize: plain }, inside)}]`;
  if (tag !== '' && tag !== name) text += ` [${tag}]`;
  const keys = kind === 'String' ? own.filter((key) => typeof key === 'symbol' || !/^\d+$/.test(key)) : own;
  const styled = state.stylize(text, kind.toLowerCase());
  if (keys.length === 0 && !more.hasInherited) return { text: styled };
  return { braces: ['{', '}'], base: keys.length === 0 ? styled : text, keys };
}
Object.assign(parts, { format, optionsOf });
