// SPDX-License-Identifier: Apache-2.0
#include "lang/script/threads/threads.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "lang/script/script.hpp"
#include "lang/script/threads/internal/port_hub.hpp"

namespace gyre::script {
namespace {

// The boundary between the engine's call and a member.
template <auto member, class Host>
void bind(void* host, NativeCall& call) {
    (static_cast<Host*>(host)->*member)(call);
}

PortHub::PortId port_of(NativeCall& call, std::size_t index) {
    const double number = call.number(index);
    return number >= 1 && number < 1e15 ? static_cast<PortHub::PortId>(number) : 0;
}

// Of the 8 MiB that a thread has, with room for the engine's own calls.
constexpr std::size_t stack_bytes_max = std::size_t{6} << 20u;

std::size_t bytes_of(NativeCall& call, std::size_t index) {
    const double number = call.number(index);
    return number > 0 && number < 1e15 ? static_cast<std::size_t>(number) : 0;
}

// Calls `take` with each part of a text whose parts end with `end`.
template <class Take>
void each_part(std::string_view text, char end, Take take) {
    while (!text.empty()) {
        const std::size_t at = text.find(end);
        if (at == text.npos) return;
        take(text.substr(0, at));
        text.remove_prefix(at + 1);
    }
}

// One worker with its thread; joins it when it is destroyed.
struct RunningWorker {
    RunningWorker(std::shared_ptr<Worker> of, const std::function<int(Worker&)>& run)
        : worker(std::move(of)), thread([worker = worker, run] {
              int status = 1;
              try {
                  if (!worker->is_stopped()) status = run(*worker);
              } catch (const std::exception& failure) {
                  worker->tell_failure(failure.what());
              }
              worker->tell_end(status);
          }) {}
    ~RunningWorker() {
        worker->stop();
        thread.join();
    }
    std::shared_ptr<Worker> worker;
    std::thread thread;
};

}  // namespace

struct Threads::Parts {
    Parts(Script& of, ThreadOptions given)
        : script(of),
          options(std::move(given)),
          hub(options.self != nullptr ? options.self->hub() : std::make_shared<PortHub>()),
          inbox(std::make_shared<ThreadInbox>(of)) {
        script.add_natives(natives);
    }
    ~Parts() {
        // All at once: each of them takes a while to end.
        for (const auto& [event, running] : workers) running->worker->stop();
        workers.clear();
        inbox->close();
        hub->drop(inbox);
    }

    // portPair(): the number of the first port; the second one has the next number.
    void open_pair(NativeCall& call) { give_port(call, hub->open_pair()); }
    void open_member(NativeCall& call) { give_port(call, hub->open_member(call.text(0))); }
    static void give_port(NativeCall& call, PortHub::PortId port) {
        if (port == 0)
            return call.fail("RangeError", "Too many message ports are open (limit: 1000000)");
        call.give_number(static_cast<double>(port));
    }
    void attach(NativeCall& call) { hub->attach(port_of(call, 0), inbox, call.number(1)); }
    void start(NativeCall& call) { hub->start(port_of(call, 0)); }
    void detach(NativeCall& call) { hub->detach(port_of(call, 0)); }
    void close(NativeCall& call) { hub->close(port_of(call, 0)); }
    // portEnd(port): tells the port's own script that it is closed, behind the messages that wait.
    void end(NativeCall& call) { hub->tell_closed(port_of(call, 0)); }

    // portPost(port, text, bytes, ports as a typed array of numbers, ...shared buffers): false where nobody takes it.
    void post(NativeCall& call) {
        PortHub::Message message{.text = call.text(1), .bytes = {}, .ports = {}, .shared = {}};
        const std::span<std::byte> bytes = call.bytes(2);
        message.bytes.assign(bytes.begin(), bytes.end());
        each_part(call.text(3), ',', [&](std::string_view part) {
            PortHub::PortId port = 0;
            std::from_chars(part.data(), part.data() + part.size(), port);
            hub->detach(port);
            message.ports.push_back(port);
        });
        for (std::size_t i = 4; i < call.count(); ++i) {
            if (auto memory = call.shared_memory(i)) message.shared.push_back(std::move(memory));
        }
        const PortHub::Posted posted = hub->post(port_of(call, 0), std::move(message));
        if (posted == PortHub::Posted::full) {
            return call.fail(
                "RangeError",
                "Too many messages wait at a port (limits: 262144 of a port, 1 GiB of all)");
        }
        call.give_truth(posted == PortHub::Posted::done);
    }

    // portTake(port): what the message has besides its text, in a line, and the text; undefined without a message.
    // portBytes(array) and portShared(index) give the rest of the same message.
    void take(NativeCall& call) {
        taken = hub->take(port_of(call, 0));
        if (!taken) return;
        std::string head = std::to_string(taken->bytes.size());
        for (const PortHub::PortId port : taken->ports)
            head.append(",").append(std::to_string(port));
        call.give_text(head.append("\n").append(taken->text));
    }
    void take_bytes(NativeCall& call) {
        const std::span<std::byte> target = call.bytes(0);
        if (!taken) return;
        std::copy_n(taken->bytes.begin(), std::min(target.size(), taken->bytes.size()),
                    target.begin());
    }
    void take_shared(NativeCall& call) {
        const auto index = static_cast<std::size_t>(std::max(0.0, call.number(0)));
        if (taken && index < taken->shared.size()) call.give_shared_memory(taken->shared[index]);
    }

    // threadHold(is held): the loop waits for a port or a worker.
    void hold(NativeCall& call) { call.truth(0) ? script.hold() : script.release(); }

    // workerSetup(): what the script that started this one has given; undefined in a main script.
    void setup(NativeCall& call) {
        if (options.self != nullptr) call.give_text(options.self->order().setup);
    }
    void tell_online(NativeCall& /*call*/) {
        if (options.self != nullptr) options.self->tell_online();
    }
    void next_thread(NativeCall& call) { call.give_number(hub->next_thread()); }

    // workerStart(event, source, kind, setup, variables, arguments, bytes of memory, of the stack, of young objects)
    void start_worker(NativeCall& call) {
        if (!options.run_worker) return call.fail("Error", options.why_no_workers);
        if (workers.size() >= worker_count_max) {
            return call.fail("RangeError", "Too many workers run at a time (limit: 256)");
        }
        const std::string kind = call.text(2);
        WorkerOrder order{.is_text = kind != "file",
                          .is_module = kind == "module",
                          .source = call.text(1),
                          .setup = call.text(3),
                          .environment = {},
                          .arguments = {},
                          .memory_limit_bytes = bytes_of(call, 6),
                          .stack_limit_bytes = std::min(bytes_of(call, 7), stack_bytes_max),
                          .young_limit_bytes = bytes_of(call, 8)};
        each_part(call.text(4), '\0', [&](std::string_view part) {
            const std::size_t at = part.find('=');
            if (at == part.npos) return;
            order.environment.emplace_back(part.substr(0, at), part.substr(at + 1));
        });
        each_part(call.text(5), '\0',
                  [&](std::string_view part) { order.arguments.emplace_back(part); });
        const double event = call.number(0);
        auto worker = std::make_shared<Worker>(std::move(order), hub, inbox, event);
        try {
            workers.emplace(event, std::make_unique<RunningWorker>(worker, options.run_worker));
        } catch (const std::system_error&) {
            call.fail("Error", "the system has no thread for a worker");
        }
    }
    void stop_worker(NativeCall& call) {
        const auto found = workers.find(call.number(0));
        if (found != workers.end()) found->second->worker->stop();
    }
    // After its last event.
    void end_worker(NativeCall& call) { workers.erase(call.number(0)); }

    Script& script;
    const ThreadOptions options;
    const std::shared_ptr<PortHub> hub;
    const std::shared_ptr<ThreadInbox> inbox;
    std::optional<PortHub::Message> taken;
    std::map<double, std::unique_ptr<RunningWorker>> workers;
    std::array<Native, 18> natives = {
        Native{"portPair", &bind<&Parts::open_pair, Parts>, this},
        Native{"portMember", &bind<&Parts::open_member, Parts>, this},
        Native{"portAttach", &bind<&Parts::attach, Parts>, this},
        Native{"portStart", &bind<&Parts::start, Parts>, this},
        Native{"portDetach", &bind<&Parts::detach, Parts>, this},
        Native{"portClose", &bind<&Parts::close, Parts>, this},
        Native{"portEnd", &bind<&Parts::end, Parts>, this},
        Native{"nextThread", &bind<&Parts::next_thread, Parts>, this},
        Native{"portPost", &bind<&Parts::post, Parts>, this},
        Native{"portTake", &bind<&Parts::take, Parts>, this},
        Native{"portBytes", &bind<&Parts::take_bytes, Parts>, this},
        Native{"portShared", &bind<&Parts::take_shared, Parts>, this},
        Native{"threadHold", &bind<&Parts::hold, Parts>, this},
        Native{"workerSetup", &bind<&Parts::setup, Parts>, this},
        Native{"workerOnline", &bind<&Parts::tell_online, Parts>, this},
        Native{"workerStart", &bind<&Parts::start_worker, Parts>, this},
        Native{"workerStop", &bind<&Parts::stop_worker, Parts>, this},
        Native{"workerEnd", &bind<&Parts::end_worker, Parts>, this}};
};

Threads::Threads(Script& script, ThreadOptions options)
    : parts_(std::make_unique<Parts>(script, std::move(options))) {}
Threads::~Threads() = default;

}  // namespace gyre::script
