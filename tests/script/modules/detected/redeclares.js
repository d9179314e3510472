// SPDX-License-Identifier: Apache-2.0
const require = 'a name of the wrapper';
console.log(require);
