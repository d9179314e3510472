// SPDX-License-Identifier: Apache-2.0
Object.defineProperty(exports, '__esModule', { value: true }); exports.a = 1; exports.default = 'def';
