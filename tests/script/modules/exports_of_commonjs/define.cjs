// SPDX-License-Identifier: Apache-2.0
Object.defineProperty(exports, 'v', { value: 3 }); Object.defineProperty(module.exports, 'w', { enumerable: true, value: 4 });
