"""The engines of the comparison: one class each with the calls of scenes.py. Only the engine that is asked for is imported."""

import numpy as np


def rotate(quat, x):
    """x turned by the quaternion (w, x, y, z)."""
    u = np.asarray(quat[1:], float)
    return x + 2 * np.cross(u, np.cross(u, x) + quat[0] * np.asarray(x, float))


def matrix_of(quat):
    return np.stack([rotate(quat, e) for e in np.eye(3)], axis=1)


class Holdfast:
    """The Python package, with its defaults."""

    variants = {"default": {}}

    def __init__(self, text, step, _options):
        import holdfast as hf
        self.step, self.model = step, hf.Model.from_string(text)
        self.sim, self.dynamics = hf.Sim(self.model), hf.Dynamics(self.model)

    @staticmethod
    def version():
        import holdfast as hf
        return hf.__version__

    def advance(self, seconds):
        if self.sim.step(steps=round(seconds / self.step)) < 0:
            raise RuntimeError("a step was refused")

    def place(self, body, p, quat, w, v):
        m = self.model
        joint = int(m.body_jntadr[m.id("body", body)])
        q, dof = int(m.jnt_qposadr[joint]), int(m.jnt_dofadr[joint])
        self.sim.state.q[q:q + 7] = [*p, *quat]
        self.sim.state.v[dof:dof + 6] = [*v, *(matrix_of(quat).T @ np.asarray(w, float))]

    def set_joint(self, joint, q, v):
        self.sim.state.q[joint], self.sim.state.v[joint] = q, v

    def control(self, actuator, value):
        self.sim.input.ctrl[actuator] = value

    def pose(self, body):
        self.dynamics.set(self.sim.state.q, self.sim.state.v)
        return self.dynamics.body_pose(body)

    def velocity(self, body):
        V = self.dynamics.velocity(body, self.pose(body)[0])
        return V[:3], V[3:]


class MuJoCo:
    """The Python bindings: as the file says, and with the options that its documentation advises against slip."""

    variants = {"default": {}, "recipe": {"cone": 1, "impratio": 100, "noslip_iterations": 10}, "implicitfast": {"integrator": 3},
                "RK4": {"integrator": 1}}

    def __init__(self, text, step, options):
        import mujoco
        self.mujoco, self.step = mujoco, step
        self.model = mujoco.MjModel.from_xml_string(text)
        for name, value in options.items():
            setattr(self.model.opt, name, value)
        self.data = mujoco.MjData(self.model)

    @staticmethod
    def version():
        import mujoco
        return mujoco.__version__

    def advance(self, seconds):
        self.mujoco.mj_step(self.model, self.data, nstep=round(seconds / self.step))
        if any(w.number for w in self.data.warning):
            raise RuntimeError("MuJoCo warned that its numbers went bad")

    def place(self, body, p, quat, w, v):
        joint = self.model.body(body).jntadr[0]
        q, dof = self.model.jnt_qposadr[joint], self.model.jnt_dofadr[joint]
        self.data.qpos[q:q + 7] = [*p, *quat]
        self.data.qvel[dof:dof + 6] = [*v, *(matrix_of(quat).T @ np.asarray(w, float))]

    def set_joint(self, joint, q, v):
        self.data.joint(joint).qpos[0], self.data.joint(joint).qvel[0] = q, v

    def control(self, actuator, value):
        self.data.actuator(actuator).ctrl[0] = value

    def pose(self, body):
        self.mujoco.mj_kinematics(self.model, self.data)
        return self.data.body(body).xpos.copy(), self.data.body(body).xmat.reshape(3, 3).copy()

    def velocity(self, body):
        self.mujoco.mj_kinematics(self.model, self.data)
        self.mujoco.mj_comPos(self.model, self.data)
        self.mujoco.mj_comVel(self.model, self.data)
        V = np.zeros(6)
        self.mujoco.mj_objectVelocity(self.model, self.data, self.mujoco.mjtObj.mjOBJ_XBODY, self.model.body(body).id, V, 0)
        return V[:3], V[3:]


class Drake:
    """MultibodyPlant with discrete updates. Point contact is what it does with the file as it stands; its documentation advises
    hydroelastic contact for flat faces, because a pair of shapes has only one contact point. `position` actuators become its
    implicit PD controllers; its reader of MJCF knows no gains, so that they are taken from the text."""

    variants = {"hydroelastic": {"compliance_type": "compliant"}, "point": {}}

    def __init__(self, text, step, options):
        from pydrake.geometry import DefaultProximityProperties, SceneGraphConfig
        from pydrake.multibody.parsing import Parser
        from pydrake.multibody.plant import AddMultibodyPlant, MultibodyPlantConfig
        from pydrake.multibody.tree import PdControllerGains
        from pydrake.systems.analysis import Simulator
        from pydrake.systems.framework import DiagramBuilder
        servos = self._servos(text)
        builder = DiagramBuilder()
        self.step = step
        self.plant, shapes = AddMultibodyPlant(MultibodyPlantConfig(time_step=step), builder)
        shapes.set_config(SceneGraphConfig(default_proximity_properties=DefaultProximityProperties(**options)))
        Parser(self.plant).AddModelsFromString(text.replace("<position", "<motor"), "xml")
        self._set_gravity(text)
        for name, (kp, kv) in servos.items():
            self.plant.GetJointActuatorByName(name).set_controller_gains(PdControllerGains(p=kp, d=kv))
        self.plant.Finalize()
        self.diagram = builder.Build()
        self.simulator = Simulator(self.diagram)
        self.context = self.plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        self._connect(servos)
        self.simulator.Initialize()

    @staticmethod
    def version():
        from importlib.metadata import version
        return version("drake")

    @staticmethod
    def _servos(text):
        import xml.etree.ElementTree as tree
        return {a.get("name"): (float(a.get("kp")), float(a.get("kv"))) for a in tree.fromstring(text).iter("position")}

    def _set_gravity(self, text):
        import xml.etree.ElementTree as tree
        self.plant.mutable_gravity_field().set_gravity_vector([float(x) for x in tree.fromstring(text).find("option").get("gravity").split()])

    def _connect(self, servos):
        self.inputs, self.servos = {}, servos
        self.torques = np.zeros(self.plant.num_actuators())
        self.targets = np.zeros(2 * self.plant.num_actuators())
        for index in self.plant.GetJointActuatorIndices():
            actuator = self.plant.get_joint_actuator(index)
            self.inputs[actuator.name()] = actuator.input_start()
        self._feed()

    def _feed(self):
        if len(self.servos) < len(self.inputs):
            self.plant.get_actuation_input_port().FixValue(self.context, self.torques)
        if self.servos:
            instance = self.plant.GetJointActuatorByName(next(iter(self.servos))).model_instance()
            self.plant.get_desired_state_input_port(instance).FixValue(self.context, self.targets)

    def advance(self, seconds):
        self.simulator.AdvanceTo(self.simulator.get_context().get_time() + seconds)

    def place(self, body, p, quat, w, v):
        from pydrake.math import RigidTransform
        from pydrake.common.eigen_geometry import Quaternion
        from pydrake.multibody.math import SpatialVelocity
        b = self.plant.GetBodyByName(body)
        self.plant.SetFreeBodyPose(self.context, b, RigidTransform(Quaternion(np.asarray(quat, float)), np.asarray(p, float)))
        self.plant.SetFreeBodySpatialVelocity(self.context, b, SpatialVelocity(np.asarray(w, float), np.asarray(v, float)))

    def set_joint(self, joint, q, v):
        j = self.plant.GetJointByName(joint)
        self.plant.SetPositions(self.context, self._with(self.plant.GetPositions(self.context), j.position_start(), q))
        self.plant.SetVelocities(self.context, self._with(self.plant.GetVelocities(self.context), j.velocity_start(), v))

    @staticmethod
    def _with(array, place, value):
        array = array.copy()
        array[place] = value
        return array

    def control(self, actuator, value):
        (self.targets if actuator in self.servos else self.torques)[self.inputs[actuator]] = value
        self._feed()

    def pose(self, body):
        X = self.plant.EvalBodyPoseInWorld(self.context, self.plant.GetBodyByName(body))
        return X.translation().copy(), X.rotation().matrix().copy()

    def velocity(self, body):
        V = self.plant.EvalBodySpatialVelocityInWorld(self.context, self.plant.GetBodyByName(body))
        return V.rotational().copy(), V.translational().copy()


ENGINES = {"holdfast": Holdfast, "mujoco": MuJoCo, "drake": Drake}
