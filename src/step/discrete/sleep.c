// Sleep (docs/theory/sleep.md): trees that have rested for a while are left out of the step until something acts on
// them.
//
//   speed of a tree = max_i |v_i| lever_i [m/s]
//   lever_i           largest distance that a unit of dof i moves a point of the bodies behind it
//
// A tree rests while its speed is below the tolerance. An island falls asleep when all its trees have rested for the
// time of the configuration; their velocities become zero. Trees that sleep have no rows and no contacts, and their
// coordinates keep every bit.
//
// The state keeps one word for each tree: how long it has rested [ns]; or, if it sleeps, its signature with the sign
// bit set. The signature is a hash of everything that acts on the tree and that a user can change: its coordinates, the
// parameters of the model, poses of mocap bodies, forces, wrenches and targets on it, and the controls if it has
// actuators. A tree wakes when its signature or one of its velocities has changed, when it touches a tree that is
// awake, and when a tree wakes that a remembered contact or a row joins to it.
#include "step/discrete/inside.h"

#include "base/disjoint_sets.h"
#include "base/finite.h"
#include "model/joint.h"
#include "model/block.h"
#include "model/state_parts.h"

#include <math.h>
#include <string.h>

// A second has this many nanoseconds [1/s].
static const double NANOSECONDS = 1e9;
// This bit of a tree's word is set if the word is a signature, not a time.
static const uint64_t SIGN_BIT = (uint64_t)1 << 63;

// ---- signatures ---------------------------------------------------------------------------------------

// Adds 64 bits to a hash. The multiplier is that of Fibonacci hashing, 2^64 over the golden ratio (Knuth, volume 3,
// 6.4).
static uint64_t mix(uint64_t hash, uint64_t bits) {
  hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

static uint64_t mix_number(uint64_t hash, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return mix(hash, bits);
}

static uint64_t mix_numbers(uint64_t hash, const double* x, int n) {
  for (int i = 0; i < n; ++i) hash = mix_number(hash, x[i]);
  return hash;
}

static uint64_t mix_bytes(uint64_t hash, const void* x, size_t n) {
  const unsigned char* byte = x;
  for (size_t i = 0; i < n; ++i) hash = mix(hash, byte[i]);
  return hash;
}

// Returns a hash of all parameters that an overlay may change.
static uint64_t hash_parameters(const hfModel* m) {
  const hfWorld* w = &m->world;
  uint64_t hash = mix_numbers(0, w->gravity, 3);
  hash = mix_number(hash, w->density);
  hash = mix_number(hash, w->viscosity);
  hash = mix_numbers(hash, w->wind, 3);

  for (int f = 0; f < HF_MODEL_FIELD_COUNT; ++f) {
    hfModelField field = (hfModelField)f;
    if (!hf_model_field_info(m, field).overlay) continue;
    hash = mix_bytes(hash, (const char*)m + m->offset[f], hfi_field_bytes(m, field));
  }
  return hash;
}

// Returns the part of the signatures that all trees have in common.
static uint64_t hash_surroundings(hfiDiscrete* s) {
  hfiSleep* z = &s->sleep;
  const hfiWorld* w = s->world;

  if (!z->is_hashed || z->revision != w->model->revision) {
    z->parameters = hash_parameters(w->model);
    z->revision = w->model->revision;
    z->is_hashed = 1;
  }
  return mix_numbers(z->parameters, w->mocap, 7 * w->model->nmocap);
}

// Adds the coordinates of each tree to its signature.
static void add_coordinates(hfiDiscrete* s, const double* q) {
  const hfModel* m = s->world->model;
  const int32_t* tree = hf_model_body_tree(m);

  for (int j = 0; j < m->njnt; ++j) {
    uint64_t* signature = &s->sleep.signature[tree[hf_model_jnt_body(m)[j]]];
    *signature = mix_numbers(*signature, q + hf_model_jnt_qposadr(m)[j], hfi_joint_nq(hf_model_jnt_type(m)[j]));
  }
}

// Adds the forces, targets and wrenches of the input to the signatures of the trees on which they act. Zero forces and
// wrenches, and targets that are NaN (none), leave a signature as it is.
static void add_input(hfiDiscrete* s, const hfInput* in) {
  const hfModel* m = s->world->model;
  const int32_t* dof_tree = hf_model_dof_tree(m);
  const int32_t* body_tree = hf_model_body_tree(m);
  uint64_t* signature = s->sleep.signature;

  for (int i = 0; in->force && i < m->nv; ++i) {
    uint64_t* z = &signature[dof_tree[i]];
    if (in->force[i] != 0) *z = mix_number(mix(*z, (uint64_t)i), in->force[i]);
  }

  for (int i = 0; in->velocity_target && i < m->nv; ++i) {
    if (isnan(in->velocity_target[i])) continue;
    uint64_t* z = &signature[dof_tree[i]];
    *z = mix_number(mix(*z, (uint64_t)i), in->velocity_target[i]);
    if (in->force_limit) *z = mix_number(*z, in->force_limit[i]);
  }

  for (int b = 1; in->wrench && b < m->nbody; ++b) {
    double wrench[6];
    memcpy(wrench, &in->wrench[b], sizeof wrench);
    if (body_tree[b] < 0 || !hfi_any_nonzero(wrench, 6)) continue;
    uint64_t* z = &signature[body_tree[b]];
    *z = mix_numbers(mix(*z, (uint64_t)b), wrench, 6);
  }
}

// Computes s->sleep.signature of all trees at a state.
static void compute_signatures(hfiDiscrete* s, const hfState* state, const hfInput* in) {
  const hfModel* m = s->world->model;
  hfiSleep* z = &s->sleep;
  uint64_t common = hash_surroundings(s);
  uint64_t controls = mix_numbers(common, s->world->ctrl, m->nu);
  controls = mix_numbers(controls, hf_state_act(state), m->na);

  for (int t = 0; t < m->ntree; ++t) z->signature[t] = z->driven[t] ? controls : common;
  add_coordinates(s, hf_state_q(state));
  if (in) add_input(s, in);
  for (int t = 0; t < m->ntree; ++t) z->signature[t] |= SIGN_BIT;
}

// ---- joined trees -------------------------------------------------------------------------------------

// Joins two trees. One of them may be the world (-1).
static void join(int32_t* parent, int a, int b) {
  if (a >= 0 && b >= 0) hfi_join_sets(parent, a, b);
}

// Joins the trees of lists of dofs: list i is dof[start[i]] to dof[start[i + 1] - 1].
static void join_lists(const hfModel* m, int32_t* parent, const int32_t* start, const int32_t* dof, int lists) {
  const int32_t* tree = hf_model_dof_tree(m);
  for (int i = 0; i < lists; ++i)
    for (int k = start[i] + 1; k < start[i + 1]; ++k) join(parent, tree[dof[start[i]]], tree[dof[k]]);
}

// Joins trees with a remembered contact, and trees that a row, a tendon or an actuator couples. Writes the forest of
// joined trees s->sleep.parent (base/disjoint_sets.h). key_pair has geom a in the upper and geom b in the lower 32
// bits.
static void join_trees(hfiDiscrete* s, const hfState* state) {
  const hfModel* m = s->world->model;
  const hfActuation* a = &s->world->actuation;
  const int32_t* tree = hf_model_body_tree(m);
  const int32_t* body = hf_model_geom_body(m);
  int32_t* parent = s->sleep.parent;
  for (int t = 0; t < m->ntree; ++t) parent[t] = t;

  const hfContactMemory* memory = hf_state_memory(state);
  for (int i = 0; i < state->nmemory; ++i) {
    uint64_t pair = memory[i].key_pair;
    join(parent, tree[body[pair >> 32]], tree[body[pair & 0xffffffffu]]);
  }

  join_lists(m, parent, a->tendons.start, a->tendons.dof, m->ntendon);
  join_lists(m, parent, a->moments.start, a->moments.dof, m->nu);
  for (int b = 0; b < a->rows.nblock; ++b) {
    const hfStepBlock* block = hfi_rows_block(&a->rows, b);
    const hfStepPiece* piece = a->rows.problem->piece + block->piece;
    for (int k = 1; k < block->npiece; ++k) join(parent, piece[0].tree, piece[k].tree);
  }
}

// Wakes all trees that are joined to one that is awake, counts those that sleep, and marks the geoms that cannot move.
static void wake_joined(hfiDiscrete* s) {
  const hfModel* m = s->world->model;
  const int32_t* tree = hf_model_body_tree(m);
  const int32_t* body = hf_model_geom_body(m);
  hfiSleep* z = &s->sleep;

  memset(z->mark, 0, sizeof *z->mark * (size_t)m->ntree);
  for (int t = 0; t < m->ntree; ++t)
    if (!z->asleep[t]) z->mark[hfi_find_set(z->parent, t)] = 1;

  z->count = 0;
  for (int t = 0; t < m->ntree; ++t) {
    z->asleep[t] = z->asleep[t] && !z->mark[hfi_find_set(z->parent, t)];
    z->count += z->asleep[t];
  }

  for (int g = 0; g < m->ngeom; ++g) z->still[g] = tree[body[g]] < 0 || z->asleep[tree[body[g]]];
  hfi_near_leave_out_still(&s->world->near, z->count ? z->still : NULL);
}

// ---- during a step ------------------------------------------------------------------------------------

static int tree_moves(const hfModel* m, int t, const double* v) {
  return hfi_any_nonzero(v + hf_model_tree_dofadr(m)[t], hf_model_tree_dofnum(m)[t]);
}

void hfi_sleep_begin(hfiDiscrete* s) {
  memset(s->sleep.woken, 0, sizeof *s->sleep.woken * (size_t)s->world->model->ntree);
}

// Finds which trees sleep in this step: writes asleep, count and still. A tree still sleeps if its signature is the
// same, if it does not move, and if all trees that it is joined to sleep.
void hfi_sleep_find(hfiDiscrete* s, const hfState* state, const hfInput* in) {
  const hfModel* m = s->world->model;
  hfiSleep* z = &s->sleep;
  const int64_t* word = hf_state_discrete(state) + HFI_WORD_TREES;

  int any = 0;
  for (int t = 0; t < m->ntree; ++t) {
    z->asleep[t] = word[t] < 0 && !z->woken[t]; // a negative word is a signature: the tree slept
    any |= z->asleep[t];
  }
  z->count = 0;
  hfi_near_leave_out_still(&s->world->near, NULL);
  if (!any) return;

  memcpy(z->q, hf_state_q(state), sizeof *z->q * (size_t)m->nq);
  compute_signatures(s, state, in);
  for (int t = 0; t < m->ntree; ++t) {
    if (!z->asleep[t]) continue;
    int is_same = (uint64_t)word[t] == z->signature[t] || word[t] == HFI_ASLEEP_FROM_START;
    z->asleep[t] = is_same && !tree_moves(m, t, hf_state_v(state));
  }
  join_trees(s, state);
  wake_joined(s);
}

// Writes woken and asleep. What is joined to a tree that wakes, wakes too.
int hfi_sleep_wake_touched(hfiDiscrete* s) {
  const int32_t* tree = hf_model_body_tree(s->world->model);
  const hfiNear* near = &s->world->near;
  hfiSleep* z = &s->sleep;
  int any = 0;

  for (int i = 0; z->count && i < near->ncontact; ++i) {
    int a = tree[near->contact[i].body_a];
    int b = tree[near->contact[i].body_b];
    if (a < 0 || b < 0 || z->asleep[a] == z->asleep[b]) continue;
    z->woken[z->asleep[a] ? a : b] = 1;
    any = 1;
  }
  if (!any) return 0;

  for (int t = 0; t < s->world->model->ntree; ++t) z->asleep[t] = z->asleep[t] && !z->woken[t];
  wake_joined(s);
  return 1;
}

// Writes q and v of the trees that sleep.
void hfi_sleep_hold(const hfiDiscrete* s, double* q, double* v) {
  const hfModel* m = s->world->model;
  const hfiSleep* z = &s->sleep;
  const int32_t* tree = hf_model_body_tree(m);
  const int32_t* adr = hf_model_jnt_qposadr(m);

  for (int j = 0; j < m->njnt; ++j) {
    if (!z->asleep[tree[hf_model_jnt_body(m)[j]]]) continue;
    memcpy(q + adr[j], z->q + adr[j], sizeof *q * (size_t)hfi_joint_nq(hf_model_jnt_type(m)[j]));
  }
  for (int i = 0; i < m->nv; ++i)
    if (z->asleep[hf_model_dof_tree(m)[i]]) v[i] = 0;
}

// ---- the end of a step --------------------------------------------------------------------------------

// Returns for how long a tree rests before it may fall asleep [ns].
static int64_t find_enough_rest(const hfiDiscrete* s) { return (int64_t)(NANOSECONDS * s->config.sleep_time); }

// Returns the speed of tree t at velocities v (nv) [m/s].
static double find_tree_speed(const hfiDiscrete* s, int t, const double* v) {
  const double* lever = s->world->near.size.lever;
  int first = hf_model_tree_dofadr(s->world->model)[t];
  int end = first + hf_model_tree_dofnum(s->world->model)[t];
  double speed = 0;
  for (int i = first; i < end; ++i) speed = max2(speed, fabs(v[i]) * lever[i]);
  return speed;
}

// Counts the time for which trees that are awake rest, in their words of the state. Returns whether one has rested long
// enough. A tree that sleeps from the start on gets its signature.
static int count_rest(const hfiDiscrete* s, const double* v, int64_t* word) {
  const hfModel* m = s->world->model;
  const hfiSleep* z = &s->sleep;
  int64_t step = (int64_t)(NANOSECONDS * s->config.step + 0.5);
  int64_t enough = find_enough_rest(s);
  int any = 0;

  for (int t = 0; t < m->ntree; ++t) {
    if (z->asleep[t]) {
      if (word[t] == HFI_ASLEEP_FROM_START) word[t] = (int64_t)z->signature[t];
      continue;
    }
    int rests = find_tree_speed(s, t, v) < s->config.sleep_speed && hf_model_tree_sleep(m)[t] != HF_SLEEP_NEVER;
    int64_t before = word[t] < 0 ? 0 : word[t];
    word[t] = rests ? before + step : 0;
    any |= word[t] >= enough;
  }
  return any;
}

// A tree on a moving surface does not rest, however slow the surface is; nor does a tree whose contact follows its path
// (curve.c): its rows of friction have a drift, too.
static void stay_awake_on_surfaces(const hfiDiscrete* s, int64_t* word) {
  const hfStepProblem* p = &s->assembly.problem;
  const int32_t* tree = hf_model_body_tree(s->world->model);

  for (int i = 0; p->drift && i < s->world->near.ncontact; ++i) {
    if (s->block[i] < 0) continue;
    const hfiContact* c = &s->world->near.contact[i];
    const hfStepBlock* b = &p->block[s->block[i]];
    if (!hfi_any_nonzero(p->drift + b->row + 1, b->dim - 1)) continue;
    if (tree[c->body_a] >= 0) word[tree[c->body_a]] = 0;
    if (tree[c->body_b] >= 0) word[tree[c->body_b]] = 0;
  }
}

// Puts islands to sleep of which all trees have rested long enough: their velocities become zero, and their words the
// signatures of what acts on them.
static void fall_asleep(hfiDiscrete* s, hfState* state, const hfInput* in, int64_t* word) {
  const hfModel* m = s->world->model;
  hfiSleep* z = &s->sleep;
  double* v = hf_state_mutable_v(state);
  int64_t enough = find_enough_rest(s);

  // mark islands with a tree that has not rested long enough
  join_trees(s, state);
  memset(z->mark, 0, sizeof *z->mark * (size_t)m->ntree);
  for (int t = 0; t < m->ntree; ++t)
    if (!z->asleep[t] && word[t] < enough) z->mark[hfi_find_set(z->parent, t)] = 1;

  compute_signatures(s, state, in);
  for (int t = 0; t < m->ntree; ++t) {
    if (z->asleep[t] || z->mark[hfi_find_set(z->parent, t)]) continue;
    word[t] = (int64_t)z->signature[t];
    memset(v + hf_model_tree_dofadr(m)[t], 0, sizeof *v * (size_t)hf_model_tree_dofnum(m)[t]);
  }
}

// Writes the words of all trees in the state, velocities of trees that fall asleep, and report->nsleep.
void hfi_sleep_settle(hfiDiscrete* s, hfState* state, const hfInput* in, hfStepReport* report) {
  const hfModel* m = s->world->model;
  int64_t* word = hf_state_mutable_discrete(state) + HFI_WORD_TREES;
  if (!s->sleep.count) memset(s->sleep.asleep, 0, sizeof *s->sleep.asleep * (size_t)m->ntree);

  int any_has_rested = count_rest(s, hf_state_v(state), word);
  stay_awake_on_surfaces(s, word);
  if (any_has_rested && report->status == HF_OK) fall_asleep(s, state, in, word);
  for (int t = 0; t < m->ntree; ++t) report->nsleep += word[t] < 0;
}

void hfi_sleep_end(hfiDiscrete* s) {
  s->sleep.count = 0;
  hfi_near_leave_out_still(&s->world->near, NULL);
}

// ---- creation -----------------------------------------------------------------------------------------

// Marks the trees on which an actuator acts. An actuator that acts at contacts has no dofs of its own, so that its
// control counts for all trees.
static void mark_driven(const hfiWorld* w, int32_t* driven) {
  const hfModel* m = w->model;
  const hfActuation* a = &w->actuation;

  memset(driven, 0, sizeof *driven * (size_t)m->ntree);
  for (int i = 0; i < a->moments.start[m->nu]; ++i) driven[hf_model_dof_tree(m)[a->moments.dof[i]]] = 1;
  for (int i = 0; i < m->nu; ++i) {
    if (a->moments.start[i] != a->moments.start[i + 1]) continue;
    for (int t = 0; t < m->ntree; ++t) driven[t] = 1;
  }
}

// Takes the arrays, and finds the trees that actuators act on.
void hfi_sleep_init(hfiDiscrete* s, hfiArena* arena) {
  const hfModel* m = s->world->model;
  hfiSleep* z = &s->sleep;

  HFI_TAKE_EACH(arena, int32_t, m->ntree, &z->asleep, &z->woken, &z->parent, &z->mark, &z->driven);
  z->still = HFI_TAKE(arena, int32_t, m->ngeom);
  z->signature = HFI_TAKE(arena, uint64_t, m->ntree);
  z->q = HFI_TAKE(arena, double, m->nq);
  z->fresh = HFI_TAKE(arena, hfContactMemory, s->world->config.max_contacts);
  if (arena->base) mark_driven(s->world, z->driven);
}
