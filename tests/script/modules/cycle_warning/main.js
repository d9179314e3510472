// SPDX-License-Identifier: Apache-2.0
process.on('warning', (w) => console.log(w.name, w.message));
const a = require('./a'); console.log(Object.keys(a));
