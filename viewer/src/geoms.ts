// The geoms of a model as meshes of three.js, in the groups of their bodies: what is drawn, and what collides as a wire
// frame.
import * as THREE from 'three';
import { plainMaterial } from './merged';
import { GeomType, Model } from './model';
import { MOST_SIDES } from './parts';
import { isRound, shape } from './shapes';

// Parts that name no colour of their own: the world, links of robots, things to grasp.
const WORLD = 0xb9c0c8;
const LINK = 0x7f93ab;
const THING = 0xe0984a;
const MANY_VERTICES = 2000; // A part with more than this costs less by a draw of its own than by moving its vertices.
const HIDDEN_GROUP = 3;     // Geoms of this group and those above it are not drawn, as in MuJoCo's viewer.

// The picture of one square of a floor: a pale field with a darker edge.
function floorTexture(): THREE.Texture {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 128;
  const g = canvas.getContext('2d')!;
  g.fillStyle = '#f3f5f7';
  g.fillRect(0, 0, 128, 128);
  g.strokeStyle = '#d3d9df';
  g.lineWidth = 2;
  g.strokeRect(0, 0, 128, 128);

  const texture = new THREE.CanvasTexture(canvas);
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  texture.colorSpace = THREE.SRGBColorSpace;
  texture.anisotropy = 8;
  return texture;
}

export class Geoms {
  readonly visual: THREE.Mesh[] = [];
  readonly collision: THREE.Mesh[] = [];
  private readonly shared = new Map<string, THREE.BufferGeometry>();
  private readonly geometries: THREE.BufferGeometry[][] = []; // geometries that were made, see geometryOf

  // size: radius of the scene [m]; lite: simple shading.
  constructor(private readonly model: Model, private readonly bodies: THREE.Group[], private readonly size: number,
    private readonly lite: boolean) {
    const body = model.get('geom_body');
    const contype = model.get('geom_contype');
    const conaffinity = model.get('geom_conaffinity');
    const group = model.get('geom_group');
    const onlyDrawn = (g: number) => contype[g] === 0 && conaffinity[g] === 0;

    const hasVisual = new Set<number>(); // bodies with parts that are only drawn
    for (let g = 0; g < model.counts.ngeom; ++g)
      if (onlyDrawn(g) && group[g] < HIDDEN_GROUP) hasVisual.add(body[g]);

    for (let g = 0; g < model.counts.ngeom; ++g) {
      const collides = !onlyDrawn(g);
      // A body without parts that are only drawn shows what collides.
      const drawn = collides ? !hasVisual.has(body[g]) : group[g] < HIDDEN_GROUP;
      if (drawn) this.visual.push(this.add(g, false));
      if (collides && model.get('geom_type')[g] !== GeomType.Plane) this.collision.push(this.add(g, true));
    }
    for (const object of this.collision) object.visible = false;
  }

  // The parts that can be drawn as one: all but floors, what one can look through, and what has many vertices.
  mergeable(): THREE.Mesh[] {
    return this.visual.filter(o => {
      const { material, geometry } = o as THREE.Mesh<THREE.BufferGeometry, THREE.Material>;
      const isPlain = !material.transparent && material instanceof THREE.MeshLambertMaterial;
      return isPlain && geometry.getAttribute('position').count <= MANY_VERTICES;
    });
  }

  // The geometry of a geom whose round outlines have so many sides; equal geoms share one.
  geometryOf(g: number, collision: boolean, sides: number): THREE.BufferGeometry {
    const model = this.model;
    const type = model.get('geom_type')[g];
    const known = this.geometries[sides]?.[2 * g + Number(collision)];
    if (known) return known;

    const size = model.get('geom_size').slice(3 * g, 3 * g + 3);
    let asset: number | string = '';
    if (type === GeomType.Mesh) asset = model.get('geom_mesh')[g];
    if (type === GeomType.HeightField) asset = model.get('geom_hfield')[g];

    const key = `${type} ${size} ${asset} ${collision} ${isRound(type) ? sides : ''}`;
    const geometry = this.shared.get(key) ?? shape(model, g, this.floor, collision, sides);
    this.shared.set(key, geometry);
    (this.geometries[sides] ??= [])[2 * g + Number(collision)] = geometry;
    return geometry;
  }

  // Half the width of a plane without end [m].
  private get floor(): number { return 30 * this.size; }

  // Width of the squares on a floor: a power of ten that suits the scene [m].
  private get cell(): number { return Math.pow(10, Math.round(Math.log10(this.size / 2))); }

  // Makes the mesh of a geom, as what is drawn or as the wire frame of what collides, and adds it to its body's group.
  private add(g: number, collision: boolean): THREE.Mesh {
    const model = this.model;
    const type = model.get('geom_type')[g];
    const pos = model.get('geom_pos');
    const quat = model.get('geom_quat'); // w first
    const material = collision ? this.wire() : this.material(g);
    const mesh = new THREE.Mesh(this.geometryOf(g, collision, MOST_SIDES), material);
    mesh.position.set(pos[3 * g], pos[3 * g + 1], pos[3 * g + 2]);
    mesh.quaternion.set(quat[4 * g + 1], quat[4 * g + 2], quat[4 * g + 3], quat[4 * g]);

    mesh.userData = { body: model.get('geom_body')[g], geom: g };
    mesh.castShadow = !collision && type !== GeomType.Plane;
    mesh.receiveShadow = !collision;
    if (type === GeomType.Plane) mesh.renderOrder = 1; // after what hides it
    if (this.lite && type === GeomType.Plane) mesh.add(this.grid(model.get('geom_size')[3 * g] || this.floor));
    this.bodies[model.get('geom_body')[g]].add(mesh);
    return mesh;
  }

  // Lines on a floor that has no texture, just above it.
  private grid(half: number): THREE.Object3D {
    const cell = Math.max(this.cell, half / 40); // at most 80 squares along a side
    const count = Math.round(2 * half / cell);
    const grid = new THREE.LineSegments(new THREE.GridHelper(2 * half, count).geometry, plainMaterial(0xd0d7de));
    grid.rotation.x = Math.PI / 2;
    grid.renderOrder = 2;
    grid.position.z = 0.001 * this.size;
    return grid;
  }

  private wire(): THREE.Material {
    return new THREE.MeshBasicMaterial({ color: 0x2563eb, wireframe: true, transparent: true, opacity: 0.5 });
  }

  // The colour that the model names, or null where it names none: MuJoCo's grey.
  private namedColour(g: number): THREE.Color | null {
    const [r, green, b] = this.model.get('geom_rgba').slice(4 * g, 4 * g + 3);
    if (r === 0.5 && green === 0.5 && b === 0.5) return null;
    return new THREE.Color().setRGB(r, green, b, THREE.SRGBColorSpace);
  }

  private floorMaterial(g: number): THREE.Material {
    if (this.lite) return plainMaterial(0xe2e7ec);
    const map = floorTexture();
    const half = this.model.get('geom_size')[3 * g] || this.floor;
    map.repeat.set(2 * half / this.cell, 2 * half / this.cell);
    return new THREE.MeshLambertMaterial({ map, side: THREE.DoubleSide, color: this.namedColour(g) ?? 0xffffff });
  }

  private material(g: number): THREE.Material {
    const model = this.model;
    const body = model.get('geom_body')[g];
    const opacity = model.get('geom_rgba')[4 * g + 3];
    if (model.get('geom_type')[g] === GeomType.Plane) return this.floorMaterial(g);

    let usual = LINK;
    if (model.isStatic(body)) usual = WORLD;
    else if (model.isFree(body)) usual = THING;
    const color = this.namedColour(g) ?? new THREE.Color(usual);

    const look = { color, transparent: opacity < 1, opacity };
    if (this.lite) return new THREE.MeshLambertMaterial(look);
    return new THREE.MeshStandardMaterial({ ...look, roughness: 0.62, metalness: 0.05 });
  }
}
