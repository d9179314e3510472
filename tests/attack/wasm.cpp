// SPDX-License-Identifier: Apache-2.0
// ./dev attack wasm: hostile modules, one after the other, beside a run whose steps are 1 ms apart. Prints what is
// promised, what was seen, and how late a step of the other run was at worst. Exits with 1 if an outcome is another or a
// step was more than 15 ms late. The first row has no attack: on a busy machine it is late too.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "gyre/app/run.hpp"
#include "gyre/effect/scheduler.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/task/core/sleep.hpp"
#include "lang/wasm/guest.hpp"
#include "lang/wasm/wasmtime/wasmtime.hpp"
#include "tests/attack/wasm_modules.hpp"

namespace gyre::attack {
namespace {

using namespace std::chrono_literals;

constexpr Duration lateness_max = 15ms;
constexpr Duration time_max = 300ms;  // of a hostile run
constexpr std::size_t memory_max = std::size_t{64} << 20u;

// Performs await(1) for ever; each answer comes after 1 ms.
const std::string good_module = stepping("(i64.const 0x100000001)", "(i64.const 0x100000001)");

class Attack {
public:
    Attack() : engine_(wasm::make_wasmtime()), good_(program(good_module)) {}

    Future<void> run(effect::Scheduler* scheduler, Clock* clock) {
        std::printf("%-40s %-16s %-16s %s\n", "attack", "promised", "seen", "worst lateness");
        const effect::Handlers handlers = handlers_with(clock);
        auto good = scheduler->start(good_, handlers, "main");
        co_await sleep(50ms);
        worst_ = Duration(0);
        co_await sleep(500ms);
        row("none", "", "");
        for (const HostileModule& hostile : hostile_modules()) {
            wasm::GuestOptions options;
            options.limits = {.memory_max_bytes = memory_max, .time_max = time_max};
            wasm::WasmGuest guest(program(hostile.text), std::move(options));
            worst_ = Duration(0);
            last_ = clock->now();  // compiling is not part of it
            auto bad = scheduler->start(guest, quick_, "main");
            const effect::RunOutcome<effect::Value> outcome = co_await bad;
            co_await sleep(5ms);
            row(hostile.name, hostile.promised, seen_in(outcome));
        }
        co_await answers(scheduler, clock);
        is_over_ = true;  // A scheduler may not go while a timer of it is pending.
        const effect::RunOutcome<effect::Value> last = co_await good;
        if (!last.has_value()) row("the run beside it", "value", seen_in(last));
    }
    // Modules that are loaded and dropped leave nothing behind.
    void come_and_go() {
        constexpr std::size_t growth_max = std::size_t{4} << 20u;
        const auto load = [this](int from, int count) {
            for (int i = from; i < from + count; ++i) {
                static_cast<void>(
                    program("(module (func (export \"main\") (result i32) (i32.const " +
                            std::to_string(i) + ")))"));
            }
        };
        load(0, 200);
        const std::size_t before = resident_bytes();
        load(200, 1'000);
        const std::size_t after = resident_bytes();
        const double grown =
            (static_cast<double>(after) - static_cast<double>(before)) / (1u << 20u);
        const bool is_flat = after < before + growth_max;
        if (!is_flat) ++failed_count_;
        std::printf("%-40s %-16s %.1f MB%s\n", "1,000 modules loaded and dropped", "below 4 MB",
                    grown, is_flat ? "" : "  GREW");
    }

    [[nodiscard]] int status() const noexcept { return failed_count_ == 0 ? 0 : 1; }

private:
    std::shared_ptr<const wasm::Program> program(std::string_view text) {
        return wasm::Program::read(engine_->compile(text));
    }
    effect::Handlers handlers_with(Clock* clock) {
        effect::Handlers handlers;
        handlers.on("com.example.async", "await", effect::any_signature,
                    [this, clock](effect::Context&, const effect::Arguments&) {
                        const Instant now = clock->now();
                        if (last_ != Instant()) worst_ = std::max(worst_, now - last_ - 1ms);
                        last_ = now;
                        return is_over_ ? effect::end(0) : effect::resume(1).after(1ms);
                    });
        quick_.on("com.example.async", "await", effect::any_signature,
                  [](effect::Context&, const effect::Arguments&) { return effect::resume(1); });
        return handlers;
    }
    static std::string seen_in(const effect::RunOutcome<effect::Value>& outcome) {
        if (outcome.kind() != effect::RunEndKind::failed) return effect::name_of(outcome.kind());
        return effect::name_of(outcome.error().kind);
    }
    void row(const std::string& name, const std::string& promised, const std::string& seen) {
        const bool is_late = worst_ > lateness_max;
        const bool is_other = promised != seen;
        if (is_late || is_other) ++failed_count_;
        std::printf("%-40s %-16s %-16s %5.1f ms%s%s\n", name.c_str(), promised.c_str(),
                    seen.c_str(), std::chrono::duration<double, std::milli>(worst_).count(),
                    is_late ? "  LATE" : "", is_other ? "  OTHER OUTCOME" : "");
        std::fflush(stdout);
    }

    // Answers that come twice, and too late.
    Future<void> answers(effect::Scheduler* scheduler, Clock* clock) {
        wasm::WasmGuest guest(
            program(stepping("(i64.const 0x100000001)", "(i64.const 0x700000000)")));
        effect::Handlers handlers;
        std::vector<effect::Reply> replies;
        handlers.on("com.example.async", "await", effect::any_signature,
                    [&replies](effect::Context&, effect::Arguments, effect::Reply reply) {
                        replies.push_back(std::move(reply));
                    });
        worst_ = Duration(0);
        last_ = clock->now();
        auto twice = scheduler->start(guest, handlers, "main");
        auto late = scheduler->start(guest, handlers, "main");
        while (replies.size() < 2) co_await sleep(1ms);
        replies[0].answer(effect::resume(1));
        replies[0].answer(effect::resume(2));
        const effect::RunOutcome<effect::Value> first = co_await twice;
        row("an answer that comes twice", "value", seen_in(first));
        late.cancel("enough");
        replies[1].answer(effect::resume(1));
        const effect::RunOutcome<effect::Value> second = co_await late;
        row("an answer after the end", "cancelled", seen_in(second));
        replies.clear();
    }

    static std::size_t resident_bytes() {
        std::ifstream file("/proc/self/statm");
        std::size_t total = 0;
        std::size_t resident = 0;
        file >> total >> resident;
        return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    }
    std::unique_ptr<wasm::Engine> engine_;
    wasm::WasmGuest good_;
    effect::Handlers quick_;
    Duration worst_{0};
    Instant last_;
    bool is_over_ = false;
    int failed_count_ = 0;
};

}  // namespace
}  // namespace gyre::attack

int main() {
    gyre::attack::Attack attack;
    const auto main = [&attack]() -> gyre::Future<void> {
        gyre::Task& self = co_await gyre::this_task();
        gyre::effect::Scheduler scheduler(self.executor());
        gyre::platform::SystemClock clock;
        co_await attack.run(&scheduler, &clock);
    };
    if (const int code = gyre::run(main); code != 0) return code;
    attack.come_and_go();  // blocks: after the loop
    return attack.status();
}
