// The rigid step as a mixed complementarity problem with polygonal friction cones (Shepherd,
// Zapolsky, Drumwright Eq. 2-7; Stewart and Trinkle). Symbols as in mlcp.c, and
//
//   k       edges of a friction cone          d_i     edge i: (cos, sin)(2 pi i/k)
//   fF      impulse along each edge           F       the two tangent rows of a contact
//   lambda  slack of a contact: its largest sliding velocity [m/s]
//
//   saturated  h lo <= x <= h hi   complementary to   J v - s0 + R x
//   normal     fN >= 0             complementary to   N v - b
//   edges      fF >= 0             complementary to   d^T F v + lambda
//   slack      lambda >= 0         complementary to   mu fN - sum fF
//
// A contact that slides has lambda > 0; the edge that is most opposite to the slip then has the whole impulse mu fN. The order of the unknowns is:
// saturated rows, normals, then the k edges and the slack of each contact with friction.
#include "methods/mlcp/mlcp.h"

#include "math/vec3.h"

#include <string.h>

// Sets the row of J, or the combination of two rows, that each unknown multiplies. Slacks multiply no row.
static void set_edges(hfMlcp* m, int base) {
  int k = m->config.edges;
  for (int i = 0; i < base; ++i) m->edge[i] = (hfiMlcpEdge){i, 1, 0};
  for (int t = 0, i = base; t < m->nt; ++t) { // Tangent rows are in the order of contacts.
    for (int l = 0; l < k; ++l, ++i) {
      hfiSine edge = hfi_sine(2 * HFI_PI * l / k);
      m->edge[i] = (hfiMlcpEdge){base + 2 * t, edge.cos, edge.sin};
    }
    m->edge[i++] = (hfiMlcpEdge){base + 2 * t, 0, 0};
  }
}

// Returns a G b^T for two combinations of rows.
static double entry(const hfMlcp* m, hfiMlcpEdge a, hfiMlcpEdge b) {
  const double* row = m->G + (size_t)a.row * (size_t)m->n + b.row;
  double first = b.x * row[0] + (b.y != 0 ? b.y * row[1] : 0);
  if (a.y == 0) return a.x * first;
  row += m->n;
  return a.x * first + a.y * (b.x * row[0] + (b.y != 0 ? b.y * row[1] : 0));
}

// Sets the matrix to E G E^T, where E has the combinations as its rows, and sets the right-hand side and the bounds.
static void fill_rows(hfMlcp* m, int base, int n) {
  for (int i = 0; i < n; ++i) {
    hfiMlcpEdge e = m->edge[i];
    for (int j = 0; j <= i; ++j) m->lcp_A[i * n + j] = m->lcp_A[j * n + i] = entry(m, e, m->edge[j]);
    m->lcp_b[i] = e.x * (m->g[e.row] - m->target[e.row]);
    if (e.y != 0) m->lcp_b[i] += e.y * (m->g[e.row + 1] - m->target[e.row + 1]);
    m->lcp_lo[i] = 0, m->lcp_hi[i] = INFINITY;
  }
  for (int i = 0; i < base; ++i) {
    m->lcp_A[i * n + i] += m->soft[i];
    m->lcp_lo[i] = m->lo[i], m->lcp_hi[i] = m->hi[i];
  }
}

// Adds the terms of the slacks: lambda to the rows of the edges, mu fN - sum fF to its own row.
static void add_slacks(hfMlcp* m, int base, int n) {
  int k = m->config.edges, slack = base + k;
  for (int c = 0; c < m->nc; ++c) {
    if (m->tangent[c] < 0) continue;
    for (int e = slack - k; e < slack; ++e) m->lcp_A[e * n + slack] = 1, m->lcp_A[slack * n + e] = -1;
    m->lcp_A[slack * n + m->ns + c] = m->mu[c];
    slack += k + 1;
  }
}

hfStatus hfi_mlcp_complementarity(hfMlcp* m, hfSolveReport* report, hfError* error) {
  int base = m->ns + m->nc, n = base + m->nt * (m->config.edges + 1);
  set_edges(m, base);
  fill_rows(m, base, n);
  add_slacks(m, base, n);
  hfStatus status = hfi_mlcp_run(m, n, report, error);
  if (status < 0) return status;
  memset(m->x, 0, sizeof *m->x * (size_t)m->n);
  for (int i = 0; i < n; ++i) {
    hfiMlcpEdge e = m->edge[i];
    m->x[e.row] += e.x * m->z[i];
    if (e.y != 0) m->x[e.row + 1] += e.y * m->z[i];
  }
  return status;
}
