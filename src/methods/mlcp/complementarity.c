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
static void set_edges(hfMlcp* mlcp) {
  const hfiMlcpRows* rows = &mlcp->rows;
  int edges = mlcp->config.edges;
  int base = rows->ns + rows->nc;

  for (int i = 0; i < base; ++i) mlcp->lcp.edge[i] = (hfiMlcpEdge){i, 1, 0};

  // tangent rows are in the order of contacts
  hfiMlcpEdge* edge = mlcp->lcp.edge + base;
  for (int t = 0; t < rows->nt; ++t) {
    int tangent = base + 2 * t;
    for (int l = 0; l < edges; ++l) {
      hfiSine angle = hfi_sine(2 * HFI_PI * l / edges);
      *edge++ = (hfiMlcpEdge){tangent, angle.cos, angle.sin};
    }
    *edge++ = (hfiMlcpEdge){tangent, 0, 0};
  }
}

// Returns a G b^T for two combinations of rows.
static double multiply_edges(const hfiMlcpRows* rows, hfiMlcpEdge a, hfiMlcpEdge b) {
  const double* row = rows->G + (size_t)a.row * (size_t)rows->n + b.row;
  double sum = b.x * row[0];
  if (b.y != 0) sum += b.y * row[1];
  if (a.y == 0) return a.x * sum;

  const double* next = row + rows->n;
  double next_sum = b.x * next[0];
  if (b.y != 0) next_sum += b.y * next[1];
  return a.x * sum + a.y * next_sum;
}

// Sets the matrix of n unknowns to E G E^T, where row i of E has x at edge.row and y at the next row. Sets the
// right-hand side and the bounds.
static void fill_rows(hfMlcp* mlcp, int n) {
  const hfiMlcpRows* rows = &mlcp->rows;
  hfiMlcpUnknowns* lcp = &mlcp->lcp;

  for (int i = 0; i < n; ++i) {
    hfiMlcpEdge edge = lcp->edge[i];
    for (int j = 0; j <= i; ++j) {
      double entry = multiply_edges(rows, edge, lcp->edge[j]);
      lcp->A[i * n + j] = entry;
      lcp->A[j * n + i] = entry;
    }

    // the right-hand side, E (g - target); contacts with bounds 0 ... inf
    lcp->b[i] = edge.x * (rows->g[edge.row] - rows->target[edge.row]);
    if (edge.y != 0) lcp->b[i] += edge.y * (rows->g[edge.row + 1] - rows->target[edge.row + 1]);
    lcp->lo[i] = 0;
    lcp->hi[i] = INFINITY;
  }

  // saturated rows and normals are unknowns themselves: their compliance and bounds
  for (int i = 0; i < rows->ns + rows->nc; ++i) {
    lcp->A[i * n + i] += rows->soft[i];
    lcp->lo[i] = rows->lo[i];
    lcp->hi[i] = rows->hi[i];
  }
}

// Adds the terms of the slacks: lambda to the rows of the edges, mu fN - sum fF to its own row.
static void add_slacks(hfMlcp* mlcp, int n) {
  const hfiMlcpRows* rows = &mlcp->rows;
  double* A = mlcp->lcp.A;
  int edges = mlcp->config.edges;
  int slack = rows->ns + rows->nc + edges;

  for (int c = 0; c < rows->nc; ++c) {
    if (rows->tangent[c] < 0) continue;

    for (int e = slack - edges; e < slack; ++e) {
      A[e * n + slack] = 1;
      A[slack * n + e] = -1;
    }
    A[slack * n + rows->ns + c] = rows->mu[c];
    slack += edges + 1;
  }
}

// Solves the rows with polygonal friction cones. Writes rows.x.
hfStatus hfi_mlcp_complementarity(hfMlcp* mlcp, hfSolveReport* report, hfError* error) {
  hfiMlcpRows* rows = &mlcp->rows;
  int n = rows->ns + rows->nc + rows->nt * (mlcp->config.edges + 1);

  set_edges(mlcp);
  fill_rows(mlcp, n);
  add_slacks(mlcp, n);
  hfStatus status = hfi_mlcp_run(mlcp, n, report, error);
  if (status < 0) return status;

  // impulses of rows from impulses along edges
  memset(rows->x, 0, sizeof *rows->x * (size_t)rows->n);
  for (int i = 0; i < n; ++i) {
    hfiMlcpEdge edge = mlcp->lcp.edge[i];
    rows->x[edge.row] += edge.x * mlcp->lcp.z[i];
    if (edge.y != 0) rows->x[edge.row + 1] += edge.y * mlcp->lcp.z[i];
  }
  return status;
}
