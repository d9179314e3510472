// SPDX-License-Identifier: Apache-2.0
#include "lang/script/internal/brotli_natives.hpp"

#ifdef GYRE_HAS_BROTLI

#    include <brotli/decode.h>
#    include <brotli/encode.h>

#    include <algorithm>
#    include <cstdint>
#    include <cstring>
#    include <memory>
#    include <string>
#    include <utility>

namespace gyre::script::brotli {
namespace {

enum Status : int { goes_on = 0, ended = 1, failed = 2 };

struct Progress {
    Status status = goes_on;
    std::size_t input_left = 0;
    std::size_t room_left = 0;
};

class Coder : public NativeStates::State {
public:
    virtual bool set(std::uint32_t parameter, std::uint32_t value) = 0;
    virtual Progress run(int operation, std::span<std::byte> input,
                         std::span<std::byte> output) = 0;
    [[nodiscard]] virtual std::string message() const { return {}; }
};

class Encoder final : public Coder {
public:
    bool set(std::uint32_t parameter, std::uint32_t value) override {
        return BrotliEncoderSetParameter(state_.get(),
                                         static_cast<BrotliEncoderParameter>(parameter),
                                         value) == BROTLI_TRUE;
    }
    Progress run(int operation, std::span<std::byte> input, std::span<std::byte> output) override {
        std::size_t in = input.size();
        std::size_t out = output.size();
        const auto* from = reinterpret_cast<const std::uint8_t*>(input.data());
        auto* to = reinterpret_cast<std::uint8_t*>(output.data());
        const bool is_fine = BrotliEncoderCompressStream(
                                 state_.get(), static_cast<BrotliEncoderOperation>(operation), &in,
                                 &from, &out, &to, nullptr) == BROTLI_TRUE;
        const bool has_ended = BrotliEncoderIsFinished(state_.get()) == BROTLI_TRUE;
        return {!is_fine ? failed : has_ended ? ended : goes_on, in, out};
    }

private:
    struct End {
        void operator()(BrotliEncoderState* state) const { BrotliEncoderDestroyInstance(state); }
    };
    std::unique_ptr<BrotliEncoderState, End> state_{
        BrotliEncoderCreateInstance(nullptr, nullptr, nullptr)};
};

class Decoder final : public Coder {
public:
    bool set(std::uint32_t parameter, std::uint32_t value) override {
        return BrotliDecoderSetParameter(state_.get(),
                                         static_cast<BrotliDecoderParameter>(parameter),
                                         value) == BROTLI_TRUE;
    }
    Progress run(int /*operation*/, std::span<std::byte> input,
                 std::span<std::byte> output) override {
        std::size_t in = input.size();
        std::size_t out = output.size();
        const auto* from = reinterpret_cast<const std::uint8_t*>(input.data());
        auto* to = reinterpret_cast<std::uint8_t*>(output.data());
        const BrotliDecoderResult done =
            BrotliDecoderDecompressStream(state_.get(), &in, &from, &out, &to, nullptr);
        return {done == BROTLI_DECODER_RESULT_ERROR     ? failed
                : done == BROTLI_DECODER_RESULT_SUCCESS ? ended
                                                        : goes_on,
                in, out};
    }
    std::string message() const override {
        const BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(state_.get());
        return std::to_string(static_cast<int>(code)) + " " + BrotliDecoderErrorString(code);
    }

private:
    struct End {
        void operator()(BrotliDecoderState* state) const { BrotliDecoderDestroyInstance(state); }
    };
    std::unique_ptr<BrotliDecoderState, End> state_{
        BrotliDecoderCreateInstance(nullptr, nullptr, nullptr)};
};

// What a coder takes at most of the two: a window of 2^24 bytes, and the encoder's tables.
constexpr std::size_t coder_bytes = std::size_t{48} << 20u;

}  // namespace

void open(NativeStates& states, NativeCall& call) {
    std::unique_ptr<Coder> made;
    if (call.truth(0)) {
        made = std::make_unique<Encoder>();
    } else {
        made = std::make_unique<Decoder>();
    }
    std::span<std::byte> rest = call.bytes(1);
    std::uint32_t pair[2];
    for (; rest.size() >= sizeof(pair); rest = rest.subspan(sizeof(pair))) {
        std::memcpy(pair, rest.data(), sizeof(pair));
        if (!made->set(pair[0], pair[1])) return;
    }
    states.add(call, std::move(made), coder_bytes);
}

void run(NativeStates& states, NativeCall& call) {
    Coder* coder = states.find<Coder>(call.number(0));
    const std::span<std::byte> rest = call.bytes(4);
    if (coder == nullptr || rest.size() < 2 * sizeof(std::int32_t)) {
        return call.fail("Error", "the compressor is closed");
    }
    const int operation = std::clamp(static_cast<int>(call.number(1)), 0, 3);
    const Progress done = coder->run(operation, call.bytes(2), call.bytes(3));
    const std::int32_t left[] = {static_cast<std::int32_t>(done.input_left),
                                 static_cast<std::int32_t>(done.room_left)};
    std::memcpy(rest.data(), left, sizeof(left));
    call.give_number(done.status);
}

void message(NativeStates& states, NativeCall& call) {
    const Coder* coder = states.find<Coder>(call.number(0));
    call.give_text(coder == nullptr ? std::string() : coder->message());
}

void version(NativeCall& call) {
    call.give_number(BrotliDecoderVersion());
}

}  // namespace gyre::script::brotli

#else

namespace gyre::script::brotli {

void open(NativeStates& /*states*/, NativeCall& /*call*/) {}
void run(NativeStates& /*states*/, NativeCall& /*call*/) {}
void message(NativeStates& /*states*/, NativeCall& /*call*/) {}
void version(NativeCall& /*call*/) {}

}  // namespace gyre::script::brotli

#endif
