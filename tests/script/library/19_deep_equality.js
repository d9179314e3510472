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
