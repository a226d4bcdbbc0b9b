// Inside of an hfRigid: the rigid problem at a point, and what is followed from point to point.
#ifndef HFI_SWITCHING_RIGID_H
#define HFI_SWITCHING_RIGID_H

#include "methods/continuous/accel.h"
#include "step/law/law.h"
#include <holdfast/rigid.h>

// Deformation of a layer beyond that of the configuration, in the frame of B.
typedef struct hfiDeformation {
  hfVec3 xi_B;    // tangential [m]
  hfVec3 twist_B; // torsion and rolling [rad]
} hfiDeformation;

// hfiTrack.closed of a contact of which nothing is known yet.
enum { HFI_CLOSED_UNKNOWN = -1 };

// What the method follows of a contact from one point to the next: whether it is closed, its modes, its layer.
typedef struct hfiTrack {
  hfiContactKey key;
  int32_t closed;        // 1: it may press; 0: it is open; HFI_CLOSED_UNKNOWN
  double held;           // gap at which it is held while rigid; its rest gap while compliant [m]
  int32_t mode[3];       // hfContactMode of each friction group if the contact is closed
  int32_t needs_mode[3]; // 1: the group has no slip, and resolve.c has to find its mode
  hfVec3 d_W[3];         // direction in which each group slides: in the tangent plane, torsion along n
  double f[6];           // forces of its rows at the last solution [N, N m]
  hfVec3 ft_W;           // friction at the last solution [N]
  double rate[6];        // rates of the forces f [N/s, N m/s]
  hfiDeformation deformation;
} hfiTrack;

// A list of tracks.
typedef struct hfiTracks {
  int32_t count;
  hfiTrack* list; // (max_contacts)
} hfiTracks;

// A friction group of a closed contact: rows of the contact that roll or slide together.
typedef struct hfiFrictionGroup {
  int32_t contact;  // index of its contact
  int32_t kind;     // HF_SLIDING, HF_TORSION, HF_ROLLING
  int32_t first;    // first of its rows in the contact: 1, 3, 4
  int32_t dim;      // number of its rows in the contact: 2, 1, 2
  int32_t mode;     // HF_MODE_SLIDING or HF_MODE_ROLLING
  double mu;        // coefficient of the mode [-, m, m]
  double mu_static; // coefficient that holds it while it rolls [-, m, m]
  double d[2];      // sliding: direction of the slip, in components along its rows
  int32_t row;      // rolling: first of its rows in A
  int32_t nrow;     // rolling: number of its rows in A: 0, 1 or 2
  double t[2][2];   // rolling: directions of these rows, in components along the contact's rows
} hfiFrictionGroup;

// A contact of the acceleration problem at the last point of hfi_rigid_update_point.
typedef struct hfiPoint {
  int32_t match;       // index of the track that belongs to it, or -1
  int32_t track;       // the same index if the track is closed and has rows in A, else -1
  int32_t dim;         // number of its rows in the acceleration problem: 1, 3, 4 or 6
  int32_t row;         // first of them
  int32_t first_group; // first of its friction groups
  int32_t ngroup;      // number of its friction groups
  double s[6];         // row velocities [m/s, rad/s]
  double held;         // for a contact without a track: the held gap of a new track [m]
} hfiPoint;

// The problem that was certified last. A step certifies its start and its end. The next step starts at that end, where
// the certificate is the same.
typedef struct hfiCertifiedProblem {
  int32_t n;            // number of rows; 0: no problem was certified yet
  int32_t current_rows; // number of rows of the problem that problem.certificate belongs to; -1: none of this step
  double* A;            // (max_rows^2)
  double* k;            // (max_rows) stiffness of the layers [N/m, N m/rad]
  double* c;            // (max_rows) damping of the layers [N s/m, N m s/rad]
  int32_t* rolling;     // (max_rows)
  hfRigidCertificate certificate;
} hfiCertifiedProblem;

// Rows of the problem and what they are made of (problem.c).
typedef struct hfiRigidRows {
  double* row;      // (max_rows x nv) row_i
  double* response; // (max_rows x nv) S col_j: A_ij is the product of the two
  double* free;     // (nv) accelerations without contact forces [m/s^2, rad/s^2]
  double* column;   // (nv) scratch
  double* pair;     // (2 nv) scratch
  double* zero;     // (equalities) zeros: a contact force alone accelerates no equality
  double* lo;       // (max_rows) bounds of the unknowns [N, N m]
  double* hi;
} hfiRigidRows;

// The problem with friction polygons (polygon.c).
typedef struct hfiPolygons {
  double* A;      // (max_rows^2)
  double* b;      // (max_rows)
  double* z;      // (max_rows)
  void* column;   // (max_rows)
  int32_t* slack; // (3 max_contacts)
} hfiPolygons;

// Scratch of hfi_tracks_renew and hfi_rigid_match_tracks.
typedef struct hfiTrackRenewal {
  hfiTracks old;  // the tracks before the renewal
  int32_t* taken; // (max_contacts) 1: a contact has taken this track
} hfiTrackRenewal;

// The rigid problem at a point. The files of this folder call it rigid.
struct hfRigid {
  const hfModel* model;
  hfRigidConfig config;
  hfAccel* accel;
  int32_t max_rows;

  hfiTracks tracks;
  hfiTrackRenewal renewal;
  double diagonal_share; // this times the mean diagonal of A is added to it, to share forces among dependent rows [-]
  int32_t follows_slip;  // 1: groups slide in the direction of their present slip, 0: in the direction of the tracks
  hfiCertifiedProblem last_certified;

  const hfAccelProblem* accel_problem; // acceleration problem at the last point of hfi_rigid_update_point
  hfRigidProblem problem;
  double* v_after;         // (nv) velocities after the last impact [m/s, rad/s]
  hfiPoint* point;         // (max_contacts)
  int32_t ngroup;
  hfiFrictionGroup* group; // (3 max_contacts)
  int32_t dropped;         // number of closed contacts for which there were no rows
  hfiRigidRows rows;
  hfiPolygons polygons;
  void* work;
  size_t work_size;        // [bytes]
};

enum { HFI_RIGID_MAX_ROWS = 192 }; // Most rows of A.
static const double HFI_DEPENDENT_ROWS_SHARE = 1e-6; // hfRigid.diagonal_share where the rows of A are dependent [-].

// First row of friction group g in a contact.
static inline int hfi_group_first(int g) { return 1 + hfi_group_row(g); }

// Creates an hfRigid over a world that belongs to the caller. config.max_contacts and config.scene_signals must be
// those of the world.
hfStatus hfi_rigid_create(hfRigid** rigid, hfiWorld* world, const hfRigidConfig* config, hfError* error);

// The vector in the world whose components along the rows of friction group g are x.
static inline hfVec3 hfi_group_vector(const hfiContact* contact, int g, const double* x) {
  hfVec3 w = v3_zero();
  for (int k = 0; k < hfi_group_dim(g); ++k) w = v3_axpy(x[k], hfi_contact_axis(contact, hfi_group_first(g) + k), w);
  return w;
}

// The contact of the accel that is contact i of the problem.
static inline const hfiContact* hfi_point_contact(const hfRigid* rigid, int i) {
  return rigid->accel->contact[i].source;
}
// The gap of contact i [m].
static inline double hfi_point_gap(const hfRigid* rigid, int i) { return -hfi_point_contact(rigid, i)->depth; }
// The track that belongs to contact i, which has one.
static inline hfiTrack* hfi_point_track(const hfRigid* rigid, int i) {
  return &rigid->tracks.list[rigid->point[i].match];
}
// The track of the contact of a friction group.
static inline hfiTrack* hfi_group_track(const hfRigid* rigid, const hfiFrictionGroup* group) {
  return &rigid->tracks.list[rigid->point[group->contact].track];
}
// The slip of friction group g of contact i at the point, as a vector in the world.
static inline hfVec3 hfi_point_slip(const hfRigid* rigid, int i, int g) {
  return hfi_group_vector(hfi_point_contact(rigid, i), g, rigid->point[i].s + hfi_group_first(g));
}
// The size of the friction force of a group of a closed contact, at the last solution.
static inline double hfi_group_force(const hfRigid* rigid, const hfiFrictionGroup* group) {
  const double* f = hfi_group_track(rigid, group)->f + group->first;
  return sqrt(sqr(f[0]) + (group->dim > 1 ? sqr(f[1]) : 0));
}
// Sets the mode of a friction group, and its direction, from its slip alone.
void hfi_track_set_mode(const hfRigid* rigid, hfiTrack* track, int g, hfVec3 slip);

// Brings the world to a point: computes the acceleration problem, the row velocities of its contacts, the tracks that
// belong to them, and the accelerations without contact forces. Returns NULL if the mass matrix is singular.
const hfAccelProblem* hfi_rigid_update_point(hfRigid* rigid, double t, const double* q, const double* v,
                                             const double* act);
// Gives each contact of the accel's last evaluation its track: the one with the same pair and feature, else any track
// of the same pair that no other contact took.
void hfi_rigid_match_tracks(hfRigid* rigid);
// Makes new tracks for all contacts at the point: gap and velocity say which are closed, slip says the modes, and the
// caller's choices overrule both.
void hfi_rigid_choose_modes(hfRigid* rigid, const hfRigidChoice* choice, int nchoice);

// Computes A and b from the modes of the tracks, at the last point of hfi_rigid_update_point.
void hfi_rigid_assemble(hfRigid* rigid);
// Solves for the contact forces and the accelerations, and stores the forces in the tracks.
void hfi_rigid_solve(hfRigid* rigid);
void hfi_rigid_certify(hfRigid* rigid);

// Solves y = A x + b, x and y complementary in the normal rows, y = 0 in the rolling ones.
void hfi_rigid_solve_rows(hfRigid* rigid);
// Whether the forces of rolling groups are inside their cones.
int hfi_rigid_cones_hold(const hfRigid* rigid);
// out (nv) = `base` plus what the contact forces x add. base (nv): accelerations without contact forces, or velocities
// before an impact.
void hfi_rigid_add_forces(const hfRigid* rigid, const double* base, double* out);
// Stores the solution x as forces of contacts and tracks.
void hfi_rigid_store_forces(hfRigid* rigid);

// An impact of all closed contacts.
typedef struct hfiImpact {
  const double* v;     // (nv) velocities before it [m/s, rad/s]
  double restitution;  // [-]
  double rest_speed;   // contacts that meet more slowly do not bounce [m/s]
} hfiImpact;

// Finds the modes of the groups that need one. Without an impact (NULL) it solves for forces, and problem.vdot becomes
// the accelerations. With an impact it solves for impulses, and v_after becomes the velocities after it.
// HF_NO_SOLUTION: the problem has none. HF_NOT_CONVERGED: no set of modes is consistent.
hfStatus hfi_rigid_find_modes(hfRigid* rigid, const hfiImpact* impact);

// Solves the assembled problem with friction polygons: a group that rolls in it may slide in the solution. base and out
// are those of hfi_rigid_add_forces. HF_NOT_CONVERGED: the problem is too large.
hfStatus hfi_rigid_solve_polygons(hfRigid* rigid, const double* base, double* out);
size_t hfi_polygon_column_size(void);

// Stiffness and damping of the layer of a contact along its normal, and across it [N/m, N s/m].
typedef struct hfiLayer {
  double k, c, kt, ct;
} hfiLayer;
// Returns stiffness and damping of a contact's layer. If its law is nonlinear, they are its slopes at the deformation
// that belongs to the forces f (6) of the contact's rows [N, N m].
hfiLayer hfi_layer_linearised(const hfRigid* rigid, int contact, const double* f);
// The least square of a lever of torsion and rolling [m^2].
static const double HFI_LEAST_LEVER2 = 1e-12;
// The square of the lever r of friction group g: 1 for sliding [-], and for torsion and rolling the square of their
// coefficient [m^2]. The stiffness of the group is r^2 kt.
static inline double hfi_group_lever2(const hfiContact* contact, int g) {
  return g == HF_SLIDING ? 1 : max2(sqr(contact->material.mu[g]), HFI_LEAST_LEVER2);
}

#endif
