// Many parts in one draw, for machines without a graphics processor.
//
// There every draw, and every instance of an instanced draw, costs as much as some hundred triangles. So the vertices
// of all parts are moved to the world here and drawn as one mesh. Each vertex gets Lambert's law with the light of the
// whole view, a sky, a ground and a sun: the numbers are what three.js computes from the lights of View3D for each
// pixel. Colours become sRGB at the vertices too, by its usual exponent.
import * as THREE from 'three';

// Meshes in this layer are not drawn themselves. They say where a part is, and are picked.
export const UNDRAWN = 1;

// Brightness [-] of a white surface that faces the ground (red, green, blue), the sky or the sun.
const GROUND_LIGHT = [0.26, 0.28, 0.31];
const SKY_LIGHT = 0.605;
const SUN_LIGHT = 0.541;

// Table of sRGB values [0 to 255] over linear brightness; brightness 1 is at LEVELS.
const LEVELS = 1024;
const SRGB_EXPONENT = 1 / 2.2;
const SRGB = Uint8Array.from({ length: 2 * LEVELS }, (_, level) =>
  Math.min(255, Math.round(255 * Math.pow(level / LEVELS, SRGB_EXPONENT))));

// Added to the square of a normal's length, so that a normal of length zero is not divided by zero.
const TINY_SQUARE = 1e-30;

// Vertices, unit normals and triangles of a shape.
interface Shape {
  position: Float32Array;
  normal: Float32Array;
  index: ArrayLike<number>;
}
const shapes = new WeakMap<THREE.BufferGeometry, Shape>();

// The arrays of a geometry; without an index every three vertices are a triangle.
function shapeOf(geometry: THREE.BufferGeometry): Shape {
  const known = shapes.get(geometry);
  if (known) return known;

  const position = geometry.getAttribute('position').array as Float32Array;
  const normal = geometry.getAttribute('normal').array as Float32Array;
  const index = geometry.index?.array ?? Uint32Array.from({ length: position.length / 3 }, (_, vertex) => vertex);
  const shape = { position, normal, index };
  shapes.set(geometry, shape);
  return shape;
}

// One sRGB colour without light, which a processor fills fast: the materials of three.js convert the colour of every
// pixel.
export function plainMaterial(srgb: number): THREE.ShaderMaterial {
  const part = (shift: number) => ((srgb >> shift) & 255) / 255;
  return new THREE.ShaderMaterial({
    uniforms: { seen: { value: new THREE.Vector3(part(16), part(8), part(0)) } },
    vertexShader: 'void main() { gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }',
    fragmentShader: 'uniform vec3 seen; void main() { gl_FragColor = vec4(seen, 1.0); }',
  });
}

// The new size of an array that has `size` items and must have `needed`: some more, so that it rarely grows.
const grownSize = (size: number, needed: number) => Math.max(size, Math.ceil(1.5 * needed));

// The mesh of all parts. A frame calls begin, put for each part, and end.
export class Merged extends THREE.Mesh {
  private points = new Float32Array(0); // three numbers a vertex
  private shade = new Uint8Array(0); // sRGB, four numbers a vertex
  private triangles = new Uint32Array(0); // three vertices each
  private vertices = 0; // how many are used
  private corners = 0; // of triangles that are used
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

  // Begins a frame without parts, seen by this camera.
  begin(camera: THREE.Camera): void {
    this.eye.setFromMatrixPosition(camera.matrixWorld);
    this.vertices = 0;
    this.corners = 0;
  }

  // Adds a shape at a pose (the 16 numbers of a matrix from pose[at] on) with a linear colour, tint[of] to
  // tint[of + 2].
  put(geometry: THREE.BufferGeometry, pose: ArrayLike<number>, at: number, tint: ArrayLike<number>, of: number): void {
    const { position, normal, index } = shapeOf(geometry);
    const count = position.length / 3;
    const first = this.vertices;
    this.reserve(first + count, this.corners + index.length);
    const { points, shade, sun } = this;

    // columns of the matrix: the axes of the part and its origin, in the world
    const axisXx = pose[at], axisXy = pose[at + 1], axisXz = pose[at + 2];
    const axisYx = pose[at + 4], axisYy = pose[at + 5], axisYz = pose[at + 6];
    const axisZx = pose[at + 8], axisZy = pose[at + 9], axisZz = pose[at + 10];
    const originX = pose[at + 12], originY = pose[at + 13], originZ = pose[at + 14];
    const red = LEVELS * tint[of];
    const green = LEVELS * tint[of + 1];
    const blue = LEVELS * tint[of + 2];

    for (let vertex = 0; vertex < count; ++vertex) {
      const from = 3 * vertex;
      const point = 3 * (first + vertex);
      const x = position[from], y = position[from + 1], z = position[from + 2];
      points[point] = axisXx * x + axisYx * y + axisZx * z + originX;
      points[point + 1] = axisXy * x + axisYy * y + axisZy * z + originY;
      points[point + 2] = axisXz * x + axisYz * y + axisZz * z + originZ;

      // the normal in the world; a scaled part has one that is not of unit length
      const nx = normal[from], ny = normal[from + 1], nz = normal[from + 2];
      const normalX = axisXx * nx + axisYx * ny + axisZx * nz;
      const normalY = axisXy * nx + axisYy * ny + axisZy * nz;
      const normalZ = axisXz * nx + axisYz * ny + axisZz * nz;
      const scale = 1 / Math.sqrt(normalX * normalX + normalY * normalY + normalZ * normalZ + TINY_SQUARE);

      // Lambert's law: the shares of sky and ground, and the cosine to the sun
      const sky = 0.5 + 0.5 * scale * normalZ;
      const ground = 1 - sky;
      const cosine = scale * (normalX * sun.x + normalY * sun.y + normalZ * sun.z);
      const light = SKY_LIGHT * sky + SUN_LIGHT * Math.max(0, cosine);

      const colour = 4 * (first + vertex);
      shade[colour] = SRGB[red * (light + GROUND_LIGHT[0] * ground) | 0];
      shade[colour + 1] = SRGB[green * (light + GROUND_LIGHT[1] * ground) | 0];
      shade[colour + 2] = SRGB[blue * (light + GROUND_LIGHT[2] * ground) | 0];
    }

    this.vertices += count;
    this.putTriangles(index, first);
  }

  // Adds the triangles whose front the eye sees; three.js shows no others either. first: the vertex with index 0.
  private putTriangles(index: ArrayLike<number>, first: number): void {
    const { points: p, triangles, eye } = this;
    let corner = this.corners;

    for (let k = 0; k < index.length; k += 3) {
      const vertexA = first + index[k], vertexB = first + index[k + 1], vertexC = first + index[k + 2];
      const a = 3 * vertexA, b = 3 * vertexB, c = 3 * vertexC;

      // normal . (eye - a), with the normal (b - a) x (c - a)
      const abX = p[b] - p[a], abY = p[b + 1] - p[a + 1], abZ = p[b + 2] - p[a + 2];
      const acX = p[c] - p[a], acY = p[c + 1] - p[a + 1], acZ = p[c + 2] - p[a + 2];
      const facing = (abY * acZ - abZ * acY) * (eye.x - p[a])
        + (abZ * acX - abX * acZ) * (eye.y - p[a + 1])
        + (abX * acY - abY * acX) * (eye.z - p[a + 2]);
      if (facing <= 0) continue;

      triangles[corner] = vertexA;
      triangles[corner + 1] = vertexB;
      triangles[corner + 2] = vertexC;
      corner += 3;
    }
    this.corners = corner;
  }

  // Ends a frame: what was put is uploaded and drawn.
  end(): void {
    const geometry = this.geometry;
    Merged.changed(geometry.getAttribute('position') as THREE.BufferAttribute | undefined, 3 * this.vertices);
    Merged.changed(geometry.getAttribute('shade') as THREE.BufferAttribute | undefined, 4 * this.vertices);
    Merged.changed(geometry.index, this.corners);
    geometry.setDrawRange(0, this.corners);
  }

  // Has the first `used` numbers of an attribute uploaded.
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

    const room = grownSize(had, vertices);
    const points = new Float32Array(3 * room);
    const shade = new Uint8Array(4 * room);
    const triangles = new Uint32Array(grownSize(this.triangles.length, corners));
    points.set(this.points);
    shade.set(this.shade);
    triangles.set(this.triangles);
    this.points = points;
    this.shade = shade;
    this.triangles = triangles;

    const attribute = (array: THREE.TypedArray, size: number, normalized = false) =>
      new THREE.BufferAttribute(array, size, normalized).setUsage(THREE.DynamicDrawUsage);
    this.geometry.dispose();
    this.geometry.setAttribute('position', attribute(points, 3));
    this.geometry.setAttribute('shade', attribute(shade, 4, true));
    this.geometry.setIndex(attribute(triangles, 1));
  }
}
