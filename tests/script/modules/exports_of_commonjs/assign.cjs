// SPDX-License-Identifier: Apache-2.0
exports.a = exports.b = exports.c = 1; exports['d-e'] = 2;
