// SPDX-License-Identifier: Apache-2.0
// Words such as import and export in a string, or import() as a call, make no module.
module.exports = ['export', typeof import('./named.js'), typeof require];
