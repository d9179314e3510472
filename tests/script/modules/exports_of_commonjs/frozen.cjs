// SPDX-License-Identifier: Apache-2.0
module.exports = Object.freeze({ a: 1, b: 2 });
