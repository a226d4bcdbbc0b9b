// Creating an hfRigid: one arena, planned from the model and the capacities.
#include "methods/switching/rigid.h"

#include "base/object.h"

// Returns the default options of the rigid problem.
hfRigidConfig hf_rigid_config_default(void) {
  hfRigidConfig c = {.max_contacts = 256,
                     .scene_signals = 1,
                     .reach = 1e-3,
                     .touch = 1e-6,
                     .stick_speed = 1e-6,
                     .stabilisation = 0.01,
                     .layer = {.time = 1, .stiffness = 1, .damping = 1, .depth = 1e-3}};
  return c;
}

// Refuses numbers that are not finite or out of range, and laws that do not exist.
static hfStatus check_config(const hfRigidConfig* c, hfError* error) {
  const struct {
    const char* name;
    double value;
    int is_strict; // 1: it must be above zero; 0: zero is allowed, too
  } positive[] = {{"reach", c->reach, 1},
                  {"touch", c->touch, 1},
                  {"stick_speed", c->stick_speed, 1},
                  {"stabilisation", c->stabilisation, 0},
                  {"layer.eps", c->layer.eps, 0},
                  {"layer.mass", c->layer.mass, 0},
                  {"layer.time", c->layer.time, 1},
                  {"layer.stiffness", c->layer.stiffness, 1},
                  {"layer.damping", c->layer.damping, 1},
                  {"layer.tangential_stiffness", c->layer.tangential_stiffness, 0},
                  {"layer.tangential_damping", c->layer.tangential_damping, 0},
                  {"layer.depth", c->layer.depth, 1}};
  for (size_t i = 0; i < sizeof positive / sizeof *positive; ++i) {
    double x = positive[i].value;
    if (!isfinite(x) || x < 0 || (positive[i].is_strict && x == 0))
      return hfi_refuse(error, HF_ERROR_ARGUMENT, "rigid contact: %s = %g must be %s",
                        positive[i].name, x, positive[i].is_strict ? "positive" : "zero or positive");
  }

  if (c->layer.law < HF_LAYER_LINEAR || c->layer.law > HF_LAYER_STIFFENING)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "rigid contact: layer.law = %d is not a law", c->layer.law);
  if (c->layer.tangential_law != HF_LAYER_LINEAR && c->layer.tangential_law != HF_LAYER_STIFFENING)
    return hfi_refuse(error, HF_ERROR_ARGUMENT,
                      "rigid contact: layer.tangential_law = %d must be linear (0) or stiffening (3): the other laws "
                      "have no damping without deformation",
                      c->layer.tangential_law);
  if (c->touch > c->reach)
    return hfi_refuse(error, HF_ERROR_ARGUMENT,
                      "rigid contact: touch = %g must not exceed reach = %g", c->touch, c->reach);
  if (c->max_contacts < 0)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "rigid contact: max_contacts = %d is negative",
                      c->max_contacts);
  return HF_OK;
}

// Takes the arrays of the public problem.
static void take_problem(hfRigidProblem* problem, hfiArena* arena, size_t contacts, size_t rows, size_t nv) {
  problem->contact = HFI_TAKE(arena, hfRigidContact, contacts);
  problem->W_N = HFI_TAKE(arena, double, contacts* nv);
  problem->W_T = HFI_TAKE(arena, double, 2 * contacts * nv);
  problem->A = HFI_TAKE(arena, double, rows* rows);
  HFI_TAKE_EACH(arena, double, rows, &problem->b, &problem->k, &problem->c, &problem->x, &problem->y);
  problem->rolling = HFI_TAKE(arena, int32_t, rows);
  problem->vdot = HFI_TAKE(arena, double, nv);
}

static size_t max_size(size_t a, size_t b) { return a > b ? a : b; }

// Plans or takes all arrays of an hfRigid.
static void take_arrays(void* object, hfiArena* arena) {
  hfRigid* rigid = object;
  size_t contacts = (size_t)rigid->config.max_contacts;
  size_t rows = (size_t)rigid->max_rows;
  size_t nv = (size_t)rigid->model->nv;

  // tracks and the point
  rigid->tracks.list = HFI_TAKE(arena, hfiTrack, contacts);
  rigid->renewal.old.list = HFI_TAKE(arena, hfiTrack, contacts);
  rigid->renewal.taken = HFI_TAKE(arena, int32_t, contacts);
  rigid->point = HFI_TAKE(arena, hfiPoint, contacts);
  rigid->group = HFI_TAKE(arena, hfiFrictionGroup, 3 * contacts);
  rigid->v_after = HFI_TAKE(arena, double, nv);

  // rows
  rigid->rows.row = HFI_TAKE(arena, double, rows* nv);
  rigid->rows.response = HFI_TAKE(arena, double, rows* nv);
  rigid->rows.free = HFI_TAKE(arena, double, nv);
  rigid->rows.column = HFI_TAKE(arena, double, nv);
  rigid->rows.pair = HFI_TAKE(arena, double, 2 * nv);
  rigid->rows.zero = HFI_TAKE(arena, double, hfi_accel_max_equality(rigid->model));
  rigid->rows.lo = HFI_TAKE(arena, double, rows);
  rigid->rows.hi = HFI_TAKE(arena, double, rows);

  // friction polygons
  rigid->polygons.A = HFI_TAKE(arena, double, rows* rows);
  rigid->polygons.b = HFI_TAKE(arena, double, rows);
  rigid->polygons.z = HFI_TAKE(arena, double, rows);
  rigid->polygons.column = HFI_TAKE(arena, char, rows* hfi_polygon_column_size());
  rigid->polygons.slack = HFI_TAKE(arena, int32_t, 3 * contacts);

  // the problem, its certificate and work for both
  take_problem(&rigid->problem, arena, contacts, rows, nv);
  rigid->last_certified.A = HFI_TAKE(arena, double, rows* rows);
  rigid->last_certified.k = HFI_TAKE(arena, double, rows);
  rigid->last_certified.c = HFI_TAKE(arena, double, rows);
  rigid->last_certified.rolling = HFI_TAKE(arena, int32_t, rows);

  size_t lcp_size = max_size(hf_lcp_work_size(HF_LCP_LEMKE, rigid->max_rows),
                             hf_lcp_work_size(HF_LCP_DANTZIG, rigid->max_rows));
  rigid->work_size = max_size(lcp_size, hf_certificate_work_size(rigid->max_rows));
  rigid->work = HFI_TAKE(arena, char, rigid->work_size);
}

// Creates an hfRigid over a world of the caller.
hfStatus hfi_rigid_create(hfRigid** rigid, hfiWorld* world, const hfRigidConfig* config, hfError* error) {
  hfStatus status = check_config(config, error);
  if (status) return status;
  if (world->surfaces)
    return hfi_refuse(error, HF_ERROR_UNSUPPORTED,
                      "rigid contact with events knows no surfaces that move (surfacevel): take another method");

  hfRigid seed = {.model = world->model, .config = *config};
  seed.config.max_contacts = world->config.max_contacts;
  seed.max_rows = imax2(1, imin2(6 * seed.config.max_contacts, HFI_RIGID_MAX_ROWS)); // at most 6 rows a contact
  hfRigid* created =
      hfi_object_create(&seed, sizeof seed, take_arrays, &world->config.allocator, "rigid contact", error);
  if (!created) return HF_ERROR_MEMORY;

  // its acceleration problem
  hfAccelConfig accel_config = hf_accel_config_default();
  accel_config.reach = created->config.reach;
  status = hfi_accel_create(&created->accel, world, &accel_config, error);
  if (status == HF_OK) *rigid = created;
  else hf_rigid_free(created);
  return status;
}

// Creates an hfRigid with a world of its own.
hfStatus hf_rigid_create(hfRigid** rigid, const hfModel* model, const hfRigidConfig* config, hfError* error) {
  hfi_clear_error(error);
  assert(rigid && model && config);
  hfiWorld* world = NULL;

  hfStatus status = check_config(config, error);
  if (status == HF_OK)
    status = hfi_accel_create_world(&world, model, config->max_contacts, config->scene_signals, &config->allocator,
                                    error);

  if (status == HF_OK) status = hfi_rigid_create(rigid, world, config, error);

  if (status == HF_OK) (*rigid)->accel->owns_world = 1;
  else hfi_world_free(world);
  return status;
}

void hf_rigid_free(hfRigid* rigid) {
  if (!rigid) return;
  hf_accel_free(rigid->accel);
  hfi_release(rigid);
}
