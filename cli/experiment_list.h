// Every experiment and benchmark of the command, one line each: X(NAME) for experiment_NAME.
#ifndef CLI_EXPERIMENT_LIST_H
#define CLI_EXPERIMENT_LIST_H

#define EXPERIMENTS(X) \
  X(tamsi_box) X(tamsi_gripper) X(tamsi_one_way) X(stiction) X(tamsi_allegro) X(tamsi_iiwa) \
  X(feedback_ur10) X(feedback_steps) X(feedback_quadruped) X(feedback_sway) \
  X(grasp_rotate) X(grasp_translate) X(grasp_rolling) X(grasp_space) X(painleve) X(motion) X(accuracy)

#define BENCHMARKS(X) X(bench_clutter) X(bench_dynamics) X(bench_gripper) X(bench_robots)

#endif
