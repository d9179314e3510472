// SPDX-License-Identifier: Apache-2.0
const thinkOf = (number) => new Promise((done) => setTimeout(done, 10, number));
const [six, seven] = await Promise.all([thinkOf(6), thinkOf(7)]);
console.log(`6 times 7 is ${six * seven}`);
