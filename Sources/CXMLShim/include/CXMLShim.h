/// Expat behind one seam: reads a small XML document and reports its elements, attributes and text.
///
/// Expat's memory is bounded by the size of the document (`fcxml_memory`). Reading stops at a document type
/// declaration, which could define entities. It also stops at more than 64 nested elements, or a namespace of more than
/// 512 bytes. Cancellation is checked before each element and text.
#pragma once

#include <CBasics.h>

FC_BEGIN

/// The callbacks of a reader; values are borrowed. A name is its namespace, a space, and the local name, in UTF-8.
typedef struct FCXMLVisitor {
  void *context;
  /// `attributes` alternates names and values, and ends with NULL.
  void (*begin)(void *context, const char *name, const char *_Nullable const *_Nonnull attributes);
  void (*end)(void *context);
  /// A piece of an element's text.
  void (*text)(void *context, const char *bytes, size_t count);
} FCXMLVisitor;

/// Reads a document. The visitor must not read another document meanwhile. Returns `FCStatusCorrupt` for a document
/// that breaks the rules of XML or those above; parts reported before the fault stay valid.
FCStatus fcxml_read(const uint8_t *bytes, size_t count, const FCCancellation *cancellation, FCXMLVisitor visitor);

/// Returns an upper bound, in bytes, for the memory to read a document of `count` bytes: 16 per byte, and 256 KiB.
size_t fcxml_memory(size_t count);

FC_END
