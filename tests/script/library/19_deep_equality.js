// SPDX-License-Identifier: Apache-2.0
// The comparison of assert and util, strict and loose.
const {isDeepStrictEqual:d}=require('util');
const a=require('assert');
const loose=(x,y)=>{ try { a.deepEqual(x,y); return true } catch { return false } };
const pairs=[[1,'1'],[0,-0],[NaN,NaN],[null,undefined],[[1,2],[1,2]],[[1,,2],[1,undefined,2]],[{a:1},{a:1,b:undefined}],[{a:undefined},{b:undefined}],[new Set([1,{a:1}]),new Set([{a:1},1])],[new Set([1]),new Set(['1'])],[new Map([[{a:1},2]]),new Map([[{a:1},2]])],[new Map([[1,2],[3,4]]),new Map([[3,4],[1,2]])],[new Map([['1',1]]),new Map([[1,1]])],[new Date(0),new Date(0)],[new Date(0),new Date(1)],[/a/g,/a/i],[new Error('a'),new Error('a')],[new Error('a'),new TypeError('a')],[Object(1),Object(1)],[Object(1),1],[Object('a'),Object('a')],[new Uint8Array([1]),new Uint8Array([1])],[new Uint8Array([1]),new Int8Array([1])],[new Float32Array([0]),new Float32Array([-0])],[new ArrayBuffer(2),new ArrayBuffer(2)],[Object.create(null),{}],[Symbol.for('a'),Symbol.for('a')],[{[Symbol.for('a')]:1},{[Symbol.for('a')]:2}],[()=>{},()=>{}],[new WeakMap(),new WeakMap()],[Promise.resolve(1),Promise.resolve(1)],[class A{},class A{}],[[],{}],[[0],['0']],['',[]],[1n,1],[new (class A{})(),new (class A{})()],[{a:{b:{c:[1]}}},{a:{b:{c:[1]}}}],[Object.assign([1],{x:1}),[1]],[(function(){return arguments})(1),[1]],[new Error('a',{cause:1}),new Error('a',{cause:2})],[new AggregateError([1],'x'),new AggregateError([2],'x')],[new Set([[1],[2]]),new Set([[2],[1]])],[new Set([[1],[1]]),new Set([[1],[2]])],[new URL('http://a'),new URL('http://b')]];
const c1={}; c1.c=c1;
const c2={}; c2.c=c2; pairs.push([c1,c2]);
const c3={c:{}}; c3.c.c=c3; pairs.push([c1,c3]);
for (const [x,y] of pairs) console.log(d(x,y),d(y,x),loose(x,y),loose(y,x));

// Typed arrays: the indexes are no keys, other properties are; floats are compared as numbers.
{
  const { deepStrictEqual, deepEqual } = require('assert');
  const tell = (compare, a, b) => { try { compare(a, b); return true; } catch { return false; } };
  const extra = Object.assign(new Uint8Array(2), { note: 1 });
  const pairs = [
    [new Uint8Array([1, 2]), new Uint8Array([1, 2])], [new Uint8Array([1, 2]), new Uint8Array([1, 3])], [new Uint8Array(2), new Uint8Array(3)],
    [extra, new Uint8Array(2)], [extra, Object.assign(new Uint8Array(2), { note: 1 })], [extra, Object.assign(new Uint8Array(2), { note: 2 })],
    [new Float64Array([0, NaN]), new Float64Array([0, NaN])], [new Float64Array([0]), new Float64Array([-0])], [new Float32Array([1.5]), new Float64Array([1.5])],
    [new BigInt64Array([1n]), new BigInt64Array([1n])], [Buffer.from('ab'), Buffer.from('ab')], [Buffer.from('ab'), new Uint8Array([97, 98])],
    [new Uint8Array([9, 1, 2]).subarray(1), new Uint8Array([1, 2])], [new ArrayBuffer(2), new ArrayBuffer(2)], [new Uint8Array([1]).buffer, new ArrayBuffer(1)],
  ];
  console.log(pairs.map(([a, b]) => `${tell(deepStrictEqual, a, b)} ${tell(deepEqual, a, b)}`).join(', '));
  console.log(tell(deepStrictEqual, Buffer.alloc(1 << 24, 'x'), Buffer.alloc(1 << 24, 'x')));
}
