// Lists the pairs of bodies that do not touch in the model but would touch in a reader of SDFormat or URDF. Readers
// exclude contacts only between two links that one joint connects, and between all links that are fixed to these two.
#include "io/robots/robot_write.h"

static int collides(const hfModel* m, int body) {
  int first = hf_model_body_geomadr(m)[body];
  int any = 0;
  for (int i = first; i < first + hf_model_body_geomnum(m)[body]; ++i) any |= hfi_robot_collides(m, i);
  return any;
}

// Whether exactly one joint connects the group of fixed bodies of `b` with that of `a`.
static int hangs_on(const hfModel* m, int a, int b) {
  const int32_t* weld = hf_model_body_weld(m);
  int top = weld[b];
  return top > 0 && hf_model_body_jntnum(m)[top] == 1 && weld[hf_model_body_parent(m)[top]] == weld[a];
}

// Whether a reader of the file excludes contacts between two bodies by itself.
static int are_kept_apart(const hfiRobotWriter* w, int a, int b) {
  const int32_t* weld = hf_model_body_weld(w->m);
  for (int i = 0; i < w->nloop; ++i) {
    if (w->loop[i].parent < 0) continue;
    int p = weld[w->link[w->loop[i].parent].body];
    int c = weld[w->link[w->loop[i].child].body];
    if ((weld[a] == p && weld[b] == c) || (weld[a] == c && weld[b] == p)) return 1;
  }
  return weld[a] == weld[b] || hangs_on(w->m, a, b) || hangs_on(w->m, b, a);
}

// Adds a pair; only counts it while there is no list yet.
static void add_pair(hfiRobotWriter* w, int a, int b) {
  if (w->apart) {
    w->apart[2 * w->napart] = a;
    w->apart[2 * w->napart + 1] = b;
  }
  ++w->napart;
}

// Adds pairs of a parent and a body with several joints: in the written file there are links between the two.
static void add_parents(hfiRobotWriter* w, int body) {
  const hfModel* m = w->m;
  const int32_t* weld = hf_model_body_weld(m);
  int above = weld[hf_model_body_parent(m)[body]];
  if (hf_model_body_jntnum(m)[body] < 2 || above == 0) return;
  for (int a = above; a < hf_model_body_subtreeend(m)[above]; ++a)
    for (int b = body; weld[a] == above && collides(m, a) && b < hf_model_body_subtreeend(m)[body]; ++b)
      if (weld[b] == body && collides(m, b)) add_pair(w, a, b);
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

void hfi_robot_make_apart(hfiRobotWriter* w) {
  add_all(w);
  w->apart = hfi_robot_take(w, 2 * (size_t)w->napart, sizeof *w->apart);
  w->napart = 0;
  if (w->apart) add_all(w);
}

int hfi_robot_count_touching_bases(const hfModel* m) {
  int count = 0;
  for (int body = 1; body < m->nbody; ++body) {
    int parent = hf_model_body_parent(m)[body], hinged = hf_model_body_jntnum(m)[body] == 1 &&
                 hf_model_jnt_type(m)[hf_model_body_jntadr(m)[body]] != HF_JOINT_FREE;
    count += hinged && parent > 0 && hf_model_body_weld(m)[parent] == 0 && collides(m, body) && collides(m, parent) &&
        !is_excluded(m, m->nexclude, body, parent);
  }
  return count;
}
