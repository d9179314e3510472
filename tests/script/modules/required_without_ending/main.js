// SPDX-License-Identifier: Apache-2.0
// A file that require loads is a module by the type of its package only if it ends with .js.
console.log(require('typed/plain').kind, require('typed/tools/text.txt'), require('typed/script.js').kind);
