// SPDX-License-Identifier: Apache-2.0
console.log((await import('data:text/javascript,export default 7')).default, (await import('data:text/javascript;base64,ZXhwb3J0IGRlZmF1bHQgOA==')).default);
for (const s of ['data:text/javascript,throw 1','data:text/javascript,let','data:text/plain,x','data:text/javascript,import "./x.js"', 'data:text/javascript,import "events"', 'data:,x', 'data:text/javascript,import "bare"']) try { console.log(await import(s)) } catch (e) { console.log(s, e.name, e.code, e.message) }
