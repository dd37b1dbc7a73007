#include "engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Results must not depend on whether the processor fuses multiplication and addition.
#pragma STDC FP_CONTRACT OFF

// MARK: Instruction sets

static const FCKernels *kernels_at(size_t index) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool hasAVX2 = __builtin_cpu_supports("avx2");
  const bool hasAVX512 = hasAVX2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  const bool hasVNNI = hasAVX512 && __builtin_cpu_supports("avx512vnni");
  const FCKernels *const sets[] = {hasVNNI ? &fc_kernels_avx512vnni : NULL, hasAVX512 ? &fc_kernels_avx512 : NULL,
    hasAVX2 ? &fc_kernels_avx2 : NULL, &fc_kernels_sse2};
#else
  const FCKernels *const sets[] = {&fc_kernels_neon};
#endif
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    if (sets[i] != NULL && index-- == 0) return sets[i];
  }
  return NULL;
}

const char *fcnetwork_instruction_set(size_t index) {
  const FCKernels *kernels = kernels_at(index);
  return kernels == NULL ? NULL : kernels->name;
}

// MARK: Numbers

double fc_exponential(double value) {
  const double limited = fmin(fmax(value, -80), 80);
  const double power = floor(limited * 1.4426950408889634 + 0.5);
  const double rest = limited - power * 0.6931471805599453;
  // Taylor's series; the argument is at most 0.35.
  double sum = 1;
  for (int term = 13; term > 0; term--) sum = 1 + sum * rest / term;
  return ldexp(sum, (int)power);
}

static float float_at(const unsigned char *floats, size_t index) {
  float value;
  memcpy(&value, floats + index * sizeof value, sizeof value);
  return value;
}

float fc_unit(const FCStage *stage, size_t channel) { return float_at(stage->units, channel); }

// MARK: Layers

static uint32_t channels_of_input(const FCNetwork *network, const FCLayer *layer) {
  return layer->input == FCNone ? 3 : network->stages[layer->input].channels;
}

/// Returns the next `bytes` bytes of weights; pieces have even length.
static const void *next(const unsigned char **place, size_t bytes) {
  const void *piece = *place;
  *place += bytes;
  return piece;
}

static int32_t next_number(const unsigned char **place) {
  int32_t number;
  memcpy(&number, next(place, sizeof number), sizeof number);
  return number;
}

/// Takes a layer's weights in the order in which `models/sixteen_bits.py` writes them.
static void take_weights(FCNetwork *network, size_t index, const unsigned char **place) {
  const FCLayer *layer = &network->description->layers[index];
  FCStage *stage = &network->stages[index];
  const uint32_t inputs = channels_of_input(network, layer), outputs = layer->channels;
  switch (layer->operation) {
  case FCStem:
  case FCPointwise: {
    const size_t products = layer->operation == FCStem ? 3 * 10 : inputs;
    stage->of.convolution =
      (FCConvolution){.inputs = inputs, .outputs = outputs, .isRectified = layer->activation == FCRectified};
    stage->of.convolution.weights = next(place, products * outputs * sizeof(int16_t));
    stage->of.convolution.bias = next(place, outputs * sizeof(int32_t));
    stage->of.convolution.shift = next_number(place);
    break;
  }
  case FCDepthwiseConvolution:
    stage->of.depthwise = (FCDepthwise){.channels = outputs,
                                        .kernel = layer->kernel,
                                        .stride = layer->stride,
                                        .isRectified = layer->activation == FCRectified,
                                        .addsInput = layer->addsInput};
    stage->of.depthwise.weights =
      next(place, ((size_t)layer->kernel * layer->kernel + (layer->addsInput ? 2 : 1)) * outputs * sizeof(int16_t));
    break;
  case FCGate: {
    const size_t pooled = network->stages[layer->pooled].channels, hidden = layer->hidden;
    const size_t between = hidden > 0 ? hidden : pooled;
    stage->gate =
      next(place, ((hidden > 0 ? (pooled + 1) * hidden : 0) + (between + 1) * outputs + outputs) * sizeof(float));
    break;
  }
  case FCMaxPool:
  case FCAdd:
  case FCAddDoubled:
  case FCEnlarge: break;
  }
  if (layer->activation == FCHardSwished) {
    stage->swish.slopes = next(place, outputs * sizeof(int16_t));
    stage->swish.bits = next_number(place);
  } else if (layer->activation == FCParametric) {
    stage->slopes.whole = next(place, outputs * sizeof(int16_t));
    stage->slopes.halves = next(place, outputs * sizeof(int16_t));
  }
  if (layer->isOutput || stage->isAveraged) stage->units = next(place, outputs * sizeof(float));
}

/// Records each layer's readers, and the rows that it must keep for them; UINT32_MAX means all rows.
static void connect(FCNetwork *network) {
  const FCNetworkDescription *description = network->description;
  FCStage *stages = network->stages;
  for (size_t i = 0; i < description->count; i++) {
    const FCLayer *layer = &description->layers[i];
    stages[i].channels = layer->channels;
    stages[i].kept = layer->isOutput ? UINT32_MAX : 1;
    if (layer->input == FCNone) continue;
    FCStage *input = &stages[layer->input];
    // A layer with two inputs runs when its second input is ready.
    FCStage *teller = layer->other != FCNone ? &stages[layer->other] : input;
    teller->readers[teller->readerCount++] = (int16_t)i;
    uint32_t kept = 1;
    switch (layer->operation) {
    case FCDepthwiseConvolution:
      kept = layer->kernel;
      if (input->padding < layer->kernel / 2) input->padding = layer->kernel / 2;
      break;
    case FCMaxPool:
    case FCEnlarge: kept = 2; break;
    case FCAdd:
    case FCAddDoubled: kept = layer->isNear ? 2 : UINT32_MAX; break;
    case FCGate:
      kept = UINT32_MAX;
      stages[layer->pooled].isAveraged = true;
      if (layer->other != FCNone) {
        stages[layer->other].isAveraged = true;
        stages[layer->other].kept = UINT32_MAX;
      }
      break;
    case FCStem:
    case FCPointwise: break;
    }
    if (input->kept < kept) input->kept = kept;
  }
}

FCNetwork *fc_network_create(const FCNetworkDescription *description, const char *instructionSet) {
  const FCKernels *kernels = kernels_at(0);
  for (size_t i = 0; instructionSet != NULL && kernels != NULL && strcmp(kernels->name, instructionSet) != 0;) {
    kernels = kernels_at(++i);
  }
  if (kernels == NULL) return NULL;
  FCNetwork *network = calloc(1, sizeof *network);
  FCStage *stages = calloc(description->count, sizeof *stages);
  if (network == NULL || stages == NULL) {
    free(network);
    free(stages);
    return NULL;
  }
  *network = (FCNetwork){.kernels = kernels, .description = description, .stages = stages};
  connect(network);
  const unsigned char *place = description->weights;
  for (size_t i = 0; i < description->count; i++) take_weights(network, i, &place);
  network->otherWeights = place;
  return network;
}

void fc_network_destroy(FCNetwork *network) {
  free(network->memory);
  free(network->stages);
  free(network);
}

// MARK: Memory

/// An allocator from one block. Without memory it only counts the bytes needed.
typedef struct Arena {
  unsigned char *memory;
  size_t size;
} Arena;

/// The alignment of pieces in bytes.
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

static void set_size(FCNetwork *network, size_t index) {
  const FCLayer *layer = &network->description->layers[index];
  FCStage *stage = &network->stages[index];
  const FCStage *input = layer->input == FCNone ? NULL : &network->stages[layer->input];
  uint32_t width = input == NULL ? network->width : input->width,
           height = input == NULL ? network->height : input->height;
  switch (layer->operation) {
  case FCStem:
  case FCMaxPool:
    width /= 2;
    height /= 2;
    break;
  case FCDepthwiseConvolution:
    width /= layer->stride;
    height /= layer->stride;
    break;
  case FCEnlarge:
    width *= 2;
    height *= 2;
    break;
  case FCPointwise:
  case FCAdd:
  case FCAddDoubled:
  case FCGate: break;
  }
  stage->width = width;
  stage->height = height;
}

/// Assigns memory to all layers. Sides are at most `longestSide`, so no product overflows 64 bits.
static void lay_out(FCNetwork *network, Arena *arena) {
  size_t widest = 0;
  for (size_t i = 0; i < 3; i++) {
    const size_t samples = ((size_t)network->width + 2) * 3 + 1;
    network->input[i] = take_samples(arena, samples);
    clear(network->input[i], samples);
  }
  uint32_t channels = 0;
  for (size_t i = 0; i < network->description->count; i++) {
    FCStage *stage = &network->stages[i];
    set_size(network, i);
    stage->length = ((size_t)stage->width + 2 * stage->padding) * stage->channels;
    const size_t rows = stage->kept < stage->height ? stage->kept : stage->height;
    stage->memory = take_samples(arena, stage->length * rows);
    // Zeros around rows, and in channels that a pool's input lacks, remain.
    const bool hasZeros = stage->padding > 0 || network->description->layers[i].operation == FCMaxPool;
    if (hasZeros) clear(stage->memory, stage->length * rows);
    stage->sums = stage->isAveraged ? take(arena, stage->channels * sizeof(int32_t)) : NULL;
    if (stage->length > widest) widest = stage->length;
    if (stage->channels > channels) channels = stage->channels;
  }
  network->zeros = take_samples(arena, widest);
  clear(network->zeros, widest);
  network->between = take_samples(arena, widest);
  network->factors = take_samples(arena, channels);
}

static FCStatus prepare(FCNetwork *network, uint32_t width, uint32_t height) {
  if (network->width == width && network->height == height) return FCStatusOk;
  network->width = width;
  network->height = height;
  Arena arena = {.memory = NULL};
  lay_out(network, &arena);
  if (arena.size > network->capacity) {
    free(network->memory);
    network->memory = aligned_alloc(alignment, arena.size);
    network->capacity = network->memory == NULL ? 0 : arena.size;
    if (network->memory == NULL) {
      network->width = network->height = 0;
      return FCStatusOutOfMemory;
    }
  }
  arena = (Arena){.memory = network->memory};
  lay_out(network, &arena);
  return FCStatusOk;
}

size_t fc_network_memory(const FCNetwork *network) {
  return sizeof *network + network->description->count * sizeof(FCStage) + network->capacity;
}

// MARK: A run

static void read_row(FCNetwork *network, size_t index, uint32_t y);

/// Returns the address of the layer's next row.
static int16_t *next_row(FCStage *stage) {
  return stage->memory + (stage->rows % stage->kept) * stage->length + stage->padding * stage->channels;
}

/// Passes the layer's new row on to its readers.
static void emit(FCNetwork *network, size_t index) {
  const FCKernels *kernels = network->kernels;
  FCStage *stage = &network->stages[index];
  int16_t *row = next_row(stage);
  if (network->description->layers[index].activation == FCHardSwished) {
    kernels->hard_swish(&stage->swish, stage->width, stage->channels, row);
  } else if (network->description->layers[index].activation == FCParametric) {
    kernels->parametric(&stage->slopes, stage->width, stage->channels, row);
  }
  if (stage->isAveraged) kernels->sum(row, stage->width, stage->channels, stage->sums);
  stage->rows += 1;
  for (uint32_t i = 0; i < stage->readerCount; i++) read_row(network, (size_t)stage->readers[i], stage->rows - 1);
}

/// Computes every row of a depthwise convolution whose input rows, up to `y`, are ready.
static void convolve(FCNetwork *network, size_t index, const FCStage *input, uint32_t y) {
  const FCLayer *layer = &network->description->layers[index];
  FCStage *stage = &network->stages[index];
  const uint32_t kernel = layer->kernel, stride = layer->stride;
  // With a stride of 2, an even side has one pixel less of padding before it than after it.
  const uint32_t before = (kernel - stride) / 2;
  while (stage->rows < stage->height && (stage->rows * stride + kernel - 1 - before <= y || y + 1 == input->height)) {
    const int16_t *rows[5] = {NULL};
    for (uint32_t r = 0; r < kernel; r++) {
      const uint32_t place = stage->rows * stride + r;
      const bool isInside = place >= before && place - before < input->height;
      rows[r] = isInside ? fc_row(input, place - before) - before * input->channels : network->zeros;
    }
    network->kernels->depthwise(&stage->of.depthwise, rows, stage->width, next_row(stage));
    emit(network, index);
  }
}

static void enlarge(FCNetwork *network, size_t index, const FCStage *input, uint32_t y) {
  FCStage *stage = &network->stages[index];
  const uint32_t above = y > 0 ? y - 1 : 0;
  // Writes two rows between each two input rows, and one at either end.
  for (uint32_t made = 0; made < 2; made++) {
    if (y == 0 && made == 0) continue;
    const int16_t *near = fc_row(input, made == 0 ? above : y), *far = fc_row(input, made == 0 ? y : above);
    network->kernels->enlarge(near, far, input->width, input->channels, network->between, next_row(stage));
    emit(network, index);
  }
  if (y + 1 < input->height) return;
  const int16_t *last = fc_row(input, y);
  network->kernels->enlarge(last, last, input->width, input->channels, network->between, next_row(stage));
  emit(network, index);
}

enum { FCMostChannels = 128 };

/// Adds the averages of a map's channels, as floats, to `averages`.
static void add_averages(const FCStage *stage, float *averages) {
  const float pixels = (float)stage->width * (float)stage->height;
  for (size_t c = 0; c < stage->channels; c++) averages[c] += (float)stage->sums[c] / pixels * fc_unit(stage, c);
}

/// Computes a fully connected layer, and returns the weights after its own.
static const unsigned char *connected(
  const unsigned char *weights, const float *in, size_t inputs, float *out, size_t outputs) {
  for (size_t o = 0; o < outputs; o++) {
    float sum = float_at(weights, outputs * inputs + o);
    for (size_t i = 0; i < inputs; i++) sum += in[i] * float_at(weights, o * inputs + i);
    out[o] = sum;
  }
  return weights + outputs * (inputs + 1) * sizeof(float);
}

const unsigned char *fc_connected(const FCStage *map, const unsigned char *weights, float *out, size_t outputs) {
  const size_t inputs = map->length * map->height;
  const unsigned char *factors = weights + outputs * inputs * sizeof(int16_t);
  for (size_t o = 0; o < outputs; o++) {
    int64_t sum = 0;
    for (size_t i = 0; i < inputs; i++) {
      int16_t weight;
      memcpy(&weight, weights + (o * inputs + i) * sizeof weight, sizeof weight);
      sum += weight * map->memory[i];
    }
    out[o] = (float)sum * float_at(factors, o) + float_at(factors, outputs + o);
  }
  return factors + 2 * outputs * sizeof(float);
}

/// Computes all rows of a gate, whose inputs are complete.
static void gate(FCNetwork *network, size_t index) {
  const FCLayer *layer = &network->description->layers[index];
  FCStage *stage = &network->stages[index];
  const FCStage *input = &network->stages[layer->input], *pooled = &network->stages[layer->pooled];
  const FCStage *other = layer->other == FCNone ? NULL : &network->stages[layer->other];
  float averages[FCMostChannels] = {0}, between[FCMostChannels], factors[FCMostChannels];
  add_averages(pooled, averages);
  if (other != NULL) add_averages(other, averages);
  const unsigned char *weights = stage->gate;
  const float *in = averages;
  size_t inputs = pooled->channels;
  if (layer->hidden > 0) {
    weights = connected(weights, averages, inputs, between, layer->hidden);
    for (size_t i = 0; i < layer->hidden; i++) between[i] = fmaxf(between[i], 0);
    in = between;
    inputs = layer->hidden;
  }
  weights = connected(weights, in, inputs, factors, stage->channels);
  for (size_t c = 0; c < stage->channels; c++) {
    const double factor = (double)float_at(weights, c) / (1 + fc_exponential(-(double)factors[c]));
    network->factors[c] = (int16_t)fmin(factor + 0.5, INT16_MAX);
  }
  for (uint32_t y = 0; y < stage->height; y++) {
    network->kernels->gate(fc_row(input, y), network->factors, other == NULL ? NULL : fc_row(other, y), stage->width,
      stage->channels, next_row(stage));
    emit(network, index);
  }
}

/// Pools two rows, whose channels may be fewer than the result's.
static void pool(const FCNetwork *network, FCStage *stage, const int16_t *const rows[2], uint32_t channels) {
  int16_t *row = next_row(stage);
  if (channels == stage->channels) {
    network->kernels->pool(rows, stage->width, channels, row);
    return;
  }
  network->kernels->pool(rows, stage->width, channels, network->between);
  for (size_t x = 0; x < stage->width; x++) {
    memcpy(row + x * stage->channels, network->between + x * channels, channels * sizeof *row);
  }
}

/// Feeds row `y` of an input to layer `index`.
static void read_row(FCNetwork *network, size_t index, uint32_t y) {
  const FCKernels *kernels = network->kernels;
  const FCLayer *layer = &network->description->layers[index];
  FCStage *stage = &network->stages[index];
  const FCStage *input = &network->stages[layer->input];
  switch (layer->operation) {
  case FCStem: return;
  case FCPointwise:
    kernels->pointwise(&stage->of.convolution, fc_row(input, y), stage->width, next_row(stage));
    emit(network, index);
    return;
  case FCDepthwiseConvolution: convolve(network, index, input, y); return;
  case FCMaxPool:
    if (y % 2 == 1) {
      const int16_t *const rows[2] = {fc_row(input, y - 1), fc_row(input, y)};
      pool(network, stage, rows, input->channels);
      emit(network, index);
    }
    return;
  case FCAdd:
  case FCAddDoubled: {
    const FCStage *other = &network->stages[layer->other];
    const bool isHalf = layer->operation == FCAddDoubled;
    for (uint32_t end = isHalf ? 2 * y + 2 : y + 1; stage->rows < end;) {
      kernels->add(
        fc_row(input, stage->rows), fc_row(other, y), stage->width, stage->channels, isHalf, next_row(stage));
      emit(network, index);
    }
    return;
  }
  case FCGate: {
    const FCStage *last = layer->other == FCNone ? input : &network->stages[layer->other];
    if (y + 1 == last->height) gate(network, index);
    return;
  }
  case FCEnlarge: enlarge(network, index, input, y); return;
  }
}

/// Copies a row of the image after its padding; black beside and below the image.
static void fill(const FCNetwork *network, FCNetworkImage image, uint32_t y, int16_t *row) {
  const size_t samples = y < image.height ? 3 * (size_t)image.width : 0;
  const uint8_t *pixels = image.pixels + (samples == 0 ? 0 : y * image.stride);
  row += (size_t)3 * network->description->stemPadding;
  for (size_t i = 0; i < samples; i++) row[i] = pixels[i];
  clear(row + samples, 3 * (size_t)network->width - samples);
}

FCStatus fc_network_run(FCNetwork *network, FCNetworkImage image) {
  const FCNetworkDescription *description = network->description;
  const uint32_t longest = description->longestSide, cell = description->cell;
  if (image.width == 0 || image.height == 0 || image.width > longest || image.height > longest) {
    return FCStatusMisuse;
  }
  const FCStatus status =
    prepare(network, (image.width + cell - 1) / cell * cell, (image.height + cell - 1) / cell * cell);
  if (status != FCStatusOk) return status;
  for (size_t i = 0; i < description->count; i++) {
    FCStage *stage = &network->stages[i];
    stage->rows = 0;
    if (stage->sums != NULL) memset(stage->sums, 0, stage->channels * sizeof *stage->sums);
  }
  FCStage *stem = &network->stages[0];
  // The last row of a window is the first row of the next.
  const uint32_t before = description->stemPadding;
  int16_t *const *input = network->input;
  clear(input[0], 3 * ((size_t)network->width + 2));
  if (before == 0) fill(network, image, 0, input[0]);
  for (uint32_t y = 0; y < stem->height; y++) {
    for (uint32_t r = 1; r < 3; r++) fill(network, image, 2 * y + r - before, input[(2 * y + r) % 3]);
    const int16_t *const rows[3] = {input[2 * y % 3], input[(2 * y + 1) % 3], input[(2 * y + 2) % 3]};
    network->kernels->stem(&stem->of.convolution, rows, stem->width, next_row(stem));
    emit(network, 0);
  }
  return FCStatusOk;
}
