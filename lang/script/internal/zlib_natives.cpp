// SPDX-License-Identifier: Apache-2.0
#include "lang/script/internal/zlib_natives.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#ifdef GYRE_HAS_ZLIB

#    define ZLIB_CONST
#    include <zlib.h>

namespace gyre::script::zlib {
namespace {

enum Mode : int { deflate_zlib = 1, inflate_zlib, gzip, gunzip, deflate_raw, inflate_raw, unzip };

// A compressor or a decompressor.
class Coder final : public NativeStates::State {
public:
    Coder(int mode, int bits) noexcept : mode_(mode), bits_(window_bits(mode, bits)) {}
    ~Coder() override {
        if (is_open_) compresses() ? deflateEnd(&stream_) : inflateEnd(&stream_);
    }
    Coder(const Coder&) = delete;
    Coder& operator=(const Coder&) = delete;

    bool open(int level, int memory, int strategy, Bytef* dictionary, std::size_t size) {
        dictionary_.assign(dictionary, dictionary + size);
        const int done = compresses()
                             ? deflateInit2(&stream_, level, Z_DEFLATED, bits_, memory, strategy)
                             : inflateInit2(&stream_, bits_);
        is_open_ = done == Z_OK;
        return is_open_ && set_dictionary() == Z_OK;
    }

    // What zlib takes, by its own formulas.
    [[nodiscard]] std::size_t size_bytes(int memory) const noexcept {
        const int bits = std::clamp(bits_ < 0 ? -bits_ : bits_ & 15, 8, 15);
        const std::size_t window = std::size_t{1} << static_cast<unsigned>(bits);
        if (!compresses()) return window + 16384;
        return 4 * window +
               (std::size_t{1} << static_cast<unsigned>(std::clamp(memory, 1, 9) + 9)) + 16384;
    }

    int run(int flush, std::span<std::byte> input, std::span<std::byte> output) {
        stream_.next_in = reinterpret_cast<const Bytef*>(input.data());
        stream_.avail_in = static_cast<uInt>(input.size());
        stream_.next_out = reinterpret_cast<Bytef*>(output.data());
        stream_.avail_out = static_cast<uInt>(output.size());
        if (compresses()) return deflate(&stream_, flush);
        int status = inflate(&stream_, flush);
        if (status == Z_NEED_DICT && !dictionary_.empty()) {
            status = inflateSetDictionary(&stream_, dictionary_.data(), dictionary_size());
            // -3 of the dictionary is no error of the data.
            status = status == Z_OK           ? inflate(&stream_, flush)
                     : status == Z_DATA_ERROR ? Z_NEED_DICT
                                              : status;
        }
        // A file may have several members. Zeros behind the last one are padding.
        const bool has_members = mode_ == gunzip || mode_ == unzip;
        while (has_members && status == Z_STREAM_END && stream_.avail_in > 0 &&
               *stream_.next_in != 0) {
            if (inflateReset(&stream_) != Z_OK) break;
            status = inflate(&stream_, flush);
        }
        return status;
    }

    int reset() {
        const int done = compresses() ? deflateReset(&stream_) : inflateReset(&stream_);
        return done == Z_OK ? set_dictionary() : done;
    }
    int parameters(int level, int strategy) {
        return compresses() ? deflateParams(&stream_, level, strategy) : Z_OK;
    }
    [[nodiscard]] const z_stream& stream() const noexcept { return stream_; }

private:
    [[nodiscard]] bool compresses() const noexcept {
        return mode_ == deflate_zlib || mode_ == gzip || mode_ == deflate_raw;
    }
    static int window_bits(int mode, int bits) noexcept {
        if (mode == gzip || mode == gunzip) return bits + 16;
        if (mode == unzip) return bits + 32;
        return mode == deflate_raw || mode == inflate_raw ? -bits : bits;
    }
    [[nodiscard]] uInt dictionary_size() const { return static_cast<uInt>(dictionary_.size()); }
    int set_dictionary() {
        if (dictionary_.empty()) return Z_OK;
        if (compresses() && mode_ != gzip) {
            return deflateSetDictionary(&stream_, dictionary_.data(), dictionary_size());
        }
        return mode_ == inflate_raw
                   ? inflateSetDictionary(&stream_, dictionary_.data(), dictionary_size())
                   : Z_OK;
    }

    const int mode_;
    const int bits_;
    bool is_open_ = false;
    z_stream stream_{};
    std::vector<Bytef> dictionary_;
};

int integer(NativeCall& call, std::size_t index) {
    const double number = call.number(index);
    return number >= -1000 && number <= 1000 ? static_cast<int>(number) : 0;
}

}  // namespace

void open(NativeStates& states, NativeCall& call) {
    const int mode = integer(call, 0);
    if (mode < deflate_zlib || mode > unzip) return;
    auto made = std::make_unique<Coder>(mode, integer(call, 1));
    const std::span<std::byte> dictionary = call.bytes(5);
    if (!made->open(integer(call, 2), integer(call, 3), integer(call, 4),
                    reinterpret_cast<Bytef*>(dictionary.data()), dictionary.size())) {
        return;
    }
    const std::size_t size_bytes = made->size_bytes(integer(call, 3));
    states.add(call, std::move(made), size_bytes);
}

void run(NativeStates& states, NativeCall& call) {
    Coder* coder = states.find<Coder>(call.number(0));
    const std::span<std::byte> rest = call.bytes(4);
    if (coder == nullptr || rest.size() < 2 * sizeof(std::int32_t)) {
        return call.fail("Error", "the compressor is closed");
    }
    const int status = coder->run(integer(call, 1), call.bytes(2), call.bytes(3));
    const std::int32_t left[] = {static_cast<std::int32_t>(coder->stream().avail_in),
                                 static_cast<std::int32_t>(coder->stream().avail_out)};
    std::copy_n(reinterpret_cast<const std::byte*>(left), sizeof(left), rest.data());
    call.give_number(status);
}

void message(NativeStates& states, NativeCall& call) {
    const Coder* coder = states.find<Coder>(call.number(0));
    const char* text = coder == nullptr ? nullptr : coder->stream().msg;
    call.give_text(text == nullptr ? "" : text);
}

void reset(NativeStates& states, NativeCall& call) {
    Coder* coder = states.find<Coder>(call.number(0));
    call.give_number(coder == nullptr ? Z_STREAM_ERROR : coder->reset());
}

void parameters(NativeStates& states, NativeCall& call) {
    Coder* coder = states.find<Coder>(call.number(0));
    call.give_number(coder == nullptr ? Z_STREAM_ERROR
                                      : coder->parameters(integer(call, 1), integer(call, 2)));
}

void crc32(NativeCall& call) {
    const std::span<std::byte> bytes = call.bytes(0);
    call.give_number(
        static_cast<double>(::crc32_z(static_cast<uLong>(call.number(1)),
                                      reinterpret_cast<const Bytef*>(bytes.data()), bytes.size())));
}

}  // namespace gyre::script::zlib

#else

namespace gyre::script::zlib {

void open(NativeStates& /*states*/, NativeCall& /*call*/) {}
void run(NativeStates& /*states*/, NativeCall& /*call*/) {}
void message(NativeStates& /*states*/, NativeCall& /*call*/) {}
void reset(NativeStates& /*states*/, NativeCall& /*call*/) {}
void parameters(NativeStates& /*states*/, NativeCall& /*call*/) {}
void crc32(NativeCall& /*call*/) {}

}  // namespace gyre::script::zlib

#endif
