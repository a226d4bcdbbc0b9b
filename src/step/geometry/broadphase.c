// The pairs of boxes that overlap.
//
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
enum { FEW_BOXES = 100 };
enum { LEAST_SLOTS = 16 }; // a power of two

// Takes the memory for nbox boxes from the arena.
void hfi_grid_init(hfiGrid* g, int nbox, hfiArena* arena) {
  g->nbox = nbox;
  g->geom = NULL;
  g->nslot = LEAST_SLOTS;
  while (g->nslot < 2 * nbox) g->nslot *= 2;

  g->slot = HFI_TAKE(arena, int32_t, g->nslot);
  g->next = HFI_TAKE(arena, int32_t, nbox);
  g->cell = HFI_TAKE(arena, uint64_t, nbox);
  g->extent = HFI_TAKE(arena, double, nbox);
  g->four = HFI_TAKE(arena, hfiFourBoxes, (imin2(nbox, FEW_BOXES) + 3) / 4);
}

static double box_extent(const hfiAabb* b) {
  return max2(b->hi.x - b->lo.x, max2(b->hi.y - b->lo.y, b->hi.z - b->lo.z));
}

static int boxes_overlap(const hfiAabb* a, const hfiAabb* b) {
  return a->lo.x <= b->hi.x && b->lo.x <= a->hi.x && a->lo.y <= b->hi.y && b->lo.y <= a->hi.y &&
         a->lo.z <= b->hi.z && b->lo.z <= a->hi.z;
}

// Returns the median of n numbers, by quickselect in place. Ties and the order of the numbers do not change it.
static double find_median(double* x, int n) {
  int middle = n / 2;
  int lo = 0;
  int hi = n - 1;

  while (lo < hi) {
    // numbers below the pivot go to the left of it, the others to the right
    double pivot = x[(lo + hi) / 2];
    int i = lo;
    int j = hi;
    while (i <= j) {
      while (x[i] < pivot) i++;
      while (x[j] > pivot) j--;
      if (i > j) break;

      double swap = x[i];
      x[i] = x[j];
      x[j] = swap;
      i++;
      j--;
    }

    // goes on in the part that contains the middle
    if (middle <= j) hi = j;
    else if (middle >= i) lo = i;
    else break;
  }
  return x[middle];
}

// A cell is one number: its three whole numbers, each above zero and below 2^21, side by side. Neighbours differ by
// sums of these units, and no number overflows into the next one.
#define CELL_X (UINT64_C(1) << 42)
#define CELL_Y (UINT64_C(1) << 21)
#define CELL_Z UINT64_C(1)
// Added to the number of a cell along an axis, counted from the origin, so that it is above zero.
enum { CELLS_FROM_ORIGIN = 1 << 20 };
// Largest number of a cell along an axis, counted from the origin [-].
static const double FARTHEST_CELL = CELLS_FROM_ORIGIN - 2;
// Stands for the cell of a box that has none.
static const uint64_t NO_CELL = 0;

// The 13 neighbours that come after a cell in the order of x, y, z. The neighbours before it find this cell among
// theirs.
enum { NEIGHBOURS_AHEAD = 13 };
static const uint64_t AHEAD[NEIGHBOURS_AHEAD] = {CELL_Z,
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

static uint64_t cell_coordinate(double x, double width) {
  return (uint64_t)(floor(x / width) + CELLS_FROM_ORIGIN);
}

// The cell of a point, if cells have this width [m].
static uint64_t cell_at(hfVec3 p, double width) {
  uint64_t x = cell_coordinate(p.x, width);
  uint64_t y = cell_coordinate(p.y, width);
  uint64_t z = cell_coordinate(p.z, width);
  return x * CELL_X + y * CELL_Y + z * CELL_Z;
}

// The slot of a cell. Bits from 43 on of the product depend on all three numbers.
static uint32_t hash_cell(const hfiGrid* g, uint64_t cell) {
  return (uint32_t)(cell * UINT64_C(0x9E3779B97F4A7C15) >> 43) & (uint32_t)(g->nslot - 1);
}

// Where the candidates are written.
typedef struct CandidateOutput {
  const hfiFilter* filter;
  hfiCandidate* out;
  int capacity, count;
  int lost;      // number of candidates for which there was no room
  int64_t tests; // number of tests of two boxes
} CandidateOutput;

// Adds the pair of boxes (a, b), a < b, to the candidates, if the filter allows it. Candidates are pairs of boxes until
// all of them are found and sorted; then they become pairs of geoms.
static inline void add_pair(const hfiGrid* g, int a, int b, CandidateOutput* output) {
  int geom_a = g->geom ? g->geom[a] : a;
  int geom_b = g->geom ? g->geom[b] : b;

  if (!hfi_filter_test(output->filter, geom_a, geom_b)) return;
  if (output->count == output->capacity) {
    output->lost++;
    return;
  }
  output->out[output->count++] = (hfiCandidate){a, b, -1};
}

// ---- few boxes --------------------------------------------------------------------------------------

// Copies the boxes in groups of four. Boxes that fill up the last group overlap nothing.
static void copy_boxes(hfiGrid* g, const hfiAabb* box) {
  for (int i = 0; i < g->nbox; ++i) {
    hfiFourBoxes* group = g->four + i / 4;
    int lane = i % 4;
    for (int k = 0; k < 3; ++k) {
      group->lo[k][lane] = v3_get(box[i].lo, k);
      group->hi[k][lane] = v3_get(box[i].hi, k);
    }
  }
  for (int i = g->nbox; i % 4; ++i) g->four[i / 4].lo[0][i % 4] = NAN;
}

static inline hfiFour four_times(double x) { return (hfiFour){x, x, x, x}; }

// Which of the four boxes of x overlap the box of y in the same lane, in direction k?
static inline hfiFourBits overlap_along(int k, const hfiFourBoxes* x, const hfiFourBoxes* y) {
  return (x->lo[k] <= y->hi[k]) & (y->lo[k] <= x->hi[k]);
}

// Tests all pairs of boxes, each box against four others at a time.
static void test_all(hfiGrid* g, const hfiAabb* box, CandidateOutput* output) {
  copy_boxes(g, box);
  for (int i = 0; i < g->nbox; ++i) {
    hfVec3 lo = box[i].lo;
    hfVec3 hi = box[i].hi;
    hfiFourBoxes same = {{four_times(lo.x), four_times(lo.y), four_times(lo.z)},
                         {four_times(hi.x), four_times(hi.y), four_times(hi.z)}};

    // groups from the one with box i + 1 on
    for (int j = (i + 1) / 4 * 4; j < g->nbox; j += 4) {
      const hfiFourBoxes* group = g->four + j / 4;
      hfiFourBits all = overlap_along(0, &same, group) & overlap_along(1, &same, group) &
                        overlap_along(2, &same, group);
      int any = ((all[0] | all[1]) | (all[2] | all[3])) != 0;
      if (!any) continue;

      for (int lane = 0; lane < 4; ++lane)
        if (all[lane] && j + lane > i) add_pair(g, i, j + lane, output);
    }
  }
  output->tests = (int64_t)g->nbox * (g->nbox - 1) / 2;
}

// ---- many boxes -------------------------------------------------------------------------------------

// Adds the pair of boxes i and j, in any order, if they overlap.
static inline void test_pair(const hfiGrid* g, const hfiAabb* box, int i, int j, CandidateOutput* output) {
  output->tests++;
  if (!boxes_overlap(&box[i], &box[j])) return;
  if (i < j) add_pair(g, i, j, output);
  else add_pair(g, j, i, output);
}

// A box is ordinary if its width is at most this multiple of the median width [-].
static const double LARGEST_ORDINARY = 4;
// Cells are at least this wide [m].
static const double LEAST_CELL_WIDTH = 1e-9;

// Puts ordinary boxes into cells. Large ones have none.
static void fill_cells(hfiGrid* g, const hfiAabb* box) {
  int n = g->nbox;

  // the width of a cell; find_median changes the order of the extents
  for (int i = 0; i < n; ++i) g->extent[i] = box_extent(&box[i]);
  double ordinary = LARGEST_ORDINARY * find_median(g->extent, n);
  double width = LEAST_CELL_WIDTH;
  for (int i = 0; i < n; ++i)
    if (g->extent[i] <= ordinary) width = max2(width, g->extent[i]);

  // backwards, so that the list of each slot ascends
  double limit = FARTHEST_CELL * width;
  for (int i = 0; i < g->nslot; ++i) g->slot[i] = -1;
  for (int i = n - 1; i >= 0; --i) {
    hfVec3 centre = v3_scale(0.5, v3_add(box[i].lo, box[i].hi));
    int is_inside = fabs(centre.x) < limit && fabs(centre.y) < limit && fabs(centre.z) < limit;
    if (!(box_extent(&box[i]) <= width) || !is_inside) {
      g->cell[i] = NO_CELL;
      continue;
    }

    g->cell[i] = cell_at(centre, width);
    uint32_t slot = hash_cell(g, g->cell[i]);
    g->next[i] = g->slot[slot];
    g->slot[slot] = i;
  }
}

// Tests an ordinary box against the later ones of its own cell, and against all boxes of the cells ahead.
static void test_neighbours(const hfiGrid* g, const hfiAabb* box, int i, CandidateOutput* output) {
  uint64_t home = g->cell[i];
  for (int j = g->next[i]; j >= 0; j = g->next[j])
    if (g->cell[j] == home) test_pair(g, box, i, j, output);

  for (int k = 0; k < NEIGHBOURS_AHEAD; ++k) {
    uint64_t cell = home + AHEAD[k];
    for (int j = g->slot[hash_cell(g, cell)]; j >= 0; j = g->next[j])
      if (g->cell[j] == cell) test_pair(g, box, i, j, output);
  }
}

// Tests a large box against all ordinary ones, and against the large ones before it.
static void test_large(const hfiGrid* g, const hfiAabb* box, int i, CandidateOutput* output) {
  for (int j = 0; j < g->nbox; ++j)
    if (g->cell[j] != NO_CELL || j < i) test_pair(g, box, i, j, output);
}

// Sorts n candidates by (a, b): a counting sort by a, in place, then an insertion sort of the few candidates with the
// same a. The arrays of the cells are no longer needed and serve as scratch.
static void sort_candidates(hfiGrid* g, hfiCandidate* x, int n) {
  int32_t* end = g->slot;   // end of the candidates of each a
  int32_t* place = g->next; // where the next candidate of each a goes

  // where the candidates of each a begin and end
  int sum = 0;
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
      hfiCandidate* to = &x[place[moved.a]];
      place[moved.a]++;
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

// What threads share: the boxes, and the pairs that they find.
typedef struct CellSearch {
  const hfiGrid* grid;
  const hfiAabb* box;
  const CandidateOutput* all;
  hfiShares shares;
  int64_t tests[HFI_MAX_SHARES];
} CellSearch;

// Tests a share of the boxes. Writes the candidates, and their number, to the place of the share.
static void test_share(void* data, int share) {
  CellSearch* search = data;
  const hfiGrid* g = search->grid;
  // its room for candidates (begin to end), and its boxes (begin_work to end_work)
  int begin = hfi_first_element(&search->shares, share);
  int end = hfi_first_element(&search->shares, share + 1);
  int begin_work = hfi_first_work(&search->shares, share);
  int end_work = hfi_first_work(&search->shares, share + 1);
  CandidateOutput output = {.filter = search->all->filter, .out = search->all->out + begin, .capacity = end - begin};

  for (int i = begin_work; i < end_work; ++i) {
    if (g->cell[i] != NO_CELL) test_neighbours(g, search->box, i, &output);
    else test_large(g, search->box, i, &output);
  }

  search->shares.count[share] = output.count;
  search->shares.lost[share] = output.lost;
  search->tests[share] = output.tests;
}

// Finds the pairs of many boxes, sorted.
static void test_by_cells(hfiGrid* g, const hfiAabb* box, hfiWorkers* workers, CandidateOutput* output) {
  CellSearch search = {
      .grid = g, .box = box, .all = output, .shares = {.work = g->nbox, .capacity = output->capacity}};
  fill_cells(g, box);
  output->count = hfi_fill_by_shares(workers, &search.shares, test_share, &search, output->out, sizeof *output->out,
                                     &output->lost);
  for (int i = 0; i < search.shares.number; ++i) output->tests += search.tests[i];
  sort_candidates(g, output->out, output->count);
}

// Writes the pairs of geoms whose boxes overlap and that the filter allows, sorted. Returns their number; *found also
// counts those for which there was no room.
int hfi_grid_pairs(hfiGrid* g, const hfiAabb* box, const hfiFilter* filter, hfiWorkers* workers, hfiCandidate* out,
                   int capacity, int* found) {
  CandidateOutput output = {.filter = filter, .out = out, .capacity = capacity};

  if (g->nbox <= FEW_BOXES) test_all(g, box, &output);
  else test_by_cells(g, box, workers, &output);

  // boxes become geoms
  for (int i = 0; g->geom && i < output.count; ++i) {
    out[i].a = g->geom[out[i].a];
    out[i].b = g->geom[out[i].b];
  }
  g->tests = output.tests;
  *found = output.count + output.lost;
  return output.count;
}
