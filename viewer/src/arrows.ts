// Contact forces as arrows and friction cones: instanced, so that a thousand contacts are four draws; merged into one
// mesh that is drawn twice where there is no graphics processor.
import * as THREE from 'three';
import { Merged, UNDRAWN } from './merged';
import { colour, shownSide, slips, use } from './contacts';
import { Model } from './model';
import { Frame } from './recording';

export interface Arrow {
  geomA: number;
  geomB: number;
  point: [number, number, number];  // where the force acts [m]
  pushes: boolean;                  // true: the arrow ends at the point; false: it begins there
  force: [number, number, number];  // force on the body that is shown [N]
  length: number;                   // length of the arrow [m]
  colour: [number, number, number];
  use: number;                      // share of the available friction that is used [-]
  slips: boolean;
  index: number;                    // of the contact in its frame
}

// The direction along which three.js makes cylinders and cones.
const UP = new THREE.Vector3(0, 1, 0);

export class Arrows extends THREE.Group {
  list: Arrow[] = [];
  metresPerNewton = 0.01;
  readonly shaft: THREE.InstancedMesh;
  private readonly tip: THREE.InstancedMesh;
  private readonly cone: THREE.InstancedMesh;
  private readonly ghosts: THREE.InstancedMesh[] = [];
  private readonly merged: Merged | null = null; // draws shafts and tips where shading must be cheap
  private width = 0.004;

  // sun: where light comes from, if drawing must be cheap.
  constructor(private readonly model: Model, capacity: number, size: number, sun: THREE.Vector3 | null) {
    super();
    this.width = 0.006 * size;
    const make = (geometry: THREE.BufferGeometry, material: THREE.Material) => {
      const mesh = new THREE.InstancedMesh(geometry, material, Math.max(1, capacity));
      mesh.frustumCulled = false;
      mesh.setColorAt(0, new THREE.Color(1, 1, 1)); // shaders are compiled for instances with colours of their own
      mesh.count = 0;
      this.add(mesh);
      return mesh;
    };

    const solid = new THREE.MeshLambertMaterial({ emissive: 0x222222 });
    // What lies behind a surface shines through it: contacts are always partly hidden.
    const through = { transparent: true, opacity: 0.55, depthTest: false, depthWrite: false };
    const around = sun ? 5 : 10;
    const shaft = new THREE.CylinderGeometry(1, 1, 1, around, 1, sun !== null).translate(0, 0.5, 0);
    const tip = new THREE.ConeGeometry(1, 1, sun ? 6 : 14, 1, sun !== null).translate(0, 0.5, 0);
    this.shaft = make(shaft, solid);
    this.tip = make(tip, solid);

    if (sun) {
      for (const mesh of [this.shaft, this.tip]) mesh.layers.set(UNDRAWN);
      const merged = new Merged(sun);
      this.merged = merged;
      const behind = Merged.material({ ...through, depthTest: true, depthFunc: THREE.GreaterDepth });
      const hidden = new THREE.Mesh(merged.geometry, behind);
      hidden.frustumCulled = false;
      hidden.raycast = merged.raycast;
      hidden.renderOrder = 5;
      this.add(merged, hidden);
    } else {
      this.ghosts = [shaft, tip].map(geometry => make(geometry, new THREE.MeshBasicMaterial(through)));
      for (const ghost of this.ghosts) ghost.renderOrder = 5;
    }

    // The cone opens from the contact point along the normal: a force inside it needs no slip.
    const cone = new THREE.ConeGeometry(1, 1, 28, 1, true).rotateX(Math.PI).translate(0, 0.5, 0);
    const pale = { color: 0x3b82f6, transparent: true, opacity: 0.22 };
    const always = { side: THREE.DoubleSide, depthWrite: false, depthTest: false };
    this.cone = make(cone, new THREE.MeshBasicMaterial({ ...pale, ...always }));
    this.cone.renderOrder = 4;
    this.cone.visible = false;
  }

  set showCones(on: boolean) { this.cone.visible = on; }
  get showCones() { return this.cone.visible; }
  coneCount(): number { return this.cone.visible ? this.cone.count : 0; }

  // Draws the contacts of a frame.
  update(frame: Frame): void {
    const bodies = this.model.get('geom_body');
    const capacity = this.shaft.instanceMatrix.count;
    this.list = [];
    for (let i = 0; i < frame.ncontact && this.list.length < capacity; ++i) {
      const c = frame.contact(i);
      if (!(c.fn > 0)) continue;

      const side = shownSide(this.model, bodies[c.geomA], bodies[c.geomB]);
      const force = [0, 1, 2].map(k => side * (c.fn * c.n[k] + c.ft[k])) as [number, number, number];
      const share = use(c);

      // A finger pushes from outside, where its arrow is seen; the ground pushes from below, where it is not.
      const pusher = side > 0 ? bodies[c.geomB] : bodies[c.geomA];
      const pushes = !this.model.isStatic(pusher);
      this.list.push({
        pushes,
        geomA: c.geomA,
        geomB: c.geomB,
        point: [c.p[0], c.p[1], c.p[2]],
        force,
        length: this.metresPerNewton * Math.hypot(...force),
        colour: colour(share, slips(c)),
        use: share,
        slips: slips(c),
        index: i,
      });
      this.placeCone(this.list.length - 1, c.p, c.n, pushes ? -side : side, c.fn, c.mu);
    }
    this.list.forEach((arrow, i) => this.place(i, arrow));

    for (const mesh of [this.shaft, this.tip, this.cone, ...this.ghosts]) {
      mesh.count = this.list.length;
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
    this.shaft.boundingSphere = null; // picking asks for it
  }

  // Merges the arrows as a camera sees them, where they are drawn merged.
  merge(camera: THREE.Camera): void {
    if (!this.merged) return;
    this.merged.begin(camera);
    for (const mesh of [this.shaft, this.tip])
      for (let i = 0; i < mesh.count; ++i)
        this.merged.put(mesh.geometry, mesh.instanceMatrix.array, 16 * i, mesh.instanceColor!.array, 3 * i);
    this.merged.end();
  }

  // Sets the matrices and colours of arrow i: its shaft from the foot to the neck, its tip from there on.
  private place(i: number, arrow: Arrow): void {
    const direction = new THREE.Vector3(...arrow.force).normalize();
    const turn = new THREE.Quaternion().setFromUnitVectors(UP, direction);
    const head = Math.min(0.45 * arrow.length, 5 * this.width); // its length [m]
    const width = Math.min(this.width, 0.12 * arrow.length + 1e-6);
    const shaftLength = Math.max(arrow.length - head, 1e-9); // a matrix must not be singular
    const tipLength = Math.max(head, 1e-9);

    const foot = new THREE.Vector3(...arrow.point);
    if (arrow.pushes) foot.addScaledVector(direction, -arrow.length);
    const neck = foot.clone().addScaledVector(direction, arrow.length - head);
    const shaft = new THREE.Matrix4().compose(foot, turn, new THREE.Vector3(width, shaftLength, width));
    const tip = new THREE.Matrix4().compose(neck, turn, new THREE.Vector3(2.4 * width, tipLength, 2.4 * width));

    const tint = new THREE.Color().setRGB(...arrow.colour, THREE.SRGBColorSpace);
    [this.shaft, this.tip, ...this.ghosts].forEach((mesh, k) => {
      mesh.setMatrixAt(i, k % 2 ? tip : shaft);
      mesh.setColorAt(i, tint);
    });
  }

  // Sets the matrix of cone i, whose height is the normal force and whose radius the friction that it allows.
  private placeCone(i: number, p: Float32Array, n: Float32Array, side: number, fn: number, mu: number): void {
    const direction = new THREE.Vector3(side * n[0], side * n[1], side * n[2]);
    const turn = new THREE.Quaternion().setFromUnitVectors(UP, direction);
    const height = Math.max(this.metresPerNewton * fn, 1e-9);
    const radius = Math.max(mu * height, 1e-9);
    const point = new THREE.Vector3(p[0], p[1], p[2]);
    this.cone.setMatrixAt(i, new THREE.Matrix4().compose(point, turn, new THREE.Vector3(radius, height, radius)));
  }
}
