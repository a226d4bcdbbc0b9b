// What all contacts with a height field need: which contacts are kept, and which cells are surely out of reach
// (hfield_query.h).
#include "step/geometry/hfield_query.h"

// Two contacts are the same if they are nearer to each other than this share of a cell [-],
static const double SAME_PLACE_SHARE = 1e-5;
// and 1 - cosine of the angle between their normals is below this [-].
static const double SAME_NORMAL_DIFFERENCE = 1e-6;

// ---- keeping contacts ------------------------------------------------------------------------------

// Returns the feature of a contact: a number that mixes its part of the field and its point of A.
static uint32_t mix_feature(const hfiFieldOrigin* origin) {
  uint32_t x = origin->id * 0x9e3779b1u + origin->point_A * 0x85ebca77u + (uint32_t)origin->kind * 0xc2b2ae3du;
  return x ^ x >> 15;
}

// Do two faces make a ridge: is the middle of each below the plane of the other?
static int make_ridge(hfVec3 n1, hfVec3 middle1, hfVec3 n2, hfVec3 middle2) {
  hfVec3 d = v3_sub(middle2, middle1);
  return v3_dot(d, n1) < 0 && v3_dot(d, n2) > 0;
}

// What becomes of two contacts.
typedef enum FieldVerdict { BOTH_STAY, NEW_IS_LEFT_OUT, NEW_REPLACES_KEPT } FieldVerdict;

// Compares a new contact with kept contact i.
static FieldVerdict compare_contacts(const hfiFieldQuery* q, int i, const hfiContactPoint* point,
                                const hfiFieldOrigin* origin) {
  const hfiContactPoint* kept = &q->kept.points[i];
  const hfiFieldOrigin* kept_origin = &q->kept.origin[i];

  // one point of A at two faces: of faces that make a ridge, the nearer one holds it
  int are_faces = origin->kind == HFI_FACE && kept_origin->kind == HFI_FACE;
  if (are_faces && origin->point_A == kept_origin->point_A) {
    if (origin->id == kept_origin->id) return NEW_IS_LEFT_OUT;
    if (make_ridge(kept->n_W, kept_origin->middle, point->n_W, origin->middle))
      return point->depth < kept->depth ? NEW_REPLACES_KEPT : NEW_IS_LEFT_OUT;
  }

  // the same contact
  int is_near = v3_norm2(v3_sub(kept->p_WCb, point->p_WCb)) <= sqr(SAME_PLACE_SHARE * q->cell_size);
  int has_same_normal = v3_dot(kept->n_W, point->n_W) > 1 - SAME_NORMAL_DIFFERENCE;
  return is_near && has_same_normal ? NEW_IS_LEFT_OUT : BOTH_STAY;
}

// Returns the place for a new contact: a free one, or the place of the shallowest contact if the new one is deeper;
// otherwise -1.
static int find_place(const hfiFieldContacts* kept, double depth) {
  if (kept->count < HFI_MAX_POINTS) return kept->count;

  int shallowest = 0;
  for (int i = 1; i < kept->count; ++i)
    if (kept->points[i].depth < kept->points[shallowest].depth) shallowest = i;
  return depth > kept->points[shallowest].depth ? shallowest : -1;
}

// Keeps a new contact, unless a kept one is the same or all places are taken by deeper ones. Writes q->kept.
void hfi_field_add(hfiFieldQuery* q, const hfiContactPoint* point, hfiFieldOrigin origin) {
  hfiFieldContacts* kept = &q->kept;

  // of several contacts that it replaces, it takes the place of the last
  int place = -1;
  for (int i = 0; i < kept->count; ++i) {
    FieldVerdict verdict = compare_contacts(q, i, point, &origin);
    if (verdict == NEW_IS_LEFT_OUT) return;
    if (verdict == NEW_REPLACES_KEPT) place = i;
  }
  if (place < 0) place = find_place(kept, point->depth);
  if (place < 0) return;

  kept->count = imax2(kept->count, place + 1);
  kept->points[place] = *point;
  kept->points[place].feature = mix_feature(&origin);
  kept->origin[place] = origin;
}

// ---- leaving out what is far -----------------------------------------------------------------------

// Does a sphere surely not reach the box of cell (c, r), whose surface is between the heights low and high?
static int ball_misses_cell(const hfiFieldQuery* q, int c, int r, double low, double high) {
  const hfiHeightField* f = q->f;
  hfVec3 p = q->X_BA.p;
  double x = max2(0, fabs(p.x - ((c + 0.5) * f->dx - f->half[0])) - 0.5 * f->dx);
  double y = max2(0, fabs(p.y - ((r + 0.5) * f->dy - f->half[1])) - 0.5 * f->dy);
  double z = max2(0, max2(p.z - high, low - p.z));
  return hfi_field_is_beyond(q, x * x + y * y + z * z, 1);
}

// Returns on which sides of A, beyond its box and the margin, cell (c, r) lies: bit 1 << i for the side +i of A's
// frame, 8 << i for -i, or HFI_BELOW alone. 0: the cell may be near A.
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
  v3_store(lo, q->box_A.lo);
  v3_store(hi, q->box_A.hi);

  int sides = 0;
  for (int i = 0; i < 3; ++i) {
    double half = q->spread[i] + 0.5 * (high - low) * fabs(q->X_BA.R.m[6 + i]);
    if (middle[i] - half > hi[i]) sides |= 1 << i;
    if (middle[i] + half < lo[i]) sides |= 8 << i;
  }
  return sides;
}

// Returns how far p is below the surface, measured straight up [m]; -INFINITY beside the field and below its base.
double hfi_field_sunk_depth(const hfiFieldQuery* q, hfVec3 p) {
  const hfiHeightField* f = q->f;
  double slack = HFI_INSIDE_SHARE * q->cell_size;
  if (fabs(p.x) > f->half[0] + slack || fabs(p.y) > f->half[1] + slack || p.z < -f->base) return -INFINITY;
  return hfi_hfield_surface(f, p.x, p.y) + slack - p.z;
}

// Finds the boxes of A and the cells under it: writes q->box, box_A, spread and the range of cells. Returns 0 if A is
// not near the field.
int hfi_field_find_cells(hfiFieldQuery* q) {
  const hfiHeightField* f = q->f;
  hfVec3 grow = v3(q->margin, q->margin, q->margin);

  // in the frame of the field
  hfiAabb box = hfi_shape_aabb(q->A, &q->X_BA);
  q->box.lo = v3_sub(box.lo, grow);
  q->box.hi = v3_add(box.hi, grow);

  // in the frame of A
  hfPose X_AA = pose_identity();
  hfiAabb box_A = hfi_shape_aabb(q->A, &X_AA);
  q->box_A.lo = v3_sub(box_A.lo, grow);
  q->box_A.hi = v3_add(box_A.hi, grow);
  const double* R = q->X_BA.R.m;
  for (int i = 0; i < 3; ++i) q->spread[i] = 0.5 * (f->dx * fabs(R[i]) + f->dy * fabs(R[3 + i]));

  // a box with a coordinate that is not a number overlaps nothing
  int overlaps_z = q->box.lo.z <= f->highest && q->box.hi.z >= -f->base;
  int overlaps_x = q->box.lo.x <= f->half[0] && q->box.hi.x >= -f->half[0];
  int overlaps_y = q->box.lo.y <= f->half[1] && q->box.hi.y >= -f->half[1];
  if (!overlaps_z || !overlaps_x || !overlaps_y) return 0;

  hfi_hfield_cell(f, q->box.lo.x, q->box.lo.y, &q->cells.c0, &q->cells.r0);
  hfi_hfield_cell(f, q->box.hi.x, q->box.hi.y, &q->cells.c1, &q->cells.r1);
  return 1;
}
