// SPDX-License-Identifier: Apache-2.0
// Fuzz target: an instance that lies at the engine seam. The input says what every call returns: progress, references, numbers,
// traps, calls of imports, and bytes in memory. Whatever it says, each run ends in an outcome or is cancelled, no reference is
// used after it was given back, and none is given back twice.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>

#include "gyre/base/assert.hpp"
#include "gyre/base/detail/scope_exit.hpp"
#include "gyre/effect/effect_world.test.hpp"
#include "gyre/effect/run_outcome.hpp"
#include "lang/wasm/fake_module.test.hpp"
#include "lang/wasm/guest.hpp"
#include "lang/wasm/protocol_frames.test.hpp"

using namespace gyre::wasm;
namespace effect = gyre::effect;

namespace {

// The input; after its end there are only zeros.
class Input {
public:
    Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
    std::uint8_t byte() { return at_ < size_ ? data_[at_++] : std::uint8_t{0}; }
    std::int32_t number() {
        std::uint32_t word = 0;
        for (int i = 0; i < 4; ++i) word = word << 8u | byte();
        return static_cast<std::int32_t>(word);
    }
    [[nodiscard]] bool is_empty() const { return at_ >= size_; }

private:
    const std::uint8_t* data_;
    std::size_t size_;
    std::size_t at_ = 0;
};

class LyingInstance final : public Instance {
public:
    LyingInstance(Input& input, std::vector<HostImport> imports)
        : input_(input), imports_(std::move(imports)), memory_(200'000) {}
    ~LyingInstance() override { GYRE_ASSERT(live_.empty(), "a reference that was not given back"); }
    Progress begin() override { return progress(); }
    Progress begin_call(Function, std::span<const Cell> arguments) override {
        GYRE_ASSERT(!is_inside_, "a call inside of a preempted one");
        for (const Cell& one : arguments) check(one);
        const std::uint8_t how = input_.byte();
        if (how % 4 == 1) call_import(how / 4);
        write_frame(arguments, input_.byte());
        result_count_ = how >= 240 ? how % 3 : 1;
        return progress();
    }
    Progress go_on() override {
        GYRE_ASSERT(is_inside_, "only a preempted call goes on");
        is_inside_ = false;
        return progress();
    }
    std::size_t result_count() const noexcept override { return result_count_; }
    Cell result(std::size_t) const override { return const_cast<LyingInstance*>(this)->any_cell(); }
    Cell call(Function function, std::span<const Cell> arguments) override {
        GYRE_ASSERT(!is_inside_, "a call inside of a preempted one");
        for (const Cell& one : arguments) check(one);
        const std::uint8_t how = input_.byte();
        if (how == 255) trap();
        if (how == 254) return any_cell();
        // Mostly what the protocol wants: a status, a length, a continuation.
        if (function == status) return cell(how % 3);
        if (function == length) return cell(how % 8 == 7 ? input_.number() : frame_size_);
        return cell_of(how % 8 == 7 ? 0 : made());
    }
    void abandon() noexcept override { is_inside_ = false; }
    std::optional<Function> find(std::string_view name) override {
        if (input_.byte() == 255) return std::nullopt;
        return name == "effect_status" ? status : name == "effect_len" ? length : other;
    }
    bool use_memory(std::string_view) override { return input_.byte() != 255; }
    std::span<std::byte> memory() override { return memory_; }
    bool grow_memory(std::size_t size) override {
        if (input_.byte() == 255 || size > (std::size_t{1} << 24u)) return false;
        memory_.resize(std::max(memory_.size(), size));
        return true;
    }
    std::optional<std::int32_t> global(std::string_view) override {
        if (input_.byte() % 2 == 0) return std::nullopt;
        return input_.number();
    }
    void set_global(std::string_view, std::int32_t) override {}
    Ref clone(Ref reference) override {
        check(cell_of(reference));
        return reference == 0 ? 0 : made();
    }
    void release(Ref reference) noexcept override {
        GYRE_ASSERT(!is_inside_, "a reference given back inside of a preempted call");
        if (reference == 0) return;
        GYRE_ASSERT(live_.erase(reference) == 1, "a reference given back twice");
    }
    std::size_t ref_count() const noexcept override { return live_.size(); }

private:
    static constexpr Function status = 1;
    static constexpr Function length = 2;
    static constexpr Function other = 3;

    [[noreturn]] static void trap() {
        throw effect::GuestTrap(effect::ErrorKind::trap, "a trap",
                                {.code = "trap", .function = "f"});
    }
    Ref made() {
        live_.insert(++last_);
        return last_;
    }
    void check(const Cell& cell) const {
        if (cell.kind != CellKind::ref || cell.ref == 0) return;
        GYRE_ASSERT(live_.contains(cell.ref), "a reference that was given back");
    }
    Progress progress() {
        const std::uint8_t how = input_.byte();
        if (how == 255) trap();
        if (how == 254) {
            throw effect::ProtocolError(effect::ErrorKind::memory_limit, "no memory");
        }
        is_inside_ = how % 16 == 15;
        if (!is_inside_) return Progress::done;
        return how / 16 % 2 == 0 ? Progress::preempted : Progress::waiting;
    }
    Cell any_cell() {
        const std::uint8_t how = input_.byte();
        if (how % 8 == 7) return cell(input_.number());
        if (how % 8 == 6) {
            Cell odd;
            odd.kind = CellKind::other;
            return odd;
        }
        return cell_of(how % 8 == 5 ? 0 : made());
    }
    // Where the buffer is: any number among the arguments may be its place.
    void write_frame(std::span<const Cell> arguments, std::uint8_t which) {
        std::string frame = protocol_frames[which % std::size(protocol_frames)];
        for (std::uint8_t changes = input_.byte() % 4; changes > 0; --changes) {
            frame[input_.byte() % frame.size()] = static_cast<char>(input_.byte());
        }
        frame_size_ = static_cast<std::int32_t>(frame.size());
        for (const Cell& one : arguments) {
            if (one.kind != CellKind::i32) continue;
            const auto at = static_cast<std::size_t>(static_cast<std::uint32_t>(one.i32));
            if (at + frame.size() > memory_.size()) continue;
            std::memcpy(memory_.data() + at, frame.data(), frame.size());
            if (which < 128) break;
        }
    }
    void call_import(std::uint8_t which) {
        if (imports_.empty()) return;
        HostImport& import = imports_[which % imports_.size()];
        const bool takes_ref = import.name.starts_with("spawn");
        const bool is_honest = input_.byte() % 4 != 0;
        const Cell argument =
            takes_ref ? cell_of(made()) : cell(is_honest ? spawned_ : input_.number());
        Cell given;
        given.kind = import.name == "take_value" ? CellKind::ref : CellKind::i32;
        const gyre::ScopeExit give_back([&] {  // also if the host refuses the call
            if (takes_ref) release(argument.ref);
        });
        import.function(*this, {&argument, 1}, {&given, 1});
        if (takes_ref) spawned_ = given.i32;
        if (given.kind == CellKind::ref) release(given.ref);
    }

    Input& input_;
    std::vector<HostImport> imports_;
    std::vector<std::byte> memory_;
    std::set<Ref> live_;
    Ref last_ = 0;
    std::int32_t frame_size_ = 0;
    std::int32_t spawned_ = 0;
    std::size_t result_count_ = 1;
    bool is_inside_ = false;
};

class LyingModule final : public Module {
public:
    LyingModule() {
        const std::string abi =
            R"({"version":2,"hostAbi":2,"dtoSchemaAbi":1,"transport":{"id":"voyd.std.msgpack","version":1},)"
            R"("exports":[{"id":5,"name":"main","abi":"serialized","params":[],)"
            R"("result":{"kind":"i32","fingerprint":"f"}}]})";
        bytes_ = module_head() + custom_section("__voyd_effect_table", small_table()) +
                 custom_section("voyd.export_abi", abi);
        for (const char* name :
             {"main", "main_effectful", "main_effectful_raw", "handle_outcome", "effect_status",
              "effect_len", "effect_cont", "resume_effectful", "resume_effectful_raw",
              "end_request_raw", "init_effects", "child"}) {
            exports_.push_back({.module = "", .name = name, .kind = ItemKind::function});
        }
        for (const char* name : {"spawn_attached__child", "spawn_detached__child", "cancel"}) {
            imports_.push_back({.module = "voyd.task",
                                .name = name,
                                .kind = ItemKind::function,
                                .params = {CellKind::i32},
                                .results = {CellKind::i32}});
        }
        imports_.push_back({.module = "voyd.task",
                            .name = "take_value",
                            .kind = ItemKind::function,
                            .params = {CellKind::i32},
                            .results = {CellKind::ref}});
    }
    [[nodiscard]] const std::vector<Item>& imports() const noexcept override { return imports_; }
    [[nodiscard]] const std::vector<Item>& exports() const noexcept override { return exports_; }
    [[nodiscard]] std::string_view bytes() const noexcept override { return bytes_; }
    [[nodiscard]] std::unique_ptr<Instance> make_instance(const InstanceLimits&,
                                                          std::vector<HostImport> given) override {
        return std::make_unique<LyingInstance>(*input, std::move(given));
    }
    Input* input = nullptr;

private:
    std::string bytes_;
    std::vector<Item> imports_;
    std::vector<Item> exports_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const auto module = std::make_shared<LyingModule>();
    static const auto program = Program::read(module);
    if (size > 4'096) return 0;
    Input input(data, size);
    module->input = &input;
    const std::uint8_t how = input.byte();
    WasmGuest guest(program);
    {
        effect::EffectWorld world;
        world.handlers.on("e", "ask", effect::any_signature,
                          [how](effect::Context&, const effect::Arguments&) -> effect::Answer {
                              if (how % 4 == 1) return effect::end(3);
                              if (how % 4 == 2) return effect::resume("text");
                              return effect::resume(7);
                          });
        auto first = world.scheduler.start(guest, world.handlers, "main");
        auto second = world.scheduler.start(guest, world.handlers, "main");
        for (int turns = 0; turns < how % 16 && world.loop.has_ready_work(); ++turns) {
            world.loop.turn();
        }
        if (how >= 128) first.cancel("enough");
        // A guest whose input has ended answers with zeros, which end its run.
        static_cast<void>(world.loop.run());
    }
    GYRE_ASSERT(guest.instance_count() == 0, "a run that was not ended");
    return 0;
}
