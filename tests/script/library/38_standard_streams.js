// SPDX-License-Identifier: Apache-2.0
// process.stdout as a stream: before node:stream is loaded and after it, one object in one order.
const out=process.stdout; let caught='';
out.write('plain\n',()=>console.log('callback')); console.log(out===process.stdout,out.writable,typeof out.on);
const original=out.write; out.write=function(text,...rest){ caught+=text; return original.call(this,text,...rest) };
const {Writable,Readable,PassThrough,Transform,pipeline,finished}=require('stream'); const sp=require('stream/promises');
console.log('captured'); out.write=original===undefined?undefined:out.constructor.prototype.write; console.log(JSON.stringify(caught),out instanceof Writable,out.writableEnded,out.destroyed,out.writableLength);
out.write(Buffer.from('bytes é\n')); out.write(new Uint8Array([104,105,10])); out.write('c3a90a','hex'); out.write('caf\u00e9\n','utf8',()=>console.log('written'));
const half=Buffer.from('€\n'); out.write(half.subarray(0,1)); out.write(half.subarray(1));
for (const v of [null,5,undefined]) try { out.write(v) } catch(e) { console.log(e.name,e.code,e.message) }
process.nextTick(()=>console.log('tick')); Promise.resolve().then(()=>console.log('microtask')); setImmediate(async()=>{ console.log('immediate');
  Readable.from(['piped ','text\n']).pipe(out); await new Promise(r=>setTimeout(r,5));
  await sp.pipeline(Readable.from(['in a ','pipeline\n']),new Transform({transform(c,e,cb){ cb(null,c) }}),out,{end:false}); console.log('still open',out.writableEnded);
  out.cork(); out.write('a'); out.write('b\n'); out.uncork(); out.once('drain',()=>{}); console.log(out.listenerCount('drain'),out.writableNeedDrain);
});
