#include "CJXLFixtures.h"

#include <jxl/encode.h>
#include <jxl/version.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool set_colors(JxlEncoder *encoder, int channels, const fj_encoding *encoding) {
  if (encoding->profileCount > 0) {
    return JxlEncoderSetICCProfile(encoder, encoding->profile, encoding->profileCount) == JXL_ENC_SUCCESS;
  }
  JxlColorEncoding colors;
  JxlColorEncodingSetToSRGB(&colors, channels < 3 ? JXL_TRUE : JXL_FALSE);
  if (encoding->primaries != 0) colors.primaries = (JxlPrimaries)encoding->primaries;
  if (encoding->transfer != 0) colors.transfer_function = (JxlTransferFunction)encoding->transfer;
  return JxlEncoderSetColorEncoding(encoder, &colors) == JXL_ENC_SUCCESS;
}

static bool describe(JxlEncoder *encoder, size_t width, size_t height, int channels, const fj_encoding *encoding) {
  JxlBasicInfo info;
  JxlEncoderInitBasicInfo(&info);
  info.xsize = (uint32_t)width;
  info.ysize = (uint32_t)height;
  info.bits_per_sample = (uint32_t)encoding->bits;
  info.orientation = (JxlOrientation)encoding->orientation;
  info.num_color_channels = channels < 3 ? 1 : 3;
  const bool hasAlpha = channels % 2 == 0;
  info.num_extra_channels = (hasAlpha ? 1 : 0) + (encoding->black ? 1 : 0);
  info.alpha_bits = hasAlpha ? (uint32_t)encoding->bits : 0;
  info.uses_original_profile = encoding->distance == 0;
  if (encoding->frames > 1) {
    info.have_animation = JXL_TRUE;
    info.animation.tps_numerator = 10;
    info.animation.tps_denominator = 1;
    info.animation.num_loops = (uint32_t)encoding->plays;
  }
  if (JxlEncoderSetBasicInfo(encoder, &info) != JXL_ENC_SUCCESS) return false;
  if (encoding->black) {
    JxlExtraChannelInfo channel;
    JxlEncoderInitExtraChannelInfo(JXL_CHANNEL_BLACK, &channel);
    channel.bits_per_sample = (uint32_t)encoding->bits;
    if (JxlEncoderSetExtraChannelInfo(encoder, hasAlpha ? 1 : 0, &channel) != JXL_ENC_SUCCESS) return false;
  }
  return set_colors(encoder, channels, encoding);
}

/// Says that a frame is a layer, which stays in memory for the layers on it. libjxl keeps up to four.
static bool describe_layer(JxlEncoderFrameSettings *settings, int layer, size_t width, size_t height, bool hasAlpha,
                           const fj_encoding *encoding) {
  const bool isLast = layer == encoding->layers - 1;
  const size_t scale = isLast ? 1 : (size_t)encoding->layerScale;
  JxlFrameHeader header;
  JxlEncoderInitFrameHeader(&header);
  header.layer_info.have_crop = scale > 1 ? JXL_TRUE : JXL_FALSE;
  header.layer_info.xsize = (uint32_t)(width * scale);
  header.layer_info.ysize = (uint32_t)(height * scale);
  header.layer_info.save_as_reference = (uint32_t)(layer % 4);
  header.layer_info.blend_info.blendmode = layer > 0 && hasAlpha ? JXL_BLEND_BLEND : JXL_BLEND_REPLACE;
  header.layer_info.blend_info.source = (uint32_t)((layer + 3) % 4);
  if (JxlEncoderSetFrameHeader(settings, &header) != JXL_ENC_SUCCESS) return false;
  return !hasAlpha ||
         JxlEncoderSetExtraChannelBlendInfo(settings, 0, &header.layer_info.blend_info) == JXL_ENC_SUCCESS;
}

static bool add_layers(JxlEncoder *encoder, const uint8_t *samples, size_t width, size_t height, int channels,
                       const fj_encoding *encoding) {
  const JxlPixelFormat format = {(uint32_t)channels, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
  JxlEncoderFrameSettings *settings = JxlEncoderFrameSettingsCreate(encoder, NULL);
  const size_t bytes = width * height * (size_t)channels;
  const size_t most = bytes * (size_t)(encoding->layerScale * encoding->layerScale);
  uint8_t *large = malloc(most);
  bool isGood = settings != NULL && large != NULL && JxlEncoderSetFrameLossless(settings, JXL_TRUE) == JXL_ENC_SUCCESS;
  for (size_t i = 0; isGood && i < most; i++) large[i] = samples[i % bytes];
  for (int i = 0; i < encoding->layers && isGood; i++) {
    const size_t count = i == encoding->layers - 1 ? bytes : most;
    isGood = describe_layer(settings, i, width, height, channels % 2 == 0, encoding) &&
             JxlEncoderAddImageFrame(settings, &format, large, count) == JXL_ENC_SUCCESS;
  }
  free(large);
  return isGood;
}

bool fj_counts_memory(void) { return JPEGXL_NUMERIC_VERSION >= JPEGXL_COMPUTE_NUMERIC_VERSION(0, 11, 0); }

/// Says how long a frame shows, and which frame it is blended over.
static bool describe_frame(JxlEncoderFrameSettings *settings, int index, bool hasAlpha, const fj_encoding *encoding) {
  JxlFrameHeader header;
  JxlEncoderInitFrameHeader(&header);
  header.duration = (uint32_t)index + 1;
  if (encoding->blends && hasAlpha) {
    header.layer_info.save_as_reference = (uint32_t)(index % 3) + 1;
    header.layer_info.blend_info.blendmode = index > 0 ? JXL_BLEND_BLEND : JXL_BLEND_REPLACE;
    header.layer_info.blend_info.source = (uint32_t)((index + 2) % 3) + 1;
  }
  if (JxlEncoderSetFrameHeader(settings, &header) != JXL_ENC_SUCCESS) return false;
  return !hasAlpha ||
         JxlEncoderSetExtraChannelBlendInfo(settings, 0, &header.layer_info.blend_info) == JXL_ENC_SUCCESS;
}

static bool add_frames(JxlEncoder *encoder, const uint8_t *samples, size_t bytes, size_t area, int channels,
                       const fj_encoding *encoding) {
  const JxlPixelFormat format = {(uint32_t)channels, encoding->bits == 16 ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8,
                                 JXL_NATIVE_ENDIAN, 0};
  JxlEncoderFrameSettings *settings = JxlEncoderFrameSettingsCreate(encoder, NULL);
  if (settings == NULL) return false;
  bool isGood = encoding->distance == 0
                  ? JxlEncoderSetFrameLossless(settings, JXL_TRUE) == JXL_ENC_SUCCESS
                  : JxlEncoderSetFrameDistance(settings, encoding->distance) == JXL_ENC_SUCCESS;
  isGood = isGood && JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, 3) == JXL_ENC_SUCCESS;
  if (encoding->responsive) {
    isGood =
      isGood && JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_RESPONSIVE, 1) == JXL_ENC_SUCCESS;
  }
  for (int i = 0; i < encoding->frames && isGood; i++) {
    if (encoding->frames > 1) isGood = describe_frame(settings, i, channels % 2 == 0, encoding);
    const uint8_t *own = samples + bytes * (size_t)i;
    isGood = isGood && JxlEncoderAddImageFrame(settings, &format, own, bytes) == JXL_ENC_SUCCESS;
    if (encoding->black) {
      uint8_t *ink = calloc(area, encoding->bits == 16 ? 2 : 1);
      JxlPixelFormat one = format;
      one.num_channels = 1;
      isGood = isGood && ink != NULL &&
               JxlEncoderSetExtraChannelBuffer(settings, &one, ink, area * (encoding->bits == 16 ? 2 : 1),
                                               channels % 2 == 0 ? 1 : 0) == JXL_ENC_SUCCESS;
      free(ink);
    }
  }
  return isGood;
}

static bool add_boxes(JxlEncoder *encoder, const fj_encoding *encoding) {
  if (!encoding->container) return true;
  if (JxlEncoderUseContainer(encoder, JXL_TRUE) != JXL_ENC_SUCCESS || JxlEncoderUseBoxes(encoder) != JXL_ENC_SUCCESS) {
    return false;
  }
  const JXL_BOOL compresses = encoding->compressesBoxes ? JXL_TRUE : JXL_FALSE;
  return (encoding->exifCount == 0 ||
          JxlEncoderAddBox(encoder, "Exif", encoding->exif, encoding->exifCount, compresses) == JXL_ENC_SUCCESS) &&
         (encoding->xmpCount == 0 ||
          JxlEncoderAddBox(encoder, "xml ", encoding->xmp, encoding->xmpCount, compresses) == JXL_ENC_SUCCESS);
}

static uint8_t *written(JxlEncoder *encoder, size_t *count) {
  size_t capacity = 1 << 16;
  uint8_t *bytes = malloc(capacity);
  if (bytes == NULL) return NULL;
  uint8_t *next = bytes;
  for (;;) {
    size_t left = capacity - (size_t)(next - bytes);
    const JxlEncoderStatus status = JxlEncoderProcessOutput(encoder, &next, &left);
    const size_t used = (size_t)(next - bytes);
    if (status == JXL_ENC_SUCCESS) {
      *count = used;
      return bytes;
    }
    uint8_t *moved = status == JXL_ENC_NEED_MORE_OUTPUT ? realloc(bytes, capacity *= 2) : NULL;
    if (moved == NULL) {
      free(bytes);
      return NULL;
    }
    bytes = moved;
    next = bytes + used;
  }
}

uint8_t *fj_encode(
  const uint8_t *samples, size_t width, size_t height, int channels, fj_encoding encoding, size_t *count) {
  const size_t area = width * height, size = encoding.bits == 16 ? 2 : 1;
  const size_t one = area * (size_t)channels, all = one * (size_t)(encoding.frames > 1 ? encoding.frames : 1);
  uint16_t *wide = NULL;
  if (encoding.bits == 16) {
    wide = malloc(all * 2);
    if (wide == NULL) return NULL;
    for (size_t i = 0; i < all; i++) wide[i] = (uint16_t)(samples[i] * 257);
  }
  JxlEncoder *encoder = JxlEncoderCreate(NULL);
  uint8_t *bytes = NULL;
  if (encoder != NULL && describe(encoder, width, height, channels, &encoding) && add_boxes(encoder, &encoding) &&
      (encoding.layers > 1
         ? add_layers(encoder, samples, width, height, channels, &encoding)
         : add_frames(encoder, wide ? (const uint8_t *)wide : samples, one * size, area, channels, &encoding))) {
    JxlEncoderCloseInput(encoder);
    bytes = written(encoder, count);
  }
  if (encoder != NULL) JxlEncoderDestroy(encoder);
  free(wide);
  return bytes;
}

void fj_free(void *memory) { free(memory); }
