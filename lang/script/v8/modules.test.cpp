// SPDX-License-Identifier: Apache-2.0
// Modules: CommonJS, ES modules, packages.
#include <gtest/gtest.h>

#include "lang/script/script_world.test.hpp"

namespace gyre::script {
namespace {

TEST(Modules, commonjs_has_a_cache_cycles_and_json) {
    ScriptWorld world;
    world.system.files = {
        {"/a.js",
         "exports.early = 1; const b = require('./b'); exports.late = b.saw; "
         "console.log(module.id, __filename, require.main === module);"},
        {"/b.js",
         "exports.saw = JSON.stringify(require('./a.js')); console.log(require('./d').v, "
         "require('./b') === module.exports);"},
        {"/d.json", "{\"v\":[1,2]}"},
    };
    EXPECT_EQ(world.run_file("/a.js"), "[ 1, 2 ] true\n. /a.js true\n") << world.system.err;
}

TEST(Modules, es_modules_import_each_other_commonjs_json_and_builtins) {
    ScriptWorld world;
    world.system.files = {
        {"/main.mjs",
         "import def, { x, fn } from './lib.mjs'; import cjs, { named } from './c.cjs';"
         "import { join } from 'node:path'; import data from './d.json' with { "
         "type: 'json' };"
         "console.log(def, x, fn(), cjs, named, join('a', '..', 'b'), data.v, "
         "import.meta.filename);"
         "const late = await import('./late.mjs'); console.log(late.default, typeof require);"},
        {"/lib.mjs",
         "import { y } from './other.mjs'; export default 'd'; export const x = 1; export const fn "
         "= () => y + x;"},
        {"/other.mjs", "import { x } from './lib.mjs'; export const y = 10;"},
        {"/c.cjs",
         "exports.named = 'n'; exports.__esModule = undefined; delete exports.__esModule;"},
        {"/d.json", "{\"v\":3}"},
        {"/late.mjs", "export default await new Promise((r) => setTimeout(r, 5, 'waited'));"},
    };
    EXPECT_EQ(world.run_file("/main.mjs"),
              "d 1 11 { named: 'n' } n b 3 /main.mjs\nwaited undefined\n")
        << world.system.err;
}

TEST(Modules, packages_have_exports_imports_conditions_and_self_reference) {
    ScriptWorld world;
    world.system.files = {
        {"/app/package.json",
         R"({"name":"app","type":"module","exports":{"./me":"./me.js"},"imports":{"#in":"./in.js"}})"},
        {"/app/main.js",
         "import k from 'pkg'; import s from 'pkg/sub/one'; import m from 'app/me'; import i from "
         "'#in';"
         "console.log(k, s, m, i); try { await import('pkg/hidden'); } catch (e) { "
         "console.log(e.code); }"
         "try { await import('fs'); } catch (e) { console.log(e.code, "
         "/embed-javascript/.test(e.message)); }"},
        {"/app/me.js", "export default 'me';"},
        {"/app/in.js", "export default 'in';"},
        {"/app/node_modules/pkg/package.json",
         R"({"exports":{".":{"import":"./i.mjs","require":"./r.js"},"./sub/*":"./s/*.js"}})"},
        {"/app/node_modules/pkg/i.mjs", "export default 'import';"},
        {"/app/node_modules/pkg/r.js", "module.exports = 'require';"},
        {"/app/node_modules/pkg/s/one.js", "module.exports = 'one';"},
        {"/app/node_modules/pkg/hidden.js", ""},
    };
    EXPECT_EQ(world.run_file("/app/main.js"),
              "import one me in\nERR_PACKAGE_PATH_NOT_EXPORTED\nERR_UNKNOWN_BUILTIN_MODULE true\n")
        << world.system.err;
}

TEST(Modules, a_missing_module_and_a_syntax_error_end_with_1) {
    ScriptWorld missing;
    missing.run("require('./nowhere')");
    EXPECT_EQ(missing.status, 1);
    EXPECT_NE(missing.system.err.find("Cannot find module './nowhere'"), std::string::npos);
    ScriptWorld broken;
    broken.system.files = {{"/x.js", "let a = 1;\nlet b = ;\n"}};
    broken.run_file("/x.js");
    EXPECT_EQ(broken.status, 1);
    EXPECT_TRUE(broken.system.err.starts_with("/x.js:2\nlet b = ;\n        ^\n\nSyntaxError"))
        << broken.system.err;
}

TEST(Modules, a_top_level_await_that_nothing_can_settle_ends_with_13) {
    ScriptWorld world;
    world.run("await new Promise(() => {});", true);
    EXPECT_EQ(world.status, 13);
    EXPECT_EQ(world.system.err, "");
}

TEST(Modules, a_name_of_commonjs_in_an_es_module_is_explained_with_its_place) {
    ScriptWorld world;
    world.system.files = {{"/main.mjs", "const a = 1;\nconst y = require('path');\n"}};
    world.run_file("/main.mjs");
    EXPECT_EQ(world.status, 1);
    EXPECT_TRUE(world.system.err.starts_with("file:///main.mjs:2\nconst y = require('path');\n"))
        << world.system.err;
    EXPECT_NE(world.system.err.find("in ES module scope, you can use import instead\n"),
              std::string::npos)
        << world.system.err;
}

TEST(Modules, an_imported_file_of_an_unknown_kind_is_an_error_with_its_code) {
    ScriptWorld world;
    world.system.files = {{"/main.mjs", "import './file.xyz';"}, {"/file.xyz", "x"}};
    world.run_file("/main.mjs");
    EXPECT_EQ(world.status, 1);
    EXPECT_NE(world.system.err.find("TypeError [ERR_UNKNOWN_FILE_EXTENSION]: Unknown file "
                                    "extension \".xyz\" for /file.xyz"),
              std::string::npos)
        << world.system.err;
}

TEST(Modules, an_uncaught_object_is_shown_without_the_hint_for_plain_values) {
    ScriptWorld object;
    object.run("throw { a: { b: 1 } };");
    EXPECT_NE(object.system.err.find("{ a: { b: 1 } }\n\n"), std::string::npos);
    EXPECT_EQ(object.system.err.find("(Use"), std::string::npos) << object.system.err;
    ScriptWorld plain;
    plain.run("throw 5;");
    EXPECT_NE(plain.system.err.find("5\n(Use"), std::string::npos) << plain.system.err;
}

TEST(Modules, an_uncaught_assertion_shows_the_values_that_it_compared) {
    ScriptWorld world;
    world.run("require('assert').deepStrictEqual({ a: [1] }, { a: [2] });");
    EXPECT_NE(world.system.err.find("actual: { a: [ 1 ] },"), std::string::npos)
        << world.system.err;
}

}  // namespace
}  // namespace gyre::script
