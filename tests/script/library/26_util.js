// SPDX-License-Identifier: Apache-2.0
// node:util: styles, promisify, callbackify, deprecate.
{
const util=require('util');
const t=f=>{ try { console.log(JSON.stringify(f())) } catch(e) { console.log(e.name,e.code,e.message) } };
t(()=>util.styleText('red','x'));
t(()=>util.styleText(['bold','underline'],'x'));
t(()=>util.styleText('nope','x'));
t(()=>util.styleText('red',5));
t(()=>util.stripVTControlCharacters('\u001b[31mred\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007 \u001b[2K\u009b31mq'));
t(()=>util.stripVTControlCharacters(5));
t(()=>util.toUSVString('a\ud800'));
t(()=>util.inspect.colors.red);
t(()=>util.styleText([],'x'));
t(()=>util.styleText('red\n','x'));
t(()=>util.styleText(['red','nope'],'x'));t(()=>util.styleText('bgRed','a'));t(()=>util.styleText('redBright','a'));
}
{
const util=require('util');
const p=console.log;
const t=f=>{ try { p(f()) } catch(e) { p(e.name,e.code,e.message) } };
t(()=>util.promisify(5));
t(()=>util.promisify());
function f(a,cb){ cb(null,a+1) } f.prop=1;
const pf=util.promisify(f);
p(pf.name,pf.length,pf.prop,util.promisify(pf)===pf); pf(1).then(v=>p('v',v)); util.promisify((cb)=>cb(new Error('e')))().catch(e=>p(e.message)); util.promisify((cb)=>cb(null,1,2))().then(p); util.promisify(function(cb){ cb(null,this.x) }).call({x:9}).then(p);
function g(){} g[util.promisify.custom]=()=>'custom';
p(util.promisify(g)()); g[util.promisify.custom]=5;
t(()=>util.promisify(g)); util.promisify(()=>{ throw new Error('sync') })().catch(e=>p('sync',e.message));
t(()=>util.callbackify(5)); util.callbackify(async(a)=>a*2)(4,(e,v)=>p('cb',e,v)); util.callbackify(async()=>{ throw new Error('ce') })((e)=>p(e.message)); util.callbackify(()=>Promise.reject(null))((e)=>p(e.name,e.code,e.message,e.reason));
t(()=>util.callbackify(async()=>{})());
t(()=>util.callbackify(async()=>{})('x'));
const cbf=util.callbackify(async function nm(a,b){});
p(cbf.name,cbf.length);  p(String(util.promisify.custom)); util.promisify(cb=>{ cb(null,'first'); cb(null,'second') })().then(p);
class K{ m(cb){ cb(null,this.v) } v=3 } const k=new K(); util.promisify(k.m).call(k).then(p);
}
{
const util=require('util');
const p=console.log;
process.on('warning',w=>p(w.name,w.message,w.code));
function f(a,b){ return [this?.x,a,b] } const d=util.deprecate(f,'f is old','DEP_X');
p(d.name,d.length,d.call({x:1},2,3)); d();
const d2=util.deprecate(f,'f too','DEP_X'); d2();
class A{ constructor(v){ this.v=v } } const DA=util.deprecate(A,'A old','DEP_A');
p(new DA(5), new DA(1) instanceof A, DA.prototype===A.prototype);
const t=f=>{ try { p(f()) } catch(e) { p(e.name,e.code,e.message) } };
t(()=>util.deprecate(f,'m',5));  p(util.deprecate(()=>1,'no code')());
}
