// SPDX-License-Identifier: Apache-2.0
#include "gyre/net/writer.hpp"

#include <algorithm>
#include <array>

#include "gyre/base/assert.hpp"

namespace gyre::net {
namespace {

// However a send of the buffer ends: what has gone leaves it, so that no byte goes out twice.
class TakeOutGone {
public:
    TakeOutGone(std::size_t& begin, const std::size_t& end, const ConstBytes& rest) noexcept
        : begin_(begin), end_(end), rest_(rest) {}
    ~TakeOutGone() { begin_ = end_ - rest_.size(); }
    TakeOutGone(const TakeOutGone&) = delete;
    TakeOutGone& operator=(const TakeOutGone&) = delete;

private:
    std::size_t& begin_;
    const std::size_t& end_;
    const ConstBytes& rest_;
};

}  // namespace

Writer::Writer(ByteStream& to, WriterOptions options)
    : to_(to),
      size_max_(options.buffer_bytes),
      buffer_(std::make_unique_for_overwrite<std::byte[]>(options.buffer_bytes)),
      is_corked_(options.is_corked) {
    GYRE_ASSERT(options.buffer_bytes > 0, "a writer needs a buffer of one byte at least");
}

bool Writer::try_write(ConstBytes data) noexcept {
    if (begin_ == end_) {
        begin_ = 0;
        end_ = 0;
    }
    if (data.size() > size_max_ - end_) return false;
    std::copy(data.begin(), data.end(), buffer_.get() + end_);
    end_ += data.size();
    return true;
}

Future<void> Writer::write(ConstBytes data) {
    if (!try_write(data)) {
        if (data.size() > size_max_) {
            // Too large to gather: with what is there, in one go.
            std::array pieces{ConstBytes(buffer_.get() + begin_, end_ - begin_), data};
            const TakeOutGone sent(begin_, end_, pieces[0]);
            co_await to_.send(pieces);
            co_return;
        }
        co_await flush();
        static_cast<void>(try_write(data));
    }
    if (!is_corked_) co_await flush();
}

Future<void> Writer::flush() {
    if (begin_ == end_) co_return;
    std::array pieces{ConstBytes(buffer_.get() + begin_, end_ - begin_)};
    const TakeOutGone sent(begin_, end_, pieces[0]);
    co_await to_.send(pieces);
}

Future<void> Writer::uncork() {
    is_corked_ = false;
    co_await flush();
}

}  // namespace gyre::net
