// SPDX-License-Identifier: Apache-2.0
"use strict"; Object.defineProperty(exports, "__esModule", { value: true }); exports.b = exports.a = void 0; exports.a = 1; var x_1 = require("./x.cjs"); Object.defineProperty(exports, "xx", { enumerable: true, get: function () { return x_1.xx; } });
