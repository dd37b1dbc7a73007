/// Expat behind one seam: reads a small XML document and says what is in it, part by part.
///
/// Expat's memory is counted and bounded by the document's bytes (`fcxml_memory`). A document type, which could make entities, ends
/// the reading, and so do elements within more than 64 others and a namespace whose name has more than 512 bytes. Cancellation is
/// looked at before each part.
#ifndef CXMLSHIM_H
#define CXMLSHIM_H

#include <CCancellation.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

typedef enum __attribute__((enum_extensibility(closed))) FCXMLStatus {
  FCXMLStatusOk = 0,
  /// It breaks XML's rules, or those above; what was said until then stands.
  FCXMLStatusMalformed,
  /// The system has no memory.
  FCXMLStatusOutOfMemory,
  FCXMLStatusCancelled,
} FCXMLStatus;

/// What is told. A name is that of its namespace, a space, and its own; texts are UTF-8. All is borrowed for the call.
typedef struct FCXMLVisitor {
  void *context;
  /// `attributes` are names and values by turns, ended by NULL.
  void (*begin)(void *context, const char *name, const char *_Nullable const *_Nonnull attributes);
  void (*end)(void *context);
  /// A piece of an element's text.
  void (*text)(void *context, const char *bytes, size_t count);
} FCXMLVisitor;

/// Reads a document; the visitor reads no other one meanwhile.
FCXMLStatus fcxml_read(const uint8_t *bytes, size_t count, const FCCancellation *cancellation, FCXMLVisitor visitor);

/// The most bytes of memory that reading a document of `count` bytes takes: 16 for each, and 256 KiB.
size_t fcxml_memory(size_t count);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
