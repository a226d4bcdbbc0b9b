// See world.h. Everything but the queue and the two packets belongs to the world's thread.
#include "world.h"

#include "base/output.h"
#include "io/live/session.h"
#include "io/record/page.h"
#include "watch.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { QUEUE = 256 };                      // The most commands that wait.
static const double FRAME_PERIOD = 1.0 / 60; // Wall time between two frames [s].
static const double WATCH_PERIOD = 0.5;      // Wall time between two looks at the scene file [s].
static const double FACTOR_PERIOD = 0.5;     // Wall time over which the real-time factor is measured [s].

// What other threads read and write, protected by the mutex.
typedef struct exchange {
  pthread_mutex_t mutex;
  pthread_cond_t ending; // says that `ended` is 1
  hfiCommand queue[QUEUE];
  int queued; // commands in the queue
  int watched; // 1: a client has come
  int stop; // 1: the thread is to end
  int ended; // 1: the thread has ended
  packet* hello; // what a client needs first
  packet* frame; // the newest frame
  unsigned generation; // number of `hello`
  unsigned long sequence; // number of `frame`
} exchange;

// The real-time factor, and the moment from which on it is measured.
typedef struct realTimeFactor {
  double value; // [-]
  double wall; // wall time of that moment [s]
  double simulated; // simulated time of that moment [s]
} realTimeFactor;

struct liveWorld {
  worldOptions options;
  pthread_t thread;
  exchange shared;

  scene loaded;
  hfRecording* recording; // recording that is shown instead of a scene, or NULL
  hfiSession session;
  int has_session;
  int has_begun; // 1: a client has come, and the session has begun to play
  int is_changed; // 1: something is to be shown
  char message[1024]; // message of the last save or refusal
  char trouble[1024]; // why the scene file is not used as it is now
  unsigned long long stamp; // of the scene file that is used, see watch.h
  double look_time; // wall time of the last look at the scene file [s]
  realTimeFactor factor;
};

// ---- loading ---------------------------------------------------------------------------------------

// Opens a session of a loaded scene with the start of the options. Returns the exit status; error says why.
static int open_session(liveWorld* w, scene* loaded, hfiSession* session, hfError* error) {
  start begin;
  int status = make_start(&w->options.start, loaded->model, &begin);
  if (status == CLI_GOOD) {
    hfStatus opened = hfi_session_open(session, loaded->model, &w->options.config, begin.state, begin.input,
                                       w->options.history, error);
    status = exit_status_of_sim(opened);
  } else {
    snprintf(error->message, sizeof error->message, "the start that was asked for does not fit the scene");
  }

  free_start(&begin);
  return status;
}

// Publishes what a client needs first, the scene or the recording, under a new generation.
// Without memory the published packet is NULL.
static void publish_hello(liveWorld* w) {
  hfiBytes bytes = {0};
  if (w->recording) {
    size_t size;
    const void* data = hf_recording_bytes(w->recording, &size);
    hfi_bytes_put(&bytes, data, size);
  } else {
    // a stream only for the head and the run of a recording without frames
    hfiStream plain = {.model = w->loaded.model};
    hfi_stream_head(&plain, w->options.scene.path, &bytes);
    hfi_stream_run(w->session.sim, &bytes);
  }

  packet* made = bytes.failed ? NULL : packet_make(bytes.data, bytes.size);
  pthread_mutex_lock(&w->shared.mutex);
  packet* old = w->shared.hello;
  w->shared.hello = made;
  ++w->shared.generation;
  pthread_mutex_unlock(&w->shared.mutex);

  packet_release(old);
  hfi_bytes_release(&bytes);
  w->is_changed = 1;
}

// Loads the scene again. A file that is refused leaves the world as it is; the page shows why.
static void reload(liveWorld* w) {
  scene loaded = {0};
  hfiSession session;
  hfError error = {HF_OK, ""};
  sceneOptions options = w->options.scene;
  int status = load_scene(&options, &loaded, &error);
  if (status == CLI_GOOD) status = open_session(w, &loaded, &session, &error);
  if (status != CLI_GOOD) {
    snprintf(w->trouble, sizeof w->trouble, "%s", error.message);
    hf_model_free(loaded.model);
    hf_diagnostics_free(loaded.diagnostics);
    w->is_changed = 1;
    return;
  }

  // the new session goes on as the old one did
  session.playing = w->session.playing;
  session.speed = w->session.speed;
  hfi_session_close(&w->session);
  hf_model_free(w->loaded.model);
  hf_diagnostics_free(w->loaded.diagnostics);
  w->session = session;
  w->loaded = loaded;

  w->trouble[0] = '\0';
  snprintf(w->message, sizeof w->message, "The scene was read again.");
  publish_hello(w);
}

// Loads the scene again if its file has changed. Looks twice a second; now: wall time [s].
static void look_at_file(liveWorld* w, double now) {
  if (!w->has_session || now - w->look_time < WATCH_PERIOD) return;

  w->look_time = now;
  unsigned long long stamp = watch_stamp(w->options.scene.path);
  if (stamp == w->stamp) return;

  w->stamp = stamp;
  reload(w);
}

// ---- saving ----------------------------------------------------------------------------------------

enum { SAVED_PATH = 600 };

// A name after the time of day that no file has yet: holdfast-20260131-140000.rec, holdfast-20260131-140000-2.rec, ...
static void name_file(const liveWorld* w, const char* ending, char path[static SAVED_PATH]) {
  char stamp[32];
  time_t now = time(NULL);
  struct tm local;
  strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", localtime_r(&now, &local));

  snprintf(path, SAVED_PATH, "%.500s/holdfast-%s.%s", w->options.out, stamp, ending);
  for (int i = 2; access(path, F_OK) == 0; ++i)
    snprintf(path, SAVED_PATH, "%.500s/holdfast-%s-%d.%s", w->options.out, stamp, i, ending);
}

// Saves the history as a recording or a report. Sets the message to the file's name or to what went wrong.
static void save(liveWorld* w, int as_report) {
  char path[SAVED_PATH];
  hfiBytes bytes = {0};
  name_file(w, as_report ? "html" : "rec", path);
  hfi_session_recording(&w->session, w->options.scene.path, &bytes);

  hfError error = {HF_OK, ""};
  hfStatus status = HF_ERROR_MEMORY;
  if (bytes.failed)
    snprintf(error.message, sizeof error.message, "%s: out of memory", path);
  else if (as_report)
    status = hfi_report_write(path, w->options.scene.path, bytes.data, bytes.size, &error);
  else
    status = hfi_write_file(path, bytes.data, bytes.size, &error);
  hfi_bytes_release(&bytes);

  if (status == HF_OK)
    snprintf(w->message, sizeof w->message, "Saved %.900s", path);
  else
    snprintf(w->message, sizeof w->message, "%.900s", error.message);
}

// ---- the loop --------------------------------------------------------------------------------------

// Obeys a command. A refusal becomes the message.
static void obey_command(liveWorld* w, const hfiCommand* command) {
  hfError error = {HF_OK, ""};
  w->is_changed = 1;
  if (!w->has_session) return;

  if (command->kind == HFI_COMMAND_SAVE) {
    save(w, command->index == 1);
    return;
  }

  w->message[0] = '\0';
  if (hfi_session_command(&w->session, command, &error) < 0)
    snprintf(w->message, sizeof w->message, "%s", error.message);
}

// Takes the commands out of the queue and obeys them. Returns 0 when the world is to stop.
static int obey_all(liveWorld* w) {
  hfiCommand commands[QUEUE];
  pthread_mutex_lock(&w->shared.mutex);
  int count = w->shared.queued;
  int stop = w->shared.stop;
  int begins = w->shared.watched && !w->has_begun;
  memcpy(commands, w->shared.queue, (size_t)count * sizeof *commands);
  w->shared.queued = 0;
  pthread_mutex_unlock(&w->shared.mutex);

  if (begins) {
    w->has_begun = 1;
    w->session.playing = !w->options.paused;
  }
  for (int i = 0; i < count; ++i) obey_command(w, &commands[i]);
  return !stop;
}

// Writes the chunk that tells the page how the session stands.
static void put_live(const liveWorld* w, hfiBytes* out) {
  const hfiSession* s = &w->session;
  double oldest = s->history.count ? hfi_history_at(&s->history, 0)->time : s->state->time;
  size_t chunk = hfi_chunk_begin(out, HFI_CHUNK_LIVE);

  hfi_bytes_print(out, "{\"playing\":%d,\"speed\":%g,\"factor\":%.4g,", s->playing, s->speed, w->factor.value);
  hfi_bytes_print(out, "\"time\":%.9g,\"oldest\":%.9g,\"kept\":%zu,\"steps\":%llu,", s->state->time, oldest,
                  s->history.bytes, (unsigned long long)s->steps);
  hfi_bytes_print(out, "\"drag\":%d,\"method\":%d,\"scales\":[%g,%g,%g],", s->drag.body,
                  (int)hf_sim_config(s->sim)->method, s->scale[0], s->scale[1], s->scale[2]);
  hfi_bytes_print(out, "\"message\":");
  hfi_bytes_json_string(out, s->status < 0 ? s->error.message : w->message);
  hfi_bytes_print(out, ",\"trouble\":");
  hfi_bytes_json_string(out, w->trouble);
  hfi_bytes_print(out, "}");
  hfi_chunk_end(out, chunk);
}

// Publishes the frame of this moment, with the events since the last one, which it empties.
static void publish_frame(liveWorld* w, double now, hfiBytes* events) {
  hfi_session_frame(&w->session, now, events);
  put_live(w, events);
  packet* made = events->failed ? NULL : packet_make(events->data, events->size);
  events->size = 0;
  events->failed = 0;
  if (!made) return;

  pthread_mutex_lock(&w->shared.mutex);
  packet* old = w->shared.frame;
  w->shared.frame = made;
  ++w->shared.sequence;
  pthread_mutex_unlock(&w->shared.mutex);

  packet_release(old);
  w->options.published(w->options.context);
}

// Measures the real-time factor, twice a second.
static void measure_factor(liveWorld* w, double now) {
  double passed = now - w->factor.wall;
  if (passed < FACTOR_PERIOD) return;

  w->factor.value = (w->session.state->time - w->factor.simulated) / passed;
  w->factor.wall = now;
  w->factor.simulated = w->session.state->time;
}

// Sleeps until a wall time [s], at most half a second.
static void sleep_until(double time) {
  double left = time - wall_clock();
  if (left <= 0) return;

  struct timespec t = {0, (long)(1e9 * fmin(left, 0.5))};
  nanosleep(&t, NULL);
}

// The world's thread: obeys commands, steps and publishes frames until it is asked to end. argument: the world.
static void* run_world(void* argument) {
  static const double LONGEST_PASSAGE = 0.1; // most wall time [s] that one turn makes up for
  liveWorld* w = argument;
  hfiBytes out = {0};
  double before = wall_clock();

  while (obey_all(w)) {
    double now = wall_clock();
    look_at_file(w, now);
    if (w->has_session) {
      int moves = w->session.playing || w->session.pending > 0;
      // at the session's speed, for at most two periods of the clock
      hfi_session_advance(&w->session, fmin(now - before, LONGEST_PASSAGE), 2 * FRAME_PERIOD, &out);
      measure_factor(w, now);
      if (moves || w->is_changed) publish_frame(w, now, &out);
    }

    w->is_changed = 0;
    before = now;
    sleep_until(now + FRAME_PERIOD);
  }
  hfi_bytes_release(&out);

  pthread_mutex_lock(&w->shared.mutex);
  w->shared.ended = 1;
  pthread_cond_signal(&w->shared.ending);
  pthread_mutex_unlock(&w->shared.mutex);
  return NULL;
}

// ---- for other threads -----------------------------------------------------------------------------

// A scene with keyframes often stands at them alone as its author meant it.
static void mention_keyframes(liveWorld* w) {
  const hfModel* m = w->loaded.model;
  if (w->options.start.keyframe || w->options.start.qpos || m->nkey == 0) return;

  int n = snprintf(w->message, sizeof w->message, "The tab Control can start this scene from a keyframe:");
  for (int i = 0; i < m->nkey && n < (int)sizeof w->message - 64; ++i) {
    const char* name = hf_model_name(m, HF_OBJECT_KEY, i);
    n += snprintf(w->message + n, sizeof w->message - (size_t)n, "%s %.50s", i ? "," : "",
                  *name ? name : "(without a name)");
  }
}

// Is an option given of how to simulate: a start, or a field of the configuration?
static int asks_for_a_run(const worldOptions* o) {
  if (o->start.keyframe || o->start.qpos || o->start.qvel || o->start.act || o->start.ctrl) return 1;

  hfSimConfig plain = hf_sim_config_default();
  for (int i = 0; hf_sim_config_name(i); ++i) {
    const char* name = hf_sim_config_name(i);
    if (hf_sim_config_get(&o->config, name) != hf_sim_config_get(&plain, name)) return 1;
  }
  return 0;
}

// Reads the recording that is shown. Returns the exit status, with a message where it is not CLI_GOOD.
static int load_recording(liveWorld* w) {
  const char* path = w->options.scene.path;
  if (asks_for_a_run(&w->options)) {
    say_error("%s is a recording, which is shown as it is: options of a start, a step or a method are for scenes",
              path);
    return CLI_MISUSED;
  }

  hfError error = {HF_OK, ""};
  int status = exit_status_of(hf_recording_read(&w->recording, path, &error));
  if (status != CLI_GOOD) say_error("%s", error.message);
  return status;
}

// Loads what is shown, a recording or a scene with a session. Returns the exit status, with a message where it fails.
static int load(liveWorld* w) {
  if (is_recording(w->options.scene.path)) return load_recording(w);

  hfError error = {HF_OK, ""};
  w->stamp = watch_stamp(w->options.scene.path);
  int status = load_scene(&w->options.scene, &w->loaded, &error); // says itself what is wrong
  if (status != CLI_GOOD) return status;

  status = open_session(w, &w->loaded, &w->session, &error);
  if (status != CLI_GOOD) {
    say_error("%s", error.message);
    return status;
  }

  w->has_session = 1;
  mention_keyframes(w);
  return CLI_GOOD;
}

// The thread takes no signals: those who wait for them are elsewhere.
static int start_thread(liveWorld* w) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);

  int status = pthread_create(&w->thread, NULL, run_world, w);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return status == 0;
}

// Frees a world whose thread does not run.
static void free_world(liveWorld* w) {
  if (w->has_session) hfi_session_close(&w->session);
  unload_scene(&w->options.scene, &w->loaded);
  hf_recording_free(w->recording);
  packet_release(w->shared.hello);
  packet_release(w->shared.frame);
  pthread_mutex_destroy(&w->shared.mutex);
  pthread_cond_destroy(&w->shared.ending);
  free(w);
}

// Makes a world: loads the scene or recording and starts the world's thread. Sets *made, which world_stop frees.
// Returns the exit status, after saying what is wrong; then *made stays.
int world_start(liveWorld** made, const worldOptions* options) {
  liveWorld* w = calloc(1, sizeof *w);
  if (!w) {
    say_error("out of memory");
    return CLI_FAILED;
  }
  w->options = *options;
  pthread_mutex_init(&w->shared.mutex, NULL);
  pthread_cond_init(&w->shared.ending, NULL);

  int status = load(w);
  if (status == CLI_GOOD) {
    publish_hello(w);
    if (!start_thread(w)) {
      say_error("cannot start a thread");
      status = CLI_FAILED;
    }
  }

  if (status == CLI_GOOD)
    *made = w;
  else
    free_world(w);
  return status;
}

// Asks the thread to end and waits for it. Returns whether it ended within WORLD_PATIENCE.
static int end_thread(liveWorld* w) {
  static const long SECOND = 1000000000; // [ns]
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until); // the clock of conditions
  long nanoseconds = until.tv_nsec + (long)(1e9 * WORLD_PATIENCE);
  until.tv_sec += nanoseconds / SECOND;
  until.tv_nsec = nanoseconds % SECOND;

  pthread_mutex_lock(&w->shared.mutex);
  w->shared.stop = 1;
  while (!w->shared.ended && pthread_cond_timedwait(&w->shared.ending, &w->shared.mutex, &until) == 0) {}
  int ended = w->shared.ended;
  pthread_mutex_unlock(&w->shared.mutex);

  if (ended) pthread_join(w->thread, NULL);
  return ended;
}

// Ends the thread and frees the world. Returns 0, and frees nothing, if the thread does not end in time.
int world_stop(liveWorld* w) {
  if (!end_thread(w)) return 0;
  free_world(w);
  return 1;
}

// Notes that somebody watches: a world that is not paused begins to play.
void world_watched(liveWorld* w) {
  pthread_mutex_lock(&w->shared.mutex);
  w->shared.watched = 1;
  pthread_mutex_unlock(&w->shared.mutex);
}

// Queues a command. Returns 0 if the queue is full.
int world_command(liveWorld* w, const hfiCommand* command) {
  pthread_mutex_lock(&w->shared.mutex);
  int room = w->shared.queued < QUEUE;
  if (room) w->shared.queue[w->shared.queued++] = *command;
  pthread_mutex_unlock(&w->shared.mutex);

  return room;
}

// The packet that a client needs first, or NULL if *generation is already its number. Sets *generation.
packet* world_hello(liveWorld* w, unsigned* generation) {
  pthread_mutex_lock(&w->shared.mutex);
  packet* p = *generation != w->shared.generation ? packet_hold(w->shared.hello) : NULL;
  *generation = w->shared.generation;
  pthread_mutex_unlock(&w->shared.mutex);
  return p;
}

// The newest frame, or NULL if *sequence is already its number. Sets *sequence.
packet* world_frame(liveWorld* w, unsigned long* sequence) {
  pthread_mutex_lock(&w->shared.mutex);
  packet* p = *sequence != w->shared.sequence ? packet_hold(w->shared.frame) : NULL;
  *sequence = w->shared.sequence;
  pthread_mutex_unlock(&w->shared.mutex);
  return p;
}
