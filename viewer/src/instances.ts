// Many parts in few draws, with shading that a processor can afford: for machines without a graphics processor.
import * as THREE from 'three';

// Meshes in this layer are not drawn themselves. They say where a part is, and are picked.
export const UNDRAWN = 1;

// Lambert's law at the vertices, with the light of the whole view: a sky, a ground and a sun. The numbers are what three.js
// computes from the lights of View3D for each pixel. Colours become sRGB at the vertices too, by its usual exponent.
export function cheapMaterial(sun: THREE.Vector3): THREE.ShaderMaterial {
  return new THREE.ShaderMaterial({
    uniforms: { sun: { value: sun.clone().normalize() } },
    vertexShader: `
      uniform vec3 sun;
      varying vec3 shade;
      void main() {
        mat4 pose = modelMatrix * instanceMatrix;
        vec3 n = normalize(mat3(pose) * normal);
        vec3 light = mix(vec3(0.26, 0.28, 0.31), vec3(0.605), 0.5 + 0.5 * n.z) + 0.541 * max(0.0, dot(n, sun));
        shade = pow(instanceColor * light, vec3(1.0 / 2.2));
        gl_Position = projectionMatrix * viewMatrix * pose * vec4(position, 1.0);
      }`,
    fragmentShader: 'varying vec3 shade; void main() { gl_FragColor = vec4(shade, 1.0); }',
  });
}

export class Instances extends THREE.Group {
  private readonly batches: { drawn: THREE.InstancedMesh; parts: THREE.Mesh[] }[] = [];

  // Draws these meshes, which are undrawn from now on: one draw for each geometry.
  constructor(parts: THREE.Mesh[], sun: THREE.Vector3) {
    super();
    const byGeometry = new Map<THREE.BufferGeometry, THREE.Mesh[]>(), material = cheapMaterial(sun);
    for (const part of parts) {
      part.layers.set(UNDRAWN);
      byGeometry.set(part.geometry, [...byGeometry.get(part.geometry) ?? [], part]);
    }
    for (const [geometry, same] of byGeometry) {
      const drawn = new THREE.InstancedMesh(geometry, material, same.length);
      drawn.frustumCulled = false; // its instances move
      this.batches.push({ drawn, parts: same });
      this.add(drawn);
    }
    this.recolour();
  }

  // Takes the colours of the parts' materials over, with what makes a chosen part shine.
  recolour(): void {
    const tint = new THREE.Color();
    for (const { drawn, parts } of this.batches) {
      parts.forEach((part, i) => {
        const material = part.material as THREE.MeshLambertMaterial;
        drawn.setColorAt(i, tint.copy(material.color).add(material.emissive));
      });
      drawn.instanceColor!.needsUpdate = true;
    }
  }

  // Takes over where the parts are in the world.
  update(): void {
    for (const { drawn, parts } of this.batches) {
      parts.forEach((part, i) => drawn.setMatrixAt(i, part.matrixWorld));
      drawn.instanceMatrix.needsUpdate = true;
    }
  }
}
