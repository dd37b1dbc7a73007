/// The reference for our kernels: OpenCV's run of the same network from its authors' file.
#ifndef COPENCVREFERENCE_H
#define COPENCVREFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct FCReferenceNetwork FCReferenceNetwork;

/// Reads the network from the bytes of its ONNX file, or returns NULL if OpenCV cannot.
FCReferenceNetwork *fcreference_create(const uint8_t *onnx, size_t count);
void fcreference_destroy(FCReferenceNetwork *network);

/// Runs it over R, G, B pixels without gaps, whose sides are multiples of 32.
bool fcreference_run(FCReferenceNetwork *network, const uint8_t *pixels, int32_t width, int32_t height);

/// Returns whether this OpenCV handles layers of one or two cells correctly; 4.6 does, 4.10 does not.
bool fcreference_reads_narrow_maps(void);

/// Returns an output of the last run by its name in the file, such as `cls_8`; the floats are valid until the next run.
const float *fcreference_output(const FCReferenceNetwork *network, const char *name, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
