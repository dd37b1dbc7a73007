/// A flag that one thread sets and the loops of the codec shims read on another, and a count of what these loops did.
#ifndef CCANCELLATION_H
#define CCANCELLATION_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

/// May be set and read from any thread; how often a shim's loops read it is in the shim's header.
typedef struct FCCancellation FCCancellation;

/// NULL when there is no memory.
FCCancellation *_Nullable fc_cancellation_create(void);
void fc_cancellation_destroy(FCCancellation *flag);
void fc_cancellation_cancel(FCCancellation *flag);
bool fc_cancellation_is_cancelled(const FCCancellation *flag);

/// Counts what a walk over a file's tables visits, and says whether it is cancelled. By one thread at a time.
bool fc_cancellation_step(FCCancellation *flag, size_t count);
size_t fc_cancellation_steps(const FCCancellation *flag);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#ifdef __cplusplus
}
#endif

#endif
