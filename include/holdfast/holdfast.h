// The simulator: models, states, sims and their results.
//
// The tool boxes have headers of their own, which a program includes beside this one:
//   control.h, manipulation.h   trajectories, controllers, inverse kinematics, grippers, tasks
//   actuation.h                 actuators, signals and tables of controls without a sim
//   law.h, step_problem.h, solver.h, mlcp.h   the problem of a step of discrete time, and its solvers
//   friction.h                  friction problems given by matrices, and their files
//   integrate.h, accel_problem.h       integrators, and the equations of motion in continuous time
//   rigid.h, lcp.h              rigid contact with certificates, complementarity problems
//
// Pages that the headers name, as docs/theory/lcp.md, are installed in share/doc/holdfast.
#ifndef HOLDFAST_HOLDFAST_H
#define HOLDFAST_HOLDFAST_H

#include <holdfast/batch.h>
#include <holdfast/builder.h>
#include <holdfast/contact.h>
#include <holdfast/dynamics.h>
#include <holdfast/events.h>
#include <holdfast/geometry.h>
#include <holdfast/import.h>
#include <holdfast/methods.h>
#include <holdfast/model.h>
#include <holdfast/record.h>
#include <holdfast/sim.h>
#include <holdfast/state.h>
#include <holdfast/status.h>
#include <holdfast/types.h>
#include <holdfast/version.h>

#endif
