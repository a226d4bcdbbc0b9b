// Tasks: one state at a time runs, every period, until it is done, fails or takes too long.
#include <holdfast/manipulation.h>

#include <assert.h>

void hf_task_start(hfTask* task, int state, double time) {
  hfTask fresh = {.state = state, .failed_in = -1, .entered = 1, .since = time};
  *task = fresh;
}

static void enter(hfTask* task, int state, double time) {
  task->state = state;
  task->since = time;
  task->entered = 1;
}

int hf_task_step(hfTask* task, const hfTaskState* states, int count, double time, void* user) {
  if (task->state < 0) return 0;
  assert(task->state < count);
  (void)count;
  const hfTaskState* s = &states[task->state];
  double since = time - task->since;
  hfTaskResult result = s->run(user, since, task->entered);
  task->entered = 0;
  int late = result == HF_TASK_RUNNING && s->timeout > 0 && since >= s->timeout;
  if (result == HF_TASK_RUNNING && !late) return 0;
  if (result != HF_TASK_DONE && task->failed_in < 0)
    task->failed_in = task->state, task->timed_out = late;
  enter(task, result == HF_TASK_DONE ? s->done : s->failed, time);
  return 1;
}
