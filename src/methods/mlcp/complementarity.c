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
// A contact that slides has lambda > 0; the edge that is most opposite to the slip then has the whole impulse mu fN.
// The order of the unknowns is: saturated rows, normals, then the k edges and the slack of each contact with friction.
#include "methods/mlcp/inside.h"

#include "math/vec3.h"

#include <string.h>

// Sets for each unknown the row of J, or the combination of two rows, that it multiplies. Slacks multiply no row.
static void set_edges(hfMlcp* m) {
  const hfiMlcpRows* r = &m->rows;
  int edges = m->config.edges;
  int base = r->ns + r->nc;

  for (int i = 0; i < base; ++i) m->lcp.edge[i] = (hfiMlcpEdge){i, 1, 0};

  // tangent rows are in the order of contacts
  hfiMlcpEdge* edge = m->lcp.edge + base;
  for (int t = 0; t < r->nt; ++t) {
    int tangent = base + 2 * t;
    for (int l = 0; l < edges; ++l) {
      hfiSine angle = hfi_sine(2 * HFI_PI * l / edges);
      *edge++ = (hfiMlcpEdge){tangent, angle.cos, angle.sin};
    }
    *edge++ = (hfiMlcpEdge){tangent, 0, 0};
  }
}

// Returns a G b^T for two combinations of rows.
static double multiply_edges(const hfiMlcpRows* r, hfiMlcpEdge a, hfiMlcpEdge b) {
  const double* row = r->G + (size_t)a.row * (size_t)r->n + b.row;
  double sum = b.x * row[0];
  if (b.y != 0) sum += b.y * row[1];
  if (a.y == 0) return a.x * sum;

  const double* next = row + r->n;
  double next_sum = b.x * next[0];
  if (b.y != 0) next_sum += b.y * next[1];
  return a.x * sum + a.y * next_sum;
}

// Sets the matrix of n unknowns to E G E^T, where E has the combinations as its rows, and sets the right-hand side and
// the bounds.
static void fill_rows(hfMlcp* m, int n) {
  const hfiMlcpRows* r = &m->rows;
  hfiMlcpUnknowns* lcp = &m->lcp;

  for (int i = 0; i < n; ++i) {
    hfiMlcpEdge e = lcp->edge[i];
    for (int j = 0; j <= i; ++j) {
      double entry = multiply_edges(r, e, lcp->edge[j]);
      lcp->A[i * n + j] = entry;
      lcp->A[j * n + i] = entry;
    }
    lcp->b[i] = e.x * (r->g[e.row] - r->target[e.row]);
    if (e.y != 0) lcp->b[i] += e.y * (r->g[e.row + 1] - r->target[e.row + 1]);
    lcp->lo[i] = 0;
    lcp->hi[i] = INFINITY;
  }

  for (int i = 0; i < r->ns + r->nc; ++i) {
    lcp->A[i * n + i] += r->soft[i];
    lcp->lo[i] = r->lo[i];
    lcp->hi[i] = r->hi[i];
  }
}

// Adds the terms of the slacks: lambda to the rows of the edges, mu fN - sum fF to its own row.
static void add_slacks(hfMlcp* m, int n) {
  const hfiMlcpRows* r = &m->rows;
  double* A = m->lcp.A;
  int edges = m->config.edges;
  int slack = r->ns + r->nc + edges;

  for (int c = 0; c < r->nc; ++c) {
    if (r->tangent[c] < 0) continue;
    for (int e = slack - edges; e < slack; ++e) {
      A[e * n + slack] = 1;
      A[slack * n + e] = -1;
    }
    A[slack * n + r->ns + c] = r->mu[c];
    slack += edges + 1;
  }
}

// Solves the rows with polygonal friction cones. Writes rows.x.
hfStatus hfi_mlcp_complementarity(hfMlcp* m, hfSolveReport* report, hfError* error) {
  hfiMlcpRows* r = &m->rows;
  int n = r->ns + r->nc + r->nt * (m->config.edges + 1);

  set_edges(m);
  fill_rows(m, n);
  add_slacks(m, n);
  hfStatus status = hfi_mlcp_run(m, n, report, error);
  if (status < 0) return status;

  // impulses of rows from impulses along edges
  memset(r->x, 0, sizeof *r->x * (size_t)r->n);
  for (int i = 0; i < n; ++i) {
    hfiMlcpEdge e = m->lcp.edge[i];
    r->x[e.row] += e.x * m->lcp.z[i];
    if (e.y != 0) r->x[e.row + 1] += e.y * m->lcp.z[i];
  }
  return status;
}
