"""What models and parameters have, for type checkers. Made of src/model/fields.txt (tests/model/test_fields.c)."""

from typing import Any

from numpy import float32, float64, int32
from numpy.typing import NDArray

class ModelFields:
    nq: int  # positions
    nv: int  # velocities, which are the degrees of freedom
    nu: int  # actuators and their controls
    na: int  # activations
    nM: int  # non-zeros of the lower triangle of M
    nbody: int  # bodies, the world included
    ntree: int  # kinematic trees
    njnt: int  # joints
    ngeom: int  # geoms
    nsite: int  # sites
    ncam: int  # cameras
    nmesh: int  # meshes
    nhullvert: int  # vertices of all hulls
    nhullface: int  # faces of all hulls
    nhullfacevert: int  # vertices around all faces
    nhulledge: int  # directed edges of all hulls
    nsurfvert: int  # vertices of all surfaces
    nsurftri: int  # triangles of all surfaces
    nhfield: int  # height fields
    nhfieldheight: int  # heights of all height fields
    nhfieldtri: int  # triangles of all height fields
    ntendon: int  # tendons
    nwrap: int  # places on all tendons
    neq: int  # equalities
    npair: int  # explicit contact pairs
    nexclude: int  # excluded pairs of bodies
    nmocap: int  # mocap bodies
    nkey: int  # keyframes
    nsensor: int  # sensors
    nsensordata: int  # numbers of all sensors
    nsignal: int  # signals
    nsignaldata: int  # numbers of all signals
    nhistory: int  # numbers of the histories in a state
    nrest: int  # rests of springs in a state
    nnames: int  # bytes of all names
    body_parent: NDArray[int32]  # (nbody) parent body; 0 for the world itself
    body_jntadr: NDArray[int32]  # (nbody) first joint, or -1
    body_jntnum: NDArray[int32]  # (nbody) number of joints
    body_dofadr: NDArray[int32]  # (nbody) first dof, or -1
    body_dofnum: NDArray[int32]  # (nbody) number of dofs of its joints
    body_geomadr: NDArray[int32]  # (nbody) first geom, or -1
    body_geomnum: NDArray[int32]  # (nbody) number of geoms
    body_tree: NDArray[int32]  # (nbody) kinematic tree, -1: fixed in the world or mocap
    body_root: NDArray[int32]  # (nbody) ancestor that is a child of the world (0 for the world)
    body_weld: NDArray[int32]  # (nbody) nearest ancestor-or-self with joints or mocap, or 0
    body_lastdof: NDArray[int32]  # (nbody) last dof that moves it, -1: none
    body_mocap: NDArray[int32]  # (nbody) mocap id, or -1
    body_subtreeend: NDArray[int32]  # (nbody) one past the last body of its subtree
    body_pos: NDArray[float64]  # (nbody, 3) p_PB at q = 0 [m]
    body_quat: NDArray[float64]  # (nbody, 4) q_PB at q = 0
    body_mass: NDArray[float64]  # (nbody) [kg]
    body_com: NDArray[float64]  # (nbody, 3) p_BoBcm_B [m]
    body_inertia: NDArray[float64]  # (nbody, 6) about Bcm in B: xx yy zz xy xz yz [kg m^2]
    body_iquat: NDArray[float64]  # (nbody, 4) principal axes in B
    body_gravcomp: NDArray[float64]  # (nbody) fraction of its weight that is compensated [-]
    body_subtreemass: NDArray[float64]  # (nbody) [kg]
    tree_body: NDArray[int32]  # (ntree) first body with a dof
    tree_dofadr: NDArray[int32]  # (ntree) first dof
    tree_dofnum: NDArray[int32]  # (ntree) number of dofs
    tree_sleep: NDArray[int32]  # (ntree) hfSleepPolicy
    jnt_type: NDArray[int32]  # (njnt) hfJointType
    jnt_body: NDArray[int32]  # (njnt) body that it moves
    jnt_qposadr: NDArray[int32]  # (njnt) first coordinate in q
    jnt_dofadr: NDArray[int32]  # (njnt) first dof
    jnt_limited: NDArray[int32]  # (njnt) 1: its range limits it
    jnt_actfrclimited: NDArray[int32]  # (njnt) 1: actfrcrange bounds the summed force of its actuators
    jnt_actgravcomp: NDArray[int32]  # (njnt) gravity compensation counts as actuator force
    jnt_pos: NDArray[float64]  # (njnt, 3) anchor in B [m]
    jnt_axis: NDArray[float64]  # (njnt, 3) unit, in B
    jnt_pitch: NDArray[float64]  # (njnt) screw: travel along the axis per angle, right-handed [m/rad]
    jnt_range: NDArray[float64]  # (njnt, 2) [m or rad]; ball: [0, largest angle]
    jnt_margin: NDArray[float64]  # (njnt) distance to the limit at which it begins to act [m or rad]
    jnt_stiffness: NDArray[float64]  # (njnt) [N/m or N m/rad]
    jnt_springyield: NDArray[float64]  # (njnt) displacement from which on the spring yields; 0: never [m or rad]
    jnt_stiffness_poly: NDArray[float64]  # (njnt, 2) of x^2 and x^3; the force is -(a x + b x^2 + c x^3)
    jnt_bend: NDArray[float64]  # (njnt, 3) ball: stiffness against turns about the axes of its parent body [N m/rad]
    jnt_bend_rest: NDArray[float64]  # (njnt, 3) ball: rotation vector of the body in its parent where that rests [rad]
    jnt_limit_stiffness: NDArray[float64]  # (njnt) 0: near-rigid [N/m or N m/rad]
    jnt_limit_damping: NDArray[float64]  # (njnt) [N s/m or N m s/rad]
    jnt_limit_solref: NDArray[float64]  # (njnt, 2) MuJoCo's, where the model set it; else (0, 0)
    jnt_limit_solimp: NDArray[float64]  # (njnt, 5) MuJoCo's impedance of the limit; counts with limit_solref
    jnt_actfrcrange: NDArray[float64]  # (njnt, 2) bounds of the summed actuator force [N or N m]
    qpos0: NDArray[float64]  # (nq) reference configuration
    qpos_spring: NDArray[float64]  # (nq) springs rest here
    dof_body: NDArray[int32]  # (nv) body that it moves
    dof_jnt: NDArray[int32]  # (nv) joint that it belongs to
    dof_parent: NDArray[int32]  # (nv) previous dof on the way to the root, or -1
    dof_tree: NDArray[int32]  # (nv) kinematic tree
    dof_depth: NDArray[int32]  # (nv) dofs above it
    dof_Madr: NDArray[int32]  # (nv) row of M: dof_depth + 1 entries, ancestors ascending, diagonal last
    M_col: NDArray[int32]  # (nM) column of each entry
    dof_armature: NDArray[float64]  # (nv) [kg or kg m^2]
    dof_damping: NDArray[float64]  # (nv) [N s/m or N m s/rad]
    dof_damping_poly: NDArray[float64]  # (nv, 2) of v|v| and v^3
    dof_frictionloss: NDArray[float64]  # (nv) [N or N m]
    dof_M0: NDArray[float64]  # (nv) diagonal of M at qpos0, armature included [kg or kg m^2]
    geom_type: NDArray[int32]  # (ngeom) hfGeomType
    geom_body: NDArray[int32]  # (ngeom) body that it is fixed in
    geom_mesh: NDArray[int32]  # (ngeom) mesh of a geom of type mesh; else -1
    geom_hfield: NDArray[int32]  # (ngeom) height field of a geom of type hfield; else -1
    geom_contype: NDArray[int32]  # (ngeom) bits that touch the conaffinity bits of other geoms
    geom_conaffinity: NDArray[int32]  # (ngeom) bits that are touched by the contype bits of other geoms
    geom_condim: NDArray[int32]  # (ngeom) 1, 3, 4 or 6
    geom_priority: NDArray[int32]  # (ngeom) of two geoms the one with the higher priority gives the friction
    geom_group: NDArray[int32]  # (ngeom) group, for drawing and for inferred inertias
    geom_pos: NDArray[float64]  # (ngeom, 3) p_BG [m]
    geom_quat: NDArray[float64]  # (ngeom, 4) q_BG
    geom_size: NDArray[float64]  # (ngeom, 3) meaning by type: hfGeomType [m]
    geom_friction: NDArray[float64]  # (ngeom, 3) sliding [-], torsional [m], rolling [m] (static)
    geom_friction_dynamic: NDArray[float64]  # (ngeom) sliding; negative: same as static [-]
    geom_margin: NDArray[float64]  # (ngeom) contacts are found below this gap, of two geoms the sum [m]
    geom_gap: NDArray[float64]  # (ngeom) and act below margin - gap, of two geoms the sums [m]
    geom_solmix: NDArray[float64]  # (ngeom) weight of its solref and solimp beside those of the other geom [-]
    geom_stiffness: NDArray[float64]  # (ngeom) k; negative: the world's default [N/m]
    geom_dissipation: NDArray[float64]  # (ngeom) d; negative: the world's default [s/m]
    geom_stiction_speed: NDArray[float64]  # (ngeom) negative: the world's default [m/s]
    geom_tangential_stiffness: NDArray[float64]  # (ngeom) negative: ratio times k [N/m]
    geom_restitution: NDArray[float64]  # (ngeom) speed after an impact over that before [-]
    geom_tangential_damping: NDArray[float64]  # (ngeom) negative: critical [N s/m]
    geom_surface_velocity: NDArray[float64]  # (ngeom, 6) of the surface as contacts see it, a belt: linear, then angular about the geom's origin, in its frame [m/s, rad/s]
    geom_adhesion: NDArray[float64]  # (ngeom) force with which each contact point pulls; of two geoms the sum [N]
    geom_solref: NDArray[float64]  # (ngeom, 2) MuJoCo's, where the model set it; else (0, 0)
    geom_solimp: NDArray[float64]  # (ngeom, 5) MuJoCo's impedance; counts with solref
    geom_fluid: NDArray[float64]  # (ngeom, 12) as an ellipsoid in a medium: 1 (0: not so), coefficients of blunt, slender and angular drag, Kutta and Magnus; mass (3) and moment (3) it carries over the density [m^3, m^5]
    geom_fluid_axes: NDArray[float64]  # (ngeom, 3) half axes of that ellipsoid [m]
    geom_fluid_quat: NDArray[float64]  # (ngeom, 4) its orientation in B
    geom_rbound: NDArray[float64]  # (ngeom) bounding radius about the centre, 0: infinite [m]
    geom_rgba: NDArray[float32]  # (ngeom, 4) colour, 0 to 1
    mesh_vertadr: NDArray[int32]  # (nmesh) first vertex in hull_vert
    mesh_vertnum: NDArray[int32]  # (nmesh) number of vertices of its hull
    mesh_faceadr: NDArray[int32]  # (nmesh) into hull_faceplane
    mesh_facenum: NDArray[int32]  # (nmesh) number of faces of its hull
    mesh_facevertadr: NDArray[int32]  # (nmesh) first entry in hull_facevert
    mesh_edgeadr: NDArray[int32]  # (nmesh) into hull_edgevert
    hull_vert: NDArray[float64]  # (nhullvert, 3) vertices of hulls [m]
    hull_faceplane: NDArray[float64]  # (nhullface, 4) outward unit normal and offset [m] of each face
    hull_facestart: NDArray[int32]  # (nhullface+nmesh) mesh i at mesh_faceadr + i, facenum + 1 entries, local
    hull_facevert: NDArray[int32]  # (nhullfacevert) vertices around each face, local to the mesh
    hull_edgestart: NDArray[int32]  # (nhullvert+nmesh) mesh i at mesh_vertadr + i, vertnum + 1 entries, local
    hull_edgevert: NDArray[int32]  # (nhulledge) neighbours of each vertex, local to the mesh
    mesh_surfvertadr: NDArray[int32]  # (nmesh) first vertex in surf_vert
    mesh_surfvertnum: NDArray[int32]  # (nmesh) number of vertices of its surface
    mesh_surftriadr: NDArray[int32]  # (nmesh) first triangle in surf_tri
    mesh_surftrinum: NDArray[int32]  # (nmesh) number of triangles of its surface
    surf_vert: NDArray[float32]  # (nsurfvert, 3) vertices of surfaces [m]
    surf_tri: NDArray[int32]  # (nsurftri, 3) counter-clockwise seen from outside; local to the mesh
    hfield_nrow: NDArray[int32]  # (nhfield) vertices along y
    hfield_ncol: NDArray[int32]  # (nhfield) vertices along x
    hfield_adr: NDArray[int32]  # (nhfield) into hfield_height
    hfield_regionadr: NDArray[int32]  # (nhfield) into hfield_region
    hfield_size: NDArray[float64]  # (nhfield, 3) half lengths along x and y, base [m]
    hfield_range: NDArray[float64]  # (nhfield, 2) lowest and highest height [m]
    hfield_height: NDArray[float64]  # (nhfieldheight) z in the geom's frame, rows along +y [m]
    hfield_region: NDArray[int32]  # (nhfieldtri) equal for connected triangles in one plane
    site_body: NDArray[int32]  # (nsite) body that it is fixed in
    site_type: NDArray[int32]  # (nsite) hfGeomType, for touch sensors
    site_pos: NDArray[float64]  # (nsite, 3) p_BS [m]
    site_quat: NDArray[float64]  # (nsite, 4) q_BS
    site_size: NDArray[float64]  # (nsite, 3) meaning by type, as of geoms [m]
    cam_body: NDArray[int32]  # (ncam) body that it is fixed in
    cam_mode: NDArray[int32]  # (ncam) hfCameraMode
    cam_target: NDArray[int32]  # (ncam) body that it looks at, or -1
    cam_orthographic: NDArray[int32]  # (ncam) 1: rays are parallel
    cam_resolution: NDArray[int32]  # (ncam, 2) pixels: width, height
    cam_pos: NDArray[float64]  # (ncam, 3) p_BC [m]
    cam_quat: NDArray[float64]  # (ncam, 4) q_BC
    cam_offset: NDArray[float64]  # (ncam, 3) tracking: from what it follows to the camera at qpos0, in the world [m]
    cam_axes: NDArray[float64]  # (ncam, 4) tracking: q_WC
    cam_fovy: NDArray[float64]  # (ncam) vertical angle of the picture [rad]; orthographic: its height [m]
    cam_sensorsize: NDArray[float64]  # (ncam, 2) of the chip, width and height [m]; 0: fovy and square pixels say all
    cam_focal: NDArray[float64]  # (ncam, 2) focal lengths of a chip, along x and y [m]
    cam_principal: NDArray[float64]  # (ncam, 2) how far the middle of a chip is to the right of the optical axis, and above it [m]
    tendon_adr: NDArray[int32]  # (ntendon) first of its wraps
    tendon_num: NDArray[int32]  # (ntendon) number of its wraps
    tendon_limited: NDArray[int32]  # (ntendon) 1: its range limits it
    tendon_actfrclimited: NDArray[int32]  # (ntendon) 1: actfrcrange bounds the summed force of its actuators
    tendon_range: NDArray[float64]  # (ntendon, 2) lengths at which it is limited [m, or that of a fixed tendon]
    tendon_margin: NDArray[float64]  # (ntendon) distance to the limit at which it begins to act [m]
    tendon_limit_solref: NDArray[float64]  # (ntendon, 2) MuJoCo's, where the model set it; else (0, 0)
    tendon_limit_solimp: NDArray[float64]  # (ntendon, 5) MuJoCo's impedance of the limit; counts with limit_solref
    tendon_stiffness: NDArray[float64]  # (ntendon) of its spring [N/m]
    tendon_springyield: NDArray[float64]  # (ntendon) stretch from which on the spring yields; 0: never [m]
    tendon_damping: NDArray[float64]  # (ntendon) [N s/m]
    tendon_stiffness_poly: NDArray[float64]  # (ntendon, 2) of x^2 and x^3
    tendon_damping_poly: NDArray[float64]  # (ntendon, 2) of v|v| and v^3
    tendon_frictionloss: NDArray[float64]  # (ntendon) dry friction [N]
    tendon_armature: NDArray[float64]  # (ntendon) inertia against changes of its length [kg]
    tendon_springlength: NDArray[float64]  # (ntendon, 2) dead band of the spring
    tendon_actfrcrange: NDArray[float64]  # (ntendon, 2) bounds of the summed actuator force [N]
    tendon_length0: NDArray[float64]  # (ntendon) of a spatial tendon at qpos0 [m]; else 0
    wrap_type: NDArray[int32]  # (nwrap) hfWrapType
    wrap_obj: NDArray[int32]  # (nwrap) joint, site or geom; -1: pulley
    wrap_side: NDArray[int32]  # (nwrap) geom: site on the side where the tendon passes, or -1
    wrap_coef: NDArray[float64]  # (nwrap) joint: coefficient; pulley: divisor
    eq_type: NDArray[int32]  # (neq) hfEqualityType
    eq_objkind: NDArray[int32]  # (neq) BODY or SITE for connect and weld
    eq_obj1: NDArray[int32]  # (neq) first object
    eq_obj2: NDArray[int32]  # (neq) -1 where there is none
    eq_active: NDArray[int32]  # (neq) 1: it acts
    eq_data: NDArray[float64]  # (neq, 11) connect: anchor1(3) anchor2(3); weld: anchor in 2 (3), in 1 (3), quat of 2 in 1 (4), torquescale; joint, tendon: polycoef(5)
    eq_solref: NDArray[float64]  # (neq, 2) where the model set it; else (0, 0): near-rigid
    eq_solimp: NDArray[float64]  # (neq, 5) MuJoCo's impedance; counts with solref
    pair_geom: NDArray[int32]  # (npair, 2) the two geoms
    pair_condim: NDArray[int32]  # (npair) 1, 3, 4 or 6
    pair_friction: NDArray[float64]  # (npair, 5) slide1 slide2 torsion roll1 roll2
    pair_margin: NDArray[float64]  # (npair) contacts are found below this gap [m]
    pair_gap: NDArray[float64]  # (npair) and act below margin - gap [m]
    pair_adhesion: NDArray[float64]  # (npair) force with which each contact point pulls [N]
    pair_solref: NDArray[float64]  # (npair, 2) MuJoCo's, where the model set it; else (0, 0)
    pair_solimp: NDArray[float64]  # (npair, 5) MuJoCo's impedance; counts with solref
    exclude_body: NDArray[int32]  # (nexclude, 2) the two bodies
    actuator_trntype: NDArray[int32]  # (nu) hfTransmission
    actuator_trnid: NDArray[int32]  # (nu, 2) joint, tendon, site or body; reference site, site of the slider, or -1
    actuator_dyntype: NDArray[int32]  # (nu) hfActivation
    actuator_gaintype: NDArray[int32]  # (nu) hfGain
    actuator_biastype: NDArray[int32]  # (nu) hfBias
    actuator_ctrllimited: NDArray[int32]  # (nu) 1: ctrlrange clamps its control
    actuator_forcelimited: NDArray[int32]  # (nu) 1: forcerange clamps its force
    actuator_actlimited: NDArray[int32]  # (nu) 1: actrange clamps its activation
    actuator_actadr: NDArray[int32]  # (nu) first activation; -1: none
    actuator_actearly: NDArray[int32]  # (nu) 1: its force uses the activation at the end of the step
    actuator_drive: NDArray[int32]  # (nu) hfDriveLaw
    actuator_signal: NDArray[int32]  # (nu) signal that drives it, or -1
    actuator_inputs: NDArray[int32]  # (nu) hfMotorInput or hfOrientationInput
    actuator_states: NDArray[int32]  # (nu) of DC motors: hfMotorState
    actuator_nsample: NDArray[int32]  # (nu) controls of the last steps that states keep; 0: none
    actuator_interp: NDArray[int32]  # (nu) hfInterpolation
    actuator_historyadr: NDArray[int32]  # (nu) into the history of a state: nsample times, then controls; -1: none
    actuator_group: NDArray[int32]  # (nu) bit of disabled_groups that switches it off
    actuator_dynprm: NDArray[float64]  # (nu, 3) time constant [s]; of HF_ACTIVATION_ERROR the gain
    actuator_gainprm: NDArray[float64]  # (nu, 3) gain = p0 + p1 length + p2 velocity
    actuator_biasprm: NDArray[float64]  # (nu, 3) bias = p0 + p1 length + p2 velocity
    actuator_muscle: NDArray[float64]  # (nu, 8) of muscles: tendon length, resting length [m], peak force [N], lmin, lmax, vmax, fpmax, fvmax
    actuator_passive: NDArray[float64]  # (nu, 5) of passive forces of muscles: tendon length, resting length [m], peak force [N], lmax, fpmax
    actuator_motor: NDArray[float64]  # (nu, HF_MOTOR_PARAMETERS) of DC motors: hfMotorParameter; else 0
    actuator_ctrlrange: NDArray[float64]  # (nu, 2) bounds of the control
    actuator_forcerange: NDArray[float64]  # (nu, 2) bounds of the force [N or N m]
    actuator_actrange: NDArray[float64]  # (nu, 2) bounds of the activation
    actuator_gear: NDArray[float64]  # (nu, 6) joint, tendon, slider-crank: [0]; site: force, then torque, in its axes
    actuator_delay: NDArray[float64]  # (nu) how much later a control acts; 0: at once [s]
    actuator_cranklength: NDArray[float64]  # (nu) of a slider-crank: length of its rod [m]; else 0
    actuator_length0: NDArray[float64]  # (nu) at qpos0
    signal_type: NDArray[int32]  # (nsignal) hfSignalType
    signal_adr: NDArray[int32]  # (nsignal) into signal_data: parameters, or time-value pairs
    signal_num: NDArray[int32]  # (nsignal) how many numbers it has
    signal_data: NDArray[float64]  # (nsignaldata) numbers of all signals
    sensor_type: NDArray[int32]  # (nsensor) hfSensorType
    sensor_objkind: NDArray[int32]  # (nsensor) kind of what it measures (hfObjectKind)
    sensor_obj: NDArray[int32]  # (nsensor) id of what it measures, or -1
    sensor_refkind: NDArray[int32]  # (nsensor) kind of its reference (hfObjectKind)
    sensor_ref: NDArray[int32]  # (nsensor) id of its reference, or -1
    sensor_dim: NDArray[int32]  # (nsensor) how many numbers it delivers
    sensor_data: NDArray[int32]  # (nsensor) bits: hfContactData or hfRayData
    sensor_num: NDArray[int32]  # (nsensor) contacts that a contact sensor reports
    sensor_reduce: NDArray[int32]  # (nsensor) hfContactReduce
    sensor_subtree: NDArray[int32]  # (nsensor) bit 0, 1: the object, the reference is a body with all it carries
    sensor_adr: NDArray[int32]  # (nsensor) into the sensor data (nsensordata)
    sensor_positive: NDArray[int32]  # (nsensor) 1: the cutoff clamps to [0, cutoff], else to +-cutoff
    sensor_nsample: NDArray[int32]  # (nsensor) measurements that states keep; 0: none
    sensor_interp: NDArray[int32]  # (nsensor) hfInterpolation
    sensor_historyadr: NDArray[int32]  # (nsensor) into the history of a state: the time at which the last measurement was due, nsample + 1 times, then as many rows; -1: none
    sensor_interval: NDArray[float64]  # (nsensor, 2) time between measurements, 0: each step; when they begin, from -interval to 0 [s]
    sensor_delay: NDArray[float64]  # (nsensor) how much later its numbers arrive; 0: at once [s]
    sensor_noise: NDArray[float64]  # (nsensor) standard deviation, for sims with a noise_seed
    sensor_cutoff: NDArray[float64]  # (nsensor) 0: none
    mocap_body: NDArray[int32]  # (nmocap) its body
    key_time: NDArray[float64]  # (nkey) [s]
    key_qpos: NDArray[float64]  # (nkey, nq) positions
    key_qvel: NDArray[float64]  # (nkey, nv) velocities
    key_act: NDArray[float64]  # (nkey, na) activations
    key_ctrl: NDArray[float64]  # (nkey, nu) controls
    key_mpos: NDArray[float64]  # (nkey, 3*nmocap) p_WB of mocap bodies [m]
    key_mquat: NDArray[float64]  # (nkey, 4*nmocap) q_WB of mocap bodies
    body_name: NDArray[int32]  # (nbody) where its name begins in names, or -1
    jnt_name: NDArray[int32]  # (njnt) where its name begins in names, or -1
    geom_name: NDArray[int32]  # (ngeom) where its name begins in names, or -1
    site_name: NDArray[int32]  # (nsite) where its name begins in names, or -1
    cam_name: NDArray[int32]  # (ncam) where its name begins in names, or -1
    mesh_name: NDArray[int32]  # (nmesh) where its name begins in names, or -1
    hfield_name: NDArray[int32]  # (nhfield) where its name begins in names, or -1
    tendon_name: NDArray[int32]  # (ntendon) where its name begins in names, or -1
    eq_name: NDArray[int32]  # (neq) where its name begins in names, or -1
    actuator_name: NDArray[int32]  # (nu) where its name begins in names, or -1
    sensor_name: NDArray[int32]  # (nsensor) where its name begins in names, or -1
    key_name: NDArray[int32]  # (nkey) where its name begins in names, or -1
    pair_name: NDArray[int32]  # (npair) where its name begins in names, or -1

class Parameter:  # an array to which anything can be assigned that has its shape
    def __get__(self, owner: Any, kind: Any = None) -> NDArray[float64]: ...
    def __set__(self, owner: Any, value: Any) -> None: ...

class ParameterFields:
    body_mass: Parameter  # (nbody) [kg]
    body_com: Parameter  # (nbody, 3) p_BoBcm_B [m]
    body_inertia: Parameter  # (nbody, 6) about Bcm in B: xx yy zz xy xz yz [kg m^2]
    body_iquat: Parameter  # (nbody, 4) principal axes in B
    body_gravcomp: Parameter  # (nbody) fraction of its weight that is compensated [-]
    body_subtreemass: Parameter  # (nbody) [kg]
    jnt_range: Parameter  # (njnt, 2) [m or rad]; ball: [0, largest angle]
    jnt_margin: Parameter  # (njnt) distance to the limit at which it begins to act [m or rad]
    jnt_stiffness: Parameter  # (njnt) [N/m or N m/rad]
    jnt_stiffness_poly: Parameter  # (njnt, 2) of x^2 and x^3; the force is -(a x + b x^2 + c x^3)
    jnt_bend: Parameter  # (njnt, 3) ball: stiffness against turns about the axes of its parent body [N m/rad]
    jnt_bend_rest: Parameter  # (njnt, 3) ball: rotation vector of the body in its parent where that rests [rad]
    jnt_limit_stiffness: Parameter  # (njnt) 0: near-rigid [N/m or N m/rad]
    jnt_limit_damping: Parameter  # (njnt) [N s/m or N m s/rad]
    jnt_limit_solref: Parameter  # (njnt, 2) MuJoCo's, where the model set it; else (0, 0)
    jnt_limit_solimp: Parameter  # (njnt, 5) MuJoCo's impedance of the limit; counts with limit_solref
    jnt_actfrcrange: Parameter  # (njnt, 2) bounds of the summed actuator force [N or N m]
    qpos_spring: Parameter  # (nq) springs rest here
    dof_armature: Parameter  # (nv) [kg or kg m^2]
    dof_damping: Parameter  # (nv) [N s/m or N m s/rad]
    dof_damping_poly: Parameter  # (nv, 2) of v|v| and v^3
    dof_frictionloss: Parameter  # (nv) [N or N m]
    dof_M0: Parameter  # (nv) diagonal of M at qpos0, armature included [kg or kg m^2]
    geom_size: Parameter  # (ngeom, 3) meaning by type: hfGeomType [m]
    geom_friction: Parameter  # (ngeom, 3) sliding [-], torsional [m], rolling [m] (static)
    geom_friction_dynamic: Parameter  # (ngeom) sliding; negative: same as static [-]
    geom_solmix: Parameter  # (ngeom) weight of its solref and solimp beside those of the other geom [-]
    geom_stiffness: Parameter  # (ngeom) k; negative: the world's default [N/m]
    geom_dissipation: Parameter  # (ngeom) d; negative: the world's default [s/m]
    geom_stiction_speed: Parameter  # (ngeom) negative: the world's default [m/s]
    geom_tangential_stiffness: Parameter  # (ngeom) negative: ratio times k [N/m]
    geom_restitution: Parameter  # (ngeom) speed after an impact over that before [-]
    geom_tangential_damping: Parameter  # (ngeom) negative: critical [N s/m]
    geom_surface_velocity: Parameter  # (ngeom, 6) of the surface as contacts see it, a belt: linear, then angular about the geom's origin, in its frame [m/s, rad/s]
    geom_adhesion: Parameter  # (ngeom) force with which each contact point pulls; of two geoms the sum [N]
    geom_solref: Parameter  # (ngeom, 2) MuJoCo's, where the model set it; else (0, 0)
    geom_solimp: Parameter  # (ngeom, 5) MuJoCo's impedance; counts with solref
    geom_fluid: Parameter  # (ngeom, 12) as an ellipsoid in a medium: 1 (0: not so), coefficients of blunt, slender and angular drag, Kutta and Magnus; mass (3) and moment (3) it carries over the density [m^3, m^5]
    geom_rbound: Parameter  # (ngeom) bounding radius about the centre, 0: infinite [m]
    tendon_range: Parameter  # (ntendon, 2) lengths at which it is limited [m, or that of a fixed tendon]
    tendon_margin: Parameter  # (ntendon) distance to the limit at which it begins to act [m]
    tendon_limit_solref: Parameter  # (ntendon, 2) MuJoCo's, where the model set it; else (0, 0)
    tendon_limit_solimp: Parameter  # (ntendon, 5) MuJoCo's impedance of the limit; counts with limit_solref
    tendon_stiffness: Parameter  # (ntendon) of its spring [N/m]
    tendon_damping: Parameter  # (ntendon) [N s/m]
    tendon_stiffness_poly: Parameter  # (ntendon, 2) of x^2 and x^3
    tendon_damping_poly: Parameter  # (ntendon, 2) of v|v| and v^3
    tendon_frictionloss: Parameter  # (ntendon) dry friction [N]
    tendon_armature: Parameter  # (ntendon) inertia against changes of its length [kg]
    tendon_springlength: Parameter  # (ntendon, 2) dead band of the spring
    tendon_actfrcrange: Parameter  # (ntendon, 2) bounds of the summed actuator force [N]
    wrap_coef: Parameter  # (nwrap) joint: coefficient; pulley: divisor
    eq_data: Parameter  # (neq, 11) connect: anchor1(3) anchor2(3); weld: anchor in 2 (3), in 1 (3), quat of 2 in 1 (4), torquescale; joint, tendon: polycoef(5)
    eq_solref: Parameter  # (neq, 2) where the model set it; else (0, 0): near-rigid
    eq_solimp: Parameter  # (neq, 5) MuJoCo's impedance; counts with solref
    pair_friction: Parameter  # (npair, 5) slide1 slide2 torsion roll1 roll2
    pair_adhesion: Parameter  # (npair) force with which each contact point pulls [N]
    pair_solref: Parameter  # (npair, 2) MuJoCo's, where the model set it; else (0, 0)
    pair_solimp: Parameter  # (npair, 5) MuJoCo's impedance; counts with solref
    actuator_dynprm: Parameter  # (nu, 3) time constant [s]; of HF_ACTIVATION_ERROR the gain
    actuator_gainprm: Parameter  # (nu, 3) gain = p0 + p1 length + p2 velocity
    actuator_biasprm: Parameter  # (nu, 3) bias = p0 + p1 length + p2 velocity
    actuator_muscle: Parameter  # (nu, 8) of muscles: tendon length, resting length [m], peak force [N], lmin, lmax, vmax, fpmax, fvmax
    actuator_passive: Parameter  # (nu, 5) of passive forces of muscles: tendon length, resting length [m], peak force [N], lmax, fpmax
    actuator_motor: Parameter  # (nu, HF_MOTOR_PARAMETERS) of DC motors: hfMotorParameter; else 0
    actuator_ctrlrange: Parameter  # (nu, 2) bounds of the control
    actuator_forcerange: Parameter  # (nu, 2) bounds of the force [N or N m]
    actuator_actrange: Parameter  # (nu, 2) bounds of the activation
    actuator_gear: Parameter  # (nu, 6) joint, tendon, slider-crank: [0]; site: force, then torque, in its axes
    actuator_delay: Parameter  # (nu) how much later a control acts; 0: at once [s]
    actuator_cranklength: Parameter  # (nu) of a slider-crank: length of its rod [m]; else 0
    sensor_delay: Parameter  # (nsensor) how much later its numbers arrive; 0: at once [s]
    sensor_noise: Parameter  # (nsensor) standard deviation, for sims with a noise_seed
