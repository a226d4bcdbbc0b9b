// The visual parts of bodies as one draw: what is out of sight is left out, and round shapes have as many sides as their size on the
// screen asks for.
import * as THREE from 'three';
import { Merged, UNDRAWN } from './merged';

export const MOST_SIDES = 28;
const FEWEST_SIDES = 8;
const DEVIATION = 0.8; // largest distance between the edge of a polygon and the circle that it stands for [pixels]

// A polygon of n sides deviates from a circle of radius r by r (1 - cos(pi/n)), about r (pi/n)^2/2.
function sidesFor(radius: number): number {
  const n = Math.PI * Math.sqrt(radius / (2 * DEVIATION));
  return Math.min(MOST_SIDES, Math.max(FEWEST_SIDES, 4 * Math.round(n / 4)));
}

export class Parts extends Merged {
  private readonly tints: Float32Array;
  private readonly ball = new THREE.Sphere();
  private readonly frustum = new THREE.Frustum();
  private readonly toClip = new THREE.Matrix4();

  // Draws these meshes, which are undrawn from now on. shape: the geometry of a part with so many sides.
  constructor(private readonly parts: THREE.Mesh[], sun: THREE.Vector3, private readonly shape: (part: THREE.Mesh, sides: number) => THREE.BufferGeometry) {
    super(sun);
    this.tints = new Float32Array(3 * parts.length);
    for (const part of parts) {
      part.layers.set(UNDRAWN);
      part.geometry.computeBoundingSphere();
    }
    this.recolour();
  }

  // Takes the colours of the parts' materials over, with what makes a chosen part shine.
  recolour(): void {
    const tint = new THREE.Color();
    this.parts.forEach((part, i) => {
      const material = part.material as THREE.MeshLambertMaterial;
      tint.copy(material.color).add(material.emissive).toArray(this.tints, 3 * i);
    });
  }

  // Takes over where the parts are in the world, as a camera sees them in a picture of so many pixels' height.
  update(camera: THREE.PerspectiveCamera, height: number): void {
    const perRadian = 0.5 * height / Math.tan(0.5 * camera.fov * Math.PI / 180);
    this.frustum.setFromProjectionMatrix(this.toClip.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse));
    this.begin(camera);
    const seen: { i: number; distance: number; radius: number }[] = [];
    this.parts.forEach((part, i) => {
      this.ball.copy(part.geometry.boundingSphere!).applyMatrix4(part.matrixWorld);
      const distance = Math.max(1e-9, this.eye.distanceTo(this.ball.center));
      if (this.frustum.intersectsSphere(this.ball)) seen.push({ i, distance, radius: perRadian * this.ball.radius / distance });
    });
    seen.sort((a, b) => a.distance - b.distance); // pixels behind something are not shaded
    for (const { i, radius } of seen) this.put(this.shape(this.parts[i], sidesFor(radius)), this.parts[i].matrixWorld.elements, 0, this.tints, 3 * i);
    this.end();
  }
}
