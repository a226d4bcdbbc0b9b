// bench_batch: how much a second thread helps a batch, and how much this machine lets it help.
//
// Three forms of the same work, WORLDS worlds of a scene taking STEPS steps, are timed in turn, ROUNDS times:
//   alone   a batch of all worlds on one thread,
//   threads the same batch on two threads,
//   pair    two processes at once that share nothing, each with a batch of half the worlds on one thread.
// The speed-up of the machine is alone / pair: what two programs that know nothing of each other reach, which is below 2
// where two processors are threads of one core, or share its clock or its memory. That of the batch is alone / threads. Their quotient
// is what the batch itself loses: handing over, unequal shares, shared cache lines.
#include <holdfast/holdfast.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORLDS = 256, STEPS = 20, ROUNDS = 41 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char* message) {
  fprintf(stderr, "bench_batch: %s\n", message);
  exit(1);
}

// Every world begins at the keyframe and then moves on by itself for a different number of steps, so that worlds cost differently.
static hfBatch* create_batch(const hfModel* model, int key, int first, int count, int threads) {
  hfError error;
  hfBatch* batch;
  hfBatchConfig config = hf_batch_config_default();
  config.nworld = count;
  config.threads = threads;
  if (hf_batch_create(&batch, model, &config, &error) < 0 ||
      hf_batch_reset(batch, NULL, key, &error) < 0)
    fail(error.message);
  uint8_t* mask = malloc((size_t)count);
  for (int step = 0; step < WORLDS; ++step) {
    for (int w = 0; w < count; ++w) mask[w] = step < first + w;
    if (hf_batch_step(batch, 1, &(hfBatchRun){.mask = mask}, &error) < 0) fail(error.message);
  }
  free(mask);
  return batch;
}

static void step_batch(hfBatch* batch, int calls) {
  hfError error;
  for (int i = 0; i < calls; ++i)
    if (hf_batch_step(batch, STEPS / calls, NULL, &error) < 0) fail(error.message);
}

static double time_batch(hfBatch* batch, int calls) {
  double begin = now();
  step_batch(batch, calls);
  return now() - begin;
}

// Two processes that wait for a byte of the parent, step their own batch, and answer with a byte.
typedef struct helper {
  pid_t pid;
  int start[2], done[2];
} helper;

static helper start_helper(const hfModel* model, int key, int half, int calls) {
  helper h;
  if (pipe(h.start) || pipe(h.done)) fail("no pipe");
  h.pid = fork();
  if (h.pid < 0) fail("no process");
  if (h.pid > 0) {
    close(h.start[0]);
    close(h.done[1]);
    return h;
  }
  close(h.start[1]);
  close(h.done[0]);
  hfBatch* batch = create_batch(model, key, half * WORLDS / 2, WORLDS / 2, 1);
  char byte = 0;
  if (write(h.done[1], &byte, 1) != 1) _exit(1);
  while (read(h.start[0], &byte, 1) == 1) {
    step_batch(batch, calls);
    if (write(h.done[1], &byte, 1) != 1) _exit(1);
  }
  _exit(0);
}

static void wait_for(const helper* pair) {
  char byte;
  for (int i = 0; i < 2; ++i)
    if (read(pair[i].done[0], &byte, 1) != 1) fail("a process ended");
}

static double time_pair(const helper* pair) {
  char byte = 0;
  double begin = now();
  for (int i = 0; i < 2; ++i)
    if (write(pair[i].start[1], &byte, 1) != 1) fail("a process ended");
  wait_for(pair);
  return now() - begin;
}

static int compare(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// Prints the median of values, with their quartiles.
static void print_median(const char* name, const double* values) {
  double sorted[ROUNDS];
  memcpy(sorted, values, sizeof sorted);
  qsort(sorted, ROUNDS, sizeof *sorted, compare);
  printf("  %-34s %7.3f  (%.3f to %.3f)\n", name, sorted[ROUNDS / 2], sorted[ROUNDS / 4],
         sorted[3 * ROUNDS / 4]);
}

static void measure(const hfModel* model, int key, int calls) {
  helper pair[2] = {start_helper(model, key, 0, calls), start_helper(model, key, 1, calls)};
  wait_for(pair);
  hfBatch *one = create_batch(model, key, 0, WORLDS, 1),
          *two = create_batch(model, key, 0, WORLDS, 2);
  double alone[ROUNDS], machine[ROUNDS], batch[ROUNDS], share[ROUNDS],
      least[3] = {INFINITY, INFINITY, INFINITY};
  for (int r = 0; r < ROUNDS; ++r) {
    double a = time_batch(one, calls), t = time_batch(two, calls), p = time_pair(pair);
    least[0] = fmin(least[0], a), least[1] = fmin(least[1], t), least[2] = fmin(least[2], p);
    alone[r] = 1e6 * a / WORLDS / STEPS;
    machine[r] = a / p;
    batch[r] = a / t;
    share[r] = p / t;
  }
  printf("%d calls of %d steps, median and quartiles of %d rounds\n", calls, STEPS / calls, ROUNDS);
  print_median("one thread [us a world and step]", alone);
  print_median("speed-up of two processes", machine);
  print_median("speed-up of two threads", batch);
  print_median("two threads over two processes", share);
  printf("  of least times: two processes %.3f, two threads %.3f\n", least[0] / least[2],
         least[0] / least[1]);
  hf_batch_free(one);
  hf_batch_free(two);
  for (int i = 0; i < 2; ++i)
    close(pair[i].start[1]); // both: the second process holds an end of the first one's pipe too
  for (int i = 0; i < 2; ++i) waitpid(pair[i].pid, NULL, 0);
}

int main(int argc, char** argv) {
  const char* scene = argc > 1 ? argv[1] : HF_SOURCE_DIR "/models/gripper_mug.xml";
  hfError error;
  hfModel* model = NULL;
  if (hf_model_load(&model, scene, NULL, NULL, &error) < 0) fail(error.message);
  int key = model->nkey > 0 ? 0 : -1;
  printf("%d worlds of %s\n", WORLDS, scene);
  measure(model, key, 1);
  measure(model, key, STEPS);
  hf_model_free(model);
  return 0;
}
