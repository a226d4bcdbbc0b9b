// Sizes of geoms and bodies, computed once from the model (near.h).
#include "step/near/inside.h"

#include "model/joint.h"
#include "model/shape.h"
#include "step/geometry/width.h"

#include <string.h>

// Computes the extents of geoms, and the gap below which no pair is swept.
static void measure_geoms(const hfModel* m, hfiSizes* size) {
  const double* radius = hf_model_geom_rbound(m);

  size->least_swept_gap = INFINITY;
  for (int g = 0; g < m->ngeom; ++g) {
    size->extent[g] = v3_norm(v3_load(hf_model_geom_pos(m) + 3 * g)) + radius[g];
    if (radius[g] > 0) size->least_swept_gap = min2(size->least_swept_gap, HFI_WIDE_GAP * radius[g]);
  }
}

// Computes the span of each body, and the lever of each dof: the largest speed that a unit of its rate can give a point
// that it moves. That is the distance of the farthest such point for a rotation, 1 for a translation.
static void measure_levers(const hfModel* m, hfiSizes* size) {
  double* span = size->span;
  double* lever = size->lever;

  // the spans, from the leaves inward
  memset(span, 0, sizeof *span * (size_t)m->nbody);
  for (int b = m->nbody - 1; b > 0; --b) {
    int first = hf_model_body_geomadr(m)[b];
    int end = first + hf_model_body_geomnum(m)[b];
    for (int g = first; g < end; ++g) span[b] = max2(span[b], size->extent[g]);
    int parent = hf_model_body_parent(m)[b];
    span[parent] = max2(span[parent], span[b] + v3_norm(v3_load(hf_model_body_pos(m) + 3 * b)));
  }

  // the levers
  for (int j = 0; j < m->njnt; ++j) {
    const hfiJointKind* kind = &hfi_joint_kinds[hf_model_jnt_type(m)[j]];
    int first = hf_model_jnt_dofadr(m)[j];
    int b = hf_model_jnt_body(m)[j];
    double arm = span[b] + v3_norm(v3_load(hf_model_jnt_pos(m) + 3 * j)) + fabs(hf_model_jnt_pitch(m)[j]);
    for (int i = 0; i < kind->info.nv; ++i) lever[first + i] = i < kind->ntranslation ? 1 : arm;
  }
}

// Pairs of a thin body and a far thicker one have at least this width [m]. Smaller overlaps, as of a corner in a floor,
// are no passage, and the contact law removes them.
static const double LEAST_THICK_WIDTH = 1e-3;

// Returns the width of a pair of geoms with least widths a and b: half of the overlap (a + b)/2 that they have while
// they pass each other, but at least the smaller of a and b, and at most the larger of LEAST_THICK_WIDTH and twice the
// smaller.
double hfi_pair_width(double a, double b) {
  double least = min2(a, b);
  return max2(least, min2(0.25 * (a + b), max2(2 * least, LEAST_THICK_WIDTH)));
}

// Computes the widths of geoms that can touch others, and lists the bodies that have such geoms.
static void measure_widths(const hfiNear* near, hfiSizes* size) {
  const hfModel* m = near->model;
  const hfiScene* scene = &near->scene;

  size->largest_extent = 0;
  for (int b = 0; b < m->nbody; ++b) size->body_extent[b] = -1;
  for (int g = 0; g < m->ngeom; ++g) {
    size->width[g] = INFINITY;
    if (!hfi_geom_may_touch(m, g)) continue;
    int b = hf_model_geom_body(m)[g];
    size->width[g] = hfi_least_width(&scene->shape[g]);
    size->body_extent[b] = max2(size->body_extent[b], size->extent[g]);
    if (hf_model_body_lastdof(m)[b] >= 0) size->largest_extent = max2(size->largest_extent, size->extent[g]);
  }

  size->nsolid = 0;
  for (int b = 0; b < m->nbody; ++b)
    if (size->body_extent[b] >= 0) size->solid[size->nsolid++] = b;

  // the least width of all pairs; where the scene does not list its pairs for good, the least width of all geoms: no
  // pair has less
  size->least_width = INFINITY;
  if (!scene->pairs.are_listed) {
    for (int g = 0; g < m->ngeom; ++g) size->least_width = min2(size->least_width, size->width[g]);
    return;
  }
  for (int i = 0; i < scene->pairs.count; ++i) {
    const hfiCandidate* c = &scene->pairs.candidate[i];
    size->least_width = min2(size->least_width, hfi_pair_width(size->width[c->a], size->width[c->b]));
  }
}

void hfi_near_measure(hfiNear* near) {
  measure_geoms(near->model, &near->size);
  measure_levers(near->model, &near->size);
  measure_widths(near, &near->size);
}
