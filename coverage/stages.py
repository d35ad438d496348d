"""The stages of coverage/gate, one after another. You can run each by itself. `coverage/gate --times` prints how long they took.

`change`: at every change. `night`: every night. `week`: what takes longer, or other machines can do.
"""
from typing import NamedTuple


class Stage(NamedTuple):
    when: str  # change, night or week
    folders: tuple[str, ...]  # build folders that no other stage may use meanwhile
    does: str
    script: str  # of bash, which ends where a command fails
    sums_up: str = ""  # the last line that matches stands beside the stage's name
    needs: str = ""  # beyond what .ci/setup installs


# What scripts call.
PRELUDE = r"""
release() { cmake --preset release && cmake --build --preset release --target "$@"; }
tests_of() {  # BUILD LABEL TIMEOUT
  ctest --test-dir "build/$1" -L "^$2\$" --output-on-failure --no-tests=error --timeout "$3" -j "$(nproc)"
}
labelled() {  # LABEL: the tests of the release build that the stage is named after
  release all
  tests_of release "$1" 3600
}
measured() {  # PROGRAM TESTS OPTION…
  cmake --preset coverage
  cmake --build --preset coverage --target "$1"
  LLVM_PROFILE_FILE=build/coverage/$1.profile "build/coverage/bin/$1" --gtest_brief=1 --gtest_filter="$2"
  coverage/coverage_gate --program "build/coverage/bin/$1" --profile "build/coverage/$1.profile" --compiled-in build/coverage \
    --source . --exclusions coverage/exclusions.txt --html "build/coverage/html/$1" "${@:3}"
}
campaign() {  # TARGET INPUTS; repeatable: from its seeds and what was found before; what is new goes to a scratch corpus
  local corpus=build/gate/corpus_$1 words=() inputs
  mapfile -t inputs < <(find build/sanitizers/seeds fuzz/seeds fuzz/regressions -mindepth 1 -maxdepth 1 -name "$1")
  rm -rf "$corpus" && mkdir -p "$corpus"
  [ ! -f "fuzz/dictionaries/$1.dict" ] || words=("-dict=fuzz/dictionaries/$1.dict")
  "build/sanitizers/bin/fuzz_$1" -seed=1 -runs="$2" -max_len=400 -artifact_prefix=build/gate/ "${words[@]}" "$corpus" "${inputs[@]}"
}
"""

COVERAGE = r"^coverage gate:.*"
TESTS = r"^\d+% tests passed.*"
STAGES = {
    "tests": Stage("change", ("release",), "builds everything, and runs every test but those of the night", r"""
cmake --workflow --preset check
""", TESTS),
    # The compiler's cache tells messages of one language from those of another: what is built has the usual one. What only
    # computes is left to the stage `tests`.
    "environment": Stage("change", ("environment",), "quick tests, and some that start the program, where PATH, HOME, locale, user and the "
                         "rest are other than usual", r"""
export USUAL=$(declare -px LANG LC_ALL LC_CTYPE LC_MESSAGES 2>/dev/null || true)
coverage/hostile_environment --where-possible bash -euo pipefail -c '
cmake --preset release -DBACKOFF_PROCESSORS="$(nproc)"
(unset LANG LC_ALL; eval "$USUAL"; cmake --build --preset release --target backoff-oracle backoff-port backoff-host spec_tests c99_tests \
  no_heap port_process_test watch_tests test_library_aws_backoff_algorithm)
ctest --preset release -R "^(spec_tests|c99_tests|no_heap.*|port_process_test|watch_tests|links|prose|structure|power|trace_gate|docs|site|\
options|hostile_environment|runner_Go|runner_Python|released_help|\
program_(Replaying|Interrupted|Writing_replay)|action|c99_Host)$"
'
""", TESTS),
    "coverage": Stage("change", ("coverage",), "the specifications take every branch of library and model, and decide every condition", r"""
measured spec_tests '*' --root lib/include --root lib/src --root spec/relation --root 'spec/*/model.?pp'
""", COVERAGE),
    # By its quick tests alone: what random histories take by chance does not count as tested. The last five are slow where
    # nothing is optimised, and take no branch that others leave; the release build runs them.
    "judge": Stage("change", ("coverage",), "the judge's quick tests do the same for the judge", r"""
measured judge_tests '-soundness.*:built_in*:*few_histories*:e_process.every_capital*:e_process.false_alarms*:dependence.of_another_kind*:\
examiner.judges_all*:judged_draws.a_hazard_reading*' --root properties/judge --root 'properties/systems/*/binding.cpp' \
  --tests '*_test.?pp'
""", COVERAGE),
    "fuzzing": Stage("change", ("sanitizers",), "each fuzz target but hostile_port, briefly, and a planted fault that must be found", r"""
cmake --preset sanitizers
cmake --build --preset fuzz --target quick_fuzz_targets
one() { campaign "$1" 4000 >"build/gate/fuzz_$1.log" 2>&1 || { cat "build/gate/fuzz_$1.log"; exit 1; }; }
export -f campaign one
find build/sanitizers/bin -name 'fuzz_*' ! -name fuzz_make_seeds ! -name fuzz_port ! -name fuzz_hostile_port -printf '%f\0' |
  sed -z 's/^fuzz_//' | sort -z | xargs -0 -P "$(nproc)" -I{} bash -c 'one "$1"' - {}
if BACKOFF_FUZZ_PORT=linear campaign aws_backoff_algorithm 4000; then echo 'the planted fault was not found'; exit 1; fi
echo 'up to 4000 inputs tried'
""", r"^.* inputs tried$"),
    "trace": Stage("change", ("release", "coverage"), "requirements, claims, specifications and branches name each other", r"""
release backoff-oracle spec_tests proof_tests judge_tests
measured=()
branches=build/gate/branches.json
[ ! -f $branches ] || [ "$(find lib spec -name '*.[ch]pp' -newer $branches -print -quit)" ] || measured=(--branches $branches)
coverage/trace_gate --bin build/release/bin --matrix build/gate/trace "${measured[@]}"
""", r"^trace gate:.*"),

    "lint": Stage("night", ("release",), "clang-tidy, cppcheck, clang-format, ruff and mypy find nothing", r"""
coverage/lint_test.py
coverage/lint
""", r"^lint:.*", "PyPI"),
    # Real packages, installed anew where their pins changed. A registry that cannot be reached is nothing that this repository
    # could mend, and no verdict either: the packages are named, and the gate stands. So it is with a machine that is too slow to
    # watch a program. A tool that .ci/setup installs, a version that is gone, a hash that is another and a finding that changed
    # are failures. (Ninja would make one exit code of all.)
    "gallery": Stage("night", ("release",), "published packages get the recorded verdicts", r"""
release backoff-oracle
properties/ports/gallery/gallery.py --bin build/release/bin --into build/release/gallery || [ $? -eq 4 ]
labelled gallery
""", r"^gallery:.*", "PyPI, npm, Maven Central, crates.io and the Go module proxy"),
    "browser": Stage("night", ("release",), "every page, looked at in Chromium and Firefox", "labelled browser", TESTS),
    "packages": Stage("night", ("release",), "packages for users are installed, and judge", "labelled packages", TESTS,
                      "PyPI, npm, Maven Central, crates.io and the Go module proxy"),
    "clean-clone": Stage("night", ("clean",), "the commands of every page run after README's install lines",
                         "coverage/clean_clone_test.py", r"^clean clone:.*"),
    "hostile": Stage("night", ("release",), "hostile processes and ports in process, by the thousand, and disks that fail",
                     "labelled hostile", TESTS),
    "searches": Stage("night", ("release",), "more random histories, for verdicts that rest on chance", "labelled searches", TESTS),
    "bench": Stage("night", ("package",), "every benchmark is built, and runs", r"""
cmake --preset package
cmake --build --preset package --target benchmarks
lib/bench/bench --briefly --build build/package
""", r"^bench:.*"),
    # What has not changed since a green run is not tried again: build/gate/mutants_*.json.
    "mutants": Stage("night", ("release",), "the specifications notice every mutant of the library", r"""
release backoff-oracle backoff_model
coverage/mutate library
""", r"^library mutants:.*"),
    "model-mutants": Stage("night", ("release",), "they notice every mutant of the model", r"""
release backoff-oracle spec_tests
coverage/mutate model
""", r"^model mutants:.*"),
    "c-mutants": Stage("night", ("release",), "they notice every mutant of the functions for C", r"""
release spec_tests
coverage/mutate c
""", r"^c mutants:.*"),
    "judge-mutants": Stage("night", ("release",), "the judge's tests notice every mutant of the judge", r"""
release judge_tests
coverage/mutate judge
""", r"^judge mutants:.*"),
    "port-mutants": Stage("night", ("release",), "the program notices every mutant of plain ports", r"""
release backoff-oracle
coverage/mutate ports --power
""", r"^port mutants:.*"),
    "power": Stage("night", ("release",), "the tables of POWER.md and POWER_DETAILS.md, but for that of the layers, measured again", r"""
release first_findings blame_pairs hidden-faults late-faults
wrong=0
for what in first-findings blame-pairs hidden-faults late-faults; do coverage/mutate "$what" || wrong=1; done
exit $wrong
""", r"^.*tables, \d+ not as recorded$"),
    "sanitizers": Stage("night", ("sanitizers",), "the tests but the longest, under AddressSanitizer and UndefinedBehaviorSanitizer",
                        "cmake --workflow --preset sanitizers", TESTS),
    "reached": Stage("night", ("fuzz-coverage",), "seeds and regressions alone take every branch of the library", r"""
cmake --preset fuzz-coverage
cmake --build --preset fuzz-coverage
fuzz/reached.py
""", r"^fuzzing alone:.*"),
    "campaigns": Stage("night", ("release", "sanitizers", "fuzz-coverage"),
                       "campaigns, of foreign ports too; hostile ports under sanitizers", r"""
release backoff-host backoff-port
cmake --preset sanitizers
cmake --build --preset fuzz
cmake --preset fuzz-coverage
cmake --build --preset fuzz-coverage
fuzz/campaign_test.py
campaign hostile_port 3000 >build/gate/fuzz_hostile_port.log 2>&1 || { cat build/gate/fuzz_hostile_port.log; exit 1; }
"""),
    "planted": Stage("night", ("planted",), "gates fail on the fault that is planted for each", "coverage/planted_faults",
                     r"^planted faults:.*"),
    "portable": Stage("night", ("zig", "release"), "the library compiles for other systems, and is right on other processors", r"""
lib/package/portable
labelled portable
""", r"^portable:.*", "PyPI"),
    "new-system": Stage("night", ("toy",), "a toy system is added as CONTRIBUTING.md says",
                        "coverage/new_system_test.py", r"^new system:.*"),

    "long-searches": Stage("week", ("release",), "ten to a hundred times as many random histories and runs",
                           "labelled long-searches", TESTS),
    "long-sanitizers": Stage("week", ("sanitizers",), "the longest tests, under the sanitizers", r"""
cmake --preset sanitizers
cmake --build --preset sanitizers
tests_of sanitizers slow 7200
""", TESTS),
    "layers": Stage("week", ("release",), "which faults of the library each layer notices alone: a table of POWER.md",
                    "coverage/mutate layers"),
    "watch-numbers": Stage("week", ("release",), "how well `watch` measures, with both processors busy too", r"""
release backoff-oracle
for busy in 0 2; do properties/oracle/watch_numbers.py --bin build/release/bin --busy $busy; done
"""),
    "release": Stage("week", ("release",), "all packages of a release are built, twice, and compared", "labelled release", TESTS,
                     "`.ci/setup release` too, and the registries of `packages`"),
    "oss-fuzz": Stage("week", ("oss-fuzz",), "the fuzz targets, built as OSS-Fuzz builds them", r"""
for sanitizer in address undefined; do fuzz/oss-fuzz/build_test.py --sanitizer $sanitizer; done  # as project.yaml has them
"""),
}
