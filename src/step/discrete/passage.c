// Keeps bodies from passing through each other: finds the trees that stop within a step, and the centres about which free bodies turn on their paths
// (step/near/passage.c).
#include "step/discrete/discrete.h"

// A free body turns about its centre of mass; without inertial motion (config.gyroscopic is 0) about its origin.
void hfi_discrete_turning_centres(hfiDiscrete* s, const double* v) {
  const hfModel* m = s->world->model;
  const hfDynamics* d = &s->world->dynamics;
  const hfiFlight* f = &s->flight;
  for (int t = 0; t < m->ntree; ++t) s->about[t].known = 0;
  for (int i = 0; i < f->nbody; ++i) {
    const hfiFreeBody* b = &f->body[i];
    const hfiLink* link = &d->link[b->link];
    hfiTurningCentre plain = {1, d->X_WB[link->body].p, v3_load(v + link->dof)};
    hfiTurningCentre inertial = {1, hfi_free_body_centre(d, b), hfi_free_body_velocity(d, b, v)};
    s->about[b->tree] = s->config.gyroscopic ? inertial : plain;
  }
}

// Upper bound on how much the solution changes the speed of any point [m/s].
static double change_of_speed(const hfiDiscrete* s) {
  const double *v0 = s->world->dynamics.v, *v1 = s->v1, *lever = s->world->lever;
  double sum = 0;
  for (int i = 0, n = s->world->model->nv; i < n; ++i) sum += fabs(v1[i] - v0[i]) * lever[i];
  return sum;
}

const double* hfi_discrete_find_stops(hfiDiscrete* s, hfStepReport* report) {
  hfDynamics* d = &s->world->dynamics;
  const double h = s->config.step;
  int all_are_found = !(s->excess > HFI_FURTHER); // No geom moves much beyond its reach.
  if (!s->world->nfound && all_are_found) return NULL;
  if (hfi_world_moves_as_one(s->world, d->V, h, h * change_of_speed(s))) return NULL;
  hfi_accelerate(d, s->v1); // velocities of the links at rates v1
  hfi_discrete_turning_centres(s, s->v1);
  int few = s->world->nfound <= s->world->scene.nactive; // If there are few pairs, it is faster to test the pairs than all geoms.
  const hfiPaths paths = {s->world, d->B, s->about, h};
  if (all_are_found && few && hfi_world_all_pairs_are_slow(&paths)) return NULL;
  if (!hfi_world_mark_passing(s->world, d->B, h, s->could_pass)) return NULL;
  if (!hfi_world_find_stops(s->world, &paths, s->could_pass, all_are_found, s->stop_time)) return NULL;
  for (int t = 0; t < s->world->model->ntree; ++t) report->nstopped += s->stop_time[t] < h;
  return s->stop_time;
}

void hfi_discrete_move_plainly(const hfiDiscrete* s, const double* stop_time, double* q) {
  const hfModel* m = s->world->model;
  for (int j = 0; j < m->njnt; ++j) {
    int dof = hf_model_jnt_dofadr(m)[j];
    double time = stop_time ? min2(s->config.step, stop_time[hf_model_dof_tree(m)[dof]]) : s->config.step;
    hfi_joint_integrate(hf_model_jnt_type(m)[j], q + hf_model_jnt_qposadr(m)[j], s->v1 + dof, time);
  }
}
