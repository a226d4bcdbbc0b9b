// Vectors of neighbours in a row of a matrix, at any address. Each lane is rounded by itself, as a plain number is.
#ifndef HFI_BASE_LANES_H
#define HFI_BASE_LANES_H

#include <math.h>
#include <stdint.h>

typedef double hfiTwo __attribute__((vector_size(16), aligned(8), may_alias));
typedef double hfiFour __attribute__((vector_size(32), aligned(8), may_alias));

// As many neighbours of single precision as a register has room for. Eight of them are one such vector or two.
#ifdef __AVX__
typedef float hfiFloats __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t hfiFloatBits __attribute__((vector_size(32), aligned(4), may_alias));
enum { HFI_FLOATS = 8 };
#else
typedef float hfiFloats __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t hfiFloatBits __attribute__((vector_size(16), aligned(4), may_alias));
enum { HFI_FLOATS = 4 };
#endif
static inline hfiFloats hfi_absolute(hfiFloats x) { return (hfiFloats)((hfiFloatBits)x & INT32_MAX); }

typedef int64_t hfiBits __attribute__((may_alias));
typedef int64_t hfiFourBits __attribute__((vector_size(32), aligned(8), may_alias));

// Chooses lane by lane: `yes` where c is set, otherwise `no`. Comparisons of vectors give such a c.
static inline hfiFour hfi_choose4(hfiFourBits c, hfiFour yes, hfiFour no) {
  return (hfiFour)((c & (hfiFourBits)yes) | (~c & (hfiFourBits)no));
}

static inline hfiFour hfi_sqrt4(hfiFour x) { return (hfiFour){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])}; }

// Four neighbours for sums in loops. If registers have two lanes, as on arm64 and on x86-64 without AVX, GCC would keep
// a vector of four in memory from one round of a loop to the next. So there a quad is two vectors.
//
// HFI_QUAD_PLUS is s += a x, HFI_QUAD_MINUS is s -= a x. As functions they make GCC 12 save twice as many registers in
// gemm.c.
#ifdef __AVX__
#define HFI_QUAD_PLUS(s, a, x) ((s) += (a) * (x))
#define HFI_QUAD_MINUS(s, a, x) ((s) -= (a) * (x))

typedef hfiFour hfiQuad;

static inline hfiTwo hfi_quad_low(hfiQuad a) { return (hfiTwo){a[0], a[1]}; }
static inline hfiTwo hfi_quad_high(hfiQuad a) { return (hfiTwo){a[2], a[3]}; }
static inline hfiQuad hfi_quad_zero(void) { return (hfiQuad){0, 0, 0, 0}; }
static inline hfiQuad hfi_quad_of(double a, double b, double c, double d) { return (hfiQuad){a, b, c, d}; }
static inline hfiQuad hfi_quad_load(const double* x) { return *(const hfiFour*)x; }
static inline void hfi_quad_store(double* y, hfiQuad a) { *(hfiFour*)y = a; }
static inline hfiQuad hfi_quad_add(hfiQuad a, hfiQuad b) { return a + b; }
static inline hfiQuad hfi_quad_multiply(hfiQuad a, hfiQuad b) { return a * b; }
#else
#define HFI_QUAD_PLUS(s, a, x) ((s).low += (a) * (x).low, (s).high += (a) * (x).high)
#define HFI_QUAD_MINUS(s, a, x) ((s).low -= (a) * (x).low, (s).high -= (a) * (x).high)

typedef struct hfiQuad {
  hfiTwo low, high;
} hfiQuad;

static inline hfiTwo hfi_quad_low(hfiQuad a) { return a.low; }
static inline hfiTwo hfi_quad_high(hfiQuad a) { return a.high; }
static inline hfiQuad hfi_quad_zero(void) { return (hfiQuad){{0, 0}, {0, 0}}; }
static inline hfiQuad hfi_quad_of(double a, double b, double c, double d) { return (hfiQuad){{a, b}, {c, d}}; }
static inline hfiQuad hfi_quad_load(const double* x) { return (hfiQuad){*(const hfiTwo*)x, *(const hfiTwo*)(x + 2)}; }
static inline void hfi_quad_store(double* y, hfiQuad a) {
  *(hfiTwo*)y = a.low;
  *(hfiTwo*)(y + 2) = a.high;
}
static inline hfiQuad hfi_quad_add(hfiQuad a, hfiQuad b) { return (hfiQuad){a.low + b.low, a.high + b.high}; }
static inline hfiQuad hfi_quad_multiply(hfiQuad a, hfiQuad b) { return (hfiQuad){a.low * b.low, a.high * b.high}; }
#endif

#endif
