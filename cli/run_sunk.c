// Bodies that lie deeper in each other than they are thick.
//
// Contact forces act in the middle of an overlap. If that is outside of a body, they turn it by levers that it does not
// have, and friction may give it energy.
#include "cli.h"
#include "run.h"

#include <math.h>

// Overlap [m] below which there is no warning: balls that stand for points and corners are smaller than this.
static const double LEAST_SUNK_DEPTH = 1e-3;

// An upper bound [m] of the thickness of a geom where it is thinnest.
static double thickness(const hfModel* m, int geom) {
  const double* size = hf_model_geom_size(m) + 3 * geom;
  double radius = hf_model_geom_rbound(m)[geom]; // of a ball around it; 0: it has no bounds

  switch (hf_model_geom_type(m)[geom]) {
  case HF_GEOM_SPHERE:
  case HF_GEOM_CAPSULE: return 2 * size[0];
  case HF_GEOM_CYLINDER: return 2 * fmin(size[0], size[1]);
  case HF_GEOM_ELLIPSOID:
  case HF_GEOM_BOX: return 2 * fmin(size[0], fmin(size[1], size[2]));
  default: return radius > 0 ? 2 * radius : INFINITY;
  }
}

// Keeps the deepest contact so far in which a geom lies deeper than it is thick, in the statistics of the run.
// report: of the step that began at this time [s].
void keep_sunk(run* r, double time, const hfStepReport* report) {
  contactStatistics* s = &r->statistics.contacts;
  if (!(report->max_depth > s->max_depth)) return; // no contact is deeper than those of the steps before

  for (int i = 0; i < hf_sim_contact_count(r->sim); ++i) {
    hfContact c = hf_sim_contact(r->sim, i);
    double thinner = fmin(thickness(r->model, c.geom_a), thickness(r->model, c.geom_b));
    if (c.depth > fmax(s->sunk.depth, LEAST_SUNK_DEPTH) && c.depth > thinner) {
      s->sunk = c;
      s->sunk_time = time;
    }
  }
}

// Warns of the contact that keep_sunk has kept, if there is one, and names the body of the thinner geom first.
void warn_about_sunk(const run* r) {
  const contactStatistics* s = &r->statistics.contacts;
  if (!(s->sunk.depth > 0)) return;

  double thickness_a = thickness(r->model, s->sunk.geom_a);
  double thickness_b = thickness(r->model, s->sunk.geom_b);
  int thin = s->sunk.geom_a; // geoms
  int thick = s->sunk.geom_b;
  if (thickness_b <= thickness_a) {
    thin = s->sunk.geom_b;
    thick = s->sunk.geom_a;
  }

  const int32_t* body = hf_model_geom_body(r->model);
  char thin_name[HF_LABEL_SIZE];
  char thick_name[HF_LABEL_SIZE];
  say_warning("body %s lies %.2g m deep in %s at %g s, but is only %.2g m thick there: their contact is too soft "
              "(MJCF: solref, hf.stiffness) or the step too long, and what follows is not to be trusted",
              hf_model_label(r->model, HF_OBJECT_BODY, body[thin], thin_name), s->sunk.depth,
              hf_model_label(r->model, HF_OBJECT_BODY, body[thick], thick_name), s->sunk_time,
              fmin(thickness_a, thickness_b));
}
