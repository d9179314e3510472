// SPDX-License-Identifier: Apache-2.0
// node:punycode: the Bootstring of RFC 3492 with its parameters for domain names.
'use strict';
const { builtins } = shelf;
const [radix, least, most, skew, damp, firstBias, firstCode] = [36, 1, 26, 38, 700, 72, 128];
const max = 0x7fffffff;
const overflow = () => new RangeError('Overflow: input needs wider integers to process');

function adapted(delta, count, isFirst) {
  let rest = isFirst ? Math.floor(delta / damp) : delta >> 1;
  rest += Math.floor(rest / count);
  let k = 0;
  for (; rest > ((radix - least) * most) >> 1; k += radix) rest = Math.floor(rest / (radix - least));
  return k + Math.floor((radix - least + 1) * rest / (rest + skew));
}
const limit = (k, bias) => (k <= bias ? least : k >= bias + most ? most : k - bias);
const decode2 = (text) => Array.from(text, (char) => char.codePointAt(0));
const encode2 = (codes) => String.fromCodePoint(...codes);

function decode(text) {
  const end = Math.max(0, text.lastIndexOf('-'));
  const made = [];
  for (let i = 0; i < end; i += 1) {
    if (text.charCodeAt(i) >= 0x80) throw new RangeError('Illegal input >= 0x80 (not a basic code point)');
    made.push(text.charCodeAt(i));
  }
  let [code, at, bias] = [firstCode, 0, firstBias];
  for (let index = end > 0 ? end + 1 : 0; index < text.length;) {
    const before = at;
    for (let weight = 1, k = radix; ; k += radix) {
      if (index >= text.length) throw new RangeError('Invalid input');
      const digit = '0123456789'.includes(text[index]) ? text.charCodeAt(index) - 22 : parseInt(text[index], 36) - 10;
      index += 1;
      if (!(digit >= 0 && digit < radix)) throw new RangeError('Invalid input');
      if (digit > Math.floor((max - at) / weight)) throw overflow();
      at += digit * weight;
      const t = limit(k, bias);
      if (digit < t) break;
      if (weight > Math.floor(max / (radix - t))) throw overflow();
      weight *= radix - t;
    }
    const count = made.length + 1;
    bias = adapted(at - before, count, before === 0);
    if (Math.floor(at / count) > max - code) throw overflow();
    code += Math.floor(at / count);
    at %= count;
    made.splice(at, 0, code);
    at += 1;
  }
  return encode2(made);
}
const letter = (digit) => String.fromCharCode(digit < 26 ? digit + 97 : digit + 22);
function encode(text) {
  const codes = decode2(text);
  let made = encode2(codes.filter((code) => code < 0x80));
  const basic = made.length;
  let [done, code, delta, bias] = [basic, firstCode, 0, firstBias];
  if (basic > 0) made += '-';
  while (done < codes.length) {
    const next = Math.min(...codes.filter((one) => one >= code));
    if (next - code > Math.floor((max - delta) / (done + 1))) throw overflow();
    delta += (next - code) * (done + 1);
    code = next;
    for (const one of codes) {
      if (one < code) delta += 1;
      if (delta > max) throw overflow();
      if (one !== code) continue;
      let rest = delta;
      for (let k = radix; ; k += radix) {
        const t = limit(k, bias);
        if (rest < t) break;
        made += letter(t + (rest - t) % (radix - t));
        rest = Math.floor((rest - t) / (radix - t));
      }
      made += letter(rest);
      bias = adapted(delta, done + 1, done === basic);
      delta = 0;
      done += 1;
    }
    delta += 1;
    code += 1;
  }
  return made;
}
// Each label of a domain name, or of the part of an address behind its last @.
function mapLabels(domain, change) {
  const parts = domain.split('@');
  const head = parts.length > 1 ? `${parts[0]}@` : '';
  const labels = (parts.length > 1 ? parts[1] : domain).replace(/[\u002e\u3002\uff0e\uff61]/g, '.').split('.');
  return head + labels.map(change).join('.');
}
builtins.punycode = {
  version: '2.1.0', ucs2: { decode: decode2, encode: encode2 }, decode, encode,
  toASCII: (domain) => mapLabels(domain, (label) => (/[^\0-\x7f]/.test(label) ? `xn--${encode(label)}` : label)),
  toUnicode: (domain) => mapLabels(domain, (label) => (/^xn--/.test(label) ? decode(label.slice(4).toLowerCase()) : label)),
};
