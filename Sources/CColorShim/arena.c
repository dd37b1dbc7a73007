#include "arena.h"

#include <lcms2_plugin.h>
#include <string.h>
#include <sys/mman.h>

/// The arena of the current call: while Little CMS creates a context, it does not pass one to the allocator.
static _Thread_local FCColorArena *current;

/// Bytes before each block that hold its size. Blocks are aligned to this.
enum { header = 16 };

static size_t whole(size_t size) { return (size + header - 1) / header * header; }

bool fccolor_arena_open(FCColorArena *arena, size_t capacity) {
  *arena = (FCColorArena){.capacity = capacity};
  void *bytes = mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (bytes == MAP_FAILED) return false;
  arena->bytes = bytes;
  return true;
}

void fccolor_arena_close(FCColorArena *arena) {
  if (arena->bytes != NULL) munmap(arena->bytes, arena->capacity);
  arena->bytes = NULL;
}

void fccolor_arena_use(FCColorArena *arena) { current = arena; }

static size_t size_of(const uint8_t *block) {
  size_t size;
  memcpy(&size, block - header, sizeof size);
  return size;
}

static void *allocate(cmsContext context, cmsUInt32Number size) {
  (void)context;
  FCColorArena *arena = current;
  const size_t needed = header + whole(size);
  if (arena->capacity - arena->used < needed) {
    if (arena->isGuarded) longjmp(arena->landing, 1);
    return NULL;
  }
  uint8_t *block = arena->bytes + arena->used + header;
  memcpy(block - header, &(size_t){size}, sizeof(size_t));
  arena->used += needed;
  if (arena->used > arena->most) arena->most = arena->used;
  return block;
}

/// Reuses only the room of the last block.
static void release(cmsContext context, void *memory) {
  (void)context;
  const uint8_t *block = memory;
  if (block != NULL && block + whole(size_of(block)) == current->bytes + current->used) {
    current->used = (size_t)(block - header - current->bytes);
  }
}

static void *reallocate(cmsContext context, void *memory, cmsUInt32Number size) {
  uint8_t *moved = allocate(context, size);
  if (moved == NULL || memory == NULL) return moved;
  const size_t before = size_of(memory);
  memcpy(moved, memory, before < size ? before : size);
  return moved;
}

void *fccolor_arena_plugin(void) {
  static cmsPluginMemHandler plugin = {
    .base = {cmsPluginMagicNumber, 2000, cmsPluginMemHandlerSig, NULL},
    .MallocPtr = allocate,
    .FreePtr = release,
    .ReallocPtr = reallocate,
  };
  return &plugin;
}
