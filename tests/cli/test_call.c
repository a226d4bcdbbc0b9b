// The command without regard to a verb: help, unknown verbs, wrong calls, and a standard output that cannot be written.
#include "cli/command.h"
#include "cli/scenes.h"

static void test_help_and_version(void** state) {
  (void)state;
  assert_works("--help");
  assert_says(standard_output, "Usage: holdfast VERB");
  assert_works("--version");
  assert_says(standard_output, "holdfast 0.");
  const char* verbs[] = {"run", "check", "info", "dynamics", "problem", "experiment", "bench"};
  for (int i = 0; i < 7; ++i) {
    char call[64], usage[64];
    snprintf(call, sizeof call, "%s --help", verbs[i]);
    snprintf(usage, sizeof usage, "Usage: holdfast %s [OPTION...]", verbs[i]);
    assert_works(call);
    assert_says(standard_output, usage);
  }
}

// Studies are part of the Python package: without it the verb explains itself, and refuses all else.
static void test_study_without_its_package(void** state) {
  (void)state;
  setenv("HOLDFAST_PYTHON", "/no/such/python", 1);
  const char* help[] = {"study --help", "study run -h"};
  for (int i = 0; i < 2; ++i) {
    assert_works(help[i]);
    assert_says(standard_output, "Usage: holdfast study VERB");
    assert_says(standard_output, "\"/no/such/python\" cannot look for (it cannot be started)");
    assert_string_equal(standard_error, "");
  }
  assert_refused("study run x.yaml", 1, "cannot be started; HOLDFAST_PYTHON names another one");
  setenv("HOLDFAST_PYTHON", "false", 1); // starts, and has no package
  assert_works("study --help");
  assert_says(standard_output, "cannot load (it does not say why).\npip install ./python in the source tree of Holdfast installs it.");
  assert_refused("study status x.db", 1, "studies need the Python package");
  write_file("old", "#!/bin/sh\necho 'Traceback (most recent call last):' >&2\necho \"ModuleNotFoundError: No module named 'numpy'\" >&2\nexit 1\n");
  assert_int_equal(system("chmod +x old"), 0);
  setenv("HOLDFAST_PYTHON", "./old", 1); // has the package, but not what it needs
  assert_refused("study status x.db", 1, "which \"./old\" cannot load (ModuleNotFoundError: No module named 'numpy'): pip install ./python");
  unsetenv("HOLDFAST_PYTHON");
}

// Calls visit(argument) for every line "  holdfast ARGUMENTS" of the text; what follows two spaces is an explanation.
static int each_example(const char* text, void (*visit)(const char* arguments)) {
  static const char begin[] = "\n  holdfast ";
  int count = 0;
  for (const char* at = strstr(text, begin); at; at = strstr(at + 1, begin), ++count) {
    char arguments[512] = "";
    const char* first = at + sizeof begin - 1;
    size_t length = strcspn(first, "\n");
    assert_below(length, sizeof arguments);
    memcpy(arguments, first, length);
    char* explanation = strstr(arguments, "    ");
    if (explanation) *explanation = '\0';
    visit(arguments);
  }
  return count;
}

static void ignore(const char* arguments) { (void)arguments; }
static void run_example(const char* arguments) {
  char call[640];
  snprintf(call, sizeof call, "%s", arguments);
  assert_works(call);
}

// Every verb has examples, and those that need no file of the user's and no long time run as they stand.
static void test_examples_of_the_help_run(void** state) {
  (void)state;
  const char *runs[] = {"run", "check", "info", "dynamics"}, *shows[] = {"view", "render", "convert", "problem", "experiment", "bench"};
  char call[64];
  for (size_t i = 0; i < sizeof runs / sizeof *runs; ++i) {
    snprintf(call, sizeof call, "%s --help", runs[i]);
    assert_works(call);
    char* help = strdup(standard_output); // the examples write there too
    assert_at_least(each_example(help, run_example), 2);
    free(help);
  }
  for (size_t i = 0; i < sizeof shows / sizeof *shows; ++i) {
    snprintf(call, sizeof call, "%s --help", shows[i]);
    assert_works(call);
    assert_at_least(each_example(standard_output, ignore), 2);
  }
}

// On a terminal a long run shows how far it is and how long it still takes.
static void test_progress_tells_the_remaining_time(void** state) {
  (void)state;
  write_file("ball.xml", falling_ball);
  const char* said = "";
  for (int seconds = 2; seconds <= 32 && !strstr(said, " min left"); seconds *= 4) { // a busy machine shows it later
    char call[512];
    snprintf(call, sizeof call, "script -qec 'timeout -s INT %d " HOLDFAST " run --time 1e9 ball.xml' /dev/null >terminal.txt 2>&1 </dev/null", seconds);
    assert_at_least(system(call), 0);
    said = read_file("terminal.txt", standard_output);
  }
  assert_says(said, " of 1e+09 s, ");
  assert_says(said, " min left");
}

static void test_wrong_calls_exit_with_2(void** state) {
  (void)state;
  assert_refused("", 2, "Usage: holdfast VERB");
  assert_refused("fly", 2, "there is no verb \"fly\"");
  assert_refused("run", 2, "which model?");
  assert_refused("run a.xml b.xml", 2, "one model only");
  assert_refused("run --frobnicate a.xml", 2, "unrecognized option '--frobnicate'");
  assert_refused("info --json=yes a.xml", 2, "doesn't allow an argument");
  assert_refused("check --search . --search no-such a.xml", 2, "--search no-such: there is no such folder");
  assert_refused("run --search /dev/null a.xml", 2, "--search /dev/null: there is no such folder");
  assert_refused("experiment no-such", 2, "there is no \"no-such\"");
  assert_refused("bench no-such", 2, "there is no \"no-such\"");
}

static void test_missing_model_exits_with_1(void** state) {
  (void)state;
  const char* verbs[] = {"run", "check", "info", "dynamics", "problem"};
  for (int i = 0; i < 5; ++i) {
    char call[64];
    snprintf(call, sizeof call, "%s not-there.xml", verbs[i]);
    assert_refused(call, 1, "not-there.xml");
  }
}

// Two contacts without friction on a mass of 2 that f pushes down with 10: they share the impulse, and nothing moves.
static void test_problem_is_solved(void** state) {
  (void)state;
  write_file("two.txt", "holdfast-friction-problem 1\nform global\ndim 2\nncontact 2\nnequality 0\nnv 2\nmu 2\n0\n0.5\nf 2\n"
                        "-10\n0\nw 4\n0\n0\n0\n0\nM 2\n0 0 2\n1 1 2\nH 4\n0 0 1\n0 2 1\n1 1 1\n1 3 1\n");
  assert_works("problem two.txt");
  assert_says(standard_output, "global form, 2 contacts of 2 rows");
  assert_says(standard_output, "status: ok; 1 islands");
  assert_works("problem --json two.txt");
  double first = json_value(standard_output, "r", 0), v = json_value(standard_output, "v", 0);
  assert_near(first, 5, 1e-6); // equal shares, because nothing prefers one; the tolerance is 1e-8 of 5 m/s
  assert_near(v, 0, 1e-6);
  assert_refused("problem --tolerance x two.txt", 2, "--tolerance must be a number");
}

// "-", /dev/stdin and pipes of the shell are read as a scene. Its meshes are searched from the current folder, and messages call it by name.
static void test_scene_from_a_pipe(void** state) {
  (void)state;
  write_file("ball.xml", falling_ball);
  write_file("tetra.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
  write_file("meshed.xml", "<mujoco><asset><mesh name='m' file='tetra.obj'/></asset><worldbody><body><freejoint/><geom type='mesh' mesh='m'/></body>"
                           "</worldbody></mujoco>");
  write_file("broken.xml", "<mujoco>\n<worldbody>\n</mujoco>");
  assert_works("check - <ball.xml");
  assert_says(standard_output, "standard input: 1 bodies, 1 joints");
  assert_works("check /dev/stdin <meshed.xml");
  assert_works("run - --time 0.01 --log log.csv <ball.xml");
  assert_works("info - <ball.xml");
  assert_works("dynamics - <ball.xml");
  assert_works("convert - ball.hfm <ball.xml");
  assert_works("convert - again.xml <ball.xml");
  assert_works("check again.xml");
  assert_works("check - <ball.hfm"); // a saved model
  assert_works("check ball.hfm --floating --kp 5");
  assert_says(standard_output, "ball.hfm: warning: option floating_base (--floating) cannot act: it is for URDF, and this is a saved model");
  assert_says(standard_output, "; 2 warnings");
  assert_int_equal(system("mkfifo pipe && (cat ball.xml >pipe &)"), 0);
  assert_works("check pipe");
  assert_says(standard_output, "pipe: 1 bodies");
  assert_int_equal(system("head -c 2000 ball.hfm >cut.hfm && printf 'HFMODEL\\0\\377\\0\\0\\0' >other.hfm && tail -c +13 ball.hfm >>other.hfm"), 0);
  assert_refused("check - <cut.hfm", 1, "standard input: cut short");
  assert_refused("check cut.hfm", 1, "cut.hfm: cut short");
  assert_refused("check - <other.hfm", 1, "standard input: model block of version 255, this library reads");
  assert_refused("check other.hfm", 1, "other.hfm: model block of version 255, this library reads");
  assert_refused("convert ball.hfm back.xml", 1, "ball.hfm: a saved model has no definitions");
  assert_refused("convert - back.xml <ball.hfm", 1, "standard input: a saved model has no definitions");
  assert_refused("run - <broken.xml", 1, "standard input:3:");
  assert_refused("run - </dev/null", 1, "standard input is empty: it should hold a model");
  assert_refused("convert - x.mcap <ball.xml", 2, "-: a recording is read from a file, not from a pipe");
  assert_refused("render - --follow ball -o x.png <ball.xml", 2, "give a file");
}

// The ending of a name says what the file is: if something else would be written, the command refuses the name before it works.
static void test_endings_of_names(void** state) {
  (void)state;
  write_file("ball.xml", falling_ball);
  assert_refused("render ball.xml -o x.gif", 2, "-o x.gif: no .gif is written here; let the name end in .png, .jpg, .jpeg or .webp");
  assert_refused("render ball.xml -o x.picture", 2, "-o x.picture: no .picture is written here");
  assert_refused("render ball.xml --video x.gif", 2, "--video x.gif: no .gif is written here; let the name end in .mp4");
  assert_refused("run ball.xml --log x.json", 2, "--log x.json: no .json is written here; let the name end in .csv");
  assert_refused("run ball.xml --contacts x.xlsx", 2, "--contacts x.xlsx");
  assert_refused("run ball.xml --steps x.html", 2, "--steps x.html");
  assert_refused("run ball.xml --record x.mcap", 2, "--record x.mcap: no .mcap is written here; let the name end in .rec");
  assert_refused("run ball.xml --report x.pdf", 2, "--report x.pdf: no .pdf is written here; let the name end in .html");
  assert_refused("run ball.xml --log -", 2, "--log -: the name of a file is needed; for standard output write /dev/stdout");
  assert_works("run ball.xml --time 0.01 --log .hidden --contacts run.of.tuesday --record run --report X.HTML --steps /dev/null");
}

// Where nothing can be written is said before a browser draws for minutes or a world is played with that cannot be saved.
static void test_folders_that_are_not_there(void** state) {
  (void)state;
  write_file("ball.xml", falling_ball);
  assert_refused("render ball.xml -o nowhere/x.png", 1, "-o nowhere/: nothing can be written there: No such file or directory");
  assert_refused("render ball.xml --video x.mp4 --time 2 --until 1", 2, "--until 1 is before --time 2");
  assert_refused("render ball.xml --video x.mp4 --time 7", 2, "--until 5 is before --time 7");
  // Nothing is simulated before the length of the video is known to be possible: this would take days.
  assert_refused("render ball.xml --video x.mp4 --until 1e9", 2, "a video of 3e+10 pictures: it has 1 to 100000");
  assert_refused("render ball.xml --video x.mp4 --until 1e300", 2, "a video of 3e+301 pictures: it has 1 to 100000");
  assert_refused("render ball.xml --video /dev/null", 2, "--video /dev/null: a video is written to a file, not to a pipe or a device");
  assert_refused("render ball.xml --video ball.xml/x.mp4", 1, "--video ball.xml/: nothing can be written there: Not a directory");
  assert_refused("view ball.xml --out nowhere", 1, "--out nowhere: nothing can be written there: No such file or directory");
  assert_refused("view ball.xml --out ball.xml", 1, "--out ball.xml: nothing can be written there: Not a directory");
}

// An option that the method does not have is no silent wish.
static void test_options_that_cannot_act(void** state) {
  (void)state;
  write_file("ball.xml", falling_ball);
  assert_refused("run ball.xml --newton quasi", 2, "option continuous.newton = quasi cannot act: it belongs to the methods \"implicit-euler\" and \"sdirk\"");
  assert_refused("run ball.xml --contact-mode rigid", 2, "option switching.contact_mode = rigid cannot act");
  assert_refused("run ball.xml --method mlcp --friction regularised", 2, "option friction = regularised cannot act: method \"mlcp\" has Coulomb's friction");
  assert_works("run ball.xml --method mlcp --friction coulomb --time 0.01");
  assert_refused("run ball.xml --record-interval 0.1", 2, "--record-interval is that of --record FILE, which is missing");
  assert_refused("render ball.xml -o x.png --fps 10", 2, "--until, --fps and --speed are those of --video");
  assert_works("run ball.xml --time 0.01 --record ball.rec");
  assert_refused("render ball.rec -o x.png --method rk3", 2, "ball.rec is a recording: --method is for a scene");
  assert_refused("view ball.rec --step 0.001", 2, "ball.rec is a recording, which is shown as it is");
  assert_works("check ball.xml --floating --kp 3");
  assert_says(standard_output, "warning: option floating_base (--floating) cannot act: it is for URDF\n");
  assert_says(standard_output, "warning: option servo_kp (--kp) cannot act: it is for URDF and SDFormat");
  write_file("robot.urdf", "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>");
  assert_works("check robot.urdf --floating --kp 3 --merge-fixed --actuators none");
  assert_int_equal(system("echo '<robot name=\"r\"/>' >semantic"), 0);
  assert_works("check robot.urdf --srdf semantic");
  assert_refused("run robot.urdf --srdf semantic --log semantic", 2, "--srdf and --log are the same file: semantic");
  assert_refused("convert robot.urdf semantic.xml --srdf semantic.xml", 2, "--srdf and what is written are the same file");
  assert_refused("check robot.urdf --srdf nowhere", 1, "cannot read nowhere: No such file or directory");
  if (strstr(standard_output, "cannot act")) fail_msg("%s", standard_output);
}

static void test_full_standard_output_is_noticed(void** state) {
  (void)state;
  write_file("ball.xml", falling_ball);
  const char* calls[] = {"info ball.xml", "info --json ball.xml", "dynamics --json ball.xml",
                         "run --time 0.1 ball.xml"};
  for (int i = 0; i < 4; ++i) {
    char command[512];
    snprintf(command, sizeof command, HOLDFAST " %s >/dev/full 2>stderr.txt", calls[i]);
    assert_int_equal(WEXITSTATUS(system(command)), 1);
    assert_says(read_file("stderr.txt", standard_error), "cannot write to standard output");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_help_and_version), cmocka_unit_test(test_study_without_its_package),
      cmocka_unit_test(test_examples_of_the_help_run),
      cmocka_unit_test(test_progress_tells_the_remaining_time),
      cmocka_unit_test(test_wrong_calls_exit_with_2),
      cmocka_unit_test(test_missing_model_exits_with_1),
      cmocka_unit_test(test_problem_is_solved),
      cmocka_unit_test(test_full_standard_output_is_noticed),
      cmocka_unit_test(test_scene_from_a_pipe),
      cmocka_unit_test(test_endings_of_names),
      cmocka_unit_test(test_folders_that_are_not_there),
      cmocka_unit_test(test_options_that_cannot_act),
  };
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
