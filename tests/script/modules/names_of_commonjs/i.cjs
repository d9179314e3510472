// SPDX-License-Identifier: Apache-2.0
module.exports = { a: 1, b, c: { d: 2 }, 'e': 3, f: function () {}, g };
var b, g;
