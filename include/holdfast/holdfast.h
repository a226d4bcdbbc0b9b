// Everything of Holdfast in one include.
#ifndef HOLDFAST_HOLDFAST_H
#define HOLDFAST_HOLDFAST_H

#include <holdfast/accel_problem.h>
#include <holdfast/actuation.h>
#include <holdfast/batch.h>
#include <holdfast/builder.h>
#include <holdfast/control.h>
#include <holdfast/dynamics.h>
#include <holdfast/geometry.h>
#include <holdfast/import.h>
#include <holdfast/integrate.h>
#include <holdfast/manipulation.h>
#include <holdfast/mlcp.h>
#include <holdfast/model.h>
#include <holdfast/record.h>
#include <holdfast/rigid.h>
#include <holdfast/sim.h>
#include <holdfast/solver.h>
#include <holdfast/state.h>
#include <holdfast/status.h>
#include <holdfast/step_problem.h>
#include <holdfast/types.h>
#include <holdfast/version.h>

#endif
