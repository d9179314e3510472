// SPDX-License-Identifier: Apache-2.0
// Modules, part 2: CommonJS with Node's wrapper, cache and cycles.
'use strict';
const { base, builtins } = shelf;
const { engine, config, coded } = base;
const parts = shelf.moduleParts;
const { builtin, forRequire, formatOf, isBuiltin, path, read, resolve, toPath, withoutHashbang, wrapperNames } = parts;

const cache = { __proto__: null };
class Module {
  constructor(id = '', parent = undefined) {
    this.id = id;
    this.path = path.dirname(id);
    this.exports = {};
    this.filename = null;
    this.loaded = false;
    this.children = [];
    this.paths = [];
    Object.defineProperty(this, 'parent', { value: parent, configurable: true, writable: true, enumerable: false });
  }
  require(name) { return requireFrom(this, name); }
  _compile(text, file) {
    const body = engine.compileFunction(withoutHashbang(text), file, wrapperNames);
    const args = [this.exports, makeRequire(this), this, file, path.dirname(file)];
    if (this === parts.mainModule) engine.pauseAtFirstCall?.();
    return base.apply(body, this.exports, args);
  }
}
Module.Module = Module;
Module._cache = cache;
Module._extensions = { '.js': undefined, '.json': undefined, '.node': undefined };
Module.builtinModules = Object.keys(builtins);
Module.isBuiltin = isBuiltin;
Module.wrap = (text) => `(function (exports, require, module, __filename, __dirname) { ${text}\n});`;
Module._resolveFilename = (name, parent) => resolve(name, parent?.filename ?? `${base.natives.directory()}/[eval]`, forRequire, false).replace(/^node:/, '');
Module._load = (name, parent) => requireFrom(parent ?? parts.mainModule, name);
Module.createRequire = (from) => {
  const isPlace = from instanceof URL ? from.protocol === 'file:' : typeof from === 'string' && (from.startsWith('/') || from.startsWith('file:'));
  if (!isPlace) throw base.argumentValue('filename', from, 'must be a file URL object, file URL string, or absolute path string');
  const file = typeof from === 'string' && !from.startsWith('file:') ? from : toPath(String(from));
  const module = new Module(file);
  module.filename = file;
  return makeRequire(module);
};
Module.stripTypeScriptTypes = (code, options = {}) => {
  base.checks.isString(code, 'code');
  base.checks.isObject(options, 'options');
  if (options.mode !== undefined && options.mode !== 'strip') throw base.argumentValue('options.mode', options.mode, "must be 'strip'");
  shelf.load('typescript');
  return shelf.removeTypes(code, options.sourceUrl ?? '[code]');
};
Module._nodeModulePaths = nodePaths;
function nodePaths(folder) {
  const made = [];
  for (let at = folder; ; at = path.dirname(at)) {
    if (!at.endsWith('/node_modules')) made.push(`${at === '/' ? '' : at}/node_modules`);
    if (at === '/') return made;
  }
}
const globalPaths = () => (config.env.HOME === undefined ? [] : [`${config.env.HOME}/.node_modules`, `${config.env.HOME}/.node_libraries`]);
// With `paths` the first of these folders that leads to a file.
function resolveBelow(module, name, paths) {
  if (paths === undefined) return resolveFor(module, name);
  if (!Array.isArray(paths)) throw base.argumentType('options.paths', 'Array', paths);
  let failure;
  for (const folder of paths) {
    try { return resolve(name, `${path.resolve(folder)}/[paths]`, forRequire, false); } catch (error) { failure = error; }
  }
  throw failure ?? Object.assign(new Error(`Cannot find module '${name}'`), { code: 'MODULE_NOT_FOUND' });
}
function makeRequire(module) {
  const require = (name) => requireFrom(module, name);
  require.resolve = (name, options) => {
    base.checks.isString(name, 'request');
    return resolveBelow(module, name, options?.paths).replace(/^node:(?=.)/, (prefix) => (name.startsWith('node:') ? prefix : ''));
  };
  require.resolve.paths = (name) => {
    base.checks.isString(name, 'request');
    if (isBuiltin(name)) return null;
    return /^\.\.?(\/|$)/.test(name) ? [path.dirname(module.filename)] : [...nodePaths(path.dirname(module.filename)), ...globalPaths()];
  };
  require.main = parts.mainModule;
  require.extensions = Module._extensions;
  require.cache = cache;
  return require;
}
function requireFrom(parent, name) {
  base.checks.isString(name, 'id');
  if (name === '') throw base.argumentValue('id', name, 'must be a non-empty string');
  const file = resolveFor(parent, name);
  if (file.startsWith('node:')) return builtin(file);
  const cached = cache[file];
  if (cached !== undefined) {
    if (!parent.children.includes(cached)) parent.children.push(cached);
    return exportsSoFar(cached);
  }
  return load(file, parent).exports;
}
// Reading a property that the exports of an unfinished module lack: a warning, as in Node.
const circular = new Proxy({}, {
  get(target, key) {
    if (key in target || key === '__esModule') return target[key];
    shelf.process.emitWarning(`Accessing non-existent property '${String(key)}' of module exports inside circular dependency`);
    return undefined;
  },
  getOwnPropertyDescriptor(target, key) {
    if (base.hasOwn(target, key) || key === '__esModule') return Object.getOwnPropertyDescriptor(target, key);
    shelf.process.emitWarning(`Accessing non-existent property '${String(key)}' of module exports inside circular dependency`);
    return undefined;
  },
});
function exportsSoFar(module) {
  const { exports } = module;
  if (!module.loaded && exports && base.engine.kind(exports) !== 'Proxy' && Object.getPrototypeOf(exports) === Object.prototype && !exports.__esModule) Object.setPrototypeOf(exports, circular);
  return exports;
}
// A module that was not found: its message names the modules that led to it.
function resolveFor(module, name) {
  try { return resolve(name, module.filename, forRequire, false); } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND' && error.requireStack !== undefined) {
      error.requireStack.length = 0;
      for (let at = module; at; at = at.parent) error.requireStack.push(at.filename || at.id);
      const told = `${error.message.split('\n')[0]}\nRequire stack:\n- ${error.requireStack.join('\n- ')}`;
      error.stack = String(error.stack).replace(error.message, () => told);
      error.message = told;
    }
    throw error;
  }
}
function load(file, parent) {
  const format = formatOf(file, Boolean(parent));
  const module = new Module(file, parent);
  module.filename = file;
  module.paths = nodePaths(path.dirname(file));
  if (parent === undefined || parent === null) {
    parts.mainModule = module;
    module.id = '.';
    shelf.process.mainModule = module;
  } else {
    parent.children.push(module);
  }
  cache[file] = module;
  let isFine = false;
  try {
    if (format === 'json') module.exports = parseJson(read(file), file);
    else if (format === 'module') module.exports = requireModule(file, parent?.filename ?? file);
    else module._compile(read(file), file);
    isFine = true;
  } finally {
    if (!isFine) {
      delete cache[file];
      if (parent && parent.children[parent.children.length - 1] === module) parent.children.pop();
    } else if (module.exports && engine.kind(module.exports) !== 'Proxy' && Object.getPrototypeOf(module.exports) === circular) {
      Object.setPrototypeOf(module.exports, Object.prototype);
    }
  }
  module.loaded = true;
  return module;
}
function parseJson(text, file) {
  try { return base.JSON.parse(text); } catch (error) {
    error.message = `${file}: ${error.message}`;
    throw error;
  }
}

// An ES module without top-level await; one with a default export says that it is one.
function requireModule(file, from) {
  const record = parts.moduleFor(file);
  if (parts.isEvaluating(record)) {
    throw coded(Error, 'ERR_REQUIRE_CYCLE_MODULE', `Cannot require() ES Module ${file} in a cycle. (from ${from}) A cycle involving require(esm) is not allowed to maintain invariants mandated by the ECMAScript specification. Try making at least part of the dependency in the graph lazily loaded.`);
  }
  const promise = parts.evaluate(record);
  const [status, reason] = engine.promiseDetails(promise);
  if (status === 2) {
    base.then(promise, undefined, () => {});
    throw reason;
  }
  if (status === 0) throw coded(Error, 'ERR_REQUIRE_ASYNC_MODULE', `require() cannot be used on an ESM graph with top-level await. Use import() instead. To see where the top-level await comes from, use --experimental-print-required-tla.\n  From ${from} \n  Requiring ${file} `);
  const space = engine.moduleNamespace(record.number);
  if ('module.exports' in space) return space['module.exports'];
  if (!('default' in space) || '__esModule' in space) return space;
  const facade = { file, url: `${record.url}#required`, format: 'module', isLinked: true, promise: undefined, number: -1, target: record };
  parts.byUrl.set(facade.url, facade);
  facade.number = engine.createModule(facade.url, "export * from 'it'; export { default } from 'it'; export const __esModule = true;");
  engine.linkModule(facade.number, 'it', record.number);
  parts.evaluate(facade);
  return engine.moduleNamespace(facade.number);
}

// The names that a CommonJS file exports, with those of the files whose exports it passes on.
function exportNames(file, seen) {
  const names = new base.SafeSet();
  if (seen.has(file)) return [];
  seen.add(file);
  shelf.load('export_names');
  const found = shelf.scanExports(read(file));
  for (const name of found.names) names.add(name);
  for (const again of found.files) {
    try {
      const other = resolve(again, file, forRequire, false);
      if (!other.startsWith('node:') && formatOf(other) === 'commonjs') for (const name of exportNames(other, seen)) names.add(name);
    } catch { /* The evaluation tells of it. */ }
  }
  names.delete('default');
  const list = [];
  names.forEach((name) => { list[list.length] = name; });
  return list;
}
Object.assign(parts, { Module, cache, exportNames, load, makeRequire, nodePaths, parseJson });
