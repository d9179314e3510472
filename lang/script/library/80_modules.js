// SPDX-License-Identifier: Apache-2.0
// Modules: finding files (node_modules, package.json with exports and imports), CommonJS with
// Node's wrapper, ES modules, and import between the two.
'use strict';
const { base, hooks, builtins } = shelf;
const { natives, engine, config, coded } = base;
const path = shelf.builtins.path;
const nothing = 0;
const isFile = 1;
const isDirectory = 2;
const page = 'docs/guide/embed-javascript.md';

// ---- Names ----

const toUrl = (file) => `file://${file.split('/').map(encodeURIComponent).join('/').replace(/%3A/g, ':').replace(/%40/g, '@').replace(/%2B/g, '+')}`;
function toPath(url) {
  if (!url.startsWith('file:')) return url;
  return decodeURIComponent(url.replace(/^file:\/\//, '').replace(/[?#].*$/, ''));
}
function isBuiltin(name) {
  const bare = name.startsWith('node:') ? name.slice(5) : name;
  return bare in builtins && !(bare === 'process' && false);
}
function builtin(name) {
  const bare = name.startsWith('node:') ? name.slice(5) : name;
  const found = builtins[bare];
  if (found === undefined) {
    throw coded(Error, 'ERR_UNKNOWN_BUILTIN_MODULE', `No such built-in module: ${name} (${page} lists those that gyre has)`);
  }
  return typeof found === 'function' && found.isLazy ? (builtins[bare] = found()) : found;
}
// Modules of Node that gyre does not have: the error says so.
const absent = new base.SafeSet();
for (const name of ['fs', 'fs/promises', 'http', 'https', 'http2', 'net', 'tls', 'dgram', 'dns', 'child_process', 'cluster', 'worker_threads', 'crypto', 'zlib', 'stream', 'stream/promises', 'readline', 'repl', 'vm', 'v8', 'tty', 'querystring', 'string_decoder', 'perf_hooks', 'inspector', 'module', 'test', 'domain', 'punycode', 'diagnostics_channel', 'buffer']) absent.add(name);
function refuseAbsent(name) {
  const bare = name.startsWith('node:') ? name.slice(5) : name;
  if (name.startsWith('node:') || absent.has(bare)) {
    throw coded(Error, 'ERR_UNKNOWN_BUILTIN_MODULE', `No such built-in module: ${name} (gyre has no '${bare}': ${page} lists those that it has)`);
  }
}

// ---- package.json ----

const packages = new base.SafeMap();
function packageAt(folder) {
  let found = packages.get(folder);
  if (found === undefined) {
    const text = natives.readFile(`${folder === '/' ? '' : folder}/package.json`);
    found = null;
    if (text !== undefined) {
      try { found = { folder, ...base.JSON.parse(text) }; } catch (error) {
        throw coded(Error, 'ERR_INVALID_PACKAGE_CONFIG', `Invalid package config ${folder}/package.json. ${error.message}`);
      }
    }
    packages.set(folder, found);
  }
  return found;
}
function packageOf(file) {
  let folder = path.dirname(file);
  for (;;) {
    if (!folder.endsWith('/node_modules')) {
      const found = packageAt(folder);
      if (found !== null) return found;
    }
    if (folder === '/') return null;
    folder = path.dirname(folder);
  }
}

// ---- exports and imports of a package ----

function target(value, folder, conditions, star, name, isImport) {
  if (typeof value === 'string') {
    if (!value.startsWith('./')) {
      if (isImport) return { bare: star === undefined ? value : value.replaceAll('*', star) };
      throw coded(Error, 'ERR_INVALID_PACKAGE_TARGET', `Invalid "exports" target ${base.JSON.stringify(value)} defined in the package config ${folder}/package.json; targets must start with "./"`);
    }
    const file = path.join(folder, star === undefined ? value : value.replaceAll('*', star));
    if (!file.startsWith(`${folder}/`) || /(^|\/)(\.\.|node_modules)(\/|$)/.test(value.slice(2))) {
      throw coded(Error, 'ERR_INVALID_PACKAGE_TARGET', `Invalid target ${base.JSON.stringify(value)} defined in the package config ${folder}/package.json`);
    }
    return { file };
  }
  if (Array.isArray(value)) {
    let failure;
    for (const one of value) {
      try {
        const found = target(one, folder, conditions, star, name, isImport);
        if (found) return found;
      } catch (error) { failure = error; }
    }
    if (failure) throw failure;
    return undefined;
  }
  if (value !== null && typeof value === 'object') {
    for (const key of Object.keys(value)) {
      if (key !== 'default' && !conditions.includes(key)) continue;
      const found = target(value[key], folder, conditions, star, name, isImport);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
function lookUp(table, key, folder, conditions, isImport) {
  if (base.hasOwn(table, key) && !key.includes('*')) return target(table[key], folder, conditions, undefined, key, isImport);
  let best;
  for (const pattern of Object.keys(table)) {
    const at = pattern.indexOf('*');
    if (at === -1) continue;
    const [head, tail] = [pattern.slice(0, at), pattern.slice(at + 1)];
    if (key.startsWith(head) && key !== head && key.endsWith(tail) && key.length >= pattern.length &&
        (best === undefined || head.length > best.head.length)) best = { pattern, head, tail };
  }
  if (best === undefined) return undefined;
  const star = key.slice(best.head.length, key.length - best.tail.length);
  return target(table[best.pattern], folder, conditions, star, key, isImport);
}
function resolveExports(owner, subpath, conditions) {
  let table = owner.exports;
  const keys = table !== null && typeof table === 'object' && !Array.isArray(table) ? Object.keys(table) : [];
  if (!keys.some((key) => key.startsWith('.'))) table = { '.': table };
  const found = lookUp(table, subpath, owner.folder, conditions, false);
  if (found) return found.file;
  const what = subpath === '.' ? 'No "exports" main defined' : `Package subpath '${subpath}' is not defined by "exports"`;
  throw coded(Error, 'ERR_PACKAGE_PATH_NOT_EXPORTED', `${what} in ${owner.folder}/package.json`);
}

// ---- Finding a file ----

const endings = ['.js', '.json'];
function asFile(file) {
  if (natives.fileKind(file) === isFile) return file;
  for (const ending of endings) if (natives.fileKind(file + ending) === isFile) return file + ending;
  return undefined;
}
function asFolder(folder) {
  if (natives.fileKind(folder) !== isDirectory) return undefined;
  const found = packageAt(folder);
  if (found !== null && typeof found.main === 'string') {
    const main = path.resolve(folder, found.main);
    const file = asFile(main) ?? asFile(`${main}/index`);
    if (file !== undefined) return file;
  }
  return asFile(`${folder}/index`);
}
function splitName(name) {
  const parts = name.split('/');
  const head = name.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0];
  return [head, `.${name.slice(head.length)}`];
}

// resolve(specifier, the file that asks, conditions, isEsm): a file, or a built-in's name.
function resolve(name, from, conditions, isEsm) {
  if (isBuiltin(name)) return `node:${name.replace(/^node:/, '')}`;
  refuseAbsent(name);
  if (name.startsWith('file:')) return found(asEsmFile(toPath(name)), name, from, isEsm);
  if (/^[a-z][a-z0-9+.-]*:/i.test(name)) {
    throw coded(Error, 'ERR_UNSUPPORTED_ESM_URL_SCHEME', `Only URLs with a scheme in: file, data, and node are supported by the default ESM loader. Received protocol '${name.split(':')[0]}:'`);
  }
  if (name.startsWith('#')) return resolveImports(name, from, conditions, isEsm);
  if (name === '.' || name === '..' || /^(\.\.?)?\//.test(name)) {
    const file = path.resolve(path.dirname(from), isEsm ? decodeURIComponent(name.replace(/[?#].*$/, '')) : name);
    if (isEsm) return found(asEsmFile(file), name, from, isEsm);
    const isFolder = name.endsWith('/') || name === '.' || name === '..';
    return found((isFolder ? undefined : asFile(file)) ?? asFolder(file), name, from, isEsm);
  }
  return resolvePackage(name, from, conditions, isEsm);
}
function asEsmFile(file) {
  const kind = natives.fileKind(file);
  if (kind === isDirectory) {
    throw coded(Error, 'ERR_UNSUPPORTED_DIR_IMPORT', `Directory import '${file}' is not supported resolving ES modules`);
  }
  return kind === isFile ? file : undefined;
}
function found(file, name, from, isEsm) {
  if (file !== undefined) return natives.realPath(file);
  if (isEsm) {
    const what = name.startsWith('.') || name.startsWith('/') || name.startsWith('file:') ? `module '${path.resolve(path.dirname(from), toPath(name))}'` : `package '${splitName(name)[0]}'`;
    throw coded(Error, 'ERR_MODULE_NOT_FOUND', `Cannot find ${what} imported from ${from}`);
  }
  const error = new Error(`Cannot find module '${name}'\nRequire stack:\n- ${from}`);
  error.code = 'MODULE_NOT_FOUND';
  error.requireStack = [from];
  throw error;
}
function resolveImports(name, from, conditions, isEsm) {
  const owner = packageOf(from);
  const hit = owner?.imports && lookUp(owner.imports, name, owner.folder, conditions, true);
  if (!hit) throw coded(TypeError, 'ERR_PACKAGE_IMPORT_NOT_DEFINED', `Package import specifier "${name}" is not defined${owner ? ` in package ${owner.folder}/package.json` : ''} imported from ${from}`);
  return hit.bare !== undefined ? resolve(hit.bare, from, conditions, isEsm) : found(isEsm ? asEsmFile(hit.file) : asFile(hit.file), name, from, isEsm);
}
function resolvePackage(name, from, conditions, isEsm) {
  const [head, subpath] = splitName(name);
  const self = packageOf(from);
  if (self !== null && self.name === head && self.exports != null) return found(resolveExports(self, subpath, conditions), name, from, isEsm);
  for (let folder = path.dirname(from); ; folder = path.dirname(folder)) {
    const place = `${folder === '/' ? '' : folder}/node_modules/${head}`;
    if (!folder.endsWith('/node_modules') && natives.fileKind(place) === isDirectory) {
      const owner = packageAt(place);
      if (owner?.exports != null) return found(resolveExports(owner, subpath, conditions), name, from, isEsm);
      const file = path.join(place, subpath);
      const hit = isEsm && subpath !== '.' ? asEsmFile(file) : asFile(file) ?? asFolder(file);
      if (hit !== undefined) return found(hit, name, from, isEsm);
    } else if (subpath === '.' && !isEsm && asFile(place)) {
      return found(asFile(place), name, from, isEsm);
    }
    if (folder === '/') return found(undefined, name, from, isEsm);
  }
}
const forRequire = ['node', 'require', 'module-sync', 'node-addons'];
const forImport = ['node', 'import', 'module-sync', 'node-addons'];
const formatOf = (file) => {
  if (file.startsWith('node:')) return 'builtin';
  if (file.endsWith('.mjs')) return 'module';
  if (file.endsWith('.cjs')) return 'commonjs';
  if (file.endsWith('.json')) return 'json';
  return packageOf(file)?.type === 'module' ? 'module' : 'commonjs';
};
function read(file) {
  const text = natives.readFile(file);
  if (text === undefined) throw Object.assign(new Error(`ENOENT: no such file or directory, open '${file}'`), { errno: -2, syscall: 'open', code: 'ENOENT', path: file });
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
const withoutHashbang = (text) => (text.startsWith('#!') ? `//${text.slice(2)}` : text);

// ---- CommonJS ----

const cache = { __proto__: null };
let mainModule;
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
    const body = engine.compileFunction(withoutHashbang(text), file, ['exports', 'require', 'module', '__filename', '__dirname']);
    return base.apply(body, this.exports, [this.exports, makeRequire(this), this, file, path.dirname(file)]);
  }
}
Module.Module = Module;
Module._cache = cache;
Module._extensions = { '.js': undefined, '.json': undefined };
Module.builtinModules = Object.keys(builtins);
Module.isBuiltin = isBuiltin;
Module.createRequire = (from) => {
  const file = typeof from === 'string' && !from.startsWith('file:') ? from : toPath(String(from));
  const module = new Module(file);
  module.filename = file;
  return makeRequire(module);
};
Module._nodeModulePaths = nodePaths;
function nodePaths(folder) {
  const made = [];
  for (let at = folder; ; at = path.dirname(at)) {
    if (!at.endsWith('/node_modules')) made.push(`${at === '/' ? '' : at}/node_modules`);
    if (at === '/') return made;
  }
}
function makeRequire(module) {
  const require = (name) => requireFrom(module, name);
  require.resolve = (name) => resolve(name, module.filename, forRequire, false).replace(/^node:(?=.)/, (prefix) => (name.startsWith('node:') ? prefix : ''));
  require.resolve.paths = () => nodePaths(path.dirname(module.filename));
  require.main = mainModule;
  require.cache = cache;
  require.extensions = Module._extensions;
  return require;
}
function requireFrom(parent, name) {
  base.checks.isString(name, 'id');
  if (name === '') throw base.argumentValue('id', name, 'must be a non-empty string');
  const file = resolve(name, parent.filename, forRequire, false);
  if (file.startsWith('node:')) return builtin(file);
  const cached = cache[file];
  if (cached !== undefined) {
    if (!parent.children.includes(cached)) parent.children.push(cached);
    return cached.exports;
  }
  return load(file, parent).exports;
}
function load(file, parent) {
  const format = formatOf(file);
  if (format === 'module') {
    const error = coded(Error, 'ERR_REQUIRE_ESM', `require() of ES Module ${file} from ${parent?.filename} not supported.\nInstead change the require of ${path.basename(file)} in ${parent?.filename} to a dynamic import() which is available in all CommonJS modules.`);
    throw error;
  }
  const module = new Module(file, parent);
  module.filename = file;
  module.paths = nodePaths(path.dirname(file));
  if (parent === undefined || parent === null) {
    mainModule = module;
    module.id = '.';
    shelf.process.mainModule = module;
  } else {
    parent.children.push(module);
  }
  cache[file] = module;
  let isFine = false;
  try {
    if (format === 'json') module.exports = parseJson(read(file), file);
    else module._compile(read(file), file);
    isFine = true;
  } finally {
    if (!isFine) delete cache[file];
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

// ---- ES modules ----

const modules = new base.SafeMap();  // a file or built-in's name to a record
const byUrl = new base.SafeMap();
function moduleFor(file) {
  let record = modules.get(file);
  if (record === undefined) {
    const format = formatOf(file);
    const url = file.startsWith('node:') ? file : toUrl(file);
    record = { file, url, format, number: -1, isLinked: false, promise: undefined };
    if (format === 'module') record.number = engine.createModule(url, withoutHashbang(read(file)));
    else record.number = synthetic(record);
    modules.set(file, record);
    byUrl.set(url, record);
  }
  return record;
}
// A module whose exports are the properties of a CommonJS module, a JSON value or a built-in.
function synthetic(record) {
  const { file, format, url } = record;
  if (format === 'builtin') {
    const value = builtin(file);
    const names = Object.keys(value).filter((name) => name !== 'default');
    return made(url, ['default', ...names], (set) => {
      set('default', value);
      for (const name of names) set(name, value[name]);
    });
  }
  if (format === 'json') {
    const value = parseJson(read(file), file);
    return made(url, ['default'], (set) => set('default', value));
  }
  const names = exportNames(file, new base.SafeSet());
  return made(url, ['default', ...names], (set) => {
    const { exports } = cache[file] ?? load(file, mainModule ?? new Module(file));
    set('default', exports);
    for (const name of names) {
      let value;
      try { value = exports?.[name]; } catch { value = undefined; }
      set(name, value);
    }
  });
}
function made(url, names, fill) {
  const number = engine.createSynthetic(url, names, () => fill((name, value) => engine.setExport(number, name, value)));
  return number;
}
// The names that a CommonJS file exports, found in its text as Node does before it runs.
function exportNames(file, seen) {
  const names = new base.SafeSet();
  if (seen.has(file)) return [];
  seen.add(file);
  const text = read(file).replace(/\/\*[^]*?\*\/|(?<=^|[^:'"`])\/\/.*$/gm, '');
  for (const match of text.matchAll(/(?:^|[^.\w$])(?:module\.)?exports\.([A-Za-z_$][\w$]*)\s*=(?!=)/g)) names.add(match[1]);
  for (const match of text.matchAll(/(?:module\.)?exports\[\s*(['"])([^'"]+)\1\s*\]\s*=(?!=)/g)) names.add(match[2]);
  for (const match of text.matchAll(/Object\.defineProperty\(\s*(?:module\.)?exports\s*,\s*(['"])([^'"]+)\1/g)) names.add(match[2]);
  const object = /module\.exports\s*=\s*\{([^]*?)\}/.exec(text);
  if (object) {
    for (const part of object[1].split(',')) {
      const match = /^\s*(?:(?:get|async)\s+)?(?:([A-Za-z_$][\w$]*)|(['"])([^'"]+)\2)\s*(?:$|:|\()/.exec(part);
      if (!match) break;
      names.add(match[1] ?? match[3]);
    }
  }
  const again = /(?:module\.exports\s*=|__exportStar\()\s*require\(\s*(['"])([^'"]+)\1\s*\)/.exec(text);
  if (again) {
    try {
      const other = resolve(again[2], file, forRequire, false);
      if (!other.startsWith('node:') && formatOf(other) === 'commonjs') for (const name of exportNames(other, seen)) names.add(name);
    } catch { /* The evaluation tells of it. */ }
  }
  names.delete('default');
  const list = [];
  names.forEach((name) => { list[list.length] = name; });
  return list;
}
function link(record) {
  if (record.isLinked || record.format !== 'module') return;
  record.isLinked = true;
  for (const name of engine.moduleRequests(record.number)) {
    const other = moduleFor(resolve(name, record.file, forImport, true));
    engine.linkModule(record.number, name, other.number);
    link(other);
  }
}
function evaluate(record) {
  link(record);
  if (record.promise === undefined) {
    engine.instantiateModule(record.number);
    record.promise = engine.evaluateModule(record.number);
  }
  return record.promise;
}
async function importModule(name, from) {
  const record = moduleFor(resolve(String(name), from, forImport, true));
  await evaluate(record);
  return engine.moduleNamespace(record.number);
}
hooks.importModule = (name, referrer) => importModule(name, typeof referrer === 'string' && referrer !== '' ? toPath(referrer) : `${natives.directory()}/[eval]`);
hooks.fillImportMeta = (url, meta) => {
  const record = byUrl.get(url);
  const file = record?.file ?? toPath(url);
  meta.dirname = path.dirname(file);
  meta.filename = file;
  meta.resolve = (name) => {
    const hit = resolve(name, file, forImport, true);
    return hit.startsWith('node:') ? hit : toUrl(hit);
  };
  meta.url = url;
};

// ---- The main script ----

let mainPromise;
let isMainDone = true;
// A module's body runs in a job: microtasks come before ticks there.
function runModule(start) {
  isMainDone = false;
  engine.queueMicrotask(() => {
    try {
      mainPromise = start();
    } catch (error) {
      isMainDone = true;
      shelf.reportUncaught(error, engine.placeOf(error), 'uncaughtException');
      return;
    }
    base.then(mainPromise, () => { isMainDone = true; }, (error) => {
      isMainDone = true;
      shelf.reportUncaught(error, engine.placeOf(error), 'unhandledRejection');
    });
  });
}
// Node's status 13: the main module waits for a promise that nothing can settle.
shelf.checkTopLevelAwait = () => {
  if (isMainDone || shelf.process.exitCode !== undefined) return;
  shelf.process.exitCode = 13;
  natives.write(2, 'Warning: Detected unsettled top-level await\n');
};

hooks.runMain = (given, text, kind) => {
  const cwd = natives.directory();
  if (kind === 'file') {
    const wanted = path.resolve(cwd, given);
    const file = asFile(wanted) ?? asFolder(wanted);
    if (file === undefined) found(undefined, wanted, wanted, false);
    const real = natives.realPath(file);
    shelf.process.argv.splice(1, 0, real);
    if (formatOf(real) === 'module') runModule(() => evaluate(moduleFor(real)));
    else load(real, null);
  } else if (kind === 'module') {
    const file = `${cwd}/[eval1]`;
    const record = { file, url: toUrl(file), format: 'module', number: engine.createModule(toUrl(file), text), isLinked: false };
    byUrl.set(record.url, record);
    runModule(() => evaluate(record));
  } else {
    const module = new Module('[eval]');
    module.filename = `${cwd}/[eval]`;
    module.paths = nodePaths(cwd);
    Object.assign(globalThis, { module, exports: module.exports, require: makeRequire(module), __filename: '[eval]', __dirname: '.' });
    engine.runScript(text, '[eval]');
  }
};
void nothing; void config;
shelf.builtins.module = Module;
shelf.toUrl = toUrl;
shelf.toPath = toPath;
