// SPDX-License-Identifier: Apache-2.0
try { console.log(require('./f')) } catch (e) { console.log(e.code, e.message.split('\n')[0].replace(__dirname,'D'), e.path && e.path.replace(__dirname,'D'), e.requestPath) }
try { console.log(require('./g')) } catch (e) { console.log(e.code, e.message.split('\n')[0].replace(__dirname,'D'), e.path && e.path.replace(__dirname,'D'), e.requestPath) }
