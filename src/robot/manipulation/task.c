// Tasks: one state at a time runs, every period, until it is done, fails or takes too long.
#include <holdfast/manipulation.h>

#include <assert.h>

// Starts the task in a state at the given time [s].
void hf_task_start(hfTask* task, int state, double time) {
  hfTask fresh = {.state = state, .failed_in = -1, .entered = 1, .since = time};
  *task = fresh;
}

// Runs the present state once, at the time `time` [s]. Moves to the state that follows if it is done, or to the one for
// a failure if it has failed or takes too long. Returns 1 if the state has changed, else 0.
int hf_task_step(hfTask* task, const hfTaskState* states, int count, double time, void* user) {
  if (task->state < 0) return 0; // the task has ended
  assert(task->state < count);
  (void)count;

  const hfTaskState* present = &states[task->state];
  double since = time - task->since;
  hfTaskResult result = present->run(user, since, task->entered);
  task->entered = 0;

  int is_late = result == HF_TASK_RUNNING && present->timeout > 0 && since >= present->timeout;
  if (result == HF_TASK_RUNNING && !is_late) return 0;

  // the first state that fails is the one that is reported
  if (result != HF_TASK_DONE && task->failed_in < 0) {
    task->failed_in = task->state;
    task->timed_out = is_late;
  }

  task->state = result == HF_TASK_DONE ? present->done : present->failed;
  task->since = time;
  task->entered = 1;
  return 1;
}
