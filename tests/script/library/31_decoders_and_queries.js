// SPDX-License-Identifier: Apache-2.0
// node:string_decoder, querystring, punycode, tty, constants, module, diagnostics_channel.
const p=console.log;
const t=f=>{ try { p(f()) } catch(e) { p(e.name,e.code,e.message) } };
{
const {StringDecoder}=require('string_decoder');
const bytes=Buffer.from('a€é😀z\u{10ffff}');
for (const enc of [undefined,'utf8','utf16le','base64','base64url','hex','latin1','ascii','UTF-8','ucs2','binary']) for (let cut=1;cut<bytes.length;cut+=2) { const d=new StringDecoder(enc); p(d.encoding,cut,JSON.stringify([d.write(bytes.subarray(0,cut)),d.lastNeed,d.lastTotal,d.write(bytes.subarray(cut,cut+1)),d.write(bytes.subarray(cut+1)),d.end(),d.end()])); }
const u=new StringDecoder('utf16le'); p(JSON.stringify([u.write(Buffer.from([0x3d])),u.write(Buffer.from([0xd8,0x4d])),u.lastNeed,u.write(Buffer.from([0xdc])),u.write(Buffer.from([0x61])),u.end(),u.write(Buffer.from([0x3d,0xd8])),u.end(Buffer.from([0x41]))]));
const d=new StringDecoder(); for (const b of [[0xe2],[0x28,0xa1],[0xf0,0x9f],[0x41],[0xff],[0xc3],[0xc3,0xa9],[0x80],[0xe2,0x82],[0xe2,0x82,0xac]]) p(JSON.stringify(d.write(Buffer.from(b)))); p(JSON.stringify(d.end(Buffer.from([0xe2]))));
t(()=>new StringDecoder('nope')); t(()=>new StringDecoder().write(5)); t(()=>new StringDecoder().write('text')); t(()=>new StringDecoder().write(new Uint16Array([0x6161]))); t(()=>new StringDecoder(null).encoding);t(()=>new StringDecoder().end(undefined));
}
{
const q=require('querystring');
p(Object.keys(q));
for (const s of ['a=b&c=d','a=1&a=2&a=3','a','a=','=b','&&','a&b=','a=b=c','%61=%62+c','a=%zz','a=%E0%A4%A','__proto__=1','hasOwnProperty=x','a%20b=c%26d','a=+%2B','é=ü','a=b;c=d','a[]=1&a[]=2','','a=%F0%9F%98%80','%','a=%']) p(s,q.parse(s));
p(q.parse('a:b;c:d',';',':'),q.parse('a==b&&c==d','&&','=='),q.parse('a=1&b=2&c=3',null,null,{maxKeys:2}),q.parse('a=1&b=2',null,null,{maxKeys:0}),q.parse('a=%41',null,null,{decodeURIComponent:s=>`<${s}>`}),q.parse('a=%41+b',null,null,{decodeURIComponent(){throw new Error('x')}}),q.parse(5),q.parse(null));
p(q.stringify({a:1,b:'x y',c:[1,'2',true],d:null,e:undefined,f:NaN,g:Infinity,h:false,i:5n,j:{},k:[],l:'é&=?',m:"!'()*~-_."}),q.stringify({a:'b',c:'d'},';',':'),q.stringify('x'),q.stringify(null),q.stringify([1,2]),q.stringify({a:'x'},null,null,{encodeURIComponent:s=>`<${s}>`}));
t(()=>q.stringify({a:'\ud800'})); t(()=>q.escape('a b&é')); t(()=>q.escape(5)); t(()=>q.escape({})); t(()=>q.escape(null)); t(()=>q.unescape('%41%zz')); t(()=>q.unescapeBuffer('%41%zz+').toString()); t(()=>q.decode===q.parse);t(()=>q.escape('\ud800'));
}
{
const y=require('punycode');
for (const s of ['mañana','bücher','☃-⌘','他们为什么不说中文','abc','','ü','Hello-Another-Way-それぞれの場所','😀a','MajiでKoiする5秒前']) { const e=y.encode(s); p(e,y.decode(e)===s,y.toASCII(`x.${s}.com`),y.toUnicode(y.toASCII(`a@${s}`))); }
t(()=>y.decode('xx\x80-')); t(()=>y.decode('ls8h=')); t(()=>y.decode('99999999')); t(()=>y.ucs2.decode('a😀\ud800')); t(()=>y.ucs2.encode([0x61,0x1f600])); t(()=>y.toASCII('джумла@джpумлатест.bрфa')); t(()=>y.toUnicode('xn--maana-pta.com')); t(()=>y.toASCII('mañana。com'));
}
{
const tty=require('tty'); p(Object.keys(tty),tty.isatty(-1),tty.isatty(1.5),tty.isatty('1'),tty.isatty(2**40)); t(()=>new tty.ReadStream(-1));
const m=require('module'); p(m.isBuiltin('buffer'),m.isBuiltin('node:buffer'),m.isBuiltin('test'),m.isBuiltin('nope'),m.isBuiltin('node:nope'),m.builtinModules.includes('buffer'),m.builtinModules.includes('test'),m.Module===m);
const r=m.createRequire(__filename); p(r('node:string_decoder')===require('string_decoder'),r.resolve('buffer'),r.resolve('node:buffer')); t(()=>r('./nope').code); t(()=>require('constants').SIGTERM); t(()=>require('constants').ENOENT);
}
{
const dc=require('diagnostics_channel'); p(Object.keys(dc));
const c=dc.channel('x'); p(c===dc.channel('x'),c.name,c.hasSubscribers,dc.hasSubscribers('x'),dc.hasSubscribers('none'),c instanceof dc.Channel);
const f=(m,n)=>p('got',m,n); dc.subscribe('x',f); p(c.hasSubscribers); c.publish({a:1}); p(dc.unsubscribe('x',f),dc.unsubscribe('x',f),c.hasSubscribers); c.publish(2); t(()=>dc.channel(5)); t(()=>c.subscribe(5)); t(()=>dc.channel(Symbol('s')).name.toString());
const tc=dc.tracingChannel('op'); const log={}; for (const n of ['start','end','asyncStart','asyncEnd','error']) log[n]=(m)=>p(n,m.result,m.error?.message,Object.keys(m)); tc.subscribe(log); p(tc.traceSync((a,b)=>a+b,{k:1},null,2,3)); t(()=>tc.traceSync(()=>{throw new TypeError('bad')},{})); tc.tracePromise(async v=>v*2,{q:1},null,4).then(v=>p('v',v)).then(()=>{ tc.traceCallback((v,cb)=>setImmediate(cb,null,v),-1,{z:1},null,9,(e,v)=>{ p('cb',e,v); tc.unsubscribe(log); p(tc.start.hasSubscribers);
  const {AsyncLocalStorage}=require('async_hooks'); const s=new AsyncLocalStorage(); c.bindStore(s,d=>({d})); p(c.runStores(7,(x)=>[x,s.getStore()],null,'arg'),s.getStore(),c.unbindStore(s),c.unbindStore(s)); }); });
t(()=>dc.tracingChannel(5));
c.subscribe(()=>{throw new Error('in subscriber')}); process.on('uncaughtException',e=>p('uncaught',e.message)); c.publish(1); p('after');
}
