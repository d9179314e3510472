// SPDX-License-Identifier: Apache-2.0
// A bank of actors: each account is one, and a transfer is an actor's message that asks two others.
// Nothing is locked, and no money is made or lost.
//
//     $ bank
//     30 of 50 transfers done; together 300

#include <gyre/gyre.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

using namespace gyre;
using namespace gyre::actor;

struct Deposit {
    int amount;
};
struct Withdraw {
    int amount;
};
struct Balance {};

class Account : public Actor<Account> {
public:
    explicit Account(int balance) : balance_(balance) {}
    void handle(Deposit deposit) { balance_ += deposit.amount; }
    bool handle(Withdraw withdraw) {
        if (withdraw.amount > balance_) return false;
        balance_ -= withdraw.amount;
        return true;
    }
    int handle(Balance) const { return balance_; }

private:
    int balance_;
};

Future<bool> transfer(Ref<Account> from, Ref<Account> to, int amount) {
    const bool is_covered = co_await from.ask(Withdraw{amount});
    if (!is_covered) co_return false;
    co_await to.post(Deposit{amount});
    co_return true;
}

Future<void> trade(System& bank) {
    std::vector<Ref<Account>> accounts;
    for (int i = 0; i < 3; ++i) accounts.push_back(bank.spawn<Account>(100));
    std::vector<Future<bool>> transfers;
    for (int i = 0; i < 50; ++i) {
        transfers.push_back(transfer(accounts[i % 3], accounts[(i + 1 + i % 2) % 3], 7 * (i % 5)));
    }
    const std::vector<bool> done = co_await all(std::move(transfers));
    int total = 0;
    for (const Ref<Account>& account : accounts) total += co_await account.ask(Balance{});
    const auto count = std::count(done.begin(), done.end(), true);
    std::printf("%d of 50 transfers done; together %d\n", int(count), total);
}

int main() {
    return gyre::run([] { return with_actors(trade); });
}
