/// All the memory that Little CMS gets for one transform, taken before it begins and given back at once.
///
/// It is never told that there is none: some of its ways do not look, and follow a null pointer. What wants more than there
/// is ends in the landing.
#ifndef FCCOLOR_ARENA_H
#define FCCOLOR_ARENA_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct FCColorArena {
  uint8_t *bytes;
  size_t capacity, used, most;
  jmp_buf landing;
  /// Whether the landing may be jumped to.
  bool isGuarded;
} FCColorArena;

/// False when the system has no such memory. Pages that are never written to cost nothing.
bool fccolor_arena_open(FCColorArena *arena, size_t capacity);
void fccolor_arena_close(FCColorArena *arena);

/// Names the arena of what Little CMS is asked by this thread from now on.
void fccolor_arena_use(FCColorArena *arena);

/// The plug-in for `cmsCreateContext` that takes memory from an arena.
void *fccolor_arena_plugin(void);

#endif
