// Rolling motions of a grasp (rolling.h).
//
//   G v = 0,   rows of G: slip of a rolling contact along its two tangents, for unit velocities of the object
#include "grasp/rolling.h"

#include <math.h>
#include <string.h>

enum { ROWS = 2 * GRASP_CONTACTS };

// Scale of degree of freedom k of an object with `no` of them: the last one of a planar, the last three of a free object turn [m/s, rad/s].
static double scale_of(int no, int k) { return k >= no / 2 + (no == 3) ? 10 : 1; }

// Fills G for the contacts of the mask, at the configured q; returns the number of rows.
static int slip_rows(const graspScene* s, int mask, double (*G)[GRASP_DOFS]) {
  int rows = 0;
  for (int k = 0; k < s->no; ++k) {
    double unit[GRASP_DOFS] = {0}, slip[GRASP_CONTACTS][2];
    unit[k] = scale_of(s->no, k);
    grasp_keep(s, unit);
    grasp_slip(s, unit, slip);
    rows = 0;
    for (int i = 0; i < s->nc; ++i)
      for (int d = 0; mask >> i & 1 && d < 2; ++d) G[rows++][k] = slip[i][d];
  }
  return rows;
}

// Subtracts the pivot row, whose entry in column k is the largest of the rows from it on, from all others.
static void eliminate(double (*G)[GRASP_DOFS], int rows, int n, int pivot, int k) {
  for (int i = 0; i < rows; ++i)
    for (int j = n - 1; j >= k && i != pivot; --j) G[i][j] -= G[i][k] / G[pivot][k] * G[pivot][j];
}

static void swap_rows(double* a, double* b) {
  double kept[GRASP_DOFS];
  memcpy(kept, a, sizeof kept);
  memcpy(a, b, sizeof kept);
  memcpy(b, kept, sizeof kept);
}

int grasp_rolling_motion(graspScene* s, const double* q, int mask, double* v) {
  double G[ROWS][GRASP_DOFS] = {{0}};
  int pivot_of[GRASP_DOFS], rank = 0;
  grasp_configure(s, q);
  int rows = slip_rows(s, mask, G);
  for (int k = 0; k < s->no; ++k) {
    int best = rank;
    pivot_of[k] = -1;
    for (int i = rank; i < rows; ++i)
      if (fabs(G[i][k]) > fabs(G[best][k])) best = i;
    if (rank == rows || fabs(G[best][k]) < 1e-9) continue;
    swap_rows(G[rank], G[best]);
    eliminate(G, rows, s->no, rank, k);
    pivot_of[k] = rank++;
  }
  memset(v, 0, GRASP_DOFS * sizeof *v);
  for (int k = 0; k < s->no; ++k) {
    double x = pivot_of[k] < 0;
    for (int j = 0; j < s->no && pivot_of[k] >= 0; ++j)
      if (pivot_of[j] < 0) x -= G[pivot_of[k]][j] / G[pivot_of[k]][k];
    v[k] = scale_of(s->no, k) * x;
  }
  return rank < s->no;
}

double grasp_rolling_time(const graspRun* run, int nc, int mask) {
  for (int k = 0; k < run->count; ++k)
    for (int i = 0; i < nc; ++i)
      if (mask >> i & 1 && hypot(run->sample[k].slip[i][0], run->sample[k].slip[i][1]) > 1e-4)
        return run->sample[k].t - run->sample[0].t;
  return run->count ? run->sample[run->count - 1].t - run->sample[0].t : 0;
}
