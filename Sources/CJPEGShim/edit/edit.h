/// Edits of blocks: new samples in some blocks, and unchanged coefficients in all others.
///
/// This is how faces are hidden in a JPEG file. An encoder would change every block a little, and nobody could show
/// that the rest of the photo is the original. Here a caller gives strips of samples, one for each row of MCUs.
///
/// - `block.c` changes samples of a block: inverse transform, new samples, transform, and quantization with the file's
///   own table. Samples that stay are neither rounded nor clipped in between.
/// - `bits.c` writes an indexed file of one scan. It copies the bits of blocks that stay, and codes the others with the
///   file's own Huffman tables, or else all blocks with completed ones. The block after an edited one gets a new DC
///   difference (T.81, F.1.2.1).
/// - `blocks.c` edits coefficients in libjpeg's arrays and writes the whole file from them. It serves files of several
///   scans, and arithmetic coding.
///
/// The folders `libjpeg` and `index` are below this one.
#pragma once

#include "index/writer.h"

/// Returns the samples of a block that a strip replaces, 0…64. The block is at `column` and `row`, counted in blocks,
/// with `row` inside the row of MCUs.
uint32_t fc_edited_samples(const FCJPEGStrip *strip, uint32_t column, uint32_t row);

/// Replaces samples of a block. `block` has its coefficients, which only matter if some samples stay.
void fc_edit_block(
  const FCJPEGStrip *strip, uint32_t column, uint32_t row, const JQUANT_TBL *table, JCOEF *block);

/// Returns the mean sample of a block, 0…255, from its DC coefficient.
float fc_block_mean(int32_t dc, const JQUANT_TBL *table);

/// Returns whether a component has differences of colors.
bool fc_is_chroma(const struct jpeg_decompress_struct *cinfo, int component);
