// The kinematic tree: bodies, frames, replicas.
//
// The elements of a body, and of its frames, are read before its child bodies. So the order of ids is depth-first: the
// joints, geoms and sites of a body come before those of its first child.
//
// m: the document, r: its reader, e: a child element.
#include "io/mjcf/mjcf.h"

#include "math/eigen3.h"

#include <stdio.h>
#include <string.h>

static void read_children(hfiMjcf* m, const hfiScope* scope, hfiElem* parent, hfiMjcfSection pass);

// ---- inertial -----------------------------------------------------------------------------------

// The <inertial> of a body, which may stand in frames, and the frame around it in the body. NULL: there is none.
static hfiElem* find_inertial(hfiMjcf* m, hfiElem* body, hfiPlacement frame, hfiPlacement* found_frame) {
  for (hfiElem* e = body->child; e; e = e->next) {
    if (hfi_is(e, "inertial")) {
      *found_frame = frame;
      return e;
    }
    if (!hfi_is(e, "frame")) continue;

    hfiPoseSpec pose = {{0, 0, 0}, {1, 0, 0, 0}};
    hfi_mjcf_read_pose(m, e, &pose);
    hfiPlacement inner = hfi_placement_mul(frame, hfi_placement_from(pose.pos, pose.quat));
    hfiElem* found = find_inertial(m, e, inner, found_frame);
    if (found) return found;
  }
  return NULL;
}

// Fills mass, centre of mass and inertia of the body from <inertial>. frame: X_BF of the frame around the element.
static void read_inertial(hfiMjcf* m, hfiElem* elem, const hfiPlacement* frame, hfBodyDef* def) {
  hfiReader* r = m->r;
  hfiPoseSpec pose = {{0, 0, 0}, {1, 0, 0, 0}};
  double diagonal[3];
  // xx yy zz xy xz yz, about the centre of mass
  double full[6] = {0};

  elem->used = 1;
  hfi_require(r, elem, "pos");
  hfi_require(r, elem, "mass");
  int is_turned = hfi_mjcf_read_pose(m, elem, &pose) & HFI_GIVES_ORIENTATION;
  hfi_read_real(r, elem, "mass", &def->mass);
  int has_diagonal = hfi_read_reals(r, elem, "diaginertia", 3, 3, diagonal);
  int has_full = hfi_read_reals(r, elem, "fullinertia", 6, 6, full);
  if (has_full && has_diagonal) hfi_fail(r, elem, HF_ERROR_MODEL, "both diaginertia and fullinertia are given");
  if (has_full && is_turned)
    hfi_fail(r, elem, HF_ERROR_MODEL, "fullinertia is in the axes of the body: no orientation with it");
  if (r->status) return;

  // f: pose of the inertial frame in the body. The inertia is turned into the axes of the body; a diagonal one keeps
  // its own axes, too.
  if (has_diagonal) memcpy(full, diagonal, sizeof diagonal);
  hfiPlacement f = hfi_placement_mul(*frame, hfi_placement_from(pose.pos, pose.quat));
  sym3_rotate(m3_from_quat(f.q), full, def->inertia);
  if (has_diagonal) q_store(def->inertia_quat, f.q);
  v3_store(def->com, f.p);
  def->has_inertial = 1;
}

// ---- body ---------------------------------------------------------------------------------------

const hfiKeyword hfi_mjcf_sleep_policies[] = {{"auto", HF_SLEEP_AUTO},
                                              {"never", HF_SLEEP_NEVER},
                                              {"allowed", HF_SLEEP_ALLOWED},
                                              {"init", HF_SLEEP_INIT},
                                              {NULL, 0}};

// Reads a body and all below it.
static void read_body(hfiMjcf* m, const hfiScope* outer, hfiElem* elem) {
  hfiReader* r = m->r;
  hfBodyDef def = hf_body_def_default();
  hfiPoseSpec pose = {{0, 0, 0}, {1, 0, 0, 0}};
  hfi_mjcf_read_pose(m, elem, &pose);
  hfi_read_bool(r, elem, "mocap", &def.mocap);
  hfi_read_real(r, elem, "gravcomp", &def.gravcomp);
  hfi_read_keyword(r, elem, "sleep", hfi_mjcf_sleep_policies, &def.sleep);
  const hfiClass* childclass = hfi_mjcf_find_class(m, elem, "childclass");

  // the body itself
  // frame: pose in the body of the innermost <frame> around <inertial>
  hfiPlacement frame = hfi_placement_identity();
  hfiElem* inertial = find_inertial(m, elem, frame, &frame);
  if (inertial) read_inertial(m, inertial, &frame, &def);
  def.name = hfi_mjcf_name(m, elem);
  def.where = hfi_where(r, elem);
  def.parent = outer->body;
  hfi_mjcf_place(outer, &pose, def.pos, def.quat);
  if (r->status) return;

  // what is in it
  hfiScope scope = {.frame = hfi_placement_identity(),
                    .has_inertial = inertial != NULL,
                    .childclass = childclass ? childclass : outer->childclass};
  scope.body = hfi_keep(r, elem, hf_builder_add_body(r->builder, &def, &r->scratch));
  if (!r->status) hfi_mjcf_note_cable(m, elem, scope.body);
  if (!r->status) hfi_mjcf_read_tree(m, &scope, elem);
}

// ---- frame, replicate ---------------------------------------------------------------------------

// Reads what is in a <frame>, with the frame's pose and class.
static void read_frame(hfiMjcf* m, const hfiScope* outer, hfiElem* elem, hfiMjcfSection pass) {
  hfiPoseSpec pose = {{0, 0, 0}, {1, 0, 0, 0}};
  hfi_mjcf_read_pose(m, elem, &pose);
  hfi_attr(elem, "name");
  const hfiClass* childclass = hfi_mjcf_find_class(m, elem, "childclass");

  hfiScope scope = *outer;
  scope.frame = hfi_placement_mul(outer->frame, hfi_placement_from(pose.pos, pose.quat));
  if (childclass) scope.childclass = childclass;
  if (!m->r->status) read_children(m, &scope, elem, pass);
}

// Counts the elements that were read, so that nested replicas cannot expand to a model without bound. Returns 0 after a
// refusal.
static int count_unfolded(hfiMjcf* m, const hfiElem* elem) {
  enum { MOST_UNFOLDED = 1000000 };
  if (++m->r->unfolded > MOST_UNFOLDED)
    hfi_fail(m->r, elem, HF_ERROR_MODEL, "the model unfolds to more than %d elements", MOST_UNFOLDED);
  return !m->r->status;
}

// Reads what is in a <replicate>, once for each replica. As in MuJoCo, replica k is turned by the angles k euler, and
// lies offset away from replica k - 1, along the axes of that one. Its names get a suffix: sep and k, with as many
// digits as count - 1 has. The suffix of an inner replica comes before the suffix of the outer one. pass: which kind of
// child is read now: what is in the body itself (HFI_IN_BODY), or its child bodies (HFI_IN_TREE).
static void read_replicate(hfiMjcf* m, const hfiScope* outer, hfiElem* elem, hfiMjcfSection pass) {
  hfiReader* r = m->r;
  int count = 0;
  double offset[3] = {0, 0, 0};
  double euler[3] = {0, 0, 0};
  hfi_require(r, elem, "count");
  hfi_read_int(r, elem, "count", &count);
  hfi_read_reals(r, elem, "offset", 3, 3, offset);
  hfi_read_reals(r, elem, "euler", 3, 3, euler);
  const char* sep = hfi_attr(elem, "sep");
  if (count < 1 || count > HFI_MOST_REPLICAS)
    hfi_fail(r, elem, HF_ERROR_MODEL, "count must be 1 to %d, is %d", HFI_MOST_REPLICAS, count);

  // sets m->suffix and the group of each replica; the suffix is restored at the end
  const char* outer_suffix = m->suffix;
  hfiScope scope = *outer;
  int digits = snprintf(NULL, 0, "%d", count - 1);
  int is_outermost = !outer_suffix[0];
  int first_group = 0;
  if (is_outermost && !r->status) first_group = hfi_mjcf_first_group(m, elem, count);

  for (int i = 0; i < count && !r->status && count_unfolded(m, elem); ++i) {
    if (is_outermost) m->replicas.group = first_group + i;
    m->suffix = hfi_format(r, "%s%0*d%s", sep ? sep : "", digits, i, outer_suffix);
    read_children(m, &scope, elem, pass);

    // the frame of the next replica
    double angle[3] = {(i + 1) * euler[0], (i + 1) * euler[1], (i + 1) * euler[2]};
    scope.frame.p = v3_add(scope.frame.p, q_rotate(scope.frame.q, v3_load(offset)));
    scope.frame.q = q_unit(q_mul(outer->frame.q, hfi_mjcf_euler(m, angle)));
  }
  m->suffix = outer_suffix;
}

// ---- children -----------------------------------------------------------------------------------

// Reads a child of a body or frame if it belongs to this pass: bodies to HFI_IN_TREE, other elements to the pass that
// the table of elements says. What is in frames and replicas is read in each pass.
static void read_child(hfiMjcf* m, const hfiScope* scope, hfiElem* e, hfiMjcfSection pass) {
  if (hfi_is(e, "frame")) {
    e->used = 1;
    read_frame(m, scope, e, pass);
    return;
  }
  if (hfi_is(e, "replicate")) {
    e->used = 1;
    read_replicate(m, scope, e, pass);
    return;
  }

  if (pass == HFI_IN_TREE && hfi_is(e, "body")) {
    e->used = 1;
    read_body(m, scope, e);
    return;
  }

  const hfiMjcfElement* row = hfi_mjcf_find_row(m, e, pass);
  if (!row) return;
  e->used = 1;
  row->place(m, scope, e);
}

// Reads the children of a body or frame that belong to this pass: its own elements (HFI_IN_BODY) or its child bodies
// (HFI_IN_TREE).
static void read_children(hfiMjcf* m, const hfiScope* scope, hfiElem* parent, hfiMjcfSection pass) {
  for (hfiElem* e = parent->child; e && !m->r->status && count_unfolded(m, e); e = e->next)
    read_child(m, scope, e, pass);
}

// Reads the children of a body or of the world: first all its own elements, then its child bodies.
void hfi_mjcf_read_tree(hfiMjcf* m, const hfiScope* scope, hfiElem* body) {
  read_children(m, scope, body, HFI_IN_BODY);
  read_children(m, scope, body, HFI_IN_TREE);
}
