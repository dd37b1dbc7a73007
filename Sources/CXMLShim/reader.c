#include "CXMLShim.h"

#include <expat.h>
#include <limits.h>
#include <stdbool.h>

typedef struct {
  XML_Parser parser;
  FCXMLVisitor visitor;
  uint32_t depth;
  /// Expat may still tell of the element that it was stopped in.
  bool isStopped;
} Reader;

static const uint32_t deepest = 64;

static void stop(Reader *reader) {
  reader->isStopped = true;
  (void)XML_StopParser(reader->parser, XML_FALSE);
}

static void begin(void *data, const XML_Char *name, const XML_Char **attributes) {
  Reader *reader = data;
  if (reader->isStopped) return;
  if (++reader->depth > deepest) {
    stop(reader);
  } else {
    reader->visitor.begin(reader->visitor.context, name, attributes);
  }
}

static void end(void *data, const XML_Char *name) {
  (void)name;
  Reader *reader = data;
  if (reader->isStopped) return;
  reader->depth--;
  reader->visitor.end(reader->visitor.context);
}

static void text(void *data, const XML_Char *bytes, int count) {
  Reader *reader = data;
  if (!reader->isStopped) reader->visitor.text(reader->visitor.context, bytes, (size_t)count);
}

static void begin_document_type(void *data, const XML_Char *name, const XML_Char *system, const XML_Char *public,
                                int hasSubset) {
  (void)name, (void)system, (void)public, (void)hasSubset;
  stop(data);
}

FCXMLStatus fcxml_read(const uint8_t *bytes, size_t count, FCXMLVisitor visitor) {
  if (count > INT_MAX) return FCXMLStatusMalformed;
  XML_Parser parser = XML_ParserCreateNS(NULL, ' ');
  if (parser == NULL) return FCXMLStatusOutOfMemory;
  Reader reader = {.parser = parser, .visitor = visitor};
  XML_SetUserData(parser, &reader);
  XML_SetElementHandler(parser, begin, end);
  XML_SetCharacterDataHandler(parser, text);
  XML_SetStartDoctypeDeclHandler(parser, begin_document_type);
  // In one piece: of a token that comes in several, old versions read the beginning again each time (CVE-2023-52425).
  const enum XML_Status status = XML_Parse(parser, (const char *)bytes, (int)count, XML_TRUE);
  const enum XML_Error error = XML_GetErrorCode(parser);
  XML_ParserFree(parser);
  if (status == XML_STATUS_OK) return FCXMLStatusOk;
  return error == XML_ERROR_NO_MEMORY ? FCXMLStatusOutOfMemory : FCXMLStatusMalformed;
}
