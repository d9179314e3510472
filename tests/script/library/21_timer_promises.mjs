// SPDX-License-Identifier: Apache-2.0
// timers/promises: values, aborts and argument errors.
import {setTimeout as st,setImmediate as si,setInterval as sv,scheduler} from 'timers/promises'; console.log(await st(1,'v'), await si('w'));
const ac=new AbortController();
const p=st(1000,null,{signal:ac.signal}); ac.abort();
try { await p } catch(e){ console.log(e.name,e.code,e.message,e.cause?.name,Object.keys(e)); } try { await st(1,null,{signal:AbortSignal.abort(new Error('why'))}) } catch(e){ console.log(e.name,e.code,e.message,e.cause.message); } try { await st(1,null,{signal:5}) } catch(e){ console.log(e.code,e.message) } try { await st(1,null,{ref:5}) } catch(e){ console.log(e.code,e.message) } try { await st(1,null,5) } catch(e){ console.log(e.code,e.message) } try { await si(1,null) } catch(e){ console.log(e.code,e.message) } let n=0;
for await (const v of sv(1,'tick')) { console.log(v); if(++n===3) break; } const ac2=new AbortController();
try { for await (const v of sv(1,undefined,{signal:ac2.signal})) { ac2.abort('r'); } } catch(e){ console.log(e.name,e.code,e.cause) } console.log(await scheduler.wait(1), await scheduler.yield());
try { for await (const _ of sv(1,1,{signal:3})) ; } catch(e){ console.log(e.code,e.message) } try { scheduler.wait.call({},1) } catch(e){ console.log(e.code,e.message)} try { new scheduler.constructor() } catch(e){ console.log(e.code,e.message) } try { await st('x') ; console.log('ok str') } catch(e){ console.log(e.code,e.message) } const g=sv(1,'a'); console.log(g[Symbol.toStringTag], (await g.next()), await g.return('R'), await g.next());
