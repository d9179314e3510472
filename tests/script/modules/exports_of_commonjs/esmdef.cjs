// SPDX-License-Identifier: Apache-2.0
exports.__esModule = true; exports.default = class {};
