// The contact set of a step: points with frames, materials, Jacobians and memory.
//
// All vectors are in the world. The normal n points from B into A. Velocities are those of A's material point relative
// to B's, so vn > 0 separates; forces act on A, and B gets the opposite. Rows of a contact: 0 the normal n, 1 and 2
// sliding along t1 and t2, 3 torsion about n, 4 and 5 rolling about t1 and t2.
#ifndef HFI_CONTACT_CONTACT_H
#define HFI_CONTACT_CONTACT_H

#include "step/contact/material.h"
#include "step/dynamics/dynamics.h"
#include "step/geometry/scene.h"
#include <holdfast/contact.h>
#include <holdfast/state.h>
#include <holdfast/step_problem.h>

typedef struct hfiContact {
  int32_t geom_a, geom_b, body_a, body_b;
  int32_t pair;      // explicit pair, or -1
  uint32_t feature;
  hfVec3 p_W;        // contact point C [m]
  hfVec3 n, t1, t2;
  double depth;      // deformation of the law: overlap plus the margin within which the pair acts [m]
  hfiMaterial material;
  int32_t curved;    // 1: its rows are of the start of the step, with a drift for the path (step/discrete/curve.c)
  int32_t known;     // 1: remembered from the step before
  double slip_speed; // slip speed at the step before; 0 for a new contact [m/s]
  hfVec3 p_BC;       // contact point in the frame of B at the start of the step [m]
  hfVec3 xi_W;       // deformation of sliding at the start, in the world [m]
  hfVec3 twist_W;    // deformation of torsion and rolling at the start, in the world [rad]
} hfiContact;

// The key by which a contact is found again in the next step: its two geoms (a < b) and its feature.
typedef struct hfiContactKey {
  uint64_t pair; // geom_a << 32 | geom_b
  uint32_t feature;
} hfiContactKey;

// Returns the key of a contact.
static inline hfiContactKey hfi_contact_key(const hfiContact* c) {
  hfiContactKey key = {(uint64_t)(uint32_t)c->geom_a << 32 | (uint32_t)c->geom_b, c->feature};
  return key;
}
static inline int hfi_same_contact(hfiContactKey a, hfiContactKey b) {
  return a.pair == b.pair && a.feature == b.feature;
}

// Returns how deep the two geoms overlap, without the margin; negative: their gap [m].
static inline double hfi_contact_overlap(const hfiContact* c) { return c->depth - c->material.include_margin; }

// Direction in the world of row 0 to 5 of a contact: n, t1, t2, and the axes n, t1, t2 of torsion and rolling.
static inline hfVec3 hfi_contact_axis(const hfiContact* c, int row) {
  if (row == 1 || row == 4) return c->t1;
  return row == 2 || row == 5 ? c->t2 : c->n;
}
// x0 t1 + x1 t2
static inline hfVec3 hfi_in_plane(const hfiContact* c, double x0, double x1) {
  return v3_add(v3_scale(x0, c->t1), v3_scale(x1, c->t2));
}
// The part of x across the unit vector n.
static inline hfVec3 hfi_across(hfVec3 n, hfVec3 x) { return v3_axpy(-v3_dot(n, x), n, x); }

// Values of `acts` of a raw point: 0, no contact; a contact; a contact that is yet to be added.
enum { HFI_ACTS = 1, HFI_ACTS_NEWLY = 2 };

// Makes contacts of the raw points that act, in the same order. Returns the count.
int hfi_contact_fill(const hfModel* model, const hfiMaterial* listed, hfiSoftness* softness, const hfiRawContact* raw,
                     int nraw, hfiContact* out);

// Velocity of a body's point at p_W if the links have velocities V.
static inline hfMotion hfi_contact_velocity(const hfDynamics* d, const hfMotion* V, int body, hfVec3 p_W) {
  int link = d->body_link[body];
  hfMotion velocity = V[link];
  velocity.v = v3_add(velocity.v, v3_cross(velocity.w, v3_sub(p_W, hfi_link_reference(d, link))));
  return velocity;
}

// Inserts contacts for the points that act newly among the others, in the order of the points. number (room for all)
// has an entry for each contact, which moves with it, and is HFI_NEW_CONTACT for new ones. Returns the count.
enum { HFI_NEW_CONTACT = -2 };
int hfi_contact_insert(const hfModel* model, const hfiMaterial* listed, hfiSoftness* softness, hfiRawContact* raw,
                       int nraw, hfiContact* contact, int ncontact, int32_t* number);
// Materials of all candidates of a listed scene.
void hfi_contact_materials(const hfiScene* scene, hfiSoftness* softness, hfiMaterial* out);

// The report of a contact: forces and velocities of its rows as vectors in the world.
//
//   ft = f1 t1 + f2 t2,   torque = f3 n + f4 t1 + f5 t2,   vt = s1 t1 + s2 t2
//
// Reports which geoms touch and where, without force and motion.
hfContact hfi_contact_result(const hfiContact* contact);
// Adds the forces f and velocities s of its `dim` rows to the report. The normal force includes the pull of adhesion.
void hfi_contact_result_force(hfContact* result, const hfiContact* contact, int dim, const double* f);
void hfi_contact_result_velocity(hfContact* result, const hfiContact* contact, int dim, const double* s);

// ---- Jacobians --------------------------------------------------------------------------------------

// The dofs that move a body of a contact. Their sign is +1 for body A and -1 for body B.
typedef struct hfiContactSide {
  const int32_t* dofs; // global, ascending
  int32_t n, body;
  int32_t free; // 1: its only joint is a free one
  double sign;
} hfiContactSide;

// Columns of the contacts of two bodies, one piece for each tree. Dofs that move both bodies alike are left out.
typedef struct hfiContactColumns {
  int32_t npiece;
  int32_t tree[2], ncol[2];
  int32_t shared;         // 1: both bodies are on one tree
  hfiContactSide side[2]; // sides of the pieces; those of A and B if they share one piece
} hfiContactColumns;

// Finds the columns of the contacts of two bodies. cols: global dofs, one piece after the other.
void hfi_contact_columns(const hfDynamics* dynamics, int body_a, int body_b, int32_t* cols, hfiContactColumns* out);
// Computes J of a contact: a dim x ncol block for each piece, one after the other.
void hfi_contact_rows(const hfDynamics* dynamics, const hfiContactColumns* columns,
                      const hfiContact* contact, int dim, double* J);

// Inverse effective masses J M^-1 J^T of a contact's friction rows. For a group of two rows it is their mean.
typedef struct hfiInverseMasses {
  double group[3]; // inverse masses of sliding, torsion and rolling; used only for anchored friction [1/kg, 1/(kg m^2)]
} hfiInverseMasses;
// Computes J like hfi_contact_rows, and the inverse masses, estimated with the diagonal of M. inverse: 1/M_ii of the
// columns, one piece after the other.
void hfi_contact_weighed_rows(const hfDynamics* dynamics, const hfiContactColumns* columns, const hfiContact* contact,
                              int dim, const double* inverse, hfiInverseMasses* out, double* J);

#endif
