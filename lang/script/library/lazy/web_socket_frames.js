// SPDX-License-Identifier: Apache-2.0
// Frames of the WebSocket protocol (RFC 6455), as a client reads and writes them. Needs nothing of the
// library: the fuzz target web_socket_frames runs this file by itself.
'use strict';

const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 };
// The codes of close frames that a peer may send; 1004 to 1006 and 1015 are never sent.
const isCloseCode = (code) => (code >= 1000 && code <= 1014 && code !== 1004 && code !== 1005 && code !== 1006) || (code >= 3000 && code <= 4999);
const controlBytesMax = 125;

// A frame, or a message, that breaks the protocol; `code` is that of the close frame it is answered with.
class FrameError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

function decodedText(bytes) {
  try { return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes); } catch { throw new FrameError(1007, 'a text is not valid UTF-8'); }
}

// Bytes that have come and were not read yet.
class Bytes {
  #parts = [];
  #at = 0;  // in the first part
  size = 0;
  add(part) {
    if (part.length === 0) return;
    this.#parts.push(part);
    this.size += part.length;
  }
  // A copy of the next `count` bytes, which are there.
  take(count) {
    const made = new Uint8Array(count);
    let done = 0;
    while (done < count) {
      const [part] = this.#parts;
      const some = part.subarray(this.#at, this.#at + count - done);
      made.set(some, done);
      done += some.length;
      this.#at += some.length;
      if (this.#at === part.length) {
        this.#parts.shift();
        this.#at = 0;
      }
    }
    this.size -= count;
    return made;
  }
}

// Calls give(kind, value): 'text' with a string, 'binary', 'ping' and 'pong' with bytes, 'close' with
// {code, reason}; the code is 1005 where the frame has none. Throws a FrameError; nothing is read then
// any more, nor behind a close frame.
class FrameReader {
  #give;
  #limit;  // of a message, whatever its fragments
  #bytes = new Bytes();
  #frame;  // {isLast, opcode, size}, whose payload has not come whole
  #kind;   // of a message whose last fragment has not come: its opcode
  #fragments = [];
  #fragmentBytes = 0;
  isOver = false;
  constructor(limit, give) {
    this.#limit = limit;
    this.#give = give;
  }
  feed(part) {
    if (this.isOver) return;
    this.#bytes.add(part);
    try {
      while (!this.isOver && this.#step());
    } catch (error) {
      this.isOver = true;
      throw error;
    }
  }
  // False: more bytes are needed.
  #step() {
    this.#frame ??= this.#head();
    if (this.#frame === undefined || this.#bytes.size < this.#frame.size) return false;
    const frame = this.#frame;
    this.#frame = undefined;
    const payload = this.#bytes.take(frame.size);
    if (frame.opcode >= opcodes.close) this.#control(frame.opcode, payload);
    else this.#fragment(frame, payload);
    return true;
  }
  #lengthBytes = -1;  // that follow the first two bytes, which #first has
  #first;
  #head() {
    if (this.#first === undefined) {
      if (this.#bytes.size < 2) return undefined;
      const [one, two] = this.#bytes.take(2);
      this.#first = this.#checked(one, two);
      this.#lengthBytes = two === 126 ? 2 : two === 127 ? 8 : 0;
    }
    if (this.#bytes.size < this.#lengthBytes) return undefined;
    const frame = this.#first;
    if (this.#lengthBytes > 0) frame.size = this.#length(this.#bytes.take(this.#lengthBytes));
    this.#first = undefined;
    const total = frame.opcode >= opcodes.close ? 0 : this.#fragmentBytes + frame.size;
    if (total > this.#limit) throw new FrameError(1009, `a message is longer than ${this.#limit} bytes`);
    return frame;
  }
  #checked(one, two) {
    const frame = { isLast: (one & 0x80) !== 0, opcode: one & 15, size: two & 127 };
    if ((one & 0x70) !== 0) throw new FrameError(1002, 'a frame has reserved bits');
    if ((two & 0x80) !== 0) throw new FrameError(1002, 'a server does not mask its frames');
    const { opcode } = frame;
    if (opcode > 10 || (opcode > 2 && opcode < 8)) throw new FrameError(1002, `there is no opcode ${opcode}`);
    if (opcode >= opcodes.close) {
      if (!frame.isLast) throw new FrameError(1002, 'a control frame is fragmented');
      if (frame.size > controlBytesMax) throw new FrameError(1002, 'a control frame is longer than 125 bytes');
    } else if ((opcode === opcodes.continuation) !== (this.#kind !== undefined)) {
      throw new FrameError(1002, opcode === opcodes.continuation ? 'a continuation without a first fragment' : 'a new message within a fragmented one');
    }
    return frame;
  }
  #length(bytes) {
    let size = 0;
    for (const byte of bytes) size = size * 256 + byte;
    if (bytes[0] > 127 && bytes.length === 8) throw new FrameError(1002, 'a length has its highest bit');
    if (size < (bytes.length === 2 ? 126 : 65536)) throw new FrameError(1002, 'a length takes more bytes than it needs');
    return size;
  }
  #fragment(frame, payload) {
    this.#kind ??= frame.opcode;
    this.#fragments.push(payload);
    this.#fragmentBytes += payload.length;
    if (!frame.isLast) return;
    const whole = this.#fragments.length === 1 ? payload : new Uint8Array(this.#fragmentBytes);
    if (this.#fragments.length > 1) {
      let at = 0;
      for (const part of this.#fragments) { whole.set(part, at); at += part.length; }
    }
    const kind = this.#kind;
    [this.#kind, this.#fragments, this.#fragmentBytes] = [undefined, [], 0];
    if (kind === opcodes.text) this.#give('text', decodedText(whole));
    else this.#give('binary', whole);
  }
  #control(opcode, payload) {
    if (opcode === opcodes.ping) this.#give('ping', payload);
    else if (opcode === opcodes.pong) this.#give('pong', payload);
    else {
      if (payload.length === 1) throw new FrameError(1002, 'a close frame has half a code');
      const code = payload.length === 0 ? 1005 : payload[0] * 256 + payload[1];
      if (payload.length > 0 && !isCloseCode(code)) throw new FrameError(1002, `a close frame has the code ${code}`);
      const reason = decodedText(payload.subarray(2));
      this.isOver = true;
      this.#give('close', { code, reason });
    }
  }
}

// A whole frame, masked with these four bytes, as a client must.
function frameOf(opcode, payload, mask) {
  const { length } = payload;
  const lengthBytes = length < 126 ? 0 : length < 65536 ? 2 : 8;
  const made = new Uint8Array(2 + lengthBytes + 4 + length);
  made[0] = 0x80 | opcode;
  made[1] = 0x80 | (lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127);
  let rest = length;
  for (let i = 1 + lengthBytes; i > 1; i -= 1) {
    made[i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  const start = 2 + lengthBytes + 4;
  made.set(mask, start - 4);
  for (let i = 0; i < length; i += 1) made[start + i] = payload[i] ^ mask[i & 3];
  return made;
}
function closePayload(code, reasonBytes) {
  const made = new Uint8Array(2 + reasonBytes.length);
  made[0] = code >> 8;
  made[1] = code & 255;
  made.set(reasonBytes, 2);
  return made;
}
shelf.webSocketFrames = { opcodes, FrameReader, FrameError, frameOf, closePayload, controlBytesMax };
