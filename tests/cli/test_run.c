// The verb run: results are compared with closed forms, files must have their formats, and every failure has its message and
// exit status.
#include "cli/command.h"
#include "cli/scenes.h"

#include <math.h>
#include <signal.h>

static char text[TEXT_SIZE];

static int write_scenes(void** state) {
  if (enter_folder(state) != 0) return -1;
  write_file("ball.xml", falling_ball);
  write_file("rest.xml", resting_ball);
  write_file("machine.xml", machine);
  write_file("wall.xml", driven_into_a_wall);
  return 0;
}

static void assert_begins(const char* s, const char* start) {
  char* found = strstr(s, start);
  assert_ptr_equal(found, s);
}

static int count_lines(const char* s) {
  int count = 0;
  for (; (s = strchr(s, '\n')); ++s) ++count;
  return count;
}

static const char* last_line(char* s) {
  size_t n = strlen(s);
  assert_above(n, 0);
  assert_true(s[n - 1] == '\n');
  s[n - 1] = '\0';
  char* newline = strrchr(s, '\n');
  return newline ? newline + 1 : s;
}

// Reads the numbers of a CSV row.
static int split_row(const char* row, double* value, int capacity) {
  int n = 0;
  for (char* end; n < capacity; row = end + 1) {
    value[n++] = strtod(row, &end);
    if (*end != ',') break;
  }
  return n;
}

// A free joint without a name is called like its body in the log and in the summary, unless a joint has that name.
static void test_log_names_free_bodies(void** state) {
  (void)state;
  assert_works("run rest.xml --time 0.01 --log rest.csv");
  assert_says(standard_output, "\n  ball                 free ");
  assert_begins(read_file("rest.csv", text), "time,q[ball.x],q[ball.y],q[ball.z],q[ball.qw],q[ball.qx],q[ball.qy],q[ball.qz],v[ball.vx],");
  write_file("same.xml", "<mujoco><worldbody><body name='ball'><freejoint/><geom size='.1'/></body><body><joint name='ball'/><geom size='.1' pos='1 0 0'/></body></worldbody></mujoco>");
  assert_works("run same.xml --time 0.01 --log same.csv");
  assert_begins(read_file("same.csv", text), "time,q[#0.x],");
  assert_says(standard_output, "\n  #0                   free ");
  assert_says(standard_output, "\n  ball                 hinge");
}

// Free fall is exact: v = -g t, z = z_0 - g t^2/2. Rounding only.
static void test_free_fall(void** state) {
  (void)state;
  assert_works("run ball.xml --time 0.5 --json --log fall.csv");
  assert_json();
  assert_near(json_value(standard_output, "steps", 0), 50, 0);
  assert_near(json_value(standard_output, "time", 0), 0.5, 1e-12);
  assert_near(json_value(standard_output, "qpos", 2), 1 - 9.81 * 0.5 * 0.5 / 2, 1e-12);
  assert_near(json_value(standard_output, "qvel", 2), -9.81 * 0.5, 1e-12);
  double row[16];
  read_file("fall.csv", text);
  assert_begins(text, "time,q[fly.x],q[fly.y],q[fly.z],q[fly.qw],q[fly.qx],q[fly.qy],q[fly.qz],"
                      "v[fly.vx],v[fly.vy],v[fly.vz],v[fly.wx],v[fly.wy],v[fly.wz]\n");
  assert_int_equal(count_lines(text), 1 + 50);
  assert_int_equal(split_row(last_line(text), row, 16), 14);
  // 17 digits: the log has the very bits of the JSON.
  assert_true(row[0] == json_value(standard_output, "time", 0) &&
              row[3] == json_value(standard_output, "qpos", 2));
}

// A third-order method is exact for a parabola.
static void test_free_fall_in_continuous_time(void** state) {
  (void)state;
  assert_works("run ball.xml --time 0.5 --json --method rk3");
  assert_near(json_value(standard_output, "qpos", 2), 1 - 9.81 * 0.25 / 2, 1e-12);
  assert_at_least(json_value(standard_output, "evaluations", 0), 150); // three stages, 50 steps
  assert_works(
      "run ball.xml --time 0.5 --method implicit-euler --newton full --tals off --jacobian fd");
  assert_says(standard_output, "integrator ");
}

static void test_summary_for_people(void** state) {
  (void)state;
  assert_works("run machine.xml --time 0.1 --step 0.005");
  assert_says(standard_output, "step 0.005 s");
  assert_says(standard_output, "simulated       0.1 s in 20 steps");
  assert_says(standard_output, "times real time");
  assert_says(standard_output, "Final state at 0.1 s");
  assert_says(standard_output, "hinge");
  assert_string_equal(standard_error, "");
}

// A plate on two slides lies on 36 tiles with 144 corners; a state of this model remembers 20 contacts.
static void test_forgotten_friction_is_reported(void** state) {
  (void)state;
  write_file("tiles.xml",
             "<mujoco><worldbody><replicate count='6' offset='.1 0 0'><replicate count='6' offset='0 .1 0'><geom type='box' size='.05 .05 .05' pos='-.25 -.25 -.05'/>"
             "</replicate></replicate><body><joint type='slide' axis='1 0 0'/><geom size='.01' pos='0 0 1' mass='1'/>"
             "<body pos='0 0 .0099'><joint type='slide' axis='0 0 1'/><geom type='box' size='.3 .3 .01'/></body></body></worldbody></mujoco>");
  assert_works("run tiles.xml --time 0.02");
  assert_says(standard_output, "forgotten       friction of contacts that a state has no room to remember");
  assert_works("run tiles.xml --time 0.02 --json");
  assert_above(json_value(standard_output, "steps_forgetting_friction", 0), 0);
}

// A force f on 2 kg for t: v = f t/m.
static void test_controls_held(void** state) {
  (void)state;
  assert_works("run machine.xml --time 0.2 --json --ctrl 6");
  assert_near(json_value(standard_output, "qvel", 0), 6 * 0.2 / 2, 1e-12);
  assert_works("run machine.xml --time 0.2 --json --keyframe raised");
  assert_near(json_value(standard_output, "qvel", 0), 1 + 3 * 0.2 / 2, 1e-12);
}

// Controls that are given win over the scene's signal, which acts without them: v = f t/m of 1 N, 5 N and 7 N on 1 kg.
static void test_controls_win_over_signals(void** state) {
  (void)state;
  write_file("driven.xml", "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='x' type='slide'/><geom size='.1' mass='1'/></body></worldbody>"
                           "<actuator><motor name='push' joint='x'/></actuator><custom><text name='hf.signal.push' data='constant 1'/></custom></mujoco>");
  write_file("seven.csv", "time,push\n0,7\n");
  assert_works("run driven.xml --time 0.2 --json");
  assert_near(json_value(standard_output, "qvel", 0), 0.2, 1e-12);
  assert_works("run driven.xml --time 0.2 --json --ctrl 5");
  assert_near(json_value(standard_output, "qvel", 0), 5 * 0.2, 1e-12);
  assert_works("run driven.xml --time 0.2 --json --controls seven.csv");
  assert_near(json_value(standard_output, "qvel", 0), 7 * 0.2, 1e-12);
}

// Rows hold until the next: 0 N until 0.05 s, 2 N until 0.1 s, then 10 N.
static void test_controls_from_a_file(void** state) {
  (void)state;
  write_file("push.csv", "time,push\n0.05,2\n0.1,10\n");
  assert_works("run machine.xml --time 0.2 --json --controls push.csv --log log.csv");
  assert_near(json_value(standard_output, "qvel", 0), (2 * 0.05 + 10 * 0.1) / 2, 1e-12);
  double row[8];
  read_file("log.csv", text);
  assert_int_equal(split_row(last_line(text), row, 8), 1 + 2 + 2 + 1);
  assert_near(row[5], 10, 0);
  write_file("bad.csv", "time,push\n0,1\n0.1,x\n");
  assert_refused("run machine.xml --controls bad.csv", 1, "bad.csv:3");
  write_file("bad.csv", "time,pull\n0,1\n");
  assert_refused("run machine.xml --controls bad.csv", 1, "pull");
  write_file("bad.csv", "time,push\n1,1\n0.5,1\n");
  assert_refused("run machine.xml --controls bad.csv", 1, "bad.csv:3");
  write_file("bad.csv", "time,push\n1,1,1\n");
  assert_refused("run machine.xml --controls bad.csv", 1, "bad.csv:2");
  write_file("bad.csv", "");
  assert_refused("run machine.xml --controls bad.csv", 1, "bad.csv");
  assert_refused("run machine.xml --controls none.csv", 1, "none.csv");
}

// A log plays its controls back: the run is the same to the last bit.
static void test_controls_from_a_log(void** state) {
  (void)state;
  static char first[TEXT_SIZE];
  write_file("push.csv", "time,push\n0,-1\n0.05,2\n0.1,10\n");
  assert_works("run machine.xml --time 0.2 --controls push.csv --log log.csv --log-forces");
  read_file("log.csv", first);
  assert_works("run machine.xml --time 0.2 --controls log.csv --log again.csv --log-forces");
  read_file("again.csv", text);
  assert_string_equal(text, first);
}

// Three steps of 5 ms are shorter than the interval of 1/60 s: the end of the run is in the recording all the same.
static void test_recording_ends_with_the_run(void** state) {
  (void)state;
  hfRecording* recording = NULL;
  hfError error = {HF_OK, ""};
  assert_works("run machine.xml --time 0.015 --step 0.005 --ctrl 6 --record end.rec");
  assert_int_equal(hf_recording_read(&recording, "end.rec", &error), HF_OK);
  assert_int_equal(hf_recording_frame_count(recording), 2);
  hfFrame last = hf_recording_frame(recording, 1);
  assert_near(last.time, 0.015, 1e-15);
  assert_near((double)last.v[0], 6 * 0.015 / 2, 1e-8); // single precision
  hf_recording_free(recording);
}

// At rest the floor carries the ball: fn = m g. After 2 s what is left of the drop is far below
// 1e-6.
static void test_contact_log(void** state) {
  (void)state;
  assert_works("run rest.xml --time 2 --json --contacts contacts.csv");
  read_file("contacts.csv", text);
  assert_begins(text, "time,geom_a,geom_b,body_a,body_b,x,y,z,nx,ny,nz,depth,fn,ftx,fty,ftz,vtx,vty,vtz,stick\n");
  double time, x, y, z, nx, ny, nz, depth, fn;
  char geom_a[32], geom_b[32], body_a[32], body_b[32];
  const char* row = last_line(text);
  assert_int_equal(sscanf(row, "%lf,%31[a-z],%31[a-z],%31[a-z],%31[a-z],%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", &time,
                          geom_a, geom_b, body_a, body_b, &x, &y, &z, &nx, &ny, &nz, &depth, &fn),
                   13);
  assert_near(time, 2, 1e-9);
  int skin_is_a = strcmp(geom_a, "skin") == 0;
  assert_string_equal(skin_is_a ? geom_b : geom_a, "floor");
  assert_string_equal(skin_is_a ? body_a : body_b, "ball");
  assert_string_equal(skin_is_a ? body_b : body_a, "world");
  assert_near(nz, skin_is_a ? 1 : -1, 1e-12); // from B into A
  assert_near(fn, 9.81, 1e-6);
  assert_above(depth, 0);
  assert_below(fabs(z), 1e-4);
  assert_near(json_value(standard_output, "fn", 0), fn, 0);
  assert_says(standard_output, "\"pairs\": [{");
}

// A cart of 2 kg under a force of 3 N: v = 1 + 1.5 t from the keyframe; the sensor measures its place, the body stands there too.
static void test_log_columns(void** state) {
  (void)state;
  double row[32];
  assert_works("run machine.xml --time 0.2 --keyframe raised --log all.csv --log-sensors --log-forces --log-body cart");
  read_file("all.csv", text);
  assert_begins(text, "time,q[rail],q[hinge],v[rail],v[hinge],u[push],f[push],s[place],p[cart.x],p[cart.y],p[cart.z],p[cart.qw],p[cart.qx],"
                      "p[cart.qy],p[cart.qz]\n");
  assert_int_equal(split_row(last_line(text), row, 32), 15);
  assert_near(row[3], 1 + 1.5 * 0.2, 1e-12);
  assert_near(row[6], 3, 0);
  assert_near(row[7], row[1], 1e-15);
  assert_near(row[8], row[1], 1e-15);
  assert_near(row[11], 1, 1e-15);
  assert_refused("run machine.xml --log x.csv --log-body dog", 2, "the model has no body \"dog\"");
  assert_refused("run machine.xml --log-sensors", 2, "add to --log FILE.csv");
}

static const char spinning[] = "<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody>"
                               "<keyframe><key qvel='0 0 0 1 6 2'/></keyframe></mujoco>";

// The quaternion of a body in the log is that of its joint: it turns on where its real part passes zero, as after half a turn. A body without a name is
// called by its number.
static void test_logged_quaternions_are_continuous(void** state) {
  (void)state;
  double row[32];
  write_file("spin.xml", spinning);
  assert_works("run spin.xml --keyframe '#0' --time 2 --log spin.csv --log-body '#1'");
  read_file("spin.csv", text);
  assert_says(text, "p[#1.x],p[#1.y],p[#1.z],p[#1.qw]");
  int rows = 0, negative = 0;
  for (char* line = strchr(text, '\n'); line && line[1]; line = strchr(line + 1, '\n'), ++rows) {
    assert_int_equal(split_row(line + 1, row, 32), 1 + 7 + 6 + 7);
    negative += row[4] < 0;
    for (int k = 0; k < 7; ++k) assert_near(row[14 + k], row[1 + k], 1e-15);
  }
  assert_above(rows, 900);
  assert_above(negative, 100);
}

static const char overlapping[] =
    "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/><body name='ball'><freejoint/><geom size='0.1'/></body>"
    "</worldbody><keyframe><key name='home' qpos='0 0 0.1 1 0 0 0'/></keyframe></mujoco>";

// A start inside the floor is worth a word; the keyframe itself is not.
// ./demo finds its two columns in the log by name. Where it does not, awk takes each of them for the whole line and the slip is 0. The experiment
// tamsi-gripper, which measures the slip in the states themselves, has 2.84 mm.
static void test_slip_of_the_demo(void** state) {
  (void)state;
  assert_int_equal(system("mkdir -p out/demo"), 0);
  assert_works("run " HF_SOURCE_DIR "/models/gripper_mug.xml --keyframe rim --time 5 --log out/demo/motion.csv");
  assert_int_equal(system("sed -n '/^slip=/,/motion.csv)$/p' " HF_SOURCE_DIR "/demo >slip.sh && echo 'echo $slip' >>slip.sh && "
                          "sh slip.sh >slip.txt"),
                   0);
  assert_near(strtod(read_file("slip.txt", standard_output), NULL), 2.84, 0.2);
}

static void test_overlap_at_the_start(void** state) {
  (void)state;
  write_file("inside.xml", overlapping);
  assert_works("run inside.xml --time 0.01");
  assert_says(standard_error, "bodies overlap at the start, world and ball by 0.1 m; try a keyframe of the model: --keyframe home");
  assert_works("run inside.xml --time 0.01 --keyframe home");
  assert_string_equal(standard_error, "");
  char without[sizeof overlapping];
  snprintf(without, sizeof without, "%.*s</mujoco>", (int)(strstr(overlapping, "<keyframe>") - overlapping), overlapping);
  write_file("bare.xml", without);
  assert_works("run bare.xml --time 0.01");
  assert_says(standard_error, "bodies overlap at the start, world and ball by 0.1 m; if they are meant to, exclude their contact (MJCF: exclude");
}

// A card of 1 mm sinks into a floor that is too soft for it. With the default stiffness it does not.
static void test_deeper_than_thick(void** state) {
  (void)state;
  static const char card[] = "<mujoco><worldbody><geom type='plane' size='1 1 .1' %s/><body name='card' pos='0 0 .05'><freejoint/>"
                             "<geom type='box' size='.05 .05 .0005' mass='.01' %s/></body></worldbody></mujoco>";
  char scene[sizeof card + 80];
  snprintf(scene, sizeof scene, card, "solref='-100 -1'", "solref='-100 -1'");
  write_file("card.xml", scene);
  holdfast("run card.xml --time 0.3");
  assert_says(standard_error, "but is only 0.001 m thick there: their contact is too soft (MJCF: solref, hf.stiffness)");
  assert_says(standard_error, "body card lies ");
  snprintf(scene, sizeof scene, card, "", "");
  write_file("card.xml", scene);
  assert_works("run card.xml --time 0.3");
  assert_string_equal(standard_error, "");
}

static void test_unknown_names_are_listed(void** state) {
  (void)state;
  assert_refused("run machine.xml --keyframe lowered", 2, "it has:\n  raised\n");
  assert_refused("view machine.xml --keyframe lowered", 2, "it has:\n  raised\n");
  assert_refused("run machine.xml --set solver.tolerence=1", 2, "  solver.tolerance\n");
}

// A model that comes with the command is found from any folder.
static void test_shipped_models(void** state) {
  (void)state;
  assert_works("info models/mug.xml");
  assert_works("convert models/mug.xml shipped.xml");
  assert_works("check shipped.xml");
  assert_works("check examples/ros/table.xml");
  assert_refused("info models/no_mug.xml", 1, "models/no_mug.xml");
}

static void test_recording_and_report(void** state) {
  (void)state;
  assert_works("run rest.xml --time 0.5 --record rest.rec --report rest.html");
  hfRecording* recording = NULL;
  hfError error = {HF_OK, ""};
  assert_int_equal(hf_recording_read(&recording, "rest.rec", &error), HF_OK);
  int count = hf_recording_frame_count(recording);
  assert_at_least(count, 30); // 60 a second, the start included
  assert_at_most(count, 31);
  assert_string_equal(hf_recording_scene(recording), "rest.xml");
  hfFrame first = hf_recording_frame(recording, 0), last = hf_recording_frame(recording, count - 1);
  assert_near(first.time, 0, 0);
  assert_near(first.pose[7 + 2], 0.1, 1e-8);
  assert_near(last.time, 0.5, 0.018);
  assert_int_equal(last.ncontact, 1);
  assert_near(fabs((double)last.contact[0].fn), 9.81, 1e-2);
  hf_recording_free(recording);
  // What the page shows is tested in a browser (tests/view).
  assert_int_equal(system("head -c 15 rest.html | grep -q '<!DOCTYPE html>'"), 0);
  assert_int_equal(system("grep -q 'rest.xml</title>' rest.html"), 0);
  const char* content = hf_report_replays() ? "grep -q 'id=\"recording\">H4sI' rest.html"
                                            : "grep -q '<polyline' rest.html";
  assert_int_equal(system(content), 0);
}

static void test_bad_options(void** state) {
  (void)state;
  assert_refused("run ball.xml --time soon", 2, "--time soon");
  assert_refused("run ball.xml --time=-1", 2, "--time -1");
  assert_refused("run ball.xml --time nan", 2, "--time nan");
  assert_refused("run ball.xml --step=-0.1", 2, "step");
  assert_refused("run ball.xml --time 0.01 --log ''", 1, "\"\": cannot write");
  assert_refused("run ball.xml --step=1e-320", 2, "a step of 9.99989e-321 s is too short for a run of 5 s");
  assert_refused("run ball.xml --method guess", 2, "guess");
  assert_refused("run ball.xml --friction guess", 2, "guess");
  assert_refused("run ball.xml --method mlcp --accuracy 1e-3", 2, "option accuracy = 0.001 cannot act");
  assert_refused("run ball.xml --method rk3 --sleep on", 2, "option sleep");
  assert_refused("run ball.xml --set nothing=1", 2, "nothing");
  assert_refused("run ball.xml --set step", 2, "expected FIELD=VALUE");
  assert_refused("run ball.xml --qpos 'nan 0 0 1 0 0 0'", 2, "--qpos");
}

static void test_set_reaches_the_configuration(void** state) {
  (void)state;
  assert_works("run ball.xml --time 0.1 --json --set step=0.02 --set solver.tolerance=1e-6");
  assert_near(json_value(standard_output, "steps", 0), 5, 0);
}

// Two balls on a floor with room for one contact: one contact is dropped in every one of the ten steps.
static void test_dropped_contacts_are_a_failure(void** state) {
  (void)state;
  write_file("two.xml", "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='1 1 1'/>"
                        "<body pos='0 0 .1'><freejoint/><geom size='.1'/></body>"
                        "<body pos='1 0 .1'><freejoint/><geom size='.1'/></body></worldbody></mujoco>");
  assert_works("run two.xml --time 0.02 --json");
  assert_int_equal(holdfast("run two.xml --time 0.02 --json --set max_contacts=1"), 1);
  assert_says(standard_error, "10 contacts found no room");
  assert_says(standard_error, "max_contacts");
  assert_near(json_value(standard_output, "dropped_contacts", 0), 10, 0);
  assert_near(json_value(standard_output, "steps", 0), 10, 0); // the run is complete all the same
}

// A free box turns with all its rates different. With inertial forces taken explicitly a step of 20 ms multiplies its energy by
// about 1 + (h w)^2 = 3; the default keeps it.
static void test_energy_from_nowhere_is_a_failure(void** state) {
  (void)state;
  write_file("spin.xml", "<mujoco><option timestep='0.02' gravity='0 0 0'/><worldbody><body><freejoint/>"
                         "<geom type='box' size='.1 .2 .4' mass='1'/></body></worldbody>"
                         "<keyframe><key name='go' qvel='0 0 0 40 50 30'/></keyframe></mujoco>");
  assert_works("run spin.xml --keyframe go --time 0.1 --json");
  assert_near(json_value(standard_output, "gained_energy", 0), 0, 0);
  assert_int_equal(holdfast("run spin.xml --keyframe go --time 0.1 --json --set gyroscopic=0"), 1);
  assert_says(standard_error, "energy");
  assert_above(json_value(standard_output, "gained_energy", 0), 1);
  assert_at_least(json_value(standard_output, "steps_gaining_energy", 0), 1);
  assert_near(json_value(standard_output, "steps", 0), 5, 0); // the run is complete all the same
}

// A slide of 1 kg that starts 3 cm beyond its limit, and a connect whose points start 5 cm apart.
static const char violated[] = "<mujoco><option timestep='0.002' gravity='0 0 0'/><worldbody><body><joint name='rail' type='slide' range='-1 1'/><geom size='.1' mass='1'/></body>"
                               "<body name='ball' pos='0 3 0'><freejoint/><geom size='.1' mass='1'/></body></worldbody>"
                               "<equality><connect name='tie' body1='ball' anchor='0 0 0'/></equality><keyframe><key name='off' qpos='1.03 .05 3 0 1 0 0 0'/></keyframe></mujoco>";

static void test_violations_are_reported(void** state) {
  (void)state;
  write_file("violated.xml", violated);
  assert_works("run violated.xml --time 0.1");
  assert_true(!strstr(standard_output, "equalities ") && !strstr(standard_output, "limits "));
  assert_works("run violated.xml --keyframe off --time 0.1 --steps violated.csv");
  assert_says(standard_output, " m (equality tie of bodies ball and world, at 0.002 s; ");
  assert_says(standard_output, " m (joint rail, at 0.002 s; ");
  read_file("violated.csv", text);
  double row[14];
  assert_int_equal(split_row(strchr(text, '\n') + 1, row, 14), 14);
  assert_near(row[10], 0.05 - 0.001, 1e-5); // The first step closes both at the release speed of 0.5 m/s.
  assert_near(row[12], 0.03 - 0.001, 1e-5);
  assert_works("run violated.xml --keyframe off --time 0.1 --json");
  assert_says(standard_output, "\"tie\"");
  assert_says(standard_output, "\"rail\"");
}

// Two balls of 1 g under 1000 kg that swing: no step of 10 ms holds them. Nor does a limit hold a link of 0.1 g against 10 N m.
static void test_letting_go_is_a_failure(void** state) {
  (void)state;
  write_file("chain.xml", "<mujoco><option timestep='0.01'/><worldbody><body name='a'><freejoint/><geom size='.02' mass='.001' contype='0' conaffinity='0'/></body>"
                          "<body name='b' pos='0 0 -.04'><freejoint/><geom size='.02' mass='.001' contype='0' conaffinity='0'/></body>"
                          "<body name='load' pos='.1 0 -.2'><freejoint/><geom size='.05' mass='1000' contype='0' conaffinity='0'/></body></worldbody>"
                          "<equality><connect name='top' body1='a' anchor='0 0 .02'/><connect name='middle' body1='b' body2='a' anchor='0 0 .02'/>"
                          "<connect name='low' body1='load' body2='b' anchor='-.1 0 .14'/></equality></mujoco>");
  assert_int_equal(holdfast("run chain.xml --time 2 --json"), 1);
  assert_says(standard_error, "lets go at");
  assert_above(json_value(standard_output, "steps_letting_go", 0), 0);
  assert_says(standard_output, "\"kind\": \"equality\"");
  write_file("past.xml", "<mujoco><worldbody><body><joint name='elbow' axis='0 1 0' range='-30 30'/><geom size='.01' mass='1e-4'/></body></worldbody>"
                         "<actuator><motor joint='elbow' gear='10'/></actuator><keyframe><key name='on' ctrl='1'/></keyframe></mujoco>");
  assert_int_equal(holdfast("run past.xml --keyframe on --time 0.1"), 1);
  assert_says(standard_error, "limit of joint elbow lets go at 0.002 s");
  assert_says(standard_error, "take a shorter step, or give the bodies that it holds more mass or armature");
  assert_says(standard_output, "limit of joint elbow first, at 0.002 s; in 50 steps in all");
  // The same with a ball of the world that overlaps the arm by 15 mm.
  write_file("jammed.xml", "<mujoco><worldbody><geom size='.01' pos='0 .005 0'/><body><joint name='elbow' axis='0 1 0' range='-30 30'/><geom size='.01' mass='1e-4'/></body>"
                           "</worldbody><actuator><motor joint='elbow' gear='10'/></actuator><keyframe><key name='on' ctrl='1'/></keyframe></mujoco>");
  assert_int_equal(holdfast("run jammed.xml --keyframe on --time 0.1"), 1);
  assert_says(standard_error, "bodies overlap by up to 0.015 m and may force it");
  assert_int_equal(holdfast("run past.xml --keyframe on --time 0.1 --json"), 1);
  assert_near(json_value(standard_output, "steps_letting_go", 0), 50, 0);
  assert_says(standard_output, "\"elbow\"");
}

// The longest step is said beside the median. Oracle: the longest is the largest of the steps, so not less than the median, and
// no longer than all steps together.
static void test_longest_step_is_reported(void** state) {
  (void)state;
  assert_works("run ball.xml --time 0.5");
  assert_says(standard_output, "longest step");
  assert_says(standard_output, "times the median of");
  assert_works("run ball.xml --time 0.5 --json");
  double longest = json_value(standard_output, "longest_step", 0), median = json_value(standard_output, "median_step", 0);
  assert_above(median, 0);
  assert_at_least(longest, median);
  assert_at_most(longest, json_value(standard_output, "wall_time", 0));
}

// The gap of 0.4 m closes at 1 m/s. The run ends with the last step that was taken: at 0.40 s, or one step earlier
// where rounding puts the wall within that step's reach.
static void test_a_run_that_stands_still_ends(void** state) {
  (void)state;
  const char* call = "run wall.xml --method mlcp --keyframe go --time 1 --set drive_law=constraint --log wall.csv";
  assert_int_equal(holdfast(call), 1);
  assert_says(standard_error, "the step was not taken (no solution)");
  assert_says(standard_error, "--set mlcp.fallback=1");
  assert_says(standard_error, "--set mlcp.tikhonov=1e-6");
  read_file("wall.csv", text);
  int rows = count_lines(text) - 1;
  assert_true(rows == 39 || rows == 40);
  double row[3];
  assert_int_equal(split_row(last_line(text), row, 3), 3);
  assert_near(row[0], 0.01 * rows, 1e-9); // times add up with rounding
}

// At 1e17 s numbers are 16 s apart: no step of the scene advances the time.
static void test_a_time_without_room_for_a_step(void** state) {
  (void)state;
  write_file("late.xml", "<mujoco><worldbody><body><joint name='x' type='slide'/><geom size='.1' mass='1'/></body></worldbody>"
                         "<keyframe><key name='late' time='1e17'/></keyframe></mujoco>");
  assert_int_equal(holdfast("run late.xml --keyframe late --time 1"), 1);
  assert_says(standard_error, "the time of the state, 1e+17 s, is too large: a step of 0.002 s would end at the same number");
  assert_int_equal(holdfast("run late.xml --keyframe late --time 0"), 0);
}

static void test_unwritable_files_are_refused_before_the_run(void** state) {
  (void)state;
  const char* options[] = {"--log", "--contacts", "--record", "--report"};
  for (int i = 0; i < 4; ++i) {
    char call[128];
    snprintf(call, sizeof call, "run ball.xml %s no/such/folder/file", options[i]);
    assert_refused(call, 1, "no/such/folder/file: cannot write: No such file or directory");
  }
}

static void test_a_refused_run_leaves_older_files(void** state) {
  (void)state;
  write_file("old.csv", "old");
  assert_refused("run ball.xml --log old.csv --contacts no/such/folder/file", 1, "no/such/folder/file");
  assert_string_equal(read_file("old.csv", text), "old");
  assert_refused("run missing.xml --log old.csv", 1, "missing.xml");
  assert_string_equal(read_file("old.csv", text), "old");
}

static void test_one_file_in_two_roles_is_refused(void** state) {
  (void)state;
  assert_int_equal(symlink("ball.xml", "link.xml"), 0);
  assert_refused("run ball.xml --log ball.xml", 2, "the scene and --log are the same file: ball.xml");
  assert_refused("run ball.xml --record ./link.xml", 2, "the scene and --record are the same file");
  assert_refused("run ball.xml --log new.csv --contacts ./new.csv", 2, "--log and --contacts are the same file");
  assert_int_equal(symlink("new.csv", "later.csv"), 0);
  assert_refused("run ball.xml --log new.csv --contacts later.csv", 2, "--log and --contacts are the same file");
  assert_string_equal(read_file("ball.xml", text), falling_ball);
  assert_int_equal(access("new.csv", F_OK), -1);
  assert_int_equal(holdfast("run ball.xml --time 0.1 --log /dev/null --contacts /dev/null"), 0);
}

static void test_full_disk_is_reported_by_name(void** state) {
  (void)state;
  const char* options[] = {"--log", "--contacts", "--record", "--report"};
  for (int i = 0; i < 4; ++i) {
    char call[128];
    snprintf(call, sizeof call, "run rest.xml --time 0.1 %s /dev/full", options[i]);
    assert_int_equal(holdfast(call), 1);
    assert_says(standard_error, "/dev/full: cannot write: No space left on device");
    int lines = 0; // one where the run stopped, one where the file was closed
    for (const char* c = standard_error; (c = strstr(c, "cannot write")); ++c) ++lines;
    assert_at_most(lines, 2);
  }
}

// Files may grow to a few kilobytes, then the disk is full: whole rows stay, the other file is
// complete.
static void test_disk_that_fills_up_keeps_whole_rows(void** state) {
  (void)state;
  int status = system(
      "sh -c \"ulimit -f 8; exec " HOLDFAST
      " run ball.xml --time 1 --log full.csv --contacts other.csv\" >stdout.txt 2>stderr.txt");
  assert_int_equal(WEXITSTATUS(status), 1);
  assert_says(read_file("stderr.txt", standard_error), "full.csv: cannot write: File too large");
  read_file("full.csv", text);
  assert_above(count_lines(text), 10);
  double row[16];
  assert_int_equal(split_row(last_line(text), row, 16), 14);
  assert_int_equal(count_lines(read_file("other.csv", text)), 1);
}

// Starts a run that takes long, sends the signal once rows are in the log, and returns the exit
// status.
static int interrupt(int signal_number) {
  remove("long.csv");
  pid_t child = fork();
  assert_at_least(child, 0);
  if (child == 0) {
    assert_non_null(freopen("stdout.txt", "w", stdout));
    assert_non_null(freopen("stderr.txt", "w", stderr));
    execl(HOLDFAST, "holdfast", "run", "ball.xml", "--time", "1e7", "--log", "long.csv", "--report",
          "long.html", (char*)NULL);
    _exit(127);
  }
  for (int i = 0; i < 1000; ++i) {
    usleep(10000);
    FILE* file = fopen("long.csv", "r");
    if (!file) continue;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fclose(file);
    if (size > 2000) break;
  }
  kill(child, signal_number);
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_interrupt_ends_cleanly(void** state) {
  (void)state;
  const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(interrupt(signals[i]), 1);
    assert_says(read_file("stderr.txt", standard_error), "interrupted at");
    assert_says(read_file("stdout.txt", standard_output), "(interrupted)");
    assert_int_equal(system("tail -c 1 long.csv | od -c | grep -q '\\\\n'"), 0);
    assert_int_equal(system("tail -n 1 long.csv | awk -F, '{exit NF != 14}'"), 0);
    assert_int_equal(system("tail -c 64 long.html | grep -q '</html>'"), 0); // the report has megabytes
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_log_columns),
      cmocka_unit_test(test_logged_quaternions_are_continuous),
      cmocka_unit_test(test_slip_of_the_demo),
      cmocka_unit_test(test_overlap_at_the_start), cmocka_unit_test(test_deeper_than_thick),
      cmocka_unit_test(test_unknown_names_are_listed),
      cmocka_unit_test(test_shipped_models),
      cmocka_unit_test(test_log_names_free_bodies),
      cmocka_unit_test(test_free_fall),
      cmocka_unit_test(test_free_fall_in_continuous_time),
      cmocka_unit_test(test_summary_for_people),
      cmocka_unit_test(test_forgotten_friction_is_reported),
      cmocka_unit_test(test_controls_held), cmocka_unit_test(test_controls_win_over_signals),
      cmocka_unit_test(test_controls_from_a_file), cmocka_unit_test(test_controls_from_a_log), cmocka_unit_test(test_recording_ends_with_the_run),
      cmocka_unit_test(test_contact_log),
      cmocka_unit_test(test_recording_and_report),
      cmocka_unit_test(test_bad_options),
      cmocka_unit_test(test_set_reaches_the_configuration),
      cmocka_unit_test(test_dropped_contacts_are_a_failure),
      cmocka_unit_test(test_violations_are_reported), cmocka_unit_test(test_letting_go_is_a_failure),
      cmocka_unit_test(test_energy_from_nowhere_is_a_failure),
      cmocka_unit_test(test_longest_step_is_reported),
      cmocka_unit_test(test_a_run_that_stands_still_ends), cmocka_unit_test(test_a_time_without_room_for_a_step),
      cmocka_unit_test(test_unwritable_files_are_refused_before_the_run),
      cmocka_unit_test(test_a_refused_run_leaves_older_files),
      cmocka_unit_test(test_one_file_in_two_roles_is_refused),
      cmocka_unit_test(test_full_disk_is_reported_by_name),
      cmocka_unit_test(test_disk_that_fills_up_keeps_whole_rows),
      cmocka_unit_test(test_interrupt_ends_cleanly),
  };
  return cmocka_run_group_tests(tests, write_scenes, leave_folder);
}
