// SPDX-License-Identifier: Apache-2.0
#include "lang/script/http/http.hpp"

#include <array>

#include "lang/script/http/internal/fetching.hpp"
#include "lang/script/http/internal/message_parser.hpp"
#include "lang/script/http/internal/names.hpp"
#include "lang/script/http/internal/serving.hpp"
#include "lang/script/internal/bind_native.hpp"
#include "lang/script/script.hpp"
#include "lang/script/world/world.hpp"

namespace gyre::script {

struct ScriptHttp::Parts {
    Parts(Script& script, World& world, const ScriptHttpOptions& options)
        : fetching(script, world.executor(), options),
          serving(script, world.executor(), options),
          names(script, world.executor()) {
        script.add_natives(natives);
    }

    Fetching fetching;
    Serving serving;
    ScriptNames names;
    MessageParsers parsers;
    std::array<Native, 18> natives = {
        Native{"httpOpen", &bind<Fetching, &Fetching::open>, &fetching},
        Native{"httpPiece", &bind<Fetching, &Fetching::give_piece>, &fetching},
        Native{"httpRead", &bind<Fetching, &Fetching::read>, &fetching},
        Native{"httpTake", &bind<Fetching, &Fetching::take>, &fetching},
        Native{"httpDrop", &bind<Fetching, &Fetching::drop>, &fetching},
        Native{"serveStart", &bind<Serving, &Serving::start>, &serving},
        Native{"serveStop", &bind<Serving, &Serving::stop>, &serving},
        Native{"serveSend", &bind<Serving, &Serving::send>, &serving},
        Native{"serveBegin", &bind<Serving, &Serving::begin>, &serving},
        Native{"serveWrite", &bind<Serving, &Serving::write>, &serving},
        Native{"serveRead", &bind<Serving, &Serving::read>, &serving},
        Native{"serveTake", &bind<Serving, &Serving::take>, &serving},
        Native{"serveBreak", &bind<Serving, &Serving::cut>, &serving},
        Native{"nameFind", &bind<ScriptNames, &ScriptNames::find>, &names},
        Native{"parserOpen", &bind<MessageParsers, &MessageParsers::open>, &parsers},
        Native{"parserFeed", &bind<MessageParsers, &MessageParsers::feed>, &parsers},
        Native{"parserFinish", &bind<MessageParsers, &MessageParsers::finish>, &parsers},
        Native{"parserClose", &bind<MessageParsers, &MessageParsers::close>, &parsers}};
};

ScriptHttp::ScriptHttp(Script& script, World& world, ScriptHttpOptions options)
    : parts_(std::make_unique<Parts>(script, world, options)) {}
ScriptHttp::~ScriptHttp() = default;

}  // namespace gyre::script
