// holdfast bench robots: scenes with MuJoCo's contact parameters must rest as they do in MuJoCo, which is the oracle.
#include "cli/command.h"

// Boxes and balls with each kind of cone, friction and dimension of contact; a foot on an arm whose mass matrix is not
// diagonal, and a leg whose impedance rises from almost nothing; everything rests after two seconds.
static const char kBodies[] =
    "<geom type='plane' size='2 2 1' friction='.2'/>"
    "<body pos='0 0 .11'><freejoint/><geom type='box' size='.1 .1 .1' mass='2' friction='.4' solref='.01 1'/></body>"
    "<body pos='1 0 .11'><freejoint/><geom size='.1' mass='3' solimp='.8 .9 .002' condim='1'/></body>"
    "<body pos='0 1 .12'><freejoint/><geom type='box' size='.1 .1 .1' mass='1' condim='4' friction='.8 .02 .001'"
    " solref='-2000 -80'/></body>"
    "<body pos='1 1 .45'><joint name='lift' type='slide' axis='0 0 1'/><geom type='box' size='.1 .05 .05' mass='4' contype='0'"
    " conaffinity='0'/><body pos='.1 0 0'><joint name='hip' axis='0 1 0' stiffness='80' damping='2'/>"
    "<geom type='capsule' fromto='0 0 0 0 0 -.3' size='.02' mass='.5' contype='0' conaffinity='0'/>"
    "<geom pos='0 0 -.35' size='.05' mass='.2' friction='1' solimp='.015 1 .03' priority='1'/></body></body>";

// Arms that gravity presses against soft limits: hinges, one of them behind another, a slide and a ball joint. How far they yield is
// 0.02 to 0.3 rad and 10 mm, much more than the comparison allows.
static const char kLimits[] =
    "<mujoco><compiler angle='radian'/><default><joint solreflimit='.08 1' damping='.05'/>"
    "<geom contype='0' conaffinity='0'/></default><worldbody>"
    "<body><joint axis='0 1 0' range='-1 .3'/><geom type='capsule' fromto='0 0 0 .3 0 0' size='.02' mass='1'/>"
    "<body pos='.3 0 0'><joint axis='0 1 0' range='-1 .2' solimplimit='.5 .9 .05'/>"
    "<geom type='capsule' fromto='0 0 0 .2 0 0' size='.02' mass='.5'/></body></body>"
    "<body pos='0 1 0'><joint type='slide' axis='0 0 1' range='-.1 1' solreflimit='-800 -60'/><geom size='.05' mass='2'/></body>"
    "<body pos='0 2 0'><joint type='ball' range='0 .4' damping='.3'/><geom type='capsule' fromto='0 0 0 .3 0 0' size='.03'"
    " mass='1'/></body></worldbody></mujoco>";

static void write_scene(const char* name, const char* option) {
  char text[4096];
  snprintf(text, sizeof text, "<mujoco><option %s/><worldbody>%s</worldbody></mujoco>", option, kBodies);
  write_file(name, text);
}

// Runs holdfast with these arguments, and then judge.py on what came of it. Skips the test where there is no MuJoCo.
static void run_and_judge(const char* arguments, const char* judge) {
  int status = holdfast(arguments);
  if (strstr(standard_error, "no MuJoCo found")) skip();
  assert_int_equal(status, 0);
  write_file("judge.py", judge);
  assert_int_equal(system("python3 judge.py"), 0);
}

static void test_rests_as_in_mujoco(void** state) {
  (void)state;
  assert_int_equal(system("mkdir -p scenes"), 0);
  write_scene("scenes/pyramidal.xml", "cone='pyramidal'");
  write_scene("scenes/elliptic.xml", "cone='elliptic' impratio='10'");
  write_file("scenes/limits.xml", kLimits);
  write_file("scenes/part.xml", "<mujoco><worldbody><geom size='1'/></worldbody></mujoco>");
  write_file("scenes/whole.xml", "<mujoco><include file='part.xml'/></mujoco>");
  run_and_judge("bench robots scenes --quick --json",
                "import json\n"
                "r = json.load(open('stdout.txt'))\n"
                "assert r['figures'] == {'compared': 4, 'not_compared': 0, 'alike': 4, 'explained': 0}, r\n"
                "assert r['must'][0]['holds']\n");
}

// Four scenes more. A double pendulum falls from 1e-7 rad beside its unstable balance, so that a start 1e-6 apart ends anywhere. Pendulums hit soft limits in steps that are longer than half of MuJoCo's time constant, so that its limits are stiffer in shorter
// steps, and a camera has no target, which moves nothing. Joint friction almost holds an arm: MuJoCo's lets it creep. A ball 4 mm inside of a floor, which
// no joint lets out: its force is felt by none, and the engines are alike.
static void write_more_differing_scenes(void) {
  write_file("differing/chaos.xml",
             "<mujoco><default><geom type='capsule' size='.02' contype='0' conaffinity='0'/><joint axis='0 1 0'/></default><worldbody>"
             "<body><joint/><geom fromto='0 0 0 0 0 .2' mass='1'/><body pos='0 0 .2'><joint/><geom fromto='0 0 0 0 0 .2' mass='1'/></body></body></worldbody>"
             "<keyframe><key qpos='1e-7 0'/></keyframe></mujoco>");
  write_file("differing/law.xml",
             "<mujoco><option timestep='.02'/><default><geom type='box' size='.1 .2 .3' pos='.1 .2 .3' contype='0' conaffinity='0'/><joint damping='.25'/></default>"
             "<worldbody><camera mode='targetbody' pos='0 -1 0'/><body><joint axis='.1 .2 .3'/><geom/>"
             "<body pos='0 0 -.8'><joint axis='.4 .5 .6' range='-20 20'/><geom/>"
             "<body pos='0 -.7 0'><joint axis='.7 .8 .9' damping='.75' range='-30 30'/><geom/></body></body></body></worldbody></mujoco>");
  write_file("differing/creep.xml",
             "<mujoco><option timestep='.004'/><default><geom type='capsule' size='.03' contype='0' conaffinity='0'/>"
             "<joint axis='0 1 0' damping='.1' frictionloss='1'/></default><worldbody>"
             "<body><joint/><geom fromto='0 0 0 0 0 .3' mass='2'/>"
             "<body pos='0 0 .3' euler='0 40 0'><joint/><geom fromto='0 0 0 0 0 .3' mass='1'/>"
             "<body pos='0 0 .3' euler='0 30 0'><joint damping='.01'/><geom fromto='0 0 0 0 0 .25' mass='.7'/></body></body></body></worldbody></mujoco>");
  write_file("differing/unfelt.xml",
             "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .096'><joint type='slide' axis='1 0 0' damping='1'/>"
             "<joint type='slide' axis='0 1 0' damping='1'/><geom size='.1'/></body></worldbody></mujoco>");
}

// Scenes in which the engines differ, each for one reason: a ball that falls in long steps, links that overlap at their joints, a leg that
// collapses and slides. In the fourth MuJoCo makes one body of two, and the engines are alike.
static void write_differing_scenes(void) {
  write_file("differing/steps.xml", "<mujoco><option timestep='.01'/><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>");
  write_file("differing/overlap.xml",
             "<mujoco><default><geom type='capsule' size='.01'/><joint type='ball' damping='.005'/></default><worldbody>"
             "<body><geom fromto='0 0 0 0 0 .1'/><body pos='0 0 .1'><joint/><geom fromto='0 0 0 0 .1 .1'/>"
             "<body pos='0 .1 .1'><joint/><geom fromto='0 0 0 0 .1 0'/></body></body></body></worldbody></mujoco>");
  write_file("differing/friction.xml",
             "<mujoco><worldbody><geom type='plane' size='2 2 1'/><body pos='0 0 .6' euler='0 15 0'>"
             "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/><joint axis='0 1 0'/>"
             "<geom type='capsule' fromto='0 0 0 0 0 .3' size='.04'/>"
             "<body><joint axis='0 1 0' damping='2' range='-100 20'/><geom type='capsule' fromto='0 0 0 .1 0 -.25' size='.03'/>"
             "<body pos='.1 0 -.25'><joint axis='0 1 0' damping='2' range='0 150'/>"
             "<geom type='capsule' fromto='0 0 0 -.1 0 -.25' size='.03'/></body></body></body></worldbody></mujoco>");
  write_file("differing/fused.xml",
             "<mujoco><compiler fusestatic='true'/><worldbody><body><joint axis='0 1 0' damping='.1'/><geom size='.02' pos='.1 0 0'/>"
             "<body pos='.2 0 0'><geom size='.02'/></body></body></worldbody></mujoco>");
}

// Scenes with reasons that need no run at an eighth of the step, but for the last two: a box on a floor with the default softness of each engine; a floor
// with a stiffness of ours; a servo that is too strong for MuJoCo's steps; a box on a slope, on which MuJoCo's friction creeps; a cylinder on its face, where each
// engine has points of its own; a leg of roboschool's ant that starts beyond its limit and is further from MuJoCo's at an eighth of the step; a pendulum in a
// frame that MuJoCo makes twice as large, which we leave out.
static void write_scenes_with_reasons(void) {
  write_file("reasons/stiffness.xml", "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .1'><freejoint/><geom type='box' size='.1 "
                                      ".1 .1' mass='5'/></body></worldbody></mujoco>");
  write_file("reasons/own.xml", "<mujoco><custom><numeric name='hf.stiffness' data='2e3'/></custom><worldbody><geom type='plane' size='1 1 1'/>"
                                "<body pos='0 0 .3'><joint type='slide' axis='0 0 1'/><geom size='.1' mass='.5'/></body></worldbody></mujoco>");
  write_file("reasons/unstable.xml",
             "<mujoco><option timestep='.01' gravity='0 0 0'/><worldbody><body><joint name='x' type='slide' axis='1 0 0'/><geom size='.1' "
             "mass='.01'/></body></worldbody>"
             "<actuator><position joint='x' kp='1e7' ctrlrange='-1 1'/></actuator><keyframe><key ctrl='.1'/></keyframe></mujoco>");
  write_file("reasons/slope.xml",
             "<mujoco><option gravity='4 0 -8.9'/><worldbody><geom type='plane' size='1 1 1'/>"
             "<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='1' friction='.5'/></body></worldbody></mujoco>");
  write_file("reasons/points.xml",
             "<mujoco><default><geom solref='.02 1' solimp='.9 .95 .001'/></default><worldbody><geom type='plane' size='1 1 1'/>"
             "<body pos='0 0 .1'><freejoint/><geom type='cylinder' size='.1 .1' mass='5'/></body></worldbody></mujoco>");
  write_file("reasons/limits.xml",
             "<mujoco><option timestep='.01' integrator='RK4'/><worldbody><body><joint axis='-1 1 0' range='30 100' armature='1' damping='1'/>"
             "<geom type='capsule' fromto='0 0 0 .4 .4 0' size='.08' density='5'/></body></worldbody></mujoco>");
  write_file("reasons/left_out.xml", "<mujoco><worldbody><frame scale='2'><body><joint axis='0 1 0' damping='.05'/>"
                                     "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.03' mass='1'/></body></frame></worldbody></mujoco>");
}

static void test_names_the_reason(void** state) {
  (void)state;
  assert_int_equal(system("mkdir -p reasons && cp " HF_SOURCE_DIR "/models/peg_in_hole.xml reasons"), 0);
  write_scenes_with_reasons();
  run_and_judge(
      "bench robots reasons --quick --out results",
      "rows = dict((row[1].strip(), row[-2].strip()) for row in (line.split('|') for line in open('results/robots.md')) if len(row) > 9)\n"
      "for scene, reason in (('stiffness', 'our stiffness: alike with mujoco_softness'), ('own', 'the scene has contact parameters of ours'),\n"
      "                      ('unstable', 'MuJoCo is unstable'), ('slope', 'MuJoCo creeps: with its recipe it is alike'),\n"
      "                      ('points', 'depths: the engines have other contact points'), ('limits', 'joints that start up to 0.52 rad, 0 m beyond "
      "their limits'),\n"
      "                      ('left_out', 'left out: <frame scale'), ('peg_in_hole', 'MuJoCo creeps: with its recipe and mujoco_softness it is "
      "alike')):\n"
      "    assert rows[scene + '.xml'].startswith(reason), rows\n");
}

static void test_says_why_scenes_differ(void** state) {
  (void)state;
  assert_int_equal(system("mkdir -p differing"), 0);
  write_differing_scenes();
  write_more_differing_scenes();
  run_and_judge("bench robots differing --quick --out results",
                "rows = dict((row[1].strip(), row[-2]) for row in (line.split('|') for line in open('results/robots.md')) if len(row) > 9)\n"
                "assert 'length of the steps' in rows['steps.xml'], rows\n"
                "assert 'parts that overlap by 20 mm' in rows['overlap.xml'], rows\n"
                "assert rows['friction.xml'].strip().startswith('friction: '), rows\n"
                "assert not rows['fused.xml'].strip(), rows\n"
                "assert 'length of the steps' in rows['law.xml'], rows\n"
                "assert 'chaos: a start that differs by 1e-6' in rows['chaos.xml'], rows\n"
                "assert 'MuJoCo creeps: at an eighth of the step' in rows['creep.xml'], rows\n"
                "assert not rows['unfelt.xml'].strip(), rows\n");
}

static void test_refusals(void** state) {
  (void)state;
  assert_refused("bench robots", 2, "robots needs a FOLDER with MJCF scenes");
  assert_refused("bench gripper scenes", 2, "gripper takes no folder: \"scenes\"");
  assert_refused("bench robots scenes more", 2, "one name and one folder can be given, not also \"more\"");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rests_as_in_mujoco), cmocka_unit_test(test_says_why_scenes_differ),
                                     cmocka_unit_test(test_names_the_reason), cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
