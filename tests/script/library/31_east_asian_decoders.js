// SPDX-License-Identifier: Apache-2.0
// Encodings with several bytes a character: sums over all pairs of bytes, and some texts.
const names = ['gbk', 'gb18030', 'big5', 'euc-jp', 'shift_jis', 'euc-kr'];
const sumOf = (text) => { let sum = 0; for (let i = 0; i < text.length; i += 1) sum = (sum * 31 + text.charCodeAt(i)) >>> 0; return sum; };
const decode = (name, bytes, options) => { try { return new TextDecoder(name, options).decode(Uint8Array.from(bytes)); } catch (error) { return error.code; } };
for (const name of names) {
  const decoder = new TextDecoder(name);
  for (let first = 0x80; first < 0x100; first += 1) {
    let text = '';
    for (let second = 0; second < 0x100; second += 1) text += `${decoder.decode(Uint8Array.of(first, second, 0x41))}|`;
    console.log(name, first.toString(16), sumOf(text));
  }
}
let threes = '';
for (let first = 0xa1; first < 0xff; first += 1) for (let second = 0xa0; second < 0x100; second += 1) threes += `${decode('euc-jp', [0x8f, first, second, 0x41])}|`;
console.log(sumOf(threes));
for (const first of [0x81, 0x82, 0x83, 0x84, 0x85, 0x90, 0xe3, 0xe4]) {
  let fours = '';
  for (let second = 0x30; second < 0x3a; second += 1) for (let third = 0x81; third < 0xff; third += 1) fours += `${decode('gb18030', [first, second, third, 0x35])}|`;
  console.log(first.toString(16), sumOf(fours));
}
const parts = (name, bytes) => { const decoder = new TextDecoder(name); return [...bytes.map((byte) => decoder.decode(Uint8Array.of(byte), { stream: true })), decoder.decode()]; };
console.log(parts('gb18030', [0x81, 0x30, 0x81, 0x30, 0xb0, 0xa1]), parts('euc-jp', [0x8f, 0xb0, 0xa1, 0xa4, 0xa2, 0x8e]), parts('shift_jis', [0x82, 0xa0, 0xb1, 0x82]), parts('big5', [0xa4, 0x40, 0xa4]));
for (const name of names) console.log(decode(name, [0x81], { fatal: true }), decode(name, [0xb0, 0xa1], { fatal: true }), decode(name, [0xb0, 0x20], { fatal: true }), decode(name, [0xff, 0x41], { fatal: true }), decode(name, [0xb0]));
for (const label of ['chinese', 'GB2312', ' sjis ', 'ms932', 'windows-31j', 'korean', 'windows-949', 'x-euc-jp', 'cn-big5', 'big5-hkscs', 'GB18030', 'iso-2022-kr', 'hz-gb-2312']) { try { console.log(label, new TextDecoder(label).encoding); } catch (error) { console.log(label, error.code, error.message); } }
console.log(decode('gb18030', [0x84, 0x31, 0x95, 0x33]).length, decode('shift_jis', [0x5c, 0x7e, 0x1a, 0x1c, 0x7f]));
