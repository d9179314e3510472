// SPDX-License-Identifier: Apache-2.0
try { require('./a'); } catch (e) { const n = (s) => s.replaceAll(__dirname, 'D'); console.log(n(e.message), e.code, e.requireStack.map(n)); }
