// SPDX-License-Identifier: Apache-2.0
// iso-2022-jp of TextDecoder: bytes below 0x80, whose meaning escape sequences change. Follows the
// converter of Node 20, which knows more escape sequences than the standard.
'use strict';
const ESCAPE = 0x1b;
const within = (byte, first, last) => byte >= first && byte <= last;

const romanChar = (byte) => (byte === 0x5c ? '\u00a5' : byte === 0x7e ? '\u203e' : String.fromCharCode(byte));
const isShift = (byte) => byte === 0x0e || byte === 0x0f;
// The character of a byte, undefined for none. The third set has two bytes a character.
const sets = {
  ascii: (byte) => (byte < 0x80 && !isShift(byte) ? String.fromCharCode(byte) : undefined),
  roman: (byte) => (byte < 0x80 && !isShift(byte) ? romanChar(byte) : undefined),
  katakana: (byte) => (within(byte, 0x21, 0x5f) ? String.fromCharCode(0xff61 + byte - 0x21) : undefined),
};
const selected = { '(B': 'ascii', '(J': 'roman', '(H': 'roman', '(I': 'katakana', '$@': 'kanji', '$B': 'kanji', '&@': 'kanji' };
// Sequences of other encodings of ISO 2022: known, and refused as a whole.
const refused = 'O $A %B (@ (A (C (D (E (F (G (K (R .A .F $(@ $(A $(B $(C $(D $(E $(G $(H $(I $(J $(K $(L $(M $)A $)C $)E $)G $*H $+I $+J $+K $+L $+M %/@ %/A %/C %/D %/E %/F'.split(' ');
const sequences = new shelf.base.SafeMap();
const beginnings = new shelf.base.SafeSet();
for (const text of [...Object.keys(selected), ...refused]) {
  sequences.set(text, selected[text] ?? '');
  for (let size = 1; size < text.length; size += 1) beginnings.add(text.slice(0, size));
}

// The escape sequence at `at`: [set, size], without a set if it is refused, size 0 if bytes are missing.
function escapeAt(bytes, at) {
  let text = '';
  for (let i = at + 1; i < bytes.length; i += 1) {
    text += String.fromCharCode(bytes[i]);
    if (sequences.has(text)) return [sequences.get(text), i + 1 - at];
    if (!beginnings.has(text)) return ['', 1];  // The bytes behind the escape are read as others are.
  }
  return ['', 0];
}

// A row of the Japanese standard is half the row of a first byte in Shift_JIS.
function kanji(first, second) {
  const column = first % 2 === 1 ? second + (second <= 0x5f ? 0x1f : 0x20) : second + 0x7e;
  const row = (first + 1) >> 1;
  return shelf.eastAsian.shiftJis(row + (row <= 0x2f ? 0x70 : 0xb0), column);
}

// The character at `at`: [text, size], without a text if it is none, size 0 if bytes are missing.
function characterAt(bytes, at, set) {
  const first = bytes[at];
  // The end of a line ends the sets that are not like ASCII.
  if (set !== 'kanji' || first === 0x0a || first === 0x0d) return [first === 0x0a || first === 0x0d ? String.fromCharCode(first) : sets[set](first), 1];
  if (isShift(first)) return [undefined, 1];
  if (at + 1 === bytes.length) return [undefined, 0];
  const second = bytes[at + 1];
  if (within(second, 0x21, 0x7e)) return within(first, 0x21, 0x7e) ? [kanji(first, second), 2] : [undefined, 1];
  return [undefined, second === ESCAPE || isShift(second) ? 1 : 2];
}

// A sequence behind another one, with no character between the two, is an error, but changes the set.
shelf.decodeIso2022Jp = (bytes, isMore, fail, state) => {
  let { set, isEmpty } = state ?? { set: 'ascii', isEmpty: false };
  const parts = [];
  let text = '';
  let at = 0;
  while (at < bytes.length) {
    if (text.length > 4096) { parts.push(text); text = ''; }
    const isEscape = bytes[at] === ESCAPE;
    const [found, size] = isEscape ? escapeAt(bytes, at) : characterAt(bytes, at, set);
    if (size === 0 && isMore) break;
    if (isEscape) {
      if (!found || isEmpty) text += fail();
      isEmpty = found !== '' && !isEmpty;
      if (found) set = found;
    } else {
      if (bytes[at] === 0x0a || bytes[at] === 0x0d) set = set === 'roman' ? 'roman' : 'ascii';
      text += found ?? fail();
      isEmpty = false;
    }
    at += size || bytes.length;
  }
  return { text: parts.join('') + text, left: [...bytes.subarray(at)], state: isMore ? { set, isEmpty } : undefined };
};
