// SPDX-License-Identifier: Apache-2.0
// The ops of files: open, read and write at an offset, with one buffer or several, and changes of
// names. File operations may block: a platform that has no asynchronous requests for them runs them
// on a thread of the Offload.
//
//     OpenOp open("notes.txt");
//     submit(open);                     // completes with a descriptor
//
// Thread: as for any op.
// Lifetime: the buffers stay valid until the completion.
// Cancel: either had no effect (result "operation canceled"), or took effect as the result says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gyre/base/bytes.hpp"
#include "gyre/io/file_tree.hpp"
#include "gyre/io/io_ops.hpp"

namespace gyre {

struct OpenOptions {
    bool read = true;
    bool write = false;
    bool create = false;
    bool truncate = false;
    bool append = false;     // every write appends; its offset is ignored
    bool exclusive = false;  // with `create`: fails if the file exists
    std::uint32_t mode = 0644;
};

// Opens a file. Result: its descriptor.
class OpenOp : public IoOp {
public:
    explicit OpenOp(std::string file, OpenOptions how = {}) noexcept
        : IoOp(IoCode::open, -1), path(std::move(file)), options(how) {}
    std::string path;
    OpenOptions options;
};

// Reads a file at an offset. Result: the number of bytes, 0 at the end of the file.
class ReadOp : public IoOp {
public:
    ReadOp(Fd descriptor, Bytes into, std::uint64_t at) noexcept
        : IoOp(IoCode::read, descriptor), buffer(into), offset(at) {}
    Bytes buffer;
    std::uint64_t offset;
};

// Writes to a file at an offset. Result: the number of bytes, possibly fewer than given.
class WriteOp : public IoOp {
public:
    WriteOp(Fd descriptor, ConstBytes from, std::uint64_t at) noexcept
        : IoOp(IoCode::write, descriptor), buffer(from), offset(at) {}
    ConstBytes buffer;
    std::uint64_t offset;
};

// Result: 0 once all data written before is on the disk.
class FsyncOp : public IoOp {
public:
    explicit FsyncOp(Fd descriptor) noexcept : IoOp(IoCode::fsync, descriptor) {}
};

// A buffer, laid out as struct iovec.
struct FilePart {
    std::byte* data;
    std::size_t size;
};
using FileParts = std::vector<FilePart>;

inline FileParts parts_to_fill(std::span<const Bytes> buffers) {
    FileParts parts;
    parts.reserve(buffers.size());
    for (const Bytes each : buffers) parts.push_back({each.data(), each.size()});
    return parts;
}
inline FileParts parts_to_write(std::span<const ConstBytes> buffers) {
    FileParts parts;
    parts.reserve(buffers.size());
    // One structure serves both directions, so its pointer is not const; a write only reads.
    for (const ConstBytes each : buffers) {
        parts.push_back({const_cast<std::byte*>(each.data()), each.size()});
    }
    return parts;
}

class PartsOp : public IoOp {
public:
    // Further parts are left for the next op.
    static constexpr std::size_t part_count_max = 1024;

    FileParts parts;
    std::uint64_t offset;

protected:
    PartsOp(IoCode code, Fd descriptor, FileParts buffers, std::uint64_t at) noexcept
        : IoOp(code, descriptor), parts(std::move(buffers)), offset(at) {}
};

// Reads a file into several buffers, in order. Result: the number of bytes, 0 at the end of the
// file.
class ReadPartsOp : public PartsOp {
public:
    ReadPartsOp(Fd descriptor, FileParts into, std::uint64_t at) noexcept
        : PartsOp(IoCode::read_parts, descriptor, std::move(into), at) {}
};

// Writes several buffers to a file, in order. Result: the number of bytes, possibly fewer than
// given.
class WritePartsOp : public PartsOp {
public:
    WritePartsOp(Fd descriptor, FileParts from, std::uint64_t at) noexcept
        : PartsOp(IoCode::write_parts, descriptor, std::move(from), at) {}
};

// Queries or changes a name or an open file, like the FileTree function of that name. Result: 0.
class PathOp : public IoOp {
public:
    enum class Verb : std::uint8_t {
        stat,
        rename,
        remove,
        make_folder,
        link,
        symbolic_link,
        stat_open,  // this and the next have a descriptor, no path
        resize,
    };

    PathOp(Verb what, std::string name, Fd descriptor = -1) noexcept
        : IoOp(IoCode::path, descriptor), verb(what), path(std::move(name)) {}
    // Whether the op fills `found`.
    [[nodiscard]] bool is_question() const noexcept {
        return verb == Verb::stat || verb == Verb::stat_open;
    }

    Verb verb;
    std::string path;               // of a symbolic link: its target
    std::string to;                 // of a rename or a link: the new name
    Links links = Links::followed;  // of a stat
    std::uint32_t mode = 0;         // of a new directory
    std::uint64_t size_bytes = 0;   // of a resize
    FileStat found;

    // For the platform only, while it holds the op.
    std::unique_ptr<std::byte[]> room;
    bool is_folder = false;
};

// Executes the op with blocking calls, and returns its result.
[[nodiscard]] std::int32_t run_path_op(PathOp& op, FileTree& tree);

}  // namespace gyre
