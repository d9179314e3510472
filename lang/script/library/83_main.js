// SPDX-License-Identifier: Apache-2.0
// Modules, part 4: the main script.
'use strict';
const { base, hooks, builtins } = shelf;
const { natives, engine } = base;
const parts = shelf.moduleParts;
const { Module, asFile, asFolder, byUrl, compileModule, evaluate, formatOf, found, isModuleText, load, makeRequire, moduleFor, nodePaths, path,
  toUrl } = parts;

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
      shelf.reportUncaught(error, engine.placeOf(error), 'uncaughtException', true);
      return;
    }
    base.then(mainPromise, () => { isMainDone = true; }, (error) => {
      isMainDone = true;
      shelf.reportUncaught(error, engine.placeOf(error), 'unhandledRejection', true);
    });
  });
}
// Node's status 13: the main module waits for a promise that nothing can settle. Node 20 prints no
// warning.
shelf.checkTopLevelAwait = () => {
  if (!isMainDone) shelf.process.exitCode ??= 13;
};

// Node's modules as global names: in the text of --eval and at the prompt.
shelf.nameModules = () => {
  for (const name of Module.builtinModules) {
    if (name.includes('/') || name in globalThis || parts.wrapperNames.includes(name)) continue;
    const keep = (value) => Object.defineProperty(globalThis, name, { value, configurable: true, writable: true, enumerable: true });
    Object.defineProperty(globalThis, name, { configurable: true, enumerable: false, get() { keep(globalThis.require(name)); return globalThis[name]; }, set: keep });
  }
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
  } else if (kind === 'module' || (kind !== 'print' && !shelf.isWorker && isModuleText(text, '[eval]'))) {
    const file = `${cwd}/[eval1]`;
    const record = { file, url: toUrl(file), format: 'module', number: -1, isLinked: false, attributes: new base.SafeMap() };
    compileModule(record, text);
    byUrl.set(record.url, record);
    runModule(() => evaluate(record));
  } else if (kind === 'repl') {
    shelf.load('repl');
  } else {
    const name = shelf.isWorker ? '[worker eval]' : '[eval]';
    const module = new Module(name);
    module.filename = `${cwd}/${name}`;
    module.paths = nodePaths(cwd);
    Object.assign(globalThis, { module, exports: module.exports, require: makeRequire(module), __filename: name, __dirname: '.' });
    engine.pauseAtFirstCall?.();
    if (!shelf.isWorker) shelf.nameModules();
    const value = engine.runScript(text, name);
    if (kind === 'print') globalThis.console.log(value);
  }
};
shelf.builtins.module = parts.Module;
shelf.toUrl = parts.toUrl;
shelf.toPath = parts.toPath;

shelf.process.getBuiltinModule = (id) => {
  base.checks.isString(id, 'id');
  return parts.isBuiltin(id) ? parts.builtin(id) : undefined;
};
