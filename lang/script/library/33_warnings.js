// SPDX-License-Identifier: Apache-2.0
// process.emitWarning, and how a warning is printed.
'use strict';
const { base, process: self, nextTick } = shelf;
const { natives, config, argumentType } = base;

self.emitWarning = function emitWarning(warning, given, givenCode, givenStart) {
  let [type, code, start, detail] = [given, givenCode, givenStart];
  if (type !== null && typeof type === 'object' && !Array.isArray(type)) {
    start = type.ctor;
    code = type.code;
    if (typeof type.detail === 'string') detail = type.detail;
    type = type.type || 'Warning';
  } else if (typeof type === 'function') {
    start = type;
    code = undefined;
    type = 'Warning';
  }
  if (type !== undefined) base.checks.isString(type, 'type');
  if (typeof code === 'function') {
    start = code;
    code = undefined;
  } else if (code !== undefined) base.checks.isString(code, 'code');
  let made = warning;
  if (typeof warning === 'string') {
    made = new Error(warning);
    made.name = String(type || 'Warning');
    if (code !== undefined) made.code = code;
    if (detail !== undefined) made.detail = detail;
    Error.captureStackTrace?.(made, start || self.emitWarning);
  } else if (!(warning instanceof Error)) {
    throw argumentType('warning', ['Error', 'string'], warning);
  }
  if (made.name === 'DeprecationWarning') {
    if (self.noDeprecation) return;
    if (self.throwDeprecation) {
      nextTick(() => { throw made; });
      return;
    }
  }
  nextTick(() => self.emit('warning', made));
};
function showWarning(warning) {
  if (!(warning instanceof Error)) return;
  const isDeprecation = warning.name === 'DeprecationWarning';
  if (isDeprecation && self.noDeprecation) return;
  const code = warning.code ? `[${warning.code}] ` : '';
  const isTraced = self.traceProcessWarnings || (isDeprecation && self.traceDeprecation);
  let text = typeof warning.toString === 'function' ? `${warning.toString()}` : base.errorToString(warning);
  if (isTraced && warning.stack) text = `${warning.stack}`;
  const detail = typeof warning.detail === 'string' ? `\n${warning.detail}` : '';
  natives.write(2, `(gyre:${config.pid}) ${code}${text}${detail}\n`);
}
if (config.env.NODE_NO_WARNINGS !== '1') self.on('warning', showWarning);
// The listener is told of once.
self.on('newListener', function tellOld(type) {
  if (type !== 'multipleResolves') return;
  self.removeListener('newListener', tellOld);
  self.emitWarning('The multipleResolves event has been deprecated.', 'DeprecationWarning', 'DEP0160');
});
