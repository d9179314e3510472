// SPDX-License-Identifier: Apache-2.0
module.exports = Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true } });
