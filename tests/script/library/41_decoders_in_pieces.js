// SPDX-License-Identifier: Apache-2.0
// Every encoding with one byte a character, each byte; random bytes in the others, whole and in pieces, of
// which some split a surrogate pair.
const shown = (text) => Array.from(text, (char) => char.codePointAt(0).toString(16)).join(' ');
const single = ['ibm866', 'iso-8859-2', 'iso-8859-3', 'iso-8859-4', 'iso-8859-5', 'iso-8859-6', 'iso-8859-7', 'iso-8859-8', 'iso-8859-8-i',
  'logical', 'csiso88598i', 'iso-8859-10', 'iso-8859-13', 'iso-8859-14', 'iso-8859-15', 'iso-8859-16', 'koi8-r', 'koi8-u', 'macintosh', 'windows-874',
  'windows-1250', 'windows-1251', 'windows-1253', 'windows-1254', 'windows-1255', 'windows-1256', 'windows-1257', 'windows-1258', 'x-mac-cyrillic', 'x-user-defined'];
for (const label of single) {
  try {
    const decoder = new TextDecoder(label);
    console.log(decoder.encoding, shown(decoder.decode(Uint8Array.from({ length: 256 }, (_, i) => i))));
  } catch (error) {
    console.log(label, error.code);
  }
}

let state = 5;
const random = (limit) => { state = (Math.imul(state, 1103515245) + 12345) >>> 0; return (state >>> 8) % limit; };
const bytes = {
  'utf-8': [0x41, 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xed, 0xa0, 0xff, 0xef, 0xbb, 0xbf, 0xc0, 0xf4, 0x90],
  'utf-16le': [0x3d, 0xd8, 0xdc, 0x00, 0x41, 0xff, 0xfe, 0xdb],
  'utf-16be': [0x3d, 0xd8, 0xdc, 0x00, 0x41, 0xfe, 0xff, 0xdb],
  'gbk': [0x81, 0x30, 0x41, 0xb0, 0xa1, 0x80, 0xff, 0x40, 0x7f],
  'big5': [0x81, 0x40, 0xa4, 0xa1, 0x41, 0xc6, 0xff, 0x7f, 0xfa],
  'shift_jis': [0x82, 0xa0, 0x41, 0xb1, 0x81, 0xfc, 0xfd, 0x7f, 0x1a, 0xeb, 0x40],
  'euc-kr': [0xb0, 0xa1, 0x41, 0xc9, 0xa2, 0xe6, 0xff, 0x80],
};
const attempt = (action) => { try { return action(); } catch (error) { return error.code; } };
for (const label of Object.keys(bytes)) {
  let sum = 0;
  for (let round = 0; round < 500; round += 1) {
    const given = Uint8Array.from({ length: random(round < 300 ? 9 : 80) + 1 }, () => bytes[label][random(bytes[label].length)]);
    const decoder = new TextDecoder(label, { ignoreBOM: random(2) === 1 });
    let text = `${shown(decoder.decode(given))} ${attempt(() => shown(new TextDecoder(label, { fatal: true }).decode(given)))} `;
    for (let at = 0; at < given.length;) {
      const size = random(round < 400 ? 3 : 50) + 1;
      text += `${shown(decoder.decode(given.subarray(at, at + size), { stream: true }))}|`;
      at += size;
    }
    text += shown(decoder.decode());
    for (const char of text) sum = (sum * 31 + char.codePointAt(0)) >>> 0;
  }
  console.log(label, sum);
}
const emoji = new TextEncoder().encode('a\u{1f600}b');
const decoder = new TextDecoder('utf-16le', { fatal: true });
console.log(shown(decoder.decode(Uint8Array.of(0x3d, 0xd8, 0x00), { stream: true })), shown(decoder.decode(Uint8Array.of(0xde))), emoji.length);
