// Contacts in continuous time: the laws of the step problem with a step of zero length.
//
//   fn = k (1 - d vn)+ depth+                                      (TAMSI Eq. 5)
//   ft = -mu fn g(|s|/v_s) s/|s|                                   regularised, smooth (Eq. 6, 7)
//   ft = -(k_t xi + c_t s) projected on |ft| <= mu fn              anchored
//
// depth is that of the configuration. The deformation xi of an anchored contact is a coordinate of the equation where
// the integrator is explicit (accel_deform.c). Otherwise it is a function of the configuration, too: its value at the
// start of the integrator's step plus the distance by which the two material points that met then have moved apart
// since. Its plastic part, slip, is then settled at the end (accel_memory.c).
//
// Friction comes from hfi_contact_respond with the normal force given and h = 1: forces for impulses.
// There the anchored law has w = k_t xi0 + (h k_t + c_t) s, so c_t - k_t is passed for c_t.
#include "methods/continuous/inside.h"

#include "step/contact/contact_law.h"
#include "step/contact/surface.h"
#include "step/law/contact_response.h"

#include <string.h>

// A row that moves nothing counts as if it had this inverse mass [1/kg, 1/(kg m^2)].
static const double LEAST_INVERSE_MASS = 1e-12;

// ---- rows -------------------------------------------------------------------------------------------

void hfi_accel_row_velocities(const hfiAccelContact* c, const double* v, double* s) {
  const double* J = c->J;
  for (int r = 0; r < c->dim; ++r, J += c->n) {
    s[r] = c->drift[r];
    for (int k = 0; k < c->n; ++k) s[r] += J[k] * v[c->cols[k]];
  }
}

void hfi_accel_add_force(const hfiAccelContact* c, const double* f, double* tau) {
  const double* J = c->J;
  for (int r = 0; r < c->dim; ++r, J += c->n)
    for (int k = 0; k < c->n; ++k) tau[c->cols[k]] += J[k] * f[r];
}

// Inverse mass of row r, from the diagonal of M.
static double inverse_mass(const hfAccel* a, const hfiAccelContact* c, int r) {
  const double* J = c->J + r * c->n;
  double w = 0;
  for (int k = 0; k < c->n; ++k) {
    int dof = c->cols[k];
    double mass = a->dynamics->M[hf_model_dof_Madr(a->model)[dof] + hf_model_dof_depth(a->model)[dof]];
    w += sqr(J[k]) / mass;
  }
  return max2(w, LEAST_INVERSE_MASS);
}

// ---- laws -------------------------------------------------------------------------------------------

// Sets the law of a contact at the present configuration, with the deformation if that follows from the configuration.
static void set_law(const hfAccel* a, hfiAccelContact* c) {
  hfiInverseMasses w = {{0}};
  for (int g = 0; g < hfi_group_count(c->dim); ++g) {
    int row = 1 + hfi_group_row(g);
    w.group[g] = 0.5 * (inverse_mass(a, c, row) + inverse_mass(a, c, row + hfi_group_dim(g) - 1));
  }

  hfi_contact_law(c->contact, a->config.friction, &w, 0, INFINITY, &c->law);
  if (c->contact->material.adhesion != 0) hfi_contact_stick_on(c->contact, &c->law);
  if (a->config.friction == HF_FRICTION_ANCHORED && !a->deformations.act) hfi_accel_follow(a, c);
}

// The coefficient of sliding. It goes from the static to the dynamic one between one and two times the stiction speed,
// so that f has no jump.
static double sliding_coefficient(const hfiMaterial* m, double static_speed, double slip) {
  double from = static_speed * m->stiction_speed;
  double x = from > 0 ? clamp(slip / from - 1, 0, 1) : 1;
  return m->mu[0] + x * (m->mu_dynamic - m->mu[0]);
}

// The law for hfi_contact_respond and hfi_contact_stick with h = 1: the contact's own, or the copy with another
// damping.
static const hfContactLaw* unit_law(const hfiAccelContact* c, hfContactLaw* copy) {
  if (c->law.friction != HF_FRICTION_ANCHORED) return &c->law;
  *copy = c->law;
  for (int g = 0; g < 3; ++g) copy->c_t[g] -= copy->k_t[g];
  return copy;
}

int hfi_accel_sticks(const hfiAccelContact* c, int g, const double* s) {
  hfContactLaw copy;
  double w[2];
  double radius = hfi_contact_stick(unit_law(c, &copy), 1, g, max2(c->f[0], 0), s, w);
  return sqr(w[0]) + sqr(w[1]) <= sqr(radius);
}

double hfi_accel_alpha(const hfiAccelContact* c, int g, const double* s1, hfiSine turn) {
  hfContactLaw copy;
  return hfi_tals_contact(unit_law(c, &copy), 1, g, c->f[0], c->s, s1, turn);
}

// Sets friction of a contact that presses with the force pi, and its derivatives: f, gtt, stick, dt_dn.
static void set_friction(hfiAccelContact* c, double pi) {
  hfContactLaw copy;
  hfiContactResponse r = {0};
  double f[6];
  hfi_contact_respond(unit_law(c, &copy), 1, c->dim, HFI_COUPLING_LAGGED, pi, c->s, f, &r);
  memcpy(c->gtt, r.gtt, sizeof c->gtt);
  for (int g = 0; g < hfi_group_count(c->dim); ++g) c->stick |= hfi_accel_sticks(c, g, c->s) << g;

  // friction is proportional to fn, except the elastic force of a contact that sticks to its anchor
  int elastic = c->law.friction == HF_FRICTION_ANCHORED ? c->stick : 0;
  for (int i = 1; i < c->dim; ++i) {
    c->f[i] = f[i];
    c->dt_dn[i - 1] = elastic >> hfi_row_group(i) & 1 ? 0 : c->f[i] / pi;
  }
}

// Computes forces of a contact and their derivatives from its row velocities c->s. Where static and dynamic coefficient
// differ, law.mu[0] becomes the coefficient at this slip.
static void apply_law(hfiAccelContact* c, double static_speed) {
  const hfiMaterial* m = &c->contact->material;
  memset(c->f, 0, sizeof c->f);
  memset(c->gtt, 0, sizeof c->gtt);
  memset(c->dt_dn, 0, sizeof c->dt_dn);
  c->stick = 0;

  // d pi/d depth = pi/depth: the force is proportional to the depth
  double pi = hfi_contact_normal_force(&c->law, 0, c->s[0], &c->dn_dv);
  c->f[0] = pi;
  c->dn_dx = pi > 0 ? pi / c->law.depth : 0;
  if (pi <= 0 || c->dim < 3) return;

  if (m->mu_dynamic != m->mu[0]) c->law.mu[0] = sliding_coefficient(m, static_speed, sqrt(sqr(c->s[1]) + sqr(c->s[2])));
  set_friction(c, pi);
}

void hfi_accel_contact_forces(hfAccel* a, const double* v, double* tau) {
  for (int i = 0; i < a->ncontact; ++i) {
    hfiAccelContact* c = &a->contact[i];
    hfi_accel_row_velocities(c, v, c->s);
    if (a->deformations.act) hfi_accel_deform(a, c);
    apply_law(c, a->config.static_speed);
    if (c->f[0] > 0) hfi_accel_add_force(c, c->f, tau);
  }
}

// ---- collision --------------------------------------------------------------------------------------

// Writes columns and Jacobian of a contact to cols and J, with the columns of both bodies side by side. Returns 0 if
// the contact can move nothing.
static int fill_rows(hfAccel* a, hfiAccelContact* c, int32_t* cols, double* J) {
  hfiContactColumns pieces;
  hfi_contact_columns(a->dynamics, c->contact->body_a, c->contact->body_b, cols, &pieces);
  c->cols = cols;
  c->J = J;
  c->n = (pieces.npiece > 0 ? pieces.ncol[0] : 0) + (pieces.npiece > 1 ? pieces.ncol[1] : 0);
  if (c->n == 0) return 0;

  // the pieces come one after the other
  const double* from = a->rows.block;
  hfi_contact_rows(a->dynamics, &pieces, c->contact, c->dim, a->rows.block);
  for (int p = 0; p < pieces.npiece; ++p) {
    size_t ncol = (size_t)pieces.ncol[p];
    for (int r = 0; r < c->dim; ++r, from += ncol) memcpy(J + r * c->n, from, ncol * sizeof *J);
    J += ncol;
  }
  return c->n;
}

// Sets the velocities that moving surfaces add to the rows of a contact.
static void set_drift(const hfiWorld* w, hfiAccelContact* c) {
  memset(c->drift, 0, sizeof c->drift);
  if (!w->surfaces) return;
  hfiSurfaceMotion motion = hfi_surface_motion(w->surfaces, w->dynamics.X_WB, c->contact, 0);
  for (int r = 1; r < c->dim; ++r) c->drift[r] = hfi_surface_drift(&motion, c->contact, r, 0);
}

void hfi_accel_collide(hfAccel* a) {
  const hfiWorld* w = a->world;
  if (a->hold.acts) {
    hfi_accel_move_held(a);
  } else {
    hfi_near_find(&a->world->near, a->config.reach, 0, NULL);
    a->statistics.dropped += w->near.ndropped;
  }

  int32_t* cols = a->rows.cols;
  double* J = a->rows.J;
  a->ncontact = 0;
  for (int i = 0; i < w->near.ncontact; ++i) {
    hfiAccelContact* c = &a->contact[a->ncontact];
    c->contact = &w->near.contact[i];
    c->dim = c->contact->material.condim;
    if (!fill_rows(a, c, cols, J)) continue;
    cols += c->n;
    J += c->dim * c->n;
    set_drift(w, c);
    set_law(a, c);
    a->ncontact++;
  }
}
