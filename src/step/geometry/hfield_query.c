// See hfield_query.h.
#include "step/geometry/hfield_query.h"

// Two contacts are the same if they are nearer to each other than this share of a cell [-],
static const double SAME_PLACE = 1e-5;
// and 1 - cosine of the angle between their normals is below this [-].
static const double SAME_NORMAL = 1e-6;

// ---- keeping contacts ------------------------------------------------------------------------------

static uint32_t mix_feature(const hfiFieldOrigin* o) {
  uint32_t x = o->id * 0x9e3779b1u + o->own * 0x85ebca77u + (uint32_t)o->kind * 0xc2b2ae3du;
  return x ^ x >> 15;
}

// Whether two faces make a ridge: the middle of each is below the plane of the other.
static int make_ridge(hfVec3 n1, hfVec3 middle1, hfVec3 n2, hfVec3 middle2) {
  hfVec3 d = v3_sub(middle2, middle1);
  return v3_dot(d, n1) < 0 && v3_dot(d, n2) > 0;
}

// Compares a new contact with kept contact i. Returns -1 if the new one is left out, 1 if it replaces the kept one, 0
// if both stay. Of two faces that make a ridge, the nearer one holds the point of A.
static int compare_contacts(const hfiFieldQuery* q, int i, const hfiContactPoint* point, const hfiFieldOrigin* origin) {
  const hfiContactPoint* old = &q->points[i];
  const hfiFieldOrigin* was = &q->origin[i];
  if (origin->kind == HFI_FACE && was->kind == HFI_FACE && origin->own == was->own) {
    if (origin->id == was->id) return -1;
    if (make_ridge(old->n_W, was->middle, point->n_W, origin->middle)) return point->depth < old->depth ? 1 : -1;
  }
  int near = v3_norm2(v3_sub(old->p_WCb, point->p_WCb)) <= sqr(SAME_PLACE * q->cell);
  return near && v3_dot(old->n_W, point->n_W) > 1 - SAME_NORMAL ? -1 : 0;
}

// The place for a new contact: a free one, or that of the shallowest contact if the new one is deeper; otherwise -1.
static int find_place(const hfiFieldQuery* q, double depth) {
  int shallowest = 0;
  if (q->count < HFI_MAX_POINTS) return q->count;
  for (int i = 1; i < q->count; ++i)
    if (q->points[i].depth < q->points[shallowest].depth) shallowest = i;
  return depth > q->points[shallowest].depth ? shallowest : -1;
}

void hfi_field_add(hfiFieldQuery* q, const hfiContactPoint* point, hfiFieldOrigin origin) {
  int place = -1;
  for (int i = 0; i < q->count; ++i) {
    int verdict = compare_contacts(q, i, point, &origin);
    if (verdict < 0) return;
    if (verdict > 0) place = i;
  }
  if (place < 0) place = find_place(q, point->depth);
  if (place < 0) return;
  q->count = imax2(q->count, place + 1);
  q->points[place] = *point;
  q->points[place].feature = mix_feature(&origin);
  q->origin[place] = origin;
}

// ---- leaving out what is far -----------------------------------------------------------------------

// Does a sphere surely not reach the box of a cell?
static int ball_misses_cell(const hfiFieldQuery* q, int c, int r, double low, double high) {
  const hfiHeightField* f = q->f;
  hfVec3 p = q->X_BA.p;
  double x = max2(0, fabs(p.x - ((c + 0.5) * f->dx - f->half[0])) - 0.5 * f->dx);
  double y = max2(0, fabs(p.y - ((r + 0.5) * f->dy - f->half[1])) - 0.5 * f->dy);
  double z = max2(0, max2(p.z - high, low - p.z));
  return hfi_field_is_beyond(q, x * x + y * y + z * z, 1);
}

// Returns the sides of A on which cell (c, r) lies, as the bits that hfield_query.h describes.
int hfi_field_sides(const hfiFieldQuery* q, int c, int r) {
  const hfiHeightField* f = q->f;
  double z00 = hfi_hfield_height(f, c, r);
  double z10 = hfi_hfield_height(f, c + 1, r);
  double z01 = hfi_hfield_height(f, c, r + 1);
  double z11 = hfi_hfield_height(f, c + 1, r + 1);
  double low = min2(min2(z00, z10), min2(z01, z11));
  double high = max2(max2(z00, z10), max2(z01, z11));
  if (high < q->box.lo.z) return HFI_BELOW;
  if (q->ball > 0) return ball_misses_cell(q, c, r, low, high) ? HFI_BELOW : 0;

  // the box of the cell beside A's box, along the axes of A
  hfVec3 centre = v3((c + 0.5) * f->dx - f->half[0], (r + 0.5) * f->dy - f->half[1], 0.5 * (low + high));
  double middle[3];
  double lo[3];
  double hi[3];
  v3_store(middle, pose_inv_point(q->X_BA, centre));
  v3_store(lo, q->own.lo);
  v3_store(hi, q->own.hi);
  int sides = 0;
  for (int i = 0; i < 3; ++i) {
    double half = q->spread[i] + 0.5 * (high - low) * fabs(q->X_BA.R.m[6 + i]);
    if (middle[i] - half > hi[i]) sides |= 1 << i;
    if (middle[i] + half < lo[i]) sides |= 8 << i;
  }
  return sides;
}

double hfi_field_sunk_depth(const hfiFieldQuery* q, hfVec3 p) {
  const hfiHeightField* f = q->f;
  double slack = HFI_INSIDE * q->cell;
  if (fabs(p.x) > f->half[0] + slack || fabs(p.y) > f->half[1] + slack || p.z < -f->base) return -INFINITY;
  return hfi_hfield_surface(f, p.x, p.y) + slack - p.z;
}

int hfi_field_find_cells(hfiFieldQuery* q) {
  const hfiHeightField* f = q->f;
  hfiAabb box = hfi_shape_aabb(q->A, &q->X_BA);
  hfVec3 grow = v3(q->margin, q->margin, q->margin);
  q->box.lo = v3_sub(box.lo, grow);
  q->box.hi = v3_add(box.hi, grow);

  hfPose here = pose_identity();
  q->own = hfi_shape_aabb(q->A, &here);
  q->own.lo = v3_sub(q->own.lo, grow);
  q->own.hi = v3_add(q->own.hi, grow);
  for (int i = 0; i < 3; ++i) q->spread[i] = 0.5 * (f->dx * fabs(q->X_BA.R.m[i]) + f->dy * fabs(q->X_BA.R.m[3 + i]));

  // a box with a coordinate that is not a number overlaps nothing
  int overlaps = q->box.lo.z <= f->highest && q->box.hi.z >= -f->base &&        //
                 q->box.lo.x <= f->half[0] && q->box.hi.x >= -f->half[0] &&     //
                 q->box.lo.y <= f->half[1] && q->box.hi.y >= -f->half[1];
  if (!overlaps) return 0;

  hfi_hfield_cell(f, q->box.lo.x, q->box.lo.y, &q->c0, &q->r0);
  hfi_hfield_cell(f, q->box.hi.x, q->box.hi.y, &q->c1, &q->r1);
  return 1;
}
