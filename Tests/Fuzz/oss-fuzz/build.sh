#!/usr/bin/env bash
# Builds the fuzzers for OSS-Fuzz: one copy of the program per target, which its name selects, with seeds, corpus,
# dictionary, and the shared libraries that the machines for fuzzing lack.
set -euo pipefail
cd "$SRC/facecrop"
# Package.swift has the sanitizers' options. OSS-Fuzz's own are for its version of clang.
unset CFLAGS CXXFLAGS
FACECROP_FUZZ=1 swift build -c release --static-swift-stdlib --scratch-path .build-fuzz --product fuzz

mkdir -p "$OUT/lib"
program=.build-fuzz/release/fuzz
ldd "$program" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | while read -r library; do
  case $(basename "$library") in
    ld-linux* | libc.so* | libm.so* | libdl.so* | libpthread.so* | librt.so* | libresolv.so*) ;;
    *) cp -L "$library" "$OUT/lib/" ;;
  esac
done
# shellcheck disable=SC2016 # the loader's word
for library in "$OUT"/lib/*; do patchelf --set-rpath '$ORIGIN' "$library"; done

for target in jpeg png webp gif tiff raw jxl heif header lossless exif credits icc plan request manifest; do
  install -m 755 "$program" "$OUT/$target"
  # shellcheck disable=SC2016
  patchelf --set-rpath '$ORIGIN/lib' "$OUT/$target"
  inputs=$WORK/$target
  rm -rf "$inputs"
  Tests/archive unpack "Tests/Fuzz/corpus/$target.tar.xz" "$inputs"
  FUZZ_TARGET=$target FUZZ_SEEDS=$inputs "$program"
  (cd "$inputs" && zip --quiet --recurse-paths "$OUT/${target}_seed_corpus.zip" .)
  case $target in
    lossless) cp Tests/Fuzz/dictionaries/jpeg.dict "$OUT/$target.dict" ;;
    header) cat Tests/Fuzz/dictionaries/{jpeg,png,webp,gif,tiff,raw,jxl,heif,exif}.dict > "$OUT/$target.dict" ;;
    *) cp "Tests/Fuzz/dictionaries/$target.dict" "$OUT/$target.dict" ;;
  esac
  printf '[libfuzzer]\nmax_len = 4096\ntimeout = 10\n' > "$OUT/$target.options"
done
