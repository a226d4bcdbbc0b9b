#include "outcome.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char* const outcome_run_name[PEER_RUNS] = {"default", "shifted", "half", "recipe", "fine", "frictionless", "contactless"};

void outcome_free(outcome* o) {
  free(o->q);
  o->q = NULL;
}

static double square(double x) { return x * x; }

static double norm(const double* x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += square(x[i]);
  return sqrt(sum);
}

// The pair of two bodies, made where there is none yet; NULL: there is no more room.
static outcomePair* find_pair(outcome* o, int a, int b) {
  for (int i = 0; i < o->npair; ++i)
    if (o->pair[i].body_a == a && o->pair[i].body_b == b) return &o->pair[i];
  if (o->npair == OUTCOME_PAIRS) return NULL;
  o->pair[o->npair] = (outcomePair){a, b, 0, -INFINITY, {0, 0, 0}, 0};
  return &o->pair[o->npair++];
}

// Adds a contact with its force on `second`.
static void add_contact(outcome* o, const hfModel* m, int first, int second, double depth, const double force[3]) {
  int a = hf_model_body_weld(m)[first], b = hf_model_body_weld(m)[second];
  double sign = a <= b ? 1 : -1, immovable = 1e9;
  outcomePair* pair = find_pair(o, a <= b ? a : b, a <= b ? b : a);
  if (!pair) return;
  pair->immovable |= norm(force, 3) > immovable;
  pair->points++;
  pair->depth = fmax(pair->depth, depth);
  for (int i = 0; i < 3; ++i) pair->force[i] += sign * force[i];
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
    const double force[3] = {c.fn * c.n_W.x + c.ft.x, c.fn * c.n_W.y + c.ft.y, c.fn * c.n_W.z + c.ft.z};
    add_contact(o, m, c.body_b, c.body_a, c.depth, force);
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
  int first, second;
  double depth, force[3];
  if (fscanf(file, "%d %d %lf %lf %lf %lf", &first, &second, &depth, &force[0], &force[1], &force[2]) != 6) return -1;
  if (first < 0 || first >= m->nbody || second < 0 || second >= m->nbody) return -1;
  add_contact(o, m, first, second, depth, force);
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

static double largest_force(const outcome* o) {
  double most = 0;
  for (int i = 0; i < o->npair; ++i)
    if (!o->pair[i].immovable) most = fmax(most, norm(o->pair[i].force, 3));
  return most;
}

// Compares a pair x with the same pair y of the other engine, or with none.
static void compare_pair(const outcomePair* x, const outcomePair* y, double least, outcomeContacts* out) {
  double size = norm(x->force, 3), apart[3];
  if (size < least || x->immovable) return;
  if (!y) {
    out->depth = out->force = fmax(out->force, 1);
    return;
  }
  for (int i = 0; i < 3; ++i) apart[i] = x->force[i] - y->force[i];
  out->force = fmax(out->force, norm(apart, 3) / size);
  out->other_points |= x->points != y->points;
  if (fabs(x->depth - y->depth) > 1e-6) out->depth = fmax(out->depth, fabs(x->depth - y->depth) / fabs(x->depth));
}

outcomeContacts outcome_contacts(const outcome* ours, const outcome* peer) {
  outcomeContacts out = {0};
  double most = fmax(largest_force(ours), largest_force(peer)), least = most / 20, touching = 1e-3;
  if (most < touching) return out;
  for (int i = 0; i < peer->npair; ++i) {
    compare_pair(&peer->pair[i], same_pair(ours, &peer->pair[i]), least, &out);
    if (norm(peer->pair[i].force, 3) >= least && !peer->pair[i].immovable) out.deepest_peer = fmax(out.deepest_peer, peer->pair[i].depth);
  }
  for (int i = 0; i < ours->npair; ++i) {
    const outcomePair* same = same_pair(peer, &ours->pair[i]);
    if (!same) compare_pair(&ours->pair[i], NULL, least, &out);
    if (same && same->immovable) continue;
    if (norm(ours->pair[i].force, 3) >= least) out.deepest_ours = fmax(out.deepest_ours, ours->pair[i].depth);
  }
  return out;
}
