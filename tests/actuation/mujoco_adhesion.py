"""Bodies held by adhesion against gravity and pulled along: where MuJoCo has them after some time.

  mujoco_adhesion.py OUT SECONDS

Writes OUT/scene.xml and OUT/states.txt: a line `rest` with qpos after SECONDS, a line `force` with the actuators' forces.
"""

import sys

import mujoco
from mujoco_states import write_rows

SCENE = """<mujoco><option timestep=".002" cone="elliptic" impratio="100"/>
<default><geom solref=".01 1"/></default><worldbody>
<geom name="ceiling" type="box" size="1 1 .1" pos="0 0 1.1"/><geom name="wall" type="box" size=".1 1 1" pos="2 0 0" friction=".6"/>
<body name="hung" pos="0 0 .9005"><freejoint/><geom type="box" size=".1 .1 .1" mass="2"/></body>
<body name="dropped" pos=".5 0 .900001"><freejoint/><geom type="box" size=".1 .1 .1" mass="2"/></body>
<body name="climber" pos="1.8005 0 0"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/></body>
<body name="cup" pos="-.5 0 .7"><joint type="slide" axis="0 0 1" stiffness="100" damping="20"/>
  <geom type="box" size=".05 .05 .05" mass=".5" margin=".03" gap=".25"/></body>
</worldbody><actuator>
<adhesion body="hung" ctrlrange="0 1" gain="40"/><adhesion body="dropped" ctrlrange="0 1" gain="15"/>
<adhesion body="climber" ctrlrange="0 2" gain="30"/><general body="cup" gainprm="8"/></actuator>
<keyframe><key ctrl="1 1 1 1"/></keyframe></mujoco>"""

folder, seconds = sys.argv[1], float(sys.argv[2])
with open(folder + "/scene.xml", "w", encoding="utf-8") as out:
    out.write(SCENE)
model = mujoco.MjModel.from_xml_string(SCENE)
data = mujoco.MjData(model)
mujoco.mj_resetDataKeyframe(model, data, 0)
while data.time < seconds - 1e-9:
    mujoco.mj_step(model, data)
with open(folder + "/states.txt", "w", encoding="utf-8") as out:
    write_rows(out, {"rest": data.qpos, "force": data.actuator_force})
