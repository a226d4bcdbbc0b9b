// The verbs check, info and dynamics: what they print about models that are right, doubtful or wrong.
#include "cli/command.h"
#include "cli/scenes.h"

#include <holdfast/record.h>
#include <math.h>
#include <sys/stat.h>
#include <time.h>

static int write_scenes(void** state) {
  if (enter_folder(state) != 0) return -1;
  write_file("ball.xml", falling_ball);
  write_file("machine.xml", machine);
  write_file("odd.xml", "<mujoco>\n<worldbody>\n<light pos='0 0 1'/>\n<geom size='1' "
                        "frobnicate='3'/>\n</worldbody>\n</mujoco>\n");
  write_file("broken.xml", "<mujoco>\n<worldbody>\n<body>\n</worldbody>\n</mujoco>\n");
  return 0;
}

// A recording is no model, and info says what a mimicking joint follows.
static void test_recordings_and_equalities(void** state) {
  (void)state;
  assert_works("run ball.xml --time 0.02 --record ball.rec");
  for (int i = 0; i < 4; ++i) {
    static const char* const verbs[] = {"check ball.rec", "info ball.rec", "run ball.rec", "convert ball.rec ball.sdf"};
    assert_refused(verbs[i], 1, "ball.rec is a recording and no model: view and render read it");
  }
  write_file("finger.urdf", "<robot name='r'><link name='palm'/><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
                            "<link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
                            "<joint name='first' type='continuous'><parent link='palm'/><child link='a'/></joint>"
                            "<joint name='second' type='continuous'><parent link='a'/><child link='b'/><mimic joint='first'/></joint></robot>");
  assert_works("info finger.urdf");
  assert_says(standard_output, "Equalities:\n  #0 of joints second and first\n");
}

static void test_check_accepts(void** state) {
  (void)state;
  assert_works("check machine.xml");
  assert_says(
      standard_output,
      "machine.xml: 2 bodies, 2 joints, 2 degrees of freedom, 1 geoms, 1 actuators; 0 warnings");
  assert_works("check --json machine.xml");
  assert_json();
  assert_says(standard_output, "\"accepted\": true");
}

static void test_check_warns_with_file_and_line(void** state) {
  (void)state;
  assert_works("check odd.xml");
  assert_says(standard_output, "odd.xml:4: warning: ");
  assert_says(standard_output, "frobnicate");
  assert_works("check --json odd.xml");
  assert_json();
  assert_says(standard_output, "\"line\": 4");
}

static void test_check_refuses_with_file_and_line(void** state) {
  (void)state;
  assert_refused("check broken.xml", 1, "broken.xml:4");
  assert_int_equal(holdfast("check --json broken.xml"), 1);
  assert_json();
  assert_says(standard_output, "\"accepted\": false");
  assert_says(standard_output, "\"error\": ");
}

// A path is any bytes, and JSON is UTF-8: the file, the error and diagnostics of such a path were left out.
static void test_check_names_that_are_no_text(void** state) {
  (void)state;
  assert_int_equal(system("cp odd.xml \"$(printf 'odd\\377.xml')\" && cp broken.xml \"$(printf 'broken\\377.xml')\""), 0);
  assert_works("check --json \"$(printf 'odd\\377.xml')\"");
  assert_json();
  assert_says(standard_output, "\"file\": \"odd\xEF\xBF\xBD.xml\"");
  assert_says(standard_output, "frobnicate");
  assert_int_equal(holdfast("check --json \"$(printf 'broken\\377.xml')\""), 1);
  assert_json();
  assert_says(standard_output, "\"error\": \"broken\xEF\xBF\xBD.xml:4");
  assert_works("run --json --time 0.01 \"$(printf 'odd\\377.xml')\"");
  assert_says(standard_output, "\"scene\": \"odd\xEF\xBF\xBD.xml\"");
}

static void test_check_strictly(void** state) {
  (void)state;
  write_file("strict.xml", "<mujoco><worldbody><body><freejoint align='true'/><geom size='1'/></body></worldbody></mujoco>");
  assert_works("check strict.xml");
  assert_int_equal(holdfast("check --strict strict.xml"), 1);
  assert_says(standard_output, "1 warnings");
  assert_works("check --strict machine.xml");
}

static void test_info(void** state) {
  (void)state;
  assert_works("info machine.xml");
  assert_says(standard_output, "mass 3 kg");
  assert_says(standard_output, "cart  2 kg  1 geom  moves by rail (slide)");
  assert_says(standard_output, "push on joint rail");
  assert_says(standard_output, "Keyframes: raised");
  assert_works("info --json machine.xml");
  assert_json();
  assert_near(json_value(standard_output, "nv", 0), 2, 0);
  assert_near(json_value(standard_output, "mass", 0), 3, 1e-12);
  assert_says(standard_output, "\"keyframes\": [\"raised\"]");
}

// Pendulum: M = I + m l^2, bias = m g l sin q. 17 digits: exact up to the order of operations.
static void test_dynamics_of_a_pendulum(void** state) {
  (void)state;
  assert_works("dynamics machine.xml --json --qpos '0.5 0.3' --qvel '1 2' --ctrl 4");
  assert_json();
  assert_near(json_value(standard_output, "nq", 0), 2, 0);
  assert_near(json_value(standard_output, "nv", 0), 2, 0);
  assert_near(json_value(standard_output, "qpos", 1), 0.3, 0);
  assert_near(json_value(standard_output, "qvel", 1), 2, 0);
  assert_near(json_value(standard_output, "M", 0), 2, 1e-14);
  assert_near(json_value(standard_output, "M", 1), 0, 0);
  assert_near(json_value(standard_output, "M", 3), 0.01 + 0.25, 1e-14);
  assert_near(json_value(standard_output, "bias", 1), 9.81 * 0.5 * sin(0.3), 1e-13);
  assert_near(json_value(standard_output, "actuator_force", 0), 4, 0);
  assert_says(standard_output, "\"name\": \"pendulum\"");
  assert_says(standard_output, "\"name\": \"place\", \"value\": [0.5]");
}

static void test_dynamics_starts_from_a_keyframe(void** state) {
  (void)state;
  assert_works("dynamics machine.xml --json --keyframe raised --qvel '7,8'");
  assert_near(json_value(standard_output, "qpos", 1), 1.5, 0);
  assert_near(json_value(standard_output, "qvel", 0), 7, 0);
  assert_near(json_value(standard_output, "actuator_force", 0), 3, 0);
  assert_works("dynamics machine.xml --json --keyframe '#0'");
  assert_near(json_value(standard_output, "qpos", 0), 0.25, 0);
  assert_works("dynamics machine.xml --keyframe raised");
  assert_says(standard_output, "bias:");
  assert_refused("dynamics machine.xml --keyframe lowered", 2, "no keyframe \"lowered\"");
}

static void test_vectors(void** state) {
  (void)state;
  write_file("q.txt", "0.5,\n 0.25\n");
  assert_works("dynamics machine.xml --json --qpos @q.txt");
  assert_near(json_value(standard_output, "qpos", 1), 0.25, 0);
  assert_refused("dynamics machine.xml --qpos '1'", 2, "--qpos: 1 numbers given, the model has 2");
  assert_refused("dynamics machine.xml --qpos '1 2 3'", 2,
                 "--qpos: 3 numbers given, the model has 2");
  assert_refused("dynamics machine.xml --qpos 'nan 1'", 2,
                 "--qpos: \"nan\" is not a finite number");
  assert_refused("dynamics machine.xml --qvel '1 inf'", 2,
                 "--qvel: \"inf\" is not a finite number");
  assert_refused("dynamics machine.xml --qpos '1 2x'", 2, "--qpos: \"2x\" is not a finite number");
  assert_refused("dynamics machine.xml --qpos @none.txt", 1, "none.txt: cannot read: No such file");
  assert_refused("info ''", 1, "cannot read \"\": No such file");
  assert_refused("dynamics ball.xml --qpos '0 0 1 0 0 0 0'", 2,
                 "the quaternion of joint fly is zero");
}

static void test_quaternions_are_made_unit(void** state) {
  (void)state;
  assert_works("dynamics ball.xml --json --qpos '0 0 1 2 0 0 0'");
  assert_near(json_value(standard_output, "qpos", 3), 1, 0);
}

// Puts programs of these names that sleep for a minute before all others. Returns the path of before, which restore_path needs.
static char* hide_programs(const char* const* names, int count) {
  char *before = strdup(getenv("PATH")), path[8192], here[2048], program[64];
  assert_non_null(getcwd(here, sizeof here));
  if (access("sleepers", F_OK) != 0) assert_int_equal(mkdir("sleepers", 0700), 0);
  for (int i = 0; i < count; ++i) {
    snprintf(program, sizeof program, "sleepers/%s", names[i]);
    write_file(program, "#!/bin/sh\nexec sleep 60\n");
    assert_int_equal(chmod(program, 0700), 0);
  }
  snprintf(path, sizeof path, "%s/sleepers:%s", here, before);
  setenv("PATH", path, 1);
  return before;
}

static void restore_path(char* before) {
  setenv("PATH", before, 1);
  free(before);
}

// A browser that never answers is ended after --patience, and no picture is left behind. 20 s are far below the 60 s that it would take.
static void test_a_browser_that_hangs_is_ended(void** state) {
  (void)state;
  if (!hf_report_replays()) skip();
  char* before = hide_programs((const char*[]){"chromium"}, 1);
  time_t start = time(NULL);
  assert_refused("render ball.xml --time 0.01 -o hung.png --patience 1", 1, "drew only 0 of 1 pictures within 1 s; --patience gives it more time");
  assert_below(time(NULL) - start, 20);
  assert_int_not_equal(access("hung.png", F_OK), 0);
  restore_path(before);
}

// A browser has a profile and a folder in TMPDIR, and some program of it writes there for a while after it was ended. All goes with the command, however
// that ends. The name of TMPDIR may be relative, and have signs that mean something else in an address.
static void test_render_leaves_no_folder_behind(void** state) {
  (void)state;
  if (!hf_report_replays()) skip();
  static const char* const ways[] = {"TERM", "KILL", "0 --patience 1"}; // SIGINT is ignored in the background
  char* before = hide_programs((const char*[]){"chromium"}, 1);
  write_file("sleepers/chromium",
             "#!/bin/sh\n"
             "folder=$(mktemp -d)\n"
             "(for i in $(seq 30); do mkdir -p profile $folder && echo $i >profile/$i && echo $i >$folder/$i; sleep 0.05; done) >/dev/null 2>&1 &\n"
             "printf '%s\n' \"$@\" >\"${0%/*}/../arguments.txt\"\n"
             "exec sleep 60\n");
  write_file("interrupt.sh",
             "signal=$1 && shift && rm -f arguments.txt && mkdir -p 'a #1%' && export TMPDIR='a #1%'\n" HOLDFAST
             " render ball.xml --time 0.01 -o none.png \"$@\" >stdout.txt 2>stderr.txt &\n"
             "for i in $(seq 3000); do [ ! -s arguments.txt ] && kill -0 $! 2>/dev/null || break; sleep 0.01; done\n"
             "[ -s arguments.txt ] || exit 3\n"
             "kill -$signal $!\n"
             "wait $! && exit 4\n"
             "for i in $(seq 100); do [ -z \"$(ls -A \"$TMPDIR\")\" ] && exit 0; sleep 0.1; done\n"
             "exit 5\n");
  for (int i = 0; i < 3; ++i) {
    char command[64];
    snprintf(command, sizeof command, "sh interrupt.sh %s", ways[i]);
    assert_int_equal(system(command), 0);
    read_file("arguments.txt", standard_output);
    assert_says(standard_output, "/a%20%231%25/holdfast-render-");
    assert_says(standard_output, "--user-data-dir=profile\n");
  }
  restore_path(before);
}

// A video that begins behind the end of its recording is refused before anything is drawn; it was "a video of -83 pictures".
static void test_a_video_behind_the_end(void** state) {
  (void)state;
  if (!hf_report_replays()) skip();
  assert_works("run ball.xml --time 0.2 --record short.rec");
  char* before = hide_programs((const char*[]){"chromium", "ffmpeg"}, 2);
  assert_refused("render short.rec --video x.mp4 --time 3", 2, "short.rec ends at 0.2 s: there is no video from --time 3 on");
  assert_refused("render short.rec --video x.mp4 --until 1e300", 2, "a video of 3e+301 pictures: it has 1 to 100000");
  restore_path(before);
}

// A call draws one thing: of a picture and a video the picture was forgotten.
static void test_a_picture_or_a_video(void** state) {
  (void)state;
  static const char* const sizes[] = {"640x480abc", "640x480x3", "640x", "15x480", "8193x480", "-640x480", "' 640x480'", "640x+480", "99999999999x480"};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    char call[96];
    snprintf(call, sizeof call, "render ball.xml -o x.png --size %s", sizes[i]);
    assert_refused(call, 2, "want WIDTHxHEIGHT, 16 to 8192 pixels");
  }
  assert_refused("render ball.xml -o x.png --zoom 1e300", 2, "--zoom 1e300: want a number from 0.1 to 1000");
  assert_refused("render ball.xml -o x.png --azimuth 361", 2, "--azimuth 361: want a number from -360 to 360");
  assert_refused("render ball.xml -o x.png --elevation 91", 2, "--elevation 91: want a number from -90 to 90");
  assert_refused("render ball.xml -o x.png --patience 1e300", 2, "--patience 1e300: want a number from 1 to 1e+06");
  assert_refused("render ball.xml --video x.mp4 --fps nan", 2, "--fps nan: want a number from 1 to 1000");
  assert_refused("render ball.xml --video x.mp4 --speed 0", 2, "--speed 0: want a number from 0.001 to 1000");
  assert_refused("render ball.xml --video x.mp4 --until -1", 2, "--until -1: want a time in seconds, not negative");
  assert_refused("render ball.xml", 2, "give -o FILE.png or --video FILE.mp4\n");
  assert_refused("render ball.xml -o x.png --video x.mp4", 2, "give -o FILE.png or --video FILE.mp4, not both");
}

// A body that --follow names and the model does not have is a wrong call, of a scene and of a recording; the nearest names come first.
static void test_follow_an_unknown_body(void** state) {
  (void)state;
  assert_refused("render machine.xml --follow cat -o x.png", 2, "--follow: the model has no body \"cat\"; it has:\n  cart\n");
  assert_refused("render machine.xml --follow '#9' -o x.png", 2, "--follow: the model has no body \"#9\"");
  assert_refused("render none.xml --follow cart -o x.png", 1, "none.xml");
  assert_works("run machine.xml --time 0.02 --record machine.rec");
  assert_refused("render machine.rec --follow '' -o x.png", 2, "--follow: the model has no body \"\"; it has:\n");
  assert_int_not_equal(access("x.png", F_OK), 0);
  char many[4096] = "<mujoco><worldbody>";
  for (int i = 0; i < 30; ++i) snprintf(many + strlen(many), sizeof many - strlen(many), "<body name='link%d'><geom size='.1'/></body>", i);
  strcat(many, "</worldbody></mujoco>");
  write_file("many.xml", many);
  assert_refused("render many.xml --follow linky27 -o x.png", 2, "; the nearest names are:\n  link27\n");
  assert_null(strstr(standard_error, "  link8\n"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_check_names_that_are_no_text), cmocka_unit_test(test_check_strictly),
      cmocka_unit_test(test_recordings_and_equalities),
      cmocka_unit_test(test_check_accepts),
      cmocka_unit_test(test_check_warns_with_file_and_line),
      cmocka_unit_test(test_check_refuses_with_file_and_line),
      cmocka_unit_test(test_info),
      cmocka_unit_test(test_dynamics_of_a_pendulum),
      cmocka_unit_test(test_dynamics_starts_from_a_keyframe),
      cmocka_unit_test(test_vectors),
      cmocka_unit_test(test_quaternions_are_made_unit),
      cmocka_unit_test(test_a_browser_that_hangs_is_ended), cmocka_unit_test(test_render_leaves_no_folder_behind),
      cmocka_unit_test(test_a_video_behind_the_end),
      cmocka_unit_test(test_a_picture_or_a_video),
      cmocka_unit_test(test_follow_an_unknown_body),
  };
  return cmocka_run_group_tests(tests, write_scenes, leave_folder);
}
