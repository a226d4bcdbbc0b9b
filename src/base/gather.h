// Computes several things of one kind at once, one in each lane of a register. Each lane is rounded by itself, as a
// plain number is.
#ifndef HFI_BASE_GATHER_H
#define HFI_BASE_GATHER_H

#include <stdint.h>

#ifdef __AVX__
#include <immintrin.h>

enum { HFI_LANES = 4 };
typedef __m256d hfiLanes;
#else
#include "base/lanes.h"

#include <math.h>

enum { HFI_LANES = 2 };
typedef hfiTwo hfiLanes;
#endif

enum { HFI_ALL_LANES = (1 << HFI_LANES) - 1 }; // every lane, as bits

// x in every lane.
static inline hfiLanes hfi_lanes_of(double x) {
#ifdef __AVX__
  return (hfiLanes){x, x, x, x};
#else
  return (hfiLanes){x, x};
#endif
}

// The numbers x[0], x[1], ..., one in each lane.
static inline hfiLanes hfi_lanes_load(const double* x) {
#ifdef __AVX__
  return _mm256_loadu_pd(x);
#else
  return *(const hfiTwo*)x;
#endif
}

// Writes the lanes to y[0], y[1], ...
static inline void hfi_lanes_store(double* y, hfiLanes a) {
#ifdef __AVX__
  _mm256_storeu_pd(y, a);
#else
  *(hfiTwo*)y = a;
#endif
}

// The numbers x[i] for the indices of the lanes.
static inline hfiLanes hfi_gather_numbers(const double* x, const int32_t i[HFI_LANES]) {
#ifdef __AVX__
  return (hfiLanes){x[i[0]], x[i[1]], x[i[2]], x[i[3]]};
#else
  return (hfiLanes){x[i[0]], x[i[1]]};
#endif
}

// |x| in each lane.
static inline hfiLanes hfi_lanes_absolute(hfiLanes x) {
#ifdef __AVX__
  return _mm256_andnot_pd(hfi_lanes_of(-0.0), x);
#else
  return (hfiTwo){fabs(x[0]), fabs(x[1])};
#endif
}

// The smaller number of a and b in each lane; b if they cannot be compared.
static inline hfiLanes hfi_lanes_min(hfiLanes a, hfiLanes b) {
#ifdef __AVX__
  return _mm256_min_pd(a, b);
#else
  double low = a[0] < b[0] ? a[0] : b[0];
  double high = a[1] < b[1] ? a[1] : b[1];
  return (hfiTwo){low, high};
#endif
}

// The larger number of a and b in each lane; b if they cannot be compared.
static inline hfiLanes hfi_lanes_max(hfiLanes a, hfiLanes b) {
#ifdef __AVX__
  return _mm256_max_pd(a, b);
#else
  double low = a[0] > b[0] ? a[0] : b[0];
  double high = a[1] > b[1] ? a[1] : b[1];
  return (hfiTwo){low, high};
#endif
}

// The lanes in which a <= b, as bits.
static inline int hfi_lanes_at_most(hfiLanes a, hfiLanes b) {
#ifdef __AVX__
  return _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LE_OQ));
#else
  return (a[0] <= b[0]) | (a[1] <= b[1]) << 1;
#endif
}

// Chooses the things for the lanes: `first` and those that follow it, up to end - 1. Lanes that are left over repeat
// the last one.
static inline const int* hfi_fill_lanes(int first, int end, int things[HFI_LANES]) {
  for (int k = 0; k < HFI_LANES; ++k) things[k] = first + k < end ? first + k : end - 1;
  return things;
}

// Writes number i of each thing to out[i], for i < count, which is even. at[l] says where the numbers of the thing in
// lane l begin. With four lanes a, b, c and d two numbers of all are exchanged as a small transposed matrix.
static inline void hfi_gather(const double* const at[HFI_LANES], int count, hfiLanes* out) {
  for (int i = 0; i < count; i += 2) {
#ifdef __AVX__
    __m256d ac = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(at[0] + i)), _mm_loadu_pd(at[2] + i), 1);
    __m256d bd = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(at[1] + i)), _mm_loadu_pd(at[3] + i), 1);

    out[i] = _mm256_unpacklo_pd(ac, bd);
    out[i + 1] = _mm256_unpackhi_pd(ac, bd);
#else
    hfiTwo a = *(const hfiTwo*)(at[0] + i);
    hfiTwo b = *(const hfiTwo*)(at[1] + i);
    out[i] = (hfiTwo){a[0], b[0]};
    out[i + 1] = (hfiTwo){a[1], b[1]};
#endif
  }
}

// Writes in[i] to number i of each thing: the reverse of hfi_gather.
static inline void hfi_scatter(const hfiLanes* in, int count, double* const at[HFI_LANES]) {
  for (int i = 0; i < count; i += 2) {
#ifdef __AVX__
    __m256d ac = _mm256_unpacklo_pd(in[i], in[i + 1]);
    __m256d bd = _mm256_unpackhi_pd(in[i], in[i + 1]);

    _mm_storeu_pd(at[0] + i, _mm256_castpd256_pd128(ac));
    _mm_storeu_pd(at[1] + i, _mm256_castpd256_pd128(bd));
    _mm_storeu_pd(at[2] + i, _mm256_extractf128_pd(ac, 1));
    _mm_storeu_pd(at[3] + i, _mm256_extractf128_pd(bd, 1));
#else
    *(hfiTwo*)(at[0] + i) = (hfiTwo){in[i][0], in[i + 1][0]};
    *(hfiTwo*)(at[1] + i) = (hfiTwo){in[i][1], in[i + 1][1]};
#endif
  }
}

#endif
