// Inside of a sim: scratch for one step, planned once from the model.
#ifndef HFI_SIM_SIM_H
#define HFI_SIM_SIM_H

#include "actuation/actuation.h"
#include "contact/memory.h"
#include "discrete/assemble.h"
#include <holdfast/sim.h>

struct hfSim {
  const hfModel* model;
  hfSimConfig config;
  double h;          // [s]
  int32_t friction;  // hfFrictionLaw in force
  int32_t remembers; // 1: contacts carry memory from step to step
  void* memory;      // the arena's

  hfDynamics dynamics;
  hfActuation actuation;
  hfiScene scene;
  hfSolver* solver;
  hfMlcp* mlcp;                     // method mlcp, else NULL
  hfiAssembly assembly;             // the step problem
  struct hfiContinuous* continuous; // an integrator over compliant contact; else NULL
  struct hfiSwitching* switching;   // method switching; else NULL

  // collision and contacts
  int32_t max_contacts, ncontact, ndropped;
  hfiMaterial* material;      // of the scene's listed candidates, else unused
  double* extent;             // (ngeom) farthest point of a geom from its body's origin [m]
  double* reach;              // (ngeom) how far geoms may come within the step [m]
  double* span;               // (nbody) farthest point of a body and its children from its origin [m]
  double* lever;              // (nv) how far a unit of a dof moves what hangs on it [-, or m/rad]
  int32_t* touched;           // (ntree) trees with a contact in the step
  hfiRawContact* raw;         // (max_contacts)
  hfiContact* contact;        // (max_contacts)
  hfiContactOutcome* outcome; // (max_contacts)
  int32_t* block;             // (max_contacts) its block in the step problem, or -1

  // one step
  double* tau;     // (nv) forces that do not depend on v1 [N or N m]
  double* v1;      // (nv) solution
  double* impulse; // (rows)
  hfPose* X0_WB;   // (nbody) poses at the start

  // what kinematics were computed for, so that a step need not repeat the end of the one before
  int32_t posed;       // 1: dynamics holds poses at posed_q
  double* posed_q;     // (nq)
  double* posed_mocap; // (7 nmocap)

  // results
  double* ctrl;         // (nu)
  double* ctrl_rate;    // (nu x 2) first and second rate of controls that computed torque follows
  double* acceleration; // (nv)
  double* limit_force;    // (njnt) for the sensors
  double* equality_force; // (neq x 6)
  double* sensor;       // (nsensordata)
  int32_t stepped;      // 1: contact results are those of a step, 0: of an evaluation
  hfContact* result;    // (max_contacts) for sensors
};

hfStatus hfi_config_check(const hfSimConfig* config, hfError* error);

// Refuses a state of another model and anything that is not finite, naming the joint or input.
hfStatus hfi_sim_check(const hfSim* sim, const hfState* state, const hfInput* input,
                       hfError* error);
// Kinematics at q, unless they are there already.
void hfi_sim_pose(hfSim* sim, const double* q, const hfInput* input);
void hfi_sim_contacts(hfSim* sim, const hfState* state);
// Controls that act: the input's, or zero, and the scene's signals. And tau = applied forces.
void hfi_sim_input(hfSim* sim, const hfState* state, const hfInput* input);
// Actuators, springs, limits: fills p*, diag and the rows that are no contacts.
void hfi_sim_forces(hfSim* sim, const hfState* state, const hfInput* input);
// Everything up to the step problem. Leaves the state alone.
void hfi_sim_problem(hfSim* sim, const hfState* state, const hfInput* input);
// J v1 of the rows of a block.
void hfi_block_velocity(const hfSim* sim, const hfStepBlock* block, double* velocity);
// Row velocities, accelerations and the report, from v1 and the impulses.
void hfi_sim_results(hfSim* sim, hfStepReport* report);

// Methods of continuous time.
hfStatus hfi_sim_create_continuous(hfSim* sim, hfError* error);
hfStatus hfi_sim_create_switching(hfSim* sim, hfError* error);
hfStatus hfi_sim_step_continuous(hfSim* sim, hfState* state, const hfInput* input,
                                 hfStepReport* report, hfError* error);

// Forces of limits and equalities for the sensors: none, or those of the step's rows at v1.
void hfi_sim_clear_constraint_forces(hfSim* sim);
void hfi_sim_take_row_forces(hfSim* sim);
// Sensors at a state whose poses are up to date. Contacts, limits and equalities act after a step only.
void hfi_sim_sense(hfSim* sim, const hfState* state, const hfInput* input, int stepped);

#endif
