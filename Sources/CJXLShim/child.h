/// A child process for work that a library can neither bound nor stop.
///
/// The child is a copy of this process with one thread. It runs C code only, has no open files, and ends with its
/// parent.
#pragma once

#include <CBasics.h>
#include <semaphore.h>
#include <sys/types.h>

FC_BEGIN

typedef enum FCJXLChildState {
  /// It works, or has handed over a part of the work.
  FCJXLChildRuns,
  /// The work is done.
  FCJXLChildIsDone,
  /// A fault of the work ended the process, or its memory was not enough.
  FCJXLChildFailed,
  /// The work took far more time than its memory allows.
  FCJXLChildIsLate,
  /// The kernel ended the process, as it does where the machine lacks memory.
  FCJXLChildWasKilled,
  FCJXLChildIsCancelled,
} FCJXLChildState;

typedef struct FCJXLChild {
  /// 0 without a process.
  pid_t process;
  /// The reading end of a pipe that the child's end closes; in the child, the writing end.
  int end;
  /// The bytes that it may take more than at its start, which it notes in shared memory; 0 until then.
  size_t memory;
  _Atomic size_t *_Nullable atStart;
  /// The nanoseconds of its processor time that were counted.
  uint64_t counted;
} FCJXLChild;

/// Starts `work` in a child that may take `memory` bytes more than this process has now. Only shared memory keeps what
/// it writes. The memory bounds its processor time too. Returns false if there can be no further process.
bool fcjxl_child_start(FCJXLChild *child, void (*work)(void *context), void *context, size_t memory);

/// Waits for the end of the child, or of a part of its work, for at most this time. Counts its processor time, and
/// stops it while the work is paused. Ends it if the work is cancelled, or if it has taken too much memory.
FCJXLChildState fcjxl_child_wait(FCJXLChild *child, FCCancellation *cancellation, int milliseconds);

/// Hands over a part of the work, in the child, and waits until the host posts `next`. The next part has the processor
/// time of the first.
void fcjxl_child_hand_over(const FCJXLChild *child, sem_t *next);

/// Ends the child, if there is one.
void fcjxl_child_stop(FCJXLChild *child);

/// Returns zeroed memory that a child shares, or NULL.
void *_Nullable fcjxl_shared_create(size_t count);
void fcjxl_shared_destroy(void *_Nullable memory, size_t count);

FC_END
