// SPDX-License-Identifier: Apache-2.0
// Actors of two hosts over a connection that breaks, on machines that crash: money that branches of a
// bank send each other is neither made nor lost, watches and links are told of a lost connection once,
// and messages arrive in their order.
#include <charconv>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>

#include "gyre/actor/actor.hpp"
#include "gyre/actor/node.hpp"
#include "gyre/fs/tree.hpp"
#include "gyre/fs/whole_file.hpp"
#include "gyre/net/listener.hpp"
#include "gyre/task/core/sleep.hpp"
#include "gyre/testing/checkers.hpp"
#include "tests/simulation/seeds.hpp"
#include "tests/simulation/socket_transport.hpp"

namespace gyre::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::uint16_t port = 7100;
constexpr std::int64_t first_balance = 1000;
constexpr int transfer_count = 20;
const std::string state_path = "/bank/state";

// What the branches have agreed on, and what the test looks for.
struct BankLedger {
    ExactlyOnce notices;   // of watches and links
    ExactlyOnce deposits;  // by the name of the transfer
    Settling asks;
    std::string wrong;
    int connection_count = 0;
    // The mistake that the second test looks for: a deposit that is sent again is credited again.
    bool credits_again = false;

    void say_wrong(const std::string& what) {
        const sim::OutsideHost outside;
        if (wrong.empty()) wrong = what.c_str();
    }
};

// ---- What a branch keeps on its disk ----

struct Books {
    std::int64_t balance = first_balance;
    std::uint64_t last_transfer = 0;
    std::map<std::string, std::int64_t> outgoing;  // not confirmed yet
    std::set<std::string> incoming;                // that were credited

    [[nodiscard]] std::string text() const {
        std::string text = std::to_string(balance) + " " + std::to_string(last_transfer) + "\n";
        for (const auto& [id, amount] : outgoing) {
            text += "out " + id + " " + std::to_string(amount) + "\n";
        }
        for (const std::string& id : incoming) text += "in " + id + "\n";
        return text + "end\n";
    }
    static std::int64_t number_of(std::string_view word) {
        std::int64_t number = 0;
        std::from_chars(word.data(), word.data() + word.size(), number);
        return number;
    }
    static std::optional<Books> parse(std::string_view text) {
        if (!text.ends_with("end\n")) return std::nullopt;
        Books books;
        const auto word = [&text] {
            const std::size_t end = text.find_first_of(" \n");
            const std::string_view found = text.substr(0, end);
            text.remove_prefix(end + 1);
            return found;
        };
        books.balance = number_of(word());
        books.last_transfer = static_cast<std::uint64_t>(number_of(word()));
        for (std::string_view kind = word(); kind != "end"; kind = word()) {
            const std::string id(word());
            if (kind == "out") {
                books.outgoing[id] = number_of(word());
            } else {
                books.incoming.insert(id);
            }
        }
        return books;
    }
};

// ---- Messages ----

struct Send {
    std::int64_t amount;
};
struct Confirm {
    std::string transfer;
};
struct Outgoing {};
struct Deposit {
    std::string transfer;
    std::int64_t amount;
};
struct Number {
    std::uint64_t number;
};
struct Meet {
    actor::AnyRef other;
};

// ---- Actors ----

// Changes its books on the disk before it answers. A failure of the disk restarts it, and what is on
// the disk then counts.
class Branch : public actor::Actor<Branch> {
public:
    Branch(std::string host, BankLedger* ledger) : host_(std::move(host)), ledger_(ledger) {}

    Future<void> handle(Send send) {
        co_await load();
        if (books_.balance < send.amount) co_return;
        Books next = books_;
        const std::string id = host_ + std::to_string(++next.last_transfer);
        next.balance -= send.amount;
        next.outgoing[id] = send.amount;
        ledger_->deposits.asked(id);
        co_await save(std::move(next));
    }
    Future<void> handle(Confirm confirm) {
        co_await load();
        Books next = books_;
        next.outgoing.erase(confirm.transfer);
        co_await save(std::move(next));
    }
    Future<std::map<std::string, std::int64_t>> handle(Outgoing) {
        co_await load();
        co_return books_.outgoing;
    }
    Future<int> handle(Deposit deposit) {
        co_await load();
        const bool is_known = books_.incoming.contains(deposit.transfer);
        if (is_known && !ledger_->credits_again) co_return 0;
        Books next = books_;
        next.balance += deposit.amount;
        next.incoming.insert(deposit.transfer);
        co_await save(std::move(next));
        co_return 1;
    }

private:
    // What is read may not be safe yet: it is written again.
    Future<void> load() {
        if (is_loaded_) co_return;
        Books found;
        if (co_await fs::exists(state_path)) {
            const std::string text = co_await fs::read_file(state_path);
            const std::optional<Books> read = Books::parse(text);
            if (read) {
                found = *read;
            } else {
                ledger_->say_wrong("the books of " + host_ + " are torn");
            }
        }
        co_await fs::make_folders("/bank");
        co_await fs::sync_folder("/");
        co_await save(std::move(found));
        is_loaded_ = true;
    }
    Future<void> save(Books next) {
        co_await fs::replace(state_path, next.text());
        books_ = std::move(next);
    }

    const std::string host_;
    BankLedger* const ledger_;
    Books books_;
    bool is_loaded_ = false;
};

// One end of a connection: linked with the other end, which sends it numbers.
class Peer : public actor::Actor<Peer> {
public:
    explicit Peer(BankLedger* ledger) : ledger_(ledger) {}
    void handle(const Meet& meet) { link(meet.other); }
    void handle(Number number) {
        if (number.number != ++last_) ledger_->say_wrong("a message is lost or comes out of order");
    }

private:
    BankLedger* const ledger_;
    std::uint64_t last_ = 0;
};

// Watches the branch of the other host, and the peer of its own: both must be told of the loss.
class Observer : public actor::Actor<Observer> {
public:
    Observer(std::string name, BankLedger* ledger) : name_(std::move(name)), ledger_(ledger) {}
    void handle(const Meet& meet) {
        watch(meet.other);
        ledger_->notices.asked(name_ + meet.other.name());
    }
    void handle(const actor::Terminated& end) {
        ledger_->notices.took_effect(name_ + end.actor.name());
        try {
            if (end.failure == nullptr) throw Failure("it was asked to stop");
            std::rethrow_exception(end.failure);
        } catch (const actor::NodeLost&) {
        } catch (const std::exception& e) {
            ledger_->say_wrong(end.actor.name() + " ended with: " + e.what());
        }
    }

private:
    const std::string name_;
    BankLedger* const ledger_;
};

}  // namespace
}  // namespace gyre::testing

template <>
struct gyre::actor::Serial<int> {
    static constexpr const char* name = "int";
    static void write(int value, std::string& bytes) { bytes += std::to_string(value); }
    static Result<int> read(std::string_view bytes) {
        return static_cast<int>(testing::Books::number_of(bytes));
    }
};
template <>
struct gyre::actor::Serial<gyre::testing::Number> {
    static constexpr const char* name = "Number";
    static void write(const testing::Number& message, std::string& bytes) {
        bytes += std::to_string(message.number);
    }
    static Result<testing::Number> read(std::string_view bytes) {
        return testing::Number{static_cast<std::uint64_t>(testing::Books::number_of(bytes))};
    }
};
template <>
struct gyre::actor::Serial<gyre::testing::Deposit> {
    static constexpr const char* name = "Deposit";
    static void write(const testing::Deposit& message, std::string& bytes) {
        bytes += message.transfer + " " + std::to_string(message.amount);
    }
    static Result<testing::Deposit> read(std::string_view bytes) {
        const std::size_t space = bytes.find(' ');
        return testing::Deposit{std::string(bytes.substr(0, space)),
                                testing::Books::number_of(bytes.substr(space + 1))};
    }
};

namespace gyre::testing {
namespace {

using actor::Ref;

// ---- The program of a host ----

class BranchProgram {
public:
    BranchProgram(sim::Host& host, actor::System& system, BankLedger& ledger, std::uint64_t seed)
        : host_(host),
          system_(system),
          ledger_(ledger),
          random_(seed * 1000 + host.number() * 100 + host.start_count()),
          branch_(system.spawn_with<Branch>({.name = "branch",
                                             .order = actor::Order::exclusive,
                                             .on_failure = actor::OnFailure::restart,
                                             .restart = {.count_max = 1'000'000}},
                                            host.name(), &ledger)) {}

    Future<void> run(Address other) {
        co_await with_scope([&](Scope& scope) -> Future<void> {
            scope.spawn([this]() { return send_money(); });
            scope.spawn([this]() { return deliver(); });
            if (host_.number() == 1) {
                co_await accept_all(scope);
            } else {
                co_await connect_again(other);
            }
        });
    }

private:
    Future<void> accept_all(Scope& scope) {
        net::Listener listener = co_await net::listen(host_.address(port));
        for (;;) {
            net::Connection stream = co_await listener.accept();
            scope.spawn([this](net::Connection its) { return meet(std::move(its)); },
                        std::move(stream));
        }
    }
    Future<void> connect_again(Address other) {
        for (;;) {
            try {
                net::Connection stream = co_await timeout(connect_to(other), 2s);
                co_await meet(std::move(stream));
            } catch (const std::system_error&) {
            }
            co_await sleep(30ms);
        }
    }
    static Future<net::Connection> connect_to(Address other) {
        co_return co_await net::connect(other);
    }

    // One connection, from its begin to its end.
    Future<void> meet(net::Connection stream) {
        const std::string name = host_.name() + std::to_string(host_.start_count()) + "." +
                                 std::to_string(++ledger_.connection_count) + " ";
        const auto out = std::make_shared<Outbound>();
        auto node = std::make_shared<actor::Node>(std::make_unique<SocketTransport>(out));
        const Ref<Peer> peer = system_.spawn<Peer>(&ledger_);
        const Ref<Observer> observer = system_.spawn<Observer>(name, &ledger_);
        actor::export_actor<Peer, Number>(node, "peer", peer);
        actor::export_actor<Branch, Deposit>(node, "branch", branch_);
        const Ref<Branch> far_branch = actor::remote_ref<Branch>(node, "branch");
        const Ref<Peer> far_peer = actor::remote_ref<Peer>(node, "peer");
        static_cast<void>(observer.send(Meet{far_branch}));
        static_cast<void>(observer.send(Meet{peer}));
        static_cast<void>(peer.send(Meet{far_peer}));
        far_branch_ = far_branch;
        co_await race(run_node(&stream, node, out, 2s), count(far_peer));
        co_await sleep(100ms);
        ledger_.notices.answered(name + "branch");
        ledger_.notices.answered(name + peer.name());
        observer.stop();
        peer.stop();
        co_await observer.ended();
    }
    static Future<void> count(Ref<Peer> far_peer) {
        for (std::uint64_t number = 1;; ++number) {
            static_cast<void>(far_peer.send(Number{number}));
            co_await sleep(100ms);
        }
    }

    Future<void> send_money() {
        for (int i = 0; i < transfer_count; ++i) {
            const Send send{static_cast<std::int64_t>(1 + random_.below(200))};
            try {
                co_await branch_.ask(send);
            } catch (const std::system_error&) {  // The disk has failed.
            }
            co_await sleep(Duration(static_cast<Duration::rep>(random_.below(400'000'000))));
        }
    }
    // Sends what is not confirmed again and again.
    Future<void> deliver() {
        for (;;) {
            try {
                const Outgoing outgoing;
                const auto transfers = co_await branch_.ask(outgoing);
                for (const auto& [id, amount] : transfers) {
                    if (far_branch_) co_await deliver(id, amount);
                }
            } catch (const std::system_error&) {  // The disk has failed, or the connection.
            }
            co_await sleep(50ms);
        }
    }
    Future<void> deliver(std::string id, std::int64_t amount) {
        const Deposit deposit{id, amount};
        Future<int> answer =
            ledger_.asks.follow(host_, "the deposit " + id, ask_far(*far_branch_, deposit));
        co_await std::move(answer);
        ledger_.deposits.answered(id);
        const Confirm confirm{id};
        co_await branch_.ask(confirm);
    }
    static Future<int> ask_far(Ref<Branch> branch, Deposit deposit) {
        co_return co_await branch.ask(deposit);
    }

    sim::Host& host_;
    actor::System& system_;
    BankLedger& ledger_;
    Random random_;
    const Ref<Branch> branch_;
    std::optional<Ref<Branch>> far_branch_;
};

// ---- The scenario ----

class BankTrial : public Trial {
public:
    explicit BankTrial(bool credits_again) { ledger_.credits_again = credits_again; }

    void set_up(Simulation& simulation) override {
        seed_ = simulation.seed();
        hosts_[0] = &simulation.add_host("left", [this](sim::Host& at) { return run(at, 1); });
        hosts_[1] = &simulation.add_host("right", [this](sim::Host& at) { return run(at, 0); });
    }
    std::string check_always(Simulation& /*simulation*/) override {
        if (!ledger_.wrong.empty()) return ledger_.wrong;
        return check_money();
    }
    bool is_at_rest(Simulation& /*simulation*/) override {
        for (sim::Host* const host : hosts_) {
            const std::optional<Books> books = books_of(*host);
            if (!books || books->last_transfer == 0 || !books->outgoing.empty()) return false;
        }
        return ledger_.asks.check().empty();
    }
    std::string check(Simulation& /*simulation*/) override {
        for (sim::Host* const host : hosts_) {
            const Books books = books_of(*host).value_or(Books());
            for (const std::string& id : books.incoming) ledger_.deposits.took_effect(id);
        }
        for (const ExactlyOnce* const counts : {&ledger_.notices, &ledger_.deposits}) {
            if (std::string why = counts->check(); !why.empty()) return why;
        }
        for (sim::Host* const host : hosts_) {
            if (std::string why = what_leaks(*host); !why.empty()) return why;
        }
        return {};
    }

private:
    Future<void> run(sim::Host& host, std::size_t other) {
        for (;;) {
            try {
                const Address to = hosts_[other]->address(port);
                const std::uint64_t seed = seed_;
                co_await actor::with_actors([&](actor::System& system) -> Future<void> {
                    BranchProgram program(host, system, ledger_, seed);
                    co_await program.run(to);
                });
            } catch (const std::system_error&) {  // No descriptor is free.
            }
            co_await sleep(50ms);
        }
    }
    static std::optional<Books> books_of(sim::Host& host) {
        const std::optional<std::string> text = host.file_content(state_path);
        return text ? Books::parse(*text) : std::nullopt;
    }
    // What is on the disks at this moment: a transfer counts until it is credited.
    std::string check_money() {
        Conservation money(2 * first_balance);
        for (std::size_t i = 0; i < 2; ++i) {
            const Books books = books_of(*hosts_[i]).value_or(Books());
            const Books other = books_of(*hosts_[1 - i]).value_or(Books());
            money.set(hosts_[i]->name(), books.balance);
            for (const auto& [id, amount] : books.outgoing) {
                if (!other.incoming.contains(id)) money.set(id, amount);
            }
        }
        return money.check();
    }

    std::uint64_t seed_ = 0;
    std::array<sim::Host*, 2> hosts_{};
    BankLedger ledger_;
};

Scenario bank(bool credits_again) {
    return {.name = "bank",
            .make = [credits_again] { return std::make_unique<BankTrial>(credits_again); }};
}

// Each failure of a disk restarts an actor, which is logged.
class ActorsUnderFaults : public QuietTest {};

TEST_F(ActorsUnderFaults, conserve_money_and_are_told_once_of_each_lost_connection) {
    expect_no_seed_fails(bank(false));
}

TEST_F(ActorsUnderFaults, that_credit_a_deposit_twice_are_found_soon) {
    expect_some_seed_fails(bank(true), "there are ");
}

}  // namespace
}  // namespace gyre::testing
