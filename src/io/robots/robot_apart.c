// Lists the pairs of bodies that do not touch in the model but would touch in a reader of SDFormat or URDF. Readers
// exclude contacts only between two links that one joint connects, and between all links that are fixed to these two.
//
// w: the writer, m: its model; a, b: bodies; weld[a]: the first of the bodies that are fixed to a.
#include "io/robots/robot_write.h"

// Whether a body has a geom that collides.
static int has_colliding_geom(const hfModel* m, int body) {
  int first = hf_model_body_geomadr(m)[body];
  int any = 0;
  for (int i = first; i < first + hf_model_body_geomnum(m)[body]; ++i) any |= hfi_robot_collides(m, i);
  return any;
}

// Whether b, or what b is fixed to, is moved by one joint in a, or in what a is fixed to.
static int is_moved_in(const hfModel* m, int a, int b) {
  const int32_t* weld = hf_model_body_weld(m);
  int top = weld[b];
  return top > 0 && hf_model_body_jntnum(m)[top] == 1 && weld[hf_model_body_parent(m)[top]] == weld[a];
}

// Whether a reader of the file excludes contacts between two bodies by itself.
static int are_kept_apart(const hfiRobotWriter* w, int a, int b) {
  const int32_t* weld = hf_model_body_weld(w->m);

  // by a joint that closes a loop
  for (int i = 0; i < w->nloop; ++i) {
    if (w->loop[i].parent < 0) continue;
    int parent = weld[w->link[w->loop[i].parent].body];
    int child = weld[w->link[w->loop[i].child].body];
    if ((weld[a] == parent && weld[b] == child) || (weld[a] == child && weld[b] == parent)) return 1;
  }

  return weld[a] == weld[b] || is_moved_in(w->m, a, b) || is_moved_in(w->m, b, a);
}

// Adds a pair; only counts it while there is no list yet.
static void add_pair(hfiRobotWriter* w, int a, int b) {
  if (w->apart) {
    w->apart[2 * w->napart] = a;
    w->apart[2 * w->napart + 1] = b;
  }
  ++w->napart;
}

// Adds the pairs of a body with several joints and its parent, each with all that is fixed to it. In the written file
// there are links between the two.
static void add_parents(hfiRobotWriter* w, int body) {
  const hfModel* m = w->m;
  const int32_t* weld = hf_model_body_weld(m);
  int parent = weld[hf_model_body_parent(m)[body]];
  if (hf_model_body_jntnum(m)[body] < 2 || parent == 0) return;

  for (int a = parent; a < hf_model_body_subtreeend(m)[parent]; ++a) {
    if (weld[a] != parent || !has_colliding_geom(m, a)) continue;
    for (int b = body; b < hf_model_body_subtreeend(m)[body]; ++b)
      if (weld[b] == body && has_colliding_geom(m, b)) add_pair(w, a, b);
  }
}

// Whether one of the first `count` excluded pairs is this one.
static int is_excluded(const hfModel* m, int count, int a, int b) {
  for (int i = 0; i < count; ++i) {
    const int32_t* body = hf_model_exclude_body(m) + 2 * i;
    if ((body[0] == a && body[1] == b) || (body[0] == b && body[1] == a)) return 1;
  }
  return 0;
}

// Adds all pairs, or counts them while there is no list yet.
static void add_all(hfiRobotWriter* w) {
  const hfModel* m = w->m;
  for (int i = 0; i < m->nexclude; ++i) {
    const int32_t* body = hf_model_exclude_body(m) + 2 * i;
    if (!are_kept_apart(w, body[0], body[1]) && !is_excluded(m, i, body[0], body[1])) add_pair(w, body[0], body[1]);
  }
  for (int body = 1; body < m->nbody && m->world.filter_parent; ++body) add_parents(w, body);
}

// Fills w->apart: counts the pairs, then lists them.
void hfi_robot_make_apart(hfiRobotWriter* w) {
  add_all(w);
  w->apart = hfi_robot_take(w, 2 * (size_t)w->napart, sizeof *w->apart);
  w->napart = 0;
  if (w->apart) add_all(w);
}

// Counts the bodies on one joint that may touch their parent because it stands still.
int hfi_robot_count_touching_bases(const hfModel* m) {
  int count = 0;
  for (int body = 1; body < m->nbody; ++body) {
    int parent = hf_model_body_parent(m)[body];
    int first = hf_model_body_jntadr(m)[body];
    int is_on_joint = hf_model_body_jntnum(m)[body] == 1 && hf_model_jnt_type(m)[first] != HF_JOINT_FREE;
    int is_on_base = parent > 0 && hf_model_body_weld(m)[parent] == 0;
    if (!is_on_joint || !is_on_base) continue;

    int may_touch = has_colliding_geom(m, body) && has_colliding_geom(m, parent);
    count += may_touch && !is_excluded(m, m->nexclude, body, parent);
  }
  return count;
}
