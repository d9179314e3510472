// SPDX-License-Identifier: Apache-2.0
// Functions of node:util that new programs do not need, and util.parseEnv.
'use strict';
const { base } = shelf;
const kindOf = (value) => (value !== null && typeof value === 'object' ? base.engine.kind(value) : '');
const isPrimitive = (value) => value === null || (typeof value !== 'object' && typeof value !== 'function');
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (number) => `${number}`.padStart(2, '0');

// NAME=value lines, with quotes and comments.
function parseEnv(content) {
  base.checks.isString(content, 'content');
  const made = {};
  const line = /^[ \t]*(?:export[ \t]+)?([^\s=#'"][^=\n#]*?)[ \t]*=[ \t]*(?:"([^"]*)"|'([^']*)'|`([^`]*)`|([^\n#]*))/gm;
  for (const [, name, double, single, back, plain] of content.replace(/\r\n?/g, '\n').matchAll(line)) {
    made[name] = double !== undefined ? double.replaceAll('\\n', '\n') : single ?? back ?? plain.trim();
  }
  return made;
}
shelf.utilLegacy = {
  isBoolean: (value) => typeof value === 'boolean', isBuffer: (value) => shelf.Buffer.isBuffer(value), isDate: (value) => kindOf(value) === 'Date',
  isError: (value) => kindOf(value) === 'Error' || value instanceof Error, isFunction: (value) => typeof value === 'function',
  isNull: (value) => value === null, isNullOrUndefined: (value) => value === null || value === undefined,
  isNumber: (value) => typeof value === 'number', isObject: (value) => value !== null && typeof value === 'object', isPrimitive,
  isRegExp: (value) => kindOf(value) === 'RegExp', isString: (value) => typeof value === 'string', isSymbol: (value) => typeof value === 'symbol',
  isUndefined: (value) => value === undefined, parseEnv,
  _extend: (target, source) => (source === null || typeof source !== 'object' ? target : Object.assign(target, source)),
  log(...args) {
    const now = new Date();
    shelf.console.log('%s - %s', `${now.getDate()} ${months[now.getMonth()]} ${[now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join(':')}`, shelf.formatLine({}, args));
  },
};
