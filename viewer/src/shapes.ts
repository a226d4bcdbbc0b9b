// Geometry of geoms, as three.js draws it.
import * as THREE from 'three';
import { toCreasedNormals } from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import { GeomType, Model } from './model';

function surface(model: Model, mesh: number): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  const count = model.get('mesh_surftrinum')[mesh];
  if (count === 0) return hull(model, mesh);
  const v = model.get('mesh_surfvertadr')[mesh], nv = model.get('mesh_surfvertnum')[mesh], t = model.get('mesh_surftriadr')[mesh];
  geometry.setAttribute('position', new THREE.BufferAttribute((model.get('surf_vert') as Float32Array).slice(3 * v, 3 * (v + nv)), 3));
  geometry.setIndex(new THREE.BufferAttribute(new Uint32Array((model.get('surf_tri') as Int32Array).slice(3 * t, 3 * (t + count))), 1));
  if (count < 60000) return toCreasedNormals(geometry, 0.6);
  geometry.computeVertexNormals();
  return geometry;
}

// The convex hull that collides, from its polygons.
export function hull(model: Model, mesh: number): THREE.BufferGeometry {
  const vert = model.get('mesh_vertadr')[mesh], face = model.get('mesh_faceadr')[mesh], faces = model.get('mesh_facenum')[mesh];
  const first = model.get('mesh_facevertadr')[mesh], start = model.get('hull_facestart'), list = model.get('hull_facevert'), xyz = model.get('hull_vert');
  const out: number[] = [];
  const push = (i: number) => { for (let k = 0; k < 3; ++k) out.push(xyz[3 * (vert + i) + k]); };
  for (let f = 0; f < faces; ++f) {
    const begin = first + start[face + mesh + f], end = first + start[face + mesh + f + 1];
    for (let i = begin + 1; i + 1 < end; ++i) { push(list[begin]); push(list[i]); push(list[i + 1]); }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(out, 3));
  geometry.computeVertexNormals();
  return geometry;
}

export function isRound(type: number): boolean {
  return type === GeomType.Sphere || type === GeomType.Capsule || type === GeomType.Ellipsoid || type === GeomType.Cylinder;
}

// The surface of a height field, its walls and its base. Each cell has two triangles, with the diagonal along +x +y.
function terrain(model: Model, field: number): THREE.BufferGeometry {
  const rows = model.get('hfield_nrow')[field], columns = model.get('hfield_ncol')[field], first = model.get('hfield_adr')[field];
  const height = model.get('hfield_height'), [halfX, halfY, base] = model.get('hfield_size').slice(3 * field, 3 * field + 3);
  const position: number[] = [], index: number[] = [];
  const add = (c: number, r: number, z: number) => position.push(halfX * (2 * c / (columns - 1) - 1), halfY * (2 * r / (rows - 1) - 1), z);
  for (let r = 0; r < rows; ++r) for (let c = 0; c < columns; ++c) add(c, r, height[first + r * columns + c]);
  for (let r = 0; r + 1 < rows; ++r)
    for (let c = 0; c + 1 < columns; ++c) {
      const i = r * columns + c;
      index.push(i, i + 1, i + columns + 1, i, i + columns + 1, i + columns);
    }
  // Vertices of their own for walls and base, so that edges look sharp.
  const strip = (around: [number, number][]) => {
    const start = position.length / 3;
    for (const [c, r] of around) { add(c, r, height[first + r * columns + c]); add(c, r, -base); }
    for (let k = start; k + 3 < position.length / 3; k += 2) index.push(k, k + 1, k + 3, k, k + 3, k + 2);
  };
  const x = Array.from({ length: columns }, (_, c) => c), y = Array.from({ length: rows }, (_, r) => r);
  strip(x.map(c => [c, 0]));
  strip(y.map(r => [columns - 1, r]));
  strip(x.map(c => [columns - 1 - c, rows - 1]));
  strip(y.map(r => [0, rows - 1 - r]));
  const start = position.length / 3;
  for (const [c, r] of [[0, 0], [0, rows - 1], [columns - 1, rows - 1], [columns - 1, 0]]) add(c, r, -base);
  index.push(start, start + 1, start + 2, start, start + 2, start + 3);
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(position, 3));
  geometry.setIndex(index);
  geometry.computeVertexNormals();
  return geometry;
}

// extent: how far an infinite plane is drawn [m].
// around: how many sides round shapes have.
export function shape(model: Model, geom: number, extent: number, collision: boolean, around: number): THREE.BufferGeometry {
  const [a, b, c] = [0, 1, 2].map(k => model.get('geom_size')[3 * geom + k]);
  switch (model.get('geom_type')[geom]) {
    case GeomType.Plane: return new THREE.PlaneGeometry(2 * (a || extent), 2 * (b || extent));
    case GeomType.Sphere: return new THREE.SphereGeometry(a, around, Math.round(0.65 * around));
    case GeomType.Capsule: return new THREE.CapsuleGeometry(a, 2 * b, 8, around).rotateX(Math.PI / 2);
    case GeomType.Ellipsoid: return new THREE.SphereGeometry(1, around, Math.round(0.65 * around)).scale(a, b, c);
    case GeomType.Cylinder: return new THREE.CylinderGeometry(a, a, 2 * b, around).rotateX(Math.PI / 2);
    case GeomType.HeightField: return terrain(model, model.get('geom_hfield')[geom]);
    case GeomType.Box: return new THREE.BoxGeometry(2 * a, 2 * b, 2 * c);
    default: {
      const mesh = model.get('geom_mesh')[geom];
      return collision ? hull(model, mesh) : surface(model, mesh);
    }
  }
}
