// SPDX-License-Identifier: Apache-2.0
"use strict"; var __exportStar = (this && this.__exportStar) || function (m, e) { for (var p in m) if (p !== 'default') e[p] = m[p]; }; Object.defineProperty(exports, "__esModule", { value: true }); __exportStar(require("./x.cjs"), exports); __exportStar(require("./a.cjs"), exports);
