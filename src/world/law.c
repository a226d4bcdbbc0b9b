// The law of a contact out of its material.
//
//   anchored friction   k_t of a group is r^2 times that of sliding, r its lever; c_t is critical for the effective
//                       mass 1/w of its rows unless the scene gives it, and h (h k_t + c_t) w is capped, because
//                       beyond that stiffness only spoils the conditioning (docs/theory/one-law.md)
#include "world/law.h"

#include "solve/law.h"

#include <string.h>

// Radius [m] over which a torsional or rolling coefficient acts like sliding friction; 1 for sliding itself.
static double friction_lever(const double* mu, int g) { return g == HF_SLIDING ? 1 : mu[0] > 0 ? mu[g] / mu[0] : mu[g]; }

// Stiffness and damping of friction group g, whose lever is r. Returns 1 where they were capped.
static int set_anchor(const hfiMaterial* m, int g, double r, double mass, double w, double h, double steepest,
                      hfContactLaw* law) {
  double k = max2(r * r, 1e-12) * mass * m->tangential_stiffness, c = r * r * m->tangential_damping;
  if (!(w > 0)) w = 1e-12;
  if (m->tangential_damping < 0) c = 2 * sqrt(k / w);
  double slope = h * (h * k + c) * w, scale = slope > steepest ? steepest / slope : 1;
  law->k_t[g] = scale * k;
  law->c_t[g] = scale * c;
  return scale < 1;
}

int hfi_contact_law(const hfiContact* contact, int friction, const hfiInverseMasses* w, double h, double steepest,
                    hfContactLaw* law) {
  const hfiMaterial* m = &contact->material;
  double mass = m->from_solref ? 1 / w->normal : 1; // MuJoCo's stiffness is for a unit mass
  int capped = 0;
  memset(law, 0, sizeof *law);
  law->stiffness = mass * m->stiffness;
  law->dissipation = m->dissipation;
  law->depth = contact->depth;
  law->friction = friction;
  for (int g = 0; g < 3; ++g) law->mu[g] = m->mu[g], law->stiction_speed[g] = m->stiction_speed;
  for (int g = 0; g < hfi_group_count(m->condim); ++g) {
    double r = friction_lever(m->mu, g);
    if (r > 0) law->stiction_speed[g] = m->stiction_speed / r;
    if (friction == HF_FRICTION_ANCHORED) capped += set_anchor(m, g, r, mass, w->group[g], h, steepest, law);
  }
  return capped;
}

void hfi_contact_set_deformation(const hfiContact* c, hfVec3 xi_W, hfVec3 twist_W, double* xi0) {
  const int dim = c->material.condim;
  if (dim >= 3) xi0[0] = v3_dot(c->t1, xi_W), xi0[1] = v3_dot(c->t2, xi_W);
  if (dim >= 4) xi0[2] = v3_dot(c->n, twist_W);
  if (dim >= 6) xi0[3] = v3_dot(c->t1, twist_W), xi0[4] = v3_dot(c->t2, twist_W);
}
