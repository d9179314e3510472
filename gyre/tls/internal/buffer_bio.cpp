// SPDX-License-Identifier: Apache-2.0
#include "gyre/tls/internal/buffer_bio.hpp"

#include <algorithm>
#include <cstring>

namespace gyre::tls {
namespace {

Buffers& buffers_of(BIO* bio) noexcept {
    return *static_cast<Buffers*>(BIO_get_data(bio));
}

int read_input(BIO* bio, char* into, int size) noexcept {
    BIO_clear_retry_flags(bio);
    Buffer& input = buffers_of(bio).input;
    if (input.empty()) {
        BIO_set_retry_read(bio);
        return -1;
    }
    const std::size_t count = std::min(static_cast<std::size_t>(size), input.bytes().size());
    std::memcpy(into, input.bytes().data(), count);
    input.take(count);
    return static_cast<int>(count);
}

int write_output(BIO* bio, const char* from, int size) noexcept {
    BIO_clear_retry_flags(bio);
    Buffer& output = buffers_of(bio).output;
    if (output.room_bytes() == 0) {
        BIO_set_retry_write(bio);
        return -1;
    }
    const Bytes room = output.make_room();
    if (room.empty()) return -1;  // No memory: OpenSSL reports a failure of its transport.
    const std::size_t count = std::min(static_cast<std::size_t>(size), room.size());
    std::memcpy(room.data(), from, count);
    output.add(count);
    return static_cast<int>(count);
}

// Flush succeeds; no other command is supported.
long control(BIO* /*bio*/, int command, long /*number*/, void* /*thing*/) noexcept {
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

// Shared by all connections; lives as long as the program.
const BIO_METHOD* buffers_method() {
    static const std::unique_ptr<BIO_METHOD, FreeBy<&BIO_meth_free>> method = [] {
        std::unique_ptr<BIO_METHOD, FreeBy<&BIO_meth_free>> made(
            BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "two buffers"));
        require(made != nullptr);
        BIO_meth_set_read(made.get(), &read_input);
        BIO_meth_set_write(made.get(), &write_output);
        BIO_meth_set_ctrl(made.get(), &control);
        return made;
    }();
    return method.get();
}

}  // namespace

OwnedBio make_buffer_bio(Buffers& buffers) {
    OwnedBio bio(BIO_new(buffers_method()));
    require(bio != nullptr);
    BIO_set_data(bio.get(), &buffers);
    BIO_set_init(bio.get(), 1);
    return bio;
}

}  // namespace gyre::tls
