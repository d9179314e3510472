// SPDX-License-Identifier: Apache-2.0
// Session: one run inside a WasmGuest: its instance, its buffers in the module's memory, and its strands. A Strand is
// one task: it goes from call to call until it performs an effect, ends, or is stopped by the engine. All on
// the scheduler's thread; a session lives from begin_run to end_run and outlives its strands.
//
//   a strand:  instantiate ──▶ entry ──▶ encode ──▶ a step: a request or a value
//                                ▲          (raw path: the outcome is encoded by a call of its own)
//                                └── resume ◀── the answer
//
// The memory of a module belongs to its host: [0, B) and [B, 2B) for functions that are called with frames,
// at 2B the table of handles, after it one buffer for each task.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/effect/guest.hpp"
#include "lang/wasm/guest.hpp"
#include "lang/wasm/internal/frames.hpp"

namespace gyre::wasm {

class WasmGuest::Session {
public:
    struct Strand;
    // A value that a task ended with.
    struct HeldRef {
        Session& session;
        Ref reference;
    };

    Session(const Program& program, const GuestOptions& options, effect::RunId run);
    ~Session();

    [[nodiscard]] effect::Step start(std::string_view entry, effect::Arguments arguments,
                                     effect::TaskHost& tasks);
    [[nodiscard]] effect::Step resume(std::unique_ptr<Strand> strand, effect::Value answer,
                                      effect::TaskHost& tasks);
    [[nodiscard]] effect::Step end(std::unique_ptr<Strand> strand, effect::Value value,
                                   effect::TaskHost& tasks);
    void release(Ref reference) noexcept;

private:
    enum class Phase : std::uint8_t { instantiate, entry, encode, framed, serialized, direct };

    // session.cpp: from call to call.
    [[nodiscard]] effect::Step drive(std::unique_ptr<Strand> strand, Progress progress);
    // None: the strand has begun another call.
    [[nodiscard]] std::optional<effect::Step> after_call(std::unique_ptr<Strand>& strand,
                                                         Progress& progress);
    [[nodiscard]] Progress begin_call(Instance::Function function, std::span<const Cell> arguments);
    [[nodiscard]] Progress begin_function(Strand& strand);
    [[nodiscard]] Progress begin_direct(Strand& strand);
    [[nodiscard]] Progress begin_encoding(Strand& strand);
    [[nodiscard]] Progress begin_answer(Strand& strand, const effect::Value& answer);
    template <class Call>
    [[nodiscard]] effect::Step guarded(effect::TaskHost& tasks, Call call);

    // session_steps.cpp: what a call has returned.
    [[nodiscard]] std::optional<effect::Step> take_result(std::unique_ptr<Strand>& strand,
                                                          Progress& progress, Ref result);
    [[nodiscard]] std::optional<effect::Step> take_request(std::unique_ptr<Strand>& strand,
                                                           Progress& progress,
                                                           std::string_view frame);
    [[nodiscard]] effect::Step take_value(Strand& strand, std::string_view frame);
    [[nodiscard]] effect::Step take_serialized(Strand& strand);
    [[nodiscard]] effect::Step take_direct(const Strand& strand);
    [[nodiscard]] static Ref ref_of(const Cell& result);
    [[nodiscard]] Ref call_for_ref(Instance::Function function, Ref argument);
    [[nodiscard]] std::int32_t call_for_number(Instance::Function function, Ref argument);

    // session_setup.cpp: instances, imports, memory.
    void set_up();
    [[nodiscard]] std::vector<HostImport> make_imports();
    [[nodiscard]] HostFunction spawner(effect::TaskHost::Spawn how, std::string starter);
    [[nodiscard]] Instance::Function need(std::string_view name);
    void reserve_buffer(Strand& strand, std::size_t size);
    void write_frame(Strand& strand);
    [[nodiscard]] std::string_view memory_at(std::size_t offset, std::size_t size);
    void rethrow_with_panic(const std::exception_ptr& thrown);

    const Program& program_;
    const GuestOptions& options_;
    const effect::RunId run_;
    const std::size_t buffer_size_;
    std::unique_ptr<Instance> instance_;
    effect::TaskHost* tasks_ = nullptr;  // during a call
    std::uint32_t last_task_ = 1;
    std::size_t buffers_end_ = 0;
    std::vector<std::pair<std::size_t, std::size_t>> free_buffers_;  // offset and size
    std::string scratch_;                                            // the frame that is written
    bool is_inside_ = false;     // a call was preempted, and goes on
    std::vector<Ref> released_;  // meanwhile

    struct Functions {
        Instance::Function status, length, continuation, resume, resume_raw, end_raw, encode;
        bool has_end_raw = false;
    } functions_{};
};

struct WasmGuest::Session::Strand {
    explicit Strand(Session& of) noexcept : session(of) {}
    Strand(const Strand&) = delete;
    Strand& operator=(const Strand&) = delete;
    ~Strand();

    Session& session;
    Phase phase = Phase::instantiate;
    std::uint32_t task = 1;                      // 1: the root
    const ExportedFunction* function = nullptr;  // of the root
    effect::Arguments arguments;                 // of the root, until its function begins
    std::string starter;                         // of a task: the export that begins it
    std::vector<Cell> starter_arguments;
    std::size_t buffer = 0;
    std::size_t buffer_size = 0;
    std::size_t frame_size = 0;
    Ref outcome = 0;  // while it is encoded
    Ref request = 0;  // while it waits for its answer
    std::size_t op_index = 0;
    std::string result_fingerprint;
    bool was_preempted = false;
};

}  // namespace gyre::wasm
