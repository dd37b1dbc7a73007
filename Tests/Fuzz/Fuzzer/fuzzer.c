/// libFuzzer's side. FUZZ_TARGET names the target, in the environment, which the processes that libFuzzer starts have too; with
/// FUZZ_SEEDS, a folder, the target's seeds are written there and nothing else is done.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/// Chooses one of `FuzzTargets`. False: there is no such target.
bool facecrop_fuzz_choose(const char *target);
void facecrop_fuzz_run(const uint8_t *bytes, size_t count);
/// Writes the chosen target's seeds.
void facecrop_fuzz_write_seeds(const char *folder);

int LLVMFuzzerInitialize(int *count, char ***arguments) {
  const char *target = getenv("FUZZ_TARGET");
  if (target == NULL || !facecrop_fuzz_choose(target)) {
    fprintf(stderr, "fuzz: FUZZ_TARGET names no target\n");
    exit(64);
  }
  const char *seeds = getenv("FUZZ_SEEDS");
  if (seeds != NULL) {
    facecrop_fuzz_write_seeds(seeds);
    exit(0);
  }
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  facecrop_fuzz_run(bytes, count);
  return 0;
}
