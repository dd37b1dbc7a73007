/// Files of several scans, above all progressive ones, with one entropy decode for both phases.
///
/// A progressive file sends the image several times, each time more exactly (T.81, annex G):
///
///     scan 1      DC of all components, without their lowest bits
///     scan 2 …    some AC coefficients of one component, without their lowest bits
///     later       one more bit of coefficients that are known already ("refinement")
///
/// Nothing can be drawn exactly before the last scan, so all coefficients are collected in libjpeg's arrays. `scans.c`
/// drives libjpeg's buffered-image mode for this. It draws the overview for face detection as early as it can: the DC
/// coefficients of the first scan are the image at an eighth. After the last scan, the same object of libjpeg decodes
/// the region, and skips the inverse transform elsewhere.
///
/// libjpeg can stop and continue at every code, and pays for it. `progressive.c` and `data.c` read Huffman-coded scans
/// in its place, row by row, with the tables of the folder `index`:
///
/// - A first pass over AC coefficients is a walk over runs. The end of a band may cover many blocks, which then have no
///   data in this scan (G.1.2.2).
/// - A refinement reads one bit for each coefficient that is not zero yet, in between the runs of zeros (G.1.2.3). A
///   mask of each row of a block tells where these coefficients are.
///
/// The reader notes the lowest known bit of each coefficient. A scan must continue exactly there, all coefficients must
/// be complete at the end, and an end marker must follow. At any fault the reader fails, and the caller begins again
/// with libjpeg, which knows how to repair. So a faster result is never another result.
///
/// The folders `libjpeg` and `index` are below this one. The decoder's `progressive` points to the reader.
#pragma once

#include "libjpeg/decoder.h"

/// Makes `decoder->progressive` a reader of all scans of a Huffman-coded progressive file. Call it after libjpeg has
/// read the header and allocated its arrays; libjpeg then treats the scans as read.
void fc_progressive_begin(FCJPEGDecoder *decoder);

/// Reads up to `rows` rows of MCUs, and records when the first scan or all scans are read. Fails with
/// `FCStatusUnsupported` at the first fault.
void fc_progressive_absorb(FCJPEGDecoder *decoder, uint32_t rows, bool onlyFirstScan);
