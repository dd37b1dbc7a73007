/// Expat behind one seam: reads a small XML document and says what is in it, part by part.
///
/// Nothing is kept but what Expat needs for names and open elements, which is in proportion to the bytes. A document type, which
/// could make entities, ends the reading, and so do elements within more than 64 others.
#ifndef CXMLSHIM_H
#define CXMLSHIM_H

#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

typedef enum __attribute__((enum_extensibility(closed))) FCXMLStatus {
  FCXMLStatusOk = 0,
  /// It breaks XML's rules, or those above; what was said until then stands.
  FCXMLStatusMalformed,
  FCXMLStatusOutOfMemory,
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

FCXMLStatus fcxml_read(const uint8_t *bytes, size_t count, FCXMLVisitor visitor);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
