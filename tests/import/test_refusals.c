// Malformed, contradictory and hostile model files: each is refused with a message that names file,
// line and element, the model pointer stays as it was.
#include "support/cmocka_all.h"

#include <holdfast/import.h>

#include "io/mesh/height_map.h"
#include "io/mesh/mesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Case {
  const char* text;
  hfStatus status;
  const char* message; // must be part of the error
} Case;

static hfModel* const untouched = (hfModel*)(uintptr_t)8;

static void refuse_text(const char* text, size_t length, hfStatus status, const char* message) {
  hfModel* model = untouched;
  hfError error = {HF_OK, ""};
  hfStatus got = hf_model_parse(&model, text, length, "test.xml", "", NULL, NULL, &error);
  if (got != status || !strstr(error.message, message))
    print_error("input:   %.300s\nwanted:  %s: %s\nmessage: %s: %s\n", text, hf_status_name(status), message,
                hf_status_name(got), error.message);
  assert_int_equal(got, status);
  assert_int_equal(error.status, status);
  assert_non_null(strstr(error.message, message));
  assert_ptr_equal(model, untouched);
  // and without anywhere to put a message
  assert_int_equal(hf_model_parse(&model, text, length, "test.xml", "", NULL, NULL, NULL), status);
}

static void refuse_all(const Case* cases, size_t count) {
  for (size_t i = 0; i < count; ++i) refuse_text(cases[i].text, strlen(cases[i].text), cases[i].status, cases[i].message);
}
#define REFUSE_ALL(cases) refuse_all(cases, sizeof cases / sizeof *cases)

// A document whose line 2 is `line`.
#define MJCF(line) "<mujoco>\n" line "\n</mujoco>"
#define WORLD(line) "<mujoco><worldbody>\n" line "\n</worldbody></mujoco>"
// Two bodies with joints a and b, then line 6.
#define BODY "<mujoco><worldbody>\n<body name='A'><joint name='a'/><geom name='g' size='1'/><site name='s'/>\n<body name='B'>" \
             "<joint name='b' range='-1 1'/><geom size='1'/>\n</body></body>\n</worldbody>\n"
#define AFTER(line) BODY line "\n</mujoco>"
#define PARSE HF_ERROR_PARSE
#define MODEL HF_ERROR_MODEL

static void test_xml(void** state) {
  (void)state;
  static const Case cases[] = {
      {"", PARSE, "test.xml:1: malformed XML: no element found"},
      {"HFREC\1 a recording", PARSE, "test.xml:1: this is no XML file"},
      {"\xef\xbb\xbf<mujoco", PARSE, "malformed XML"},
      {"not xml", PARSE, "test.xml:1: this is no XML file"},
      {"<mujoco>\n<worldbody>\n</mujoco>", PARSE, "test.xml:3: malformed XML: mismatched tag, inside worldbody"},
      {"<mujoco>", PARSE, "no element found"},
      {"<mujoco a='1' a='2'/>", PARSE, "duplicate attribute"},
      {"<mujoco/><mujoco/>", PARSE, "junk after document element"},
      {"<mujoco>\n<a b=c/>\n</mujoco>", PARSE, "test.xml:2: malformed XML: not well-formed"},
      {"<mujoco>\xff\xfe</mujoco>", PARSE, "not well-formed"},
      {"<!DOCTYPE x [\n<!ENTITY a 'aaaaaaaaaa'>]><mujoco>&a;</mujoco>", PARSE, "test.xml:2: <!ENTITY>: entity declarations are not accepted (\"a\")"},
      {"<!DOCTYPE x [<!ENTITY % p SYSTEM 'file:///etc/passwd'>]><mujoco/>", PARSE, "entity declarations are not accepted"},
      {"<sdf version='1.7'/>", HF_ERROR_MODEL, "test.xml:1: <sdf>: neither a <model> nor a <world>"},
      {"<package/>", HF_ERROR_UNSUPPORTED, "<package>: neither MJCF (<mujoco>) nor URDF (<robot>)"},
      {"<mujocoinclude/>", HF_ERROR_UNSUPPORTED, "to be included"},
      {"<robot>\n<xacro:include filename='x'/>\n</robot>", HF_ERROR_UNSUPPORTED, "test.xml:2: <xacro:include>: a xacro macro"},
  };
  REFUSE_ALL(cases);
}

static void test_numbers(void** state) {
  (void)state;
  static const Case cases[] = {
      {WORLD("<geom name='x' size='1 2 3 4'/>"), PARSE, "test.xml:2: <geom name=\"x\">: size: 4 numbers where 1 to 3 are needed"},
      {WORLD("<geom size='1 a'/>"), PARSE, "test.xml:2: <geom>: size: \"a\" is not a number"},
      {WORLD("<geom size='1,2'/>"), PARSE, "size: \"1,2\" is not a number"},
      {"<mujoco>\n<size nkey='2000000000'/></mujoco>", MODEL, "test.xml:2: <size>: nkey: 2000000000 keyframes are too many; at most 100000 are allowed"},
      {WORLD("<geom size=''/>"), MODEL, "size 0 must be positive, is 0"}, // an empty attribute is one that is not there
      {WORLD("<body><joint/><body name='b'>\n<joint name='j'/></body></body>"), MODEL, "test.xml:2: body"},
      {WORLD("<geom size='nan'/>"), HF_ERROR_NONFINITE, "test.xml:2: <geom>: size: \"nan\" is not a finite number"},
      {WORLD("<geom size='1' pos='0 inf 0'/>"), HF_ERROR_NONFINITE, "pos: \"inf\" is not a finite number"},
      {WORLD("<geom size='1' pos='0 1e999 0'/>"), HF_ERROR_NONFINITE, "pos: \"1e999\" is not a finite number"},
      {WORLD("<geom size='1' pos='0 0'/>"), PARSE, "pos: 2 numbers where 3 are needed"},
      {WORLD("<geom size='1' contype='1.5'/>"), PARSE, "contype: 1.5 is not an integer"},
      {WORLD("<geom size='1' condim='1e20'/>"), PARSE, "condim: 1e+20 is not an integer"},
      {WORLD("<geom size='1' type='cube'/>"), PARSE, "type: \"cube\" is none of: plane, sphere"},
      {MJCF("<compiler autolimits='yes'/>"), PARSE, "test.xml:2: <compiler>: autolimits: \"yes\" is none of: false, true"},
      {MJCF("<option timestep='0'/>"), MODEL, "test.xml:2: <option>: timestep must be positive, is 0"},
      {MJCF("<option impratio='0'/>"), MODEL, "test.xml:2: <option>: impratio must be positive, is 0"},
      {MJCF("<option gravity='0 0'/>"), PARSE, "gravity: 2 numbers where 3 are needed"},
      {MJCF("<option><flag contact='off'/></option>"), PARSE, "test.xml:2: <flag>: contact: \"off\" is none of: disable, enable"},
  };
  REFUSE_ALL(cases);
}

static void test_orientations(void** state) {
  (void)state;
  static const Case cases[] = {
      {WORLD("<geom size='1' quat='0 0 0 0'/>"), MODEL, "test.xml:2: <geom>: quat: a zero quaternion"},
      {WORLD("<geom size='1' quat='1 0 0 0' euler='1 2 3'/>"), MODEL, "more than one of quat, axisangle"},
      {WORLD("<body axisangle='0 0 0 1'/>"), MODEL, "test.xml:2: <body>: axisangle: the axis has no direction"},
      {WORLD("<body xyaxes='1 0 0 2 0 0'/>"), MODEL, "xyaxes: the two axes span no plane"},
      {WORLD("<body zaxis='0 0 0'/>"), MODEL, "zaxis: the axis has no direction"},
      {MJCF("<compiler eulerseq='xy'/>"), PARSE, "eulerseq: \"xy\" is not three of"},
      {MJCF("<compiler eulerseq='abc'/>"), PARSE, "eulerseq: \"abc\" is not three of"},
      {MJCF("<compiler coordinate='global'/>"), HF_ERROR_UNSUPPORTED, "coordinate=\"global\" is not supported"},
      {WORLD("<geom type='capsule' size='1' fromto='0 0 0 0 0 0'/>"), MODEL, "fromto: the two points are one"},
      {WORLD("<geom type='capsule' size='1' fromto='0 0 0 0 0 1' pos='0 0 1'/>"), MODEL, "both pos and fromto"},
      {WORLD("<geom type='sphere' size='1' fromto='0 0 0 0 0 1'/>"), MODEL, "fromto is for capsules"},
  };
  REFUSE_ALL(cases);
}

static void test_tree(void** state) {
  (void)state;
  static const Case cases[] = {
      {WORLD("<joint/>"), MODEL, "test.xml:2: <joint>: the world cannot have joints"},
      {WORLD("<geom type='box' size='1 1'/>"), MODEL, "test.xml:2"},
      {WORLD("<geom size='-1'/>"), MODEL, "must be positive"},
      {WORLD("<geom type='mesh'/>"), MODEL, "test.xml:2: <geom>: a geom of type mesh must name a mesh"},
      {WORLD("<geom type='mesh' mesh='no'/>"), MODEL, "test.xml:2: <geom>: mesh: there is no mesh \"no\""},
      {WORLD("<body><joint range='inf -inf'/></body>"), HF_ERROR_PARSE, "range: \"inf -inf\" is no range"},
      {WORLD("<body><joint range='-inf inf 1'/></body>"), HF_ERROR_PARSE, "range: \"-inf inf 1\" is no range"},
      {WORLD("<body><joint range='-inf nan'/></body>"), HF_ERROR_PARSE, "range: \"-inf nan\" is no range"},
      {WORLD("<body><joint range='-inf'/></body>"), HF_ERROR_PARSE, "range: \"-inf\" is no range"},
      {WORLD("<geom size='1' mass='-1'/>"), MODEL, "mass -1 is negative"},
      {WORLD("<geom size='1' condim='2'/>"), MODEL, "condim must be 1, 3, 4 or 6"},
      {WORLD("<geom name='x' size='1'/><geom name='x' size='1'/>"), MODEL, "\"x\""},
      {WORLD("<body name='w'><joint axis='0 0 0'/><geom size='1'/></body>"), MODEL, "test.xml:2"},
      {WORLD("<body><geom size='1'/><body>\n<freejoint/><geom size='1'/></body></body>"), MODEL, "test.xml:3"},
      {WORLD("<body><joint/></body>"), MODEL, "moves no inertia"},
      {WORLD("<body><joint limited='true'/><geom size='1'/></body>"), MODEL, "limited, but its range [0, 0] is empty"},
      {"<mujoco><compiler autolimits='false'/><worldbody><body>\n<joint range='0 1'/></body></worldbody></mujoco>", MODEL, "test.xml:2: <joint>: a range is given but limited is not"},
      {WORLD("<body><joint type='ball'/><joint type='ball'/><geom size='1'/></body>"), MODEL, "test.xml:2"},
      {WORLD("<body><inertial mass='1' diaginertia='1 1 1'/></body>"), PARSE, "test.xml:2: <inertial>: attribute pos is missing"},
      {WORLD("<body><joint/><inertial pos='0 0 0' mass='1'/></body>"), MODEL, "moves no inertia"},
      {WORLD("<body><inertial pos='0 0 0' mass='1' fullinertia='1 1 1 0 0 0' diaginertia='1 1 1'/></body>"), MODEL, "both diaginertia and fullinertia"},
      {WORLD("<body><inertial pos='0 0 0' mass='1' quat='1 1 0 0' fullinertia='1 1 1 0 0 0'/></body>"), MODEL, "no orientation with it"},
      {WORLD("<body name='bad'><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 0.1 0.1'/></body>"), MODEL, "body \"bad\": principal moments"},
      {WORLD("<body><inertial pos='0 0 0' mass='-1' diaginertia='1 1 1'/></body>"), MODEL, "mass -1 is negative"},
      {WORLD("<body><geom size='1'/><body mocap='true'/></body>"), MODEL, "mocap body must be a child of the world"},
      {WORLD("<replicate><geom size='1'/></replicate>"), PARSE, "test.xml:2: <replicate>: attribute count is missing"},
      {WORLD("<replicate count='-3'><geom size='1'/></replicate>"), MODEL, "count must be 1 to"},
      {WORLD("<attach model='x' prefix='y'/>"), MODEL, "test.xml:2: <attach>: model: there is no model \"x\""},
      {WORLD("<attach prefix='y'/>"), MODEL, "neither model nor body nor frame"},
      {WORLD("<body name='b'><attach body='b' prefix='y'/></body>"), MODEL, "would contain itself"},
      {WORLD("<attach body='nothing' prefix='y'/>"), MODEL, "has no body \"nothing\""},
  };
  REFUSE_ALL(cases);
}

static void test_defaults_and_assets(void** state) {
  (void)state;
  static const Case cases[] = {
      {WORLD("<geom size='1' class='no'/>"), MODEL, "test.xml:2: <geom>: class: there is no default class \"no\""},
      {WORLD("<body childclass='no'/>"), MODEL, "childclass: there is no default class \"no\""},
      {MJCF("<default class='other'/>"), MODEL, "test.xml:2: <default>: the outermost default class is called \"main\""},
      {MJCF("<default><default/></default>"), PARSE, "test.xml:2: <default>: attribute class is missing"},
      {MJCF("<default><default class='a'/><default class='a'/></default>"), MODEL, "default class \"a\" is defined twice"},
      {MJCF("<default><geom size='x'/></default>"), PARSE, "test.xml:2: <geom>: size: \"x\" is not a number"},
      {MJCF("<default><motor ctrlrange='1'/></default>"), PARSE, "test.xml:2: <motor>: ctrlrange: 1 numbers where 2 are needed"},
      {MJCF("<asset><mesh/></asset>"), PARSE, "test.xml:2: <mesh>: a mesh needs a name or a file"},
      {MJCF("<asset><mesh name='m' vertex='0'/><mesh name='m' vertex='0'/></asset>"), MODEL, "mesh \"m\" is defined twice"},
      {MJCF("<asset><mesh name='m' scale='0 1 1' file='x.stl'/></asset>"), MODEL, "scale: a factor is zero"},
      {MJCF("<asset><mesh name='m' maxhullvert='3' file='x.stl'/></asset>"), MODEL, "maxhullvert must be -1 or at least 4"},
      {MJCF("<asset>\n<mesh name='m' vertex='0 0 0 1 0 0 0 1 0'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody>"), PARSE, "test.xml:3: <mesh name=\"m\">: vertex: 9 numbers do not make at least 4 points"},
      {MJCF("<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 1 1 0'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody>"), MODEL, "m: the points are flat"},
      {MJCF("<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 4'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody>"), PARSE, "face 0: 4 is not one of 4 vertices"},
      {MJCF("<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody>"), PARSE, "face: 2 indices do not make triangles"},
      {MJCF("<asset><mesh name='m' file='no.stl'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody>"), HF_ERROR_FILE, "test.xml:2: <mesh name=\"m\">: cannot read no.stl: there is no such file"},
      {MJCF("<asset><mesh name='m' file='a.stl' vertex='0 0 0'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody>"), MODEL, "both file and vertex"},
      {MJCF("<asset><model file='no.xml'/></asset>"), HF_ERROR_FILE, "test.xml:2: <model>: cannot read no.xml"},
      {MJCF("<include file='no.xml'/>"), HF_ERROR_FILE, "test.xml:2: <include>: cannot read no.xml"},
      {MJCF("<include/>"), PARSE, "test.xml:2: <include>: attribute file is missing"},
  };
  REFUSE_ALL(cases);
}

static void test_references(void** state) {
  (void)state;
  static const Case cases[] = {
      {AFTER("<contact><pair geom1='g'/></contact>"), PARSE, "test.xml:6: <pair>: attribute geom2 is missing"},
      {AFTER("<contact><pair geom1='g' geom2='no'/></contact>"), MODEL, "test.xml:6: <pair>: geom2: there is no geom \"no\""},
      {AFTER("<contact><pair geom1='g' geom2='g'/></contact>"), MODEL, "test.xml:6"},
      {AFTER("<contact><exclude body1='A' body2='C'/></contact>"), MODEL, "body2: there is no body \"C\""},
      {AFTER("<equality><connect body1='A'/></equality>"), PARSE, "test.xml:6: <connect>: attribute anchor is missing"},
      {AFTER("<equality><connect anchor='0 0 0'/></equality>"), MODEL, "either body1 (and body2), or site1 and site2"},
      {AFTER("<equality><weld site1='s' body1='A'/></equality>"), MODEL, "either body1 (and body2), or site1 and site2"},
      {AFTER("<equality><weld site1='s'/></equality>"), PARSE, "attribute site2 is missing"},
      {AFTER("<equality><joint joint1='a' joint2='a'/></equality>"), MODEL, "test.xml:6: equality without a name: connects the joint \"a\" with itself"},
      {AFTER("<equality><joint name='e' joint1='a' joint2='a' active='false'/></equality>"), MODEL, "test.xml:6: equality \"e\": connects the joint \"a\" with itself"},
      {AFTER("<equality><connect body1='B' body2='B' anchor='0 0 0'/></equality>"), MODEL, "connects the body \"B\" with itself"},
      {AFTER("<equality><weld body1='B' body2='B'/></equality>"), MODEL, "connects the body \"B\" with itself"},
      {AFTER("<equality><weld body1='world'/></equality>"), MODEL, "connects the body \"world\" with itself"},
      {AFTER("<equality><weld site1='s' site2='s'/></equality>"), MODEL, "connects the site \"s\" with itself"},
      {AFTER("<tendon><fixed name='t'><joint joint='a' coef='1'/></fixed></tendon><equality><tendon tendon1='t' tendon2='t'/></equality>"), MODEL,
       "connects the tendon \"t\" with itself"},
      {AFTER("<equality><joint joint1='a' joint2='c'/></equality>"), MODEL, "joint2: there is no joint \"c\""},
      {AFTER("<equality><joint joint1='a' polycoef='1 2 3 4 5 6'/></equality>"), PARSE, "polycoef: 6 numbers where 1 to 5"},
      {AFTER("<tendon><fixed><joint joint='a'/></fixed></tendon>"), PARSE, "test.xml:6: <joint>: attribute coef is missing"},
      {AFTER("<tendon><fixed><joint joint='x' coef='1'/></fixed></tendon>"), MODEL, "joint: there is no joint \"x\""},
      {AFTER("<actuator><motor/></actuator>"), MODEL, "test.xml:6: <motor>: joint, jointinparent, tendon, site, body or cranksite is missing"},
      {AFTER("<actuator><motor cranksite='s' cranklength='1'/></actuator>"), PARSE, "attribute slidersite is missing"},
      {AFTER("<actuator><motor cranksite='s' slidersite='s'/></actuator>"), MODEL, "needs the site of its slider and a positive cranklength"},
      {AFTER("<actuator><motor joint='a' group='x'/></actuator>"), PARSE, "group"},
      {WORLD("<body><freejoint/><geom size='1'/></body><body><joint type='slide' springyield='-1'/><geom size='1'/></body>"), MODEL, "springyield -1: it cannot be negative"},
      {WORLD("<body><joint type='free' springyield='1'/><geom size='1'/></body>"), MODEL, "springyield 1: it cannot be negative, and a free joint has none"},
      {AFTER("<actuator><motor joint='a' delay='.1'/></actuator>"), MODEL, "test.xml:6: actuator without a name: a delay of 0.1 s needs nsample 50 at steps of 0.002 s, has 0"},
      {AFTER("<actuator><motor joint='a' delay='.1' nsample='49'/></actuator>"), MODEL, "test.xml:6: actuator without a name: a delay of 0.1 s needs nsample 50 at steps of 0.002 s, has 49"},
      {AFTER("<actuator><motor joint='a' delay='-.1' nsample='2'/></actuator>"), MODEL, "delay -0.1 must be finite and cannot be negative"},
      {AFTER("<actuator><motor joint='a' nsample='-1'/></actuator>"), MODEL, "nsample -1 must be between 0 and 65536"},
      {AFTER("<actuator><motor joint='a' nsample='2' interp='spline'/></actuator>"), PARSE, "interp: \"spline\" is none of: zoh, linear, cubic"},
      {AFTER("<actuator><dcmotor joint='a' motorconst='.1'/></actuator>"), MODEL, "resistance of a motor must be positive"},
      {AFTER("<actuator><dcmotor joint='a' resistance='1'/></actuator>"), MODEL, "the constant of a motor with inputs must be positive"},
      {AFTER("<actuator><dcmotor joint='a' resistance='1' motorconst='-1 2'/></actuator>"), MODEL, "motorconst cannot be negative"},
      {AFTER("<actuator><dcmotor joint='a' resistance='1' motorconst='1' thermal='5'/></actuator>"), MODEL, "needs a positive thermal capacity"},
      {AFTER("<actuator><dcmotor joint='a' resistance='1' motorconst='1' controller='5'/></actuator>"), MODEL, "needs the input pos, vel or ff"},
      {AFTER("<actuator><dcmotor joint='a' resistance='1' motorconst='1' input='vel' controller='5 1'/></actuator>"), MODEL, "ki needs the input pos"},
      {AFTER("<option actuatorgroupdisable='3 31'/>"), MODEL, "a group that can be switched off is 0 to 30, not 31"},
      {AFTER("<actuator><motor name='m' joint='x'/></actuator>"), MODEL, "test.xml:6: <motor name=\"m\">: joint: there is no joint \"x\""},
      {AFTER("<actuator><motor joint='a' site='s'/></actuator>"), MODEL, "more than one of joint"},
      {AFTER("<actuator><position joint='a' kv='1' dampratio='1'/></actuator>"), MODEL, "both kv and dampratio"},
      {AFTER("<actuator><orientation joint='a'/></actuator>"), MODEL, "on a ball joint or on a site with a reference"},
      {AFTER("<actuator><orientation joint='a' forcerange='-1 1'/></actuator>"), MODEL, "forcerange bounds the size of the torque"},
      {AFTER("<actuator><orientation joint='a' input='euler'/></actuator>"), PARSE, "none of: expmap, quat"},
      {AFTER("<actuator><general joint='a' gaintype='so3' biastype='so3' gainprm='2'/></actuator>"), MODEL, "must be affine with the parameters 0, -kp, -kv"},
      {AFTER("<actuator><general joint='a' gaintype='so3' biastype='so3' biasprm='0 -1' dyntype='filter'/></actuator>"), MODEL, "only as an integrator"},
      {AFTER("<actuator><position joint='a' inheritrange='1'/></actuator>"), MODEL, "inheritrange needs a joint or tendon with a range"},
      {AFTER("<actuator><position joint='b' inheritrange='1' ctrlrange='0 1'/></actuator>"), MODEL, "both a range and inheritrange"},
      {AFTER("<actuator><damper joint='a' kv='1'/></actuator>"), MODEL, "ctrllimited, but its range [0, 0] is empty"},
      {AFTER("<compiler><lengthrange timestep='0'/></compiler>"), MODEL, "<lengthrange>: accel and timestep must be positive"},
      {AFTER("<actuator><general joint='a' gaintype='user'/></actuator>"), PARSE, "gaintype: \"user\" is none of: fixed, affine, muscle"},
      {AFTER("<sensor><clock delay='.1' nsample='4' interval='.02'/></sensor>"), MODEL, "test.xml:6: sensor without a name: a delay of 0.1 s needs nsample 5 at steps of 0.02 s, has 4"},
      {AFTER("<sensor><clock interval='-1'/></sensor>"), MODEL, "interval -1 must be finite and cannot be negative"},
      {AFTER("<sensor><clock interval='1 -1'/></sensor>"), MODEL, "measurements must begin between -1 and 0, not at -1"},
      {AFTER("<sensor><clock interval='1 .1'/></sensor>"), MODEL, "measurements must begin between -1 and 0, not at 0.1"},
      {AFTER("<sensor><clock interp='x'/></sensor>"), PARSE, "interp: \"x\" is none of: zoh, linear, cubic"},
      {AFTER("<sensor><gyro/></sensor>"), PARSE, "test.xml:6: <gyro>: attribute site is missing"},
      {AFTER("<sensor><gyro site='t'/></sensor>"), MODEL, "site: there is no site \"t\""},
      {AFTER("<sensor><framepos objtype='joint' objname='a'/></sensor>"), PARSE, "objtype: \"joint\" is none of: body, xbody, geom"},
      {AFTER("<sensor><framepos objtype='body'/></sensor>"), PARSE, "attribute objname is missing"},
      {AFTER("<sensor><jointpos joint='a' cutoff='-1'/></sensor>"), MODEL, "cutoff cannot be negative"},
      {AFTER("<keyframe><key qpos='1 2 3'/></keyframe>"), MODEL, "test.xml:6: <key>: qpos: 3 numbers where the model has 2"},
      {AFTER("<keyframe><key qpos='1 x'/></keyframe>"), PARSE, "qpos: \"x\" is not a number"},
      {AFTER("<custom><numeric name='hf.stiffness' data='-1'/></custom>"), MODEL, "test.xml:6: <numeric name=\"hf.stiffness\">: hf.stiffness must be positive"},
      {AFTER("<custom><text name='hf.method' data='magic'/></custom>"), PARSE, "hf.method: \"magic\" is none of: tamsi, convex"},
      {AFTER("<custom><text name='hf.stiffness' data='1'/></custom>"), PARSE, "hf.stiffness is a number: use <numeric>"},
      {AFTER("<actuator><motor name='m' joint='a'/></actuator><custom><text name='hf.signal.m' data='wave 1'/></custom>"), PARSE, "\"wave 1\" is no signal"},
      {AFTER("<actuator><motor name='m' joint='a'/></actuator><custom><text name='hf.signal.m' data='sine 1'/></custom>"), PARSE, "sine takes 2 to 4 numbers, not 1"},
      {AFTER("<actuator><motor name='m' joint='a'/></actuator><custom><text name='hf.signal.m' data='ramp 1 2 3'/></custom>"), PARSE, "ramp takes 4 numbers, not 3"},
      {AFTER("<actuator><motor name='m' joint='a'/></actuator><custom><text name='hf.signal.m' data='table no.csv'/></custom>"), HF_ERROR_FILE, "cannot read no.csv"},
  };
  REFUSE_ALL(cases);
}

#define ROBOT(text) "<robot name='r'>\n" text "\n</robot>"
#define TWO "<link name='a'/><link name='b'/>\n"
#define ENDS "<parent link='a'/><child link='b'/>"
#define FIVE "<link name='a'/><link name='b'/><link name='c'/><link name='d'/><link name='e'/>\n"
#define FOLLOWER(name, child, leader) "<joint name='" name "' type='continuous'><parent link='a'/><child link='" child "'/>\n<mimic joint='" leader "'/></joint>"
#define MASS(value, inertia) "<link name='a'><inertial><mass value='" value "'/><inertia " inertia "/></inertial></link>"
#define GEOMETRY(shape) "<link name='a'><collision>\n<geometry>" shape "</geometry></collision></link>"

static void test_urdf(void** state) {
  (void)state;
  static const Case cases[] = {
      {"<robot/>", MODEL, "test.xml:1: <robot>: a robot without links"},
      {ROBOT("<link/>"), PARSE, "test.xml:2: <link>: attribute name is missing"},
      {ROBOT("<link name='a'/><link name='a'/>"), MODEL, "link \"a\" is defined twice"},
      {ROBOT(TWO "<joint name='j' type='fixed'><parent link='a'/></joint>"), PARSE, "test.xml:3: <joint name=\"j\">: <child> is missing"},
      {ROBOT(TWO "<joint name='j' type='fixed'><parent link='a'/><child link='c'/></joint>"), MODEL, "test.xml:3: <child>: there is no link \"c\""},
      {ROBOT(TWO "<joint name='j'>" ENDS "</joint>"), PARSE, "attribute type is missing"},
      {ROBOT(TWO "<joint type='fixed'>" ENDS "</joint>"), PARSE, "attribute name is missing"},
      {ROBOT(TWO "<joint name='j' type='screw'>" ENDS "</joint>"), PARSE, "type: \"screw\" is none of: revolute"},
      {ROBOT(TWO "<joint name='j' type='fixed'>" ENDS "</joint><joint name='k' type='fixed'>" ENDS "</joint>"), MODEL, "link \"b\" is moved by joint \"j\" already"},
      {ROBOT(TWO "<joint name='j' type='fixed'>" ENDS "</joint><joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>"), MODEL, "part of a loop of joints"},
      {ROBOT(TWO "<joint name='j' type='revolute'>" ENDS "<axis xyz='0 0 0'/></joint>"), MODEL, "<joint name=\"j\">: the axis has no direction"},
      {ROBOT(TWO "<joint name='j' type='revolute'>" ENDS "<axis xyz='0 0'/></joint>"), PARSE, "<axis>: xyz: 2 numbers where 3"},
      {ROBOT(TWO "<joint name='j' type='revolute'>" ENDS "<origin rpy='a 0 0'/></joint>"), PARSE, "<origin>: rpy: \"a\" is not a number"},
      {ROBOT(TWO "<joint name='j' type='revolute'>" ENDS "<limit lower='nan' upper='1'/></joint>"), HF_ERROR_NONFINITE, "<limit>: lower: \"nan\" is not a finite number"},
      {ROBOT(TWO "<joint name='j' type='continuous'>" ENDS "\n<mimic joint='j'/></joint>"), MODEL, "test.xml:4: <mimic>: joint \"j\" cannot mimic itself"},
      {ROBOT(FIVE FOLLOWER("j", "b", "k") FOLLOWER("k", "c", "j")), MODEL, "test.xml:5: <mimic>: joint \"k\" cannot mimic itself by way of \"j\""},
      {ROBOT(FIVE FOLLOWER("h", "e", "j") FOLLOWER("j", "b", "k") FOLLOWER("k", "c", "l") FOLLOWER("l", "d", "j")), MODEL, "test.xml:7: <mimic>: joint \"l\" cannot mimic itself by way of \"j\", \"k\""},
      {ROBOT(FIVE FOLLOWER("k", "c", "j") "<joint name='j' type='continuous'>" ENDS "</joint><ros2_control><joint name='j'>\n<param name='mimic'>k</param></joint></ros2_control>"), MODEL, "test.xml:5: <param name=\"mimic\">: joint \"j\" cannot mimic itself by way of \"k\""},
      {ROBOT(TWO "<joint name='j' type='planar'>" ENDS "<mimic joint='j'/></joint>"), MODEL, "joint \"j\" cannot mimic \"j\": one of them has no single coordinate"},
      {ROBOT("<link name='world'/><link name='b'/><joint name='j' type='fixed'><parent link='b'/><child link='world'/></joint>"), MODEL, "the link \"world\" cannot be moved"},
      {ROBOT(MASS("1", "ixx='1' iyy='1'")), PARSE, "<inertia>: attribute izz is missing"},
      {ROBOT(MASS("-1", "ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'")), MODEL, "<mass>: mass -1 is negative"},
      {ROBOT("<link name='a'><inertial><mass value='1'/></inertial></link>"), PARSE,
       "test.xml:2: <inertial>: <inertia> of link \"a\" is missing; a link without <inertial> gets"},
      {ROBOT("<link name='a'>\n<inertial/></link>"), PARSE, "test.xml:3: <inertial>: <mass> of link \"a\" is missing"},
      {ROBOT("<link name='a'><collision/></link>"), PARSE, "<collision>: <geometry> with a shape is missing"},
      {ROBOT(GEOMETRY("<cone/>")), HF_ERROR_UNSUPPORTED, "test.xml:3: <cone>: not a shape"},
      {ROBOT(GEOMETRY("<plane normal='0 0 0'/>")), MODEL, "test.xml:3: <plane>: the normal has no direction"},
      {ROBOT(GEOMETRY("<box/>")), PARSE, "test.xml:3: <box>: attribute size is missing"},
      {ROBOT(GEOMETRY("<box size='1 1'/>")), PARSE, "<box>: size: 2 numbers where 3"},
      {ROBOT(GEOMETRY("<sphere radius='-1'/>")), MODEL, "must be positive"},
      {ROBOT(GEOMETRY("<cylinder radius='1'/>")), PARSE, "attribute length is missing"},
      {ROBOT(GEOMETRY("<mesh/>")), PARSE, "attribute filename is missing"},
      {ROBOT(GEOMETRY("<mesh filename='package://no/x.stl'/>")), HF_ERROR_FILE, "cannot read package://no/x.stl"},
      {ROBOT(GEOMETRY("<mesh filename='x.stl' scale='0 1 1'/>")), MODEL, "scale: a factor is zero"},
      {ROBOT("<drake:collision_filter_group name='g'><drake:member link='x'/><drake:ignored_collision_filter_group name='g'/></drake:collision_filter_group><link name='a'/>"), MODEL, "<drake:member>: there is no link \"x\""},
      {ROBOT("<link name='a'/><frame name='f' link='x'/>"), MODEL, "<frame name=\"f\">: there is no link \"x\""},
      {ROBOT("<link name='a'><collision><geometry><sphere radius='1'/></geometry><drake:proximity_properties><drake:mu_static value='-1'/></drake:proximity_properties></collision></link>"), MODEL, "drake:mu_static: -1 is negative"},
      {ROBOT("<link name='a'><collision><geometry><sphere radius='1'/></geometry></collision></link><gazebo reference='a'><mu1>low</mu1></gazebo>"), PARSE, "<mu1>: its text: \"low\" is not a number"},
  };
  REFUSE_ALL(cases);
}

// ---- sizes --------------------------------------------------------------------------------------

static char* repeat(const char* head, const char* open, const char* middle, const char* close, const char* tail, int count) {
  size_t size = strlen(head) + strlen(middle) + strlen(tail) + (size_t)count * (strlen(open) + strlen(close)) + 1;
  char *text = malloc(size), *p = text;
  p += sprintf(p, "%s", head);
  for (int i = 0; i < count; ++i) p += sprintf(p, "%s", open);
  p += sprintf(p, "%s", middle);
  for (int i = 0; i < count; ++i) p += sprintf(p, "%s", close);
  sprintf(p, "%s", tail);
  return text;
}

static void test_depth_and_size(void** state) {
  (void)state;
  char* deep = repeat("<mujoco><worldbody>", "<body>", "", "</body>", "</worldbody></mujoco>", 100000);
  refuse_text(deep, strlen(deep), PARSE, "elements are nested more than 1000 deep");
  free(deep);
  // a chain as long as the limit allows is read
  char* chain = repeat("<mujoco><worldbody>", "<body><joint/><geom size='1'/>", "", "</body>", "</worldbody></mujoco>", 990);
  hfModel* m = NULL;
  assert_int_equal(hf_model_parse(&m, chain, strlen(chain), "chain", NULL, NULL, NULL, NULL), HF_OK);
  assert_int_equal(m->nv, 990);
  hf_model_free(m);
  free(chain);
  char* unclosed = repeat("<mujoco>", "<a>", "", "", "", 100000);
  refuse_text(unclosed, strlen(unclosed), PARSE, "nested more than");
  free(unclosed);
  char* nested = repeat("<mujoco><worldbody>", "<replicate count='1000'>", "<geom size='1'/>", "</replicate>", "</worldbody></mujoco>", 5);
  refuse_text(nested, strlen(nested), MODEL, "the model unfolds to more than 1000000 elements");
  free(nested);
  char* empty = repeat("<mujoco><worldbody>", "<replicate count='100000'/>", "", "", "</worldbody></mujoco>", 11);
  refuse_text(empty, strlen(empty), MODEL, "more than 1000000 replicas");
  free(empty);
  char* many = repeat("<mujoco>", "<a/>", "", "", "</mujoco>", 2000010);
  refuse_text(many, strlen(many), PARSE, "more than 2000000 elements");
  free(many);
}

// ---- files --------------------------------------------------------------------------------------

static char folder[] = "/tmp/holdfast_refusals_XXXXXX";

static const char* write_file(const char* name, const char* text, size_t size) {
  static char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* out = fopen(path, "wb");
  assert_non_null(out);
  assert_int_equal(fwrite(text, 1, size, out), size);
  fclose(out);
  return path;
}

static void refuse_file(const char* name, hfStatus status, const char* message) {
  char path[512];
  hfModel* model = untouched;
  hfError error = {HF_OK, ""};
  snprintf(path, sizeof path, "%s/%s", folder, name);
  hfStatus got = hf_model_load(&model, path, NULL, NULL, &error);
  if (!strstr(error.message, message)) print_error("wanted: %s\nmessage: %s\n", message, error.message);
  assert_int_equal(got, status);
  assert_non_null(strstr(error.message, message));
  assert_ptr_equal(model, untouched);
}

static void put(const char* name, const char* text) { write_file(name, text, strlen(text)); }

static void test_files(void** state) {
  (void)state;
  put("self.xml", "<mujoco><include file='self.xml'/></mujoco>");
  put("ring1.xml", "<mujoco>\n<include file='ring2.xml'/></mujoco>");
  put("ring2.xml", "<mujoco><include file='ring1.xml'/></mujoco>");
  put("twice.xml", "<mujoco><include file='part.xml'/>\n<include file='./part.xml'/></mujoco>");
  put("part.xml", "<mujoco><option timestep='0.1'/></mujoco>");
  put("empty.xml", "<mujoco><include file='none.xml'/></mujoco>");
  put("none.xml", "<mujoco/>");
  put("broken.xml", "<mujoco>\n<include file='torn.xml'/></mujoco>");
  put("torn.xml", "<mujoco>\n\n<option");
  put("attach.xml", "<mujoco><asset><model name='m' file='attach.xml'/></asset><worldbody><attach model='m' prefix='p'/></worldbody></mujoco>");
  put("robot.xml", "<mujoco><asset><model file='arm.urdf'/></asset></mujoco>");
  put("arm.urdf", "<robt><link name='a'/></robt>");
  put("part_body.xml", "<mujoco model='m'><worldbody><body name='b'/></worldbody></mujoco>");
  put("attach_no.xml", "<mujoco><asset><model name='m' file='part_body.xml'/></asset><worldbody>\n<attach model='m' body='no' prefix='p'/></worldbody></mujoco>");
  refuse_file("self.xml", MODEL, "self.xml is included already");
  refuse_file("ring1.xml", MODEL, "ring2.xml:1: <include>: ");
  refuse_file("twice.xml", MODEL, "twice.xml:2: <include>: ");
  refuse_file("empty.xml", MODEL, "nothing to include");
  refuse_file("broken.xml", PARSE, "torn.xml:3: malformed XML");
  refuse_file("attach.xml", MODEL, "models are attached more than 8 deep");
  refuse_file("robot.xml", HF_ERROR_UNSUPPORTED, "arm.urdf:1: <robt>: neither MJCF");
  refuse_file("attach_no.xml", MODEL, "attach_no.xml:2: <attach>: the attached model has no body \"no\"");
  refuse_file("nowhere.xml", HF_ERROR_FILE, "nowhere.xml: No such file");
  refuse_file("", HF_ERROR_FILE, "not a file");
}

static void test_mesh_files(void** state) {
  (void)state;
  put("mesh.xml", "<mujoco><asset>\n<mesh name='m' file='bad.stl'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>");
  put("bad.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n");
  refuse_file("mesh.xml", PARSE, "mesh.xml:2: <mesh name=\"m\">: ");
  refuse_file("mesh.xml", PARSE, "bad.stl:5: malformed facet at \"\"");
  put("format.xml", "<mujoco><asset><mesh name='m' file='bad.step'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>");
  put("bad.step", "x");
  refuse_file("format.xml", HF_ERROR_UNSUPPORTED, "meshes are read from STL, OBJ, MSH, PLY, DAE and glTF, not from \"step\"");
  put("dae.xml", "<mujoco><asset><mesh name='m' file='bad.dae'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>");
  put("bad.dae", "this is no collada");
  refuse_file("dae.xml", PARSE, "bad.dae");
}

// ---- meshes in memory ---------------------------------------------------------------------------

typedef hfStatus (*Read)(hfiTriMesh*, const char*, size_t, const char*, hfError*);

static void refuse_mesh(Read read, const char* text, size_t size, hfStatus status, const char* message) {
  hfiTriMesh mesh = {0};
  hfError error = {HF_OK, ""};
  char* copy = malloc(size + 1); // so that a sanitizer sees a step beyond the end
  memcpy(copy, text, size);
  copy[size] = 0;
  hfStatus got = read(&mesh, copy, size, "mesh", &error);
  if (got != status || !strstr(error.message, message)) print_error("wanted: %s\nmessage: %s\n", message, error.message);
  assert_int_equal(got, status);
  assert_non_null(strstr(error.message, message));
  assert_null(mesh.vert);
  assert_null(mesh.tri);
  free(copy);
}

static void refuse_meshes(Read read, const Case* cases, size_t count) {
  for (size_t i = 0; i < count; ++i) refuse_mesh(read, cases[i].text, strlen(cases[i].text), cases[i].status, cases[i].message);
}

static void test_stl(void** state) {
  (void)state;
  static const Case ascii[] = {
      {"", PARSE, "mesh: 0 bytes are too few"},
      {"soli", PARSE, "mesh: 4 bytes are too few"},
      {"solid x\nendsolid", PARSE, "mesh: no triangles"},
      {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1\nendloop\nendfacet\nendsolid", PARSE, "mesh:7: malformed facet at \"endloop"},
      {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n", PARSE, "mesh:4: malformed facet at \"nan"},
      {"solid x\nfacet normal 0 0 1\nouter lop\n", PARSE, "malformed facet at \"lop"},
      {"solid x\nfacet\n", PARSE, "malformed facet"},
      {"solid x\nhello\n", PARSE, "mesh:2: \"facet\" or \"endsolid\" expected at \"hello"},
      {"solid x\nfacet normal 0 0 1 outer loop vertex 0 0 0 vertex 0 0 0 vertex 0 0 0 endloop endfacet endsolid", PARSE, "no triangles"},
      {"solid x\nendsolid\nmore", PARSE, "mesh:3: \"solid\" expected at \"more"},
  };
  refuse_meshes(hfi_trimesh_read_stl, ascii, sizeof ascii / sizeof *ascii);
  char binary[184] = {0};
  refuse_mesh(hfi_trimesh_read_stl, binary, 84, PARSE, "mesh: no triangles");
  refuse_mesh(hfi_trimesh_read_stl, binary, 60, PARSE, "60 bytes are too few");
  binary[80] = 3;
  refuse_mesh(hfi_trimesh_read_stl, binary, 184, PARSE, "3 triangles announced, but only 2 are there");
  memset(binary + 80, 0xff, 4);
  refuse_mesh(hfi_trimesh_read_stl, binary, 184, PARSE, "4294967295 triangles announced");
  memset(binary + 80, 0, 104);
  binary[80] = 2;
  memset(binary + 84 + 12, 0xff, 4); // NaN
  refuse_mesh(hfi_trimesh_read_stl, binary, 184, HF_ERROR_NONFINITE, "triangle 0: a coordinate is not finite");
  memset(binary + 84 + 12, 0, 4);
  refuse_mesh(hfi_trimesh_read_stl, binary, 184, PARSE, "no triangles"); // all corners are one point
}

static void test_obj(void** state) {
  (void)state;
#define POINTS "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
  static const Case cases[] = {
      {"", PARSE, "mesh: 0 vertices, at least 4 are needed"},
      {"v 0 0 0\nv 1 0 0\n", PARSE, "mesh: 2 vertices, at least 4"},
      {"v 0 0\n", PARSE, "mesh:1: a vertex needs three numbers"},
      {"v 0 0 x\n", PARSE, "mesh:1: a vertex needs three numbers"},
      {"# c\nv 0 0\n1\n", PARSE, "mesh:2: a vertex needs three numbers"},
      {"v 0 0 inf\n", HF_ERROR_NONFINITE, "mesh:1: a coordinate is not finite"},
      {"v 0 0 1e999\n", HF_ERROR_NONFINITE, "mesh:1: a coordinate is not finite"},
      {POINTS "f 1\n", PARSE, "mesh:5: a face needs three corners"},
      {POINTS "f\t\n", PARSE, "mesh:5: a face needs three corners"},
      {POINTS "f 1 2 5\n", PARSE, "mesh:5: vertex 5 of 4"},
      {POINTS "f 1 2 0\n", PARSE, "mesh:5: vertex 0 of 4"},
      {POINTS "f 1 2 -5\n", PARSE, "mesh:5: vertex -5 of 4"},
      {POINTS "f 1 2 x\n", PARSE, "mesh:5: \"x\" is not"},
      {POINTS "f 1 2 3.5\n", PARSE, "is not a vertex index"},
      {POINTS "f 1 2 99999999999999999999\n", PARSE, "vertex 9223372036854775807 of 4"},
      {POINTS "f a/b/c 2 3\n", PARSE, "\"a/b/c\" is not a vertex index"},
  };
  refuse_meshes(hfi_trimesh_read_obj, cases, sizeof cases / sizeof *cases);
  refuse_mesh(hfi_trimesh_read_obj, "v 0 0 0\0v", 9, PARSE, "holds a zero byte");
}

static void test_ply(void** state) {
  (void)state;
#define PLY "ply\nformat ascii 1.0\n"
#define CORNERS "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
#define FOUR "0 0 0\n1 0 0\n0 1 0\n0 0 1\n"
#define FACE "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
  static const Case cases[] = {
      {"", PARSE, "mesh: this is no PLY file"},
      {"ply\n", PARSE, "the header of PLY has no line end_header"},
      {"ply\nend_header\n", PARSE, "the header of PLY has no line format"},
      {"ply\nformat binary 1.0\n", PARSE, "the format of PLY must be ascii, binary_little_endian or binary_big_endian"},
      {PLY "elements\n", PARSE, "an unknown word in the header"},
      {PLY "element vertex\n", PARSE, "an element without a count"},
      {PLY "element vertex -4\n", PARSE, "an element without a count"},
      {PLY "property float x\n", PARSE, "a property that makes no sense"},
      {PLY "element vertex 4\nproperty half x\n", PARSE, "a property that makes no sense"},
      {PLY "element face 4\nproperty list float int vertex_indices\n", PARSE, "a property that makes no sense"},
      {PLY CORNERS "end_header\n0 0 0\n", PARSE, "the file ends before its last element"},
      {PLY CORNERS "end_header\n0 0 0\n1 0 x\n", PARSE, "the file ends before its last element"},
      {PLY CORNERS "end_header\n0 0 inf\n", HF_ERROR_NONFINITE, "vertex 0: a coordinate is missing or not finite"},
      {PLY "element vertex 4\nproperty float x\nend_header\n0 0 0 0\n", HF_ERROR_NONFINITE, "vertex 0: a coordinate is missing"},
      {PLY "element vertex 0\nend_header\n", PARSE, "mesh: 0 vertices, at least 4 are needed"},
      {PLY CORNERS FACE FOUR "2 0 1\n", PARSE, "a face with fewer than 3 or too many corners"},
      {PLY CORNERS FACE FOUR "5000 0 1\n", PARSE, "a face with fewer than 3 or too many corners"},
      {PLY CORNERS FACE FOUR "3 0 1\n", PARSE, "the file ends within a face"},
      {PLY CORNERS FACE FOUR "3 0 1 4\n", PARSE, "a face names vertex 4 of 4"},
      {PLY CORNERS FACE FOUR "3 0 1 -1\n", PARSE, "a face names vertex -1 of 4"},
      {"ply\nformat binary_big_endian 1.0\n" CORNERS "end_header\n1234", PARSE, "the file ends before its last element"},
  };
  refuse_meshes(hfi_trimesh_read_ply, cases, sizeof cases / sizeof *cases);
}

static int make_folder(void** state) {
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void** state) {
  (void)state;
  char command[600];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  return system(command);
}

static void test_sleep_policy(void** state) {
  (void)state;
  static const Case cases[] = {
      {WORLD("<body sleep='always'><freejoint/><geom size='1'/></body>"), PARSE, "test.xml:2"},
      {WORLD("<body name='b' sleep='never'><geom size='1'/></body>"), MODEL, "test.xml:2: body \"b\": a sleep policy belongs to the first body of a tree"},
      {WORLD("<body><freejoint/><geom size='1'/>\n<body name='c' sleep='init'><joint/><geom size='1'/></body></body>"), MODEL, "test.xml:3: body \"c\""},
  };
  REFUSE_ALL(cases);
}

// ---- height fields ---------------------------------------------------------------------------------

// Line 2 has the asset, line 3 the geom that uses it.
#define FIELD(attributes) "<mujoco><asset>\n<hfield name='f' " attributes "/></asset>\n<worldbody><geom type='hfield' hfield='f'/></worldbody></mujoco>"

static void test_height_fields(void** state) {
  (void)state;
  static const Case cases[] = {
      {"<mujoco><asset>\n<hfield size='1 1 1 1'/></asset></mujoco>", PARSE, "test.xml:2: <hfield>: a height field needs a name or a file"},
      {"<mujoco><asset><hfield name='f'/>\n<hfield name='f'/></asset></mujoco>", MODEL, "test.xml:2: <hfield name=\"f\">: height field \"f\" is defined twice"},
      {WORLD("<geom type='hfield'/>"), MODEL, "test.xml:2: <geom>: a geom of type hfield must name a height field"},
      {WORLD("<geom type='hfield' hfield='x'/>"), MODEL, "test.xml:2: <geom>: hfield: there is no height field \"x\""},
      {FIELD("size='1 1 1 1'"), MODEL, "test.xml:2: <hfield name=\"f\">: a height field without a file needs nrow and ncol of at least 2"},
      {FIELD("nrow='1' ncol='3' size='1 1 1 1'"), MODEL, "they are 1 and 3"},
      {FIELD("nrow='100000' ncol='100000' size='1 1 1 1'"), MODEL, "at most 67108864 heights"},
      {FIELD("nrow='2' ncol='2' elevation='1 2 3' size='1 1 1 1'"), MODEL, "test.xml:2: <hfield name=\"f\">: elevation has 3 numbers, 2 rows of 2 need 4"},
      {FIELD("nrow='2' ncol='2' elevation='1 2 3 nan' size='1 1 1 1'"), HF_ERROR_NONFINITE, "test.xml:2: <hfield name=\"f\">: elevation: \"nan\" is not a finite number"},
      {FIELD("nrow='2' ncol='2'"), MODEL, "test.xml:2: <hfield name=\"f\">: size is missing"},
      {FIELD("nrow='2' ncol='2' size='1 1 1'"), PARSE, "test.xml:2"},
      {FIELD("nrow='2' ncol='2' size='1 1 0 1'"), MODEL, "test.xml:2: <hfield name=\"f\">: size: number 3 must be positive, is 0"},
      {FIELD("file='none.png' size='1 1 1 1'"), HF_ERROR_FILE, "test.xml:2: <hfield name=\"f\">: cannot read none.png: there is no such file"},
      {FIELD("file='none.hf' elevation='1' size='1 1 1 1'"), MODEL, "both file and elevation are given"},
      {FIELD("file='none.hf' content_type='image/gif' size='1 1 1 1'"), PARSE, "content_type"},
  };
  REFUSE_ALL(cases);
}

static void refuse_map(int png, const char* text, size_t size, const char* message) {
  hfiHeightMap map = {0};
  hfError error = {HF_OK, ""};
  hfStatus status = png ? hfi_height_map_read_png(&map, text, size, "map", &error) : hfi_height_map_read_binary(&map, text, size, "map", &error);
  assert_below(status, 0);
  if (!strstr(error.message, message)) fail_msg("wanted: %s, message: %s", message, error.message);
  assert_null(map.value);
}

static void test_height_maps(void** state) {
  (void)state;
  int32_t numbers[6] = {2, 2, 0, 0, 0, 0};
  const float bad = NAN;
  refuse_map(0, "abc", 3, "map: cut short: the numbers of rows and columns are missing");
  refuse_map(0, (const char*)numbers, 20, "map: 2 rows of 2 floats take 16 bytes, the file has 12 behind their numbers");
  memcpy(&numbers[5], &bad, sizeof bad);
  refuse_map(0, (const char*)numbers, 24, "map: the height in row 1, column 1 is not finite");
  numbers[0] = 1;
  refuse_map(0, (const char*)numbers, 24, "this one has 1 rows and 2 columns");
  numbers[0] = numbers[1] = 1 << 30;
  refuse_map(0, (const char*)numbers, 24, "at most 67108864 heights");
  refuse_map(1, "abc", 3, "map: not a PNG image");
  // every way to cut a good image short, and a changed byte anywhere
  char path[512], whole[4096];
  snprintf(path, sizeof path, "%s/models/terrain.png", HF_SOURCE_DIR);
  FILE* file = fopen(path, "rb");
  assert_non_null(file);
  size_t size = fread(whole, 1, sizeof whole, file);
  fclose(file);
  for (size_t n = 0; n + 12 < size; n += 7) refuse_map(1, whole, n, "map: ");
  for (size_t k = 0; k < size - 12; k += 5) {
    whole[k] ^= 0x40;
    refuse_map(1, whole, size, "map: ");
    whole[k] ^= 0x40;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sleep_policy), cmocka_unit_test(test_height_fields), cmocka_unit_test(test_height_maps),
      cmocka_unit_test(test_xml),        cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_orientations), cmocka_unit_test(test_tree),
      cmocka_unit_test(test_defaults_and_assets), cmocka_unit_test(test_references),
      cmocka_unit_test(test_urdf),       cmocka_unit_test(test_depth_and_size),
      cmocka_unit_test(test_files),      cmocka_unit_test(test_mesh_files),
      cmocka_unit_test(test_stl),        cmocka_unit_test(test_obj), cmocka_unit_test(test_ply),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
