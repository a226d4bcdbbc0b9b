// A uniform grid of cells as wide as the widest of the ordinary boxes, those of at most 4 times the
// median width. A box belongs to the cell of its centre, so that two ordinary boxes can overlap only
// from neighbouring cells: of the 27, the own cell and 13 others see every pair once. The other boxes
// (planes among them) are tested against all.
#include "geometry/broadphase.h"

#include "base/sort.h"

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

static void test_pair(hfiGrid* g, const hfiAabb* box, int i, int j, CandidateOutput* o) {
  g->tests++;
  if (!boxes_overlap(&box[i], &box[j])) return;
  int a = i < j ? i : j, b = i < j ? j : i;
  if (g->geom) a = g->geom[a], b = g->geom[b];
  if (!hfi_filter_test(o->filter, a, b)) return;
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

static void test_cell(hfiGrid* g, const hfiAabb* box, int i, const int64_t* cell, int own,
                      CandidateOutput* o) {
  for (int j = g->slot[hash_cell(g, cell[0], cell[1], cell[2])]; j >= 0; j = g->next[j]) {
    const int64_t* c = g->cell + 3 * j;
    if (c[0] != cell[0] || c[1] != cell[1] || c[2] != cell[2] || (own && j <= i)) continue;
    test_pair(g, box, i, j, o);
  }
}

static int compare_candidates(const void* x, const void* y) {
  const hfiCandidate *p = x, *q = y;
  if (p->a != q->a) return p->a < q->a ? -1 : 1;
  return p->b < q->b ? -1 : p->b > q->b;
}

int hfi_grid_pairs(hfiGrid* g, const hfiAabb* box, const hfiFilter* filter, hfiCandidate* out,
                   int capacity, int* found) {
  CandidateOutput o = {filter, out, capacity, 0, 0};
  g->tests = 0;
  int nlarge = g->nbox ? fill_cells(g, box) : 0;
  for (int i = 0; i < g->nbox; ++i) {
    const int64_t* c = g->cell + 3 * i;
    if (c[0] == INT64_MIN) continue;
    for (int k = 13; k < 27; ++k) { // 13 is the own cell; cells before it see this one
      int64_t cell[3] = {c[0] + k % 3 - 1, c[1] + k / 3 % 3 - 1, c[2] + k / 9 - 1};
      test_cell(g, box, i, cell, k == 13, &o);
    }
  }
  for (int l = 0; l < nlarge; ++l) {
    int i = g->large[l];
    for (int j = 0; j < g->nbox; ++j)
      if (g->cell[3 * j] != INT64_MIN || j < i) test_pair(g, box, i, j, &o);
  }
  hfi_sort(out, (size_t)o.count, sizeof *out, compare_candidates);
  *found = o.found;
  return o.count;
}
