#include "CBasics.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { StateRunning, StatePaused, StateCancelled };

struct FCCancellation {
  atomic_int state;
  atomic_size_t steps;
  _Atomic uint64_t elsewhere;
  /// Held to change the state.
  pthread_mutex_t lock;
  pthread_cond_t hasChanged;
};

FCCancellation *fc_cancellation_create(void) {
  FCCancellation *flag = malloc(sizeof *flag);
  if (flag == NULL) return NULL;
  atomic_init(&flag->state, StateRunning);
  atomic_init(&flag->steps, 0);
  atomic_init(&flag->elsewhere, 0);
  flag->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  flag->hasChanged = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
  return flag;
}

void fc_cancellation_destroy(FCCancellation *flag) {
  pthread_cond_destroy(&flag->hasChanged);
  pthread_mutex_destroy(&flag->lock);
  free(flag);
}

/// Changes the state, unless the work is cancelled.
static void change(FCCancellation *flag, int state) {
  pthread_mutex_lock(&flag->lock);
  if (atomic_load_explicit(&flag->state, memory_order_relaxed) != StateCancelled) {
    atomic_store_explicit(&flag->state, state, memory_order_relaxed);
    pthread_cond_broadcast(&flag->hasChanged);
  }
  pthread_mutex_unlock(&flag->lock);
}

void fc_cancellation_cancel(FCCancellation *flag) { change(flag, StateCancelled); }

void fc_cancellation_pause(FCCancellation *flag) { change(flag, StatePaused); }

void fc_cancellation_resume(FCCancellation *flag) { change(flag, StateRunning); }

bool fc_cancellation_is_paused(const FCCancellation *flag) {
  return atomic_load_explicit(&flag->state, memory_order_relaxed) == StatePaused;
}

/// Waits while the work is paused, and returns its state.
static int wait_while_paused(FCCancellation *flag) {
  pthread_mutex_lock(&flag->lock);
  int state;
  while ((state = atomic_load_explicit(&flag->state, memory_order_relaxed)) == StatePaused) {
    pthread_cond_wait(&flag->hasChanged, &flag->lock);
  }
  pthread_mutex_unlock(&flag->lock);
  return state;
}

bool fc_cancellation_is_cancelled(const FCCancellation *flag) {
  int state = atomic_load_explicit(&flag->state, memory_order_relaxed);
  if (state == StatePaused) state = wait_while_paused((FCCancellation *)flag);
  return state == StateCancelled;
}

bool fc_cancellation_step(FCCancellation *flag, size_t count) {
  // Only the working thread writes the count, so a plain store is enough and cheaper than a read-modify-write.
  const size_t steps = atomic_load_explicit(&flag->steps, memory_order_relaxed);
  atomic_store_explicit(&flag->steps, steps + count, memory_order_relaxed);
  return fc_cancellation_is_cancelled(flag);
}

size_t fc_cancellation_steps(const FCCancellation *flag) {
  return atomic_load_explicit(&flag->steps, memory_order_relaxed);
}

void fc_cancellation_add_elsewhere(FCCancellation *flag, uint64_t nanoseconds) {
  const uint64_t before = atomic_load_explicit(&flag->elsewhere, memory_order_relaxed);
  atomic_store_explicit(&flag->elsewhere, before + nanoseconds, memory_order_relaxed);
}

uint64_t fc_cancellation_elsewhere(const FCCancellation *flag) {
  return atomic_load_explicit(&flag->elsewhere, memory_order_relaxed);
}
