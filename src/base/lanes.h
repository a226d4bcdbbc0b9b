// Neighbours in a row of a matrix, at any address, as vectors. Lanes are rounded one by one, as plain numbers are.
#ifndef HFI_BASE_LANES_H
#define HFI_BASE_LANES_H

#include <math.h>
#include <stdint.h>

typedef double hfiTwo __attribute__((vector_size(16), aligned(8), may_alias));
typedef double hfiFour __attribute__((vector_size(32), aligned(8), may_alias));

typedef int64_t hfiFourBits __attribute__((vector_size(32), aligned(8), may_alias));

// Lane by lane: yes where c is set, no elsewhere. Comparisons of vectors give such a c.
static inline hfiFour hfi_choose4(hfiFourBits c, hfiFour yes, hfiFour no) { return (hfiFour)((c & (hfiFourBits)yes) | (~c & (hfiFourBits)no)); }

static inline hfiFour hfi_sqrt4(hfiFour x) { return (hfiFour){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])}; }

#endif
