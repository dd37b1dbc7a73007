/// The entry points for libFuzzer. The variable FUZZ_TARGET names the target, which libFuzzer's child processes
/// inherit. Without it, the program's own name does, because OSS-Fuzz sets no variables. With FUZZ_SEEDS, a folder, the
/// program only writes the target's seeds there.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Selects one of `FuzzTargets`. Returns false for an unknown target.
bool facecrop_fuzz_choose(const char *target);
void facecrop_fuzz_run(const uint8_t *bytes, size_t count);
/// Writes the selected target's seeds.
void facecrop_fuzz_write_seeds(const char *folder);

int LLVMFuzzerInitialize(int *count, char ***arguments) {
  const char *target = getenv("FUZZ_TARGET");
  if (target == NULL && *count > 0) {
    const char *slash = strrchr((*arguments)[0], '/');
    target = slash == NULL ? (*arguments)[0] : slash + 1;
  }
  if (target == NULL || !facecrop_fuzz_choose(target)) {
    fprintf(stderr, "fuzz: neither FUZZ_TARGET nor the program's name is a target\n");
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
