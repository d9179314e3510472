// SPDX-License-Identifier: Apache-2.0
// The encodings of TextDecoder with several bytes a character. Their structure is here, and that of
// iso-2022-jp in its own file; the characters come from the C library's iconv, with the differences of
// Node's tables.
'use strict';
const { base } = shelf;
const { natives } = base;
const within = (byte, first, last) => byte >= first && byte <= last;

// A code and `count` codes behind it stand for consecutive characters.
const inRuns = (runs, code) => {
  for (const [first, char, count] of runs) if (code >= first && code < first + count) return String.fromCharCode(char + code - first);
  return undefined;
};
const kept = new base.SafeMap();  // the characters of each encoding of iconv by their codes
function find(charset, ...bytes) {
  let characters = kept.get(charset);
  if (characters === undefined) kept.set(charset, characters = new base.SafeMap());
  let code = 0;
  for (const byte of bytes) code = code * 256 + byte;
  let found = characters.get(code);
  if (found === undefined) characters.set(code, found = natives.decodeCharacter(charset, Uint8Array.from(bytes)) ?? null);
  return found ?? undefined;
}
const gbkRuns = [[0xa2e3, 0xe76c, 1], [0xa6d9, 0xe78d, 7], [0xa6ec, 0xe794, 2], [0xa6f3, 0xe796, 1], [0xa8bc, 0xe7c7, 1], [0xa8bf, 0xe7c8, 1], [0xa989, 0xe7e7, 13], [0xfe50, 0xe815, 47], [0xfe80, 0xe844, 33]];
const gb18030Runs = [[0xa3a0, 0x3000, 1], [0xfe51, 0xe816, 3], [0xfe6c, 0xe831, 1], [0xfe76, 0xe83b, 1], [0xfe91, 0xe855, 1]];
// Rows of characters of the user, 157 each.
const big5Rows = [[0x81, 0x8d, 0xeeb8], [0x8e, 0xa0, 0xe311], [0xfa, 0xfe, 0xe000]];
const eucJpRuns = [[0x8ee0, 0xa2, 2], [0x8ee2, 0xac, 1], [0xa1c1, 0xff5e, 1], [0xa1c2, 0x2225, 1], [0xa1dd, 0xff0d, 1], [0xa1f1, 0xffe0, 2], [0xa2cc, 0xffe2, 1]];
const eucJpThrees = [[0xf3a1, 0x2170, 10], [0xf3ab, 0x2160, 10], [0xf3b7, 0x3231, 1]];
const shiftJisRuns = [[0x815c, 0x2015, 1], [0x8160, 0xff5e, 1], [0x8161, 0x2225, 1], [0x817c, 0xff0d, 1], [0xeefa, 0xffe4, 1], [0xfa55, 0xffe4, 1]];
const eucKrRuns = [[0xc9a1, 0xe000, 94], [0xfea1, 0xe05e, 94]];
const isControl = (byte) => within(byte, 0x80, 0x9f) && byte !== 0x8e && byte !== 0x8f;

// single: the character of one byte, 0 for the first of several, undefined for none. isTrail: whether
// a second byte belongs to the first one. pair: the character of two bytes.
const encodings = {
  'gbk': {
    labels: 'gbk chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 iso-ir-58 x-gbk',
    single: (byte) => (byte === 0x80 ? '\u20ac' : byte === 0xff ? '\uf8f5' : 0),
    isTrail: (first, byte) => within(byte, 0x40, 0xfe) && byte !== 0x7f,
    pair: (first, second) => inRuns(gbkRuns, first * 256 + second) ?? find('GB18030', first, second),
  },
  'gb18030': {
    labels: 'gb18030',
    single: (byte) => (byte === 0x80 ? '\u20ac' : byte === 0xff ? undefined : 0),
    isTrail: (first, byte) => within(byte, 0x40, 0xff) && byte !== 0x7f,
    pair: (first, second) => inRuns(gb18030Runs, first * 256 + second) ?? find('GB18030', first, second),
    more: { size: 4, begins: (first, second) => within(second, 0x30, 0x39), holds: (at, byte) => (at === 2 ? within(byte, 0x81, 0xfe) : within(byte, 0x30, 0x39)), found: (...bytes) => gb18030Four(bytes) ?? find('GB18030', ...bytes) },
  },
  'big5': {
    labels: 'big5 big5-hkscs cn-big5 csbig5 x-x-big5',
    single: (byte) => (byte === 0x80 ? '\x80' : byte === 0xff ? '\uf8f8' : 0),
    isTrail: (first, byte) => within(byte, 0x40, 0xfe) && byte !== 0x7f,
    pair(first, second) {
      const column = within(second, 0x40, 0x7e) ? second - 0x40 : within(second, 0xa1, 0xfe) ? second - 0xa1 + 63 : -1;
      const row = big5Rows.find(([from, to]) => within(first, from, to));
      if (row !== undefined) return column < 0 ? undefined : String.fromCharCode(row[2] + (first - row[0]) * 157 + column);
      return big5User(first, second, column) ?? find('BIG5', first, second);
    },
  },
  'euc-jp': {
    labels: 'euc-jp cseucpkdfmtjapanese x-euc-jp',
    single: (byte) => (isControl(byte) ? String.fromCharCode(byte) : byte === 0xa0 || byte === 0xff ? undefined : 0),
    isTrail: (first, byte) => (first === 0x8e ? within(byte, 0xa0, 0xe4) || byte === 0xff : first === 0x8f ? byte === 0xa0 || byte === 0xff : within(byte, 0xa0, 0xff)),
    pair(first, second) {
      const known = inRuns(eucJpRuns, first * 256 + second);
      if (known !== undefined || !(first === 0xad || within(first, 0xf9, 0xfc))) return known ?? find('EUC-JP', first, second);
      if (!within(second, 0xa1, 0xfe)) return undefined;
      // Rows that iconv has in Shift_JIS only, with two of them to a first byte there.
      const row = first - 0xa1;
      const column = second - 0xa1 + (row % 2) * 94;
      const lead = (row >> 1) + (row < 62 ? 0x81 : 0xc1);
      return shiftJis(lead, row % 2 === 0 ? column + 0x40 + (column >= 63 ? 1 : 0) : column - 94 + 0x9f);
    },
    more: { size: 3, begins: (first, second) => first === 0x8f && within(second, 0xa1, 0xfe), holds: (at, byte) => within(byte, 0xa1, 0xfe), found: (...bytes) => inRuns(eucJpThrees, bytes[1] * 256 + bytes[2]) ?? find('EUC-JP', ...bytes) },
  },
  'shift_jis': {
    labels: 'shift_jis csshiftjis ms932 ms_kanji shift-jis sjis windows-31j x-sjis',
    swapped: shelf.encodingTables.swappedOf('shift_jis'),
    single: (byte) => (within(byte, 0xa1, 0xdf) ? String.fromCharCode(0xff61 + byte - 0xa1) : byte === 0x80 || byte === 0xa0 || byte > 0xfc ? undefined : 0),
    isTrail: (first, byte) => within(byte, 0x40, 0xfc) && byte !== 0x7f,
    pair: (first, second) => shiftJis(first, second),
  },
  'euc-kr': {
    labels: 'euc-kr cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949',
    single: (byte) => (isControl(byte) ? String.fromCharCode(byte) : within(byte, 0xa1, 0xfe) ? 0 : undefined),
    isTrail: (first, byte) => within(byte, 0xa0, 0xff),
    pair: (first, second) => inRuns(eucKrRuns, first * 256 + second) ?? (first === 0xa2 && within(second, 0xe6, 0xe8) ? undefined : find('EUC-KR', first, second)),
  },
};
function shiftJis(first, second) { return inRuns(shiftJisRuns, first * 256 + second) ?? find('IBM943', first, second); }
// c6a1 to c8fe: the columns from a1 on of the first row.
function big5User(first, second, column) {
  if (!within(first, 0xc6, 0xc8) || column < 0 || (first === 0xc6 && second < 0xa1)) return undefined;
  return String.fromCharCode(0xf6b1 + (first - 0xc6) * 157 + column - 63);
}

// Characters of 2005 and later that iconv has at codes of two bytes.
function gb18030Four([first, second, third, fourth]) {
  const place = ((first - 0x81) * 10 + second - 0x30) * 1260 + (third - 0x81) * 10 + fourth - 0x30;
  return inRuns([[19057, 0x9fb4, 8], [39076, 0xfe10, 10]], place);
}

// Decodes one character of several bytes: [text, size]; without a text it is none, and without a size
// bytes are missing.
function step(encoding, bytes, at) {
  if (at + 1 >= bytes.length) return [undefined, 0];
  const [first, second] = [bytes[at], bytes[at + 1]];
  const { more } = encoding;
  if (more !== undefined && more.begins(first, second)) {
    for (let i = 2; i < more.size; i += 1) {
      if (at + i >= bytes.length) return [undefined, 0];
      if (!more.holds(i, bytes[at + i])) return [undefined, 1];
    }
    return [more.found(...bytes.subarray(at, at + more.size)), more.size];
  }
  return encoding.isTrail(first, second) ? [encoding.pair(first, second), 2] : [undefined, 1];
}
// fail() gives the text for a character that is none. The bytes that wait for more are in `left`; the
// next call gets them before its own, and `state`.
function decode(name, bytes, isMore, fail, state) {
  if (name === 'iso-2022-jp') {
    shelf.load('iso_2022_jp');
    return shelf.decodeIso2022Jp(bytes, isMore, fail, state);
  }
  const encoding = encodings[name];
  const parts = [];
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at];
    if (text.length > 4096) { parts.push(text); text = ''; }
    const single = byte < 0x80 ? encoding.swapped?.[byte] ?? String.fromCharCode(byte) : encoding.single(byte);
    if (single !== 0) {
      text += single ?? fail();
      at += 1;
      continue;
    }
    const [found, size] = step(encoding, bytes, at);
    if (size === 0 && isMore) return { text: parts.join('') + text, left: [...bytes.subarray(at)] };
    text += found ?? fail();
    at += size || bytes.length;
  }
  return { text: parts.join('') + text, left: [] };
}
const names = new base.SafeMap();
for (const label of ['iso-2022-jp', 'csiso2022jp']) names.set(label, 'iso-2022-jp');
for (const name of Object.keys(encodings)) for (const label of encodings[name].labels.split(' ')) names.set(label, name);
shelf.eastAsian = { nameOf: (label) => names.get(label), has: (name) => names.get(name) === name, decode, shiftJis };
