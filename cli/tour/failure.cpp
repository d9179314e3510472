// SPDX-License-Identifier: Apache-2.0
// Failures on purpose: a parent answers some of its child's ops with an error in place of the
// platform, and the child, which cannot tell the difference, tries again later. In virtual time.
#include <array>
#include <string>

#include "cli/tour/stage.hpp"
#include "gyre/base/random.hpp"
#include "gyre/io/file_ops.hpp"
#include "gyre/io/io_ops.hpp"
#include "gyre/kernel/loop.hpp"
#include "gyre/sim/platform.hpp"

namespace gyre::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t file_count = 50;
constexpr std::uint64_t failure_one_in = 3;

// Opens and closes one file after the other; after a failure it waits, twice as long each time.
class Reader : public Machine {
public:
    Reader() noexcept : Machine("reader") {}

    void start() {
        open_.set_destination(platform_ref());
        close_.set_destination(platform_ref());
        try_to_open();
    }

    std::uint64_t attempts = 0;
    std::uint64_t failures = 0;
    std::uint64_t files = 0;
    std::string last_error;

private:
    static constexpr Duration first_pause = 10ms;

    void tick(Instant now) override {
        while (const Op* op = next_completion()) {
            if (op == &open_) {
                ++attempts;
                op->result() < 0 ? pause_after(op->result(), now) : close(op->result());
            } else if (op == &pause_ || ++files < file_count) {
                try_to_open();
            }
        }
    }

    void try_to_open() { submit(open_); }
    void pause_after(std::int32_t result, Instant now) {
        ++failures;
        last_error = Error::of_result(result).message();
        pause_.deadline = now + pause_length_;
        pause_length_ *= 2;
        submit(pause_);
    }
    void close(Fd fd) {
        pause_length_ = first_pause;
        close_.fd = fd;
        submit(close_);
    }

    OpenOp open_{"readings"};
    CloseOp close_{-1};
    TimerOp pause_;
    Duration pause_length_ = first_pause;
};

class Saboteur : public Machine {
public:
    explicit Saboteur(Random random) : Machine("saboteur"), random_(random) { add_child(reader); }

    Reader reader;
    std::uint64_t injected = 0;

private:
    void tick(Instant /*now*/) override {}
    void on_child_output(Machine& child, Op& op, Lane lane) override {
        const bool is_open = lane == Lane::submissions && op.code() == IoCode::open;
        if (!is_open || !random_.one_in(failure_one_in)) return forward(op, lane);
        ++injected;
        hold(op);
        answer(child, op, failure(std::errc::io_error));
    }

    Random random_;
};

}  // namespace

bool show_failure(const Stage& stage) {
    stage.page.say(
        "A machine opens " + in_words(file_count) +
        " files. Its parent lets one in three attempts fail; the machine waits a little, "
        "longer each time, and tries again. In virtual time, so nobody waits.");
    sim::VirtualClock clock;
    sim::SimPlatform platform(clock, {.seed = stage.seed});
    platform.put_file("readings", "21 degrees");
    Saboteur saboteur{Random(stage.seed)};
    Loop loop(platform, saboteur, stage.loop_options("failures"));
    const Instant start = loop.now();
    saboteur.reader.start();
    loop.run();
    const Reader& reader = saboteur.reader;
    stage.page.saw(in_words(reader.files) + " files in " + in_words(reader.attempts) +
                   " attempts: " + in_words(reader.failures) + " failed (\"" + reader.last_error +
                   "\") and were tried again, which took " + in_words(loop.now() - start) +
                   " of virtual time.");
    return reader.files == file_count && reader.failures == saboteur.injected &&
           saboteur.injected > 0;
}

}  // namespace gyre::cli
