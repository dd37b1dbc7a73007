/// Writes small JPEG files of many kinds into the folder named by the first argument, to fuzz from.
#include "CJPEGFixtures.h"

#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments) {
  if (count != 2) return 64;
  static const uint8_t samplings[][2] = {{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {4, 2}, {2, 4}};
  static const fx_color colors[] = {FX_COLOR_YCBCR, FX_COLOR_GRAY, FX_COLOR_RGB, FX_COLOR_CMYK, FX_COLOR_YCCK};
  int number = 0;
  for (size_t color = 0; color < sizeof colors / sizeof *colors; color++) {
    for (size_t sampling = 0; sampling < sizeof samplings / sizeof *samplings; sampling++) {
      for (unsigned restart = 0; restart < 3; restart++) {
        const uint32_t width = 40 + 9 * (uint32_t)sampling, height = 25 + 11 * restart;
        const int channels = colors[color] == FX_COLOR_GRAY ? 1 : colors[color] < FX_COLOR_CMYK ? 3 : 4;
        const size_t samples = (size_t)width * height * (size_t)channels;
        uint8_t *pixels = malloc(samples);
        if (pixels == NULL) return 1;
        fx_fill_pattern(pixels, width, height, (size_t)channels, (uint64_t)number);
        fx_encode_options options = {.quality = 30 + 10 * (int)sampling, .color = colors[color]};
        options.horizontal[0] = samplings[sampling][0];
        options.vertical[0] = samplings[sampling][1];
        options.restart_interval = restart;
        options.optimized_huffman = number % 2 == 1;
        uint8_t *jpeg;
        size_t bytes;
        char message[FX_MESSAGE_SIZE];
        if (fx_encode(pixels, samples, width, height, channels, &options, &jpeg, &bytes, message)) {
          char path[4096];
          snprintf(path, sizeof path, "%s/%03d.jpg", arguments[1], number);
          FILE *file = fopen(path, "wb");
          // The bytes behind the file choose the rectangle.
          if (file == NULL || fwrite(jpeg, 1, bytes, file) != bytes || fwrite("\x40\x40\x90\x90", 1, 5, file) != 5) return 1;
          fclose(file);
          fx_free(jpeg);
        }
        free(pixels);
        number++;
      }
    }
  }
  return 0;
}
