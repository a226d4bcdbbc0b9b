// A recording in memory (docs/reference/recording.md), read from a file, a report or a live connection.
import { Model } from './model';

export interface Contact {
  geomA: number; geomB: number; feature: number; stick: boolean;
  p: Float32Array; n: Float32Array; fn: number; ft: Float32Array; vt: Float32Array;
  mu: number; depth: number;
}

const HEAD = 80, CONTACT = 80; // bytes of hfFrameHead and hfFrameContact

export class Frame {
  readonly time: number;
  private readonly view: DataView;
  readonly pose: Float32Array; // (nbody x 7)
  readonly q: Float32Array;
  readonly v: Float32Array;
  readonly ctrl: Float32Array;
  readonly force: Float32Array;
  readonly sensor: Float32Array;
  readonly ncontact: number;
  private readonly contactsAt: number;

  constructor(readonly bytes: Uint8Array, counts: Record<string, number>) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.time = this.view.getFloat64(0, true);
    let at = bytes.byteOffset + HEAD;
    const take = (n: number) => { const a = new Float32Array(bytes.buffer, at, n); at += 4 * n; return a; };
    this.pose = take(7 * counts.nbody);
    this.q = take(counts.nq);
    this.v = take(counts.nv);
    this.ctrl = take(counts.nu);
    this.force = take(counts.nu);
    this.sensor = take(counts.nsensordata);
    this.ncontact = this.view.getInt32(76, true);
    this.contactsAt = at;
  }
  get kinetic() { return this.view.getFloat64(8, true); }
  get potential() { return this.view.getFloat64(16, true); }
  get wall() { return this.view.getFloat64(24, true); }
  get residual() { return this.view.getFloat64(32, true); }
  get maxDepth() { return this.view.getFloat64(48, true); }
  get steps() { return this.view.getInt32(56, true); }
  get iterations() { return this.view.getInt32(60, true); }
  get rung() { return this.view.getInt32(64, true); }

  contact(i: number): Contact {
    const at = this.contactsAt + CONTACT * i, buffer = this.bytes.buffer;
    const ids = new Int32Array(buffer, at, 4), x = new Float32Array(buffer, at + 16, 16);
    return {
      geomA: ids[0], geomB: ids[1], feature: ids[2] >>> 0, stick: ids[3] !== 0,
      p: x.subarray(0, 3), n: x.subarray(3, 6), fn: x[6], ft: x.subarray(7, 10), vt: x.subarray(10, 13),
      mu: x[13], depth: x[14],
    };
  }
}

export const enum EventKind { Touch = 1, Leave, Slide, Stick, Rung, Rigid, Compliant, Dropped }
export interface Event { time: number; kind: EventKind; a: number; b: number; value: number }

export interface Run {
  version: string; method: string; friction: string; step: number; options: Record<string, number>;
}
export interface StateRecord { time: number; bytes: Uint8Array }
export interface ControlRecord { time: number; values: Float64Array }

const VERSION = 3; // version of the layout of recordings
const enum Kind { Index = 1, Run, Frame, Event, State, Controls, Figures }

export class Recording {
  scene = '';
  model!: Model;
  run: Run | null = null;
  frames: Frame[] = [];
  events: Event[] = [];
  states: StateRecord[] = [];
  controls: ControlRecord[] = [];
  figures: [string, string][] = [];
  onLive: ((kind: number, text: string) => void) | null = null;

  // Reads a header, its model and all chunks behind it.
  static parse(bytes: Uint8Array): Recording {
    const recording = new Recording();
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const text = (at: number, size: number) => new TextDecoder().decode(bytes.subarray(at, at + size));
    if (bytes.length < 64 || text(0, 8) !== 'HFRECORD') throw new Error('This is not a recording.');
    if (view.getUint32(8, true) !== VERSION) throw new Error(`This page reads recordings of version ${VERSION}, not ${view.getUint32(8, true)}.`);
    const offset = (at: number) => Number(view.getBigUint64(at, true));
    recording.scene = text(offset(16), offset(24));
    const block = bytes.subarray(offset(32), offset(32) + offset(40));
    recording.append(bytes.subarray(offset(48)), block);
    return recording;
  }

  // Adds whole chunks; what is not whole at the end is left out.
  append(bytes: Uint8Array, block?: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at + 8 <= bytes.length;) {
      const size = view.getUint32(at, true), kind = view.getUint32(at + 4, true);
      if (size < 8 || at + size > bytes.length) break;
      this.take(kind, bytes.slice(at + 8, at + size), block);
      at += size;
    }
  }

  private take(kind: Kind, bytes: Uint8Array, block?: Uint8Array): void {
    const view = new DataView(bytes.buffer);
    const json = () => JSON.parse(new TextDecoder().decode(bytes).replace(/\0+$/, ''));
    if (kind === Kind.Index) this.model = new Model(block!, json());
    else if (kind >= 8) this.onLive?.(kind, new TextDecoder().decode(bytes).replace(/\0+$/, ''));
    else if (kind === Kind.Run) this.run = json();
    else if (kind === Kind.Figures) this.figures = json();
    else if (kind === Kind.Frame) this.frames.push(new Frame(bytes, this.model.counts));
    else if (kind === Kind.Event)
      this.events.push({ time: view.getFloat64(0, true), kind: view.getInt32(8, true),
        a: view.getInt32(12, true), b: view.getInt32(16, true), value: view.getInt32(20, true) });
    else if (kind === Kind.State) this.states.push({ time: this.stateTime(bytes), bytes });
    else if (kind === Kind.Controls)
      this.controls.push({ time: view.getFloat64(0, true), values: new Float64Array(bytes.buffer, 8, this.model.counts.nu) });
  }

  // hfiStateHead, controls and mocap poses, then an hfState whose second number is its time.
  private stateTime(bytes: Uint8Array): number {
    const view = new DataView(bytes.buffer), nmocap = view.getUint32(4, true);
    return view.getFloat64(8 + 8 * (this.model.counts.nu + 7 * nmocap) + 8, true);
  }

  get start() { return this.frames.length ? this.frames[0].time : 0; }
  get end() { return this.frames.length ? this.frames[this.frames.length - 1].time : 0; }

  // Index of the last frame at or before a time.
  indexAt(time: number): number {
    let lo = 0, hi = this.frames.length - 1;
    while (lo < hi) {
      const mid = (lo + hi + 1) >> 1;
      if (this.frames[mid].time <= time + 1e-9) lo = mid; else hi = mid - 1;
    }
    return lo;
  }
}

export async function unpack(base64: string): Promise<Uint8Array> {
  const text = atob(base64), packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
