// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the frames of WebSocket (library/lazy/web_socket_frames.js). Of any bytes in any pieces
// the reader gives the same messages and the same error, none of them beyond the limits, and nothing
// behind a close frame or an error; a message that a client writes is read again. The first byte
// chooses the pieces, the second one the limit of a message. One script reads all inputs.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "gyre/base/assert.hpp"
#include "lang/script/internal/library.hpp"
#include "lang/script/quickjs/fed_script.test.hpp"

namespace gyre::script {
namespace {

constexpr std::size_t input_bytes_max = 4096;

constexpr std::string_view checks = R"js(
const { opcodes, FrameReader, FrameError, frameOf, controlBytesMax } = shelf.webSocketFrames;
const expect = (truth, rule) => { if (!truth) throw new Error(rule); };
function read(bytes, width, limit) {
  const told = [];
  let isClosed = false;
  const reader = new FrameReader(limit, (kind, value) => {
    expect(!isClosed, 'nothing follows a close frame');
    const size = kind === 'text' ? value.length : kind === 'close' ? value.reason.length : value.length;
    expect(size <= (kind === 'text' || kind === 'binary' ? limit : controlBytesMax), 'a value is within its limit');
    if (kind === 'text') expect(value.isWellFormed(), 'a text is well-formed');
    if (kind === 'close') isClosed = true;
    told.push([kind, kind === 'text' || kind === 'close' ? value : [...value]]);
  });
  try {
    for (let at = 0; at < bytes.length; at += width) reader.feed(bytes.subarray(at, at + width));
  } catch (error) {
    expect(error instanceof FrameError && [1002, 1007, 1009].includes(error.code), error.stack);
    expect(reader.isOver, 'an error ends the reader');
    told.push(['error', error.code]);
    const before = told.length;
    reader.feed(bytes);
    expect(told.length === before, 'nothing follows an error');
  }
  expect(isClosed ? reader.isOver : true, 'a close frame ends the reader');
  return JSON.stringify(told);
}
// As a server would read it: without the mask.
function readAgain(payload) {
  const mask = [payload.length & 255, 7, 0, 255];
  const made = frameOf(opcodes.binary, payload, mask);
  const start = made.length - payload.length;
  const plain = new Uint8Array(made.length - 4);
  plain.set(made.subarray(0, start - 4));
  plain[1] &= 127;
  for (let i = 0; i < payload.length; i += 1) plain[start - 4 + i] = made[start + i] ^ mask[i & 3];
  let got;
  new FrameReader(1 << 20, (kind, value) => { got = value; }).feed(plain);
  expect(got !== undefined && got.length === payload.length && got.every((byte, i) => byte === payload[i]), 'what is written is read again');
}
for (;;) {
  const [width, limit, ...rest] = await gyre.call('next');
  const bytes = Uint8Array.from(rest);
  expect(read(bytes, width % 16 + 1, limit * 8) === read(bytes, bytes.length + 1, limit * 8), 'pieces give the same messages');
  readAgain(bytes);
  gyre.callDirect('done');
}
)js";

std::string program() {
    for (const LibraryFile& file : library_files()) {
        if (std::string_view(file.name) != "web_socket_frames") continue;
        return "const shelf = {};\n(function () {" + std::string(file.text) + "})();\n" +
               std::string(checks);
    }
    GYRE_ASSERT(false, "the library has no file web_socket_frames");
    return {};
}

}  // namespace
}  // namespace gyre::script

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static auto& frames = *new gyre::script::FedScript(gyre::script::program());
    const std::span input(data, size);
    if (size >= 2 && size <= gyre::script::input_bytes_max) frames.check(input);
    return 0;
}
