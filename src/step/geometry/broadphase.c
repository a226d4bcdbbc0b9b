// If there are few boxes, all are tested against each other, four at a time, because a grid would take longer.
//
// If there are many, a uniform grid is used. A box is ordinary if its width is at most 4 times the median width. The
// cells are as wide as the widest ordinary box. A box belongs to the cell of its centre, so that two ordinary boxes can
// overlap only if their cells are the same or neighbours. Of the 27 cells around a box, its own and 13 others are
// enough to find every pair once. Boxes that are not ordinary, such as those of planes, are tested against all.
#include "step/geometry/broadphase.h"

#include "base/shares.h"

#include <string.h>

// Up to this number of boxes all pairs are tested. For this many boxes a grid takes as long if they are spread out, and
// three times as long if they form a heap or a robot.
enum { FEW = 100 };

void hfi_grid_init(hfiGrid* g, int nbox, hfiArena* arena) {
  g->nbox = nbox;
  g->geom = NULL;
  for (g->nslot = 16; g->nslot < 2 * nbox;) g->nslot *= 2;
  g->slot = HFI_TAKE(arena, int32_t, g->nslot);
  g->next = HFI_TAKE(arena, int32_t, nbox);
  g->cell = HFI_TAKE(arena, uint64_t, nbox);
  g->extent = HFI_TAKE(arena, double, nbox);
  g->four = HFI_TAKE(arena, hfiFourBoxes, ((nbox < FEW ? nbox : FEW) + 3) / 4);
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

// A cell is one number: its three whole numbers, each above zero and below 2^21, side by side. Neighbours differ by
// sums of these units, and no number overflows into the next one.
#define CELL_X (UINT64_C(1) << 42)
#define CELL_Y (UINT64_C(1) << 21)
#define CELL_Z UINT64_C(1)
static const double FARTHEST = (1 << 20) - 2; // largest number of a cell along an axis, counted from the origin [-]
static const uint64_t NO_CELL = 0;            // stands for the cell of a box that has none

// The 13 neighbours that come after a cell in the order of x, y, z. The neighbours before it find this cell among
// theirs.
static const uint64_t AHEAD[13] = {CELL_Z,
                                   CELL_Y - CELL_Z,
                                   CELL_Y,
                                   CELL_Y + CELL_Z,
                                   CELL_X - CELL_Y - CELL_Z,
                                   CELL_X - CELL_Y,
                                   CELL_X - CELL_Y + CELL_Z,
                                   CELL_X - CELL_Z,
                                   CELL_X,
                                   CELL_X + CELL_Z,
                                   CELL_X + CELL_Y - CELL_Z,
                                   CELL_X + CELL_Y,
                                   CELL_X + CELL_Y + CELL_Z};

static uint64_t cell_coordinate(double x, double width) { return (uint64_t)(floor(x / width) + (1 << 20)); }

static uint64_t cell_at(hfVec3 p, double width) {
  uint64_t x = cell_coordinate(p.x, width);
  uint64_t y = cell_coordinate(p.y, width);
  uint64_t z = cell_coordinate(p.z, width);
  return x * CELL_X + y * CELL_Y + z * CELL_Z;
}

// Bits from 43 on depend on all three numbers.
static uint32_t hash_cell(const hfiGrid* g, uint64_t cell) {
  return (uint32_t)(cell * UINT64_C(0x9E3779B97F4A7C15) >> 43) & (uint32_t)(g->nslot - 1);
}

typedef struct CandidateOutput {
  const hfiFilter* filter;
  hfiCandidate* out;
  int capacity, count, lost; // lost: those for which there was no room
  int64_t tests;             // of two boxes
} CandidateOutput;

// Makes boxes a < b that overlap a candidate, if the filter allows them. Candidates are pairs of boxes until all of
// them are found and sorted.
static inline void add_pair(const hfiGrid* g, int a, int b, CandidateOutput* o) {
  int geom_a = g->geom ? g->geom[a] : a;
  int geom_b = g->geom ? g->geom[b] : b;

  if (!hfi_filter_test(o->filter, geom_a, geom_b)) return;
  if (o->count < o->capacity) o->out[o->count++] = (hfiCandidate){a, b, -1};
  else o->lost++;
}

// ---- few boxes --------------------------------------------------------------------------------------

// Copies the boxes in groups of four. Boxes that fill up the last group overlap nothing.
static void copy_boxes(hfiGrid* g, const hfiAabb* box) {
  for (int i = 0; i < g->nbox; ++i) {
    hfiFourBoxes* to = g->four + i / 4;
    int l = i % 4;
    for (int k = 0; k < 3; ++k) {
      to->lo[k][l] = v3_get(box[i].lo, k);
      to->hi[k][l] = v3_get(box[i].hi, k);
    }
  }
  for (int i = g->nbox; i % 4; ++i) g->four[i / 4].lo[0][i % 4] = NAN;
}

static inline hfiFour four_times(double x) { return (hfiFour){x, x, x, x}; }

// Which of four boxes overlap those of `one` in direction k?
static inline hfiFourBits overlap_along(int k, const hfiFourBoxes* one, const hfiFourBoxes* other) {
  return (one->lo[k] <= other->hi[k]) & (other->lo[k] <= one->hi[k]);
}

static void test_all(hfiGrid* g, const hfiAabb* box, CandidateOutput* o) {
  copy_boxes(g, box);
  for (int i = 0; i < g->nbox; ++i) {
    hfVec3 lo = box[i].lo;
    hfVec3 hi = box[i].hi;
    hfiFourBoxes one = {{four_times(lo.x), four_times(lo.y), four_times(lo.z)},
                        {four_times(hi.x), four_times(hi.y), four_times(hi.z)}};

    // groups from the one with box i + 1 on
    for (int j = (i + 1) / 4 * 4; j < g->nbox; j += 4) {
      const hfiFourBoxes* other = g->four + j / 4;
      hfiFourBits all = overlap_along(0, &one, other) & overlap_along(1, &one, other) & overlap_along(2, &one, other);
      if (((all[0] | all[1]) | (all[2] | all[3])) == 0) continue;
      for (int l = 0; l < 4; ++l)
        if (all[l] && j + l > i) add_pair(g, i, j + l, o);
    }
  }
  o->tests = (int64_t)g->nbox * (g->nbox - 1) / 2;
}

// ---- many boxes -------------------------------------------------------------------------------------

static inline void test_pair(const hfiGrid* g, const hfiAabb* box, int i, int j, CandidateOutput* o) {
  o->tests++;
  if (boxes_overlap(&box[i], &box[j])) add_pair(g, i < j ? i : j, i < j ? j : i, o);
}

// Puts ordinary boxes into cells. Large ones have none.
static void fill_cells(hfiGrid* g, const hfiAabb* box) {
  int n = g->nbox;

  // the width of a cell; median changes the order of the extents
  for (int i = 0; i < n; ++i) g->extent[i] = box_extent(&box[i]);
  double ordinary = 4 * median(g->extent, n);
  double width = 1e-9;
  for (int i = 0; i < n; ++i)
    if (g->extent[i] <= ordinary) width = max2(width, g->extent[i]);

  for (int i = 0; i < g->nslot; ++i) g->slot[i] = -1;
  for (int i = n - 1; i >= 0; --i) { // backwards, so that lists ascend
    hfVec3 centre = v3_scale(0.5, v3_add(box[i].lo, box[i].hi));
    double limit = FARTHEST * width;
    int is_inside = fabs(centre.x) < limit && fabs(centre.y) < limit && fabs(centre.z) < limit;
    if (!(box_extent(&box[i]) <= width) || !is_inside) {
      g->cell[i] = NO_CELL;
      continue;
    }
    g->cell[i] = cell_at(centre, width);
    uint32_t s = hash_cell(g, g->cell[i]);
    g->next[i] = g->slot[s];
    g->slot[s] = i;
  }
}

// Tests an ordinary box.
static void test_neighbours(const hfiGrid* g, const hfiAabb* box, int i, CandidateOutput* o) {
  uint64_t own = g->cell[i];
  for (int j = g->next[i]; j >= 0; j = g->next[j]) // In its own cell only later boxes count.
    if (g->cell[j] == own) test_pair(g, box, i, j, o);
  for (int k = 0; k < 13; ++k) {
    uint64_t cell = own + AHEAD[k];
    for (int j = g->slot[hash_cell(g, cell)]; j >= 0; j = g->next[j])
      if (g->cell[j] == cell) test_pair(g, box, i, j, o);
  }
}

// Sorts n candidates by (a, b): a counting sort by a, in place, then an insertion sort of the few candidates with the
// same a. The arrays of the cells are no longer needed and serve as scratch.
static void sort_candidates(hfiGrid* g, hfiCandidate* x, int n) {
  int32_t *end = g->slot, *place = g->next;
  int sum = 0;

  // where the candidates of each a begin and end
  memset(end, 0, sizeof *end * (size_t)g->nbox);
  for (int i = 0; i < n; ++i) end[x[i].a]++;
  for (int a = 0; a < g->nbox; ++a) {
    place[a] = sum;
    sum += end[a];
    end[a] = sum;
  }

  // each goes to its place, and the one that was there takes its turn
  for (int a = 0; a < g->nbox; ++a)
    while (place[a] < end[a]) {
      hfiCandidate* here = &x[place[a]];
      if (here->a == a) {
        place[a]++;
        continue;
      }
      hfiCandidate moved = *here;
      hfiCandidate* to = &x[place[moved.a]++];
      *here = *to;
      *to = moved;
    }

  // candidates with the same a
  for (int i = 1; i < n; ++i) {
    hfiCandidate c = x[i];
    int k = i;
    for (; k > 0 && x[k - 1].a == c.a && x[k - 1].b > c.b; --k) x[k] = x[k - 1];
    x[k] = c;
  }
}

// Tests a large box against all ordinary ones, and against the large ones before it.
static void test_large(const hfiGrid* g, const hfiAabb* box, int i, CandidateOutput* o) {
  for (int j = 0; j < g->nbox; ++j)
    if (g->cell[j] != NO_CELL || j < i) test_pair(g, box, i, j, o);
}

// What threads share: the boxes, and the pairs that they find.
typedef struct CellSearch {
  const hfiGrid* grid;
  const hfiAabb* box;
  const CandidateOutput* all;
  hfiShares shares;
  int64_t tests[HFI_MAX_SHARES];
} CellSearch;

// Tests a share of the boxes.
static void test_share(void* data, int share) {
  CellSearch* search = data;
  const hfiGrid* g = search->grid;
  int begin = hfi_first_element(&search->shares, share);
  int end = hfi_first_element(&search->shares, share + 1);
  int end_work = hfi_first_work(&search->shares, share + 1);
  CandidateOutput o = {.filter = search->all->filter, .out = search->all->out + begin, .capacity = end - begin};

  for (int i = hfi_first_work(&search->shares, share); i < end_work; ++i) {
    if (g->cell[i] != NO_CELL) test_neighbours(g, search->box, i, &o);
    else test_large(g, search->box, i, &o);
  }
  search->shares.count[share] = o.count;
  search->shares.lost[share] = o.lost;
  search->tests[share] = o.tests;
}

static void test_by_cells(hfiGrid* g, const hfiAabb* box, hfiWorkers* workers, CandidateOutput* o) {
  CellSearch search = {.grid = g, .box = box, .all = o, .shares = {.work = g->nbox, .capacity = o->capacity}};
  fill_cells(g, box);
  o->count = hfi_fill_by_shares(workers, &search.shares, test_share, &search, o->out, sizeof *o->out, &o->lost);
  for (int i = 0; i < search.shares.number; ++i) o->tests += search.tests[i];
  sort_candidates(g, o->out, o->count);
}

int hfi_grid_pairs(hfiGrid* g, const hfiAabb* box, const hfiFilter* filter, hfiWorkers* workers, hfiCandidate* out,
                   int capacity, int* found) {
  CandidateOutput o = {.filter = filter, .out = out, .capacity = capacity};

  if (g->nbox <= FEW) test_all(g, box, &o);
  else test_by_cells(g, box, workers, &o);

  // boxes become geoms
  for (int i = 0; g->geom && i < o.count; ++i) {
    out[i].a = g->geom[out[i].a];
    out[i].b = g->geom[out[i].b];
  }
  g->tests = o.tests;
  *found = o.count + o.lost;
  return o.count;
}
