/// A flag that cancels or pauses the loops of the codec shims, and a counter of the steps these loops took.
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

/// A flag that any thread may set and read. Each shim's header says how often its loops read it.
typedef struct FCCancellation FCCancellation;

/// Creates a flag, or returns NULL if memory runs out.
FCCancellation *_Nullable fc_cancellation_create(void);
void fc_cancellation_destroy(FCCancellation *flag);
void fc_cancellation_cancel(FCCancellation *flag);
/// Pauses the work at its next look at the flag, until it is resumed or cancelled.
void fc_cancellation_pause(FCCancellation *flag);
void fc_cancellation_resume(FCCancellation *flag);
bool fc_cancellation_is_paused(const FCCancellation *flag);

/// Waits while the work is paused, and returns whether it is cancelled.
bool fc_cancellation_is_cancelled(const FCCancellation *flag);

/// Adds `count` visited table entries, and returns like ``fc_cancellation_is_cancelled``. Call it from one thread at a
/// time.
bool fc_cancellation_step(FCCancellation *flag, size_t count);
size_t fc_cancellation_steps(const FCCancellation *flag);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#ifdef __cplusplus
}
#endif

#endif
