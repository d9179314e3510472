// SPDX-License-Identifier: Apache-2.0
console.log(performance instanceof EventTarget, Object.getPrototypeOf(Performance) === EventTarget, Performance.length);
performance.addEventListener('x', (event) => console.log(event.type, event.target === performance), { once: true });
performance.dispatchEvent(new Event('x'));
performance.dispatchEvent(new Event('x'));
try { new Performance(); } catch (error) { console.log(error.name, error.code, error.message); }
console.log(Object.prototype.toString.call(performance), Object.keys(performance));
