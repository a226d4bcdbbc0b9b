// Scenes of the tests of continuous time, as MJCF.
#ifndef HF_TESTS_INTEGRATE_SCENES_H
#define HF_TESTS_INTEGRATE_SCENES_H

#include "support/cmocka_all.h"

#include <holdfast/holdfast.h>
#include <string.h>

static inline hfModel* scene(const char* mjcf) {
  hfModel* model = NULL;
  hfError error = {0};
  if (hf_model_parse(&model, mjcf, strlen(mjcf), "scene", ".", NULL, NULL, &error) != HF_OK) fail_msg("%s", error.message);
  return model;
}

// theta'' = -(g/l) sin theta: 1 kg at 0.5 m, g = 9.81
static const char* const PENDULUM =
    "<mujoco><option gravity='0 0 -9.81'/><worldbody><body><joint name='hinge' type='hinge' axis='0 1 0'/>"
    "<inertial pos='0 0 -0.5' mass='1' diaginertia='1e-9 1e-9 1e-9'/></body></worldbody></mujoco>";

// The same, a free body tied to the world at its origin.
static const char* const TIED_PENDULUM =
    "<mujoco><option gravity='0 0 -9.81'/><worldbody><body name='bob'><freejoint/>"
    "<inertial pos='0 0 -0.5' mass='1' diaginertia='1e-3 1e-3 1e-3'/></body></worldbody>"
    "<equality><connect body1='bob' anchor='0 0 0'/></equality></mujoco>";

// The elastic ball of 0.1 kg, r = 5 cm, k = 1000 N/m, no dissipation
static const char* const BALL =
    "<mujoco><option gravity='0 0 -9.81'/>"
    "<custom><numeric name='hf.stiffness' data='2000'/><numeric name='hf.dissipation' data='0'/></custom>"
    "<worldbody><geom name='floor' type='plane' size='0 0 1'/><body pos='0 0 0.05'><freejoint/>"
    "<geom type='sphere' size='0.05' mass='0.1'/></body></worldbody></mujoco>";

// The stick-slip box: 0.33 kg on a plane, pushed by 4 cos(2 pi t) N; k = 1000 N/m, critical enough
static const char* const BOX =
    "<mujoco><option gravity='0 0 -9.8'/>"
    "<custom><numeric name='hf.stiffness' data='2000'/><numeric name='hf.dissipation' data='20'/>"
    "<numeric name='hf.stiction_speed' data='1e-4'/>"
    "<text name='hf.friction' data='regularised'/><text name='hf.signal.push' data='sine 4 1 1.57079632679489662 0'/></custom>"
    "<worldbody><geom type='plane' size='0 0 1' friction='1 0 0'/><body pos='0 0 0.05'>"
    "<joint name='x' type='slide' axis='1 0 0'/><joint name='z' type='slide' axis='0 0 1'/>"
    "<geom type='sphere' size='0.05' mass='0.33' friction='1 0 0'/></body></worldbody>"
    "<actuator><motor name='push' joint='x'/></actuator></mujoco>";

// I = (1, 2, 3), no gravity
static const char* const SPINNER =
    "<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/>"
    "<inertial pos='0 0 0' mass='1' diaginertia='1 2 3'/></body></worldbody></mujoco>";

// Everything at once: a chain with springs, dampers, limits, friction loss, a tendon, servos with
// activations, a coupling, and a ball that rolls against it.
static const char* const MIXTURE =
    "<mujoco><compiler angle='radian'/><option gravity='0 0 -9.81'/>"
    "<custom><numeric name='hf.stiffness' data='2e4'/><numeric name='hf.dissipation' data='5'/>"
    "<numeric name='hf.stiction_speed' data='0.01'/><text name='hf.friction' data='regularised'/></custom>"
    "<worldbody><geom type='plane' size='0 0 1'/>"
    "<body pos='0 0 0.3'><joint name='a' axis='0 1 0' stiffness='2' damping='0.1' springref='0.2'/>"
    "<geom type='capsule' fromto='0 0 0 0.2 0 0' size='0.02' mass='0.5'/>"
    "<body pos='0.2 0 0'><joint name='b' axis='0 1 0' limited='true' range='-0.3 0.3' frictionloss='0.05'/>"
    "<geom type='capsule' fromto='0 0 0 0.2 0 0' size='0.02' mass='0.3'/></body></body>"
    "<body pos='0 0.3 0.3'><joint name='c' axis='0 1 0' damping='0.05'/>"
    "<geom type='capsule' fromto='0 0 0 0.1 0 0' size='0.02' mass='0.2'/></body>"
    "<body name='ball' pos='0.15 0 0.358'><freejoint/><geom type='sphere' size='0.04' mass='0.2'/></body>"
    "</worldbody>"
    "<tendon><fixed name='t' stiffness='3' damping='0.2'><joint joint='a' coef='1'/><joint joint='b' coef='-0.5'/></fixed></tendon>"
    "<equality><joint joint1='c' joint2='a' polycoef='0 1 0.5 0 0'/></equality>"
    "<actuator><position joint='a' kp='20' kv='1'/><general joint='b' dyntype='filter' dynprm='0.05' gainprm='2'/></actuator></mujoco>";

#endif
