// SPDX-License-Identifier: Apache-2.0
// What Node 20 has of the language and an older engine lacks.
const list = [3, 1, 2];
console.log(list.toSorted(), list.toReversed(), list.with(1, 9), list.toSpliced(1, 1, 'x', 'y'), list.toSorted((a, b) => b - a), list);
console.log([, 1].toReversed(), [1, 2, 3].toSpliced(), [1, 2, 3].toSpliced(1), [1, 2, 3].at(-1), [1, 2, 3].findLast((x) => x < 3));
for (const body of [() => [1].with(5, 1), () => [1].toSorted(5)]) try { body(); } catch (error) { console.log(error.name, error.message); }
console.log(new Uint8Array([3, 1, 2]).toSorted(), new Float64Array([1, 2]).toReversed(), new Int8Array([1, 2]).with(0, 7));
console.log('a\ud800'.isWellFormed(), 'ab'.isWellFormed(), 'a\ud800b'.toWellFormed() === 'a\ufffdb');
console.log([].toSpliced.name, [].toSpliced.length, [].toSorted.length, [].with.length, Object.keys(Array.prototype));
console.log(Object.hasOwn({ a: 1 }, 'a'), structuredClone(new Map([[1, { a: [1n] }]])), typeof Symbol.dispose);
