// Computes several things of one kind at once, one in each lane of a register. Each lane is rounded by itself, as a plain number is.
#ifndef HFI_BASE_GATHER_H
#define HFI_BASE_GATHER_H

#ifdef __AVX__
#include <immintrin.h>

enum { HFI_LANES = 4 };
typedef __m256d hfiLanes;
#else
#include "base/lanes.h"

enum { HFI_LANES = 2 };
typedef hfiTwo hfiLanes;
#endif

// Chooses the things for the lanes: `first` and those that follow it, up to end - 1. Lanes that are left over repeat the last one.
static inline const int* hfi_fill_lanes(int first, int end, int things[HFI_LANES]) {
  for (int k = 0; k < HFI_LANES; ++k) things[k] = first + k < end ? first + k : end - 1;
  return things;
}

// Writes number i of each thing to out[i]. `at` says where their numbers begin; `count` is even.
static inline void hfi_gather(const double* const at[HFI_LANES], int count, hfiLanes* out) {
  for (int i = 0; i < count; i += 2) {
#ifdef __AVX__
    __m256d ac = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(at[0] + i)), _mm_loadu_pd(at[2] + i), 1);
    __m256d bd = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(at[1] + i)), _mm_loadu_pd(at[3] + i), 1);
    out[i] = _mm256_unpacklo_pd(ac, bd), out[i + 1] = _mm256_unpackhi_pd(ac, bd);
#else
    hfiTwo a = *(const hfiTwo*)(at[0] + i), b = *(const hfiTwo*)(at[1] + i);
    out[i] = (hfiTwo){a[0], b[0]}, out[i + 1] = (hfiTwo){a[1], b[1]};
#endif
  }
}

// The reverse of hfi_gather.
static inline void hfi_scatter(const hfiLanes* in, int count, double* const at[HFI_LANES]) {
  for (int i = 0; i < count; i += 2) {
#ifdef __AVX__
    __m256d ac = _mm256_unpacklo_pd(in[i], in[i + 1]), bd = _mm256_unpackhi_pd(in[i], in[i + 1]);
    _mm_storeu_pd(at[0] + i, _mm256_castpd256_pd128(ac)), _mm_storeu_pd(at[2] + i, _mm256_extractf128_pd(ac, 1));
    _mm_storeu_pd(at[1] + i, _mm256_castpd256_pd128(bd)), _mm_storeu_pd(at[3] + i, _mm256_extractf128_pd(bd, 1));
#else
    *(hfiTwo*)(at[0] + i) = (hfiTwo){in[i][0], in[i + 1][0]}, *(hfiTwo*)(at[1] + i) = (hfiTwo){in[i][1], in[i + 1][1]};
#endif
  }
}

#endif
