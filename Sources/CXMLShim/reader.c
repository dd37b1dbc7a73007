#include "CXMLShim.h"

#include <expat.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

// MARK: Memory

/// The memory left for one document. Expat passes no context to its allocator, so the budget belongs to the thread,
/// which reads one document at a time.
typedef struct {
  size_t left;
  /// The budget refused a request, or reading ends; every further request fails.
  bool isSpent;
} Budget;

static _Thread_local Budget *budget;

/// The head of each block, which keeps the block aligned.
typedef union {
  size_t count;
  max_align_t alignment;
} Head;

size_t fcxml_memory(size_t count) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, (size_t)16, &bytes) || __builtin_add_overflow(bytes, (size_t)256 << 10, &bytes)) {
    return SIZE_MAX / 2;
  }
  return bytes;
}

/// Counts a block against the budget. Returns false if it does not fit.
static bool take(size_t count, size_t *whole) {
  if (__builtin_add_overflow(count, sizeof(Head), whole) || *whole > budget->left) budget->isSpent = true;
  if (budget->isSpent) return false;
  budget->left -= *whole;
  return true;
}

static void *reserve(size_t count) {
  size_t whole = 0;
  if (!take(count, &whole)) return NULL;
  Head *head = malloc(whole);
  if (head == NULL) {
    budget->left += whole;
    return NULL;
  }
  head->count = whole;
  return head + 1;
}

static void give_back(void *piece) {
  if (piece == NULL) return;
  Head *head = (Head *)piece - 1;
  budget->left += head->count;
  free(head);
}

static void *resize(void *piece, size_t count) {
  if (piece == NULL) return reserve(count);
  Head *head = (Head *)piece - 1;
  const size_t before = head->count;
  size_t whole = 0;
  // `realloc` may hold both blocks for a while.
  if (!take(count, &whole)) return NULL;
  Head *moved = realloc(head, whole);
  if (moved == NULL) {
    budget->left += whole;
    return NULL;
  }
  budget->left += before;
  moved->count = whole;
  return moved + 1;
}

// MARK: Reading

typedef struct {
  XML_Parser parser;
  FCXMLVisitor visitor;
  const FCCancellation *cancellation;
  uint32_t depth;
  /// Expat may still report the element that it was stopped in.
  bool isStopped, isCancelled;
} Reader;

static const uint32_t deepest = 64;
/// The longest namespace in bytes. Expat stores it for each attribute; namespaces in use have fewer than 100.
static const size_t longestNamespace = 512;

static void stop(Reader *reader) {
  reader->isStopped = true;
  // Expat would go on with the attributes of the element, so its allocations must fail.
  budget->isSpent = true;
  (void)XML_StopParser(reader->parser, XML_FALSE);
}

/// Returns whether to continue. Every callback calls it, so that reading can end at each one.
static bool goes_on(Reader *reader) {
  if (reader->isStopped) return false;
  if (!fc_cancellation_is_cancelled(reader->cancellation)) return true;
  reader->isCancelled = true;
  stop(reader);
  return false;
}

static void begin_namespace(void *data, const XML_Char *prefix, const XML_Char *name) {
  (void)prefix;
  Reader *reader = data;
  if (goes_on(reader) && name != NULL && strlen(name) > longestNamespace) stop(reader);
}

static void begin(void *data, const XML_Char *name, const XML_Char **attributes) {
  Reader *reader = data;
  if (!goes_on(reader)) return;
  if (++reader->depth > deepest) {
    stop(reader);
  } else {
    reader->visitor.begin(reader->visitor.context, name, attributes);
  }
}

static void end(void *data, const XML_Char *name) {
  (void)name;
  Reader *reader = data;
  if (!goes_on(reader)) return;
  reader->depth--;
  reader->visitor.end(reader->visitor.context);
}

static void text(void *data, const XML_Char *bytes, int count) {
  Reader *reader = data;
  if (goes_on(reader)) reader->visitor.text(reader->visitor.context, bytes, (size_t)count);
}

static void begin_document_type(void *data, const XML_Char *name, const XML_Char *system, const XML_Char *public,
                                int hasSubset) {
  (void)name, (void)system, (void)public, (void)hasSubset;
  stop(data);
}

FCStatus fcxml_read(const uint8_t *bytes, size_t count, const FCCancellation *cancellation, FCXMLVisitor visitor) {
  if (count > INT_MAX) return FCStatusCorrupt;
  Budget own = {.left = fcxml_memory(count)};
  budget = &own;
  const XML_Memory_Handling_Suite memory = {reserve, resize, give_back};
  XML_Parser parser = XML_ParserCreate_MM(NULL, &memory, " ");
  if (parser == NULL) {
    budget = NULL;
    return FCStatusOutOfMemory;
  }
  Reader reader = {.parser = parser, .visitor = visitor, .cancellation = cancellation};
  XML_SetUserData(parser, &reader);
  XML_SetNamespaceDeclHandler(parser, begin_namespace, NULL);
  XML_SetElementHandler(parser, begin, end);
  XML_SetCharacterDataHandler(parser, text);
  XML_SetStartDoctypeDeclHandler(parser, begin_document_type);
  // In one piece: when a token comes in several, old versions read its beginning again each time (CVE-2023-52425).
  const enum XML_Status status = XML_Parse(parser, (const char *)bytes, (int)count, XML_TRUE);
  const enum XML_Error error = XML_GetErrorCode(parser);
  XML_ParserFree(parser);
  budget = NULL;
  if (reader.isCancelled) return FCStatusCancelled;
  if (status == XML_STATUS_OK) return FCStatusOk;
  const bool lacksMemory = error == XML_ERROR_NO_MEMORY && !own.isSpent;
  return lacksMemory ? FCStatusOutOfMemory : FCStatusCorrupt;
}
