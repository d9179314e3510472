// SPDX-License-Identifier: Apache-2.0
for (const n of ['AbortController','AbortSignal','CustomEvent','DOMException','Event','EventTarget','TextDecoder','TextEncoder','URL','URLSearchParams','WebAssembly','atob','btoa','clearImmediate','clearInterval','clearTimeout','console','crypto','global','performance','process','queueMicrotask','setImmediate','setInterval','setTimeout','structuredClone']) {
  const d = Object.getOwnPropertyDescriptor(globalThis, n);
  if (d === undefined) { console.log(n, 'is missing'); continue; }
  console.log(n, typeof globalThis[n], globalThis[n]?.name, globalThis[n]?.length, d.enumerable, d.configurable, 'get' in d, d.writable);
}
console.log(Object.keys(globalThis).filter((n) => n !== "fetch"));
console.log(String(globalThis), Object.prototype.toString.call(process), Object.prototype.toString.call(console));
console.log(globalThis === global, this === module.exports, typeof require, typeof __filename);
