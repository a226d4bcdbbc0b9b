// Bits of words.
#ifndef HFI_BASE_BITS_H
#define HFI_BASE_BITS_H

#include <stdint.h>

// Number of bits that are set: sums over pairs, groups of four and bytes, side by side. Compilers replace it by one
// instruction where the processor has one; __builtin_popcountll would call a library elsewhere.
static inline int32_t hfi_count_bits(uint64_t x) {
  x -= x >> 1 & UINT64_C(0x5555555555555555);
  x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
  x = (x + (x >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
  return (int32_t)(x * UINT64_C(0x0101010101010101) >> 56);
}

#endif
