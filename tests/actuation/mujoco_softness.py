"""Equalities and tendon limits with MuJoCo's solref and solimp under loads: where MuJoCo comes to rest.

  mujoco_softness.py OUT SECONDS

Writes OUT/scene.xml and OUT/states.txt: a line `rest` with qpos after SECONDS and a line `speed` with qvel.
"""

import sys

import mujoco
from mujoco_states import write_rows

SOFT = 'solref=".05 1" solimp=".5 .9 .02"'
SCENE = f"""<mujoco><compiler angle="radian"/><option timestep=".002"/>
<default><geom contype="0" conaffinity="0"/><joint damping=".02"/></default><worldbody>
<body name="a"><joint name="a" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".02" mass="1"/>
  <body name="b" pos=".3 0 0"><joint name="b" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .2 0 0" size=".02" mass=".5"/></body></body>
<body name="c" pos="0 1 0"><joint name="c" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".02" mass="1"/>
  <body name="d" pos=".3 0 0"><joint name="d" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .2 0 0" size=".02" mass=".5"/></body></body>
<body name="e" pos="0 2 0"><freejoint/><geom type="box" size=".1 .2 .05" mass="2"/></body>
<body name="f" pos="0 3 0"><freejoint/><geom type="box" size=".1 .2 .05" pos=".02 .01 0" mass="2"/></body>
<body name="g" pos="0 4 0"><joint axis="0 1 0"/><geom type="box" size=".1 .2 .05" pos=".05 0 0" mass="2"/></body>
<body pos="0 7 0"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".02" mass="1"/>
  <body pos=".3 0 0"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .1 0 .2" size=".02" mass=".5"/><body name="massless" pos=".1 0 .2"/></body></body>
<body name="h" pos="0 5 0"><joint name="h" type="slide" axis="0 0 1"/><geom size=".1" mass="3"/></body>
<body name="i" pos="0 6 0"><joint name="i" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".02" mass="1"/>
  <site name="tip" pos=".3 0 0"/></body><site name="hook" pos=".3 6 .4"/>
</worldbody><tendon>
<fixed name="t"><joint joint="c" coef="1"/><joint joint="d" coef=".5"/></fixed>
<fixed name="u"><joint joint="h" coef="2"/></fixed>
<fixed name="lift" limited="true" range="-.1 .1" solreflimit=".04 1" solimplimit=".3 .9 .05"><joint joint="h" coef="1"/></fixed>
<spatial name="rope" limited="true" range="0 .4" solreflimit="-300 -20" solimplimit=".6 .8 .1"><site site="tip"/><site site="hook"/></spatial>
</tendon><equality>
<joint joint1="a" polycoef=".2 0 0 0 0" {SOFT}/><joint joint1="b" joint2="a" polycoef="0 .5 .1 0 0" {SOFT}/>
<tendon tendon1="t" {SOFT}/><joint joint1="d" solref="-400 -30"/>
<connect body1="e" anchor="0 0 .1" {SOFT}/>
<weld body1="f" solref=".02 1" solimp=".8 .95 .01" torquescale="2"/><weld body1="g" solref=".02 1" solimp=".9 .95 .001"/>
<connect body1="massless" anchor="0 0 0" {SOFT}/>
</equality></mujoco>"""

folder, seconds = sys.argv[1], float(sys.argv[2])
with open(folder + "/scene.xml", "w", encoding="utf-8") as out:
    out.write(SCENE)
model = mujoco.MjModel.from_xml_string(SCENE)
data = mujoco.MjData(model)
while data.time < seconds:
    mujoco.mj_step(model, data)
with open(folder + "/states.txt", "w", encoding="utf-8") as out:
    write_rows(out, {"rest": data.qpos, "speed": data.qvel})
