// SPDX-License-Identifier: Apache-2.0
try { require('./m.mjs') } catch (e) { console.log(e.name, e.code, e.message.replace(__dirname,'D')) }
