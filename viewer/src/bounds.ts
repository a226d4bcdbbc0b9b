// Boxes around what a recording shows: how large the picture has to be.
import * as THREE from 'three';
import { GeomType, Model } from './model';
import { Frame } from './recording';

const FLOWN = 8;   // Something has flown away where it makes the scene this many times larger than at the start.
const LOOKS = 40;  // So many frames of a recording are looked at.
const NEAR = 0.2;  // What stands near what moves is this share of its size away, or less.
const BALL = 0.7;  // A geom that is no box counts as a ball of this share of the one that contains it.

export function diagonal(box: THREE.Box3): number { return box.getSize(new THREE.Vector3()).length(); }

// Box around everything that moves, over all frames given, and around what stands among it; without motion around all
// but planes.
export function boundsOf(model: Model, frames: Frame[]): THREE.Box3 {
  const every = Math.max(1, Math.floor(frames.length / LOOKS));
  let box = new THREE.Box3();
  const first = frames.length ? diagonal(boxAt(model, frames[0], true)) : 0;
  for (let i = 0; i < frames.length; i += every) {
    const more = box.clone().union(boxAt(model, frames[i], true));
    if (i > 0 && diagonal(more) > FLOWN * first) break; // The picture stays with what has not flown away.
    box = more;
  }
  if (!box.isEmpty()) return box.union(boxAt(model, frames[0], false, box));
  if (frames.length) box = boxAt(model, frames[0], false);
  return box.isEmpty() ? new THREE.Box3(new THREE.Vector3(-0.5, -0.5, -0.5), new THREE.Vector3(0.5, 0.5, 0.5)) : box;
}

// Box around the geoms that move or do not move, planes left out; among: of those alone that are near this box and no
// larger.
export function boxAt(model: Model, frame: Frame, moving: boolean, among?: THREE.Box3): THREE.Box3 {
  const box = new THREE.Box3();
  const type = model.get('geom_type');
  const body = model.get('geom_body');
  const largest = among ? diagonal(among) : Infinity;
  const near = among?.clone().expandByScalar(NEAR * largest);
  for (let g = 0; g < model.counts.ngeom; ++g) {
    if (type[g] === GeomType.Plane || model.isStatic(body[g]) === moving) continue;
    const own = boxOf(model, frame, g);
    if (!near || (diagonal(own) <= largest && near.intersectsBox(own))) box.union(own);
  }
  return box;
}

// Box around a geom: of boxes the exact one, of others that of a ball a little smaller than the one that contains it.
function boxOf(model: Model, frame: Frame, g: number): THREE.Box3 {
  const body = model.get('geom_body')[g], p = frame.pose.subarray(7 * body, 7 * body + 7);
  const three = (name: string) => new THREE.Vector3().fromArray(model.get(name), 3 * g);
  const turn = new THREE.Quaternion(p[4], p[5], p[6], p[3]);
  const centre = three('geom_pos').applyQuaternion(turn).add(new THREE.Vector3(p[0], p[1], p[2]));
  const half = new THREE.Vector3().setScalar(BALL * model.get('geom_rbound')[g]);
  if (model.get('geom_type')[g] === GeomType.Box) {
    const quat = model.get('geom_quat').subarray(4 * g, 4 * g + 4), s = three('geom_size');
    const ofGeom = new THREE.Quaternion(quat[1], quat[2], quat[3], quat[0]);
    const m = new THREE.Matrix4().makeRotationFromQuaternion(turn.multiply(ofGeom)).elements;
    half.fromArray([0, 1, 2].map(k => Math.abs(m[k]) * s.x + Math.abs(m[4 + k]) * s.y + Math.abs(m[8 + k]) * s.z));
  }
  return new THREE.Box3(centre.clone().sub(half), centre.add(half));
}
