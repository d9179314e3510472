// SPDX-License-Identifier: Apache-2.0
// iso-2022-jp: what each escape sequence selects, all pairs of its two-byte set, and random bytes, whole
// and in pieces.
const shown = (text) => JSON.stringify(text).replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
const bytesOf = (text) => Uint8Array.from(text, (char) => char.charCodeAt(0));
const decode = (text, options) => { try { return shown(new TextDecoder('iso-2022-jp', options).decode(bytesOf(text))); } catch (error) { return error.code; } };
const parts = (text) => { const decoder = new TextDecoder('csISO2022JP'); return [...text].map((char) => decoder.decode(bytesOf(char), { stream: true })).join('|') + decoder.decode(); };
console.log(new TextDecoder(' CSISO2022JP ').encoding);
for (const label of ['iso-2022-jp-2', 'jis', 'iso2022jp']) { try { console.log(new TextDecoder(label).encoding); } catch (error) { console.log(error.code, error.message); } }

// Each sequence of up to three characters that does more than an unknown one.
const decoder = new TextDecoder('iso-2022-jp');
const printable = Array.from({ length: 95 }, (_, i) => String.fromCharCode(0x20 + i));
const starts = ['', ...printable, ...['$(', '$)', '$*', '$+', '%/']];
for (const start of starts) {
  for (const last of printable) {
    const text = decoder.decode(bytesOf(`\x1b${start}${last}0!A\n0!`));
    if (text !== `\ufffd${start}${last}0!A\n0!`) console.log(start + last, shown(text));
  }
}

let sum = 0;
for (let first = 0x20; first < 0x80; first += 1) {
  for (let second = 0x20; second < 0x80; second += 1) {
    if (second === 0x7f && first === 0x20) console.log(sum);
    for (const char of decoder.decode(Uint8Array.of(0x1b, 0x24, 0x42, first, second, 0x24, 0x22))) sum = (sum * 31 + char.codePointAt(0)) >>> 0;
  }
}
console.log(sum);

for (const text of ['\x1b(J~\\\n~', '\x1b(I1\x7f\n1', '\x1b$B$"\x1b(B', '\x1b(B\x1b(JA\\', '\x1b$B$', '\x1b$B$\x1b(BA', '\x1b$', '\x1b', '\x80\xb1\xff', '\x0e1\x0f', '\x1b$B$\n$"', '\x1b$B\x01$"', '\x1b$B $"']) {
  console.log(decode(text), decode(text, { fatal: true }), shown(parts(text)));
}

const pieces = ['\x1b(B', '\x1b(J', '\x1b(I', '\x1b$B', '\x1b$@', '\x1b&@', '\x1b', '\x1b$', '\x1b$(D', '\x1bN', '\n', '\r', '\x0e', '\x80', '\xb1', '\x00', '\x7f', ' ', '!', '"#', '0!', '~~', 'A', '\\', '~', '$"', '$!'];
let state = 7;
const random = (limit) => { state = (Math.imul(state, 1103515245) + 12345) >>> 0; return (state >>> 8) % limit; };
for (let round = 0; round < 20; round += 1) {
  sum = 0;
  for (let i = 0; i < 100; i += 1) {
    let text = '';
    for (let left = random(12) + 1; left > 0; left -= 1) text += random(9) ? pieces[random(pieces.length)] : String.fromCharCode(random(256));
    const isFine = decode(text, { fatal: true }) === decode(text);
    for (const char of `${decode(text)} ${isFine}`) sum = (sum * 31 + char.charCodeAt(0)) >>> 0;
  }
  console.log(round, sum);
}
