// SPDX-License-Identifier: Apache-2.0
module.exports = { 1: 'one', a: 2 };
