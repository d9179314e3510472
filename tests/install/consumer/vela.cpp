// SPDX-License-Identifier: Apache-2.0
// A stranger's tool for Vela: the installed headers of a language find each other.
#include <lang/vela/check/check.hpp>
#include <lang/vela/lower/lower.hpp>
#include <lang/vela/syntax/diagnostic.hpp>

int main() {
    return 0;
}
