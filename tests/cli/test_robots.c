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

static const char kUnstable[] =
    "<mujoco><option timestep='.01' gravity='0 0 0'/><worldbody><body><joint name='x' type='slide' axis='1 0 0'/><geom size='.1' "
    "mass='.01'/></body></worldbody>"
    "<actuator><position joint='x' kp='1e7' ctrlrange='-1 1'/></actuator><keyframe><key ctrl='.1'/></keyframe></mujoco>";

// Scenes with reasons that need no run at an eighth of the step, but for the last two: a box on a floor with the default softness of each engine; a floor
// with a stiffness of ours; a servo that is too strong for MuJoCo's steps; a box on a slope, on which MuJoCo's friction creeps; a cylinder on its face, where each
// engine has points of its own; a leg of roboschool's ant that starts beyond its limit and is further from MuJoCo's at an eighth of the step; a pendulum in a
// frame that MuJoCo makes twice as large, which we leave out.
static void write_scenes_with_reasons(void) {
  write_file("reasons/stiffness.xml", "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .1'><freejoint/><geom type='box' size='.1 "
                                      ".1 .1' mass='5'/></body></worldbody></mujoco>");
  write_file("reasons/own.xml", "<mujoco><custom><numeric name='hf.stiffness' data='2e3'/></custom><worldbody><geom type='plane' size='1 1 1'/>"
                                "<body pos='0 0 .3'><joint type='slide' axis='0 0 1'/><geom size='.1' mass='.5'/></body></worldbody></mujoco>");
  write_file("reasons/unstable.xml", kUnstable);
  write_file("reasons/slope.xml",
             "<mujoco><option gravity='4 0 -8.9'/><worldbody><geom type='plane' size='1 1 1'/>"
             "<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='1' friction='.5'/></body></worldbody></mujoco>");
  write_file("reasons/points.xml",
             "<mujoco><default><geom solref='.02 1' solimp='.9 .95 .001'/></default><worldbody><geom type='plane' size='1 1 1'/>"
             "<body pos='0 0 .1'><freejoint/><geom type='cylinder' size='.1 .1' mass='5'/></body></worldbody></mujoco>");
  write_file("reasons/stuck.xml",
             "<mujoco><default><geom solref='.02 1' solimp='.9 .95 .001'/></default><worldbody><geom type='plane' size='1 1 1'/>"
             "<body pos='0 0 .099'><joint type='slide' axis='0 0 1' damping='1e11'/><geom type='cylinder' size='.1 .1' mass='5'/></body></worldbody></mujoco>");
  write_file("reasons/firm_pinch.xml",
             "<mujoco><default><default class='pad'><geom type='box' size='.01 .02 .02' mass='.1'/></default></default><worldbody>"
             "<body pos='-.03 0 0'><joint name='l' type='slide' axis='1 0 0'/><geom class='pad'/></body>"
             "<body pos='.03 0 0'><joint name='r' type='slide' axis='-1 0 0'/><geom class='pad'/></body>"
             "<body><freejoint/><geom type='capsule' size='.02 .04' mass='.045'/></body></worldbody>"
             "<actuator><motor joint='l'/><motor joint='r'/></actuator><keyframe><key ctrl='60 60'/></keyframe></mujoco>");
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
      "                      ('left_out', 'left out: <frame scale'), ('peg_in_hole', 'our stiffness: joints are alike with mujoco_softness; '),\n"
      "                      ('stuck', 'forces: the engines have other contact points'), ('firm_pinch', 'MuJoCo creeps: with its recipe and mujoco_softness it is "
      "alike')):\n"
      "    assert rows[scene + '.xml'].startswith(reason), rows\n");
}

// Two fingers on slides press a thing that stands on a floor, or on nothing but its friction.
typedef struct Pinch {
  const char *name, *option;
  const char* friction;             // attributes of all geoms
  const char *left, *right, *thing; // geoms
  double height, loss;              // of the right finger: where it presses [m], joint friction [N]
  double mass, kp[2], ctrl;         // of the thing [kg]; of the servos [N/m, m]
} Pinch;

static void write_pinch(const Pinch* p) {
  char path[64], text[2048];
  snprintf(path, sizeof path, "pinches/%s.xml", p->name);
  snprintf(text, sizeof text,
           "<mujoco><option %s/><default><geom %s solref='.02 1'/></default><worldbody><geom type='plane' size='1 1 1'/>"
           "<body pos='-.06 0 .05'><joint name='l' type='slide' axis='1 0 0' damping='20'/><geom %s mass='.1'/></body>"
           "<body pos='.06 0 %g'><joint name='r' type='slide' axis='-1 0 0' damping='20' frictionloss='%g'/><geom %s mass='.1'/></body>"
           "<body pos='0 0 .04'><freejoint/><geom %s size='.03 .04 .04' mass='%g'/></body></worldbody>"
           "<actuator><position joint='l' kp='%g'/><position joint='r' kp='%g'/></actuator>"
           "<keyframe><key qpos='0 0 0 0 .042 1 0 0 0' ctrl='%g %g'/></keyframe></mujoco>",
           p->option, p->friction, p->left, p->height, p->loss, p->right, p->thing, p->mass, p->kp[0], p->kp[1], p->ctrl, p->ctrl);
  write_file(path, text);
}

static const char kBlock[] = "type='box' size='.01 .02 .03'", kTip[] = "size='.02'", kPyramids[] = "cone='pyramidal'",
                  kEllipses[] = "cone='elliptic'", kRecipe[] = "cone='elliptic' impratio='100' noslip_iterations='10'";

// Friction of fingers that press past each other keeps what the impact left: which end it has differs between MuJoCo's friction and its recipe, or only
// the forces do, or only those along the surfaces. With the recipe, or without friction, the same scenes have other reasons or none.
static void write_pinches(void) {
  static const Pinch pinches[] = {
      {"creeps", kEllipses, "friction='.541'", kBlock, kTip, "type='box'", .0554, .5, .146, {322, 165}, .176},
      {"creeps_recipe", kRecipe, "friction='.541'", kBlock, kTip, "type='box'", .0554, .5, .146, {322, 165}, .176},
      {"normals", kPyramids, "friction='.496'", kBlock, kTip, "type='box'", .0596, .5, .0599, {357, 157}, .132},
      {"normals_slick", kPyramids, "condim='1'", kBlock, kTip, "type='box'", .0596, .5, .0599, {357, 157}, .132},
      {"joints", kPyramids, "friction='.664'", kTip, kBlock, "type='ellipsoid'", .0335, 2, .848, {180, 306}, .14},
      {"places", kPyramids, "friction='.48'", kTip, kTip, "type='box'", .0466, 0, .814, {272, 243}, .111},
      {"places_slick", kPyramids, "condim='1'", kTip, kTip, "type='box'", .0466, 0, .814, {272, 243}, .111},
      {"forces", kPyramids, "friction='.546'", kBlock, kBlock, "type='cylinder'", .0441, 2, .435, {288, 267}, .113},
      {"contacts", kEllipses, "friction='.455'", kTip, kBlock, "type='ellipsoid'", .0469, 0, .259, {310, 148}, .0409},
      {"decides", "timestep='.005' cone='elliptic'", "friction='.393'", kBlock, kTip, "type='cylinder'", .0327, 0, .621, {85.8, 248}, .134},
      {"contacts_short", "timestep='.0005'", "friction='.455'", kTip, kBlock, "type='ellipsoid'", .0469, 0, .259, {310, 148}, .0409},
  };
  for (size_t i = 0; i < sizeof pinches / sizeof *pinches; ++i) write_pinch(&pinches[i]);
}

// Four things that move in a plane fall between two walls, on each other.
static void write_heap(const char* name, const char* option, double friction, const char* const thing[4], const double x[4]) {
  char path[64], text[4096];
  int n = snprintf(text, sizeof text,
                   "<mujoco>%s<default><geom friction='%g'/></default><worldbody><geom type='plane' size='1 1 1'/>"
                   "<geom type='box' size='.01 .3 .1' pos='.15 0 .1'/><geom type='box' size='.01 .3 .1' pos='-.15 0 .1'/>",
                   option, friction);
  for (int i = 0; i < 4; ++i)
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "<body pos='%g 0 %g'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/><joint axis='0 1 0' damping='.001'/><geom "
                  "%s/></body>",
                  x[i], 0.1 + 0.13 * i, thing[i]);
  snprintf(text + n, sizeof text - (size_t)n, "</worldbody></mujoco>");
  snprintf(path, sizeof path, "pinches/%s.xml", name);
  write_file(path, text);
}

// Heaps differ for several reasons at once, of which the last ones are named: MuJoCo's own length of steps; in short steps its friction; a start that
// differs by 1e-6, which alone takes it a fiftieth of the way. Without contacts the engines are alike.
static void write_heaps(void) {
  static const char box[] = "type='box' size='.04 .04 .05'", rod[] = "type='capsule' size='.03 .05' euler='0 70 0'",
                    free_fall[] = "<option><flag contact='disable'/></option>";
  const char *const boxes[4] = {box, rod, rod, box}, *const rods[4] = {rod, rod, rod, "size='.05'"};
  const double x[4] = {.0243, .0144, -.0363, -.0596}, y[4] = {-.0196, .043, .00294, -.0404};
  write_heap("half", "", .989, boxes, x);
  write_heap("half_falls", free_fall, .989, boxes, x);
  write_heap("eighth", "<option timestep='.0005'/>", .989, boxes, x);
  write_heap("chaos", "", .294, rods, y);
  write_heap("chaos_falls", free_fall, .294, rods, y);
}

// A box falls between two slopes, which press it together: the squeeze stays here, and fades in MuJoCo as it does here with friction that creeps. Without
// friction it has the same depths in both.
static void write_wedge(const char* name, const char* friction) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "pinches/%s.xml", name);
  snprintf(text, sizeof text,
           "<mujoco><default><geom %s solref='.02 1'/></default><worldbody><geom type='plane' size='1 1 1' euler='0 31.9 0'/>"
           "<geom type='plane' size='1 1 1' euler='0 -55.6 0'/><body pos='.0143 0 .151' euler='0 -32.8 0'><joint type='slide' axis='1 0 0'/>"
           "<joint type='slide' axis='0 0 1'/><joint axis='0 1 0'/><geom type='box' size='.05 .05 .05' mass='1.19'/></body></worldbody></mujoco>",
           friction);
  write_file(path, text);
}

// A ball flies across three bars and comes to rest in one of the two grooves between them, 4 mm apart. In steps of 10 ms MuJoCo's ball lands earlier, in
// the first groove, and ours in the second, where MuJoCo's stays, too. A faster ball lands in the second in both.
static void write_grooves(const char* name, const char* speed) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "pinches/%s.xml", name);
  snprintf(text, sizeof text,
           "<mujoco><option timestep='.01'/><default><geom type='capsule' size='.002 .02' condim='1' euler='90 0 0' solref='.02 1'/>"
           "<joint type='slide' axis='0 0 1'/></default><worldbody><geom/>"
           "<body pos='-.004 0 0'><joint stiffness='1e4' damping='50' armature='1'/><geom/></body>"
           "<body pos='.004 0 0'><joint stiffness='1e4' damping='50' armature='1'/><geom/></body>"
           "<body pos='0 0 .03'><joint axis='1 0 0' damping='.5' range='-.006 .006'/><joint damping='.5'/><geom type='sphere' size='.01' "
           "mass='.1'/></body>"
           "</worldbody><keyframe><key qpos='0 0 -.0055 0' qvel='0 0 %s 0'/></keyframe></mujoco>",
           speed);
  write_file(path, text);
}

// Each reason is given where it holds, and not in a scene beside it, where it does not.
static void test_reasons_and_scenes_beside_them(void** state) {
  (void)state;
  assert_int_equal(system("mkdir -p pinches"), 0);
  write_pinches();
  write_heaps();
  write_wedge("wedge", "friction='.32'");
  write_wedge("wedge_slick", "condim='1'");
  write_grooves("grooves", ".12");
  write_grooves("grooves_fast", ".2");
  run_and_judge(
      "bench robots pinches --quick --out results",
      "rows = dict((row[1].strip(), row[-2].strip()) for row in (line.split('|') for line in open('results/robots.md')) if len(row) > 9)\n"
      "for scene, reason in (('creeps', 'MuJoCo creeps: with its recipe depths and forces are alike'), ('normals', 'friction: normal forces are "
      "alike'),\n"
      "                      ('joints', 'friction decides: MuJoCo with its recipe is 0.0'), ('places', 'friction decides: MuJoCo with its recipe is "
      "0.0'),\n"
      "                      ('forces', 'friction decides: with its recipe MuJoCo has forces that differ by'), ('contacts', 'contacts: at an "
      "eighth'),\n"
      "                      ('half', 'MuJoCo at half the step is 0.'), ('eighth', 'friction decides: at an eighth of the step MuJoCo with its "
      "recipe'),\n"
      "                      ('chaos', 'chaos: a start that differs by 1e-6 takes MuJoCo 0.02'), ('grooves', 'two places of rest: from our end'),\n"
      "                      ('contacts_short', 'length of the steps'),\n"
      "                      ('wedge', 'MuJoCo creeps: with mujoco_softness and regularised friction'),\n"
      "                      ('decides', 'friction decides: with mujoco_softness and regularised friction we are 0.0')):\n"
      "    assert rows[scene + '.xml'].startswith(reason), rows\n"
      "for scene in ('creeps_recipe', 'normals_slick', 'places_slick', 'half_falls', 'chaos_falls', 'grooves_fast', 'wedge_slick'):\n"
      "    assert not rows[scene + '.xml'], rows\n");
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

// MuJoCo says that a scene became unstable once for each run, on standard error and in a file of the present folder. The table says it once. A folder
// may have any name.
static void test_says_once_what_is_unstable(void** state) {
  (void)state;
  assert_int_equal(system("mkdir -p \"the robot's \\$HOME\""), 0);
  write_file("the robot's $HOME/it's unstable.xml", kUnstable);
  int status = holdfast("bench robots \"the robot's \\$HOME\" --out results");
  if (strstr(standard_error, "no MuJoCo found")) skip();
  assert_int_equal(status, 0);
  assert_string_equal(standard_error, "");
  assert_int_equal(access("MUJOCO_LOG.TXT", F_OK), -1);
  assert_says(standard_output, "MuJoCo is unstable");
}

// The folder in which the command and MuJoCo exchange files goes with the command, also when that is killed in the middle.
static void test_leaves_no_folder_behind(void** state) {
  (void)state;
  static const char* const signals[] = {"TERM", "KILL"}; // SIGINT is ignored in the background
  assert_int_equal(system("mkdir -p scenes temporary"), 0);
  write_scene("scenes/pyramidal.xml", "cone='pyramidal'");
  write_file("interrupt.sh",
             "TMPDIR=$PWD/temporary " HOLDFAST " bench robots scenes >stdout.txt 2>stderr.txt &\n"
             "for i in $(seq 3000); do [ -z \"$(ls temporary)\" ] && kill -0 $! 2>/dev/null || break; sleep 0.01; done\n"
             "[ -n \"$(ls temporary)\" ] || exit 3\n"
             "kill -$1 $!\n"
             "wait $!\n"
             "[ $? -gt 128 ] || exit 4\n"
             "for i in $(seq 300); do [ -z \"$(ls temporary)\" ] && exit 0; sleep 0.1; done\n");
  for (int i = 0; i < 2; ++i) {
    char command[64];
    snprintf(command, sizeof command, "sh interrupt.sh %s", signals[i]);
    int status = system(command);
    if (strstr(read_file("stderr.txt", standard_error), "no MuJoCo found")) skip();
    assert_int_equal(status, 0);
  }
  assert_int_equal(setenv("TMPDIR", "/no/such/folder", 1), 0);
  assert_int_equal(holdfast("bench robots scenes"), 1);
  assert_says(standard_error, "/no/such/folder/holdfast-robots-");
  unsetenv("TMPDIR");
}

static void test_refusals(void** state) {
  (void)state;
  assert_refused("bench robots", 2, "robots needs a FOLDER with MJCF scenes");
  assert_refused("bench gripper scenes", 2, "gripper takes no folder: \"scenes\"");
  assert_refused("bench robots scenes more", 2, "one name and one folder can be given, not also \"more\"");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rests_as_in_mujoco), cmocka_unit_test(test_says_why_scenes_differ),
                                     cmocka_unit_test(test_names_the_reason), cmocka_unit_test(test_reasons_and_scenes_beside_them),
                                     cmocka_unit_test(test_says_once_what_is_unstable),
                                     cmocka_unit_test(test_leaves_no_folder_behind),
                                     cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
