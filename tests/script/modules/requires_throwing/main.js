// SPDX-License-Identifier: Apache-2.0
for (let i=0;i<2;i++) try { require('./m.js') } catch (e) { console.log(e.name, e.message) }
console.log(Object.keys(require.cache).length, module.children.length);
