// holdfast render: pictures and videos of a scene or a recording, drawn by the page of the report in a
// headless Chromium. Videos are put together by ffmpeg.
#include "cli.h"
#include "guard.h"
#include "near.h"
#include "object.h"
#include "outfile.h"
#include "render_options.h"
#include "scene.h"

#include <ctype.h>
#include <errno.h>
#include <holdfast/record.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SMALLEST_SIDE = 16 };               // A camera of fewer pixels each way says nothing about a picture.
enum { BROWSER_PATIENCE = 300 };           // How long the browser may take [s],
enum { PICTURE_PATIENCE = 5 };             // and as much more for each picture [s].
enum { MOST_PICTURES = 100000 };           // The most pictures of a video.

// ---- other programs ----------------------------------------------------------------------------------

// Is there a program of this name on the search path?
static int is_installed(const char* program) {
  char path[4096];
  const char* folder = getenv("PATH");

  while (folder && *folder) {
    size_t length = strcspn(folder, ":");
    snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, program);
    if (access(path, X_OK) == 0) return 1;

    folder += length;
    if (*folder == ':') ++folder;
  }
  return 0;
}

// Starts a program with its standard input (writes = 1) or output (0) joined to the returned file.
// Its other output is dropped. Returns NULL, with errno, where that fails.
// It works in `folder` and has its temporary files there; NULL: it works where this program does.
// It ends itself by SIGALRM after `seconds`; 0: it may take as long as it wants.
static FILE* start_program(char* const* arguments, int writes, const char* folder, double seconds, pid_t* child) {
  int ends[2];
  if (pipe(ends) != 0) return NULL;
  int program_end = ends[writes ? 0 : 1];
  int our_end = ends[writes ? 1 : 0];

  *child = fork();
  if (*child < 0) {
    int code = errno;
    close(ends[0]);
    close(ends[1]);
    errno = code;
    return NULL;
  }

  if (*child == 0) {
    end_with_parent();
    alarm((unsigned)fmin(ceil(seconds), INT_MAX)); // which lives on in the program
    dup2(program_end, writes ? STDIN_FILENO : STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);

    // Chromium makes a socket in TMPDIR, whose path has less than 108 characters: "." is short, whatever the folder is.
    if (folder && (chdir(folder) != 0 || setenv("TMPDIR", ".", 1) != 0)) _exit(127);

    if (!freopen("/dev/null", "w", stderr)) _exit(127);
    if (writes && !freopen("/dev/null", "w", stdout)) _exit(127);
    execvp(arguments[0], arguments);
    _exit(127);
  }

  close(program_end);
  return fdopen(our_end, writes ? "w" : "r");
}

// Waits for the program's end and returns its status, as waitpid has it.
static int end_program(FILE* file, pid_t child) {
  int status = -1;
  fclose(file);

  return waitpid(child, &status, 0) == child ? status : -1;
}

// ---- the page ----------------------------------------------------------------------------------------

// Finds the body and the camera that options name, and the size of the picture. Returns the exit status.
// Sets followed_body and camera_id (-1: none), and width and height where only the camera says them.
static int find_objects(renderOptions* o, const hfModel* m) {
  o->view.followed_body = o->view.follow ? find_object("--follow", m, HF_OBJECT_BODY, o->view.follow) : -1;
  if (o->view.follow && o->view.followed_body < 0) return CLI_MISUSED;

  o->view.camera_id = o->view.camera ? find_object("--camera", m, HF_OBJECT_CAMERA, o->view.camera) : -1;
  if (o->view.camera && o->view.camera_id < 0) return CLI_MISUSED;

  if (o->view.camera && !o->width) {
    const int32_t* pixels = hf_model_cam_resolution(m) + 2 * o->view.camera_id;
    if (pixels[0] >= SMALLEST_SIDE && pixels[1] >= SMALLEST_SIDE) {
      o->width = pixels[0];
      o->height = pixels[1];
    }
  }
  return CLI_GOOD;
}

// The same of the recording that is drawn: reads it for its model.
static int find_objects_of_recording(renderOptions* o) {
  hfRecording* recording = NULL;
  hfError error = {HF_OK, ""};
  if (hf_recording_read(&recording, o->input, &error) != HF_OK) {
    say_error("%s", error.message);
    return CLI_FAILED;
  }

  int status = find_objects(o, hf_recording_model(recording));
  hf_recording_free(recording);
  return status;
}

// The same of the scene that is drawn: loads it for its model.
static int find_objects_of_scene(renderOptions* o) {
  sceneOptions options = {.path = o->input, .import = hf_import_config_default()};
  scene loaded = {0};
  hfError error = {HF_OK, ""};

  int status = load_scene(&options, &loaded, &error);
  if (status == CLI_GOOD) status = find_objects(o, loaded.model);
  unload_scene(&options, &loaded);
  return status;
}

// Decides from where to look, and how large the picture is. Returns the exit status.
static int choose_view(renderOptions* o) {
  int status = CLI_GOOD;
  o->view.followed_body = -1;
  o->view.camera_id = -1;

  if (o->view.follow || o->view.camera)
    status = is_recording(o->input) ? find_objects_of_recording(o) : find_objects_of_scene(o);

  if (!o->width) {
    o->width = 1280;
    o->height = 720;
  }
  return status;
}

// Writes the page of a recording, and sets the times that no option gives: 0 to the recording's end.
// A video that starts after this end is refused, a picture only warned of. Returns the exit status.
static int convert_recording(renderOptions* o, const char* page) {
  hfRecording* recording = NULL;
  hfError error = {HF_OK, ""};
  hfStatus status = hf_recording_read(&recording, o->input, &error);
  int frames = status == HF_OK ? hf_recording_frame_count(recording) : 0;
  if (status == HF_OK) status = hf_report_convert(page, recording, &error);

  double end = INFINITY;
  if (status != HF_OK)
    say_error("%s", error.message);
  else if (frames == 0)
    say_error("%s: the recording has no frames", o->input);
  else
    end = hf_recording_frame(recording, frames - 1).time;
  hf_recording_free(recording);

  if (status != HF_OK || frames == 0) return CLI_FAILED;

  if (o->times.start > end && o->video) {
    say_error("%s ends at %g s: there is no video from --time %g on", o->input, end, o->times.start);
    return CLI_MISUSED;
  }
  if (o->times.start > end)
    say_warning("%s ends at %g s: --time %g shows its last frame", o->input, end, o->times.start);

  if (isnan(o->times.end)) o->times.end = end;
  if (isnan(o->times.start)) o->times.start = 0;
  return CLI_GOOD;
}

// Has this same program simulate the scene and write its page. Returns the exit status.
static int simulate_scene(renderOptions* o, const char* page) {
  char self[4096], time[32];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length < 0) {
    say_error("cannot find this program: %s", strerror(errno));
    return CLI_FAILED;
  }
  self[length] = '\0';

  snprintf(time, sizeof time, "%.9g", fmax(o->video ? o->times.end : o->times.start, 1e-6));
  char* arguments[FORWARDED + 8] = {self,
                                    (char[]){"run"},
                                    (char*)(uintptr_t)o->input,
                                    (char[]){"--time"},
                                    time,
                                    (char[]){"--report"},
                                    (char*)(uintptr_t)page};
  for (int i = 0; i < o->nforwarded; ++i) arguments[7 + i] = o->forwarded[i];

  pid_t child = fork();
  if (child == 0) {
    end_with_parent();
    if (!freopen("/dev/null", "w", stdout)) _exit(127);
    execv(self, arguments);
    _exit(127);
  }

  int status = -1;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return CLI_FAILED;
  return WEXITSTATUS(status);
}

// ---- pictures ----------------------------------------------------------------------------------------

// The value of a digit of base 64; -1: the character is not a digit.
static int digit(int c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  if (c == '/') return 63;
  return -1;
}

// Copies the bytes behind the next "HFFRAME:", which are coded in base 64, to `to`.
// Returns 1 if there were any, 0 where `from` has no further picture.
static int copy_picture(FILE* from, FILE* to) {
  static const char mark[] = "HFFRAME:";
  size_t matched = 0;
  int c;
  while (matched < sizeof mark - 1 && (c = getc(from)) != EOF)
    matched = c == mark[matched] ? matched + 1 : c == mark[0];
  if (matched < sizeof mark - 1) return 0;

  // four digits of 6 bits are three bytes
  unsigned word = 0;
  int count = 0; // of digits
  int bytes = 0;
  while ((c = getc(from)) != EOF && digit(c) >= 0) {
    word = word << 6 | (unsigned)digit(c);
    ++count;
    if (count % 4 != 0) continue;
    putc((int)(word >> 16 & 255), to);
    putc((int)(word >> 8 & 255), to);
    putc((int)(word & 255), to);
    bytes += 3;
  }

  // two or three digits at the end are one or two bytes
  if (count % 4 >= 2) {
    putc((int)(word >> (count % 4 == 2 ? 4 : 10) & 255), to);
    ++bytes;
  }
  if (count % 4 == 3) {
    putc((int)(word >> 2 & 255), to);
    ++bytes;
  }
  return bytes > 0;
}

// How the page codes its pictures: as the name of the picture asks, quickly those of a video.
static const char* picture_type(const renderOptions* o) {
  const char* ending = o->video ? "jpg" : ending_of(o->picture);

  if (strncasecmp(ending, "jp", 2) == 0) return "jpeg";
  return strcasecmp(ending, "webp") == 0 ? "webp" : "png";
}

// Writes a path as addresses have it, where all but letters, digits and a few signs are coded as %XX.
// Returns its length. `to` has room for three characters of each of the path.
static size_t put_path(char* to, const char* path) {
  static const char digits[] = "0123456789ABCDEF";
  size_t n = 0;

  for (; *path; ++path) {
    unsigned c = (unsigned char)*path;
    if (isalnum((int)c) || strchr("/-_.", *path)) {
      to[n++] = *path;
    } else {
      to[n++] = '%';
      to[n++] = digits[c >> 4];
      to[n++] = digits[c & 15];
    }
  }

  return n;
}

// A truth value as JSON has it.
static const char* json_word(int truth) {
  return truth ? "true" : "false";
}

// The address of the page: file://PAGE#render= and, as JSON, the view and the times of `count` pictures to draw.
// The caller frees it. NULL: no memory.
static char* page_address(const renderOptions* o, const char* page, int count) {
  enum { TIME_LENGTH = 32 }; // a number of nine digits with its exponent needs fewer characters
  enum { VIEW_LENGTH = 4096, ESCAPED_LENGTH = 3 }; // all but path and times; a byte of the path, as %XX
  size_t room = VIEW_LENGTH + ESCAPED_LENGTH * strlen(page) + TIME_LENGTH * (size_t)count;
  char* text = malloc(room);
  if (!text) return NULL;

  const renderView* view = &o->view;
  size_t n = (size_t)snprintf(text, room, "file://");
  n += put_path(text + n, page);
  n += (size_t)snprintf(text + n, room - n, "#render={\"width\":%d,\"height\":%d,\"type\":\"image/%s\",", o->width,
                        o->height, picture_type(o));
  n += (size_t)snprintf(text + n, room - n, "\"forces\":%s,\"cones\":%s,\"collision\":%s,",
                        json_word(!o->no_forces), json_word(o->cones), json_word(o->collision));
  n += (size_t)snprintf(text + n, room - n, "\"zoom\":%g,\"azimuth\":%g,\"elevation\":%g,", view->zoom,
                        view->azimuth, view->elevation);
  n += (size_t)snprintf(text + n, room - n, "\"follow\":%d,\"camera\":%d,\"times\":[", view->followed_body,
                        view->camera_id);

  for (int i = 0; i < count; ++i) {
    double time = o->times.start + i * o->times.speed / o->times.fps;
    n += (size_t)snprintf(text + n, room - n, "%s%.9g", i ? "," : "", time);
  }
  snprintf(text + n, room - n, "]}");
  return text;
}

// Where the pictures go: to one file, or to a program that makes a video of them. The video is written beside an older
// one, under a name with the same ending, by which the program knows the format.
typedef struct target {
  FILE* file; // NULL: there is none
  outFile picture;
  pid_t encoder; // 0: there is none
  char* video;   // the name that the video gets: that of the option without symbolic links; close_target frees it
  char beside[4096];
} target;

// Starts ffmpeg, which makes a video of JPEG pictures at t->beside, next to an older video. Sets t->encoder.
// Returns the file for the pictures; NULL, with errno, where that fails.
static FILE* start_encoder(const renderOptions* o, target* t) {
  char fps[32];
  snprintf(fps, sizeof fps, "%g", o->times.fps);

  char* arguments[] = {(char[]){"ffmpeg"},
                       (char[]){"-y"},
                       (char[]){"-f"},
                       (char[]){"image2pipe"},
                       (char[]){"-c:v"},
                       (char[]){"mjpeg"}, // ffmpeg does not find out by itself if there are few and small pictures
                       (char[]){"-framerate"},
                       fps,
                       (char[]){"-i"},
                       (char[]){"-"},
                       (char[]){"-vf"},
                       (char[]){"pad=ceil(iw/2)*2:ceil(ih/2)*2"},
                       (char[]){"-pix_fmt"},
                       (char[]){"yuv420p"},
                       (char[]){"-c:v"},
                       (char[]){"libx264"},
                       t->beside,
                       NULL};
  return start_program(arguments, 1, NULL, 0, &t->encoder);
}

// Opens the file of the picture, or starts the program that makes the video. Returns 1, or 0 with a message in *error.
static int open_target(const renderOptions* o, target* t, hfError* error) {
  *t = (target){0};
  if (!o->video) {
    if (open_out_file(&t->picture, o->picture, error) == HF_OK) t->file = t->picture.file;
    return t->file != NULL;
  }

  t->video = resolve_out_file(o->video);
  if (!t->video) {
    snprintf(error->message, sizeof error->message, "out of memory");
    return 0;
  }

  // the new video has the name FOLDER/.PID-NAME until it is whole
  const char* slash = strrchr(t->video, '/');
  const char* name = slash ? slash + 1 : t->video;
  snprintf(t->beside, sizeof t->beside, "%.*s.%ld-%s", (int)(name - t->video), t->video, (long)getpid(), name);
  remove_at_end(t->beside);
  t->file = start_encoder(o, t);
  if (t->file) return 1;

  snprintf(error->message, sizeof error->message, "%s: cannot be written: %s", o->video, strerror(errno));
  free(t->video);
  return 0;
}

// Closes the target. A picture or video that is `whole` replaces an older file; any other is removed.
// Returns 1 if it is in place, else 0.
static int close_target(const renderOptions* o, target* t, int whole, hfError* error) {
  if (!o->video && whole) return close_out_file(&t->picture, error) == HF_OK;
  if (!o->video) {
    discard_out_file(&t->picture);
    return 0;
  }

  // the new video gets the rights of the older one, as every other file that replaces an older one
  struct stat older;
  int good = end_program(t->file, t->encoder) == 0 && whole;
  if (good && stat(t->video, &older) == 0) chmod(t->beside, older.st_mode & 0777);
  good = good && rename(t->beside, t->video) == 0;
  free(t->video);

  if (good) return 1;

  remove(t->beside);
  snprintf(error->message, sizeof error->message, "%s: cannot be written", o->video);
  return 0;
}

// The number of pictures, which may be larger than any int.
static double count_pictures(const renderOptions* o) {
  if (!o->video) return 1;
  return floor((o->times.end - o->times.start) * o->times.fps / o->times.speed) + 1;
}

// Refuses a video of no pictures or of too many. Returns 1, with a message, where it does.
static int refuse_length(const renderOptions* o) {
  double count = count_pictures(o);
  if (count >= 1 && count <= MOST_PICTURES) return 0;

  say_error("a video of %.9g pictures: it has 1 to %d (--time, --until, --fps)", count, MOST_PICTURES);
  return 1;
}

// Has a browser draw the page, and writes the pictures that it prints, as text, to the file or the video.
// The browser has its profile and its temporary files in the folder. Returns the exit status.
static int draw(const renderOptions* o, const char* browser, const char* page, const char* folder) {
  if (refuse_length(o)) return CLI_MISUSED;
  int count = (int)count_pictures(o);
  char* address = page_address(o, page, count);
  if (!address) {
    say_error("out of memory");
    return CLI_FAILED;
  }

  char* arguments[] = {(char*)(uintptr_t)browser,
                       (char[]){"--headless=new"},
                       (char[]){"--no-sandbox"},
                       (char[]){"--use-angle=swiftshader"},
                       (char[]){"--enable-unsafe-swiftshader"},
                       (char[]){"--ignore-gpu-blocklist"},
                       (char[]){"--hide-scrollbars"},
                       (char[]){"--user-data-dir=profile"},
                       (char[]){"--virtual-time-budget=20000"},
                       (char[]){"--dump-dom"},
                       address,
                       NULL};
  pid_t viewer;
  target to;
  hfError error = {HF_OK, ""};
  double patience = BROWSER_PATIENCE + PICTURE_PATIENCE * (double)count;
  if (o->patience > 0) patience = o->patience;

  int opened = open_target(o, &to, &error);
  FILE* from = opened ? start_program(arguments, 0, folder, patience, &viewer) : NULL;

  int drawn = 0;
  while (from && drawn < count && copy_picture(from, to.file)) {
    ++drawn;
    show_progress((double)drawn / count, "%d of %d pictures", drawn, count);
  }
  clear_progress();

  int ended = from ? end_program(from, viewer) : 0;
  int good = opened && close_target(o, &to, drawn == count, &error);
  int timed_out = WIFSIGNALED(ended) && WTERMSIG(ended) == SIGALRM;

  if (opened && drawn < count && timed_out)
    say_error("%s drew only %d of %d pictures within %g s; --patience gives it more time", browser, drawn, count,
              patience);
  else if (opened && drawn < count)
    say_error("%s drew %d of %d pictures", browser, drawn, count);
  else if (!good)
    say_error("%s", error.message);

  free(address);
  return good ? CLI_GOOD : CLI_FAILED;
}

// Makes the page, and draws it. All files that are needed for that stand in the folder. Returns the exit status.
static int draw_in_folder(renderOptions* o, int is_scene, const char* browser, const char* folder) {
  char absolute[PATH_MAX], page[PATH_MAX + 16];
  if (!realpath(folder, absolute)) {
    say_error("%s: %s", folder, strerror(errno));
    return CLI_FAILED;
  }
  snprintf(page, sizeof page, "%s/page.html", absolute);

  int status = is_scene ? simulate_scene(o, page) : convert_recording(o, page);
  return status == CLI_GOOD ? draw(o, browser, page, absolute) : status;
}

// Refuses names of files that cannot be used. Returns the exit status, with a message where it is not CLI_GOOD.
static int check_files(const renderOptions* o) {
  const usedFile files[] = {{"the scene or recording", o->input, 0}, {"-o", o->picture, 1}, {"--video", o->video, 1}};
  if (refuse_same_file(files, 3)) return CLI_MISUSED;
  if (refuse_ending("-o", o->picture, "png jpg jpeg webp", 1)) return CLI_MISUSED;
  if (refuse_ending("--video", o->video, "mp4 mkv mov", 1)) return CLI_MISUSED;

  if (o->video && is_pipe(o->video)) {
    say_error("--video %s: a video is written to a file, not to a pipe or a device", o->video);
    return CLI_MISUSED;
  }

  if (refuse_folder_of("-o", o->picture) || refuse_folder_of("--video", o->video)) return CLI_FAILED;
  return CLI_GOOD;
}

// Chooses the times of a scene, and refuses options that do not go with the input. Returns the exit status.
static int check_input(renderOptions* o, int is_scene) {
  if ((o->view.follow || o->view.camera) && is_pipe(o->input)) {
    say_error("%s: --follow and --camera read the scene before it is simulated, which a pipe does not allow; "
              "give a file",
              o->input);
    return CLI_MISUSED;
  }

  if (o->nforwarded && !is_scene) {
    say_error("%s is a recording: %s is for a scene, which is simulated", o->input, o->forwarded[0]);
    return CLI_MISUSED;
  }

  // a scene does not end by itself
  if (is_scene) {
    if (isnan(o->times.start)) o->times.start = o->video ? 0 : 2;
    if (isnan(o->times.end)) o->times.end = 5;
  }
  if (o->video && o->times.end < o->times.start) {
    say_error("--until %g is before --time %g", o->times.end, o->times.start);
    return CLI_MISUSED;
  }

  if (is_scene && refuse_length(o)) return CLI_MISUSED; // before it is simulated over that time
  return CLI_GOOD;
}

// Finds the programs and the page that drawing needs. Returns the browser, or NULL with a message.
static const char* find_browser(const renderOptions* o) {
  static const char* const names[] = {"chromium", "chromium-browser", "google-chrome"};
  const char* browser = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names && !browser; ++i)
    if (is_installed(names[i])) browser = names[i];

  if (!browser) {
    say_error("no Chromium is installed to draw with (Debian: apt install chromium)");
    return NULL;
  }
  if (o->video && !is_installed("ffmpeg")) {
    say_error("no ffmpeg is installed to make a video (Debian: apt install ffmpeg)");
    return NULL;
  }
  if (!hf_report_replays()) {
    say_error("this build has no page to draw with: it was built without npm");
    return NULL;
  }
  return browser;
}

// The verb: checks what it is given, makes the page in a temporary folder and draws it.
int verb_render(int argc, char** argv) {
  renderOptions o = {.times = {.start = NAN, .end = NAN, .fps = 30, .speed = 1},
                     .view = {.zoom = 1, .azimuth = -55, .elevation = 25}};
  parse_arguments(&render_argp, argc, argv, &o);

  int status = check_files(&o);
  if (status != CLI_GOOD) return status;

  int is_scene = !is_recording(o.input);
  status = check_input(&o, is_scene);
  if (status != CLI_GOOD) return status;

  status = choose_view(&o);
  if (status != CLI_GOOD) return status;

  const char* browser = find_browser(&o);
  char folder[TEMPORARY_PATH];
  if (!browser || make_temporary_folder(folder, "render") != 0) return CLI_FAILED;

  status = draw_in_folder(&o, is_scene, browser, folder);
  remove_tree(folder);
  return status;
}
