// SPDX-License-Identifier: Apache-2.0
const value = await Promise.resolve('value');
console.log(value, typeof module);
