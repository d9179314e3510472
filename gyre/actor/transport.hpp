// SPDX-License-Identifier: Apache-2.0
// Transport: carries frames between two nodes (gyre/actor/node.hpp). Also here: Frame, the unit
// that it carries, and Serial, which a message type specialises to become bytes. A message type
// without a Serial stays within the process: to a remote actor, `send` fails (not_serialisable).
//
//     template <> struct gyre::actor::Serial<Add> {
//         static constexpr const char* name = "Add";
//         static void write(const Add& message, std::string& bytes);
//         static Result<Add> read(std::string_view bytes);
//     };
//
// Thread: any.
// Lifetime: a node owns its transport; a frame is a plain value.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "gyre/base/result.hpp"

namespace gyre::actor {

template <class M>
struct Serial;
template <class M>
concept Serialisable = requires(const M& message, std::string& bytes) {
    { Serial<M>::name } -> std::convertible_to<std::string_view>;
    Serial<M>::write(message, bytes);
    { Serial<M>::read(std::string_view(bytes)) } -> std::same_as<Result<M>>;
};
template <class M>
concept SerialisableAnswer = std::is_void_v<M> || Serialisable<M>;

struct Frame {
    enum class Kind : std::uint8_t {
        tell,
        ask,
        answer,  // to an ask
        error,   // the ask failed
        stop,
        stop_now,
        // Watches and links. The node that registers one numbers it (`call`), and sends:
        watch,
        link,
        withdraw,
        link_failed,
        // The node of the watched or linked actor sends:
        ended,
        failed,
    };
    Kind kind = Kind::tell;
    std::string actor = {};  // the name of the receiver, as exported
    std::string type = {};   // Serial<M>::name
    std::uint64_t call = 0;  // the number of an ask, a watch or a link
    std::uint64_t trace_id = 0;
    std::string bytes = {};  // a message, an answer, an error text, or the registering actor's name
};

class Transport {
public:
    virtual ~Transport() = default;
    // An error when the frame is known to be lost. Frames arrive in the order they were sent.
    [[nodiscard]] virtual Result<void> send(Frame frame) = 0;
    // The node of this end has closed and sends nothing more; the peer must close too. Called once.
    virtual void close() noexcept = 0;
};

}  // namespace gyre::actor
