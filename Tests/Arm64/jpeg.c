/// Decodes JPEG files in both ways: compares each region from the index with libjpeg's, like the fuzzer. Prints
/// checksums of whole images, to compare them with another processor's.
#include "../Fuzz/index_differential.c"

#include <inttypes.h>

/// Computes FNV-1a (Fowler, Noll, Vo; RFC 9923).
static uint64_t checksum(const uint8_t *bytes, size_t count) {
  uint64_t sum = 14695981039346656037u;
  for (size_t i = 0; i < count; i++) sum = (sum ^ bytes[i]) * 1099511628211u;
  return sum;
}

static size_t read_file(const char *path, uint8_t *bytes, size_t capacity) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) abort();
  const size_t count = fread(bytes, 1, capacity, file);
  fclose(file);
  return count;
}

/// Prints the index's planes if it finds no fault in the file.
static void print_index(FCJPEGSource source, const char *name) {
  FCJPEGIndex *index = fcjpeg_index_create(source);
  if (index == NULL) abort();
  if (fcjpeg_index_start(index, 2, false) == FCStatusOk &&
      fcjpeg_index_scan(index, fcjpeg_index_grid(index).rows) == FCStatusOk) {
    const FCJPEGGrid grid = fcjpeg_index_grid(index);
    for (uint32_t c = 0; c < fcjpeg_index_overview_planes(index); c++) {
      const FCJPEGPlane plane = fcjpeg_index_plane(index, c);
      uint8_t *row = malloc(plane.width);
      uint64_t sum = 0;
      for (uint32_t y = 0; y < plane.height; y++) {
        if (fcjpeg_index_read_overview(index, c, y, row, plane.width) != FCStatusOk) abort();
        sum = sum * 31 + checksum(row, plane.width);
      }
      free(row);
      printf("%s plane %u %ux%u %016" PRIx64 "\n", name, c, plane.width, plane.height, sum);
    }
    const uint32_t width = grid.columns * grid.mcuWidth / 2;
    const uint32_t height = grid.rows * grid.mcuHeight / 2;
    for (int32_t scale = 1; scale <= 8 && width > 16 && height > 16; scale++) {
      const FCJPEGRegion region = {
        scale, FCColorRGB, 3, 5, width * (uint32_t)scale / 8 - 2, height * (uint32_t)scale / 8 - 2};
      uint8_t *pixels = decode(source, region, last_row(index));
      if (pixels == NULL) continue;
      printf("%s scale %d %016" PRIx64 "\n", name, scale, checksum(pixels, (size_t)region.width * region.height * 3));
      free(pixels);
    }
  }
  fcjpeg_index_destroy(index);
}

int main(int count, char **paths) {
  static uint8_t bytes[1 << 20];
  uint32_t seed = 1;
  FCCancellation *never = fc_cancellation_create();
  for (int i = 1; i < count; i++) {
    const size_t size = read_file(paths[i], bytes, sizeof bytes - 5);
    print_index((FCJPEGSource){bytes, size, false, 20, 1 << 20, never}, paths[i]);
    for (int round = 0; round < 6; round++) {
      for (size_t place = 0; place < 5; place++) {
        bytes[size + place] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
      }
      LLVMFuzzerTestOneInput(bytes, size + 5);
    }
  }
  fc_cancellation_destroy(never);
  return 0;
}
