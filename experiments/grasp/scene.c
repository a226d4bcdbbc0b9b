// Geometry and rates of a grasp (scene.h), from distances and Jacobians of the engine.
#include "grasp/scene.h"
#include "data.h"

#include <math.h>
#include <string.h>

static const double DIFFERENCE =
    1e-5; // [s]; (W_N^T)' v along the motion: truncation e^2 against eps/e

int solve_linear(int n, double* A, double* x) {
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k + 1; i < n; ++i)
      if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
    if (!(fabs(A[best * n + k]) > 1e-14)) return 0;
    for (int j = 0; j < n && best != k; ++j) {
      double swap = A[k * n + j];
      A[k * n + j] = A[best * n + j], A[best * n + j] = swap;
    }
    double swap = x[k];
    x[k] = x[best], x[best] = swap;
    for (int i = k + 1; i < n; ++i) {
      double f = A[i * n + k] / A[k * n + k];
      for (int j = k; j < n; ++j) A[i * n + j] -= f * A[k * n + j];
      x[i] -= f * x[k];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    for (int j = k + 1; j < n; ++j) x[k] -= A[k * n + j] * x[j];
    x[k] /= A[k * n + k];
  }
  return 1;
}

// ---- opening ----------------------------------------------------------------------------------------

static int find_parts(graspScene* s, int nc, const char* const* links) {
  s->object_body = hf_model_find(s->model, HF_OBJECT_BODY, "object");
  s->object_geom = hf_model_find(s->model, HF_OBJECT_GEOM, "object");
  s->nc = nc, s->nq = s->model->nq, s->nv = s->model->nv;
  s->no = hf_model_body_lastdof(s->model)[s->object_body] + 1;
  s->nf = s->nv - s->no;
  for (int i = 0; i < nc; ++i) s->link_geom[i] = hf_model_find(s->model, HF_OBJECT_GEOM, links[i]);
  for (int i = 0; i < nc; ++i)
    if (s->link_geom[i] < 0) return 0;
  return s->object_body > 0 && s->object_geom >= 0 && s->nf == nc && s->nv <= GRASP_DOFS;
}

int grasp_open(graspScene* s, const char* file, int nc, const char* const* links) {
  hfError error = {HF_OK, "it is no grasp of this kind"};
  char name[128], path[DATA_PATH];
  memset(s, 0, sizeof *s);
  snprintf(name, sizeof name, "models/%s", file);
  if (hf_model_load(&s->model, data_path(path, name), NULL, NULL, &error) == HF_OK && find_parts(s, nc, links) &&
      hf_params_create(&s->params, s->model, &error) == HF_OK &&
      hf_dynamics_create(&s->dynamics, s->model, &error) == HF_OK) {
    const double* friction = hf_model_geom_friction(s->model);
    for (int i = 0; i < nc; ++i) s->mu[i] = friction[3 * s->link_geom[i]];
    return CLI_GOOD;
  }
  say_error("%s: %s", file, error.message);
  grasp_close(s);
  return CLI_FAILED;
}

void grasp_close(graspScene* s) {
  hf_dynamics_free(s->dynamics);
  hf_params_free(s->params);
  hf_model_free(s->model);
  memset(s, 0, sizeof *s);
}

int grasp_set_friction(graspScene* s, const double* mu) {
  hfError error = {HF_OK, ""};
  double* friction = hf_params_field(s->params, HF_FIELD_geom_friction);
  for (int i = 0; i < s->nc; ++i) friction[3 * s->link_geom[i]] = s->mu[i] = mu[i];
  if (hf_params_update(s->params, &error) == HF_OK) return CLI_GOOD;
  say_error("friction: %s", error.message);
  return CLI_FAILED;
}

const hfModel* grasp_model(const graspScene* s) { return hf_params_model(s->params); }

// ---- contacts at a configuration --------------------------------------------------------------------

static hfVec3 cross(hfVec3 a, hfVec3 b) {
  return (hfVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Tangents of a contact. Where the normal is horizontal, t[0] = n x e_z and t[1] = e_z.
static void choose_tangents(hfVec3 n, hfVec3* t) {
  hfVec3 up = fabs(n.z) < 0.9 ? (hfVec3){0, 0, 1} : (hfVec3){1, 0, 0};
  t[0] = cross(n, up);
  double length = sqrt(t[0].x * t[0].x + t[0].y * t[0].y + t[0].z * t[0].z);
  t[0] = (hfVec3){t[0].x / length, t[0].y / length, t[0].z / length};
  t[1] = cross(t[0], n);
}

// row = u . (velocity of the object's point less that of the link's)
static void set_row(const graspScene* s, const double* Jo, const double* Jl, hfVec3 u,
                    double* row) {
  const int nv = s->nv;
  const double axis[3] = {u.x, u.y, u.z};
  for (int k = 0; k < nv; ++k) {
    row[k] = 0;
    for (int i = 0; i < 3; ++i) row[k] += axis[i] * (Jo[(3 + i) * nv + k] - Jl[(3 + i) * nv + k]);
  }
}

static void configure_contact(graspScene* s, int i) {
  graspContact* c = &s->contact[i];
  hfGeomDistance d;
  double Jo[6 * GRASP_DOFS], Jl[6 * GRASP_DOFS];
  int link = hf_model_geom_body(s->model)[s->link_geom[i]];
  hf_geom_distance(s->dynamics, s->object_geom, s->link_geom[i], INFINITY, &d);
  c->gap = d.distance;
  c->n_W = d.n_W;
  c->p_W = (hfVec3){0.5 * (d.p_Wa.x + d.p_Wb.x), 0.5 * (d.p_Wa.y + d.p_Wb.y),
                    0.5 * (d.p_Wa.z + d.p_Wb.z)};
  choose_tangents(c->n_W, c->t_W);
  hf_dynamics_jacobian(s->dynamics, s->object_body, c->p_W, Jo);
  hf_dynamics_jacobian(s->dynamics, link, c->p_W, Jl);
  set_row(s, Jo, Jl, c->n_W, c->WN);
  for (int k = 0; k < 2; ++k) set_row(s, Jo, Jl, c->t_W[k], c->WT[k]);
}

void grasp_configure(graspScene* s, const double* q) {
  hf_dynamics_set_position(s->dynamics, q, NULL);
  for (int i = 0; i < s->nc; ++i) configure_contact(s, i);
}

// Solves W_N^T (0, y) = x for the finger rates y and writes them to x (nc).
static int solve_fingers(const graspScene* s, double* x) {
  double A[GRASP_DOFS * GRASP_DOFS];
  for (int i = 0; i < s->nc; ++i)
    for (int k = 0; k < s->nf; ++k) A[i * s->nf + k] = s->contact[i].WN[s->no + k];
  return solve_linear(s->nf, A, x);
}

int grasp_reach(graspScene* s, double* q, const double* gap) {
  for (int iteration = 0; iteration < 50; ++iteration) {
    double move[GRASP_DOFS] = {0}, worst = 0;
    grasp_configure(s, q);
    for (int i = 0; i < s->nc; ++i) {
      move[s->no + i] = (gap ? gap[i] : 0) - s->contact[i].gap;
      worst = fmax(worst, fabs(move[s->no + i]));
    }
    if (worst < 1e-14) return CLI_GOOD;
    if (!solve_fingers(s, move + s->no)) break;
    double largest = 0; // a Newton step moves a joint by at most 0.2 rad
    for (int k = 0; k < s->nv; ++k) largest = fmax(largest, fabs(move[k]));
    hf_model_integrate(s->model, q, move, fmin(1, 0.2 / largest));
    if (worst < 1e-12) return grasp_configure(s, q), CLI_GOOD;
  }
  say_error("the fingers do not reach the object");
  return CLI_FAILED;
}

static double dot(int n, const double* a, const double* b) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

int grasp_keep(const graspScene* s, double* v) {
  for (int k = s->no; k < s->nv; ++k) v[k] = 0;
  double x[GRASP_DOFS];
  for (int i = 0; i < s->nc; ++i) x[i] = -dot(s->nv, s->contact[i].WN, v);
  int solved = solve_fingers(s, x);
  memcpy(v + s->no, x, (size_t)s->nf * sizeof *x);
  return solved;
}

int grasp_keep_acceleration(graspScene* s, const double* q, const double* v, double w, double* a) {
  double rate[GRASP_CONTACTS] = {0}, moved[GRASP_COORDINATES], x[GRASP_DOFS];
  for (int side = -1; side <= 1; side += 2) {
    memcpy(moved, q, (size_t)s->nq * sizeof *q);
    hf_model_integrate(s->model, moved, v, side * DIFFERENCE);
    grasp_configure(s, moved);
    for (int i = 0; i < s->nc; ++i)
      rate[i] += side * dot(s->nv, s->contact[i].WN, v) / (2 * DIFFERENCE);
  }
  grasp_configure(s, q);
  for (int k = s->no; k < s->nv; ++k) a[k] = 0;
  for (int i = 0; i < s->nc; ++i) {
    const graspContact* c = &s->contact[i];
    x[i] = -dot(s->nv, c->WN, a) - rate[i] - 2 * w * dot(s->nv, c->WN, v);
  }
  int solved = solve_fingers(s, x);
  memcpy(a + s->no, x, (size_t)s->nf * sizeof *x);
  return solved;
}

void grasp_slip(const graspScene* s, const double* v, double (*slip)[2]) {
  for (int i = 0; i < s->nc; ++i)
    for (int k = 0; k < 2; ++k) slip[i][k] = dot(s->nv, s->contact[i].WT[k], v);
}

void grasp_sliding_rows(const graspScene* s, const double* mu, double (*slip)[2],
                        double (*row)[GRASP_DOFS]) {
  for (int i = 0; i < s->nc; ++i) {
    const graspContact* c = &s->contact[i];
    double speed = hypot(slip[i][0], slip[i][1]), scale = speed > 0 ? mu[i] / speed : 0;
    for (int k = 0; k < s->nv; ++k)
      row[i][k] = c->WN[k] - scale * (slip[i][0] * c->WT[0][k] + slip[i][1] * c->WT[1][k]);
  }
}

void grasp_matrix(graspScene* s, const double* mu, double (*slip)[2], double* A) {
  double row[GRASP_CONTACTS][GRASP_DOFS];
  grasp_sliding_rows(s, mu, slip, row);
  hf_dynamics_update_mass_matrix(s->dynamics);
  hf_dynamics_factor(s->dynamics);
  for (int j = 0; j < s->nc; ++j) {
    hf_dynamics_solve(s->dynamics, row[j]);
    for (int i = 0; i < s->nc; ++i) A[i * s->nc + j] = dot(s->nv, s->contact[i].WN, row[j]);
  }
}
