/// Files of several scans (progressive, or sequential and not interleaved), with one entropy decode for both phases.
///
/// In libjpeg's buffered-image mode, the coefficients of all scans collect in memory. The overview is computed as soon
/// as they suffice: a progressive file's first scan holds the DC coefficients, which are the image at 1/8. The same
/// decompressor then decodes the regions.
#include "index/basis.h"
#include "index/packed.h"
#include "libjpeg/decoder.h"
#include "progressive/progressive.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/// The basis that draws the blocks of a component in overviews of two or four pixels a side.
struct FCOverviewBasis {
  /// The table and scale that it was made for.
  const JQUANT_TBL *table;
  int scale;
  FCBasisImages images;
  /// For each coefficient of a block, its index in zigzag order.
  uint8_t places[DCTSIZE2];
};

typedef struct {
  FCJPEGDecoder *decoder;
  bool byLibjpeg;
} StartRequest;

static void start_scans(void *context) {
  const StartRequest *request = context;
  FCJPEGDecoder *decoder = request->decoder;
  j_decompress_ptr cinfo = &decoder->cinfo;
  decoder->bases = fc_allocated(&decoder->seam, calloc(3, sizeof *decoder->bases));
  fc_open(decoder, decoder->region.color);
  cinfo->scale_num = (unsigned)decoder->region.scale;
  cinfo->buffered_image = TRUE;
  jpeg_start_decompress(cinfo);
  // In this mode the call reads nothing and only returns the arrays.
  decoder->coefficients = jpeg_read_coefficients(cinfo);
  if (!request->byLibjpeg) fc_progressive_begin(decoder);
}

FCStatus fcjpeg_decoder_start_scans(FCJPEGDecoder *decoder, int32_t scale, FCColor color, bool byLibjpeg) {
  if (decoder->stage != FCStageNew || scale < 1 || scale > DCTSIZE) return FCStatusMisuse;
  decoder->region.scale = scale;
  decoder->region.color = color;
  decoder->stage = FCStageScans;
  StartRequest request = {decoder, byLibjpeg};
  return fc_ended(decoder, fc_guard(&decoder->seam, start_scans, &request));
}

bool fcjpeg_decoder_reads_scans(const FCJPEGDecoder *decoder) { return decoder->progressive != NULL; }

uint32_t fcjpeg_decoder_overview_planes(const FCJPEGDecoder *decoder) {
  const struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  if (cinfo->jpeg_color_space != JCS_GRAYSCALE && cinfo->jpeg_color_space != JCS_YCbCr) return 0;
  if (cinfo->comp_info[0].h_samp_factor != cinfo->max_h_samp_factor ||
      cinfo->comp_info[0].v_samp_factor != cinfo->max_v_samp_factor) {
    return 0;
  }
  if (cinfo->num_components != 3) return 1;
  for (int c = 1; c < 3; c++) {
    const jpeg_component_info *chroma = &cinfo->comp_info[c];
    if (cinfo->max_h_samp_factor % chroma->h_samp_factor != 0 ||
        cinfo->max_v_samp_factor % chroma->v_samp_factor != 0) {
      return 1;
    }
  }
  return 3;
}

FCJPEGPlane fcjpeg_decoder_plane(const FCJPEGDecoder *decoder, uint32_t component, int32_t scale) {
  const struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  const jpeg_component_info *info = &cinfo->comp_info[component];
  FCJPEGPlane plane = {0, 0, (uint32_t)(cinfo->max_h_samp_factor / info->h_samp_factor),
                       (uint32_t)(cinfo->max_v_samp_factor / info->v_samp_factor)};
  // The component's own size (T.81, A.1.1), then scaled as in libjpeg.
  plane.width = fc_divided((uint64_t)fc_divided(cinfo->image_width, plane.horizontal) * (uint64_t)scale, DCTSIZE);
  plane.height = fc_divided((uint64_t)fc_divided(cinfo->image_height, plane.vertical) * (uint64_t)scale, DCTSIZE);
  return plane;
}

bool fcjpeg_decoder_first_scan_is_dc(const FCJPEGDecoder *decoder, uint32_t planes) {
  const struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  if (!cinfo->progressive_mode || cinfo->input_scan_number != 1 || cinfo->Ss != 0 || cinfo->Se != 0) return false;
  for (uint32_t c = 0; c < planes; c++) {
    if (c >= (uint32_t)cinfo->comps_in_scan || cinfo->cur_comp_info[c] != &cinfo->comp_info[c]) return false;
  }
  return planes > 0;
}

/// Records damage if the file was truncated between two scans, which libjpeg does not report. Such a file lacks the end
/// marker, and a component or some bits of a progressive coefficient. Rows that are complete in the last scan are then
/// not complete in the image; after that scan, no row is.
static void note_missing_scans(FCJPEGDecoder *decoder) {
  const struct jpeg_decompress_struct *cinfo = &decoder->cinfo;
  if (!decoder->reachedEnd) return;
  bool complete = decoder->componentsSeen == (1u << cinfo->num_components) - 1;
  if (cinfo->coef_bits != NULL) {
    for (int i = 0; i < cinfo->num_components; i++) {
      for (int k = 0; k < DCTSIZE2; k++) complete = complete && cinfo->coef_bits[i][k] == 0;
    }
  }
  if (complete) return;
  FCDamage *damage = &decoder->damage;
  const uint32_t lastRows = (uint32_t)cinfo->max_v_samp_factor * DCTSIZE;
  if (damage->kind != FCDamageKindNone && damage->intactRows + lastRows < decoder->height) return;
  damage->kind = FCDamageKindTruncated;
  damage->intactRows = 0;
  damage->pass = (uint32_t)cinfo->input_scan_number + 1;
}

typedef struct {
  FCJPEGDecoder *decoder;
  bool onlyFirstScan;
  uint32_t steps;
} AbsorbRequest;

static void note_components(FCJPEGDecoder *decoder) {
  for (int i = 0; i < decoder->cinfo.comps_in_scan; i++) {
    decoder->componentsSeen |= 1u << decoder->cinfo.cur_comp_info[i]->component_index;
  }
}

/// Returns the offset of the next marker in the source.
static size_t position(const FCJPEGDecoder *decoder) {
  if (decoder->reachedEnd) return decoder->source.count;
  const size_t next = decoder->handedOut - decoder->reader.bytes_in_buffer;
  // The entropy decoder stops after the marker that ends its data.
  return decoder->cinfo.unread_marker != 0 ? next - 2 : next;
}

static void absorb(void *context) {
  const AbsorbRequest *request = context;
  FCJPEGDecoder *decoder = request->decoder;
  if (decoder->progressive != NULL) {
    fc_progressive_absorb(decoder, request->steps, request->onlyFirstScan);
    return;
  }
  for (uint32_t i = 0; i < request->steps; i++) {
    if (decoder->absorbedAll || (request->onlyFirstScan && decoder->absorbedFirstScan)) return;
    fc_check_cancelled(&decoder->seam);
    if (decoder->cinfo.input_scan_number > decoder->source.maximumScans) {
      fc_fail(&decoder->seam, FCStatusTooManyScans, "the file has too many scans");
    }
    note_components(decoder);
    switch (jpeg_consume_input(&decoder->cinfo)) {
      case JPEG_SCAN_COMPLETED:
        decoder->absorbedFirstScan = true;
        decoder->scanEnd = position(decoder);
        break;
      case JPEG_REACHED_EOI:
        decoder->absorbedAll = true;
        if (decoder->reachedEnd) fc_note_damage(decoder, FCDamageKindTruncated);
        note_missing_scans(decoder);
        break;
      default:
        break;
    }
  }
}

FCStatus fcjpeg_decoder_absorb(FCJPEGDecoder *decoder, bool onlyFirstScan, uint32_t steps, bool *finished) {
  *finished = false;
  if (decoder->stage != FCStageScans && decoder->stage != FCStageScanRegion) return FCStatusMisuse;
  AbsorbRequest request = {decoder, onlyFirstScan, steps};
  const FCStatus status = fc_guard(&decoder->seam, absorb, &request);
  *finished = decoder->absorbedAll || (onlyFirstScan && decoder->absorbedFirstScan);
  return fc_ended(decoder, status);
}

size_t fcjpeg_decoder_scan_end(const FCJPEGDecoder *decoder) { return decoder->scanEnd; }

typedef struct {
  FCJPEGDecoder *decoder;
  uint32_t component;
  int scale;
  uint32_t blockRow, width, height;
  uint8_t *rows;
  size_t stride;
} OverviewRequest;

// No function takes or returns a vector, so the calling convention does not matter.
#pragma clang diagnostic ignored "-Wpsabi"
typedef float Eight __attribute__((vector_size(32)));
typedef JCOEF Coefficients __attribute__((vector_size(16)));
typedef int32_t Numbers __attribute__((vector_size(32)));
typedef uint8_t Pixels __attribute__((vector_size(8)));

/// Draws one row of blocks of two or four pixels a side: each coefficient other than zero adds its pixels to a quarter.
static void draw_overview(const OverviewRequest *request, JBLOCKROW blocks, const JQUANT_TBL *table) {
  const uint32_t n = (uint32_t)request->scale;
  struct FCOverviewBasis *kept = &request->decoder->bases[request->component];
  if (kept->table != table || kept->scale != request->scale) {
    *kept = (struct FCOverviewBasis){.table = table, .scale = request->scale};
    fc_basis_images(&kept->images, table->quantval, request->scale);
    for (uint32_t k = 0; k < DCTSIZE2; k++) kept->places[fc_zigzag[k]] = (uint8_t)k;
  }
  const FCBasisImages *basis = &kept->images;
  const uint32_t firstRow = request->blockRow * n;
  const uint32_t rows = request->height - firstRow < n ? request->height - firstRow : n;
  for (uint32_t left = 0; left < request->width; left += n, blocks++) {
    const JCOEF *block = *blocks;
    FCBlockSums sums = fc_block_sums(basis, block[0]);
    for (uint32_t v = 0; v < DCTSIZE; v++) {
      uint32_t bits = fc_nonzero(block + v * DCTSIZE) & (v == 0 ? ~1u : ~0u);
      for (; bits != 0; bits &= bits - 1) {
        const uint32_t at = v * DCTSIZE + (uint32_t)__builtin_ctz(bits);
        fc_add_coefficient(&sums, basis, kept->places[at], block[at]);
      }
    }
    uint8_t *to = request->rows + left;
    const uint32_t count = request->width - left < n ? request->width - left : n;
    if (rows == n && count == n) {
      fc_draw_block(&sums, request->scale, to, request->stride);
      continue;
    }
    uint8_t pixels[4 * 4];
    fc_draw_block(&sums, request->scale, pixels, n);
    for (uint32_t y = 0; y < rows; y++) memcpy(to + y * request->stride, pixels + y * n, count);
  }
}

/// Draws one row of blocks by a separable transform of each: first down, for all columns at once, then across, for all
/// pixels at once. Most blocks have only zeros in their last rows.
static void read_overview(void *context) {
  const OverviewRequest *request = context;
  FCJPEGDecoder *decoder = request->decoder;
  j_decompress_ptr cinfo = &decoder->cinfo;
  const jpeg_component_info *info = &cinfo->comp_info[request->component];
  const int n = request->scale;
  // A component has its table from its first scan on. Before it, its coefficients are zero.
  static const JQUANT_TBL none;
  const JQUANT_TBL *table = info->quant_table != NULL ? info->quant_table : &none;
  JBLOCKARRAY blocks = cinfo->mem->access_virt_barray((j_common_ptr)cinfo, decoder->coefficients[request->component],
                                                      request->blockRow, 1, FALSE);
  if (n == 2 || n == 4) {
    draw_overview(request, blocks[0], table);
    return;
  }
  float basis[DCTSIZE][DCTSIZE] = {{0}};
  const int used = fc_fill_basis(basis, n);
  const Eight white = {255, 255, 255, 255, 255, 255, 255, 255};
  const Eight middle = {128.5F, 128.5F, 128.5F, 128.5F, 128.5F, 128.5F, 128.5F, 128.5F};
  Eight steps[DCTSIZE], across[DCTSIZE];
  for (int i = 0; i < DCTSIZE; i++) {
    for (int u = 0; u < DCTSIZE; u++) {
      steps[i][u] = (float)table->quantval[i * DCTSIZE + u];
      across[i][u] = basis[u][i];
    }
  }

  const uint32_t firstRow = request->blockRow * (uint32_t)n;
  for (uint32_t column = 0; column * (uint32_t)n < request->width; column++) {
    const JCOEF *block = blocks[0][column];
    Eight down[DCTSIZE] = {{0}};
    for (int v = 0; v < used; v++) {
      Coefficients row;
      uint64_t halves[2];
      memcpy(&row, block + v * DCTSIZE, sizeof row);
      memcpy(halves, &row, sizeof row);
      if ((halves[0] | halves[1]) == 0) continue;
      const Eight values = __builtin_convertvector(row, Eight) * steps[v];
      for (int y = 0; y < n; y++) down[y] += basis[y][v] * values;
    }
    const uint32_t left = column * (uint32_t)n;
    const uint32_t count = request->width - left < (uint32_t)n ? request->width - left : (uint32_t)n;
    for (uint32_t y = 0; y < (uint32_t)n && firstRow + y < request->height; y++) {
      Eight sums = middle;
      for (int u = 0; u < used; u++) sums += down[y][u] * across[u];
      sums = __builtin_elementwise_min(__builtin_elementwise_max(sums, (Eight){0}), white);
      const Pixels pixels = __builtin_convertvector(__builtin_convertvector(sums, Numbers), Pixels);
      memcpy(request->rows + y * request->stride + left, &pixels, count);
    }
  }
}

FCStatus fcjpeg_decoder_read_overview(FCJPEGDecoder *decoder, uint32_t component, int32_t scale, uint32_t blockRow,
                                      uint8_t *rows, size_t stride, size_t capacity) {
  if (decoder->stage != FCStageScans && decoder->stage != FCStageScanRegion) return FCStatusMisuse;
  if (scale < 1 || scale > DCTSIZE || component >= fcjpeg_decoder_overview_planes(decoder)) return FCStatusMisuse;
  const FCJPEGPlane plane = fcjpeg_decoder_plane(decoder, component, scale);
  const uint64_t firstRow = (uint64_t)blockRow * (uint64_t)scale;
  if (firstRow >= plane.height) return FCStatusMisuse;
  const uint64_t count = plane.height - firstRow < (uint64_t)scale ? plane.height - firstRow : (uint64_t)scale;
  if (!fc_rows_fit(plane.width, stride, capacity, (uint32_t)count)) return FCStatusMisuse;
  OverviewRequest request = {decoder, component, scale, blockRow, plane.width, plane.height, rows, stride};
  return fc_ended(decoder, fc_guard(&decoder->seam, read_overview, &request));
}

static void start_scan_region(void *context) {
  FCJPEGDecoder *decoder = context;
  j_decompress_ptr cinfo = &decoder->cinfo;
  if (decoder->stage == FCStageScanRegion) jpeg_finish_output(cinfo);
  // Whole rows: a cropped width would persist for the next region, and the entropy decode, most of the cost, is done.
  jpeg_start_output(cinfo, cinfo->input_scan_number);
  fc_check_inside(decoder);
  decoder->column = decoder->region.x;
  fc_position(decoder);
}

FCStatus fcjpeg_decoder_start_scan_region(FCJPEGDecoder *decoder, FCJPEGRegion region) {
  if (decoder->stage != FCStageScans && decoder->stage != FCStageScanRegion) return FCStatusMisuse;
  if (!decoder->absorbedAll || decoder->releasedRows > 0 || region.scale != decoder->region.scale ||
      region.color != decoder->region.color) {
    return FCStatusMisuse;
  }
  decoder->region = region;
  const FCStatus status = fc_ended(decoder, fc_guard(&decoder->seam, start_scan_region, decoder));
  if (status == FCStatusOk) decoder->stage = FCStageScanRegion;
  return status;
}

typedef struct {
  FCJPEGDecoder *decoder;
  uint32_t end;
} ReleaseRequest;

/// Gives the whole pages of a piece of memory back to the system.
static void release_pages(uintptr_t start, uintptr_t end) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t first = (start + page - 1) / page * page, last = end / page * page;
  if (first < last) (void)madvise((void *)first, last - first, MADV_DONTNEED);
}

/// Releases rows of blocks. Rows that are adjacent in memory are released together, since each call interrupts the
/// other processors. Each of libjpeg's arrays is one piece of memory, unless it exceeds a gigabyte.
static void release_rows(void *context) {
  const ReleaseRequest *request = context;
  FCJPEGDecoder *decoder = request->decoder;
  j_decompress_ptr cinfo = &decoder->cinfo;
  for (int c = 0; c < cinfo->num_components; c++) {
    const jpeg_component_info *component = &cinfo->comp_info[c];
    const JDIMENSION rows = (JDIMENSION)component->v_samp_factor, across = (JDIMENSION)component->h_samp_factor;
    const size_t length = (size_t)((component->width_in_blocks + across - 1) / across * across) * sizeof(JBLOCK);
    uintptr_t start = 0, end = 0;
    for (uint32_t row = decoder->releasedRows; row < request->end; row++) {
      JBLOCKARRAY blocks = cinfo->mem->access_virt_barray((j_common_ptr)cinfo, decoder->coefficients[c], row * rows,
                                                          rows, FALSE);
      for (JDIMENSION i = 0; i < rows; i++) {
        if ((uintptr_t)blocks[i] != end) {
          release_pages(start, end);
          start = (uintptr_t)blocks[i];
        }
        end = (uintptr_t)blocks[i] + length;
      }
    }
    release_pages(start, end);
  }
  decoder->releasedRows = request->end;
}

void fcjpeg_decoder_release_coefficients(FCJPEGDecoder *decoder) {
  if (decoder->stage != FCStageScanRegion || !decoder->absorbedAll) return;
  // In an incomplete file libjpeg smooths a block with neighbors up to two rows away, and it reads one row ahead.
  const uint32_t kept = 4, current = decoder->cinfo.output_iMCU_row;
  if (current < decoder->releasedRows + kept + 8) return;
  ReleaseRequest request = {decoder, current - kept};
  (void)fc_guard(&decoder->seam, release_rows, &request);
}
