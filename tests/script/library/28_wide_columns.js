// SPDX-License-Identifier: Apache-2.0
// Lists in columns: widths as a terminal shows them.
const {inspect}=require('util');
const p=(...a)=>console.log(inspect(...a));
for(const n of [1,5,6,7,8,16,26,27,50,100,101,200]) p(Array.from({length:n},(_, i)=>i));
for(const n of [6,7,12,30]) { p(Array.from({length:n},(_, i)=>'s'.repeat(i%7)));
p(Array.from({length:n},(_, i)=>({a:i})));
p(Array.from({length:n},(_,i)=>i%2?i:'x'+i));
p(Array.from({length:n},(_,i)=>BigInt(i)*1000n)); } for (const n of [60,64,68,70,71,72,73,74,75,76,77,78,79,80,81]) { p({a:'x'.repeat(n-10)});
p({a:'x'.repeat(n/2-10|0),b:'y'.repeat(n/2-10|0)});
p(['x'.repeat(n/2-6|0),'y'.repeat(n/2-6|0)]);
p({a:{b:{c:'z'.repeat(n-25)}}});
p(new Map([['k'.repeat(n/2-15|0),'v'.repeat(n/2-10|0)]])); } p({a:1,b:2,c:3,d:{e:4,f:{g:5,h:{i:6}}}});
p({a:{b:{c:{}}}});
p({a:{b:{c:1}}});
p({a:{b:{c:[]}}});
p([[[1,2,[3]]],[4]]);
p({a:[{b:1,c:[{d:1}]}]});
p(Array.from({length:30},(_,i)=>i*1.5));
p(Array.from({length:30},(_,i)=>-i));
p(Array(120).fill('abc'));
p(Array(10).fill(undefined));
p(Array(10).fill(null));
p(Array(10).fill(true));
p(Array(27).fill([]));
p([...'日本語テキスト文字列表示幅']);
p(['a','日本','e\u0301','👍','x','y','zz','日本語']);
