// Many parts in one draw, for machines without a graphics processor.
//
// There every draw, and every instance of an instanced draw, costs as much as some hundred triangles. So the vertices of all parts
// are moved to the world here and drawn as one mesh. Each vertex gets Lambert's law with the light of the whole view, a sky, a
// ground and a sun: the numbers are what three.js computes from the lights of View3D for each pixel. Colours become sRGB at
// the vertices too, by its usual exponent.
import * as THREE from 'three';

// Meshes in this layer are not drawn themselves. They say where a part is, and are picked.
export const UNDRAWN = 1;

const GROUND = [0.26, 0.28, 0.31], SKY = 0.605, SUN = 0.541;
const LEVELS = 1024; // number of levels of brightness in the table of sRGB values
const SRGB = Uint8Array.from({ length: 2 * LEVELS }, (_, i) => Math.min(255, Math.round(255 * Math.pow(i / LEVELS, 1 / 2.2))));

// Vertices, unit normals and triangles of a shape.
interface Shape { position: Float32Array; normal: Float32Array; index: ArrayLike<number> }
const shapes = new WeakMap<THREE.BufferGeometry, Shape>();

function shapeOf(geometry: THREE.BufferGeometry): Shape {
  let known = shapes.get(geometry);
  if (!known) {
    const position = geometry.getAttribute('position').array as Float32Array;
    known = { position, normal: geometry.getAttribute('normal').array as Float32Array,
      index: geometry.index?.array ?? Uint32Array.from({ length: position.length / 3 }, (_, i) => i) };
    shapes.set(geometry, known);
  }
  return known;
}

// One sRGB colour without light, which a processor fills fast: the materials of three.js convert the colour of every pixel.
export function plainMaterial(srgb: number): THREE.ShaderMaterial {
  const part = (shift: number) => ((srgb >> shift) & 255) / 255;
  return new THREE.ShaderMaterial({
    uniforms: { seen: { value: new THREE.Vector3(part(16), part(8), part(0)) } },
    vertexShader: 'void main() { gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }',
    fragmentShader: 'uniform vec3 seen; void main() { gl_FragColor = vec4(seen, 1.0); }',
  });
}

const larger = (a: number, b: number) => Math.max(a, Math.ceil(1.5 * b));

export class Merged extends THREE.Mesh {
  private points = new Float32Array(0);
  private shade = new Uint8Array(0);
  private triangles = new Uint32Array(0);
  private vertices = 0;
  private corners = 0;
  private readonly sun: THREE.Vector3;
  protected readonly eye = new THREE.Vector3(); // where the camera is

  // sun: the direction from which light comes.
  constructor(sun: THREE.Vector3) {
    super(new THREE.BufferGeometry(), Merged.material({}));
    this.sun = sun.clone().normalize();
    this.frustumCulled = false; // its parts move
    this.raycast = () => undefined;
  }

  // Shows the colours of the vertices as they are.
  static material(options: THREE.ShaderMaterialParameters): THREE.ShaderMaterial {
    return new THREE.ShaderMaterial({
      ...options,
      uniforms: { opacity: { value: options.opacity ?? 1 } },
      vertexShader: `
        attribute vec4 shade;
        varying vec3 seen;
        void main() {
          seen = shade.rgb;
          gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
        }`,
      fragmentShader: 'uniform float opacity; varying vec3 seen; void main() { gl_FragColor = vec4(seen, opacity); }',
    });
  }

  begin(camera: THREE.Camera): void {
    this.eye.setFromMatrixPosition(camera.matrixWorld);
    this.vertices = this.corners = 0;
  }

  // Adds a shape at a pose (the 16 numbers of a matrix from pose[at] on) with a linear colour (tint[of] to tint[of + 2]).
  put(geometry: THREE.BufferGeometry, pose: ArrayLike<number>, at: number, tint: ArrayLike<number>, of: number): void {
    const { position, normal, index } = shapeOf(geometry), count = position.length / 3;
    this.reserve(this.vertices + count, this.corners + index.length);
    const first = this.vertices, out = this.points, shade = this.shade, { x: sx, y: sy, z: sz } = this.sun;
    const a = pose[at], b = pose[at + 1], c = pose[at + 2], d = pose[at + 4], e = pose[at + 5], f = pose[at + 6];
    const g = pose[at + 8], h = pose[at + 9], i = pose[at + 10], px = pose[at + 12], py = pose[at + 13], pz = pose[at + 14];
    const red = LEVELS * tint[of], green = LEVELS * tint[of + 1], blue = LEVELS * tint[of + 2];
    for (let v = 0, k = 3 * first, s = 4 * first; v < 3 * count; v += 3, k += 3, s += 4) {
      const x = position[v], y = position[v + 1], z = position[v + 2], u = normal[v], w = normal[v + 1], t = normal[v + 2];
      out[k] = a * x + d * y + g * z + px;
      out[k + 1] = b * x + e * y + h * z + py;
      out[k + 2] = c * x + f * y + i * z + pz;
      const nx = a * u + d * w + g * t, ny = b * u + e * w + h * t, nz = c * u + f * w + i * t, scale = 1 / Math.sqrt(nx * nx + ny * ny + nz * nz + 1e-30);
      const up = 0.5 + 0.5 * scale * nz, lit = SKY * up + SUN * Math.max(0, scale * (nx * sx + ny * sy + nz * sz)), down = 1 - up;
      shade[s] = SRGB[red * (lit + GROUND[0] * down) | 0];
      shade[s + 1] = SRGB[green * (lit + GROUND[1] * down) | 0];
      shade[s + 2] = SRGB[blue * (lit + GROUND[2] * down) | 0];
    }
    this.vertices += count;
    this.putTriangles(index, first);
  }

  // Adds the triangles whose front the eye sees; three.js shows no others either.
  private putTriangles(index: ArrayLike<number>, first: number): void {
    const p = this.points, triangles = this.triangles, { x: ex, y: ey, z: ez } = this.eye;
    let at = this.corners;
    for (let k = 0; k < index.length; k += 3) {
      const i = first + index[k], j = first + index[k + 1], l = first + index[k + 2], a = 3 * i, b = 3 * j, c = 3 * l;
      const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2], vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
      const facing = (uy * vz - uz * vy) * (ex - p[a]) + (uz * vx - ux * vz) * (ey - p[a + 1]) + (ux * vy - uy * vx) * (ez - p[a + 2]);
      if (facing <= 0) continue;
      triangles[at] = i; triangles[at + 1] = j; triangles[at + 2] = l;
      at += 3;
    }
    this.corners = at;
  }

  end(): void {
    const g = this.geometry;
    for (const [name, used] of [['position', 3 * this.vertices], ['shade', 4 * this.vertices]] as [string, number][])
      Merged.changed(g.getAttribute(name) as THREE.BufferAttribute | undefined, used);
    Merged.changed(g.index, this.corners);
    g.setDrawRange(0, this.corners);
  }

  private static changed(attribute: THREE.BufferAttribute | null | undefined, used: number): void {
    if (!attribute) return;
    attribute.clearUpdateRanges();
    attribute.addUpdateRange(0, used);
    attribute.needsUpdate = true;
  }

  // Makes room for so many vertices and corners of triangles; keeps what is there.
  private reserve(vertices: number, corners: number): void {
    const had = this.points.length / 3;
    if (vertices <= had && corners <= this.triangles.length) return;
    const room = larger(had, vertices), index = new Uint32Array(larger(this.triangles.length, corners));
    const position = new Float32Array(3 * room), shade = new Uint8Array(4 * room);
    position.set(this.points); shade.set(this.shade); index.set(this.triangles);
    this.points = position; this.shade = shade; this.triangles = index;
    this.geometry.dispose();
    this.geometry.setAttribute('position', new THREE.BufferAttribute(position, 3).setUsage(THREE.DynamicDrawUsage));
    this.geometry.setAttribute('shade', new THREE.BufferAttribute(shade, 4, true).setUsage(THREE.DynamicDrawUsage));
    this.geometry.setIndex(new THREE.BufferAttribute(index, 1).setUsage(THREE.DynamicDrawUsage));
  }
}
