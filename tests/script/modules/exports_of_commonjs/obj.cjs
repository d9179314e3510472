// SPDX-License-Identifier: Apache-2.0
module.exports = { a: 1, b: 2 };
