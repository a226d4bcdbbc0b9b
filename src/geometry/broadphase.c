// A uniform grid of cells as wide as the widest of the ordinary boxes, those of at most 4 times the
// median width. A box belongs to the cell of its centre, so that two ordinary boxes can overlap only
// from neighbouring cells: of the 27, the own cell and 13 others see every pair once. The other boxes
// (planes among them) are tested against all.
#include "geometry/broadphase.h"

#include <string.h>

void hfi_grid_init(hfiGrid* g, int nbox, hfiArena* arena) {
  g->nbox = nbox;
  g->geom = NULL;
  for (g->nslot = 16; g->nslot < 2 * nbox;) g->nslot *= 2;
  g->slot = HFI_TAKE(arena, int32_t, g->nslot);
  g->next = HFI_TAKE(arena, int32_t, nbox);
  g->cell = HFI_TAKE(arena, int64_t, 3 * (size_t)nbox);
  g->extent = HFI_TAKE(arena, double, nbox);
  g->large = HFI_TAKE(arena, int32_t, nbox);
}

static double box_extent(const hfiAabb* b) {
  return max2(b->hi.x - b->lo.x, max2(b->hi.y - b->lo.y, b->hi.z - b->lo.z));
}

static int boxes_overlap(const hfiAabb* a, const hfiAabb* b) {
  return a->lo.x <= b->hi.x && b->lo.x <= a->hi.x && a->lo.y <= b->hi.y && b->lo.y <= a->hi.y &&
         a->lo.z <= b->hi.z && b->lo.z <= a->hi.z;
}

// Median by quickselect in place; ties and order do not change the value.
static double median(double* x, int n) {
  int k = n / 2, lo = 0, hi = n - 1;
  while (lo < hi) {
    double pivot = x[(lo + hi) / 2];
    int i = lo, j = hi;
    while (i <= j) {
      while (x[i] < pivot) i++;
      while (x[j] > pivot) j--;
      if (i <= j) {
        double t = x[i];
        x[i++] = x[j];
        x[j--] = t;
      }
    }
    if (k <= j)
      hi = j;
    else if (k >= i)
      lo = i;
    else
      break;
  }
  return x[k];
}

static uint32_t hash_cell(const hfiGrid* g, int64_t x, int64_t y, int64_t z) {
  uint64_t h = (uint64_t)x * UINT64_C(0x9E3779B97F4A7C15) ^
               (uint64_t)y * UINT64_C(0xC2B2AE3D27D4EB4F) ^
               (uint64_t)z * UINT64_C(0x165667B19E3779F9);
  return (uint32_t)(h >> 32) & (uint32_t)(g->nslot - 1);
}

typedef struct CandidateOutput {
  const hfiFilter* filter;
  hfiCandidate* out;
  int capacity, count, found;
} CandidateOutput;

// Candidates are pairs of boxes until all of them are found and sorted.
static inline void test_pair(hfiGrid* g, const hfiAabb* box, int i, int j, CandidateOutput* o) {
  g->tests++;
  if (!boxes_overlap(&box[i], &box[j])) return;
  int a = i < j ? i : j, b = i < j ? j : i;
  if (!hfi_filter_test(o->filter, g->geom ? g->geom[a] : a, g->geom ? g->geom[b] : b)) return;
  if (o->count < o->capacity) {
    hfiCandidate c = {a, b, -1};
    o->out[o->count++] = c;
  }
  o->found++;
}

// Puts ordinary boxes into cells, and returns the number of large ones.
static int fill_cells(hfiGrid* g, const hfiAabb* box) {
  int n = g->nbox, nlarge = 0;
  for (int i = 0; i < n; ++i) g->extent[i] = box_extent(&box[i]);
  double ordinary = 4 * median(g->extent, n), width = 1e-9;
  for (int i = 0; i < n; ++i)
    if (g->extent[i] <= ordinary) width = max2(width, g->extent[i]);
  for (int i = 0; i < g->nslot; ++i) g->slot[i] = -1;
  for (int i = n - 1; i >= 0; --i) { // backwards, so that lists ascend
    int64_t* c = g->cell + 3 * i;
    hfVec3 centre = v3_scale(0.5, v3_add(box[i].lo, box[i].hi));
    double limit = 1e15 * width; // cells are whole numbers
    if (!(box_extent(&box[i]) <= width) ||
        !(fabs(centre.x) < limit && fabs(centre.y) < limit && fabs(centre.z) < limit)) {
      g->large[nlarge++] = i;
      c[0] = INT64_MIN;
      continue;
    }
    c[0] = (int64_t)floor(centre.x / width), c[1] = (int64_t)floor(centre.y / width),
    c[2] = (int64_t)floor(centre.z / width);
    uint32_t s = hash_cell(g, c[0], c[1], c[2]);
    g->next[i] = g->slot[s];
    g->slot[s] = i;
  }
  return nlarge;
}

// Tests box i with those of a cell; own: the cell is that of box i, whose later boxes alone count.
static inline void test_cell(hfiGrid* g, const hfiAabb* box, int i, const int64_t* cell, uint32_t slot, int own,
                             CandidateOutput* o) {
  for (int j = g->slot[slot]; j >= 0; j = g->next[j]) {
    const int64_t* c = g->cell + 3 * j;
    if (c[0] != cell[0] || c[1] != cell[1] || c[2] != cell[2] || (own && j <= i)) continue;
    test_pair(g, box, i, j, o);
  }
}

// The own cell and those behind it in the order of z, y, x; cells before it see this one.
static void test_neighbours(hfiGrid* g, const hfiAabb* box, int i, CandidateOutput* o) {
  const int64_t* c = g->cell + 3 * i;
  for (int z = 0; z < 2; ++z)
    for (int y = z ? -1 : 0; y < 2; ++y)
      for (int x = z || y ? -1 : 0; x < 2; ++x) {
        int64_t cell[3] = {c[0] + x, c[1] + y, c[2] + z};
        uint32_t slot = hash_cell(g, cell[0], cell[1], cell[2]);
        if (g->slot[slot] >= 0) test_cell(g, box, i, cell, slot, x == 0 && y == 0 && z == 0, o);
      }
}

// Sorts n candidates by (a, b): by a in place with the counts of each a, then the few of each a by insertion. The
// cells are not needed any more and serve as scratch.
static void sort_candidates(hfiGrid* g, hfiCandidate* x, int n) {
  int32_t *end = g->slot, *place = g->next;
  memset(end, 0, sizeof *end * (size_t)g->nbox);
  for (int i = 0; i < n; ++i) end[x[i].a]++;
  for (int a = 0, sum = 0; a < g->nbox; ++a) place[a] = sum, sum += end[a], end[a] = sum;
  for (int a = 0; a < g->nbox; ++a)
    while (place[a] < end[a]) {
      hfiCandidate* at = &x[place[a]];
      if (at->a == a) {
        place[a]++;
        continue;
      }
      hfiCandidate moved = *at, *to = &x[place[moved.a]++];
      *at = *to, *to = moved;
    }
  for (int i = 1; i < n; ++i) {
    hfiCandidate c = x[i];
    int k = i;
    for (; k > 0 && x[k - 1].a == c.a && x[k - 1].b > c.b; --k) x[k] = x[k - 1];
    x[k] = c;
  }
}

int hfi_grid_pairs(hfiGrid* g, const hfiAabb* box, const hfiFilter* filter, hfiCandidate* out,
                   int capacity, int* found) {
  CandidateOutput o = {filter, out, capacity, 0, 0};
  g->tests = 0;
  int nlarge = g->nbox ? fill_cells(g, box) : 0;
  for (int i = 0; i < g->nbox; ++i)
    if (g->cell[3 * i] != INT64_MIN) test_neighbours(g, box, i, &o);
  for (int l = 0; l < nlarge; ++l) {
    int i = g->large[l];
    for (int j = 0; j < g->nbox; ++j)
      if (g->cell[3 * j] != INT64_MIN || j < i) test_pair(g, box, i, j, &o);
  }
  sort_candidates(g, out, o.count);
  for (int i = 0; g->geom && i < o.count; ++i) out[i].a = g->geom[out[i].a], out[i].b = g->geom[out[i].b];
  *found = o.found;
  return o.count;
}
