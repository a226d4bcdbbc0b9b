// Assembling the step problem.
#ifndef HFI_DISCRETE_ASSEMBLE_H
#define HFI_DISCRETE_ASSEMBLE_H

#include "step/problem/algebra.h"
#include "step/world/world.h"
#include <holdfast/solver.h>

// The pair of bodies whose contacts are being added, and numbers of the columns that move them.
typedef struct hfiOpenPair {
  int32_t body_a, body_b;    // -1: no pair is open
  hfiContactColumns columns;
  int32_t col;               // first of the columns in the problem
  double* v0;                // (columns) v0 of the problem
  double* start;             // (columns) velocities at the start of the step
  double* inverse_mass;      // (columns) 1/M_ii
} hfiOpenPair;

typedef struct hfiAssembly {
  hfStepProblem problem;
  hfStepCapacity capacity;
  int32_t max_contact;
  int32_t (*entry)[2];  // (nM) the two places in the problem's M of each entry of the tree-sparse M
  double* inverse_mass; // (nv) 1/M_ii
  double* start;        // (nv) velocities at the start of the step; the problem's v0 may become a better first guess
  hfiOpenPair pair;
  double* drift;        // (rows) drift of the problem; used if the surface of some geom moves
  double* turns;        // (6 x columns) scratch: rows of a contact, of which a damper needs the last two
  int32_t ncapped;      // rows whose stiffness was capped for conditioning
} hfiAssembly;

// The largest number of contacts that a problem can have: the entries of their Jacobians are counted with 32 bits.
int hfi_largest_contacts(const hfModel* m);
// Takes storage for max_contacts contacts and all other rows of the model.
void hfi_assembly_init(hfiAssembly* a, const hfModel* model, int max_contacts, hfiArena* arena);

// Starts a problem: M of the dynamics, v0, p* = 0, diag = 0, no rows.
void hfi_assembly_begin(hfiAssembly* a, const hfDynamics* dynamics, double h, const double* v0);

// Gives the rows of the problem a drift, which is zero at first.
void hfi_assembly_begin_drift(hfiAssembly* a);

// Appends a contact. friction: hfFrictionLaw; steepest: the bound of h (h k + c) w of anchored friction. Returns its
// block, or -1 if it can move nothing.
int hfi_assembly_add_contact(hfiAssembly* a, const hfDynamics* dynamics, const hfiContact* contact,
                             int friction, double steepest, double static_speed);

// Appends dampers between the bodies of a contact: n (1 or 2) rows, with the slopes kappa, on their relative angular
// velocity about the axes u of the world. There is room for one damper for each contact.
void hfi_assembly_add_damper(hfiAssembly* a, const hfDynamics* dynamics, const hfiContact* contact, int n,
                             const hfVec3* u, const double* kappa);

#endif
