// A hand that holds an object by sliding contacts: geometry and rates at given object poses.
//
// The object's degrees of freedom come first (no of them), the fingers' follow (nf), each driven by a motor.
// Contact i is the pair of the object's geom and one link geom; there are as many contacts as finger joints,
// so that an object pose determines the fingers.
//
//   g(q) = 0                     all contacts are closed
//   W_N^T v = 0                  and stay closed; the rows of W_N^T have normals that point from the link into the object
//   W_N^T vdot + (W_N^T)' v = 0
#ifndef EXPERIMENTS_GRASP_SCENE_H
#define EXPERIMENTS_GRASP_SCENE_H

#include "common/world.h"

enum { GRASP_CONTACTS = 8, GRASP_DOFS = 16, GRASP_COORDINATES = 20 };

typedef struct graspContact {
  double gap;
  hfVec3 p_W, n_W, t_W[2];
  double WN[GRASP_DOFS], WT[2][GRASP_DOFS]; // rows of W_N^T, W_T^T
} graspContact;

typedef struct graspScene {
  hfModel* model;
  hfParams* params;    // friction of the contacts is set here
  hfDynamics* dynamics;
  int nc, no, nf, nv, nq;
  int object_body, object_geom, link_geom[GRASP_CONTACTS];
  double mu[GRASP_CONTACTS];
  graspContact contact[GRASP_CONTACTS]; // of the last configuration
} graspScene;

// Loads models/FILE; `links` are the geoms that touch the geom and body named "object".
int grasp_open(graspScene* s, const char* file, int nc, const char* const* links);
void grasp_close(graspScene* s);
// Friction coefficients of the contacts (nc).
int grasp_set_friction(graspScene* s, const double* mu);
// The model with the friction coefficients that were set.
const hfModel* grasp_model(const graspScene* s);

// Computes the contacts at q.
void grasp_configure(graspScene* s, const double* q);
// Moves the fingers of q (the object stays) until every gap is `gap` (nc; NULL: 0). CLI_FAILED if they cannot reach.
int grasp_reach(graspScene* s, double* q, const double* gap);
// Computes the finger rates of v from the object's velocity, so that contacts stay closed, at the configured q. Returns 0 if
// W_N is singular.
int grasp_keep(const graspScene* s, double* v);
// Computes the finger accelerations of a from the object's acceleration, at q and v, so that the gaps obey g'' + 2 w g' = 0.
// Configures q.
int grasp_keep_acceleration(graspScene* s, const double* q, const double* v, double w, double* a);
// Slip (nc) of the object over link i along t_W[0], t_W[1].
void grasp_slip(const graspScene* s, const double* v, double (*slip)[2]);
// Computes A (nc x nc) of Eq. (12) with all contacts sliding along `slip`, at the configured q.
void grasp_matrix(graspScene* s, const double* mu, double (*slip)[2], double* A);
// Computes the columns of W_sigma = W_N - mu W_T d, stored as rows (nc x nv).
void grasp_sliding_rows(const graspScene* s, const double* mu, double (*slip)[2], double (*row)[GRASP_DOFS]);

// x <- A^-1 x by Gaussian elimination with pivoting (n <= GRASP_DOFS). Returns 0 where A is singular. Destroys A.
int solve_linear(int n, double* A, double* x);

#endif
