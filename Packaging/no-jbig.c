// Replaces libjbig, whose license is the GPL, in the archive, since libtiff is linked with it. These functions are
// never called, since `TIFFCompression.read` refuses JBIG files; each would fail.
enum { JBG_EIMPL = 7 };

#define NOTHING(name) void name(void) {}
NOTHING(jbg_enc_init)
NOTHING(jbg_enc_out)
NOTHING(jbg_enc_free)
NOTHING(jbg_dec_init)
NOTHING(jbg_dec_free)

int jbg_dec_in(void) { return JBG_EIMPL; }
int jbg_newlen(void) { return JBG_EIMPL; }
void *jbg_dec_getimage(void) { return (void *)0; }
unsigned long jbg_dec_getsize(void) { return 0; }
const char *jbg_strerror(void) { return "JBIG is not part of this archive"; }
