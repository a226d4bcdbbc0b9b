// A model block as the library stores it: arrays by name, read in place through the index of fields.

export type Numbers = Int32Array | Float64Array | Float32Array | Uint8Array;

interface Index {
  counts: Record<string, number>;
  fields: Record<string, [string, number, number, number, number]>; // type, rows, columns, offset, overlay
  gravity: [number, number, number];
}

export const enum GeomType { Plane, Sphere, Capsule, Ellipsoid, Cylinder, Box, Mesh, HeightField }
export const enum JointType { Free, Ball, Slide, Hinge, Screw }
export const enum Transmission { Joint, JointInParent, Tendon, Site, Body, SliderCrank }
export const isScalar = (type: number) => type >= JointType.Slide; // one coordinate: [m], or an angle [rad]

export class Model {
  readonly counts: Record<string, number>;
  readonly fieldNames: string[];
  private readonly cache = new Map<string, Numbers>();

  constructor(readonly block: Uint8Array, private readonly index: Index) {
    this.counts = index.counts;
    this.fieldNames = Object.keys(index.fields);
  }

  // The array of a field; copied once, so that it is aligned.
  get(name: string): Numbers {
    const known = this.cache.get(name);
    if (known) return known;
    const [type, rows, columns, offset] = this.index.fields[name];
    const width = type === 'd' ? 8 : type === 'c' ? 1 : 4;
    const bytes = this.block.slice(offset, offset + rows * columns * width).buffer;
    const made = type === 'd' ? new Float64Array(bytes) : type === 'f' ? new Float32Array(bytes)
      : type === 'c' ? new Uint8Array(bytes) : new Int32Array(bytes);
    this.cache.set(name, made);
    return made;
  }

  fieldNumber(name: string): number { return this.fieldNames.indexOf(name); }

  // Name of an object ("body", "jnt", "geom", "actuator", "key"); "" if it has none.
  name(kind: string, id: number): string {
    const at = this.get(`${kind}_name`)[id];
    if (at < 0) return '';
    const names = this.get('names') as Uint8Array;
    return new TextDecoder().decode(names.subarray(at, names.indexOf(0, at)));
  }

  // A name to show: that of the object, else what it is.
  label(kind: string, id: number): string {
    if (kind === 'body' && id === 0) return 'world';
    const name = this.name(kind, id);
    if (name) return name;
    if (kind === 'geom') return `${this.label('body', this.get('geom_body')[id])} (geom ${id})`;
    if (kind === 'jnt') return `${this.label('body', this.get('jnt_body')[id])} joint`;
    return `${kind} ${id}`;
  }

  // A body that floats freely: something to be grasped rather than a part of a robot.
  isFree(body: number): boolean {
    const joint = this.get('body_jntadr')[body];
    return joint >= 0 && this.get('jnt_type')[joint] === JointType.Free;
  }
  isStatic(body: number): boolean { return this.get('body_tree')[body] < 0; }
}
