// SPDX-License-Identifier: Apache-2.0
#include "gyre/kernel/detail/machine_table.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "tests/support/test_machine.hpp"

namespace gyre {
namespace {

using test::TestMachine;

MachineId add(MachineTable& table, Machine& machine) {
    table.reserve(1);
    return table.add(machine);
}

TEST(MachineTable, finds_a_machine_by_its_id) {
    MachineTable table(8);
    TestMachine one;
    TestMachine two;
    const MachineId first = add(table, one);
    const MachineId second = add(table, two);
    EXPECT_NE(first, second);
    EXPECT_NE(first, 0u);
    EXPECT_EQ(table.find(first), &one);
    EXPECT_EQ(table.find(second), &two);
}

TEST(MachineTable, an_id_of_no_machine_finds_nothing) {
    MachineTable table(8);
    EXPECT_EQ(table.find(0), nullptr);
    EXPECT_EQ(table.find(1), nullptr);
    EXPECT_EQ(table.find(~MachineId{0}), nullptr);
    TestMachine one;
    const MachineId id = add(table, one);
    EXPECT_EQ(table.find(id + 1), nullptr);
    EXPECT_EQ(table.find(id + MachineTable::machine_count_limit), nullptr);
}

TEST(MachineTable, an_id_of_a_machine_that_is_gone_does_not_find_the_one_in_its_place) {
    MachineTable table(8);
    TestMachine old;
    TestMachine young;
    const MachineId gone = add(table, old);
    table.remove(gone);
    EXPECT_EQ(table.find(gone), nullptr);
    const MachineId id = add(table, young);
    EXPECT_NE(id, gone);
    EXPECT_EQ(table.find(gone), nullptr);
    EXPECT_EQ(table.find(id), &young);
}

TEST(MachineTable, an_id_comes_back_only_after_thousands_of_machines) {
    MachineTable table(1);
    TestMachine machine;
    std::set<MachineId> ids;
    for (int i = 0; i < 4'095; ++i) {
        const MachineId id = add(table, machine);
        EXPECT_NE(id, 0u);
        EXPECT_TRUE(ids.insert(id).second) << "after " << i;
        table.remove(id);
    }
}

TEST(MachineTable, visits_the_machines_that_are_there) {
    MachineTable table(8);
    TestMachine one;
    TestMachine two;
    TestMachine three;
    (void)add(table, one);
    const MachineId second = add(table, two);
    (void)add(table, three);
    table.remove(second);
    std::set<const Machine*> seen;
    table.for_each([&seen](const Machine& machine) { seen.insert(&machine); });
    EXPECT_EQ(seen, (std::set<const Machine*>{&one, &three}));
}

TEST(MachineTable, a_place_that_is_free_is_used_before_there_are_more) {
    MachineTable table(2);
    TestMachine one;
    TestMachine two;
    MachineId first = add(table, one);
    (void)add(table, two);
    for (int i = 0; i < 10; ++i) {
        table.remove(first);
        first = add(table, one);
    }
    EXPECT_EQ(table.find(first), &one);
}

TEST(MachineTableDeathTest, names_the_limit_that_was_reached) {
    MachineTable table(1);
    TestMachine one;
    TestMachine two;
    (void)add(table, one);
    EXPECT_DEATH((void)add(table, two),
                 "the loop has machine_count_max = 1 machines: raise the option");
}

TEST(MachineTable, room_that_was_made_is_enough_for_as_many) {
    MachineTable table(8);
    std::array<TestMachine, 5> machines;
    table.reserve(machines.size());
    for (TestMachine& machine : machines) EXPECT_NE(table.add(machine), 0u);
}

TEST(MachineTableDeathTest, a_machine_without_room_is_caught_before_anything_is_allocated) {
    MachineTable table(8);
    TestMachine machine;
    EXPECT_DEATH((void)table.add(machine), "a machine is added without room");
}

TEST(MachineTableDeathTest, a_limit_beyond_what_an_id_holds_is_refused) {
    EXPECT_DEATH(MachineTable(MachineTable::machine_count_limit + 1),
                 "machine_count_max is 1048577, the most a loop can have is 1048576");
}

}  // namespace
}  // namespace gyre
