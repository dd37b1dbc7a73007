/// libjxl, loaded with the first JPEG XL file: most processes read none.
#pragma once

#include <CBasics.h>
#include <jxl/decode.h>
#include <jxl/version.h>

#define FCJXL_FUNCTIONS(USE) \
  USE(JxlDecoderCloseInput) USE(JxlDecoderCreate) USE(JxlDecoderDestroy) USE(JxlDecoderFlushImage) \
  USE(JxlDecoderGetBasicInfo) USE(JxlDecoderGetBoxType) USE(JxlDecoderGetColorAsEncodedProfile) \
  USE(JxlDecoderGetColorAsICCProfile) USE(JxlDecoderGetExtraChannelInfo) USE(JxlDecoderGetFrameHeader) \
  USE(JxlDecoderGetICCProfileSize) USE(JxlDecoderImageOutBufferSize) USE(JxlDecoderProcessInput) \
  USE(JxlDecoderReleaseBoxBuffer) USE(JxlDecoderReleaseInput) USE(JxlDecoderSetBoxBuffer) \
  USE(JxlDecoderSetDecompressBoxes) USE(JxlDecoderSetImageOutBuffer) USE(JxlDecoderSetInput) \
  USE(JxlDecoderSetKeepOrientation) USE(JxlDecoderSetUnpremultiplyAlpha) USE(JxlDecoderSubscribeEvents)
FC_LIBRARY_TABLE(FCJXLLibrary, FCJXL_FUNCTIONS);

/// The name of the library that the headers belong to: before version 1 each minor version has an interface of its own.
#define FCJXL_TEXT_OF(number) #number
#define FCJXL_TEXT(number) FCJXL_TEXT_OF(number)
#if JPEGXL_MAJOR_VERSION == 0
#define FCJXL_LIBRARY "libjxl.so.0." FCJXL_TEXT(JPEGXL_MINOR_VERSION)
#define FCJXL_PACKAGE "libjxl0." FCJXL_TEXT(JPEGXL_MINOR_VERSION)
#else
#define FCJXL_LIBRARY "libjxl.so." FCJXL_TEXT(JPEGXL_MAJOR_VERSION)
#define FCJXL_PACKAGE "libjxl" FCJXL_TEXT(JPEGXL_MAJOR_VERSION)
#endif

/// Returns the functions of libjxl, or NULL if it cannot be loaded.
const FCJXLLibrary *fcjxl_library(void);
