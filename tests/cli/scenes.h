// Small scenes of the tests of the command.
#ifndef HF_TESTS_SCENES_H
#define HF_TESTS_SCENES_H

// A ball of 0.5 kg, 1 m above the origin, in a world without a floor.
static const char falling_ball[] =
    "<mujoco><option timestep='0.01'/><worldbody><body name='ball' pos='0 0 1'><freejoint "
    "name='fly'/>"
    "<geom name='skin' type='sphere' size='0.1' mass='0.5'/></body></worldbody></mujoco>";

// A ball of 1 kg (r = 0.1 m) just touching a floor.
static const char resting_ball[] =
    "<mujoco><option timestep='0.002'/><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
    "<body name='ball' pos='0 0 0.1'><freejoint/><geom name='skin' type='sphere' size='0.1' "
    "mass='1'/></body>"
    "</worldbody></mujoco>";

// A cart of 2 kg on a slide, pushed by a motor; a pendulum of 1 kg at 0.5 m beside it; a keyframe.
static const char machine[] =
    "<mujoco><option timestep='0.01'/><worldbody>"
    "<body name='cart'><joint name='rail' type='slide' axis='1 0 0'/><geom type='box' size='.1 .1 "
    ".1' mass='2' contype='0' conaffinity='0'/></body>"
    "<body name='pendulum' pos='0 5 0'><joint name='hinge' type='hinge' axis='0 1 0'/>"
    "<inertial pos='0 0 -0.5' mass='1' diaginertia='0.01 0.01 0.01'/></body>"
    "</worldbody><actuator><motor name='push' joint='rail'/></actuator>"
    "<sensor><jointpos name='place' joint='rail'/></sensor>"
    "<keyframe><key name='raised' qpos='0.25 1.5' qvel='1 0' ctrl='3'/></keyframe></mujoco>";

// A cart that an unlimited drive moves at 1 m/s toward a wall 0.4 m ahead: rigid contact and the drive contradict
// each other there, so that the complementarity problem has no solution.
static const char driven_into_a_wall[] =
    "<mujoco><option timestep='0.01' gravity='0 0 0'/><worldbody>"
    "<geom name='wall' type='box' size='.1 1 1' pos='.6 0 0'/>"
    "<body name='cart'><joint name='rail' type='slide' axis='1 0 0'/>"
    "<geom name='nose' type='box' size='.1 .1 .1' mass='1'/></body></worldbody>"
    "<actuator><velocity name='push' joint='rail' kv='1'/></actuator>"
    "<keyframe><key name='go' ctrl='1'/></keyframe></mujoco>";

#endif
