#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs a finished build into a scratch prefix, moves it, and builds a stranger's program against
# it with find_package, FetchContent and pkg-config, static and shared.
#
#   install_test.sh SOURCE BUILD COMPILER VERSION SOVERSION
#
# The last two compile the library once more. Without GYRE_TEST_LONG=1 FetchContent is only configured,
# and the shared libraries are left out: ./dev ci --long has them.
#
# Scratch builds are kept in BUILD/install_test, so that a second run is cheap; prefixes are not.
# What is tested here is how things fit together: the stranger's builds are not optimised, and the
# shared libraries are compiled as those of the finished build were, so that ccache has the objects;
# in BUILD-shared, because ccache may be told to take paths relative to the folder.
set -euo pipefail

source=$1 build=$2 compiler=$3 version=$4 soversion=$5
scratch=$build/install_test
shared_build=$build-shared
consumer=$source/tests/install/consumer

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# install_moved BUILD NAME: installs under another name first and then moves, because what holds an
# absolute path to its place is not relocatable.
install_moved() {
    rm -rf "$scratch/$2" "$scratch/$2.before"
    cmake --install "$1" --prefix "$scratch/$2.before" >/dev/null
    mv "$scratch/$2.before" "$scratch/$2"
}

# consume NAME CMAKE-ARGUMENTS...: builds the stranger's project and runs it.
consume() {
    local name=$1
    shift
    echo "-- $name"
    cmake -G Ninja -S "$consumer" -B "$scratch/build-$name" -DCMAKE_BUILD_TYPE=None \
        -DCMAKE_CXX_COMPILER="$compiler" "$@" >"$scratch/$name.log" || fail "configure of $name"
    cmake --build "$scratch/build-$name" --target consumer consumer_test \
        >>"$scratch/$name.log" 2>&1 ||
        { cat "$scratch/$name.log"; fail "build of $name"; }
    expect_version "$name" "$scratch/build-$name/consumer"
    "$scratch/build-$name/consumer_test" >>"$scratch/$name.log" || fail "the stranger's test of $name"
}

expect_version() {
    local printed
    printed=$("$2") || fail "$1 does not run"
    [[ $printed == "$version" ]] || fail "$1 printed '$printed', not '$version'"
}

mkdir -p "$scratch"

install_moved "$build" static
[[ -z $(find "$scratch/static" -name '*.test.*' -o -name '*.fuzz.*') ]] || fail "tests are installed"
if [[ -e $build/bin/gyre ]]; then
    [[ -x $scratch/static/bin/gyre ]] || fail "no bin/gyre"
    for file in man/man1/gyre.1 man/man1/gyre-version.1 bash-completion/completions/gyre \
        zsh/site-functions/_gyre fish/vendor_completions.d/gyre.fish; do
        [[ -s $scratch/static/share/$file ]] || fail "no share/$file"
    done
fi
[[ -z $(find "$scratch/static" -path '*internal*') ]] || fail "internal headers are installed"
consume find_package -DCMAKE_PREFIX_PATH="$scratch/static"
cmake --build "$scratch/build-find_package" --target consumer_vela >>"$scratch/find_package.log" 2>&1 ||
    { cat "$scratch/find_package.log"; fail "build of a tool for Vela"; }

echo "-- a component that is not there"
if cmake -G Ninja -S "$consumer" -B "$scratch/build-air" -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_PREFIX_PATH="$scratch/static" -Dcomponents="task;air" >"$scratch/air.log" 2>&1; then
    fail "find_package found the component air"
fi
grep -q 'without gyre::air' "$scratch/air.log" || { cat "$scratch/air.log"; fail "no word of the component air"; }

echo "-- an old standard"
errors=$("$compiler" -std=c++20 -fsyntax-only -I"$scratch/static/include" "$consumer/main.cpp" 2>&1 || true)
grep -q 'error.*gyre needs C++23' <<<"$errors" || fail "-std=c++20: $errors"
[[ $(grep -c 'error' <<<"$errors") -le 4 ]] || fail "-std=c++20 has more to say than that: $errors"

echo "-- pkg-config"
export PKG_CONFIG_PATH=$scratch/static/lib/pkgconfig
[[ $(pkg-config --modversion gyre) == "$version" ]] || fail "gyre.pc has another version"
# Word splitting is what a Makefile does with these flags.
# shellcheck disable=SC2046
"$compiler" -std=c++23 "$consumer/main.cpp" $(pkg-config --static --cflags --libs gyre) \
    -o "$scratch/pkg_config_consumer"
expect_version pkg-config "$scratch/pkg_config_consumer"

if [[ -n ${GYRE_TEST_LONG:-} ]]; then
    consume fetch_content -DGYRE_SOURCE="$source"
else
    echo "-- fetch_content, configured only"
    cmake -G Ninja -S "$consumer" -B "$scratch/build-fetch_content" -DCMAKE_CXX_COMPILER="$compiler" \
        -DGYRE_SOURCE="$source" >"$scratch/fetch_content.log" || fail "configure of fetch_content"
fi
commands=$scratch/build-fetch_content/compile_commands.json
! grep -q -e '-Wconversion' -e '-Werror' "$commands" || fail "gyre's warning flags leak out"
! grep -q '\.test\.cpp' "$commands" || fail "gyre's tests are part of the stranger's build"

if [[ -z ${GYRE_TEST_LONG:-} ]]; then
    echo "what was tried works; GYRE_TEST_LONG=1 tries the rest"
    exit 0
fi
echo "-- shared libraries"
flags='CMAKE_BUILD_TYPE|CMAKE_CXX_FLAGS(_[A-Z]+)?|GYRE_WERROR|GYRE_DEBUG_CHECKS'
mapfile -t settings < <(sed -nE "s/^($flags):/-D&/p" "$build/CMakeCache.txt")
cmake -G Ninja -S "$source" -B "$shared_build" "${settings[@]}" \
    -DCMAKE_CXX_COMPILER="$compiler" -DBUILD_SHARED_LIBS=ON -DGYRE_TESTS=OFF -DGYRE_EXAMPLES=OFF \
    >"$scratch/shared.log" || fail "configure of the shared libraries"
cmake --build "$shared_build" >>"$scratch/shared.log" 2>&1 ||
    { cat "$scratch/shared.log"; fail "build of the shared libraries"; }
install_moved "$shared_build" shared
soname=libgyre_base.so.$soversion
readelf -d "$scratch/shared/lib/libgyre_base.so" | grep -q "SONAME.*\[$soname\]" ||
    fail "libgyre_base.so lacks the soname $soname"
[[ $(readlink "$scratch/shared/lib/libgyre_base.so") == "$soname" ]] || fail "no link to $soname"
[[ $(readlink "$scratch/shared/lib/$soname") == "libgyre_base.so.$version" ]] ||
    fail "$soname is no link to libgyre_base.so.$version"
consume shared_find_package -DCMAKE_PREFIX_PATH="$scratch/shared"
if [[ -x $scratch/shared/bin/gyre ]]; then
    "$scratch/shared/bin/gyre" --help >/dev/null || fail "the installed program does not start"
fi
echo "all ways work"
