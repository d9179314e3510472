// SPDX-License-Identifier: Apache-2.0
// Modules, part 3: ES modules, and import between the two kinds.
'use strict';
const { base, hooks } = shelf;
const { natives, engine, coded } = base;
const parts = shelf.moduleParts;
const { Module, builtin, cache, exportNames, forImport, formatOf, load, parseJson, path, read, resolve, toPath, toUrl, withoutHashbang } = parts;

const modules = new base.SafeMap();  // a file or built-in's name to a record
const byUrl = new base.SafeMap();
// `suffix` is the query and fragment of the specifier: another one is another module.
function moduleFor(file, suffix = '') {
  let record = modules.get(file + suffix);
  if (record === undefined) {
    const format = formatOf(file);
    checkExtension(file, format);
    const url = (file.startsWith('node:') || file.startsWith('data:') ? file : toUrl(file)) + suffix;
    record = { file, url, format, number: -1, isLinked: false, promise: undefined, attributes: new base.SafeMap(), text: '' };
    // Known before it is made: an engine may ask for the imports of a module meanwhile.
    modules.set(file + suffix, record);
    byUrl.set(url, record);
    try {
      if (format === 'module') compileModule(record, withoutHashbang(read(file)));
      else record.number = synthetic(record);
    } catch (error) {
      modules.delete(file + suffix);
      byUrl.delete(url);
      throw error;
    }
  }
  return record;
}
// A file that is named by import says by its ending what it is.
function checkExtension(file, format) {
  if (format !== 'commonjs' || file.startsWith('data:')) return;
  const ending = path.extname(file);
  if (ending === '' || ending === '.js' || ending === '.cjs' || ending === '.ts' || ending === '.cts') return;
  throw coded(TypeError, 'ERR_UNKNOWN_FILE_EXTENSION', `Unknown file extension "${ending}" for ${file}`);
}
const suffixOf = (name) => (name.startsWith('data:') ? '' : /[?#].*$/.exec(name.slice(1))?.[0] ?? '');
// The engine may know no `with { type: 'json' }`: it is read and blanked here, in place.
const attributed = /((?:from|import)\s*)(['"])([^'"\n]*)\2(\s*)(with\s*\{([^{}]*)\})/g;
function compileModule(record, text) {
  record.text = text;
  try { record.number = engine.createModule(record.url, text); } catch (error) {
    if (!(error instanceof SyntaxError) || !/'with'/.test(error.message)) throw error;
    const plain = text.replace(attributed, (all, head, mark, name, gap, clause, inside) => {
      record.attributes.set(name, /\btype['"]?\s*:\s*['"]([^'"]*)/.exec(inside)?.[1]);
      return head + mark + name + mark + gap + clause.replace(/[^\n]/g, ' ');
    });
    record.number = engine.createModule(record.url, plain);
  }
}
function checkAttribute(record, type) {
  if (record.format === 'json' && type !== 'json') throw coded(TypeError, 'ERR_IMPORT_ASSERTION_TYPE_MISSING', `Module "${record.url}" needs an import attribute of type "json"`);
  if (type === 'json' && record.format !== 'json') throw coded(TypeError, 'ERR_IMPORT_ASSERTION_TYPE_FAILED', `Module "${record.url}" is not of type "json"`);
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
    const { exports } = cache[file] ?? load(file, parts.mainModule ?? new Module(file));
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

// After a failure the modules of this walk are linked anew by the next import of one.
function link(record) {
  const walked = [];
  try { linkInto(record, walked); } catch (error) {
    for (let i = 0; i < walked.length; i += 1) walked[i].isLinked = false;
    throw error;
  }
}
function linkInto(record, walked) {
  if (record.isLinked || record.format !== 'module') return;
  record.isLinked = true;
  walked[walked.length] = record;
  const requests = engine.moduleRequests(record.number);
  for (let i = 0; i < requests.length; i += 2) {
    const name = requests[i];
    const other = moduleFor(resolve(name, record.file, forImport, true), suffixOf(name));
    checkAttribute(other, record.attributes?.get(name) ?? requests[i + 1]);
    engine.linkModule(record.number, name, other.number);
    linkInto(other, walked);
  }
}
// A name that a CommonJS module does not export: the message tells the way around.
function nameCommonJs(error, record, place) {
  const found = /^The requested module '(.+)' does not provide an export named '(.+)'$/.exec(error.message);
  if (found === null) return;
  const [, name, missing] = found;
  const url = place.slice(0, place.indexOf('\n')).replace(/:\d+$/, '');
  const asker = byUrl.get(url) ?? record;
  let other;
  try { other = moduleFor(resolve(name, asker.file, forImport, true), suffixOf(name)); } catch { return; }
  if (other.format !== 'commonjs') return;
  const line = place.split('\n')[1] ?? '';
  const list = /import\s+(?:[\w$]+\s*,\s*)?(\{[^}]*\})\s*from/.exec(line)?.[1].replace(/\s+as\s+/g, ': ');
  const example = list === undefined ? '' : `const ${list} = pkg;\n`;
  const text = `Named export '${missing}' not found. The requested module '${name}' is a CommonJS module, which may not support all module.exports as named exports.\nCommonJS modules can always be imported via the default export, for example using:\n\nimport pkg from '${name}';\n${example}`;
  error.stack = String(error.stack).replace(error.message, () => text);
  error.message = text;
}
// An error of the linking has its place in its stack.
function instantiate(record) {
  try { engine.instantiateModule(record.number); } catch (error) {
    const place = engine.placeOf(error);
    nameCommonJs(error, record, place);
    if (place && !shelf.placedErrors.has(error)) error.stack = `${place}\n${error.stack}`;
    shelf.placedErrors.set(error, true);
    throw error;
  }
}
// A name of CommonJS in an ES module: the message tells the way around.
function nameScope(error, file) {
  if (engine.kind(error) !== 'Error' || error.name !== 'ReferenceError') return;
  const name = /^(require|exports|module|__filename|__dirname) is not defined$/.exec(error.message)?.[1];
  if (name === undefined) return;
  let text = `${error.message} in ES module scope`;
  if (name === 'require') text += ', you can use import instead';
  const found = parts.packageOf(file);
  if (file.endsWith('.js') && found?.type === 'module') {
    text += `\nThis file is being treated as an ES module because it has a '.js' file extension and '${found.folder}/package.json' contains "type": "module". To treat it as a CommonJS script, rename it to use the '.cjs' file extension.`;
  }
  shelf.keptPlaces.set(error, engine.placeOf(error));  // Read from the engine's own stack.
  error.stack = String(error.stack).replace(error.message, () => text);
  error.message = text;
}
function evaluate(record) {
  link(record);
  if (record.promise === undefined) {
    instantiate(record);
    record.isEvaluating = true;
    engine.pauseAtFirstCall?.();  // Does nothing after the main module.
    try { record.promise = engine.evaluateModule(record.number); } finally { record.isEvaluating = false; }
    // Without a job: one would change the order of the program's.
    const [status, reason] = engine.promiseDetails(record.promise);
    if (status === 2) nameScope(reason, record.file);
  }
  return record.promise;
}
// Its body runs now: it cannot be evaluated a second time.
const isEvaluating = (record) => record.isEvaluating === true || (record.number >= 0 && engine.isModuleEvaluating?.(record.number) === true);
// import() takes as many jobs as in Node. A file of which Node reads the text on other threads comes
// after the immediates that wait.
async function importModule(name, from, type) {
  const text = `${name}`;
  for (let jobs = 3; jobs > 0; jobs -= 1) await undefined;
  const file = resolve(text, from, forImport, true);
  const suffix = suffixOf(text);
  const isKnown = modules.get(file + suffix) !== undefined;
  if (!isKnown && file.startsWith('/') && formatOf(file) !== 'commonjs') {
    await new Promise((done) => { shelf.setImmediate(() => shelf.setImmediate(done)); });
  }
  for (let jobs = isKnown ? 3 : file.startsWith('data:') ? 12 : 11; jobs > 0; jobs -= 1) await undefined;
  const record = moduleFor(file, suffix);
  // The engine does not tell of `with` in a call: JSON is taken without.
  if (type !== undefined) checkAttribute(record, type);
  await evaluate(record);
  return engine.moduleNamespace(record.number);
}
const pathOf = (referrer) => (typeof referrer === 'string' && referrer !== '' ? toPath(referrer) : `${natives.directory()}/[eval]`);
// Those of vm, by their identifiers (lazy/vm_modules.js).
parts.vmModules = new base.SafeMap();
hooks.importModule = (name, referrer, type) => {
  const ofVm = parts.vmModules.get(referrer);
  return ofVm === undefined ? importModule(name, pathOf(referrer), type) : parts.importOfVm(ofVm, name, type);
};
// For an engine that links and imports modules itself, by their urls.
hooks.resolveModule = (name, referrer, type, isCall) => {
  const asker = byUrl.get(referrer);
  if (asker?.target !== undefined) return asker.target.url;
  const record = moduleFor(resolve(String(name), asker?.file ?? pathOf(referrer), forImport, true), suffixOf(String(name)));
  if (!isCall || type !== undefined) checkAttribute(record, type);
  return record.url;
};
hooks.fillImportMeta = (url, meta) => {
  const ofVm = parts.vmModules.get(url);
  if (ofVm !== undefined) return ofVm.fill?.(meta, ofVm.module);
  const record = byUrl.get(url);
  const file = record?.file ?? toPath(url);
  meta.dirname = path.dirname(file);
  meta.filename = file;
  meta.resolve = (name) => {
    const text = `${name}`;
    if (/^[a-z][a-z0-9+.-]*:/i.test(text) && !text.startsWith('file:') && !text.startsWith('node:')) return text;
    try {
      const hit = resolve(text, file, forImport, true);
      return hit.startsWith('node:') ? hit : toUrl(hit) + suffixOf(text);
    } catch (error) {
      if ((error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'ERR_UNSUPPORTED_DIR_IMPORT') && error.url) return error.url;
      throw error;
    }
  };
  meta.url = url;
};
Object.assign(parts, { byUrl, compileModule, evaluate, isEvaluating, made, moduleFor, modules });
