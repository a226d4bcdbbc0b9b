// Where the camera stands at first: the usual direction, unless things that stand there (shelves, walls of a bin) hide
// what moves.
import * as THREE from 'three';
import { GeomType, Model } from './model';
import { Frame } from './recording';

const USUAL = new THREE.Vector3(0.62, -0.9, 0.5).normalize();
const TURNS = [0, 90, -90, 45, -45, 135, -135, 180]; // about the vertical, from the usual direction [degrees]
const STEEP = 60;      // elevation from which one looks into boxes [degrees]
const WORTH = 0.25;    // another direction must show so much more of what moves
const MOST = 60;       // moving geoms that are looked at

interface Wall { toLocal: THREE.Matrix4; half: THREE.Vector3 }

function poseOf(model: Model, frame: Frame, g: number): THREE.Matrix4 {
  const body = model.get('geom_body')[g];
  const pose = (p: ArrayLike<number>, q: ArrayLike<number>) => new THREE.Matrix4().compose(
    new THREE.Vector3(p[0], p[1], p[2]), new THREE.Quaternion(q[1], q[2], q[3], q[0]), new THREE.Vector3(1, 1, 1));

  const ofBody = frame.pose.subarray(7 * body, 7 * body + 7); // position, then the quaternion with w first
  const pos = model.get('geom_pos').subarray(3 * g, 3 * g + 3);
  const quat = model.get('geom_quat').subarray(4 * g, 4 * g + 4);
  return pose(ofBody, ofBody.subarray(3)).multiply(pose(pos, quat));
}

// Whether the line from a to b meets a box, both given in the frame of the box.
function meets(a: THREE.Vector3, b: THREE.Vector3, half: THREE.Vector3): boolean {
  let from = 0, to = 1;
  for (const k of ['x', 'y', 'z'] as const) {
    const d = b[k] - a[k];
    if (Math.abs(d) < 1e-12) { if (Math.abs(a[k]) > half[k]) return false; continue; }
    const s = (-half[k] - a[k]) / d, t = (half[k] - a[k]) / d;
    from = Math.max(from, Math.min(s, t));
    to = Math.min(to, Math.max(s, t));
  }
  return from < to;
}

// Share of the points that the walls hide from an eye.
function hidden(eye: THREE.Vector3, points: THREE.Vector3[], walls: Wall[]): number {
  const isHidden = (p: THREE.Vector3) => walls.some(w =>
    meets(eye.clone().applyMatrix4(w.toLocal), p.clone().applyMatrix4(w.toLocal), w.half));
  return points.filter(isHidden).length / Math.max(1, points.length);
}

// Unit vector from what is looked at to the camera, which stands at a distance from the centre [m].
export function viewDirection(model: Model, frame: Frame | undefined, centre: THREE.Vector3,
  distance: number): THREE.Vector3 {
  const points: THREE.Vector3[] = [], walls: Wall[] = [];
  for (let g = 0; frame && g < model.counts.ngeom; ++g) {
    const fixed = model.isStatic(model.get('geom_body')[g]), pose = poseOf(model, frame, g);
    if (!fixed) points.push(new THREE.Vector3().setFromMatrixPosition(pose));
    else if (model.get('geom_type')[g] === GeomType.Box && model.get('geom_rgba')[4 * g + 3] === 1)
      walls.push({ toLocal: pose.invert(), half: new THREE.Vector3().fromArray(model.get('geom_size'), 3 * g) });
  }
  const every = Math.max(1, Math.ceil(points.length / MOST)), some = points.filter((_, i) => i % every === 0);
  const rise = Math.hypot(USUAL.x, USUAL.y) * Math.tan(STEEP * Math.PI / 180);
  const steep = new THREE.Vector3(USUAL.x, USUAL.y, rise).normalize();
  const up = new THREE.Vector3(0, 0, 1);
  const turned = (d: THREE.Vector3) => TURNS.map(t => d.clone().applyAxisAngle(up, t * Math.PI / 180));
  const directions = [USUAL, steep].flatMap(turned);
  let best = USUAL, least = hidden(centre.clone().addScaledVector(USUAL, distance), some, walls);
  for (const d of directions) {
    const share = hidden(centre.clone().addScaledVector(d, distance), some, walls);
    if (share < least - (best === USUAL ? WORTH : 0)) [best, least] = [d, share];
  }
  return best.clone();
}
