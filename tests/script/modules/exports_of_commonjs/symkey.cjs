// SPDX-License-Identifier: Apache-2.0
exports[Symbol('s')] = 1; exports.k = 2;
