/// Reads the scans of a progressive file in place of libjpeg.
#ifndef FCJPEG_PROGRESSIVE_H
#define FCJPEG_PROGRESSIVE_H

#include "decoder.h"

/// Makes `decoder->progressive` a reader of all scans of a Huffman-coded progressive file. Call it after libjpeg has
/// read the header and allocated its arrays; libjpeg then treats the scans as read.
void fc_progressive_begin(FCJPEGDecoder *decoder);

/// Frees the reader.
void fc_progressive_end(FCJPEGDecoder *decoder);

/// Reads up to `rows` rows of MCUs, and records when the first scan or all scans are read. Fails with
/// `FCJPEGStatusUnsupported` at the first fault.
void fc_progressive_absorb(FCJPEGDecoder *decoder, uint32_t rows, bool onlyFirstScan);

/// Returns the fraction of the file's bytes that has been read, 0…1.
double fc_progressive_fraction(const FCJPEGDecoder *decoder);

#endif
