// Creating an hfRigid: one arena, planned from the model and the capacities.
#include "methods/switching/rigid.h"

#include "base/object.h"

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
    int is_strict;
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
static void take_problem(hfRigidProblem* p, hfiArena* arena, size_t contacts, size_t rows, size_t nv) {
  p->contact = HFI_TAKE(arena, hfRigidContact, contacts);
  p->W_N = HFI_TAKE(arena, double, contacts* nv);
  p->W_T = HFI_TAKE(arena, double, 2 * contacts * nv);
  p->A = HFI_TAKE(arena, double, rows* rows);
  HFI_TAKE_EACH(arena, double, rows, &p->b, &p->k, &p->c, &p->x, &p->y);
  p->rolling = HFI_TAKE(arena, int32_t, rows);
  p->vdot = HFI_TAKE(arena, double, nv);
}

static size_t max_size(size_t a, size_t b) { return a > b ? a : b; }

static void take_arrays(void* object, hfiArena* arena) {
  hfRigid* r = object;
  size_t contacts = (size_t)r->config.max_contacts;
  size_t rows = (size_t)r->max_rows;
  size_t nv = (size_t)r->model->nv;

  // tracks and the point
  r->tracks.list = HFI_TAKE(arena, hfiTrack, contacts);
  r->old.list = HFI_TAKE(arena, hfiTrack, contacts);
  r->taken = HFI_TAKE(arena, int32_t, contacts);
  r->point = HFI_TAKE(arena, hfiPoint, contacts);
  r->group = HFI_TAKE(arena, hfiFrictionGroup, 3 * contacts);
  r->v_after = HFI_TAKE(arena, double, nv);

  // rows
  r->rows.row = HFI_TAKE(arena, double, rows* nv);
  r->rows.response = HFI_TAKE(arena, double, rows* nv);
  r->rows.free = HFI_TAKE(arena, double, nv);
  r->rows.column = HFI_TAKE(arena, double, nv);
  r->rows.pair = HFI_TAKE(arena, double, 2 * nv);
  r->rows.zero = HFI_TAKE(arena, double, hfi_accel_max_equality(r->model));
  r->rows.lo = HFI_TAKE(arena, double, rows);
  r->rows.hi = HFI_TAKE(arena, double, rows);

  // friction polygons
  r->polygons.A = HFI_TAKE(arena, double, rows* rows);
  r->polygons.b = HFI_TAKE(arena, double, rows);
  r->polygons.z = HFI_TAKE(arena, double, rows);
  r->polygons.column = HFI_TAKE(arena, char, rows* hfi_polygon_column_size());
  r->polygons.slack = HFI_TAKE(arena, int32_t, 3 * contacts);

  // the problem, its certificate and work for both
  take_problem(&r->problem, arena, contacts, rows, nv);
  r->judged.A = HFI_TAKE(arena, double, rows* rows);
  r->judged.k = HFI_TAKE(arena, double, rows);
  r->judged.c = HFI_TAKE(arena, double, rows);
  r->judged.rolling = HFI_TAKE(arena, int32_t, rows);
  size_t lcp_size = max_size(hf_lcp_work_size(HF_LCP_LEMKE, r->max_rows),
                             hf_lcp_work_size(HF_LCP_DANTZIG, r->max_rows));
  r->work_size = max_size(lcp_size, hf_certificate_work_size(r->max_rows));
  r->work = HFI_TAKE(arena, char, r->work_size);
}

hfStatus hfi_rigid_create(hfRigid** rigid, hfiWorld* world, const hfRigidConfig* config, hfError* error) {
  hfStatus status = check_config(config, error);
  if (status == HF_OK && world->surfaces)
    status = hfi_refuse(error, HF_ERROR_UNSUPPORTED,
                        "rigid contact with events knows no surfaces that move (surfacevel): take another method");
  if (status) return status;

  hfRigid seed = {.model = world->model, .config = *config};
  seed.config.max_contacts = world->config.max_contacts;
  seed.max_rows = imax2(1, imin2(6 * seed.config.max_contacts, HFI_RIGID_MAX_ROWS));
  hfRigid* r = hfi_object_create(&seed, sizeof seed, take_arrays, &world->config.allocator, "rigid contact", error);
  if (!r) return HF_ERROR_MEMORY;

  hfAccelConfig c = hf_accel_config_default();
  c.reach = r->config.reach;
  status = hfi_accel_create(&r->accel, world, &c, error);
  if (status == HF_OK)
    *rigid = r;
  else
    hf_rigid_free(r);
  return status;
}

hfStatus hf_rigid_create(hfRigid** rigid, const hfModel* model, const hfRigidConfig* config, hfError* error) {
  hfi_clear_error(error);
  assert(rigid && model && config);
  hfiWorld* world = NULL;

  hfStatus status = check_config(config, error);
  if (status == HF_OK)
    status = hfi_accel_create_world(&world, model, config->max_contacts, config->scene_signals, &config->allocator,
                                    error);
  if (status == HF_OK) status = hfi_rigid_create(rigid, world, config, error);
  if (status == HF_OK)
    (*rigid)->accel->owns_world = 1;
  else
    hfi_world_free(world);
  return status;
}

void hf_rigid_free(hfRigid* r) {
  if (!r) return;
  hf_accel_free(r->accel);
  hfi_release(r);
}
