// SPDX-License-Identifier: Apache-2.0
class MyErr extends Error {}
class ValidationError extends Error { constructor(m){super(m); this.name='ValidationError'; this.field='x';} }
const strip = (s) => s.replace(/\n\s+at .*/g, '\n    at X').replace(/(\n    at X)+/g,'\n    at X');
const util = require('util');
const log = (v) => console.log(strip(util.inspect(v)));
log(new MyErr('a')); log(new ValidationError('v')); log(new AggregateError([new Error('1'), new TypeError('2')], 'agg'));
log({e: new Error('inner')}); log([new RangeError('q')]); const e=new Error('nostack'); e.stack=undefined; log(e); const e2=new Error('x'); e2.stack='custom stack'; log(e2); const e3=new Error(''); log(e3); e3.code='E'; log(e3);
log(Object.create(Error.prototype)); const n=new Error('multi\nline'); log(n);
console.log(util.inspect('a\'b"c`d'), util.inspect({a:1},{compact:false}), util.inspect([1,[2,[3,[4]]]],{depth:0}), util.inspect({a:{b:{c:{}}}},{depth:Infinity}));
console.log(util.inspect(new Proxy({a:1},{get(){return 1}}),{showProxy:true}), util.inspect([1,2,3],{maxArrayLength:1}), util.inspect('x'.repeat(50),{maxStringLength:10}));
console.log(util.inspect({b:1,a:2},{sorted:true}), util.inspect({get x(){return 5}},{getters:true}), util.inspect([1,2],{showHidden:true}), util.inspect(1234567.891,{numericSeparator:true}));
console.log(util.inspect({a:1n,b:'s',c:null,d:undefined,e:Symbol('q'),f:new Date(0),g:/r/},{colors:true}));
console.log({ [util.inspect.custom](d,o){ return 'CUSTOM'; } }, { a: { [util.inspect.custom](){ return {z:1}; } } });
console.log(util.format('%s %s', 'a'), util.format('%d', '0x10'), util.format('%s', null, undefined, 5n, Symbol('a'), {a:1}, [1], ()=>1, class Q{}, new Date(0)), util.format('%%%s%%', 'x'), util.format('%x', 1), util.format(1,2,'3'), util.format('%s', new (class T{toString(){return 'T!'}})()));
console.log(util.isDeepStrictEqual({a:[1,new Map([[1,2]])]},{a:[1,new Map([[1,2]])]}), util.types.isPromise(Promise.resolve()), util.inspect(new Map([[{a:1},'v']])));
console.log([['x'.repeat(30),'y'.repeat(30)],['z'.repeat(30)]], {a:'x'.repeat(70)}, {f:function(){},g:()=>{},h:class{}});
console.log(Array.from({length:30},(_, i)=>'item'+i), Array.from({length:10},(_, i)=>({i})), Array.from({length:8},(_, i)=>i*1000));
console.log(new Map([['a',{b:{c:{d:1}}}]]), new Set([[1,2],{a:1}]), [[[[[]]]]], [[[[1]]]], {a:{b:{c:[]}}}, {a:{b:{c:{}}}});
console.log(Object.create({constructor:{name:'Fake'}}), Object.create(class Z{}.prototype), new (class extends Array{})(1,2,3), Object.setPrototypeOf([1],null), Object.setPrototypeOf({a:1},null), Object.setPrototypeOf(new Map([[1,2]]),null));
console.log(new (class X { #p=1; pub=2; static s=3 })(), class Y { static s=3 }, Object.freeze({a:1}), Object.defineProperty({}, 'h', {value:1}), {__proto__:{inherited:1}});
console.log({'key with space':1, valid_id:2, 'ünï':3, '':4, 0:5}, [ 'a\tb', 'c\\d', '\u0000', '\u{1F600}', '\ud800' ]);
console.log(new Array(200).fill(7), new Set(Array.from({length:120},(_, i)=>i)), 'x'.repeat(10) );
console.log([1,2,3].entries(), new Map([[1,2]])[Symbol.iterator](), new Map([[1,2]]).keys(), 'abc'[Symbol.iterator](), 'a1b2'.matchAll(/\d/g));
console.log(setTimeout, process.nextTick, Promise, Symbol, BigInt, Array.prototype.map);
console.log([function(){}, Object.assign(()=>{}, {x:1})], {m(){}, async am(){}, *gm(){}, async *agm(){}});
console.log(new Boolean(true), new Date(NaN), new WeakRef({a:1}), [new WeakMap()], async()=>{} , Promise.reject(new Error('r')).catch(()=>{}), new Promise(()=>{}));
