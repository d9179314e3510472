// SPDX-License-Identifier: Apache-2.0
// The prompt of gyre repl: takes inputs from the host, runs them, and shows their values. Natives: replNext,
// replShow, replReport, replAnswer, replListen.
'use strict';
const { base, builtins } = shelf;
const { engine, natives } = base;
shelf.load('repl_text');
const { replText: text } = shelf;
const { Module, makeRequire, nodePaths } = shelf.moduleParts;

// ---- What an input finds ----

const folder = natives.directory();
const module = new Module('<repl>');
module.filename = `${folder}/<repl>`;
module.paths = nodePaths(folder);
Object.assign(globalThis, { module, exports: module.exports, require: makeRequire(module) });
shelf.nameModules();
const setLast = (name, value) => Object.defineProperty(globalThis, name, { value, configurable: true, writable: true, enumerable: false });

// ---- Values and errors ----

const style = { colors: base.config.tty1 === true, showProxy: true };
const show = (value) => natives.replShow(shelf.inspect(value, style));
// Without the frames of the prompt and of the library.
function report(error) {
  setLast('_error', error);
  let told;
  if (engine.kind(error) === 'Error') {
    const { stack } = error;
    if (error.message === 'interrupted' && error.name !== 'SyntaxError') return natives.replReport('interrupted\n');
    if (typeof stack === 'string') {
      const lines = stack.split('\n');
      const first = lines.findIndex((line) => /^ +at /.test(line) && (/\(?gyre:|\(?node:|<anonymous>$/.test(line) || /^ +at \[input\]/.test(line)));
      try { if (first !== -1) error.stack = lines.slice(0, first).join('\n'); } catch { /* A frozen error shows with them. */ }
    }
    const place = error.name === 'SyntaxError' ? engine.placeOf(error) : '';
    const isOwn = typeof place === 'string' && place.startsWith('[input]');
    told = `Uncaught ${isOwn ? `${error.name}: ${error.message}` : shelf.inspect(error, style).replace(/^\[([^\n]*)\]$/, '$1')}`;
    if (isOwn) told = `${place.split('\n').slice(1).join('\n')}\n${told}`;
  } else told = `Uncaught ${shelf.inspect(error, style)}`;
  return natives.replReport(`${told}\n`);
}

// ---- Running ----

// The input that has not ended: a number of its own, so that an end that comes late is known.
let running;
let count = 0;
const known = new base.SafeSet();  // names that inputs have declared
function end(number) {
  if (running !== number) return;
  running = undefined;
  next();
}
function settled(number, value) {
  if (running !== number) return;
  setLast('_', value);
  show(value);
  end(number);
}
function failed(number, error) {
  if (running !== number) return;
  report(error);
  end(number);
}
function declare(name) {
  known.add(name);
  // Where it is one of `let`, the assignment finds it.
  try { engine.runScript(`var ${name}`, '[input]', 0, 0, 0); } catch { /* It is declared. */ }
}
function run(input) {
  count += 1;
  const number = running = count;
  try {
    const { source, names, isAsync } = text.prepared(input);
    names.forEach(declare);
    text.declared(input).forEach((name) => known.add(name));
    const value = engine.runScript(source, '[input]', 0, 0, 0);
    if (isAsync) return base.then(value, (result) => settled(number, result), (error) => failed(number, error));
    return settled(number, value);
  } catch (error) { return failed(number, error); }
}
let isAsked = false;  // the host, for the next input
function next() {
  const input = shelf.expect((isInput, given) => {
    isAsked = false;
    if (isInput === 1) run(given);
    else shelf.process.exit();
  });
  isAsked = true;
  natives.replNext(input);
}
// What timers and callbacks throw, and the end of an input by Ctrl-C: which may also come in the middle of the lines above.
shelf.process.setUncaughtExceptionCaptureCallback((error) => {
  const isInterrupt = engine.kind(error) === 'Error' && error.message === 'interrupted';
  if (running !== undefined && isInterrupt) return failed(running, error);
  report(error);
  return running === undefined && !isAsked ? next() : undefined;
});

// ---- Questions of the host ----

const keywords = 'async await break case catch class const continue debugger default delete do else export extends false finally for function if import in instanceof let new null of return static super switch this throw true try typeof undefined var void while with yield'.split(' ');
function namesOf(value) {
  const names = new base.SafeSet();
  for (let at = Object(value), depth = 0; at !== null && depth < 20; at = Object.getPrototypeOf(at), depth += 1) {
    for (const name of Object.getOwnPropertyNames(at)) if (/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)) names.add(name);
  }
  return names;
}
// The property without the call of a getter that a script has written.
function propertyOf(value, name) {
  for (let at = Object(value); at !== null; at = Object.getPrototypeOf(at)) {
    const found = Object.getOwnPropertyDescriptor(at, name);
    if (found === undefined) continue;
    return found.get === undefined || at === globalThis ? value[name] : undefined;
  }
  return undefined;
}
function completions(typed) {
  const [, chain, part] = /((?:[\p{ID_Start}$_][\p{ID_Continue}$]*\??\.)*)([\p{ID_Continue}$]*)$/u.exec(typed);
  const list = [];
  if (chain === '') {
    const before = /[\w$)\]]\s*\.$/.test(typed.slice(0, typed.length - part.length));
    if (before) return list;
    const names = namesOf(globalThis);
    for (const name of keywords) names.add(name);
    known.forEach((name) => names.add(name));
    names.forEach((name) => { if (name.startsWith(part)) list.push(name); });
  } else {
    const [first, ...others] = chain.split(/\??\./).filter(Boolean);
    let value = known.has(first) && !(first in globalThis) ? engine.runScript(first, '[input]', 0, 0, 0) : propertyOf(globalThis, first);
    for (const name of others) value = value === undefined || value === null ? undefined : propertyOf(value, name);
    if (value === undefined || value === null) return list;
    namesOf(value).forEach((name) => { if (name.startsWith(part)) list.push(name); });
  }
  return list.sort();
}
const questions = { __proto__: null,
  complete: (input) => (text.isComplete(input) ? 'yes' : ''),
  names: (typed) => { try { return completions(typed).join('\n'); } catch { return ''; } },
  // Ctrl-C while nothing runs: the input that waits is given up.
  interrupt: () => { if (running !== undefined) failed(running, new Error('interrupted')); },
};
const asked = ['complete', 'names', 'interrupt'];
natives.replListen(shelf.expect((which, given) => { natives.replAnswer(questions[asked[which]](given) ?? ''); }, true));
next();
