/// What our kernels are held against: the same network, from its authors' file, as OpenCV runs it.
#ifndef COPENCVREFERENCE_H
#define COPENCVREFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct FCReferenceNetwork FCReferenceNetwork;

/// Reads the network from the bytes of its ONNX file; NULL where OpenCV cannot.
FCReferenceNetwork *fcreference_create(const uint8_t *onnx, size_t count);
void fcreference_destroy(FCReferenceNetwork *network);

/// Runs it over R, G, B pixels without gaps, of sides that are multiples of 32.
bool fcreference_run(FCReferenceNetwork *network, const uint8_t *pixels, int32_t width, int32_t height);

/// Whether this OpenCV runs it right where a layer is one or two cells wide; 4.6 does, 4.10 does not.
bool fcreference_reads_narrow_maps(void);

/// An output of the last run by its name in the file, such as `cls_8`; its floats live until the next run.
const float *fcreference_output(const FCReferenceNetwork *network, const char *name, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
