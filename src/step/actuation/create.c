// Plans an hfActuation. The model fixes the structure of the sparse rows of tendons and actuators once; every update
// computes their values.
#include "step/actuation/inside.h"
#include "base/object.h"
#include "model/actuator.h"
#include "model/path.h"
#include <assert.h>
#include <string.h>

// ---- counts ---------------------------------------------------------------------------------------

// Returns the number of entries of all moment rows.
static int count_moments(const hfModel* m) {
  int n = 0;
  for (int i = 0; i < m->nu; ++i) n += hfi_moment_capacity(m, i);
  return n;
}

// Returns the number of entries of all tendon rows.
static int count_tendon_dofs(const hfModel* m) {
  int n = 0;
  for (int t = 0; t < m->ntendon; ++t) n += hfi_tendon_dofs(m, t, NULL);
  return n;
}

// ---- tendons --------------------------------------------------------------------------------------

// Sets the dofs of a tendon and, for a fixed tendon, the place of each of its joints among them.
static void set_tendon_dofs(hfActuation* a, int t) {
  const hfModel* m = a->model;
  int start = a->tendons.start[t];
  int first = hf_model_tendon_adr(m)[t];
  a->tendons.start[t + 1] = start + hfi_tendon_dofs(m, t, a->tendons.dof + start);
  if (hfi_tendon_is_spatial(m, t)) return;

  // the entry of each joint
  for (int w = first; w < first + hf_model_tendon_num(m)[t]; ++w) {
    int dof = hf_model_jnt_dofadr(m)[hf_model_wrap_obj(m)[w]];
    int slot = start;
    while (a->tendons.dof[slot] != dof) slot++;
    a->tendons.wrap_slot[w] = slot;
  }
}

// ---- actuators ------------------------------------------------------------------------------------

// Writes the union of two ascending lists of dofs to `out` and returns its size. Both lists are read in parallel; a dof
// of both is written once.
int hfi_merge_dofs(const int32_t* x, int nx, const int32_t* y, int ny, int32_t* out) {
  int n = 0;
  int i = 0;
  int j = 0;
  while (i < nx || j < ny) {
    int32_t dof = j == ny || (i < nx && x[i] <= y[j]) ? x[i] : y[j];
    if (i < nx && x[i] == dof) i++;
    if (j < ny && y[j] == dof) j++;
    out[n++] = dof;
  }
  return n;
}

// Writes the dofs on which actuator i acts, ascending, to `dof`. Returns their number; 0 for an actuator on a body.
static int list_moment_dofs(const hfActuation* a, int i, int32_t* dof) {
  const hfModel* m = a->model;
  const int32_t* id = hf_model_actuator_trnid(m) + 2 * i;
  int type = hf_model_actuator_trntype(m)[i];

  // a tendon: its own dofs
  if (type == HF_TRANSMISSION_TENDON) {
    int start = a->tendons.start[id[0]];
    int n = a->tendons.start[id[0] + 1] - start;
    memcpy(dof, a->tendons.dof + start, (size_t)n * sizeof *dof);
    return n;
  }

  // a site and its reference, or slider and crank: the dofs that move one of the two
  if (type == HF_TRANSMISSION_SITE || type == HF_TRANSMISSION_SLIDER_CRANK) {
    const int32_t* x = NULL;
    const int32_t* y = NULL;
    int nx = hfi_body_dofs(m, hf_model_site_body(m)[id[0]], &x);
    int ny = id[1] < 0 ? 0 : hfi_body_dofs(m, hf_model_site_body(m)[id[1]], &y);
    return hfi_merge_dofs(x, nx, y, ny, dof);
  }

  // a joint has consecutive dofs; a body has none
  int n = hfi_moment_capacity(m, i);
  for (int k = 0; k < n; ++k) dof[k] = hf_model_jnt_dofadr(m)[id[0]] + k;
  return n;
}

// Returns the index in q of the hinge or slide that actuator i acts on, or -1.
static int find_coordinate(const hfModel* m, int i) {
  int joint = hf_model_actuator_trnid(m)[2 * i];
  if (hf_model_actuator_trntype(m)[i] > HF_TRANSMISSION_JOINT_IN_PARENT) return -1;
  return hfi_joint_is_scalar(hf_model_jnt_type(m)[joint]) ? hf_model_jnt_qposadr(m)[joint] : -1;
}

// Returns the drive sum of the limited joint or tendon that the actuator acts on, and makes it if there is none yet.
// Returns -1 if the joint or tendon is not limited.
static int find_or_make_drive_sum(hfActuation* a, int i) {
  const hfModel* m = a->model;
  hfiDrives* s = &a->drives;
  int type = hf_model_actuator_trntype(m)[i];
  int id = hf_model_actuator_trnid(m)[2 * i];
  int is_tendon = type == HF_TRANSMISSION_TENDON;

  if (type >= HF_TRANSMISSION_SITE) return -1;
  if (!is_tendon && !hfi_joint_is_scalar(hf_model_jnt_type(m)[id])) return -1;
  if (!(is_tendon ? hf_model_tendon_actfrclimited(m)[id] : hf_model_jnt_actfrclimited(m)[id])) return -1;

  // the sum of an earlier actuator on it, or a new one
  hfiRowOrigin origin = {is_tendon ? HFI_ROW_TENDON_DRIVE : HFI_ROW_JOINT_DRIVE, id};
  for (int p = 0; p < s->nsum; ++p)
    if (s->sum[p].origin.source == origin.source && s->sum[p].origin.id == id) return p;

  s->sum[s->nsum] = (hfiDriveSum){.origin = origin, .first = i};
  return s->nsum++;
}

// ---- interface ------------------------------------------------------------------------------------

// Takes all arrays from the arena.
static void take_arrays(hfActuation* a, hfiArena* arena) {
  const hfModel* m = a->model;
  hfiDrives* s = &a->drives;
  hfiRowNotes* notes = &a->notes;
  int nmoment = count_moments(m);
  int ntendon_dof = count_tendon_dofs(m);

  a->fresh = HFI_TAKE(arena, uint32_t, 1);

  // tendons
  a->tendons.start = HFI_TAKE(arena, int32_t, m->ntendon + 1);
  a->tendons.dof = HFI_TAKE(arena, int32_t, ntendon_dof);
  a->tendons.J = HFI_TAKE(arena, double, ntendon_dof);
  a->tendons.wrap_slot = HFI_TAKE(arena, int32_t, m->nwrap);
  HFI_TAKE_EACH(arena, double, m->ntendon, &a->tendons.length0, &a->tendons.length, &a->tendons.velocity,
                &s->tendon_total, &notes->start_length, &a->reference_mass.tendon);

  // actuators
  a->moments.start = HFI_TAKE(arena, int32_t, m->nu + 1);
  a->moments.dof = HFI_TAKE(arena, int32_t, nmoment);
  a->moments.entry = HFI_TAKE(arena, double, nmoment);
  HFI_TAKE_EACH(arena, int32_t, m->nu, &a->law, &s->coordinate, &s->sum_of, &s->orientation);
  HFI_TAKE_EACH(arena, double, m->nu, &a->length, &a->velocity, &a->input, &a->force, &s->integral);
  a->rate = HFI_TAKE(arena, double, m->na);
  s->servo = HFI_TAKE(arena, hfiServo, m->nu);
  s->motor = HFI_TAKE(arena, hfiMotor, m->nu);
  s->drive = HFI_TAKE(arena, hfiDrive, m->nu);
  s->drag = HFI_TAKE(arena, hfiDrive, m->nu);
  s->sum = HFI_TAKE(arena, hfiDriveSum, m->nu);
  s->limited_joint = HFI_TAKE(arena, int32_t, m->njnt);

  // dofs
  HFI_TAKE_EACH(arena, double, m->nv, &a->gravcomp, &a->joint_force, &a->target_force, &a->dense);
  HFI_TAKE_EACH(arena, double, m->nv, &s->wanted, &s->torque, &notes->v1, &a->reference_mass.dof);
  for (int i = 0; i < 2; ++i) a->column[i] = HFI_TAKE(arena, hfMotion, m->nv);

  // passive forces and rows
  hfi_ranges_take(&a->passive.ranges, m, arena);
  a->passive.drag = HFI_TAKE(arena, hfiBodyDrag, m->nbody);
  a->reference_mass.equality = HFI_TAKE(arena, double, 2 * m->neq);
  notes->overload = HFI_TAKE(arena, hfiOverload, 2 * m->neq);
  notes->tension = HFI_TAKE(arena, hfiTension, m->neq);
  hfi_rows_init(&a->rows, m, arena);
}

// Takes all arrays and finds the constants: dofs of tendons and actuators, drive sums, laws.
void hfi_actuation_init(hfActuation* a, const hfModel* m, hfiArena* arena) {
  hfiDrives* s = &a->drives;
  memset(a, 0, sizeof *a);
  a->model = m;
  take_arrays(a, arena);
  if (!arena->base) return;

  // all forces are zero
  *a->fresh = HFI_FRESH_FORCES;

  // dofs of tendons, then of actuators
  for (int t = 0; t < m->ntendon; ++t) set_tendon_dofs(a, t);
  for (int i = 0; i < m->nu; ++i) {
    a->moments.start[i + 1] = a->moments.start[i] + list_moment_dofs(a, i, a->moments.dof + a->moments.start[i]);

    a->law[i] = hf_model_actuator_drive(m)[i];
    s->coordinate[i] = find_coordinate(m, i);
    s->sum_of[i] = find_or_make_drive_sum(a, i);

    // an orientation servo is three or four actuators that follow each other; the first one lists all inputs
    int is_first = hfi_is_orientation(m, i) && hfi_orientation_count(hf_model_actuator_inputs(m)[i]);
    if (is_first) s->orientation[s->norientation++] = i;
  }

  for (int j = 0; j < m->njnt; ++j)
    if (hf_model_jnt_actfrclimited(m)[j] || hf_model_jnt_actgravcomp(m)[j]) s->limited_joint[s->nlimited_joint++] = j;
}

static void init(void* object, hfiArena* arena) { hfi_actuation_init(object, ((hfActuation*)object)->model, arena); }

// Makes an actuation in memory of its own, which hf_actuation_free releases. Refuses with HF_ERROR_MEMORY.
hfStatus hf_actuation_create(hfActuation** actuation, const hfModel* model, hfError* error) {
  hfi_clear_error(error);
  hfActuation seed = {.model = model};
  hfActuation* a = hfi_object_create(&seed, sizeof seed, init, NULL, "an actuation", error);
  if (!a) return HF_ERROR_MEMORY;

  *actuation = a;
  return HF_OK;
}

void hf_actuation_free(hfActuation* a) { hfi_release(a); }

const double* hf_actuation_length(const hfActuation* a) { return a->length; }
const double* hf_actuation_velocity(const hfActuation* a) { return a->velocity; }
const double* hf_actuation_force(const hfActuation* a) {
  hfi_need_forces(a);
  return a->force;
}
const double* hf_actuation_joint_force(const hfActuation* a) {
  hfi_need_forces(a);
  return a->joint_force;
}
const double* hf_actuation_rate(const hfActuation* a) { return a->rate; }
const double* hf_actuation_tendon_length(const hfActuation* a) { return a->tendons.length; }
const double* hf_actuation_tendon_velocity(const hfActuation* a) { return a->tendons.velocity; }

// Writes the Jacobian row (nv) of the length of tendon t.
void hf_actuation_tendon_moment(const hfActuation* a, int t, double* row) {
  assert(t >= 0 && t < a->model->ntendon);
  memset(row, 0, (size_t)a->model->nv * sizeof *row);
  for (int k = a->tendons.start[t]; k < a->tendons.start[t + 1]; ++k) row[a->tendons.dof[k]] = a->tendons.J[k];
}

// Writes the moment row (nv) of actuator i.
void hf_actuation_moment(const hfActuation* a, int i, double* row) {
  assert(i >= 0 && i < a->model->nu);
  memset(row, 0, (size_t)a->model->nv * sizeof *row);
  for (int k = a->moments.start[i]; k < a->moments.start[i + 1]; ++k) row[a->moments.dof[k]] = a->moments.entry[k];
}
