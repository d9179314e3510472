// SPDX-License-Identifier: Apache-2.0
#include "lang/script/conform/script_conform.hpp"

#include <charconv>
#include <chrono>
#include <cmath>
#include <iterator>
#include <memory>
#include <stdexcept>

#include "gyre/conform/jobs.hpp"
#include "gyre/platform/choose.hpp"
#include "gyre/platform/system_clock.hpp"
#include "gyre/sim/platform.hpp"
#include "gyre/sim/virtual_clock.hpp"
#include "lang/script/script.hpp"

namespace gyre::script {
namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

// What a job does is decided in C++: `run` gives a list of calls, which the script makes, and the
// error that the job ends with.
constexpr const char* driver = R"(
    const { AsyncLocalStorage } = require('node:async_hooks');
    const store = new AsyncLocalStorage();
    const made = {};
    const rejected = {};
    const run = (event, what) => {
      const { calls, error } = gyre.callDirect('run', event, what, store.getStore() ?? 0);
      for (const [verb, what, number] of calls) verbs[verb](what, number);
      if (error !== undefined) throw new Error(error);
    };
    const job = (id) => () => run('job', id);
    const verbs = {
      tick: (id) => process.nextTick(job(id)),
      micro: (id) => queueMicrotask(job(id)),
      timeout: (id, ms) => { made[id] = setTimeout(job(id), ms); },
      interval: (id, ms) => { made[id] = setInterval(job(id), ms); },
      immediate: (id) => { made[id] = setImmediate(job(id)); },
      clear_timeout: (id) => clearTimeout(made[id]),
      clear_interval: (id) => clearInterval(made[id]),
      clear_immediate: (id) => clearImmediate(made[id]),
      refresh: (id) => made[id].refresh(),
      ref: (id) => made[id].ref(),
      unref: (id) => made[id].unref(),
      then: (id, count) => {
        let promise = Promise.resolve();
        for (let i = 1; i < count; i += 1) promise = promise.then(() => {});
        promise.then(job(id));
      },
      adopt: (id) => new Promise((done) => done(Promise.resolve())).then(job(id)),
      thenable: (id) => new Promise((done) => done({ then(resolve) { resolve(); } })).then(job(id)),
      reject: (name) => { rejected[name] = Promise.reject(name); },
      handle: (name) => { rejected[name].catch(() => {}); },
      context: (number) => store.enterWith(number),
      block: (ms) => gyre.callDirect('block', ms),
    };
    process.on('uncaughtException', (error) => run('error', error.message));
    process.on('unhandledRejection', (reason) => run('unhandled', reason));
    process.on('rejectionHandled', (promise) => {
      run('handled', Object.keys(rejected).find((name) => rejected[name] === promise));
    });
    process.on('beforeExit', () => run('dry', ''));
    process.on('exit', () => run('exit', ''));
    run('job', 0);
)";

// The scenarios' names of events, and the verbs, need no escapes.
std::string quoted(std::string_view text) {
    return "\"" + std::string(text) + "\"";
}

std::string number_text(double number) {
    if (std::isnan(number)) return "null";
    char text[32];
    const auto end = std::to_chars(std::begin(text), std::end(text), number);
    return {text, end.ptr};
}

struct Setup {
    platform::SystemClock system_clock;
    sim::VirtualClock virtual_clock;
    std::unique_ptr<Platform> platform;

    [[nodiscard]] bool is_simulated() const { return platform->is_simulated(); }
    [[nodiscard]] Clock& clock() {
        return is_simulated() ? static_cast<Clock&>(virtual_clock) : system_clock;
    }
};

// Empty if it works.
std::string set_up(Setup& setup, const std::string& name) {
    if (name == "sim") {
        setup.platform = std::make_unique<sim::SimPlatform>(setup.virtual_clock);
        return {};
    }
    auto made = platform::make_platform(setup.system_clock, name);
    if (!made) return made.error().message;
    setup.platform = std::move(*made);
    return {};
}

class ScriptJobs final : public conform::JobsAdapter {
public:
    ScriptJobs(EngineFactory engine, const std::string& platform, job::Profile order)
        : is_set_up_(set_up(setup_, platform).empty()),
          script_(setup_.clock(), system_, {.engine = engine, .order = order}),
          begin_(setup_.clock().now()) {
        script_.add_direct_function("run", [this](std::string_view text) { return play(text); });
        script_.add_direct_function("block",
                                    [this](std::string_view text) { return block_now(text); });
    }
    ScriptJobs(const ScriptJobs&) = delete;
    ScriptJobs& operator=(const ScriptJobs&) = delete;
    ~ScriptJobs() override { loop_.close(); }

    [[nodiscard]] bool has_simulated_time() const override { return setup_.is_simulated(); }
    [[nodiscard]] std::string lacks(const std::string& verb) const override {
        if (verb == "callback" || verb == "close" || verb == "post") return "no I/O in the script";
        return verb == "wait" ? "a script does not see the loop's wait" : "";
    }

    void run(const Job& main_script, conform::JobsHost& host) override {
        host_ = &host;
        jobs_.push_back(main_script);
        script_.start_text(driver);
        if (script_.run(loop_) != 0) throw std::runtime_error(system_.errors);
    }

    void next_tick(Job job) override { add_job("tick", std::move(job)); }
    void queue_microtask(Job job) override { add_job("micro", std::move(job)); }
    Id set_timeout(Job job, double ms) override { return add_job("timeout", std::move(job), ms); }
    Id set_interval(Job job, double ms) override { return add_job("interval", std::move(job), ms); }
    Id set_immediate(Job job) override { return add_job("immediate", std::move(job)); }
    void clear_immediate(Id id) override { add_call("clear_immediate", id); }
    void clear_timeout(Id id) override { add_call("clear_timeout", id); }
    void clear_interval(Id id) override { add_call("clear_interval", id); }
    void refresh(Id id) override { add_call("refresh", id); }
    void set_ref(Id id, bool has_ref) override { add_call(has_ref ? "ref" : "unref", id); }
    void after_reactions(Job job, int count) override { add_job("then", std::move(job), count); }
    void after_adopting(Job job) override { add_job("adopt", std::move(job)); }
    void after_thenable(Job job) override { add_job("thenable", std::move(job)); }
    void make_rejected(const std::string& promise) override { add("reject", quoted(promise)); }
    void handle_rejected(const std::string& promise) override { add("handle", quoted(promise)); }
    void set_context(int context) override {
        context_ = context;
        add("context", std::to_string(context));
    }
    [[nodiscard]] int context() override { return context_; }
    void block(double ms) override {
        blocked_ms_ += ms;
        add("block", number_text(ms));
    }
    // The calls of this job that block are yet to be made.
    [[nodiscard]] double passed_ms() override {
        return Milliseconds(setup_.clock().now() - begin_).count() + blocked_ms_;
    }

private:
    class Output final : public System {
    public:
        void write(int /*stream*/, std::string_view text) override { errors += text; }
        std::string errors;
    };

    void add(std::string_view verb, const std::string& what, double number = 0) {
        calls_ += (calls_.empty() ? "[" : ",[") + quoted(verb) + "," + what + "," +
                  number_text(number) + "]";
    }
    void add_call(std::string_view verb, Id id) { add(verb, std::to_string(id)); }
    Id add_job(std::string_view verb, Job job, double number = 0) {
        jobs_.push_back(std::move(job));
        add(verb, std::to_string(jobs_.size() - 1), number);
        return jobs_.size() - 1;
    }

    // ["event",what,context]
    std::string play(std::string_view text) {
        const std::size_t first = text.find(',');
        const std::size_t last = text.rfind(',');
        const std::string_view event = text.substr(2, first - 3);
        std::string_view what = text.substr(first + 1, last - first - 1);
        std::from_chars(text.data() + last + 1, text.data() + text.size(), context_);
        calls_.clear();
        blocked_ms_ = 0;
        std::string error;
        try {
            happen(event, what);
        } catch (const std::exception& thrown) {
            error = ",\"error\":" + quoted(thrown.what());
        }
        return "{\"calls\":[" + calls_ + "]" + error + "}";
    }
    void happen(std::string_view event, std::string_view what) {
        if (event == "job") {
            std::size_t index = 0;
            std::from_chars(what.data(), what.data() + what.size(), index);
            const Job job = jobs_.at(index);
            return job();
        }
        const std::string name(what.substr(1, what.size() - 2));
        if (event == "error") return host_->on_error(name);
        if (event == "unhandled") return host_->on_rejection(name);
        if (event == "handled") return host_->on_rejection_handled(name);
        event == "dry" ? host_->on_before_exit() : host_->on_exit();
    }
    // [milliseconds]
    std::string block_now(std::string_view text) {
        double ms = 0;
        std::from_chars(text.data() + 1, text.data() + text.size(), ms);
        const auto time = std::chrono::duration_cast<Duration>(Milliseconds(ms));
        if (setup_.is_simulated()) {
            setup_.virtual_clock.advance(time);
        } else {
            const Instant end = setup_.system_clock.now() + time;
            while (setup_.system_clock.now() < end) {
            }
        }
        return {};
    }

    Setup setup_;
    bool is_set_up_;
    Output system_;
    Script script_;
    Loop loop_{*setup_.platform, script_.pump()};
    Instant begin_;
    conform::JobsHost* host_ = nullptr;
    std::vector<Job> jobs_;
    std::string calls_;
    int context_ = 0;
    double blocked_ms_ = 0;
};

}  // namespace

conform::Results run_jobs(EngineFactory engine, const std::vector<std::string>& platforms) {
    static const conform::Table node{"jobs", "jobs, Node's order, in JavaScript",
                                     conform::jobs_as_node().scenarios};
    static const conform::Table js2il{"jobs", "jobs, JS2IL's order, in JavaScript",
                                      conform::jobs_as_js2il().scenarios};
    conform::Results results;
    for (const auto& [table, order] :
         {std::pair(&node, job::Profile::node), std::pair(&js2il, job::Profile::js2il)}) {
        for (const std::string& platform : platforms) {
            Setup probe;
            const std::string problem = set_up(probe, platform);
            conform::Results more =
                problem.empty()
                    ? conform::run(
                          *table, platform,
                          [&] { return std::make_unique<ScriptJobs>(engine, platform, order); })
                    : conform::skip(*table, platform, problem);
            std::move(more.begin(), more.end(), std::back_inserter(results));
        }
    }
    return results;
}

}  // namespace gyre::script
