/// Reading the scans of a progressive file in libjpeg's place.
#ifndef FCJPEG_PROGRESSIVE_H
#define FCJPEG_PROGRESSIVE_H

#include "decoder.h"

/// Makes `decoder->progressive` a reader of all scans of a Huffman-coded progressive file; libjpeg, which has read the header and made
/// its arrays, then takes them for read.
void fc_progressive_begin(FCJPEGDecoder *decoder);

/// Gives the reader up.
void fc_progressive_end(FCJPEGDecoder *decoder);

/// Reads up to `rows` rows of MCUs; notes when the first scan, or all of them, are read. Fails with `FCJPEGStatusUnsupported` at the
/// first thing that is not as it should be.
void fc_progressive_absorb(FCJPEGDecoder *decoder, uint32_t rows, bool onlyFirstScan);

/// The part of the file's bytes that has been read, 0…1.
double fc_progressive_fraction(const FCJPEGDecoder *decoder);

#endif
