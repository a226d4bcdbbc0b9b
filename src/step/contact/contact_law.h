// From a contact with its material to the law of a problem's rows, in discrete and in continuous time. The functions
// are inline because every contact of every step passes through them.
//
// contact/material.c has made one material of the two geoms: stiffness k and dissipation d, coefficients mu, k_t and
// c_t. law/contact_response.h makes forces of the law. Groups of friction g: sliding, torsion, rolling.
//
//   anchored friction   k_t of a group is r^2 times that of sliding, r its lever; c_t is critical for the effective
//                       mass 1/w of its rows unless the scene gives it, and h (h k_t + c_t) w is capped, because
//                       beyond that stiffness only spoils the conditioning (docs/theory/one-law.md)
#ifndef HFI_CONTACT_CONTACT_LAW_H
#define HFI_CONTACT_CONTACT_LAW_H

#include "step/contact/contact.h"
#include "step/law/law.h"

// Stiffness of torsion or rolling is at least this share of the stiffness of sliding per m^2 of lever [m^2].
static const double HFI_LEAST_LEVER2 = 1e-12;
// Inverse mass that stands for rows that move nothing [1/kg or 1/(kg m^2)].
static const double HFI_LEAST_INVERSE_MASS = 1e-12;

// Sets stiction speed, stiffness and damping of friction group g (HF_SLIDING ...), for the inverse mass w of its rows
// and a step of length h. The last two are scaled down together so that h (h k_t + c_t) w <= steepest. Returns 1 if
// they were, else 0. The lever r [m] is the radius over which a torsional
// or rolling coefficient acts like sliding friction.
static inline int hfi_set_group_law(const hfiMaterial* m, int g, double w, double h, double steepest,
                                    hfContactLaw* law) {
  // the lever; without sliding friction the coefficient itself is taken for it
  double r = 1;
  if (g != HF_SLIDING) r = m->mu[0] > 0 ? m->mu[g] / m->mu[0] : m->mu[g];
  if (g != HF_SLIDING && r > 0) law->stiction_speed[g] = m->stiction_speed / r;
  if (law->friction != HF_FRICTION_ANCHORED) return 0;

  // anchored friction: spring and damper; a negative damping asks for the critical one
  double k = max2(r * r, HFI_LEAST_LEVER2) * m->tangential_stiffness;
  double c = r * r * m->tangential_damping;
  if (!(w > 0)) w = HFI_LEAST_INVERSE_MASS;
  if (m->tangential_damping < 0) c = 2 * sqrt(k / w);

  // not steeper than `steepest`
  double slope = h * (h * k + c) * w;
  double scale = slope > steepest ? steepest / slope : 1;
  law->k_t[g] = scale * k;
  law->c_t[g] = scale * c;
  return scale < 1;
}

// Writes the law of a contact with the static coefficients, without deformation (xi0 = 0) and without normal_force0;
// the caller sets these afterwards (discrete/assemble.c). h is 0 in continuous time; h (h k_t + c_t) w is at most
// `steepest`. Returns the number of friction groups that were capped there.
static inline int hfi_contact_law(const hfiContact* contact, int friction, const hfiInverseMasses* w, double h,
                                  double steepest, hfContactLaw* law) {
  const hfiMaterial* m = &contact->material;
  int capped = 0;

  law->stiffness = m->stiffness;
  law->dissipation = m->dissipation;
  law->depth = contact->depth;
  law->normal_force0 = 0;
  law->friction = friction;
  law->reserved = 0;

  // friction: its coefficients, and zeros that the groups of this contact replace
  for (int g = 0; g < 3; ++g) {
    law->mu[g] = m->mu[g];
    law->stiction_speed[g] = m->stiction_speed;
    law->k_t[g] = 0;
    law->c_t[g] = 0;
  }
  for (int i = 0; i < 5; ++i) law->xi0[i] = 0;

  if (m->condim >= 3) capped += hfi_set_group_law(m, HF_SLIDING, w->group[0], h, steepest, law);
  if (m->condim >= 4) capped += hfi_set_group_law(m, HF_TORSION, w->group[1], h, steepest, law);
  if (m->condim >= 6) capped += hfi_set_group_law(m, HF_ROLLING, w->group[2], h, steepest, law);
  return capped;
}

// Gives a contact whose parameters are MuJoCo's its law for a step of length h that starts at separation speed v0:
// replaces stiffness, depth, dissipation and normal_force0.
static inline void hfi_contact_set_soft(const hfiContact* contact, double h, double v0, hfContactLaw* law) {
  hfiSoftStep step = hfi_soft_step(&contact->material.soft, contact->depth, v0, h);

  law->stiffness = step.stiffness;
  law->depth = step.depth;
  law->dissipation = 0;
  law->normal_force0 = contact->depth > 0 ? step.stiffness * max2(0, step.depth - h * v0) : 0;
}

// Adds adhesion to the law: beside the pull a (step/world/adhesion.c) it pushes with its force and a more, so that the
// depth at which the contact carries a load stays the same, friction is bounded by mu (f + a), and the contact holds a
// load up to a.
static inline void hfi_contact_stick_on(const hfiContact* contact, hfContactLaw* law) {
  double a = contact->material.adhesion;
  law->depth += a / law->stiffness;
  law->normal_force0 = max2(0, law->normal_force0 + a);
}

// Writes xi0 (dim - 1) of the contact's friction rows from a sliding deformation xi_W [m] and a torsional and rolling
// one twist_W [rad], both in the world.
static inline void hfi_contact_set_deformation(const hfiContact* c, hfVec3 xi_W, hfVec3 twist_W, double* xi0) {
  const int dim = c->material.condim;

  if (dim >= 3) {
    xi0[0] = v3_dot(c->t1, xi_W);
    xi0[1] = v3_dot(c->t2, xi_W);
  }
  if (dim >= 4) xi0[2] = v3_dot(c->n, twist_W);
  if (dim >= 6) {
    xi0[3] = v3_dot(c->t1, twist_W);
    xi0[4] = v3_dot(c->t2, twist_W);
  }
}

#endif
