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

export type Pick = { kind: 'body'; body: number; point: THREE.Vector3 } | { kind: 'contact'; geomA: number; geomB: number };

// Whether pictures are computed by the processor: then smooth edges and physical shading cost too much.
function drawsInSoftware(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2'), info = gl?.getExtension('WEBGL_debug_renderer_info');
  return !gl || (info !== null && /swiftshader|llvmpipe|software/i.test(String(gl.getParameter(info!.UNMASKED_RENDERER_WEBGL))));
}

const MOST_FORCES = 5000; // of contacts, from which the usual one is found
const USUAL_ANGLE = 40; // vertical angle of the picture [degrees]

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
  private slow = 0;
  frames = 0; // drawn, for measuring
  readonly spring: THREE.Line;

  constructor(readonly canvas: HTMLCanvasElement, private readonly recording: Recording) {
    const model = recording.model;
    this.lite = drawsInSoftware() && model.counts.ngeom > 60;
    // An opaque canvas is not mixed with the page behind it.
    const context = canvas.getContext('webgl2', { alpha: false, antialias: !this.lite, powerPreference: 'default' }) ?? undefined;
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
    if (this.lite) this.scene.add(this.parts = new Parts(this.geoms.mergeable(), sunward, (part, sides) => this.geoms.geometryOf(part.userData.geom, false, sides)));
    const most = Math.min(4000, Math.max(256, ...recording.frames.map(f => f.ncontact)));
    this.arrows = new Arrows(model, most, this.size, this.lite ? sunward : null);
    this.scaleArrows();
    this.scene.add(this.arrows);
    this.spring = new THREE.Line(new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]),
      new THREE.LineBasicMaterial({ color: 0xd946ef, depthTest: false }));
    this.spring.visible = false;
    this.scene.add(this.spring);
    this.fitCamera(box);
  }

  bounds(frames = this.recording.frames): THREE.Box3 { return boundsOf(this.recording.model, frames); }

  private lightFrom(centre: THREE.Vector3): void {
    const s = this.size;
    this.sun.position.copy(centre).add(new THREE.Vector3(1.5 * s, -2 * s, 4 * s));
    this.sun.target.position.copy(centre);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    const camera = this.sun.shadow.camera;
    camera.left = camera.bottom = -2 * s; camera.right = camera.top = 2 * s; camera.near = 0.1 * s; camera.far = 12 * s;
    this.sun.shadow.bias = -0.0006;
    this.sun.shadow.normalBias = 0.004 * s;
    this.scene.add(this.sun, this.sun.target);
  }

  // The largest usual force is a third of the scene: found from the contacts of some frames, and from some of them where there are many.
  private usualLength(): number {
    const forces: number[] = [], all = this.recording.frames, every = Math.max(1, Math.floor(all.length / 60));
    const frames = all.filter((_, i) => i % every === 0), apart = Math.ceil(frames.reduce((n, f) => n + f.ncontact, 0) / MOST_FORCES);
    for (const frame of frames)
      for (let k = 0; k < frame.ncontact; k += apart) {
        const c = frame.contact(k);
        if (c.fn > 0) forces.push(Math.hypot(c.fn, c.ft[0], c.ft[1], c.ft[2]));
      }
    forces.sort((a, b) => a - b);
    const usual = forces.length ? forces[Math.floor(0.9 * (forces.length - 1))] : 10;
    return 0.3 * this.size / Math.max(usual, 1e-9);
  }
  scaleArrows(factor = 1): void {
    this.arrowFactor = factor;
    this.arrows.metresPerNewton = factor * this.usualLength();
    this.invalidate();
  }
  // While a world runs, forces come that are larger or smaller than those at the start; returns whether the scale had to change.
  rescaleArrows(): boolean {
    const ratio = this.arrows.metresPerNewton / (this.arrowFactor * this.usualLength());
    if (ratio > 0.4 && ratio < 2.5) return false;
    this.scaleArrows(this.arrowFactor);
    return true;
  }

  fitCamera(box = this.bounds(), frame = this.recording.frames[0]): void {
    const centre = box.getCenter(new THREE.Vector3()), narrow = Math.min(1, this.camera.aspect || 1);
    const size = Math.max(0.02, 0.5 * diagonal(box));
    const distance = 1.02 * size / Math.sin(0.5 * this.camera.fov * Math.PI / 180) / Math.max(0.45, narrow);
    this.turned = false;
    this.camera.position.copy(centre).addScaledVector(viewDirection(this.recording.model, frame, centre, distance), distance);
    this.camera.near = 0.002 * distance; this.camera.far = 200 * distance;
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
      const now = this.bodies[this.follow].position, move = now.clone().sub(this.followed);
      this.camera.position.add(move); this.controls.target.add(move); this.followed.copy(now);
    }
    this.invalidate();
  }

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
      const pale = new THREE.MeshBasicMaterial({ color: 0x64748b, transparent: true, opacity: 0.22, depthWrite: false });
      for (const body of this.bodies) {
        const ghost = body.clone();
        ghost.traverse(o => { if (o instanceof THREE.Mesh) { o.material = pale; o.layers.set(0); o.castShadow = o.receiveShadow = false; o.userData = {}; } });
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
    const seen = (p: THREE.Vector3) => Math.max(Math.abs(p.x), Math.abs(p.y)) < 0.75 && p.z < 1; // not at the very edge, nor behind the camera
    return 2 * movers.filter(body => seen(body.position.clone().project(this.camera))).length >= movers.length;
  }

  // Moves the camera along with what moves, where that is as far together as at the start.
  catchUp(frame: Frame): boolean {
    const box = boxAt(this.recording.model, frame, true), move = box.getCenter(new THREE.Vector3()).sub(this.controls.target);
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
    if (this.through < 0) this.own = { position: this.camera.position.clone(), near: this.camera.near, far: this.camera.far };
    this.through = camera;
    this.controls.enabled = camera < 0;
    const { position, near, far } = this.own!;
    this.camera.fov = USUAL_ANGLE;
    this.camera.near = near; this.camera.far = far;
    this.camera.updateProjectionMatrix();
    if (camera < 0) { this.camera.position.copy(position); this.controls.update(); }
    this.invalidate();
  }
  private own: { position: THREE.Vector3; near: number; far: number } | null = null;
  setVisual(on: boolean): void {
    for (const o of this.geoms.visual) o.visible = on;
    if (this.parts) this.parts.visible = on;
    this.invalidate();
  }
  setCollision(on: boolean): void { for (const o of this.geoms.collision) o.visible = on; this.invalidate(); }

  select(body: number): void {
    this.selected = body;
    this.bodies.forEach((group, b) => group.traverse(o => {
      const material = (o as THREE.Mesh).material;
      if (material instanceof THREE.MeshStandardMaterial || material instanceof THREE.MeshLambertMaterial) material.emissive.setHex(b === body ? 0x24415f : 0);
    }));
    this.parts?.recolour();
    this.invalidate();
  }

  // What lies under a point of the canvas (CSS pixels). Arrows come first: they are small.
  pick(x: number, y: number, bodiesOnly = false): Pick | null {
    const box = this.canvas.getBoundingClientRect(), ray = new THREE.Raycaster();
    ray.layers.enable(UNDRAWN);
    ray.setFromCamera(new THREE.Vector2(2 * (x - box.left) / box.width - 1, 1 - 2 * (y - box.top) / box.height), this.camera);
    if (this.arrows.visible && !bodiesOnly) {
      const hit = ray.intersectObject(this.arrows.shaft, false)[0];
      if (hit) { const a = this.arrows.list[hit.instanceId!]; return { kind: 'contact', geomA: a.geomA, geomB: a.geomB }; }
    }
    const hits = ray.intersectObjects(this.bodies, true).filter(h => h.object.visible && h.object.userData.geom !== undefined);
    return hits.length ? { kind: 'body', body: hits[0].object.userData.body, point: hits[0].point } : null;
  }

  // The world point under the pointer in the plane through p that faces the camera.
  pointInPlane(x: number, y: number, p: THREE.Vector3): THREE.Vector3 {
    const box = this.canvas.getBoundingClientRect(), ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(2 * (x - box.left) / box.width - 1, 1 - 2 * (y - box.top) / box.height), this.camera);
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new THREE.Vector3()), p);
    return ray.ray.intersectPlane(plane, new THREE.Vector3()) ?? p.clone();
  }
  // Where a point of the world is on the page [CSS pixels].
  project(p: THREE.Vector3): [number, number] {
    const box = this.canvas.getBoundingClientRect(), v = p.clone().project(this.camera);
    return [box.left + (v.x + 1) / 2 * box.width, box.top + (1 - v.y) / 2 * box.height];
  }
  toBody(body: number, p: THREE.Vector3): THREE.Vector3 { return this.bodies[body].worldToLocal(p.clone()); }
  toWorld(body: number, p: THREE.Vector3): THREE.Vector3 { this.bodies[body].updateMatrixWorld(); return this.bodies[body].localToWorld(p.clone()); }
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
    const a = azimuth * Math.PI / 180, e = Math.min(89.9, elevation) * Math.PI / 180;
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
  get look(): [THREE.Vector3, THREE.Vector3] { return [(this.through < 0 ? this.camera.position : this.own!.position).clone(), this.controls.target.clone()]; }
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
    this.slow = performance.now() - before > 30 ? this.slow + 1 : Math.max(0, this.slow - 1);
    if (this.slow > 8) {
      this.slow = 0;
      if (this.renderer.getPixelRatio() > 1) this.renderer.setPixelRatio(1);
      else if (this.renderer.shadowMap.enabled) {
        this.renderer.shadowMap.enabled = this.sun.castShadow = false;
        this.scene.traverse(o => { const m = (o as THREE.Mesh).material as THREE.Material; if (m) m.needsUpdate = true; });
      }
    }
  }
}
