// SPDX-License-Identifier: Apache-2.0
#include "lang/script/actors/actors.hpp"

#include <array>

#include "lang/script/actors/internal/actor_office.hpp"
#include "lang/script/internal/bind_native.hpp"
#include "lang/script/script.hpp"
#include "lang/script/world/world.hpp"

namespace gyre::script {

ScriptActor::ScriptActor(ActorOffice* office, double number) : office_(office), number_(number) {
    office_->note_object(number_);
}

Future<std::string> ScriptActor::handle(Letter letter) {
    return office_->deliver(number_, std::move(letter));
}

struct ScriptActors::Parts {
    Parts(Script& script, World& world) : office(script, world.executor()) {
        script.add_natives(natives);
    }

    ActorOffice office;
    std::array<Native, 11> natives = {
        Native{"actorsListen", &bind<ActorOffice, &ActorOffice::listen>, &office},
        Native{"actorSpawn", &bind<ActorOffice, &ActorOffice::spawn>, &office},
        Native{"actorFind", &bind<ActorOffice, &ActorOffice::find>, &office},
        Native{"actorSend", &bind<ActorOffice, &ActorOffice::send>, &office},
        Native{"actorPost", &bind<ActorOffice, &ActorOffice::post>, &office},
        Native{"actorAsk", &bind<ActorOffice, &ActorOffice::ask>, &office},
        Native{"actorCancel", &bind<ActorOffice, &ActorOffice::cancel>, &office},
        Native{"actorAnswer", &bind<ActorOffice, &ActorOffice::answer>, &office},
        Native{"actorStop", &bind<ActorOffice, &ActorOffice::stop>, &office},
        Native{"actorIsEnded", &bind<ActorOffice, &ActorOffice::is_ended>, &office},
        Native{"actorDump", &bind<ActorOffice, &ActorOffice::dump>, &office}};
};

ScriptActors::ScriptActors(Script& script, World& world)
    : parts_(std::make_unique<Parts>(script, world)) {}
ScriptActors::~ScriptActors() = default;

void ScriptActors::give_box(std::string name, std::shared_ptr<LetterBox> box) {
    parts_->office.give(std::move(name), std::move(box));
}

std::optional<actor::Ref<ScriptActor>> ScriptActors::find(const std::string& name) const {
    return parts_->office.system().find<ScriptActor>(name);
}

actor::System& ScriptActors::system() noexcept {
    return parts_->office.system();
}

void ScriptActors::open() {
    parts_->office.open();
}

}  // namespace gyre::script
