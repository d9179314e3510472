// SPDX-License-Identifier: Apache-2.0
#include "gyre/conform/scenario.hpp"

#include <algorithm>
#include <iterator>

#include "gyre/conform/internal/gyre_adapters.hpp"

namespace gyre::conform {
namespace {

std::unique_ptr<PlatformSetup> setup_on(const std::string& platform) {
    return std::move(PlatformSetup::make(platform).value());
}

Results run_kernel(const Table& table, const std::string& platform) {
    const MakeKernelAdapter make = [&] { return make_gyre_kernel(setup_on(platform)); };
    return run(table, platform, make);
}

Results run_loop(const Table& table, const std::string& platform) {
    const MakeLoopAdapter make = [&] { return make_gyre_loop(setup_on(platform)); };
    return run(table, platform, make);
}

template <job::Profile profile>
Results run_jobs(const Table& table, const std::string& platform) {
    const MakeJobsAdapter make = [&] {
        return make_gyre_jobs(setup_on(platform), {.profile = profile});
    };
    return run(table, platform, make);
}

Results run_effects(const Table& table, const std::string& platform) {
    const MakeEffectsAdapter make = [&] { return make_gyre_effects(setup_on(platform)); };
    return run(table, platform, make);
}

struct Row {
    const Table& (*table)();
    Results (*run)(const Table& table, const std::string& platform);
};

constexpr Row rows[] = {
    {kernel_properties, run_kernel},
    {loop_phases, run_loop},
    {jobs_as_node, run_jobs<job::Profile::node>},
    {jobs_as_js2il, run_jobs<job::Profile::js2il>},
    {effect_runs, run_effects},
};

}  // namespace

std::span<const char* const> topics() {
    static constexpr const char* names[] = {"kernel", "loop", "jobs", "effects"};
    return names;
}

Results run_gyre_effects(const Table& table, const std::vector<std::string>& platforms,
                         const MakeEffectGuest& make) {
    Results results;
    for (const std::string& platform : platforms) {
        const auto setup = PlatformSetup::make(platform);
        const MakeEffectsAdapter adapter = [&] {
            return make_gyre_effects(setup_on(platform), make);
        };
        Results more = setup ? run(table, platform, adapter) : skip(table, platform, setup.error());
        std::move(more.begin(), more.end(), std::back_inserter(results));
    }
    return results;
}

Results run_gyre(const std::string& topic, const std::vector<std::string>& platforms) {
    Results results;
    for (const Row& row : rows) {
        const Table& table = row.table();
        if (!topic.empty() && topic != table.topic) continue;
        for (const std::string& platform : platforms) {
            const auto setup = PlatformSetup::make(platform);
            Results more = setup ? row.run(table, platform) : skip(table, platform, setup.error());
            std::move(more.begin(), more.end(), std::back_inserter(results));
        }
    }
    return results;
}

}  // namespace gyre::conform
