// SPDX-License-Identifier: Apache-2.0
console.log(process.memoryUsage().rss / 2 ** 20);
