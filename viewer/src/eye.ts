// Cameras of the model: where one stands and what it sees, as hf_dynamics_camera_pose has it.
import * as THREE from 'three';
import { Model } from './model';

const enum Mode { Fixed, Track, TrackCom, Target, TargetCom }
// An orthographic camera is drawn from this distance, in heights of the picture: from there its rays are nearly parallel.
const FAR_AWAY = 1000;

const vector = (a: ArrayLike<number>, at: number) => new THREE.Vector3(a[at], a[at + 1], a[at + 2]);
const quaternion = (a: ArrayLike<number>, at: number) => new THREE.Quaternion(a[at + 1], a[at + 2], a[at + 3], a[at]);

// Centre of mass of a body and all that it carries; its origin where they have no mass.
function centreOf(model: Model, bodies: THREE.Object3D[], body: number): THREE.Vector3 {
  const sum = new THREE.Vector3(), mass = model.get('body_mass'), com = model.get('body_com');
  let total = 0;
  for (let b = body; b < model.get('body_subtreeend')[body]; ++b) {
    total += mass[b];
    sum.addScaledVector(vector(com, 3 * b).applyQuaternion(bodies[b].quaternion).add(bodies[b].position), mass[b]);
  }
  return total > 0 ? sum.divideScalar(total) : bodies[body].position.clone();
}

function placeEye(model: Model, bodies: THREE.Object3D[], id: number, eye: THREE.Camera): void {
  const body = model.get('cam_body')[id], mode: Mode = model.get('cam_mode')[id], target = model.get('cam_target')[id];
  if (mode === Mode.Track || mode === Mode.TrackCom) {
    const followed = mode === Mode.Track ? bodies[body].position : centreOf(model, bodies, body);
    eye.position.copy(vector(model.get('cam_offset'), 3 * id).add(followed));
    eye.quaternion.copy(quaternion(model.get('cam_axes'), 4 * id));
    return;
  }
  const offset = vector(model.get('cam_pos'), 3 * id).applyQuaternion(bodies[body].quaternion);
  eye.position.copy(offset.add(bodies[body].position));
  eye.quaternion.copy(bodies[body].quaternion).multiply(quaternion(model.get('cam_quat'), 4 * id));
  if (mode >= Mode.Target) eye.lookAt(mode === Mode.Target ? bodies[target].position : centreOf(model, bodies, target));
}

// Gives the lens that the model says; a picture of another shape than the camera's shows more or less at its sides.
function setLens(model: Model, id: number, eye: THREE.PerspectiveCamera): void {
  const fovy = model.get('cam_fovy')[id];
  const chip = model.get('cam_sensorsize');
  const focal = model.get('cam_focal');
  const off = model.get('cam_principal');
  const pixels = model.get('cam_resolution'), has = chip[2 * id] > 0;
  if (model.get('cam_orthographic')[id]) {
    eye.translateZ(FAR_AWAY * fovy);
    eye.fov = 2 * Math.atan(0.5 / FAR_AWAY) * 180 / Math.PI;
    eye.near = 0.5 * FAR_AWAY * fovy; eye.far = 2 * FAR_AWAY * fovy;
  } else {
    eye.fov = fovy * 180 / Math.PI;
  }
  eye.updateProjectionMatrix();
  if (!has) return;
  const f = [0, 1].map(k => pixels[2 * id + k] * focal[2 * id + k] / chip[2 * id + k]); // focal lengths [pixels]
  const e = eye.projectionMatrix.elements;
  e[0] *= f[0] / f[1];
  e[8] = 2 * off[2 * id] / chip[2 * id];
  e[9] = 2 * off[2 * id + 1] / chip[2 * id + 1];
  eye.projectionMatrixInverse.copy(eye.projectionMatrix).invert();
}

// Looks through camera `id` of the model, whose bodies stand where they are drawn.
export function lookThrough(model: Model, bodies: THREE.Object3D[], id: number, eye: THREE.PerspectiveCamera): void {
  placeEye(model, bodies, id, eye);
  setLens(model, id, eye);
}
