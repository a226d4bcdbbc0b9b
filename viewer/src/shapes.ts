// Geometry of geoms, as three.js draws it.
import * as THREE from 'three';
import { toCreasedNormals } from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import { GeomType, Model } from './model';

const MANY_TRIANGLES = 60000; // A mesh of this many is shaded smoothly: to look for its edges takes too long.
const CREASE = 0.6;           // Angle of two triangles from which the edge between them looks sharp [rad].

// The surface of a mesh as its file has it; its hull where it has no surface.
function surface(model: Model, mesh: number): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  const count = model.get('mesh_surftrinum')[mesh];
  if (count === 0) return hull(model, mesh);

  const v = model.get('mesh_surfvertadr')[mesh];
  const nv = model.get('mesh_surfvertnum')[mesh];
  const t = model.get('mesh_surftriadr')[mesh];
  const xyz = (model.get('surf_vert') as Float32Array).slice(3 * v, 3 * (v + nv));
  const corners = new Uint32Array((model.get('surf_tri') as Int32Array).slice(3 * t, 3 * (t + count)));
  geometry.setAttribute('position', new THREE.BufferAttribute(xyz, 3));
  geometry.setIndex(new THREE.BufferAttribute(corners, 1));

  if (count < MANY_TRIANGLES) return toCreasedNormals(geometry, CREASE);
  geometry.computeVertexNormals();
  return geometry;
}

// The convex hull that collides, from its polygons, each as a fan of triangles around its first corner.
export function hull(model: Model, mesh: number): THREE.BufferGeometry {
  const vert = model.get('mesh_vertadr')[mesh];
  const face = model.get('mesh_faceadr')[mesh];
  const faces = model.get('mesh_facenum')[mesh];
  const first = model.get('mesh_facevertadr')[mesh];
  const start = model.get('hull_facestart'); // one more a mesh than it has faces
  const list = model.get('hull_facevert');
  const xyz = model.get('hull_vert');

  const out: number[] = [];
  const push = (i: number) => {
    for (let k = 0; k < 3; ++k) out.push(xyz[3 * (vert + i) + k]);
  };
  for (let f = 0; f < faces; ++f) {
    const begin = first + start[face + mesh + f];
    const end = first + start[face + mesh + f + 1];
    for (let i = begin + 1; i + 1 < end; ++i) {
      push(list[begin]);
      push(list[i]);
      push(list[i + 1]);
    }
  }

  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(out, 3));
  geometry.computeVertexNormals();
  return geometry;
}

export function isRound(type: number): boolean {
  return [GeomType.Sphere, GeomType.Capsule, GeomType.Ellipsoid, GeomType.Cylinder].includes(type);
}

// The surface of a height field, its walls and its base. Each cell has two triangles, with the diagonal along +x +y.
function terrain(model: Model, field: number): THREE.BufferGeometry {
  const rows = model.get('hfield_nrow')[field];
  const columns = model.get('hfield_ncol')[field];
  const first = model.get('hfield_adr')[field];
  const height = model.get('hfield_height');
  const [halfX, halfY, base] = model.get('hfield_size').slice(3 * field, 3 * field + 3);
  const position: number[] = [];
  const index: number[] = [];
  const add = (c: number, r: number, z: number) => {
    position.push(halfX * (2 * c / (columns - 1) - 1), halfY * (2 * r / (rows - 1) - 1), z);
  };

  for (let r = 0; r < rows; ++r)
    for (let c = 0; c < columns; ++c) add(c, r, height[first + r * columns + c]);
  for (let r = 0; r + 1 < rows; ++r)
    for (let c = 0; c + 1 < columns; ++c) {
      const i = r * columns + c;
      index.push(i, i + 1, i + columns + 1, i, i + columns + 1, i + columns);
    }

  // Vertices of their own for walls and base, so that edges look sharp.
  const strip = (around: [number, number][]) => {
    const start = position.length / 3;
    for (const [c, r] of around) {
      add(c, r, height[first + r * columns + c]);
      add(c, r, -base);
    }
    for (let k = start; k + 3 < position.length / 3; k += 2) index.push(k, k + 1, k + 3, k, k + 3, k + 2);
  };
  const x = Array.from({ length: columns }, (_, c) => c);
  const y = Array.from({ length: rows }, (_, r) => r);
  strip(x.map(c => [c, 0]));
  strip(y.map(r => [columns - 1, r]));
  strip(x.map(c => [columns - 1 - c, rows - 1]));
  strip(y.map(r => [0, rows - 1 - r]));

  // the base
  const start = position.length / 3;
  for (const [c, r] of [[0, 0], [0, rows - 1], [columns - 1, rows - 1], [columns - 1, 0]]) add(c, r, -base);
  index.push(start, start + 1, start + 2, start, start + 2, start + 3);

  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(position, 3));
  geometry.setIndex(index);
  geometry.computeVertexNormals();
  return geometry;
}

// The geometry of a geom in its own frame.
// extent: how far an infinite plane is drawn [m].
// around: how many sides round shapes have.
export function shape(model: Model, geom: number, extent: number, collision: boolean,
  around: number): THREE.BufferGeometry {
  const [a, b, c] = [0, 1, 2].map(k => model.get('geom_size')[3 * geom + k]);
  const rings = Math.round(0.65 * around); // of a sphere, from pole to pole
  const toZ = Math.PI / 2;                 // three.js has the axes of round shapes along y
  switch (model.get('geom_type')[geom]) {
    case GeomType.Plane:
      return new THREE.PlaneGeometry(2 * (a || extent), 2 * (b || extent));
    case GeomType.Sphere:
      return new THREE.SphereGeometry(a, around, rings);
    case GeomType.Capsule:
      return new THREE.CapsuleGeometry(a, 2 * b, 8, around).rotateX(toZ);
    case GeomType.Ellipsoid:
      return new THREE.SphereGeometry(1, around, rings).scale(a, b, c);
    case GeomType.Cylinder:
      return new THREE.CylinderGeometry(a, a, 2 * b, around).rotateX(toZ);
    case GeomType.HeightField:
      return terrain(model, model.get('geom_hfield')[geom]);
    case GeomType.Box:
      return new THREE.BoxGeometry(2 * a, 2 * b, 2 * c);
    default: {
      const mesh = model.get('geom_mesh')[geom];
      return collision ? hull(model, mesh) : surface(model, mesh);
    }
  }
}
