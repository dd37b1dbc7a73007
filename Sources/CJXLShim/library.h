/// libjxl, loaded with the first JPEG XL file: most processes read none.
#ifndef FCJXL_LIBRARY_H
#define FCJXL_LIBRARY_H

#include <jxl/decode.h>
#include <jxl/version.h>

#define FCJXL_FUNCTIONS(USE) \
  USE(CloseInput) USE(Create) USE(Destroy) USE(FlushImage) USE(GetBasicInfo) USE(GetBoxType) \
  USE(GetColorAsEncodedProfile) USE(GetColorAsICCProfile) USE(GetExtraChannelInfo) USE(GetICCProfileSize) \
  USE(ImageOutBufferSize) USE(ProcessInput) USE(ReleaseBoxBuffer) USE(ReleaseInput) USE(SetBoxBuffer) \
  USE(SetDecompressBoxes) USE(SetImageOutBuffer) USE(SetInput) USE(SetKeepOrientation) \
  USE(SetUnpremultiplyAlpha) USE(SubscribeEvents)

/// Its functions, without the prefix `JxlDecoder`.
typedef struct FCJXLLibrary {
#define FCJXL_MEMBER(name) __typeof__(&JxlDecoder##name) name;
  FCJXL_FUNCTIONS(FCJXL_MEMBER)
#undef FCJXL_MEMBER
} FCJXLLibrary;

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

/// Returns the functions, or NULL if the library cannot be loaded. It stays loaded. Call it from any thread.
const FCJXLLibrary *fcjxl_library(void);

#endif
