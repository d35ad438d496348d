# What the stages of coverage/gate begin with: where they run, and what they call.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
mkdir -p build/gate

release() { cmake --preset release && cmake --build --preset release --target "$@"; }
tests_of() {  # BUILD LABEL TIMEOUT
  ctest --test-dir "build/$1" -L "^($2)\$" --output-on-failure --no-tests=error --timeout "$3" -j "$(nproc)"
}
labelled() {  # LABEL
  release all
  tests_of release "$1" 3600
}
campaign() {  # TARGET INPUTS; repeatable: from its seeds and what was found before; what is new goes to a scratch corpus
  local corpus=build/gate/corpus_$1 words=() inputs
  mapfile -t inputs < <(find build/sanitizers/seeds fuzz/seeds fuzz/regressions -mindepth 1 -maxdepth 1 -name "$1")
  rm -rf "$corpus" && mkdir -p "$corpus"
  [ ! -f "fuzz/dictionaries/$1.dict" ] || words=("-dict=fuzz/dictionaries/$1.dict")
  "build/sanitizers/bin/fuzz_$1" -seed=1 -runs="$2" -max_len=400 -artifact_prefix=build/gate/ "${words[@]}" "$corpus" "${inputs[@]}"
}
