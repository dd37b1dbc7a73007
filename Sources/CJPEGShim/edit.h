/// Edits of blocks: new samples in some blocks, and unchanged coefficients in all others.
#ifndef FCJPEG_EDIT_H
#define FCJPEG_EDIT_H

#include "writer.h"

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

/// Frees the running edit of an index.
void fc_edit_end(FCJPEGIndex *index);

#endif
