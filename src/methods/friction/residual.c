// The natural map of a friction problem (Acary, Bremond, Huber: On solving contact problems with Coulomb friction,
// 2018; De Saxce's form of Coulomb's law). For every contact
//
//   u^ = u + mu |u_t| n,   e = r - P(r - u^),   P: projection on the cone |r_t| <= mu r_n
//
// e is zero exactly where Coulomb's law holds; the natural map is |e| over all contacts. It adds reactions to
// velocities, so that it depends on the units. The scaled residual does not: with rho = 1/c, c the mean of the
// diagonal of W on the contact,
//
//   e = r - P(r - rho u^),   scaled residual = |sqrt(c) e|/|q/sqrt(c)|
//
// where an equality has e = rho u, because its velocity must be zero.
#include "methods/friction/residual.h"

#include <math.h>
#include <string.h>

// u = W r + q
void hfi_reduced_velocity(const hfiReduced* reduced, const double* r, double* u) {
  memcpy(u, reduced->q, sizeof *u * (size_t)reduced->n);
  hfi_sparse_add(&reduced->W, r, u);
}

// Returns entry (i, i) of A.
static double diagonal(const hfSparseMatrix* A, int32_t i) {
  double sum = 0;
  for (int32_t e = A->start[i]; e < A->start[i + 1]; ++e) sum += A->col[e] == i ? A->value[e] : 0;
  return sum;
}

// The mean of the diagonal of W over the rows of a node; 1 if it is zero [m/s per N, or as the problem's units].
double hfi_node_compliance(const hfiReduced* reduced, int32_t node) {
  int32_t row = hfi_node_row(reduced, node);
  int32_t size = hfi_node_size(reduced, node);

  double sum = 0;
  for (int32_t k = 0; k < size; ++k) sum += diagonal(&reduced->W, row + k);
  return sum > 0 ? sum / size : 1;
}

// Projects w on the cone |w_t| <= mu w_n.
static void project(double mu, double* w) {
  double t = sqrt(w[1] * w[1] + w[2] * w[2]);
  if (t <= mu * w[0]) return;

  // the apex is the nearest point of all w in the polar cone
  double n = mu * t <= -w[0] ? 0 : (mu * t + w[0]) / (mu * mu + 1);
  double share = t > 0 ? mu * n / t : 0;
  w[0] = n;
  w[1] *= share;
  w[2] *= share;
}

// Returns |r - P(r - rho u^)|^2 of a contact.
static double natural_square(double mu, double rho, const double* r, const double* u) {
  double slip = sqrt(u[1] * u[1] + u[2] * u[2]);
  double w[3] = {r[0] - rho * (u[0] + mu * slip), r[1] - rho * u[1], r[2] - rho * u[2]};
  project(mu, w);

  double sum = 0;
  for (int k = 0; k < 3; ++k) sum += (r[k] - w[k]) * (r[k] - w[k]);
  return sum;
}

// Returns |x|^2.
static double square(const double* x, int32_t n) {
  double sum = 0;
  for (int32_t i = 0; i < n; ++i) sum += x[i] * x[i];
  return sum;
}

// Returns part/whole, or the part where the whole is zero.
static double share(double part, double whole) { return whole > 0 ? part / whole : part; }

// Returns for reactions r and velocities u: the natural map |e|, without equalities; |e| over the largest of the norms
// of q, r and u of the contacts; and the scaled residual, with equalities (file's head).
hfiResidual hfi_friction_residual(const hfiReduced* reduced, const double* r, const double* u) {
  double natural = 0;
  double scaled = 0;
  double size = 0;

  for (int32_t i = 0; i < hfi_reduced_nodes(reduced); ++i) {
    int32_t row = hfi_node_row(reduced, i);
    int32_t n = hfi_node_size(reduced, i);
    double c = hfi_node_compliance(reduced, i);
    size += square(reduced->q + row, n) / c;

    if (i < reduced->ncontact) {
      natural += natural_square(reduced->mu[i], 1, r + row, u + row);
      scaled += c * natural_square(reduced->mu[i], 1 / c, r + row, u + row);
    } else {
      scaled += u[row] * u[row] / c;
    }
  }

  int32_t rows = 3 * reduced->ncontact;
  double whole = fmax(square(reduced->q, rows), fmax(square(r, rows), square(u, rows)));
  hfiResidual out = {sqrt(natural), share(sqrt(natural), sqrt(whole)), share(sqrt(scaled), sqrt(size))};
  return out;
}
