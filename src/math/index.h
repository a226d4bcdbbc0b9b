// Whole numbers from real ones.
#ifndef HFI_MATH_INDEX_H
#define HFI_MATH_INDEX_H

// x without its fraction, kept between lo and hi. If x is not a number, it is lo: a cast of such an x is undefined.
static inline int hfi_index_between(double x, int lo, int hi) {
  if (!(x > lo)) return lo;
  return x < hi ? (int)x : hi;
}

#endif
