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
const isRefused = 3;
// The kind of a file that a program names: an error where its permissions do not open it.
function kindOf(file) {
  const kind = natives.fileKind(file);
  if (kind === isRefused) refuseFile(file);
  return kind;
}
function refuseFile(file) {
  throw base.denied(natives.refusal(0, file) ?? `the path ${file} is not permitted: --allow fs=DIR permits a folder`, 'fs', file);
}
const page = 'docs/guide/embed-javascript.md';

// ---- Names ----

const toUrl = (file) => `file://${file.split('/').map(encodeURIComponent).join('/').replace(/%3A/g, ':').replace(/%40/g, '@').replace(/%2B/g, '+')}`;
function toPath(url) {
  if (!url.startsWith('file:')) return url;
  return decodeURIComponent(url.replace(/^file:\/\//, '').replace(/[?#].*$/, ''));
}
// Node's test runner has no name without the prefix: packages have that.
const prefixed = new base.SafeSet();
prefixed.add('test');
prefixed.add('test/reporters');
function isBuiltin(name) {
  return name.startsWith('node:') ? name.slice(5) in builtins : name in builtins && !prefixed.has(name);
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
    const hint = absent.has(bare) ? ` (gyre has no '${bare}': ${page} lists those that it has)` : '';
    throw coded(Error, 'ERR_UNKNOWN_BUILTIN_MODULE', `No such built-in module: ${name}${hint}`);
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
    if (folder.endsWith('/node_modules')) return null;
    const found = packageAt(folder);
    if (found !== null) return found;
    if (folder === '/') return null;
    folder = path.dirname(folder);
  }
}

// ---- exports and imports of a package ----

// request: { owner, key, conditions, isImport, from }, where `from` is undefined for require.
function wrongTarget(value, request) {
  const { owner, key, isImport, from } = request;
  const shown = base.JSON.stringify(value, null, '');
  const isRelative = !isImport && typeof value === 'string' && value.length > 0 && !value.startsWith('./');
  const what = key === '.' ? `main target ${shown}` : `target ${shown}`;
  const place = `${key === '.' ? '' : ` for '${key}'`} in the package config ${owner.folder}/package.json${from === undefined ? '' : ` imported from ${from}`}`;
  return coded(Error, 'ERR_INVALID_PACKAGE_TARGET', `Invalid "${isImport ? 'imports' : 'exports'}" ${what} defined${place}${isRelative ? '; targets must start with "./"' : ''}`);
}
function textTarget(value, star, request) {
  const { owner: { folder }, isImport } = request;
  const full = star === undefined ? value : value.replaceAll('*', star);
  if (!value.startsWith('./')) {
    if (isImport && !value.startsWith('../') && !value.startsWith('/')) return { bare: full };
    throw wrongTarget(value, request);
  }
  const file = path.join(folder, full);
  if (!file.startsWith(`${folder}/`) || /(^|\/)(\.\.|node_modules)(\/|$)/.test(value.slice(2))) throw wrongTarget(value, request);
  return { file };
}
function target(value, star, request) {
  if (typeof value === 'string') return textTarget(value, star, request);
  if (Array.isArray(value)) {
    let failure;
    for (const one of value) {
      try {
        const found = target(one, star, request);
        if (found) return found;
      } catch (error) { failure = error; }
    }
    if (failure) throw failure;
    return undefined;
  }
  if (value !== null && typeof value === 'object') {
    for (const key of Object.keys(value)) {
      if (key !== 'default' && !request.conditions.includes(key)) continue;
      const found = target(value[key], star, request);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
// Of two patterns the one with the longer text before its *, then the longer one.
function lookUp(table, request) {
  const { key } = request;
  if (base.hasOwn(table, key) && !key.includes('*') && !key.endsWith('/')) return target(table[key], undefined, request);
  let best;
  for (const pattern of Object.keys(table)) {
    const at = pattern.indexOf('*');
    if (at === -1) continue;
    const [head, tail] = [pattern.slice(0, at), pattern.slice(at + 1)];
    if (key.startsWith(head) && key !== head && key.endsWith(tail) && key.length >= pattern.length &&
        (best === undefined || head.length > best.head.length || (head.length === best.head.length && pattern.length > best.pattern.length))) best = { pattern, head, tail };
  }
  if (best === undefined) return undefined;
  return target(table[best.pattern], key.slice(best.head.length, key.length - best.tail.length), request);
}
function resolveExports(owner, subpath, conditions, from) {
  let table = owner.exports;
  const keys = table !== null && typeof table === 'object' && !Array.isArray(table) ? Object.keys(table) : [];
  const dotted = keys.filter((key) => key.startsWith('.')).length;
  if (dotted > 0 && dotted < keys.length) {
    throw coded(Error, 'ERR_INVALID_PACKAGE_CONFIG', `Invalid package config ${owner.folder}/package.json${from === undefined ? '' : ` while importing ${from}`}. "exports" cannot contain some keys starting with '.' and some not. The exports object must either be an object of package subpath keys or an object of main entry condition name keys only.`);
  }
  if (dotted === 0) table = { '.': table };
  const found = lookUp(table, { owner, key: subpath, conditions, isImport: false, from });
  if (found) return found.file;
  const what = subpath === '.' ? 'No "exports" main defined' : `Package subpath '${subpath}' is not defined by "exports"`;
  throw coded(Error, 'ERR_PACKAGE_PATH_NOT_EXPORTED', `${what} in ${owner.folder}/package.json${from === undefined ? '' : ` imported from ${from}`}`);
}

// ---- Finding a file ----

const endings = ['.js', '.json', '.ts'];
const isTyped = (file) => /\.[mc]?ts$/.test(file);
// A file of TypeScript may name another by the ending that a compiler would give it.
function typedInstead(file, from) {
  const typed = isTyped(from) && /\.[mc]?js$/.test(file) ? file.replace(/js$/, 'ts') : undefined;
  return typed !== undefined && natives.fileKind(typed) === isFile ? typed : undefined;
}
function asFile(file) {
  if (natives.fileKind(file) === isFile) return file;
  for (const ending of endings) if (natives.fileKind(file + ending) === isFile) return file + ending;
  for (const ending of ['', ...endings]) kindOf(file + ending);
  return undefined;
}
// A main that leads nowhere: index with a warning, or an error for `request`.
function asFolder(folder, request) {
  if (kindOf(folder) !== isDirectory) return undefined;
  const found = packageAt(folder);
  const index = () => asFile(`${folder}/index`);
  if (found === null || typeof found.main !== 'string' || found.main === '') return index();
  const main = path.resolve(folder, found.main);
  const file = asFile(main) ?? asFile(`${main}/index`);
  if (file !== undefined || request === undefined) return file ?? index();
  const second = index();
  const place = `${folder}/package.json`;
  if (second === undefined) {
    const error = new Error(`Cannot find module '${main}'. Please verify that the package.json has a valid "main" entry`);
    throw Object.assign(error, { code: 'MODULE_NOT_FOUND', path: place, requestPath: request });
  }
  shelf.process.emitWarning(`Invalid 'main' field in '${place}' of '${found.main}'. Please either fix that or report it to the module author`, 'DeprecationWarning', 'DEP0128');
  return second;
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
  if (isEsm && name.startsWith('data:')) return checkDataUrl(name);
  if (from.startsWith('data:') && !/^[a-z][a-z0-9+.-]*:/i.test(name)) {
    throw coded(TypeError, 'ERR_UNSUPPORTED_RESOLVE_REQUEST', `Failed to resolve module specifier "${name}" from "${from}": Invalid relative URL or base scheme is not hierarchical.`);
  }
  if (name.startsWith('file:')) return found(asEsmFile(toPath(name), from), name, from, isEsm);
  if (/^[a-z][a-z0-9+.-]*:/i.test(name)) {
    throw coded(Error, 'ERR_UNSUPPORTED_ESM_URL_SCHEME', `Only URLs with a scheme in: file, data, and node are supported by the default ESM loader. Received protocol '${name.split(':')[0]}:'`);
  }
  if (name.startsWith('#')) return resolveImports(name, from, conditions, isEsm);
  if (name === '.' || name === '..' || /^(\.\.?)?\//.test(name)) {
    if (isEsm) return found(asEsmFile(esmPath(name, from), from) ?? typedInstead(esmPath(name, from), from), name, from, isEsm);
    const file = path.resolve(path.dirname(from), name);
    const isFolder = name.endsWith('/') || name === '.' || name === '..';
    return found((isFolder ? undefined : asFile(file)) ?? asFolder(file, name) ?? typedInstead(file, from), name, from, isEsm);
  }
  return resolvePackage(name, from, conditions, isEsm);
}
// A relative name as the path of its URL, which keeps a / at its end.
function esmPath(name, from) {
  const plain = name.replace(/[?#].*$/, '');
  const isFolder = /(^|\/)\.{0,2}$/.test(plain);
  const given = path.resolve(path.dirname(from), plain);
  if (/%2f|%5c/i.test(given)) throw coded(TypeError, 'ERR_INVALID_MODULE_SPECIFIER', `Invalid module "${given}" must not include encoded "/" or "\\" characters imported from ${from}`);
  return decodeURIComponent(given) + (isFolder && given !== '/' ? '/' : '');
}
function asEsmFile(file, from) {
  const kind = kindOf(file);
  if (kind === isDirectory) {
    const error = coded(Error, 'ERR_UNSUPPORTED_DIR_IMPORT', `Directory import '${file}' is not supported resolving ES modules imported from ${from}`);
    error.url = toUrl(file);
    throw error;
  }
  return kind === isFile && !file.endsWith('/') ? file : undefined;
}
function notFoundByImport(file, name, from) {
  const what = file === undefined ? `package '${splitName(name)[0]}'` : `module '${file}'`;
  const error = coded(Error, 'ERR_MODULE_NOT_FOUND', `Cannot find ${what} imported from ${from}`);
  if (file !== undefined) error.url = toUrl(file) + (/^(?:\.|\/|file:)/.test(name) ? /[?#].*$/.exec(name.slice(1))?.[0] ?? '' : '');
  return error;
}
function found(file, name, from, isEsm) {
  if (file !== undefined) return natives.realPath(file);
  if (isEsm) {
    const isPath = name.startsWith('.') || name.startsWith('/') || name.startsWith('file:');
    throw notFoundByImport(!isPath ? undefined : name.startsWith('file:') ? toPath(name) : esmPath(name, from), name, from);
  }
  const error = new Error(`Cannot find module '${name}'\nRequire stack:\n- ${from}`);
  error.code = 'MODULE_NOT_FOUND';
  error.requireStack = [from];
  throw error;
}
// The file that a package names.
function existing(file, name, from, isEsm) {
  if (kindOf(file) === isFile) return natives.realPath(file);
  if (isEsm) throw notFoundByImport(file, name, from);
  throw Object.assign(new Error(`Cannot find module '${file}'`), { code: 'MODULE_NOT_FOUND' });
}
function resolveImports(name, from, conditions, isEsm) {
  const owner = packageOf(from);
  if (!isEsm && owner?.imports == null) return found(undefined, name, from, isEsm);
  if (name === '#' || name.startsWith('#/')) throw coded(TypeError, 'ERR_INVALID_MODULE_SPECIFIER', `Invalid module "${name}" is not a valid internal imports specifier name imported from ${from}`);
  const hit = owner?.imports && lookUp(owner.imports, { owner, key: name, conditions, isImport: true, from });
  if (!hit) throw coded(TypeError, 'ERR_PACKAGE_IMPORT_NOT_DEFINED', `Package import specifier "${name}" is not defined${owner ? ` in package ${owner.folder}/package.json` : ''} imported from ${from}`);
  return hit.bare !== undefined ? resolve(hit.bare, `${owner.folder}/package.json`, conditions, isEsm) : existing(hit.file, name, from, isEsm);
}
function resolvePackage(name, from, conditions, isEsm) {
  const [head, subpath] = splitName(name);
  if (isEsm && (head.startsWith('.') || /[%\\]/.test(head) || (head.startsWith('@') && !/\/./.test(name)))) {
    throw coded(TypeError, 'ERR_INVALID_MODULE_SPECIFIER', `Invalid module "${name}" is not a valid package name imported from ${from}`);
  }
  const self = packageOf(from);
  if (self !== null && self.name === head && self.exports != null) return existing(resolveExports(self, subpath, conditions, from), name, from, isEsm);
  for (let folder = path.dirname(from); ; folder = path.dirname(folder)) {
    const place = `${folder === '/' ? '' : folder}/node_modules/${head}`;
    if (!folder.endsWith('/node_modules') && natives.fileKind(place) === isDirectory) {
      const owner = packageAt(place);
      if (owner?.exports != null) return existing(resolveExports(owner, subpath, conditions, isEsm ? from : undefined), name, from, isEsm);
      const file = path.join(place, subpath);
      if (isEsm && subpath !== '.') return existing(asEsmFile(file, from) ?? file, name, from, isEsm);
      const hit = asFile(file) ?? asFolder(file, name);
      if (hit !== undefined) return found(hit, name, from, isEsm);
    } else if (subpath === '.' && !isEsm && natives.fileKind(place) !== isRefused && asFile(place)) {
      return found(asFile(place), name, from, isEsm);
    }
    if (folder === '/') return found(undefined, name, from, isEsm);
  }
}
const forRequire = ['node', 'require', 'module-sync', 'node-addons'];
const forImport = ['node', 'import', 'module-sync', 'node-addons'];
// A file that `require` loads is of the kind of its package only where its ending says nothing else.
const formatOf = (file, isRequired = false) => {
  if (file.startsWith('node:')) return 'builtin';
  if (file.startsWith('data:')) return dataFormat(file);
  if (file.endsWith('.mjs') || file.endsWith('.mts')) return 'module';
  if (file.endsWith('.cjs') || file.endsWith('.cts')) return 'commonjs';
  if (file.endsWith('.json')) return 'json';
  const type = isRequired && !/\.[jt]s$/.test(file) ? undefined : packageOf(file)?.type;
  if (type === 'module' || type === 'commonjs') return type;
  if (!detected.has(file)) detected.set(file, isModuleText(natives.fileKind(file) === isFile ? withoutHashbang(read(file)) : '', file));
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
const dataType = (url) => /^data:([^;,]*)/.exec(url)[1].trim().toLowerCase();
function checkDataUrl(url) {
  if (/^data:[^,/]*(?:,|$)/.test(url) || !url.includes(',')) throw Object.assign(coded(TypeError, 'ERR_INVALID_URL', 'Invalid URL'), { input: url });
  return url;
}
function dataFormat(url) {
  const type = dataType(url);
  if (type === 'text/javascript') return 'module';
  if (type === 'application/json') return 'json';
  throw coded(RangeError, 'ERR_UNKNOWN_MODULE_FORMAT', `Unknown module format: ${type || 'null'} for URL ${url}`);
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
  const plain = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  return isTyped(file) ? withoutTypes(plain, file) : plain;
}
// Packages are published as JavaScript.
function withoutTypes(text, file) {
  if (file.includes('/node_modules/')) throw coded(Error, 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING', `Stripping types is currently unsupported for files under node_modules, for "${toUrl(file)}"`);
  shelf.load('typescript');
  return shelf.removeTypes(withoutHashbang(text), file);
}
const withoutHashbang = (text) => (text.startsWith('#!') ? `//${text.slice(2)}` : text);
Object.assign(parts, { isModuleText, packageOf, wrapperNames, asFile, asFolder, builtin, forImport, forRequire, formatOf, found, isBuiltin, path, read, resolve, toPath, toUrl,
  withoutHashbang });
