// The world in 3-D: bodies at the poses of a frame, contact forces, camera, picking.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { Arrow, Arrows } from './arrows';
import { boundsOf, boxAt, diagonal } from './bounds';
import { viewDirection } from './camera';
import { lookThrough } from './eye';
import { Geoms } from './geoms';
import { UNDRAWN } from './merged';
import { Parts } from './parts';
import { Frame, Recording } from './recording';

export type Pick =
  | { kind: 'body'; body: number; point: THREE.Vector3 }
  | { kind: 'contact'; geomA: number; geomB: number };

// Whether pictures are computed by the processor: then smooth edges and physical shading cost too much.
function drawsInSoftware(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  const info = gl?.getExtension('WEBGL_debug_renderer_info');
  if (!gl) return true;
  if (!info) return false;
  return /swiftshader|llvmpipe|software/i.test(String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)));
}

const MOST_FORCES = 5000; // of contacts, from which the usual one is found
const USUAL_ANGLE = 40;   // vertical angle of the picture [degrees]
const SLOW = 30;          // a picture that takes longer is slow [ms]
const MOST_SLOW = 8;      // slow pictures, less the others, after which pictures get simpler

export class View3D {
  readonly renderer: THREE.WebGLRenderer;
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(USUAL_ANGLE, 1, 0.001, 100);
  readonly controls: OrbitControls;
  readonly arrows: Arrows;
  readonly size: number;                    // radius of what moves [m]
  follow = -1;
  through = -1;                             // camera of the model through which one looks; -1: the user's own
  selected = -1;
  private readonly bodies: THREE.Group[] = [];
  private readonly ghosts: THREE.Group[] = []; // bodies of the recorded future, beside a new one
  private readonly geoms: Geoms;
  private readonly sun: THREE.DirectionalLight;
  private readonly parts: Parts | null = null; // draw the visual parts where the view is lite
  private readonly followed = new THREE.Vector3();
  readonly lite: boolean; // many bodies on a machine without a graphics processor: simple shading
  turned = false; // the user has moved the camera since everything was shown
  private arrowFactor = 1; // the user's
  private dirty = true;
  private slow = 0; // slow pictures, less the others since then
  frames = 0; // drawn, for measuring
  readonly spring: THREE.Line;

  constructor(readonly canvas: HTMLCanvasElement, private readonly recording: Recording) {
    const model = recording.model;
    this.lite = drawsInSoftware() && model.counts.ngeom > 60;

    // An opaque canvas is not mixed with the page behind it.
    const wanted: WebGLContextAttributes = { alpha: false, antialias: !this.lite, powerPreference: 'default' };
    const context = canvas.getContext('webgl2', wanted) ?? undefined;
    this.renderer = new THREE.WebGLRenderer({ canvas, context });
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.shadowMap.enabled = model.counts.ngeom < 150;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;

    this.scene.background = new THREE.Color(0xeef1f5);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener('change', () => this.invalidate());
    this.controls.addEventListener('start', () => { this.turned = true; });

    const box = this.bounds();
    this.size = Math.max(0.02, 0.5 * diagonal(box));
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0xb0b6bd, 1.9));
    this.sun = new THREE.DirectionalLight(0xffffff, 1.7);
    this.lightFrom(box.getCenter(new THREE.Vector3()));

    for (let b = 0; b < model.counts.nbody; ++b) {
      this.bodies.push(new THREE.Group());
      this.scene.add(this.bodies[b]);
    }
    this.geoms = new Geoms(model, this.bodies, this.size, this.lite);
    const sunward = this.sun.position.clone().sub(this.sun.target.position);
    if (this.lite) {
      const visual = (part: THREE.Mesh, sides: number) => this.geoms.geometryOf(part.userData.geom, false, sides);
      this.parts = new Parts(this.geoms.mergeable(), sunward, visual);
      this.scene.add(this.parts);
    }

    // contact forces, and the spring that pulls a body along with the pointer
    const most = Math.min(4000, Math.max(256, ...recording.frames.map(f => f.ncontact)));
    this.arrows = new Arrows(model, most, this.size, this.lite ? sunward : null);
    this.scaleArrows();
    this.scene.add(this.arrows);
    const ends = new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]);
    this.spring = new THREE.Line(ends, new THREE.LineBasicMaterial({ color: 0xd946ef, depthTest: false }));
    this.spring.visible = false;
    this.scene.add(this.spring);
    this.fitCamera(box);
  }

  bounds(frames = this.recording.frames): THREE.Box3 { return boundsOf(this.recording.model, frames); }

  // Lets the sun shine from above on a sphere around a centre, and cast shadows there.
  private lightFrom(centre: THREE.Vector3): void {
    const s = this.size;
    this.sun.position.copy(centre).add(new THREE.Vector3(1.5 * s, -2 * s, 4 * s));
    this.sun.target.position.copy(centre);

    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    const camera = this.sun.shadow.camera;
    camera.left = -2 * s;
    camera.bottom = -2 * s;
    camera.right = 2 * s;
    camera.top = 2 * s;
    camera.near = 0.1 * s;
    camera.far = 12 * s;
    this.sun.shadow.bias = -0.0006;
    this.sun.shadow.normalBias = 0.004 * s;
    this.scene.add(this.sun, this.sun.target);
  }

  // The length [m/N] with which nine of ten arrows are shorter than about a third of the scene. It is found from the
  // contacts of some frames, and from some of them where there are many.
  private usualLength(): number {
    const all = this.recording.frames;
    const every = Math.max(1, Math.floor(all.length / 60));
    const frames = all.filter((_, i) => i % every === 0);
    const apart = Math.ceil(frames.reduce((n, f) => n + f.ncontact, 0) / MOST_FORCES);

    const forces: number[] = [];
    for (const frame of frames)
      for (let k = 0; k < frame.ncontact; k += apart) {
        const c = frame.contact(k);
        if (c.fn > 0) forces.push(Math.hypot(c.fn, c.ft[0], c.ft[1], c.ft[2]));
      }

    forces.sort((a, b) => a - b);
    const usual = forces.length ? forces[Math.floor(0.9 * (forces.length - 1))] : 10;
    return 0.3 * this.size / Math.max(usual, 1e-9);
  }

  // Sets the length of arrows to the usual one times the user's factor.
  scaleArrows(factor = 1): void {
    this.arrowFactor = factor;
    this.arrows.metresPerNewton = factor * this.usualLength();
    this.invalidate();
  }

  // While a world runs, forces come that are larger or smaller than those at the start.
  // Returns whether the scale had to change.
  rescaleArrows(): boolean {
    const ratio = this.arrows.metresPerNewton / (this.arrowFactor * this.usualLength());
    if (ratio > 0.4 && ratio < 2.5) return false;
    this.scaleArrows(this.arrowFactor);
    return true;
  }

  // Moves the camera so that a box fills the picture, seen from where the frame is seen best.
  fitCamera(box = this.bounds(), frame = this.recording.frames[0]): void {
    const centre = box.getCenter(new THREE.Vector3());
    const narrow = Math.min(1, this.camera.aspect || 1);
    const size = Math.max(0.02, 0.5 * diagonal(box));
    const distance = 1.02 * size / Math.sin(0.5 * this.camera.fov * Math.PI / 180) / Math.max(0.45, narrow);
    const direction = viewDirection(this.recording.model, frame, centre, distance);

    this.turned = false;
    this.camera.position.copy(centre).addScaledVector(direction, distance);
    this.camera.near = 0.002 * distance;
    this.camera.far = 200 * distance;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(centre);
    this.controls.update();
    this.invalidate();
  }

  // Poses between two frames: positions linear, orientations along the shortest arc.
  show(frame: Frame, next: Frame | null, part: number): void {
    this.place(this.bodies, frame, next, part);
    this.arrows.update(part > 0.5 && next ? next : frame);
    if (this.follow >= 0 && this.through < 0) {
      const now = this.bodies[this.follow].position;
      const move = now.clone().sub(this.followed);
      this.camera.position.add(move);
      this.controls.target.add(move);
      this.followed.copy(now);
    }
    this.invalidate();
  }

  // Sets the poses of groups: those of a frame or, with part > 0, between it and the next one.
  private place(bodies: THREE.Group[], frame: Frame, next: Frame | null, part: number): void {
    const quat = new THREE.Quaternion();
    bodies.forEach((body, b) => {
      const p = frame.pose.subarray(7 * b, 7 * b + 7);
      body.position.set(p[0], p[1], p[2]);
      body.quaternion.set(p[4], p[5], p[6], p[3]);
      if (!next || part <= 0) return;

      const n = next.pose.subarray(7 * b, 7 * b + 7);
      body.position.lerp(new THREE.Vector3(n[0], n[1], n[2]), part);
      body.quaternion.slerp(quat.set(n[4], n[5], n[6], n[3]), part);
    });
  }

  // Shows a frame of the recorded future as pale shapes, beside the future that is simulated now. null: shows none.
  showGhost(frame: Frame | null): void {
    if (frame && this.ghosts.length === 0) {
      const look = { color: 0x64748b, transparent: true, opacity: 0.22, depthWrite: false };
      const pale = new THREE.MeshBasicMaterial(look);
      for (const body of this.bodies) {
        const ghost = body.clone();
        ghost.traverse(o => {
          if (!(o instanceof THREE.Mesh)) return;
          o.material = pale;
          o.layers.set(0);
          o.castShadow = false;
          o.receiveShadow = false;
          o.userData = {}; // it is not picked
        });
        this.ghosts.push(ghost);
        this.scene.add(ghost);
      }
    }

    this.ghosts.forEach((ghost, b) => { ghost.visible = frame !== null && !this.recording.model.isStatic(b); });
    if (frame) this.place(this.ghosts, frame, null, 0);
    this.invalidate();
  }

  // Whether the origins of half of the bodies that move are in the picture; true where nothing moves.
  moversInSight(): boolean {
    const movers = this.bodies.filter((_, b) => !this.recording.model.isStatic(b));
    this.camera.updateMatrixWorld();

    // neither at the very edge nor behind the camera
    const seen = (p: THREE.Vector3) => Math.max(Math.abs(p.x), Math.abs(p.y)) < 0.75 && p.z < 1;
    const inSight = movers.filter(body => seen(body.position.clone().project(this.camera)));
    return 2 * inSight.length >= movers.length;
  }

  // Moves the camera along with what moves, unless this is now spread much wider than at the start.
  // Returns whether it moved.
  catchUp(frame: Frame): boolean {
    const box = boxAt(this.recording.model, frame, true);
    const move = box.getCenter(new THREE.Vector3()).sub(this.controls.target);
    if (box.isEmpty() || 0.5 * diagonal(box) > 1.5 * this.size) return false;

    this.camera.position.add(move);
    this.controls.target.add(move);
    this.controls.update();
    this.invalidate();
    return true;
  }

  setFollow(body: number): void {
    this.follow = body;
    if (body >= 0) this.followed.copy(this.bodies[body].position);
  }

  // Looks through a camera of the model; -1: from where the user looked before.
  setThrough(camera: number): void {
    const { camera: eye } = this;
    if (this.through < 0) this.own = { position: eye.position.clone(), near: eye.near, far: eye.far };
    this.through = camera;
    this.controls.enabled = camera < 0;

    const { position, near, far } = this.own!;
    eye.fov = USUAL_ANGLE;
    eye.near = near;
    eye.far = far;
    eye.updateProjectionMatrix();
    if (camera < 0) {
      eye.position.copy(position);
      this.controls.update();
    }
    this.invalidate();
  }
  private own: { position: THREE.Vector3; near: number; far: number } | null = null; // the user's camera meanwhile

  setVisual(on: boolean): void {
    for (const o of this.geoms.visual) o.visible = on;
    if (this.parts) this.parts.visible = on;
    this.invalidate();
  }

  setCollision(on: boolean): void {
    for (const o of this.geoms.collision) o.visible = on;
    this.invalidate();
  }

  // Makes a body glow; -1: none.
  select(body: number): void {
    this.selected = body;
    this.bodies.forEach((group, b) => group.traverse(o => {
      const material = (o as THREE.Mesh).material;
      if (material instanceof THREE.MeshStandardMaterial || material instanceof THREE.MeshLambertMaterial)
        material.emissive.setHex(b === body ? 0x24415f : 0);
    }));
    this.parts?.recolour();
    this.invalidate();
  }

  // The ray of the camera through a point of the page [CSS pixels].
  private rayThrough(x: number, y: number): THREE.Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const ray = new THREE.Raycaster();
    const point = new THREE.Vector2(2 * (x - box.left) / box.width - 1, 1 - 2 * (y - box.top) / box.height);
    ray.setFromCamera(point, this.camera);
    return ray;
  }

  // What lies under a point of the page [CSS pixels]; null: nothing. Arrows come first: they are small.
  pick(x: number, y: number, bodiesOnly = false): Pick | null {
    const ray = this.rayThrough(x, y);
    ray.layers.enable(UNDRAWN);

    if (this.arrows.visible && !bodiesOnly) {
      const hit = ray.intersectObject(this.arrows.shaft, false)[0];
      if (hit) {
        const { geomA, geomB } = this.arrows.list[hit.instanceId!];
        return { kind: 'contact', geomA, geomB };
      }
    }

    const isGeom = (o: THREE.Object3D) => o.visible && o.userData.geom !== undefined;
    const hit = ray.intersectObjects(this.bodies, true).find(h => isGeom(h.object));
    return hit ? { kind: 'body', body: hit.object.userData.body, point: hit.point } : null;
  }

  // The world point under the pointer in the plane through p that faces the camera.
  pointInPlane(x: number, y: number, p: THREE.Vector3): THREE.Vector3 {
    const towards = this.camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(towards, p);
    return this.rayThrough(x, y).ray.intersectPlane(plane, new THREE.Vector3()) ?? p.clone();
  }

  // Where a point of the world is on the page [CSS pixels].
  project(p: THREE.Vector3): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    const v = p.clone().project(this.camera);
    return [box.left + (v.x + 1) / 2 * box.width, box.top + (1 - v.y) / 2 * box.height];
  }

  // A point of the world in the frame of a body.
  toBody(body: number, p: THREE.Vector3): THREE.Vector3 { return this.bodies[body].worldToLocal(p.clone()); }

  // A point of a body's frame in the world.
  toWorld(body: number, p: THREE.Vector3): THREE.Vector3 {
    this.bodies[body].updateMatrixWorld();
    return this.bodies[body].localToWorld(p.clone());
  }

  // Position and quaternion (w first) of a body.
  bodyPose(b: number): number[] {
    const { position: p, quaternion: q } = this.bodies[b];
    return [p.x, p.y, p.z, q.w, q.x, q.y, q.z];
  }

  arrowList(): Arrow[] { return this.arrows.list; }

  // Pictures of this many pixels, whatever the window is.
  fixSize(width: number, height: number): void {
    this.fixed = true;
    this.renderer.setPixelRatio(1);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }
  private fixed = false;

  // Looks at the same point from the same distance, from another direction [degrees].
  lookFrom(azimuth: number, elevation: number): void {
    const a = azimuth * Math.PI / 180;
    const e = Math.min(89.9, elevation) * Math.PI / 180; // straight down the picture would have no up
    const direction = new THREE.Vector3(Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e));
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.position.copy(this.controls.target).addScaledVector(direction, distance);
    this.controls.update();
  }

  zoom(factor: number): void {
    this.camera.position.sub(this.controls.target).divideScalar(factor).add(this.controls.target);
    this.controls.update();
  }

  // Where the user's own camera is and what it looks at.
  get look(): [THREE.Vector3, THREE.Vector3] {
    const eye = this.through < 0 ? this.camera.position : this.own!.position;
    return [eye.clone(), this.controls.target.clone()];
  }

  set look([eye, target]: [THREE.Vector3, THREE.Vector3]) {
    this.camera.position.copy(eye);
    this.controls.target.copy(target);
    this.controls.update();
    this.invalidate();
  }

  // Gives the picture's memory back: a browser has few contexts to draw with.
  dispose(): void {
    this.controls.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }

  drawNow(): void {
    this.scene.updateMatrixWorld();
    if (this.through >= 0) lookThrough(this.recording.model, this.bodies, this.through, this.camera);
    this.camera.updateMatrixWorld();
    if (this.parts?.visible) this.parts.update(this.camera, this.canvas.height);
    if (this.arrows.visible) this.arrows.merge(this.camera);
    this.renderer.render(this.scene, this.camera);
  }

  invalidate(): void { this.dirty = true; }

  // Draws if something changed. A machine that cannot keep up gets no shadows and fewer pixels.
  draw(): void {
    if (!this.dirty) return;
    this.dirty = false;

    // the size of the window
    const { clientWidth: w, clientHeight: h } = this.canvas;
    const size = this.renderer.getSize(new THREE.Vector2());
    if (!this.fixed && w > 0 && h > 0 && (size.x !== w || size.y !== h)) {
      this.renderer.setSize(w, h, false);
      this.camera.aspect = w / h;
      this.camera.updateProjectionMatrix();
    }

    const before = performance.now();
    this.drawNow();
    this.renderer.getContext().flush();
    this.frames++;

    const wasSlow = performance.now() - before > SLOW;
    this.slow = wasSlow ? this.slow + 1 : Math.max(0, this.slow - 1);
    if (this.slow <= MOST_SLOW) return;
    this.slow = 0;
    this.simplify();
  }

  // Draws fewer pixels; where they are as few as may be, no shadows.
  private simplify(): void {
    if (this.renderer.getPixelRatio() > 1) {
      this.renderer.setPixelRatio(1);
      return;
    }
    if (!this.renderer.shadowMap.enabled) return;

    this.renderer.shadowMap.enabled = false;
    this.sun.castShadow = false;
    this.scene.traverse(o => {
      const material = (o as THREE.Mesh).material as THREE.Material;
      if (material) material.needsUpdate = true;
    });
  }
}
