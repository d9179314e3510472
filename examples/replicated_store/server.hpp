// SPDX-License-Identifier: Apache-2.0
// A server of the replicated store: Raft (Ongaro and Ousterhout 2014) without snapshots and changes of
// membership. It handles one message at a time: it changes its state, saves what must be durable, and
// only then sends. Six mistakes can be switched on, each one that a real system has had.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <set>

#include <gyre/gyre.hpp>

#include "examples/replicated_store/message.hpp"

namespace store {

using namespace gyre;
using namespace std::chrono_literals;

constexpr std::uint16_t port = 7000;

enum Bug : int {
    none,
    forgets_its_vote,  // 1: the vote is not on the disk, and a restarted server votes again
    trusts_the_index,  // 2: an entry is appended after one of another term
    commits_old_terms_by_count,  // 3: figure 8 of the paper
    reads_its_own_copy,          // 4: a leader that was cut off answers from the past
    answers_before_the_disk,     // 5: what a majority has acknowledged can be lost
    applies_retries_twice,       // 6: a request that was sent again is a second request
};

class Server {
public:
    Server(std::vector<Address> all, std::size_t own, std::uint64_t seed, int bug)
        : all_(std::move(all)), own_(own), random_(seed), bug_(bug) {}

    // Until something fails: a file or a socket.
    Future<void> run() {
        now_from_ = &(co_await this_task()).executor();
        socket_ = co_await net::bind_datagram(all_[own_]);
        co_await load();
        // What the file says may not be safe yet: a save before may have failed half way.
        co_await save();
        follow(term_);
        for (;;) {
            std::optional<Message> message = co_await receive();
            if (message) {
                handle(*message);
            } else {
                on_deadline();
            }
            apply();
            if (bug_ == answers_before_the_disk) co_await send_all();
            if (is_changed_) co_await save();
            co_await send_all();
        }
    }

private:
    enum class Role : std::uint8_t { follower, candidate, leader };
    struct Session {
        std::uint64_t number = 0;
        std::string result;
    };

    // ---- The outside ----

    [[nodiscard]] Instant now() const { return now_from_->now(); }

    Future<std::optional<Message>> receive() {
        std::array<std::byte, 4096> buffer;
        try {
            const net::Received got = co_await deadline(socket_.receive_from(buffer), deadline_);
            sender_ = got.from;
            co_return parse(text_of(Bytes(buffer).first(got.size)));
        } catch (const TimeoutError&) {
        }
        co_return std::nullopt;
    }
    Future<void> send_all() {
        const auto out = std::exchange(outbox_, {});
        for (const auto& [to, text] : out) co_await socket_.send_to(bytes_of(text), to);
    }
    void send(const Address& to, const Message& message) {
        outbox_.emplace_back(to, to_text(message));
    }

    Future<void> save() {
        Writer writer;
        writer.add(term_);
        writer.add(vote_);
        writer.add(log_.size());
        for (const Entry& entry : log_) writer.add(entry);
        is_changed_ = false;
        co_await fs::replace("/store", writer.take());
    }
    Future<void> load() {
        if (!co_await fs::exists("/store")) co_return;
        const std::string text = co_await fs::read_file("/store");
        Reader reader(text);
        term_ = reader.number();
        vote_ = reader.number();
        if (bug_ == forgets_its_vote) vote_ = nobody;
        log_.resize(reader.number());
        for (Entry& entry : log_) entry = reader.entry();
        GYRE_ASSERT(reader.is_good(), "the file of the store is torn");
    }

    // ---- Elections ----

    void follow(std::uint64_t term) {
        if (term > term_) {
            term_ = term;
            vote_ = nobody;
            is_changed_ = true;
        }
        role_ = Role::follower;
        waiting_.clear();  // Their entries may be replaced by others.
        await_leader();
    }
    void await_leader() {
        constexpr std::uint64_t spread = 150'000'000;
        elects_at_ = now() + 150ms + Duration(static_cast<Duration::rep>(random_.below(spread)));
        deadline_ = elects_at_;
    }
    void on_deadline() {
        if (now() < deadline_) return;  // a datagram that is no message
        if (role_ == Role::leader) return send_entries();
        if (now() >= elects_at_) {
            role_ = Role::candidate;
            ++term_;
            vote_ = own_;
            voters_ = {own_};
            is_changed_ = true;
            await_leader();
        }
        ask_for_votes();
    }
    // Again and again, because datagrams are lost.
    void ask_for_votes() {
        deadline_ = std::min(elects_at_, now() + resent_after);
        for (std::size_t peer = 0; peer < all_.size(); ++peer) {
            if (peer == own_ || voters_.contains(peer)) continue;
            send(all_[peer], {.type = Type::vote,
                              .term = term_,
                              .from = own_,
                              .index = log_.size() - 1,
                              .log_term = log_.back().term});
        }
    }
    void on_vote(const Message& asked) {
        const bool is_up_to_date =
            asked.log_term > log_.back().term ||
            (asked.log_term == log_.back().term && asked.index >= log_.size() - 1);
        const bool is_free = vote_ == nobody || vote_ == asked.from;
        const bool is_granted = asked.term == term_ && is_up_to_date && is_free;
        if (is_granted) {
            vote_ = asked.from;
            is_changed_ = true;
            await_leader();
        }
        send(all_[asked.from],
             {.type = Type::voted, .term = term_, .from = own_, .ok = is_granted ? 1u : 0u});
    }
    void on_voted(const Message& answer) {
        if (role_ != Role::candidate || answer.term != term_ || answer.ok == 0) return;
        voters_.insert(answer.from);
        if (voters_.size() * 2 <= all_.size()) return;
        role_ = Role::leader;
        next_.assign(all_.size(), log_.size());
        known_.assign(all_.size(), 0);
        waiting_.clear();
        send_entries();
    }

    // ---- The log ----

    void send_entries() {
        deadline_ = now() + resent_after;
        for (std::size_t peer = 0; peer < all_.size(); ++peer) {
            if (peer != own_) send_entry(peer);
        }
    }
    // The next entry of this peer, or none: then it only says who leads.
    void send_entry(std::size_t peer) {
        const std::uint64_t before = next_[peer] - 1;
        Message message{.type = Type::append,
                        .term = term_,
                        .from = own_,
                        .index = before,
                        .log_term = log_[before].term,
                        .commit = commit_};
        if (next_[peer] < log_.size()) message.entries.push_back(log_[next_[peer]]);
        send(all_[peer], message);
    }
    void on_append(const Message& sent) {
        Message answer{.type = Type::appended, .term = term_, .from = own_};
        if (sent.term < term_) return send(all_[sent.from], answer);
        follow(sent.term);
        answer.term = term_;
        const bool has_index = sent.index < log_.size();
        const bool is_same =
            has_index && (log_[sent.index].term == sent.log_term || bug_ == trusts_the_index);
        if (!is_same) {
            answer.index = std::min<std::uint64_t>(sent.index, log_.size()) - 1;
            return send(all_[sent.from], answer);
        }
        std::uint64_t last = sent.index;
        for (const Entry& entry : sent.entries) {
            ++last;
            if (last < log_.size() && log_[last].term == entry.term) continue;
            log_.resize(last);
            log_.push_back(entry);
            is_changed_ = true;
        }
        commit_ = std::max(commit_, std::min(sent.commit, last));
        answer.ok = 1;
        answer.index = last;
        send(all_[sent.from], answer);
    }
    void on_appended(const Message& answer) {
        if (role_ != Role::leader || answer.term != term_) return;
        std::uint64_t& next = next_[answer.from];
        if (answer.ok == 0) {
            next = std::clamp<std::uint64_t>(answer.index + 1, 1, next);
            return send_entry(answer.from);
        }
        if (answer.index <= known_[answer.from]) return;  // It was doubled or overtaken.
        known_[answer.from] = answer.index;
        next = std::max(next, answer.index + 1);
        commit_what_most_have();
        if (next < log_.size()) send_entry(answer.from);
    }
    void commit_what_most_have() {
        for (std::uint64_t index = log_.size() - 1; index > commit_; --index) {
            const auto have = 1 + static_cast<std::size_t>(std::ranges::count_if(
                                      known_, [index](auto known) { return known >= index; }));
            if (have * 2 <= all_.size()) continue;
            // An entry of an old term may be replaced still, even if most servers have it.
            if (log_[index].term != term_ && bug_ != commits_old_terms_by_count) continue;
            commit_ = index;
            return;
        }
    }

    // ---- Requests ----

    void on_request(const Message& asked) {
        if (role_ != Role::leader || asked.entries.size() != 1) return;
        const Entry& entry = asked.entries[0];
        if (bug_ == reads_its_own_copy && entry.kind == 0) {
            return answer(sender_, entry.number, store_[entry.key]);
        }
        const Session& session = sessions_[entry.client];
        const bool is_known = bug_ != applies_retries_twice;
        if (is_known && session.number == entry.number) {
            return answer(sender_, entry.number, session.result);
        }
        const bool is_waiting = !waiting_.empty() && std::ranges::any_of(waiting_, [&](auto& each) {
            return log_[each.first].client == entry.client &&
                   log_[each.first].number == entry.number;
        });
        if (is_known && is_waiting) return;
        log_.push_back(entry);
        log_.back().term = term_;
        waiting_.emplace(log_.size() - 1, sender_);
        is_changed_ = true;
        send_entries();
    }
    void answer(const Address& to, std::uint64_t number, const std::string& result) {
        Message reply{.type = Type::reply, .ok = 1};
        reply.entries.push_back({.number = number, .value = result});
        send(to, reply);
    }
    void apply() {
        while (applied_ < commit_) {
            const Entry& entry = log_[++applied_];
            Session& session = sessions_[entry.client];
            if (entry.number > session.number || bug_ == applies_retries_twice) {
                std::string& value = store_[entry.key];
                if (entry.kind == 1) value = entry.value;
                if (entry.kind == 2) value += entry.value;
                session = {entry.number, entry.kind == 0 ? value : ""};
            }
            const auto waiting = waiting_.find(applied_);
            if (waiting == waiting_.end()) continue;
            if (session.number == entry.number) {
                answer(waiting->second, entry.number, session.result);
            }
            waiting_.erase(waiting);
        }
    }

    void handle(const Message& message) {
        const bool is_from_server = message.type < Type::request;
        if (is_from_server && message.from >= all_.size()) return;
        if (is_from_server && message.term > term_) follow(message.term);
        switch (message.type) {
            case Type::vote:
                return on_vote(message);
            case Type::voted:
                return on_voted(message);
            case Type::append:
                return on_append(message);
            case Type::appended:
                return on_appended(message);
            case Type::request:
                return on_request(message);
            case Type::reply:
                return;
        }
    }

    static constexpr std::uint64_t nobody = ~std::uint64_t{0};
    static constexpr Duration resent_after = 50ms;

    const std::vector<Address> all_;
    const std::size_t own_;
    Random random_;
    const int bug_;
    Executor* now_from_ = nullptr;
    net::Datagram socket_;
    Address sender_;
    std::vector<std::pair<Address, std::string>> outbox_;
    Instant elects_at_;
    Instant deadline_;  // of the next message

    // Durable. The first entry is before all others.
    std::uint64_t term_ = 0;
    std::uint64_t vote_ = nobody;
    std::vector<Entry> log_ = std::vector<Entry>(1);
    bool is_changed_ = false;

    Role role_ = Role::follower;
    std::set<std::uint64_t> voters_;
    std::uint64_t commit_ = 0;
    std::uint64_t applied_ = 0;
    std::vector<std::uint64_t> next_;           // of each peer, while it leads
    std::vector<std::uint64_t> known_;          // the last entry that a peer has for certain
    std::map<std::uint64_t, Address> waiting_;  // clients, by the index of their entry
    std::map<std::uint64_t, Session> sessions_;
    std::map<std::string, std::string> store_;
};

}  // namespace store
