// What a scene looks like at the end of a run: coordinates, the largest speed, and the contacts of each pair of bodies.
#ifndef HF_BENCH_OUTCOME_H
#define HF_BENCH_OUTCOME_H

#include <holdfast/holdfast.h>

#include <stdio.h>

enum { OUTCOME_PAIRS = 512, OUTCOME_PLACES = 16 };

// All contacts of two bodies. Bodies that are fixed to each other count as one.
typedef struct outcomePair {
  int body_a, body_b;              // a < b
  int points;                      // how many contacts
  double place[OUTCOME_PLACES][3]; // where the first of them are, in world axes [m]
  double depth;                    // the deepest contact, below its margin [m]
  double force[3], normal[3];      // on B, in world axes, and the part of it along the normals [N]
  double pressed;                  // sum of the sizes of the forces of its contacts [N]
  double felt;                     // the largest force or torque of a joint that balances one of them [N or N m]; INFINITY: not computed
} outcomePair;

typedef struct outcome {
  double* q;    // (nq); freed by outcome_free
  double speed; // largest |v| of a dof [m/s or rad/s]
  int npair;
  outcomePair pair[OUTCOME_PAIRS];
} outcome;

// The runs of bench/robots_peer.py, which says what they are.
typedef enum peerRun {
  PEER_DEFAULT,
  PEER_SHIFTED,
  PEER_HALF,
  PEER_RECIPE,
  PEER_FINE,
  PEER_CREEPLESS,
  PEER_FRICTIONLESS,
  PEER_CONTACTLESS,
  PEER_LIMITLESS,
  PEER_STAYS,
  PEER_RUNS
} peerRun;
extern const char* const outcome_run_name[PEER_RUNS];

// Ours, after the last step. Returns 0, or -1 without memory.
int outcome_take(outcome* o, const hfModel* model, const hfSim* sim, const hfState* state);
// The peer's runs `first` to `last`, from what bench/robots_peer.py prints. Returns 0, or -1 with the reason in `why`.
int outcome_read(outcome peer[PEER_RUNS], peerRun first, peerRun last, const hfModel* model, FILE* file, char* why, size_t size);
void outcome_free(outcome* o);

// How far two outcomes are apart: the largest difference of any joint.
typedef struct outcomeDistance {
  double angle, length; // [rad], [m]
} outcomeDistance;
outcomeDistance outcome_distance(const hfModel* model, const outcome* x, const outcome* y);

// How the contacts differ: over all pairs that carry at least a twentieth of the largest force, the largest relative difference
// of the deepest points and of the forces. Depths that differ by less than a micrometre count as equal; where no force is above
// 1e-3 N the bodies only touch, and nothing is compared. A pair whose force no joint feels in the peer's run does not count: each engine has a
// stiffness of its own for what cannot yield.
typedef struct outcomeContacts {
  double depth, force, normal;       // normal: that of the parts of forces along the normals [-]
  double force_a_point;              // the difference of the mean force of a contact of a pair [-]
  double depth_same_places;          // the difference of depths of pairs with the same number of contacts at the same places [-]
  double deepest_ours, deepest_peer; // [m]
} outcomeContacts;
outcomeContacts outcome_contacts(const outcome* ours, const outcome* peer);

#endif
