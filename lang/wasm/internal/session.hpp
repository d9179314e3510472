// SPDX-License-Identifier: Apache-2.0
// Session: one run inside a WasmGuest: its strands in a Store. A Strand is one task: it goes from call to call until it
// performs an effect, ends, or is stopped by the engine. All on the scheduler's thread; a session lives from
// begin_run to end_run and outlives its strands.
//
//   a strand:  instantiate ──▶ entry ──▶ encode ──▶ a step: a request or a value
//                                ▲          (raw path: the outcome is encoded by a call of its own)
//                                └── resume ◀── the answer
//
// A store that is shared may be inside of a preempted call of another run. Then the strand keeps what it wanted to do, and
// counts as preempted itself: the scheduler resumes it after the others.
//
// An import that a handler answers is a step too: a request in the middle of a call, which goes on with the answer.
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
#include "lang/wasm/internal/callbacks.hpp"
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

    Session(WasmGuest& guest, effect::RunId run) noexcept;
    ~Session();

    [[nodiscard]] effect::Step start(std::string_view entry, effect::Arguments arguments,
                                     effect::TaskHost& tasks);
    [[nodiscard]] effect::Step resume(std::unique_ptr<Strand> strand, effect::Value answer,
                                      effect::TaskHost& tasks);
    [[nodiscard]] effect::Step end(std::unique_ptr<Strand> strand, effect::Value value,
                                   effect::TaskHost& tasks);
    void release(Ref reference) noexcept;
    // Null before `start`.
    [[nodiscard]] const std::shared_ptr<Store>& store() const noexcept { return store_; }
    // For the imports of the store: a task whose body is the export `starter`, which gets these arguments.
    [[nodiscard]] effect::Continuation make_task(std::string starter, std::vector<Cell> arguments);

private:
    enum class Phase : std::uint8_t { instantiate, entry, encode, framed, serialized, direct };
    // What a strand does when it enters the store.
    enum class Entering : std::uint8_t { nothing, begin, go_on, answer, end };

    // session.cpp: from call to call.
    [[nodiscard]] effect::Step enter(std::unique_ptr<Strand> strand, Entering how,
                                     effect::Value value, effect::TaskHost& tasks);
    [[nodiscard]] effect::Step drive(std::unique_ptr<Strand> strand, Progress progress);
    // None: the strand has begun another call.
    [[nodiscard]] std::optional<effect::Step> after_call(std::unique_ptr<Strand>& strand,
                                                         Progress& progress);
    [[nodiscard]] static effect::Step preempted(std::unique_ptr<Strand> strand);
    [[nodiscard]] static effect::Step asking(std::unique_ptr<Strand> strand);
    [[nodiscard]] std::optional<effect::Step> begin_end(std::unique_ptr<Strand>& strand,
                                                        Progress& progress, effect::Value value);
    [[nodiscard]] Progress begin_call(Strand& strand, Instance::Function function,
                                      std::span<const Cell> arguments);
    [[nodiscard]] Progress begin_call(Strand& strand, const std::string& name,
                                      std::span<const Cell> arguments);
    [[nodiscard]] Progress begin_function(Strand& strand);
    [[nodiscard]] Progress begin_starter(Strand& strand);
    [[nodiscard]] Progress begin_callback(Strand& strand);
    [[nodiscard]] Progress begin_direct(Strand& strand);
    void check_direct(const Strand& strand);
    [[nodiscard]] Progress begin_encoding(Strand& strand);
    [[nodiscard]] Progress begin_answer(Strand& strand, const effect::Value& answer);

    // session_steps.cpp: what a call has returned.
    [[nodiscard]] std::optional<effect::Step> take_result(std::unique_ptr<Strand>& strand,
                                                          Progress& progress, Ref result);
    [[nodiscard]] std::optional<effect::Step> take_request(std::unique_ptr<Strand>& strand,
                                                           Progress& progress,
                                                           std::string_view frame);
    [[nodiscard]] effect::Step take_value(Strand& strand, std::string_view frame);
    [[nodiscard]] effect::Step take_serialized(Strand& strand);
    [[nodiscard]] effect::Step take_direct(const Strand& strand);
    // The one result that an export of the protocol has. Throws a ProtocolError if there is another number.
    [[nodiscard]] Cell only_result();
    [[nodiscard]] static Ref ref_of(const Cell& result);
    [[nodiscard]] Ref call_for_ref(Instance::Function function, Ref argument);
    [[nodiscard]] std::int32_t call_for_number(Instance::Function function, Ref argument);

    // session_setup.cpp: the store and the strands of a run.
    void join_store(std::string_view entry);
    [[nodiscard]] std::unique_ptr<Strand> make_root(std::string_view entry,
                                                    effect::Arguments arguments);
    void reserve_buffer(Strand& strand, std::size_t size);
    // A strand that waits for its answer needs no buffer: the others of its store may have it.
    void lend_buffer(Strand& strand);
    void reserve_lent_buffer(Strand& strand);
    // Copies the frame in `scratch_` into the strand's buffer.
    void write_frame(Strand& strand);

    WasmGuest& guest_;
    const Program& program_;
    const GuestOptions& options_;
    const effect::RunId run_;
    std::shared_ptr<Store> store_;
    std::uint32_t last_task_ = 1;
    Duration time_used_{0};  // by the guest, for this run
    std::string scratch_;    // the frame that is written
};

struct WasmGuest::Session::Strand {
    enum class Kind : std::uint8_t { function, callback, task };
    explicit Strand(Session& of) noexcept : session(of) {}
    Strand(const Strand&) = delete;
    Strand& operator=(const Strand&) = delete;
    ~Strand();

    Session& session;
    Kind kind = Kind::function;
    Phase phase = Phase::instantiate;
    // How the module names the end of the strand: an export, or a task or callback.
    std::uint32_t completion_id = 0;
    std::string name;                            // of the function, callback or starter
    const Schema* result = nullptr;              // null: not known
    bool is_raw = true;                          // the outcome is encoded by another call
    const ExportedFunction* function = nullptr;  // of a function
    std::int32_t callback = 0;                   // of a callback: its number
    effect::Arguments arguments;                 // until it begins
    std::vector<Cell> starter_arguments;         // of a task, until it begins
    std::size_t buffer = 0;
    std::size_t buffer_size = 0;  // 0: it has none
    std::size_t lent_size = 0;    // of the buffer that it had when it performed an effect
    std::size_t frame_size = 0;
    Ref outcome = 0;  // while it is encoded
    Ref request = 0;  // while it waits for its answer
    std::size_t op_index = 0;
    std::string result_fingerprint;
    CallbackScopes callback_scopes;
    bool is_in_call = false;                // preempted, or inside of an import that waits
    const effect::OpInfo* asked = nullptr;  // by the import; null: the strand is in none
    effect::Arguments asked_arguments;
    effect::Value import_answer;
    Entering waiting = Entering::nothing;  // for the store
    effect::Value waiting_value;
};

}  // namespace gyre::wasm
