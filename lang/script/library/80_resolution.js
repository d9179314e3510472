// SPDX-License-Identifier: Apache-2.0
// Modules, part 1: finding files: node_modules, package.json with exports and imports.
'use strict';
const { base, builtins } = shelf;
const { natives, engine, coded } = base;
const parts = {};
shelf.moduleParts = parts;

const path = shelf.builtins.path;
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
  return bare in builtins;
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
function resolveExports(owner, subpath, conditions, from) {
  let table = owner.exports;
  const keys = table !== null && typeof table === 'object' && !Array.isArray(table) ? Object.keys(table) : [];
  if (!keys.some((key) => key.startsWith('.'))) table = { '.': table };
  const found = lookUp(table, subpath, owner.folder, conditions, false);
  if (found) return found.file;
  const what = subpath === '.' ? 'No "exports" main defined' : `Package subpath '${subpath}' is not defined by "exports"`;
  throw coded(Error, 'ERR_PACKAGE_PATH_NOT_EXPORTED', `${what} in ${owner.folder}/package.json${from === undefined ? '' : ` imported from ${from}`}`);
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
  if (name.startsWith('data:') && isEsm) return name;
  if (name.startsWith('file:')) return found(asEsmFile(toPath(name), from), name, from, isEsm);
  if (/^[a-z][a-z0-9+.-]*:/i.test(name)) {
    throw coded(Error, 'ERR_UNSUPPORTED_ESM_URL_SCHEME', `Only URLs with a scheme in: file, data, and node are supported by the default ESM loader. Received protocol '${name.split(':')[0]}:'`);
  }
  if (name.startsWith('#')) return resolveImports(name, from, conditions, isEsm);
  if (name === '.' || name === '..' || /^(\.\.?)?\//.test(name)) {
    const file = path.resolve(path.dirname(from), isEsm ? decodeURIComponent(name.replace(/[?#].*$/, '')) : name);
    if (isEsm) return found(asEsmFile(file, from), name, from, isEsm);
    const isFolder = name.endsWith('/') || name === '.' || name === '..';
    return found((isFolder ? undefined : asFile(file)) ?? asFolder(file), name, from, isEsm);
  }
  return resolvePackage(name, from, conditions, isEsm);
}
function asEsmFile(file, from) {
  const kind = natives.fileKind(file);
  if (kind === isDirectory) {
    throw coded(Error, 'ERR_UNSUPPORTED_DIR_IMPORT', `Directory import '${file}' is not supported resolving ES modules imported from ${from}`);
  }
  return kind === isFile ? file : undefined;
}
function found(file, name, from, isEsm) {
  if (file !== undefined) return natives.realPath(file);
  if (isEsm) {
    const what = name.startsWith('.') || name.startsWith('/') || name.startsWith('file:') ? `module '${path.resolve(path.dirname(from), toPath(name))}'` : `package '${splitName(name)[0]}'`;
    const error = coded(Error, 'ERR_MODULE_NOT_FOUND', `Cannot find ${what} imported from ${from}`);
    if (what.startsWith('module')) error.url = toUrl(path.resolve(path.dirname(from), toPath(name)));
    throw error;
  }
  const error = new Error(`Cannot find module '${name}'\nRequire stack:\n- ${from}`);
  error.code = 'MODULE_NOT_FOUND';
  error.requireStack = [from];
  throw error;
}
function resolveImports(name, from, conditions, isEsm) {
  if (name === '#' || name.startsWith('#/')) throw coded(TypeError, 'ERR_INVALID_MODULE_SPECIFIER', `Invalid module "${name}" is not a valid internal imports specifier name imported from ${from}`);
  const owner = packageOf(from);
  const hit = owner?.imports && lookUp(owner.imports, name, owner.folder, conditions, true);
  if (!hit) throw coded(TypeError, 'ERR_PACKAGE_IMPORT_NOT_DEFINED', `Package import specifier "${name}" is not defined${owner ? ` in package ${owner.folder}/package.json` : ''} imported from ${from}`);
  return hit.bare !== undefined ? resolve(hit.bare, from, conditions, isEsm) : found(isEsm ? asEsmFile(hit.file, from) : asFile(hit.file), isEsm ? name : hit.file, from, isEsm);
}
function resolvePackage(name, from, conditions, isEsm) {
  const [head, subpath] = splitName(name);
  const self = packageOf(from);
  if (self !== null && self.name === head && self.exports != null) return found(resolveExports(self, subpath, conditions, from), name, from, isEsm);
  for (let folder = path.dirname(from); ; folder = path.dirname(folder)) {
    const place = `${folder === '/' ? '' : folder}/node_modules/${head}`;
    if (!folder.endsWith('/node_modules') && natives.fileKind(place) === isDirectory) {
      const owner = packageAt(place);
      if (owner?.exports != null) return found(resolveExports(owner, subpath, conditions, isEsm ? from : undefined), name, from, isEsm);
      const file = path.join(place, subpath);
      const hit = isEsm && subpath !== '.' ? asEsmFile(file, from) : asFile(file) ?? asFolder(file);
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
  if (file.startsWith('data:')) return dataFormat(file);
  if (file.endsWith('.mjs')) return 'module';
  if (file.endsWith('.cjs')) return 'commonjs';
  if (file.endsWith('.json')) return 'json';
  const type = packageOf(file)?.type;
  if (type === 'module' || type === 'commonjs') return type;
  if (!detected.has(file)) detected.set(file, isModuleText(withoutHashbang(natives.readFile(file) ?? ''), file));
  return detected.get(file) ? 'module' : 'commonjs';
};
// A text is a module if it parses as one, and not as CommonJS. Most files are told apart by their
// words, without parsing.
const detected = new base.SafeMap();  // files whose names and packages do not decide
const wrapperNames = ['exports', 'require', 'module', '__filename', '__dirname'];
const moduleWord = /\b(?:import|export|await)\b|\b(?:const|let|class)\s+(?:exports|require|module|__filename|__dirname)\b/;
const moduleStatement = /^\s*(?:import\b(?!\s*\()|export\b)|[;}]\s*export\b|\bimport\s*\.\s*meta\b/m;
const parses = (text, file) => {
  try { engine.compileFunction(text, file, wrapperNames); return true; } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
};
function isModuleText(text, file) {
  if (!moduleWord.test(text) || parses(text, file)) return false;
  return moduleStatement.test(text) || parses(`(async () => {${text}\n});`, file);
}
// data:TYPE;base64,TEXT
function dataFormat(url) {
  const type = /^data:([^;,]*)/.exec(url)[1].trim().toLowerCase();
  if (type === 'text/javascript') return 'module';
  if (type === 'application/json') return 'json';
  throw coded(TypeError, 'ERR_UNKNOWN_MODULE_FORMAT', `Unknown module format: ${type || 'null'} for URL ${url}`);
}
function dataText(url) {
  const at = url.indexOf(',');
  const body = decodeURIComponent(url.slice(at + 1).replace(/#.*$/, ''));
  return /;base64$/i.test(url.slice(0, at)) ? new shelf.globals.TextDecoder().decode(Uint8Array.from(shelf.globals.atob(body), (char) => char.charCodeAt(0))) : body;
}
function read(file) {
  if (file.startsWith('data:')) return dataText(file);
  const text = natives.readFile(file);
  if (text === undefined) throw Object.assign(new Error(`ENOENT: no such file or directory, open '${file}'`), { errno: -2, syscall: 'open', code: 'ENOENT', path: file });
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
const withoutHashbang = (text) => (text.startsWith('#!') ? `//${text.slice(2)}` : text);
Object.assign(parts, { isModuleText, packageOf, wrapperNames, asFile, asFolder, builtin, forImport, forRequire, formatOf, found, isBuiltin, path, read, resolve, toPath, toUrl,
  withoutHashbang });
