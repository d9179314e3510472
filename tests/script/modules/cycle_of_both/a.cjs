// SPDX-License-Identifier: Apache-2.0
console.log('a'); try { require('./main.mjs') } catch (e) { console.log(e.code, e.message.split('\n')[0].replace(__dirname,'D')) }
