// Neighbours in a row of a matrix, at any address, as vectors. Lanes are rounded one by one, as plain numbers are.
#ifndef HFI_LINALG_LANES_H
#define HFI_LINALG_LANES_H

typedef double hfiTwo __attribute__((vector_size(16), aligned(8), may_alias));
typedef double hfiFour __attribute__((vector_size(32), aligned(8), may_alias));

#endif
