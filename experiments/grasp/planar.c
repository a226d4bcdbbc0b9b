// The planar grasp (planar.h).
#include "grasp/planar.h"

#include <math.h>
#include <string.h>

int planar_open(graspScene* s, const double mu[2]) {
  static const char* const links[PLANAR_CONTACTS] = {"link1", "link2", "link3", "link4"};
  if (grasp_open(s, "planar_grasp.xml", PLANAR_CONTACTS, links) != CLI_GOOD) return CLI_FAILED;
  const double all[PLANAR_CONTACTS] = {mu[0], mu[1], mu[0], mu[1]};
  return grasp_set_friction(s, all);
}

int planar_plan(graspPlan* plan, graspScene* s, double y, double phi, graspProfile profile) {
  memset(plan, 0, sizeof *plan);
  plan->scene = s;
  plan->duration = 1;
  plan->profile = profile;
  plan->least_force = 0.05;
  plan->frequency = 20;
  const double* key = hf_model_key_qpos(s->model); // the first: low
  memcpy(plan->from, key, (size_t)s->nq * sizeof *key);
  plan->from[0] = 0, plan->from[1] = y, plan->from[2] = phi;
  return grasp_reach(s, plan->from, NULL);
}

static int is_p_with(graspScene* s, const graspSetpoint* at, double proximal, double distal) {
  const double mu[PLANAR_CONTACTS] = {proximal, distal, proximal, distal};
  return grasp_judge(s, mu, at).is_p;
}

double planar_friction_limit(graspScene* s, const graspSetpoint* at, double distal, double most) {
  static const double STEP = 0.005;
  double lo = 0, hi = STEP;
  while (hi < most && is_p_with(s, at, hi, distal)) lo = hi, hi += STEP;
  if (hi >= most) return most;
  while (hi - lo > 1e-7) {
    double mid = 0.5 * (lo + hi);
    if (is_p_with(s, at, mid, distal))
      lo = mid;
    else
      hi = mid;
  }
  return lo;
}

int planar_outline(const graspScene* s, const double* q, double* x, double* y) {
  enum { POINTS = 72 };
  const double pi = 3.14159265358979323846, base = 0.05, link = 0.2;
  const double* size = hf_model_geom_size(s->model) + (size_t)(3 * s->object_geom);
  int n = 0;
  for (int i = 0; i <= POINTS; ++i, ++n) {
    double u = 2 * pi * i / POINTS, a = size[0] * cos(u), b = size[1] * sin(u);
    x[n] = q[0] + a * cos(q[2]) - b * sin(q[2]);
    y[n] = q[1] + a * sin(q[2]) + b * cos(q[2]);
  }
  x[n] = y[n] = NAN, ++n;
  for (int side = 1; side >= -1;
       side -= 2) { // from the right fingertip over the palm to the left one
    const double* theta = q + (side > 0 ? 3 : 5);
    double px[3] = {side * base, 0, 0}, py[3] = {0, 0, 0}, angle = 0;
    for (int k = 0; k < 2; ++k) {
      angle += theta[k];
      px[k + 1] = px[k] + link * cos(angle), py[k + 1] = py[k] + link * sin(angle);
    }
    for (int k = 0; k < 3; ++k, ++n)
      x[n] = px[side > 0 ? 2 - k : k], y[n] = py[side > 0 ? 2 - k : k];
  }
  return n;
}
