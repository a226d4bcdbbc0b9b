// Iterations with rough factors: generalised conjugate residuals (Eisenstat, Elman and Schultz, SIAM J. Numer. Anal. 20, 1983), which need no symmetric K.
// With M the rough factors, r = b and x = 0 at first, for k = 1, 2, ...
//
//   p_k = M^-1 r,  q_k = K p_k,   both less their parts along q_j of j < k
//   a = (r, q_k)/(q_k, q_k),      x += a p_k,   r -= a q_k
//
// so that |r| is the least in the space of all p_k. (x, y) = sum weight_i x_i y_i.
//
// B->rough->original has the blocks of K: for each position its diagonal block, and for each later node that it is coupled to K_kj and, where K is not
// symmetric, K_jk^T.
#include "linalg/block_rough.h"

#include "base/compile.h"
#include "linalg/dense.h"
#include "linalg/weighted.h"

#include <math.h>
#include <string.h>

enum { MOST = 16 }; // iterations. Two to seven are usual; complete factors take as long as about fifteen.

// ---- storage -----------------------------------------------------------------------------------------

// Is entry e of position k a coupling of K itself?
static int is_direct(const hfiBlockMatrix* B, int32_t k, int32_t e) {
  const uint64_t* row = B->ordered + (size_t)B->order[k] * (size_t)B->words;
  int32_t other = B->order[B->later[e]];
  return row[other >> 6] >> (other & 63) & 1;
}

// Numbers in the blocks of K that is not symmetric.
static size_t count_values(const hfiBlockMatrix* B) {
  size_t count = 0;
  for (int32_t k = 0; k < B->nodes; ++k) {
    count += (size_t)(B->size[k] * B->size[k]);
    for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e)
      if (is_direct(B, k, e)) count += 2 * (size_t)(B->size[k] * B->size[B->later[e]]);
  }
  return count;
}

static size_t count_vectors(const hfiBlockMatrix* B) { return (2 * MOST + 2) * (size_t)B->first[B->nodes]; }

size_t hfi_block_count_rough(const hfiBlockMatrix* B) {
  size_t integers = 3 * (size_t)B->nodes + 1 + 3 * (size_t)B->start[B->nodes];
  return count_values(B) + count_vectors(B) + (integers + 1) / 2;
}

void hfi_block_make_rough(hfiBlockMatrix* B, hfiBlockRough* R, double* room) {
  int32_t nodes = B->nodes, entries = B->start[nodes], direct = 0;
  R->vectors = room;
  R->original = room + count_vectors(B);
  R->direct_start = (int32_t*)(R->original + count_values(B));
  R->width = R->direct_start + nodes + 1;
  R->end = R->width + nodes;
  R->direct = R->end + nodes;
  R->later = R->direct + entries;
  R->offset = R->later + entries;
  for (int32_t k = 0; k < nodes; ++k) {
    R->direct_start[k] = direct;
    for (int32_t e = B->start[k]; e < B->start[k + 1]; ++e)
      if (is_direct(B, k, e)) R->direct[direct++] = e;
  }
  R->direct_start[nodes] = direct;
  B->rough = R;
}

// ---- the blocks of K ---------------------------------------------------------------------------------

enum { CLEAR, KEEP, PUT_BACK };

// X (n x m, rows side by side) and a block of a panel: clears that, copies it to X, or X to it.
HFI_COPIED void treat_block(double* X, double* panel, int ld, int n, int m, int what) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      if (what == CLEAR)
        panel[i * ld + j] = 0;
      else if (what == KEEP)
        X[i * m + j] = panel[i * ld + j];
      else
        panel[i * ld + j] = X[i * m + j];
    }
}

// Treats all blocks of K so.
HFI_COPIED void treat_blocks(hfiBlockMatrix* B, int symmetric, int what, int six) {
  const hfiBlockRough* R = B->rough;
  double* X = R->original;
  for (int32_t k = 0; k < B->nodes; ++k) {
    int n = six ? 6 : B->size[k], w = B->width[k], ld = n + w;
    double *rows = hfi_block_rows(B, k), *lower = rows + n * ld;
    treat_block(X, rows, ld, n, n, what);
    X += n * n;
    for (int32_t d = R->direct_start[k]; d < R->direct_start[k + 1]; ++d) {
      int32_t e = R->direct[d], m = six ? 6 : B->size[B->later[e]], at = B->offset[e];
      treat_block(X, rows + n + at, ld, n, m, what);
      X += n * m;
      if (symmetric) continue;
      treat_block(X, lower + at, w, n, m, what);
      X += n * m;
    }
  }
}

void hfi_block_zero_original(hfiBlockMatrix* B, int symmetric) {
  if (B->all_six)
    treat_blocks(B, symmetric, CLEAR, 1);
  else
    treat_blocks(B, symmetric, CLEAR, 0);
}

// Of a symmetric K the upper triangle is known.
static void fill_lower_triangle(double* K, int n, int ld) {
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < i; ++j) K[i * ld + j] = K[j * ld + i];
}

int hfi_block_factor_roughly(hfiBlockMatrix* B, int symmetric) {
  for (int32_t k = 0; symmetric && k < B->nodes; ++k) fill_lower_triangle(hfi_block_rows(B, k), B->size[k], hfi_block_stride(B, k));
  if (B->all_six)
    treat_blocks(B, symmetric, KEEP, 1);
  else
    treat_blocks(B, symmetric, KEEP, 0);
  return hfi_block_eliminate_roughly(B, symmetric);
}

int hfi_block_factor_again(hfiBlockMatrix* B) {
  hfi_block_zero(B, B->symmetric);
  treat_blocks(B, B->symmetric, PUT_BACK, 0);
  B->rough = NULL;
  return hfi_block_factor(B, B->symmetric);
}

// y += X x, X (n x m)
HFI_COPIED void add_block(const double* X, int n, int m, const double* x, double* y) {
  for (int i = 0; i < n; ++i) y[i] += hfi_dot(X + i * m, x, m);
}

HFI_COPIED void multiply_nodes(const hfiBlockMatrix* B, const double* x, double* y, int six) {
  const hfiBlockRough* R = B->rough;
  const double* X = R->original;
  memset(y, 0, sizeof *y * (size_t)B->first[B->nodes]);
  for (int32_t k = 0; k < B->nodes; ++k) {
    int n = six ? 6 : B->size[k], at = B->first[k];
    add_block(X, n, n, x + at, y + at);
    X += n * n;
    for (int32_t d = R->direct_start[k]; d < R->direct_start[k + 1]; ++d) {
      int32_t j = B->later[R->direct[d]], m = six ? 6 : B->size[j], other = B->first[j];
      add_block(X, n, m, x + other, y + at);
      if (!B->symmetric) X += n * m;
      hfi_add_rows(y + other, 1.0, x + at, 1, X, m, n, m);
      X += n * m;
    }
  }
}

void hfi_block_multiply(const hfiBlockMatrix* B, const double* x, double* y) {
  if (B->all_six)
    multiply_nodes(B, x, y, 1);
  else
    multiply_nodes(B, x, y, 0);
}

// ---- the iteration -----------------------------------------------------------------------------------

int hfi_block_iterate(const hfiBlockMatrix* B, const double* weight, double tolerance, double* b) {
  int32_t n = B->first[B->nodes];
  double *x = B->rough->vectors, *r = x + n, *p = r + n, *q = p + MOST * n, square[MOST];
  double norm2 = hfi_weighted_dot(weight, b, b, n), enough = tolerance * tolerance * norm2;
  if (norm2 == 0) return 1;
  memset(x, 0, sizeof *x * (size_t)n);
  memcpy(r, b, sizeof *r * (size_t)n);
  for (int k = 0; k < MOST; ++k, p += n, q += n) {
    memcpy(p, r, sizeof *p * (size_t)n);
    hfi_block_solve(B, p);
    hfi_block_multiply(B, p, q);
    for (int j = 0; j < k; ++j) {
      double share = hfi_weighted_dot(weight, q, q + (j - k) * n, n) / square[j];
      hfi_axpy(q, -share, q + (j - k) * n, n);
      hfi_axpy(p, -share, p + (j - k) * n, n);
    }
    square[k] = hfi_weighted_dot(weight, q, q, n);
    double a = hfi_weighted_dot(weight, r, q, n) / square[k];
    hfi_axpy(x, a, p, n);
    hfi_axpy(r, -a, q, n);
    if (!(hfi_weighted_dot(weight, r, r, n) <= enough)) continue;
    memcpy(b, x, sizeof *b * (size_t)n);
    return 1;
  }
  return 0;
}
