// Thinning of a flat contact's candidates, see manifold.h. Ties keep the candidate that came first,
// so that the choice depends on the order of features alone.
#include "step/geometry/manifold.h"

// The outermost candidates are found along directions that rise by this angle from the plane across the normal: such a
// candidate is the one that touches next if the body tilts by the angle [rad]. Without the angle, points of a round
// hull that are within the margin but do not touch would replace points that touch, because they lie farther outside.
static const double NEXT_TILT = 0.01;

// A disc that is tilted by more than this does not lie on the plane [rad].
static const double LARGEST_LYING_TILT = 0.03;

// Cosine and sine of k 45 degrees.
static const double TURN[HFI_MAX_MANIFOLD][2] = {
    {1, 0}, {0.70710678118654752, 0.70710678118654752}, {0, 1}, {-0.70710678118654752, 0.70710678118654752},
    {-1, 0}, {-0.70710678118654752, -0.70710678118654752}, {0, -1}, {0.70710678118654752, -0.70710678118654752}};

int hfi_rim_lies(double tilt) { return tilt < LARGEST_LYING_TILT; }

// Reduces the depth of the deepest point to the amount by which it is deeper than the others, which have the depth
// `others`.
void hfi_share_depth(hfiContactPoint* point, double others, double slack) {
  double shared = max2(0, min2(others + slack, 2 * others)); // zero if the others do not touch
  lessen_depth(point, shared);
}

// Starts without candidates. n: the contact normal.
void hfi_thinning_start(hfiThinning* thin, hfVec3 n, double slack) {
  hfVec3 t1, t2;
  v3_tangents(n, &t1, &t2);
  for (int k = 0; k < HFI_MAX_MANIFOLD; ++k)
    thin->direction[k] = v3_add(v3_scale(TURN[k][0], t1), v3_scale(TURN[k][1], t2));
  thin->slack = slack;
  thin->count = 0;
}

// Offers a candidate: it may become the deepest one, or the outermost one of some directions.
void hfi_thinning_add(hfiThinning* thin, hfVec3 p, double depth, uint32_t feature) {
  hfiOverlapPoint c = {p, depth, feature};

  if (thin->count == 0) {
    thin->deepest = c;
    for (int k = 0; k < HFI_MAX_MANIFOLD; ++k) thin->outermost[k] = c;
  }
  if (thin->count < HFI_MAX_MANIFOLD) thin->first[thin->count] = c;
  thin->count++;
  if (depth > thin->deepest.depth) thin->deepest = c;

  for (int k = 0; k < HFI_MAX_MANIFOLD; ++k) {
    hfVec3 d = thin->direction[k];
    double further = v3_dot(d, v3_sub(p, thin->outermost[k].p));
    double deeper = depth - thin->outermost[k].depth;
    // Differences of the size of rounding errors do not count.
    if (further + deeper / NEXT_TILT > thin->slack) thin->outermost[k] = c;
  }
}

// Writes the outermost candidates, each once. Returns their number.
int hfi_thinning_outermost(const hfiThinning* thin, hfiOverlapPoint* kept) {
  int count = 0;
  for (int k = 0; k < HFI_MAX_MANIFOLD; ++k) {
    int is_known = 0;
    for (int i = 0; i < count; ++i) is_known |= kept[i].feature == thin->outermost[k].feature;
    if (!is_known) kept[count++] = thin->outermost[k];
  }
  return count;
}

// Writes the candidates that are kept: all if they are few, else the outermost ones and the deepest. Returns their
// number.
int hfi_thinning_finish(const hfiThinning* thin, hfiOverlapPoint* kept) {
  if (thin->count <= HFI_MAX_MANIFOLD) {
    for (int i = 0; i < thin->count; ++i) kept[i] = thin->first[i];
    return thin->count;
  }

  int count = hfi_thinning_outermost(thin, kept);
  int shallowest = 0;
  double depth = -INFINITY; // of the deepest one of those
  for (int i = 0; i < count; ++i) {
    depth = max2(depth, kept[i].depth);
    if (kept[i].depth < kept[shallowest].depth) shallowest = i;
  }

  // the deepest one joins them if they miss it; where there is no room it takes the place of the shallowest
  if (!(thin->deepest.depth > depth + thin->slack)) return count;
  if (count < HFI_MAX_MANIFOLD) shallowest = count++;
  kept[shallowest] = thin->deepest;
  return count;
}

// Takes depth from the shallower one of each two points that are nearer to each other than `reach` [m].
void hfi_join_near(hfiContactPoint* points, int count, double reach, double share) {
  double kept[HFI_MAX_MANIFOLD]; // share of its depth that a point keeps
  for (int i = 0; i < count; ++i) {
    kept[i] = 1;
    for (int k = 0; k < i; ++k) {
      double distance2 = v3_norm2(v3_sub(points[k].p_WCb, points[i].p_WCb));
      int shallower = points[k].depth < points[i].depth ? k : i;
      if (distance2 < sqr(reach)) kept[shallower] *= 1 - share * (1 - sqrt(distance2) / reach);
    }
  }
  for (int i = 0; i < count; ++i)
    if (kept[i] < 1) lose_depth(points + i, 1 - kept[i]);
}
