#include "outcome.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char* const outcome_run_name[PEER_RUNS] = {"default",   "shifted",      "half",        "recipe",    "fine",
                                                 "creepless", "frictionless", "contactless", "limitless", "stays"};

void outcome_free(outcome* o) {
  free(o->q);
  o->q = NULL;
}

static const double SAME_PLACE = 0.001; // contacts of the two engines that are nearer than this are at the same place [m]
static const double UNFELT = 1e-6;      // a force is not felt if joints feel at most this share of it, at an arm of 1 m [-]

static double square(double x) { return x * x; }

static double norm(const double* x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += square(x[i]);
  return sqrt(sum);
}

static double norm_of_difference(const double* x, const double* y) {
  const double apart[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
  return norm(apart, 3);
}

// The pair of two bodies, made where there is none yet; NULL: there is no more room.
static outcomePair* find_pair(outcome* o, int a, int b) {
  for (int i = 0; i < o->npair; ++i)
    if (o->pair[i].body_a == a && o->pair[i].body_b == b) return &o->pair[i];
  if (o->npair == OUTCOME_PAIRS) return NULL;
  o->pair[o->npair] = (outcomePair){.body_a = a, .body_b = b, .depth = -INFINITY};
  return &o->pair[o->npair++];
}

// A contact: its depth, its force on `second` and the part of it along the normal, what joints feel of the force, and its place.
typedef struct touch {
  int first, second; // bodies
  double depth, force[3], normal[3], felt, place[3];
} touch;

static void add_contact(outcome* o, const hfModel* m, const touch* t) {
  int a = hf_model_body_weld(m)[t->first], b = hf_model_body_weld(m)[t->second];
  double sign = a <= b ? 1 : -1;
  outcomePair* pair = find_pair(o, a <= b ? a : b, a <= b ? b : a);
  if (!pair) return;
  if (pair->points < OUTCOME_PLACES) memcpy(pair->place[pair->points], t->place, sizeof t->place);
  pair->points++;
  pair->depth = fmax(pair->depth, t->depth);
  pair->pressed += norm(t->force, 3);
  pair->felt = fmax(pair->felt, t->felt);
  for (int i = 0; i < 3; ++i) pair->force[i] += sign * t->force[i], pair->normal[i] += sign * t->normal[i];
}

// ---- ours -------------------------------------------------------------------------------------------

int outcome_take(outcome* o, const hfModel* m, const hfSim* sim, const hfState* state) {
  memset(o, 0, sizeof *o);
  o->q = malloc(sizeof *o->q * (size_t)(m->nq + 1));
  if (!o->q) return -1;
  memcpy(o->q, hf_state_q(state), sizeof *o->q * (size_t)m->nq);
  for (int i = 0; i < m->nv; ++i) o->speed = fmax(o->speed, fabs(hf_state_v(state)[i]));
  for (int i = 0; i < hf_sim_contact_count(sim); ++i) {
    hfContact c = hf_sim_contact(sim, i);
    if (c.depth < 0 && !(c.fn > 0)) continue; // It was only expected to touch.
    touch t = {.first = c.body_b, .second = c.body_a, .depth = c.depth, .normal = {c.fn * c.n_W.x, c.fn * c.n_W.y, c.fn * c.n_W.z},
               .felt = INFINITY, .place = {c.p_W.x, c.p_W.y, c.p_W.z}};
    t.force[0] = t.normal[0] + c.ft.x, t.force[1] = t.normal[1] + c.ft.y, t.force[2] = t.normal[2] + c.ft.z;
    add_contact(o, m, &t);
  }
  return 0;
}

// ---- the peer's -------------------------------------------------------------------------------------

// Reads "run NAME SPEED QPOS..." into the outcome of that name, to which *current then points.
static int read_run(outcome peer[PEER_RUNS], const hfModel* m, FILE* file, outcome** current) {
  char name[16];
  if (fscanf(file, "%15s", name) != 1) return -1;
  for (int k = 0; k < PEER_RUNS; ++k) {
    if (strcmp(name, outcome_run_name[k]) != 0) continue;
    outcome* o = *current = &peer[k];
    o->q = malloc(sizeof(double) * (size_t)(m->nq + 1));
    if (!o->q || fscanf(file, "%lf", &o->speed) != 1) return -1;
    for (int i = 0; i < m->nq; ++i)
      if (fscanf(file, "%lf", &o->q[i]) != 1) return -1;
    return 0;
  }
  return -1;
}

static int read_contact(outcome* o, const hfModel* m, FILE* file) {
  touch t;
  if (fscanf(file, "%d %d %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf", &t.first, &t.second, &t.depth, &t.force[0], &t.force[1], &t.force[2],
             &t.normal[0], &t.normal[1], &t.normal[2], &t.felt, &t.place[0], &t.place[1], &t.place[2]) != 13)
    return -1;
  if (t.first < 0 || t.first >= m->nbody || t.second < 0 || t.second >= m->nbody) return -1;
  add_contact(o, m, &t);
  return 0;
}

static int read_sizes(const hfModel* m, FILE* file, char* why, size_t size) {
  int nq, nv, nbody, nu;
  if (fscanf(file, "%d %d %d %d", &nq, &nv, &nbody, &nu) != 4) return -1;
  if (nq == m->nq && nv == m->nv && nbody == m->nbody && nu == m->nu) return 0;
  snprintf(why, size, "nq %d, nv %d, bodies %d, nu %d here; %d, %d, %d, %d in MuJoCo", m->nq, m->nv, m->nbody, m->nu, nq, nv,
           nbody, nu);
  return -1;
}

int outcome_read(outcome peer[PEER_RUNS], peerRun first, peerRun last, const hfModel* m, FILE* file, char* why, size_t size) {
  char word[16];
  int failed = 0;
  outcome* current = &peer[first];
  snprintf(why, size, "MuJoCo does not run it");
  while (!failed && fscanf(file, "%15s", word) == 1)
    failed = strcmp(word, "sizes") == 0     ? read_sizes(m, file, why, size)
             : strcmp(word, "run") == 0     ? read_run(peer, m, file, &current)
             : strcmp(word, "contact") == 0 ? read_contact(current, m, file)
                                            : -1;
  for (int k = (int)first; k <= (int)last; ++k) failed |= !peer[k].q;
  return failed ? -1 : 0;
}

// ---- differences ------------------------------------------------------------------------------------

outcomeDistance outcome_distance(const hfModel* m, const outcome* x, const outcome* y) {
  outcomeDistance most = {0, 0};
  double* apart = malloc(sizeof *apart * (size_t)(m->nv + 1));
  if (!apart) return (outcomeDistance){INFINITY, INFINITY};
  hf_model_difference(m, x->q, y->q, 1, apart);
  for (int j = 0; j < m->njnt; ++j) {
    const double* at = apart + hf_model_jnt_dofadr(m)[j];
    int type = hf_model_jnt_type(m)[j], free_joint = type == HF_JOINT_FREE;
    if (free_joint || type == HF_JOINT_SLIDE) most.length = fmax(most.length, norm(at, free_joint ? 3 : 1));
    if (type == HF_JOINT_HINGE) most.angle = fmax(most.angle, fabs(at[0]));
    if (free_joint || type == HF_JOINT_BALL) most.angle = fmax(most.angle, norm(at + (free_joint ? 3 : 0), 3));
  }
  free(apart);
  return most;
}

static const outcomePair* same_pair(const outcome* o, const outcomePair* p) {
  for (int i = 0; i < o->npair; ++i)
    if (o->pair[i].body_a == p->body_a && o->pair[i].body_b == p->body_b) return &o->pair[i];
  return NULL;
}

static int is_unfelt(const outcomePair* p) { return p->pressed > 0 && p->felt <= UNFELT * p->pressed; }

// Does the pair count? peer: that pair in the peer's run, or NULL.
static int counts(const outcomePair* peer) { return !peer || !is_unfelt(peer); }

static double largest_force(const outcome* o, const outcome* peer) {
  double most = 0;
  for (int i = 0; i < o->npair; ++i)
    if (counts(same_pair(peer, &o->pair[i]))) most = fmax(most, norm(o->pair[i].force, 3));
  return most;
}

// Does each contact of x have one of y at its place?
static int has_its_places(const outcomePair* x, const outcomePair* y) {
  for (int i = 0; i < x->points && i < OUTCOME_PLACES; ++i) {
    double nearest = INFINITY;
    for (int j = 0; j < y->points && j < OUTCOME_PLACES; ++j) nearest = fmin(nearest, norm_of_difference(x->place[i], y->place[j]));
    if (nearest > SAME_PLACE) return 0;
  }
  return 1;
}

static int have_same_places(const outcomePair* x, const outcomePair* y) {
  return x->points == y->points && has_its_places(x, y) && has_its_places(y, x);
}

// Compares a pair x with the same pair y of the other engine, or with none.
static void compare_pair(const outcomePair* x, const outcomePair* y, double least, outcomeContacts* out) {
  double size = norm(x->force, 3);
  if (size < least) return;
  if (!y) {
    out->depth = out->depth_same_places = out->normal = out->force_a_point = out->force = fmax(out->force, 1);
    return;
  }
  double mean[3], other_mean[3];
  for (int k = 0; k < 3; ++k) mean[k] = x->force[k] / x->points, other_mean[k] = y->force[k] / y->points;
  out->force = fmax(out->force, norm_of_difference(x->force, y->force) / size);
  out->normal = fmax(out->normal, norm_of_difference(x->normal, y->normal) / size);
  out->force_a_point = fmax(out->force_a_point, norm_of_difference(mean, other_mean) / norm(mean, 3));
  double depth = fabs(x->depth - y->depth) > 1e-6 ? fabs(x->depth - y->depth) / fabs(x->depth) : 0;
  out->depth = fmax(out->depth, depth);
  if (have_same_places(x, y)) out->depth_same_places = fmax(out->depth_same_places, depth);
}

outcomeContacts outcome_contacts(const outcome* ours, const outcome* peer) {
  outcomeContacts out = {0};
  double most = fmax(largest_force(ours, peer), largest_force(peer, peer)), least = most / 20, touching = 1e-3;
  if (most < touching) return out;
  for (int i = 0; i < peer->npair; ++i) {
    const outcomePair* p = &peer->pair[i];
    if (!counts(p)) continue;
    compare_pair(p, same_pair(ours, p), least, &out);
    if (norm(p->force, 3) >= least) out.deepest_peer = fmax(out.deepest_peer, p->depth);
  }
  for (int i = 0; i < ours->npair; ++i) {
    const outcomePair *p = &ours->pair[i], *same = same_pair(peer, p);
    if (!counts(same)) continue;
    if (!same) compare_pair(p, NULL, least, &out);
    if (norm(p->force, 3) >= least) out.deepest_ours = fmax(out.deepest_ours, p->depth);
  }
  return out;
}
