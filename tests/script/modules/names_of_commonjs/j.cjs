// SPDX-License-Identifier: Apache-2.0
0 && (module.exports = { foo, bar }); module.exports = real(); function real() { return { foo: 1, bar: 2, baz: 3 }; } var foo, bar;
