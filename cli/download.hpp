// SPDX-License-Identifier: Apache-2.0
// Download: a file that a body is written to. The bytes go to FILE.part, which takes the name FILE when
// all have come: what stood there before is replaced by a whole file or not at all. FILE.part.etag says
// what the bytes belong to, so that a later run can go on with them. A device or a pipe is written
// directly. Its calls block; failures are std::runtime_error with a text for the user.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace gyre::cli {

class Download {
public:
    Download(std::string file, std::string url);

    // The bytes of an earlier run and what they belong to; nullopt if there are none. Throws if they
    // cannot be continued safely.
    struct Earlier {
        std::uint64_t size_bytes = 0;
        std::string validator;  // the value of an If-Range field
    };
    [[nodiscard]] std::optional<Earlier> earlier() const;

    // `validator` of the response, or empty. `appends`: to the bytes of the earlier run.
    void open(std::string_view validator, bool appends);
    void write(std::string_view piece);
    // All bytes have come. Call it without `open` if an earlier run had them all.
    void finish();

private:
    struct CloseFile {
        void operator()(std::FILE* file) const noexcept { static_cast<void>(std::fclose(file)); }
    };
    using File = std::unique_ptr<std::FILE, CloseFile>;

    [[nodiscard]] std::string part() const { return file_ + ".part"; }
    [[nodiscard]] std::string note() const { return file_ + ".part.etag"; }

    std::string file_;
    std::string url_;
    bool is_direct_;  // a device or a pipe
    File open_;
};

}  // namespace gyre::cli
