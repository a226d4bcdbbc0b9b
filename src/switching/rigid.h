// Inside of an hfRigid: the rigid problem at a point, and what is followed from point to point.
#ifndef HFI_SWITCHING_RIGID_H
#define HFI_SWITCHING_RIGID_H

#include "continuous/accel.h"
#include "solve/law.h"
#include <holdfast/rigid.h>

// What is known of a contact beyond the state's coordinates: modes, held gap, layer.
typedef struct hfiTrack {
  uint64_t pair;
  uint32_t feature;
  int32_t closed;  // 1: pressed together, or free to press
  double held;     // gap at which it is held while rigid; its rest gap while compliant [m]
  int32_t mode[3]; // hfContactMode of each friction group, of a closed contact
  int32_t zero[3]; // 1: the group has no slip, and its mode is to be found (resolve.c)
  hfVec3 d_W[3];   // sliding: direction; torsion along n, rolling in the tangent plane
  double f[6];     // forces of its rows at the last solution [N, N m]
  hfVec3 ft_W;     // friction at the last solution [N]
  double rate[6];  // and their rates [N/s, N m/s]
  hfVec3 xi_B,
      twist_B; // layer: tangential deformation [m], torsion about n and rolling [rad], frame of B
} hfiTrack;

// A friction group of a closed contact: rows that stick or slide together.
typedef struct hfiFrictionGroup {
  int32_t contact, group; // HF_SLIDING, HF_TORSION, HF_ROLLING
  int32_t first, dim;     // rows of its contact: 1, 2 | 3 | 4, 5
  int32_t mode;           // sliding or rolling
  double mu;              // of its mode [-, m, m]
  double mu_static;
  double d[2];       // sliding: direction in its rows
  int32_t row, nrow; // rolling: its rows in A
  double t[2][2];    // rolling: their directions in its rows
} hfiFrictionGroup;

// A known contact at the point.
typedef struct hfiPoint {
  int32_t match;    // the track that goes with it, or -1
  int32_t track;    // the same where it is closed, else -1
  int32_t dim, row; // rows in the acceleration problem
  int32_t unit, nunit;
  double s[6]; // row velocities [m/s, rad/s]
} hfiPoint;

struct hfRigid {
  const hfModel* model;
  hfRigidConfig config;
  hfAccel* accel;
  void* memory;
  int32_t max_rows;

  int32_t ntrack;
  hfiTrack *track, *old; // (max_contacts), scratch of their renewal
  int32_t* taken;        // (max_contacts) scratch of the match
  double share;   // added to the diagonal of A, over its mean: shares forces among dependent rows
  int32_t follow; // 1: directions of sliding follow the velocities, 0: those of the tracks

  const hfAccelProblem* accel_problem; // of the point
  hfRigidProblem problem;
  hfiPoint* point; // (max_contacts)
  int32_t nunit;
  hfiFrictionGroup* unit;                // (3 max_contacts)
  int32_t dropped;              // closed contacts that found no rows
  double *row, *response;       // (max_rows x nv) rows of A's left factor, S times its columns
  double *free, *column, *pair; // (nv), (nv), (2 nv): accelerations without contact; scratch
  double* zero;                 // (equalities)
  double *lo, *hi;              // (max_rows)
  double *polygon_A, *polygon_b, *polygon_z; // (max_rows^2), (max_rows), (max_rows)
  void* polygon_column;                      // (max_rows)
  int32_t* polygon_slack;                    // (3 max_contacts)
  void* work;
  size_t work_size;
};

enum { HFI_RIGID_MAX_ROWS = 192 };
static const double HFI_RIGID_SHARE =
    1e-6; // of the mean diagonal of A, where its rows are dependent

// First row of friction group g in a contact.
static inline int hfi_group_first(int g) { return 1 + hfi_group_row(g); }

// Over a world that the caller keeps. config.max_contacts and scene_signals are the world's.
hfStatus hfi_rigid_create(hfRigid** rigid, hfiWorld* world, const hfRigidConfig* config, hfError* error);
hfStatus hfi_rigid_check(const hfRigidConfig* config, hfError* error);

// World direction of row r (1 … 5) of a contact: t1, t2, n, t1, t2.
hfVec3 hfi_row_axis(const hfAccelContact* contact, int r);

// The acceleration problem at a point, and the row velocities of its contacts. NULL: HF_SINGULAR.
const hfAccelProblem* hfi_rigid_look(hfRigid* rigid, double t, const double* q, const double* v,
                                     const double* act);
// Finds the tracks of the contacts of the accel's last evaluation: by feature, else any left of the same pair.
void hfi_rigid_match(hfRigid* rigid);
// Tracks of the contacts that count as closed at the point, with modes from velocities and choices.
void hfi_rigid_choose_modes(hfRigid* rigid, const hfRigidChoice* choice, int nchoice);

// A, b and the layer from the tracks, at the point looked at.
void hfi_rigid_assemble(hfRigid* rigid);
// Forces, accelerations; fills the contacts of the problem.
void hfi_rigid_solve(hfRigid* rigid);
void hfi_rigid_certify(hfRigid* rigid);

// x, y of y = A x + b.
void hfi_rigid_solve_rows(hfRigid* rigid);
// Whether the forces of rolling groups are inside their cones.
int hfi_rigid_cones_hold(const hfRigid* rigid);
// Forces of the rows into the tracks and contacts.
void hfi_rigid_take_forces(hfRigid* rigid);

// Finds the modes of groups without slip, at acceleration level (v NULL) or for impulses from velocities v
// (nv): afterwards problem.vdot holds accelerations, or velocities after the impact. HF_OK, HF_NO_SOLUTION
// where the problem has none, HF_NOT_CONVERGED where no set of modes is consistent.
typedef struct hfiImpact {
  const double* v;
  double restitution, rest_speed;
} hfiImpact;
hfStatus hfi_rigid_resolve(hfRigid* rigid, const hfiImpact* impact);

// The same with friction polygons: groups that roll in the assembled problem may slide in its solution. base: what
// the solution adds to (accelerations without contact, or velocities before). HF_OK, HF_NO_SOLUTION, HF_NOT_CONVERGED
// (too large).
hfStatus hfi_rigid_polygon(hfRigid* rigid, const double* base);
size_t hfi_polygon_column_size(void);

// The layer of a contact.
typedef struct hfiLayer {
  double k, c, kt, ct;
} hfiLayer; // [N/m], [N s/m]
hfiLayer hfi_layer_of(const hfRigid* rigid, int contact);

#endif
