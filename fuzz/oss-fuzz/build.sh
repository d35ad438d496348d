#!/bin/bash -eu
# Builds every fuzz target as OSS-Fuzz and ClusterFuzzLite ask for it: with CC, CXX, CFLAGS, CXXFLAGS and LIB_FUZZING_ENGINE,
# from $SRC/backoff, in $WORK, into $OUT. Checked by: fuzz/oss-fuzz/build_test.py.
source=$SRC/backoff
build=$WORK/backoff

# All flags come from outside: BACKOFF_INSTRUMENTATION only says that there are some, so that nothing that would be malloc
# itself, or is worth its time at full speed only, is built. No header is precompiled: each file is
# seen to include what it needs.
cmake -S "$source" -B "$build" -G Ninja -DBUILD_TESTING=OFF -DCMAKE_BUILD_TYPE= \
  -DBACKOFF_LIBFUZZER=ON -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON "-DBACKOFF_INSTRUMENTATION=-g1" "-DBACKOFF_FUZZING_ENGINE=$LIB_FUZZING_ENGINE"
cmake --build "$build" --target fuzz_targets

for program in "$build"/bin/fuzz_*; do
  name=${program##*/fuzz_}
  [ "$name" != make_seeds ] || continue
  cp "$program" "$OUT/"
  for inputs in "$build/seeds" "$source/fuzz/seeds" "$source/fuzz/regressions"; do
    [ ! -d "$inputs/$name" ] || (cd "$inputs" && find "$name" -type f -print0 | sort -z | xargs -0 zip -q -X "$OUT/fuzz_${name}_seed_corpus.zip")
  done
  printf '[libfuzzer]\nmax_len = 4096\ntimeout = 25\nuse_value_profile = 1\n' >"$OUT/fuzz_$name.options"
  if [ -f "$source/fuzz/dictionaries/$name.dict" ]; then
    cp "$source/fuzz/dictionaries/$name.dict" "$OUT/fuzz_$name.dict"
    printf 'dict = fuzz_%s.dict\n' "$name" >>"$OUT/fuzz_$name.options"
  fi
done
