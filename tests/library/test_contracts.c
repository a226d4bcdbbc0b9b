// Builds with asserts stop at the public entry where a caller breaks a contract: an index that does not exist.
#include "support/cmocka_all.h"

#include <holdfast/actuation.h>
#include <holdfast/control.h>
#include <holdfast/holdfast.h>
#include <holdfast/manipulation.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char scene[] =
    "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='link' pos='0 0 1'>"
    "<joint name='turn' axis='0 1 0'/><geom size='.1'/><site name='tip'/></body></worldbody>"
    "<actuator><motor name='m' joint='turn'/></actuator></mujoco>";

static hfModel* model;
static hfDynamics* dynamics;
static hfActuation* actuation;
static hfArm* arm;
static hfSim* sim;
static hfState* world_state;
static double numbers[64];
static const hfVec3 zero;

static void break_body_pose(int i) { hf_dynamics_body_pose(dynamics, i); }
static void break_body_quat(int i) { hf_dynamics_body_quat(dynamics, i); }
static void break_geom_pose(int i) { hf_dynamics_geom_pose(dynamics, i); }
static void break_site_pose(int i) { hf_dynamics_site_pose(dynamics, i); }
static void break_point_velocity(int i) { hf_dynamics_point_velocity(dynamics, i, zero); }
static void break_jacobian(int i) { hf_dynamics_jacobian(dynamics, i, zero, numbers); }
static void break_jacobian_rate(int i) { hf_dynamics_jacobian_rate(dynamics, i, zero); }
static void break_com(int i) { hf_dynamics_com(dynamics, i); }
static void break_distance(int i) {
  hfGeomDistance result;
  hf_geom_distance(dynamics, i, 0, 1, &result);
}
static void break_ray(int i) {
  hfRayHit hit;
  hfVec3 down = {0, 0, -1};
  hf_ray_cast(dynamics, zero, down, 1, i < 0 ? -2 : i, NULL, &hit); // -1 stands for no body
}
static void break_moment(int i) { hf_actuation_moment(actuation, i, numbers); }
static void break_signal(int i) { hf_signal_value(model, i, 0); }
static void break_signal_rates(int i) { hf_signal_rates(model, i, 0, numbers); }
static void break_arm_joint(int i) { hf_arm_joint(arm, i); }
static void break_arm_effort(int i) { hf_arm_effort(arm, i); }
static void break_sense(int i) { hf_sense_grip(sim, i, 1, 0); }
static void break_contact(int i) { hf_sim_contact(sim, i); }
static void break_field(int i) { hf_model_field_info(model, (hfModelField)(i < 0 ? i : HF_MODEL_FIELD_COUNT)); }
static void break_diagnostics(int i) { hf_diagnostics_get(hf_diagnostics_create(), i); }
static void break_state_memory(int i) { hf_state_size(model, i < 0 ? i : -i); }
static void break_keyframes(int i) { hf_keyframes(i < 0 ? i : 0, numbers, numbers, 0); }

static void (*const breaks[])(int) = {
    break_body_pose, break_body_quat, break_geom_pose,    break_site_pose,  break_point_velocity, break_jacobian,
    break_jacobian_rate, break_com,   break_distance,     break_ray,        break_moment,         break_signal,
    break_signal_rates, break_arm_joint, break_arm_effort, break_sense,     break_contact,        break_field,
    break_diagnostics, break_state_memory, break_keyframes};

// Whether the call ends in abort(), in a process of its own.
static int aborts(void (*call)(int), int argument) {
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    signal(SIGABRT, SIG_DFL);
    fclose(stderr);
    call(argument);
    _exit(0);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void test_indices_that_do_not_exist(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof breaks / sizeof *breaks; ++i) {
    if (!aborts(breaks[i], -1)) fail_msg("entry %zu takes -1", i);
    if (!aborts(breaks[i], 1000)) fail_msg("entry %zu takes 1000", i);
  }
}

static int open_all(void** state) {
  (void)state;
  hfError error;
  return hf_model_parse(&model, scene, strlen(scene), "scene", ".", NULL, NULL, &error) != HF_OK ||
         hf_dynamics_create(&dynamics, model, &error) != HF_OK ||
         hf_actuation_create(&actuation, model, &error) != HF_OK ||
         hf_arm_create(&arm, model, "tip", NULL, &error) != HF_OK || hf_sim_create(&sim, model, NULL, &error) != HF_OK ||
         !(world_state = hf_state_create(model)) || hf_sim_step(sim, world_state, NULL, NULL, &error) != HF_OK ||
         (hf_dynamics_set_position(dynamics, hf_state_q(world_state), NULL), 0);
}

static int close_all(void** state) {
  (void)state;
  hf_state_free(world_state);
  hf_sim_free(sim);
  hf_arm_free(arm);
  hf_actuation_free(actuation);
  hf_dynamics_free(dynamics);
  hf_model_free(model);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_indices_that_do_not_exist)};
  return cmocka_run_group_tests(tests, open_all, close_all);
}
