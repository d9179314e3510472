// SPDX-License-Identifier: Apache-2.0
// Headers, Blob, FormData, Request, Response, and fetch without a network.
const log = (...a) => console.log(...a);
(async () => {
  const h = new Headers([['B', '2'], ['a', ' 1 '], ['b', '3'], ['Set-Cookie', 'x'], ['set-cookie', 'y']]);
  log([...h], h.get('B'), h.has('c'), h.getSetCookie(), h.get('set-cookie'));
  h.set('b', 9); h.delete('A'); h.append('cookie', 'k'); h.append('Cookie', 'l'); log([...h.keys()], [...h.values()]);
  for (const bad of [() => new Headers({ 'a b': 1 }), () => new Headers({ a: '\u0100' }), () => new Headers([['a']]), () => h.set('', 'x')]) try { bad(); } catch (e) { log(e.constructor.name); }
  const b = new Blob(['héllo', new Uint8Array([33]), new Blob(['?'])], { type: 'Text/Plain' });
  log(b.size, b.type, await b.text(), await b.slice(1, 3).arrayBuffer(), b);
  let n = 0; for await (const c of b.stream()) n += c.length; log(n);
  const f = new FormData(); f.append('a', 1); f.append('a', 'zwei'); f.append('file', new Blob(['data'], { type: 'text/x' }), 'n.txt'); f.set('c', 'd'); f.delete('none');
  log([...f.keys()], f.getAll('a'), f.get('file').name, f.get('none'), f.has('c'));
  const back = await new Response(f).formData(); log([...back].map(([k, v]) => [k, typeof v === 'string' ? v : v.name + v.type + v.size]));
  const enc = await new Response(new URLSearchParams('x=1&y=%C3%A9')).formData(); log([...enc]);
  const r = new Response('{"a":[1]}', { status: 201, statusText: 'Made', headers: { 'X-A': '1' } });
  log(r.status, r.ok, r.statusText, r.headers.get('content-type'), r.bodyUsed, r.body.locked); const c = r.clone(); log(await r.json(), r.bodyUsed, c.bodyUsed, await c.text());
  await r.text().catch((e) => log(e.constructor.name)); try { r.clone(); } catch (e) { log(e.constructor.name); }
  log(Response.json({ a: 1 }).headers.get('content-type'), Response.redirect('http://a/b', 301).headers.get('location'), Response.error().type);
  for (const bad of [() => new Response('', { status: 99 }), () => new Response('x', { status: 204 }), () => new Request('nope'), () => new Request('http://u:p@a/'), () => new Request('http://a/', { body: 'x' }), () => new Request('http://a/', { method: 'CONNECT' }), () => new Request('http://a', { method: 'a b' }), () => new Request('http://a/', { method: 'POST', body: new ReadableStream() }), () => Response.redirect('http://a/', 200)]) try { bad(); log('no error'); } catch (e) { log(e.constructor.name); }
  const q = new Request('http://a:80/b?c#d', { method: 'post', body: 'text', headers: { a: 'b' } });
  log(q.method, q.url, q.headers.get('content-type'), q.redirect, await q.clone().text(), await q.text());
  const q2 = new Request(new Request('http://a/', { method: 'PUT', body: 'x' }), { headers: { b: 'c' } }); log(q2.method, await q2.text(), q2.headers.get('b'));
  log(await new Response(new ReadableStream({ start(k) { k.enqueue(new Uint8Array([104, 105])); k.close(); } })).text());
  await new Response(new ReadableStream({ start(k) { k.enqueue('text'); k.close(); } })).text().catch((e) => log(e.constructor.name));
  log((await new Response(new Uint8Array([1, 2])).arrayBuffer()).byteLength, (await new Response('x').blob()).type);
  await new Response('x').json().catch((e) => log(e.name));
  const d = await fetch('data:text/plain;base64,aGk='); log(d.status, await d.text(), d.headers.get('content-type'));
  await fetch('nope:').catch((e) => log(e.name, e.message, e.cause && e.cause.message));
  await fetch('http://x/', { signal: AbortSignal.abort() }).catch((e) => log(e.name));
  log(new Response(null).body, await new Response(null).text(), new Response('').bodyUsed);
  for await (const chunk of new Response('abc').body) log(chunk);
})().catch((e) => console.log('FAILED', e));
