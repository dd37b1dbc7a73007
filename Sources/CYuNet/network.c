/// The network: rows of the picture go in, and each layer hands a row on as soon as it has what that is made of. Whole in memory
/// are the maps of cells of 8, 16 and 32 pixels alone, which the finer levels come back to.
#include "network.h"

#include <stdlib.h>
#include <string.h>

// MARK: Instruction sets

static const FCKernels *kernels_at(size_t index) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool hasAVX2 = __builtin_cpu_supports("avx2");
  const bool hasAVX512 = hasAVX2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  const bool hasVNNI = hasAVX512 && __builtin_cpu_supports("avx512vnni");
  const FCKernels *const sets[] = {
      hasVNNI ? &fc_kernels_avx512vnni : NULL, hasAVX512 ? &fc_kernels_avx512 : NULL, hasAVX2 ? &fc_kernels_avx2 : NULL, &fc_kernels_sse2};
#else
  const FCKernels *const sets[] = {&fc_kernels_neon};
#endif
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    if (sets[i] != NULL && index-- == 0) return sets[i];
  }
  return NULL;
}

const char *fcyunet_instruction_set(size_t index) {
  const FCKernels *kernels = kernels_at(index);
  return kernels == NULL ? NULL : kernels->name;
}

// MARK: Layers

typedef enum LayerTraits {
  FCPools = 1,
  FCKeepsMap = 2,
  FCIsHead = 4,
} LayerTraits;

typedef struct Layer {
  uint32_t inputs, outputs;
  /// Pixels of the picture that a pixel of its rows stands for.
  uint32_t stride;
  uint32_t traits;
} Layer;

static const Layer layers[FCPairs] = {
    {16, 16, 2, FCPools},
    {16, 16, 4, 0},
    {16, 64, 4, 0},
    {64, 64, 4, 0},
    {64, 64, 4, FCPools},
    {64, 64, 8, 0},
    {64, 64, 8, FCPools | FCKeepsMap},
    {64, 64, 16, 0},
    {64, 64, 16, FCPools | FCKeepsMap},
    {64, 64, 32, 0},
    {64, 64, 32, FCKeepsMap},
    // From here on three a level, from the coarsest.
    {64, 64, 32, FCKeepsMap},
    {64, 64, 32, 0},
    {64, 16, 32, FCIsHead},
    {64, 64, 16, FCKeepsMap},
    {64, 64, 16, 0},
    {64, 16, 16, FCIsHead},
    {64, 64, 8, 0},
    {64, 64, 8, 0},
    {64, 16, 8, FCIsHead},
};

/// The stages whose maps are a level's input from the backbone.
enum { FCFine = 6, FCMiddle = 8, FCCoarse = 10 };
/// A level's first stage, and its last.
static size_t level_stage(size_t level) { return FCBackbonePairs + 3 * (FCYUNET_LEVELS - 1 - level); }
static size_t head_stage(size_t level) { return level_stage(level) + 2; }

/// Hands out the weights, bytes in the order of `make-yunet-weights`.
static const void *next_weights(size_t *place, size_t bytes) {
  const void *piece = fc_weights + *place;
  *place += bytes;
  return piece;
}

static void take_weights(FCYuNet *network) {
  size_t place = 0;
  network->stem.weights = next_weights(&place, 3 * 10 * FCFewChannels * sizeof(int16_t));
  network->stem.bias = next_weights(&place, FCFewChannels * sizeof(int32_t));
  for (size_t i = 0; i < FCPairs; i++) {
    FCPair *pair = &network->stages[i].pair;
    pair->inputs = layers[i].inputs;
    pair->outputs = layers[i].outputs;
    pair->pointwise = next_weights(&place, (size_t)pair->inputs * pair->outputs * sizeof(int16_t));
    pair->pointwiseBias = next_weights(&place, pair->outputs * sizeof(int32_t));
    pair->depthwise = next_weights(&place, (size_t)(9 + 1) * pair->outputs * sizeof(int16_t));
  }
  for (size_t i = 0; i < FCPairs; i++) {
    FCStage *stage = &network->stages[i];
    if ((layers[i].traits & FCIsHead) == 0) continue;
    memcpy(stage->unit, next_weights(&place, sizeof stage->unit), sizeof stage->unit);
  }
  network->stem.shift = *(const unsigned char *)next_weights(&place, 1);
  for (size_t i = 0; i < FCPairs; i++) {
    network->stages[i].pair.shift = *(const unsigned char *)next_weights(&place, 1);
  }
}

FCYuNet *fcyunet_create(const char *instructionSet) {
  const FCKernels *kernels = kernels_at(0);
  for (size_t i = 0; instructionSet != NULL && kernels != NULL && strcmp(kernels->name, instructionSet) != 0;) {
    kernels = kernels_at(++i);
  }
  if (kernels == NULL) return NULL;
  FCYuNet *network = calloc(1, sizeof *network);
  if (network == NULL) return NULL;
  network->kernels = kernels;
  take_weights(network);
  return network;
}

void fcyunet_destroy(FCYuNet *network) {
  free(network->memory);
  free(network);
}

// MARK: Memory

/// Hands out memory piece by piece; without any it counts what is needed.
typedef struct Arena {
  unsigned char *memory;
  size_t size;
} Arena;

/// Bytes to which pieces are aligned.
static const size_t alignment = 64;

static void *take(Arena *arena, size_t bytes) {
  void *piece = arena->memory == NULL ? NULL : arena->memory + arena->size;
  arena->size += (bytes + alignment - 1) / alignment * alignment;
  return piece;
}

static int16_t *take_samples(Arena *arena, size_t count) { return take(arena, count * sizeof(int16_t)); }

static void clear(int16_t *from, size_t count) {
  if (from != NULL) memset(from, 0, count * sizeof *from);
}

/// A row with a pixel of zeros on either side.
static int16_t *take_padded_row(Arena *arena, size_t width, size_t channels) {
  int16_t *row = take_samples(arena, (width + 2) * channels);
  clear(row, channels);
  if (row != NULL) clear(row + (width + 1) * channels, channels);
  return row;
}

/// Sides are at most `FCYUNET_LONGEST_SIDE`, so that no product overflows 64 bits.
static void lay_out(FCYuNet *network, Arena *arena, uint32_t width, uint32_t height) {
  for (size_t i = 0; i < 3; i++) {
    network->input[i] = take_samples(arena, ((size_t)width + 1) * 3 + 1);
    clear(network->input[i], ((size_t)width + 1) * 3 + 1);
  }
  network->first = take_samples(arena, (size_t)width / 2 * FCFewChannels);
  // The widest rows are those of few channels at every second pixel, and of many at every fourth.
  const size_t widest = ((size_t)width / 2 + 2) * FCFewChannels, manyWidest = ((size_t)width / 4 + 2) * FCManyChannels;
  const size_t zeros = widest > manyWidest ? widest : manyWidest;
  network->zeros = take_samples(arena, zeros);
  clear(network->zeros, zeros);
  network->sum = take_samples(arena, (size_t)width / 8 * FCManyChannels);

  for (size_t i = 0; i < FCPairs; i++) {
    FCStage *stage = &network->stages[i];
    const Layer *layer = &layers[i];
    stage->width = width / layer->stride;
    stage->height = height / layer->stride;
    for (size_t n = 0; n < 3; n++) stage->ring[n] = take_padded_row(arena, stage->width, layer->outputs);
    stage->keepsMap = (layer->traits & FCKeepsMap) != 0;
    stage->out = take_samples(arena, (size_t)stage->width * layer->outputs * (stage->keepsMap ? stage->height : 2));
    stage->pooled = (layer->traits & FCPools) != 0 ? take_samples(arena, (size_t)stage->width / 2 * layer->outputs) : NULL;
    stage->isRectified = (layer->traits & FCIsHead) == 0;
    const size_t values = (size_t)stage->width * stage->height * layer->outputs;
    stage->values = stage->isRectified ? NULL : take(arena, values * sizeof(float));
    const bool isLastOfBackbone = i + 1 == FCBackbonePairs;
    stage->next = !stage->isRectified || isLastOfBackbone ? NULL : stage + 1;
  }
}

static FCYuNetStatus prepare(FCYuNet *network, uint32_t width, uint32_t height) {
  if (network->width == width && network->height == height) return FCYuNetStatusOk;
  Arena arena = {.memory = NULL};
  lay_out(network, &arena, width, height);
  network->width = network->height = 0;
  if (arena.size > network->capacity) {
    free(network->memory);
    network->memory = aligned_alloc(alignment, arena.size);
    network->capacity = network->memory == NULL ? 0 : arena.size;
    if (network->memory == NULL) return FCYuNetStatusOutOfMemory;
  }
  network->size = arena.size;
  arena = (Arena){.memory = network->memory};
  lay_out(network, &arena, width, height);
  network->width = width;
  network->height = height;
  return FCYuNetStatusOk;
}

size_t fcyunet_memory(const FCYuNet *network) { return sizeof *network + network->capacity; }

// MARK: A look

static void take_row(const FCYuNet *network, FCStage *stage, const int16_t *row);

/// A row of the heads' integers as numbers.
static void say(const FCStage *stage, const int16_t *row, float *values) {
  for (size_t x = 0; x < stage->width; x++, row += FCFewChannels, values += FCFewChannels) {
    for (size_t c = 0; c < FCFewChannels; c++) values[c] = (float)row[c] * stage->unit[c];
  }
}

/// Makes a stage's row `y` of the three rows around it, and hands it on.
static void emit(const FCYuNet *network, FCStage *stage, uint32_t y) {
  const FCPair *pair = &stage->pair;
  const size_t length = (size_t)stage->width * pair->outputs;
  int16_t *out = stage->out + length * (stage->keepsMap ? y : y % 2);
  const int16_t *const rows[3] = {y > 0 ? stage->ring[(y - 1) % 3] : network->zeros, stage->ring[y % 3],
                                  y + 1 < stage->height ? stage->ring[(y + 1) % 3] : network->zeros};
  network->kernels->depthwise(pair, rows, stage->width, stage->isRectified, out);
  if (stage->values != NULL) say(stage, out, stage->values + length * y);
  if (stage->next == NULL) return;
  if (stage->pooled == NULL) {
    take_row(network, stage->next, out);
  } else if (y % 2 == 1) {
    const int16_t *const both[2] = {stage->keepsMap ? out - length : stage->out, out};
    network->kernels->pool(both, stage->width / 2, pair->outputs, stage->pooled);
    take_row(network, stage->next, stage->pooled);
  }
}

static void take_row(const FCYuNet *network, FCStage *stage, const int16_t *row) {
  int16_t *slot = stage->ring[stage->rows % 3] + stage->pair.outputs;
  network->kernels->pointwise(&stage->pair, row, stage->width, slot);
  stage->rows += 1;
  if (stage->rows >= 2) emit(network, stage, stage->rows - 2);
  if (stage->rows == stage->height) emit(network, stage, stage->height - 1);
}

/// A row of the picture behind its pixel of zeros; black beside the picture and below it.
static void fill(const FCYuNet *network, FCYuNetPicture picture, uint32_t y, int16_t *row) {
  const size_t samples = y < picture.height ? 3 * (size_t)picture.width : 0;
  const uint8_t *pixels = picture.pixels + (samples == 0 ? 0 : y * picture.stride);
  row += 3;
  for (size_t i = 0; i < samples; i++) row[i] = pixels[i];
  clear(row + samples, 3 * (size_t)network->width - samples);
}

/// The picture through the backbone.
static void run_backbone(FCYuNet *network, FCYuNetPicture picture) {
  int16_t *above = network->input[0], *here = network->input[1], *below = network->input[2];
  clear(above, 3 * ((size_t)network->width + 1));
  for (uint32_t y = 0; y < network->height; y += 2) {
    fill(network, picture, y, here);
    fill(network, picture, y + 1, below);
    const int16_t *const rows[3] = {above, here, below};
    network->kernels->stem(&network->stem, rows, network->width / 2, network->first);
    take_row(network, &network->stages[0], network->first);
    int16_t *used = above;
    above = below;
    below = used;
  }
}

/// A level: the backbone's map, with the coarser level's added to it, through three pairs.
static void run_level(FCYuNet *network, FCStage *level, const FCStage *map, const FCStage *coarser) {
  const size_t channels = FCManyChannels, length = map->width * channels;
  for (uint32_t y = 0; y < map->height; y++) {
    const int16_t *row = map->out + y * length;
    if (coarser != NULL) {
      const int16_t *half = coarser->out + y / 2 * (length / 2);
      network->kernels->add_doubled(row, half, map->width, network->sum);
      row = network->sum;
    }
    take_row(network, level, row);
  }
}

FCYuNetStatus fcyunet_look(FCYuNet *network, FCYuNetPicture picture) {
  const uint32_t longest = FCYUNET_LONGEST_SIDE;
  if (picture.width == 0 || picture.height == 0 || picture.width > longest || picture.height > longest) {
    return FCYuNetStatusWrongSize;
  }
  const uint32_t cell = FCCoarsestCell;
  const FCYuNetStatus status =
      prepare(network, (picture.width + cell - 1) / cell * cell, (picture.height + cell - 1) / cell * cell);
  if (status != FCYuNetStatusOk) return status;
  FCStage *stages = network->stages;
  for (size_t i = 0; i < FCPairs; i++) stages[i].rows = 0;
  run_backbone(network, picture);
  run_level(network, &stages[level_stage(2)], &stages[FCCoarse], NULL);
  run_level(network, &stages[level_stage(1)], &stages[FCMiddle], &stages[level_stage(2)]);
  run_level(network, &stages[level_stage(0)], &stages[FCFine], &stages[level_stage(1)]);
  return FCYuNetStatusOk;
}

FCYuNetGrid fcyunet_grid(const FCYuNet *network, size_t level) {
  const FCStage *heads = &network->stages[head_stage(level)];
  return (FCYuNetGrid){heads->width, heads->height, heads->values};
}
