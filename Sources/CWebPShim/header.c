/// Reads the header with libwebp's demultiplexer.
#include "decoder.h"

#include <errno.h>
#include <string.h>

/// Counts the chunks, also inside frames, before libwebp lists them. Returns false for too many, or if cancelled.
static bool has_few_chunks(const FCWebPSource *source) {
  uint32_t chunks = 0;
  size_t position = 12;
  // Bytes past the end that the file declares are no chunks.
  const uint8_t *head = source->bytes;
  const uint64_t own =
    8 + ((uint64_t)head[4] | (uint64_t)head[5] << 8 | (uint64_t)head[6] << 16 | (uint64_t)head[7] << 24);
  const size_t count = own < source->count ? (own < position ? position : (size_t)own) : source->count;
  while (count - position >= 8) {
    const uint8_t *bytes = source->bytes + position;
    const uint32_t length =
      (uint32_t)bytes[4] | (uint32_t)bytes[5] << 8 | (uint32_t)bytes[6] << 16 | (uint32_t)bytes[7] << 24;
    if (++chunks > source->maximumChunks || fc_cancellation_step(source->cancellation, 1)) return false;
    // The chunks of a frame follow its own 16 bytes.
    const uint64_t payload = memcmp(bytes, "ANMF", 4) == 0 ? 16 : (uint64_t)length + length % 2;
    if (payload > count - position - 8) break;
    position += 8 + (size_t)payload;
  }
  return true;
}

/// Finds a chunk in the source's bytes, which outlive the demultiplexer.
static FCBytes find_chunk(const WebPDemuxer *demuxer, const char name[4]) {
  WebPChunkIterator iterator;
  if (!WebPDemuxGetChunk(demuxer, name, 1, &iterator)) return (FCBytes){0};
  const FCBytes chunk = {iterator.chunk.bytes, iterator.chunk.size};
  WebPDemuxReleaseChunkIterator(&iterator);
  return chunk;
}

/// Reads a frame, and what the file says about it if `info` is not NULL.
static FCStatus read_frame(FCWebPDecoder *decoder, const WebPDemuxer *demuxer, uint32_t index, FCWebPFrame *info) {
  FCWebPHeader *header = &decoder->header;
  WebPIterator frame;
  if (!WebPDemuxGetFrame(demuxer, (int)index + 1, &frame)) {
    return fc_refuse(&decoder->message, FCStatusTruncated, "the file ends before the pixels");
  }
  header->frame = (FCBytes){frame.fragment.bytes, frame.fragment.size};
  header->frameX = (uint32_t)frame.x_offset;
  header->frameY = (uint32_t)frame.y_offset;
  if (info != NULL) {
    info->milliseconds = (uint32_t)frame.duration;
    info->isBlended = frame.blend_method == WEBP_MUX_BLEND;
    info->isCleared = frame.dispose_method == WEBP_MUX_DISPOSE_BACKGROUND;
  }
  WebPDemuxReleaseIterator(&frame);

  WebPBitstreamFeatures features;
  switch (WebPGetFeatures(header->frame.bytes, header->frame.count, &features)) {
    case VP8_STATUS_OK:
      break;
    case VP8_STATUS_NOT_ENOUGH_DATA:
      return fc_refuse(&decoder->message, FCStatusTruncated, "the file ends before the pixels");
    default:
      return fc_refuse(&decoder->message, FCStatusCorrupt, "the frame's header is damaged");
  }
  header->frameWidth = (uint32_t)features.width;
  header->frameHeight = (uint32_t)features.height;
  header->compression = features.format == 2 ? FCWebPCompressionLossless : FCWebPCompressionLossy;
  decoder->frameHasAlpha = features.has_alpha != 0;
  if (features.width < 1 || features.height < 1 ||
      (uint64_t)header->frameX + header->frameWidth > header->width ||
      (uint64_t)header->frameY + header->frameHeight > header->height) {
    return fc_refuse(&decoder->message, FCStatusCorrupt, "the frame lies outside its canvas");
  }
  header->hasTransparency =
    decoder->frameHasAlpha || header->frameWidth < header->width || header->frameHeight < header->height;
  return FCStatusOk;
}

static FCStatus parse(FCWebPDecoder *decoder) {
  const FCWebPSource *source = &decoder->source;
  const size_t head = source->count < 4 ? source->count : 4;
  if (memcmp(source->bytes, "RIFF", head) != 0 ||
      (source->count >= 12 && memcmp(source->bytes + 8, "WEBP", 4) != 0)) {
    return fc_refuse(&decoder->message, FCStatusCorrupt, "the file is not WebP");
  }
  if (source->count < 12) {
    return fc_refuse(&decoder->message, FCStatusTruncated, "the file ends before the pixels");
  }
  if (!has_few_chunks(source)) {
    if (fc_cancellation_is_cancelled(source->cancellation)) {
      return fc_refuse(&decoder->message, FCStatusCancelled, "cancelled");
    }
    return fc_refuse(&decoder->message, FCStatusTooLarge, "the file has more chunks than allowed");
  }

  const WebPData data = {source->bytes, source->count};
  WebPDemuxState state;
  // libwebp reports a lack of memory as damage, so `errno` tells them apart.
  errno = 0;
  WebPDemuxer *demuxer = WebPDemuxPartial(&data, &state);
  if (demuxer == NULL && errno == ENOMEM) {
    return fc_refuse(&decoder->message, FCStatusOutOfMemory, "no memory for the header");
  }
  if (demuxer == NULL) {
    return state == WEBP_DEMUX_PARSE_ERROR
             ? fc_refuse(&decoder->message, FCStatusCorrupt, "the file's chunks are damaged")
             : fc_refuse(&decoder->message, FCStatusTruncated, "the file ends before the pixels");
  }
  FCWebPHeader *header = &decoder->header;
  *header = (FCWebPHeader){0};
  FCStatus status = FCStatusTruncated;
  if (state > WEBP_DEMUX_PARSING_HEADER) {
    header->width = WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_WIDTH);
    header->height = WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_HEIGHT);
    const uint32_t flags = WebPDemuxGetI(demuxer, WEBP_FF_FORMAT_FLAGS);
    header->frameCount = WebPDemuxGetI(demuxer, WEBP_FF_FRAME_COUNT);
    header->loopCount = WebPDemuxGetI(demuxer, WEBP_FF_LOOP_COUNT);
    header->isAnimated = (flags & ANIMATION_FLAG) != 0;
    header->isComplete = state == WEBP_DEMUX_DONE;
    header->profile = find_chunk(demuxer, "ICCP");
    header->exif = find_chunk(demuxer, "EXIF");
    header->xmp = find_chunk(demuxer, "XMP ");
    // Some writers add JPEG's prefix here too.
    if (header->exif.count >= 6 && memcmp(header->exif.bytes, "Exif\0\0", 6) == 0) {
      header->exif = (FCBytes){header->exif.bytes + 6, header->exif.count - 6};
    }
    status = read_frame(decoder, demuxer, 0, NULL);
  } else {
    (void)fc_refuse(&decoder->message, status, "the file ends before the pixels");
  }
  WebPDemuxDelete(demuxer);
  return status;
}

FCStatus fcwebp_decoder_read_header(FCWebPDecoder *decoder, FCWebPHeader *header) {
  *header = (FCWebPHeader){0};
  if (!decoder->hasHeader) {
    const FCStatus status = parse(decoder);
    if (status != FCStatusOk) return status;
    decoder->hasHeader = true;
  }
  *header = decoder->header;
  return FCStatusOk;
}

FCStatus fcwebp_decoder_select_frame(FCWebPDecoder *decoder, uint32_t index, FCWebPFrame *frame) {
  FCWebPHeader header;
  *frame = (FCWebPFrame){0};
  if (decoder->isRunning) return fc_refuse(&decoder->message, FCStatusMisuse, "a region is being decoded");
  FCStatus status = fcwebp_decoder_read_header(decoder, &header);
  if (status != FCStatusOk) return status;
  if (index >= header.frameCount) {
    return fc_refuse(&decoder->message, FCStatusMisuse, "the animation has fewer frames");
  }
  if (decoder->frames == NULL) {
    const WebPData data = {decoder->source.bytes, decoder->source.count};
    WebPDemuxState state;
    decoder->frames = WebPDemuxPartial(&data, &state);
    if (decoder->frames == NULL) {
      return fc_refuse(&decoder->message, FCStatusOutOfMemory, "no memory for the frames");
    }
  }
  status = read_frame(decoder, decoder->frames, index, frame);
  frame->x = decoder->header.frameX;
  frame->y = decoder->header.frameY;
  frame->width = decoder->header.frameWidth;
  frame->height = decoder->header.frameHeight;
  return status;
}
