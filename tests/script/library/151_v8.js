// SPDX-License-Identifier: Apache-2.0
// node:v8: values as bytes, and statistics.
const v8 = require('v8');
const value = { text: 'a', list: [1, , 3], map: new Map([[1, new Set(['x'])]]), date: new Date(0), bytes: Uint8Array.of(1, 2), big: 2n ** 70n, none: undefined, pattern: /a/g };
value.self = value;
console.log(v8.deserialize(v8.serialize(value)));
console.log(Buffer.isBuffer(v8.serialize(1)), v8.deserialize(v8.serialize(-0)), v8.deserialize(v8.serialize(null)));
for (const bad of [() => 1, Symbol('a')]) { try { v8.serialize(bad); } catch (error) { console.log(error.name, error.code, error.message); } }
for (const bad of [Buffer.from('junk and more junk'), Buffer.alloc(0)]) { try { v8.deserialize(bad); console.log('read'); } catch (error) { console.log(error.message); } }
const { used_heap_size: used, total_heap_size: total } = v8.getHeapStatistics();
console.log(used > 0, total >= used);
