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

// s <- J v + drift of a contact.
void hfi_accel_row_velocities(const hfiAccelContact* contact, const double* v, double* s) {
  const double* J = contact->J;
  for (int r = 0; r < contact->dim; ++r, J += contact->n) {
    s[r] = contact->drift[r];
    for (int k = 0; k < contact->n; ++k) s[r] += J[k] * v[contact->cols[k]];
  }
}

// tau += J^T f of a contact.
void hfi_accel_add_force(const hfiAccelContact* contact, const double* f, double* tau) {
  const double* J = contact->J;
  for (int r = 0; r < contact->dim; ++r, J += contact->n)
    for (int k = 0; k < contact->n; ++k) tau[contact->cols[k]] += J[k] * f[r];
}

// Inverse mass of row r, from the diagonal of M.
static double find_inverse_mass(const hfAccel* accel, const hfiAccelContact* contact, int r) {
  const double* J = contact->J + r * contact->n;
  double w = 0;
  for (int k = 0; k < contact->n; ++k) {
    int dof = contact->cols[k];
    double mass = accel->dynamics->M[hf_model_dof_Madr(accel->model)[dof] + hf_model_dof_depth(accel->model)[dof]];
    w += sqr(J[k]) / mass;
  }
  return max2(w, LEAST_INVERSE_MASS);
}

// ---- laws -------------------------------------------------------------------------------------------

// Sets the law of a contact at the present configuration, with the deformation if that follows from the configuration.
static void set_law(const hfAccel* accel, hfiAccelContact* contact) {
  // the mean inverse mass of the first and the last row of each group
  hfiInverseMasses w = {{0}};
  for (int g = 0; g < hfi_group_count(contact->dim); ++g) {
    int first = 1 + hfi_group_row(g);
    int last = first + hfi_group_dim(g) - 1;
    w.group[g] = 0.5 * (find_inverse_mass(accel, contact, first) + find_inverse_mass(accel, contact, last));
  }

  hfi_contact_law(contact->source, accel->config.friction, &w, 0, INFINITY, &contact->law);
  if (contact->source->material.adhesion != 0) hfi_contact_stick_on(contact->source, &contact->law);

  int is_function_of_q = accel->config.friction == HF_FRICTION_ANCHORED && !accel->deformations.is_active;
  if (is_function_of_q) hfi_accel_follow_anchor(accel, contact);
}

// Returns the coefficient of sliding friction [-] at the speed `slip` of sliding [m/s]. It goes linearly from the
// static one at static_speed v_s to the dynamic one at 2 static_speed v_s, so that f has no jump. v_s: the stiction
// speed.
static double find_sliding_coefficient(const hfiMaterial* material, double static_speed, double slip) {
  double from = static_speed * material->stiction_speed;

  double x = from > 0 ? clamp(slip / from - 1, 0, 1) : 1;
  return material->mu[0] + x * (material->mu_dynamic - material->mu[0]);
}

// The law for hfi_contact_respond and hfi_contact_stick with h = 1: the contact's own, or the copy with another
// damping.
static const hfContactLaw* make_unit_law(const hfiAccelContact* contact, hfContactLaw* copy) {
  if (contact->law.friction != HF_FRICTION_ANCHORED) return &contact->law;
  *copy = contact->law;
  for (int g = 0; g < 3; ++g) copy->c_t[g] -= copy->k_t[g];
  return copy;
}

// Whether friction group g would stick at row velocities s with the present normal force: |w| within the stick radius.
int hfi_accel_would_stick(const hfiAccelContact* contact, int g, const double* s) {
  hfContactLaw copy;
  double w[2];
  double radius = hfi_contact_stick(make_unit_law(contact, &copy), 1, g, max2(contact->f[0], 0), s, w);
  return sqr(w[0]) + sqr(w[1]) <= sqr(radius);
}

// The share of the way from contact->s to s1 that friction group g allows a Newton update [-].
double hfi_accel_find_alpha(const hfiAccelContact* contact, int g, const double* s1, hfiSine turn) {
  hfContactLaw copy;
  return hfi_tals_contact(make_unit_law(contact, &copy), 1, g, contact->f[0], contact->s, s1, turn);
}

// Sets the friction of a contact that presses with the force pi [N], and its derivatives. Writes f[1] to f[5], gtt,
// stick and dt_dn.
static void set_friction(hfiAccelContact* contact, double pi) {
  hfContactLaw copy;
  hfiContactResponse response = {0};
  double f[6];
  const hfContactLaw* law = make_unit_law(contact, &copy);
  hfi_contact_respond(law, 1, contact->dim, HFI_COUPLING_LAGGED, pi, contact->s, f, &response);
  memcpy(contact->gtt, response.gtt, sizeof contact->gtt);
  for (int g = 0; g < hfi_group_count(contact->dim); ++g)
    contact->stick |= hfi_accel_would_stick(contact, g, contact->s) << g;

  // friction is proportional to fn, except the elastic force of a contact that sticks to its anchor
  int elastic = contact->law.friction == HF_FRICTION_ANCHORED ? contact->stick : 0;
  for (int i = 1; i < contact->dim; ++i) {
    contact->f[i] = f[i];
    contact->dt_dn[i - 1] = elastic >> hfi_row_group(i) & 1 ? 0 : contact->f[i] / pi;
  }
}

// Computes the forces of a contact and their derivatives from its row velocities contact->s. Where static and dynamic
// coefficient differ, law.mu[0] becomes the coefficient at this slip. static_speed: a multiple of the stiction speed
// [-].
static void apply_law(hfiAccelContact* contact, double static_speed) {
  const hfiMaterial* material = &contact->source->material;
  memset(contact->f, 0, sizeof contact->f);
  memset(contact->gtt, 0, sizeof contact->gtt);
  memset(contact->dt_dn, 0, sizeof contact->dt_dn);
  contact->stick = 0;

  // normal force, of a step of length 0; its derivative by the depth is pi/depth, because it is proportional to it
  double pi = hfi_contact_normal_force(&contact->law, 0, contact->s[0], &contact->dn_dv);
  contact->f[0] = pi;
  contact->dn_dx = pi > 0 ? pi / contact->law.depth : 0;

  if (pi <= 0 || contact->dim < 3) return;

  // friction
  if (material->mu_dynamic != material->mu[0]) {
    double slip = sqrt(sqr(contact->s[1]) + sqr(contact->s[2]));
    contact->law.mu[0] = find_sliding_coefficient(material, static_speed, slip);
  }
  set_friction(contact, pi);
}

// Computes the forces of all contacts at velocity v, and adds J^T f to tau.
void hfi_accel_add_contact_forces(hfAccel* accel, const double* v, double* tau) {
  for (int i = 0; i < accel->ncontact; ++i) {
    hfiAccelContact* contact = &accel->contact[i];
    hfi_accel_row_velocities(contact, v, contact->s);
    if (accel->deformations.is_active) hfi_accel_set_deformation(accel, contact);
    apply_law(contact, accel->config.static_speed);
    if (contact->f[0] > 0) hfi_accel_add_force(contact, contact->f, tau);
  }
}

// ---- collision --------------------------------------------------------------------------------------

// Writes columns and Jacobian of a contact to cols and J, with the columns of both bodies side by side. Returns their
// number; 0: the contact can move nothing.
static int fill_rows(hfAccel* accel, hfiAccelContact* contact, int32_t* cols, double* J) {
  // columns
  hfiContactColumns pieces;
  hfi_contact_columns(accel->dynamics, contact->source->body_a, contact->source->body_b, cols, &pieces);
  contact->cols = cols;
  contact->J = J;
  contact->n = 0;
  for (int p = 0; p < pieces.npiece; ++p) contact->n += pieces.ncol[p];
  if (contact->n == 0) return 0;

  // rows: hfi_contact_rows writes piece after piece, all rows of each; here they become whole rows of n numbers
  const double* from = accel->rows.block;
  hfi_contact_rows(accel->dynamics, &pieces, contact->source, contact->dim, accel->rows.block);
  for (int p = 0; p < pieces.npiece; ++p) {
    size_t ncol = (size_t)pieces.ncol[p];
    for (int r = 0; r < contact->dim; ++r, from += ncol) memcpy(J + r * contact->n, from, ncol * sizeof *J);
    J += ncol;
  }
  return contact->n;
}

// Sets the velocities that moving surfaces add to the rows of a contact.
static void set_drift(const hfiWorld* world, hfiAccelContact* contact) {
  memset(contact->drift, 0, sizeof contact->drift);

  if (!world->surfaces) return;
  hfiSurfaceMotion motion = hfi_surface_motion(world->surfaces, world->dynamics.X_WB, contact->source, 0);
  for (int r = 1; r < contact->dim; ++r) contact->drift[r] = hfi_surface_drift(&motion, contact->source, r, 0);
}

// Finds the contacts of the present configuration, or moves the held ones to it. Fills accel->contact with those that
// can move something: rows, drift, laws.
void hfi_accel_find_contacts(hfAccel* accel) {
  const hfiWorld* world = accel->world;

  // the world's contacts
  if (accel->hold.is_active) {
    hfi_accel_move_held_contacts(accel);
  } else {
    hfi_near_find(&accel->world->near, accel->config.reach, 0, NULL); // 0: only where bodies are now
    accel->statistics.dropped += world->near.ndropped;
  }

  // those that move something; cols and J: where the rows of the next one go
  int32_t* cols = accel->rows.cols;
  double* J = accel->rows.J;
  accel->ncontact = 0;
  for (int i = 0; i < world->near.ncontact; ++i) {
    hfiAccelContact* contact = &accel->contact[accel->ncontact];
    contact->source = &world->near.contact[i];
    contact->dim = contact->source->material.condim;

    if (!fill_rows(accel, contact, cols, J)) continue;
    cols += contact->n;
    J += contact->dim * contact->n;

    set_drift(world, contact);
    set_law(accel, contact);
    accel->ncontact++;
  }
}
