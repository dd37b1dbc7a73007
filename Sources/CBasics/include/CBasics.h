/// Declarations that all shims share: statuses and messages of calls, parts of files, libraries that are loaded late,
/// the flag that cancels or pauses loops, and the arguments of the process.
///
/// A call that can fail in several ways returns an `FCStatus`; others return NULL or false. Read a message before the
/// next call on the same object. One thread at a time uses an object, unless its header says otherwise. No exception
/// and no longjmp leaves a shim, and it writes nothing to standard error. Each shim's header says how often its loops
/// read the flag.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Enclose the declarations of a header: pointers are never NULL unless marked, and C++ calls the functions as C.
#ifdef __cplusplus
#define FC_BEGIN _Pragma("clang assume_nonnull begin") extern "C" {
#define FC_END } _Pragma("clang assume_nonnull end")
#else
#define FC_BEGIN _Pragma("clang assume_nonnull begin")
#define FC_END _Pragma("clang assume_nonnull end")
#endif

FC_BEGIN

// MARK: Calls

typedef enum __attribute__((enum_extensibility(closed))) FCStatus {
  FCStatusOk = 0,
  /// The data break the rules of their format; nothing more can be read.
  FCStatusCorrupt,
  /// The data end too early.
  FCStatusTruncated,
  /// A valid variant that is not supported, or a library that cannot be loaded.
  FCStatusUnsupported,
  /// The image exceeds the source's upper bound of pixels or chunks.
  FCStatusTooLarge,
  /// The file has more scans than the source allows.
  FCStatusTooManyScans,
  /// The image needs more memory than the caller allows.
  FCStatusTooMuchMemory,
  FCStatusOutOfMemory,
  FCStatusCancelled,
  /// The caller asked for something out of order or outside the image, or gave too little memory.
  FCStatusMisuse,
  /// A library failed for a reason that only the message tells.
  FCStatusFailed,
} FCStatus;

/// The message of the last failed call, always terminated by a zero byte.
typedef struct FCMessage {
  char text[256];
} FCMessage;

/// Copies `text` into `message`, and returns the status.
FCStatus fc_refuse(FCMessage *message, FCStatus status, const char *text);

/// Returns whether `count` rows of `rowBytes` each, `stride` bytes apart, fit into `capacity` bytes. No rows never fit.
bool fc_rows_fit(size_t rowBytes, size_t stride, size_t capacity, uint32_t count);

/// The caller's pixels, 8 bits a sample.
typedef enum __attribute__((enum_extensibility(closed))) FCColor {
  /// Luma.
  FCColorGray = 0,
  FCColorRGB,
  /// Alpha is not premultiplied.
  FCColorRGBA,
  /// 0 for no ink.
  FCColorCMYK,
} FCColor;

/// Returns the bytes of a pixel.
static inline uint32_t fc_channels(FCColor color) { return color == FCColorGray ? 1 : color == FCColorRGB ? 3 : 4; }

/// Returns the luma of a pixel (ITU-R BT.601, as in JFIF).
static inline uint8_t fc_luma(const uint8_t *rgb) {
  return (uint8_t)((299u * rgb[0] + 587u * rgb[1] + 114u * rgb[2] + 500u) / 1000u);
}

// MARK: Parts of files

typedef enum __attribute__((enum_extensibility(closed))) FCPartState {
  FCPartStateNone = 0,
  FCPartStatePresent,
  /// Larger than the source allows, so that it is not there.
  FCPartStateTooLarge,
  /// A wrong checksum, or invalid data.
  FCPartStateDamaged,
} FCPartState;

/// A part of a file that is read. Nobody has checked its content. It lies in the source's bytes, or in the decoder's.
typedef struct FCPart {
  FCPartState state;
  const uint8_t *_Nullable bytes;
  size_t count;
} FCPart;

/// Bytes in memory.
typedef struct FCBytes {
  const uint8_t *_Nullable bytes;
  size_t count;
} FCBytes;

/// Metadata for a file that is written, borrowed for the call, without bytes for none. Nobody checks their content.
typedef struct FCAttachments {
  /// EXIF data (a TIFF structure) and an XMP packet.
  FCBytes exif, xmp;
  /// An ICC profile, which must match the image's channels.
  FCBytes profile;
} FCAttachments;

/// The kind of the first damage that decoding continued past.
typedef enum __attribute__((enum_extensibility(closed))) FCDamageKind {
  FCDamageKindNone = 0,
  FCDamageKindTruncated,
  FCDamageKindCorrupt,
} FCDamageKind;

/// The first damage that decoding continued past.
typedef struct FCDamage {
  FCDamageKind kind;
  /// Rows that lie entirely above the damage.
  uint32_t intactRows;
  /// The pass or scan of the damage, from 1. Above 1, earlier ones gave all rows coarsely.
  uint32_t pass;
  /// Harmless irregularities, such as bytes between segments.
  uint32_t remarks;
} FCDamage;

// MARK: Libraries

/// A function of a library, and where to store its address.
typedef struct FCFunction {
  const char *name;
  void *_Nullable *_Nonnull address;
} FCFunction;

/// A library that is loaded late: loading takes a part of a process's start, and most processes need few libraries.
typedef struct FCLibrary {
  const char *file;
  const FCFunction *functions;
  size_t count;
  /// 0 before it is loaded.
  int state;
} FCLibrary;

/// Loads the library at the first call and keeps it. Returns false if it or a function is missing. Thread-safe.
bool fc_library_load(FCLibrary *library);

/// The same without a state. After a failure, `dlerror` returns the reason.
bool fc_find_functions(const char *file, const FCFunction *functions, size_t count);

/// Defines a struct with the addresses of a library's functions, by name. `FUNCTIONS` applies a macro to each name.
#define FC_LIBRARY_TABLE(Table, FUNCTIONS) typedef struct Table { FUNCTIONS(FC_LIBRARY_MEMBER) } Table
#define FC_LIBRARY_MEMBER(name) __typeof__(&name) name;

/// Defines a function that returns the table, or NULL if the library cannot be loaded.
#define FC_LIBRARY_LOADER(Table, load, file, FUNCTIONS) \
  const Table *load(void) { \
    static Table table; \
    static const FCFunction functions[] = {FUNCTIONS(FC_LIBRARY_ENTRY)}; \
    static FCLibrary library = {file, functions, sizeof functions / sizeof *functions, 0}; \
    return fc_library_load(&library) ? &table : NULL; \
  }
#define FC_LIBRARY_ENTRY(name) {#name, (void **)&table.name},

// MARK: Cancellation

/// A flag that any thread may set and read, a count of steps, and the time of other processes.
typedef struct FCCancellation FCCancellation;

/// Creates a flag, or returns NULL if memory runs out.
FCCancellation *_Nullable fc_cancellation_create(void);
void fc_cancellation_destroy(FCCancellation *flag);
void fc_cancellation_cancel(FCCancellation *flag);
/// Pauses the work at its next look at the flag, until it is resumed or cancelled.
void fc_cancellation_pause(FCCancellation *flag);
void fc_cancellation_resume(FCCancellation *flag);
bool fc_cancellation_is_paused(const FCCancellation *flag);

/// Waits while the work is paused, and returns whether it is cancelled.
bool fc_cancellation_is_cancelled(const FCCancellation *flag);

/// Adds `count` visited table entries, and returns like ``fc_cancellation_is_cancelled``. Call it from one thread at a
/// time.
bool fc_cancellation_step(FCCancellation *flag, size_t count);
size_t fc_cancellation_steps(const FCCancellation *flag);

/// Adds nanoseconds that the work spent in another process, or in a wait for one. Call it from one thread at a time.
void fc_cancellation_add_elsewhere(FCCancellation *flag, uint64_t nanoseconds);
uint64_t fc_cancellation_elsewhere(const FCCancellation *flag);

/// Returns the number of the process's arguments, its name included.
size_t fc_argument_count(void);
const char *fc_argument(size_t index);

FC_END
