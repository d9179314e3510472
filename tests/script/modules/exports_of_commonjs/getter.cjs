// SPDX-License-Identifier: Apache-2.0
Object.defineProperty(exports, 'g', { enumerable: true, get: function () { return q.z; } }); const q = { z: 7 };
