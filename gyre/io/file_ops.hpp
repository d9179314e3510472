// SPDX-License-Identifier: Apache-2.0
// PathOp, ReadPartsOp, WritePartsOp: ops on names, and on several buffers at one offset of a file.
//
//     PathOp stat(PathOp::Verb::stat, "notes.txt");
//     submit(stat);
//
// Thread: as for any op.
// Lifetime: the buffers stay valid until the completion.
// Cancel: did nothing (result "operation canceled"), or did what the result says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gyre/io/file_tree.hpp"
#include "gyre/io/io_ops.hpp"

namespace gyre {

// A buffer in the form in which systems want several of them.
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
    // One structure for both directions, so its pointer is not const; a write only reads.
    for (const ConstBytes each : buffers) {
        parts.push_back({const_cast<std::byte*>(each.data()), each.size()});
    }
    return parts;
}

class PartsOp : public IoOp {
public:
    // Parts beyond these are left for the next op.
    static constexpr std::size_t part_count_max = 1024;

    FileParts parts;
    std::uint64_t offset;

protected:
    PartsOp(IoCode code, Fd descriptor, FileParts buffers, std::uint64_t at) noexcept
        : IoOp(code, descriptor), parts(std::move(buffers)), offset(at) {}
};

// Reads a file into several buffers, in their order. Result: how many bytes, 0 at the end of the
// file.
class ReadPartsOp : public PartsOp {
public:
    ReadPartsOp(Fd descriptor, FileParts into, std::uint64_t at) noexcept
        : PartsOp(IoCode::read_parts, descriptor, std::move(into), at) {}
};

// Writes several buffers to a file, in their order. Result: how many bytes, not always all.
class WritePartsOp : public PartsOp {
public:
    WritePartsOp(Fd descriptor, FileParts from, std::uint64_t at) noexcept
        : PartsOp(IoCode::write_parts, descriptor, std::move(from), at) {}
};

// Asks about a name or an open file, or changes them, as FileTree's call of that name does. Result:
// 0.
class PathOp : public IoOp {
public:
    enum class Verb : std::uint8_t {
        stat,
        rename,
        remove,
        make_folder,
        link,
        symbolic_link,
        stat_open,  // these two have a descriptor and no name
        resize,
    };

    PathOp(Verb what, std::string name, Fd descriptor = -1) noexcept
        : IoOp(IoCode::path, descriptor), verb(what), path(std::move(name)) {}
    // Whether it fills `found`.
    [[nodiscard]] bool is_question() const noexcept {
        return verb == Verb::stat || verb == Verb::stat_open;
    }

    Verb verb;
    std::string path;               // of a symbolic link: where it leads
    std::string to;                 // the new name, of a rename or a link
    Links links = Links::followed;  // of a stat
    std::uint32_t mode = 0;         // of a folder
    std::uint64_t size_bytes = 0;   // of a resize
    FileStat found;

    // The platform's own, while it holds the op.
    std::unique_ptr<std::byte[]> room;
    bool is_folder = false;
};

// Does what the op says by blocking calls, and returns its result.
[[nodiscard]] std::int32_t run_path_op(PathOp& op, FileTree& tree);

}  // namespace gyre
