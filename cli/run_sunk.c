// Bodies that lie deeper in each other than they are thick.
//
// Contact forces act in the middle of an overlap. If that is outside of a body, they turn it by levers that it has not, and friction may give it energy.
#include "cli.h"
#include "run.h"

#include <math.h>

// Balls that stand for points and corners are smaller than this; overlaps that are less deep are not worth a warning [m].
static const double LEAST_DEPTH = 1e-3;

// How thick a geom is at its thinnest, at most [m].
static double thickness(const hfModel* m, int geom) {
  const double *size = hf_model_geom_size(m) + 3 * geom, radius = hf_model_geom_rbound(m)[geom];
  switch (hf_model_geom_type(m)[geom]) {
  case HF_GEOM_SPHERE:
  case HF_GEOM_CAPSULE:
    return 2 * size[0];
  case HF_GEOM_CYLINDER:
    return 2 * fmin(size[0], size[1]);
  case HF_GEOM_ELLIPSOID:
  case HF_GEOM_BOX:
    return 2 * fmin(size[0], fmin(size[1], size[2]));
  default:
    return radius > 0 ? 2 * radius : INFINITY;
  }
}

void keep_sunk(run* r, double time, const hfStepReport* report) {
  runStatistics* s = &r->statistics;
  if (!(report->max_depth > s->max_depth))
    return; // The deepest contact of this step is not deeper than all before.
  for (int i = 0; i < hf_sim_contact_count(r->sim); ++i) {
    hfContact c = hf_sim_contact(r->sim, i);
    if (c.depth > fmax(s->sunk.depth, LEAST_DEPTH) &&
        c.depth > fmin(thickness(r->model, c.geom_a), thickness(r->model, c.geom_b)))
      s->sunk = c, s->sunk_at = time;
  }
}

void warn_about_sunk(const run* r) {
  const runStatistics* s = &r->statistics;
  if (!(s->sunk.depth > 0)) return;
  double a = thickness(r->model, s->sunk.geom_a), b = thickness(r->model, s->sunk.geom_b);
  int thin = a < b ? s->sunk.geom_a : s->sunk.geom_b,
      other = a < b ? s->sunk.geom_b : s->sunk.geom_a;
  const int32_t* body = hf_model_geom_body(r->model);
  char first[HF_LABEL_SIZE], second[HF_LABEL_SIZE];
  say_warning("body %s lies %.2g m deep in %s at %g s, but is only %.2g m thick there: their "
              "contact is too soft (MJCF: solref, hf.stiffness) or the "
              "step too long, and what follows is not to be trusted",
              hf_model_label(r->model, HF_OBJECT_BODY, body[thin], first), s->sunk.depth,
              hf_model_label(r->model, HF_OBJECT_BODY, body[other], second), s->sunk_at, fmin(a, b));
}
