/// A fixed amount of memory for one Little CMS transform, allocated before it starts and freed at once.
///
/// Some code in Little CMS follows a null pointer after a failed allocation. A request beyond the capacity therefore
/// jumps to the landing instead of returning NULL.
#pragma once

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct FCColorArena {
  uint8_t *bytes;
  size_t capacity, used, most;
  jmp_buf landing;
  /// Whether the landing is set, so that an allocation may jump to it.
  bool isGuarded;
} FCColorArena;

/// Allocates an arena, or returns false if the system has too little memory. Pages that are never written cost nothing.
bool fccolor_arena_open(FCColorArena *arena, size_t capacity);
void fccolor_arena_close(FCColorArena *arena);

/// Selects the arena that Little CMS uses on this thread from now on.
void fccolor_arena_use(FCColorArena *arena);

/// Returns the plug-in for `cmsCreateContext` that allocates from the selected arena.
void *fccolor_arena_plugin(void);
