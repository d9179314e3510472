// SPDX-License-Identifier: Apache-2.0
const x = 1, y = 2; module.exports = { x, y, z: 3, get w() { return 4; }, m() {} };
