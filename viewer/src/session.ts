// A world that runs while it is watched: on the server of the live view, or inside the page.
import { Recording } from './recording';

export const enum Command { Play = 1, Pause, Step, Reset, Seek, Control, Release, Joint, Drag, Drop, Field, Scale, Option, Save, Take }

export function encode(kind: Command, index = 0, ...numbers: number[]): ArrayBuffer {
  const bytes = new ArrayBuffer(8 + 8 * numbers.length), view = new DataView(bytes);
  view.setUint32(0, kind, true);
  view.setUint32(4, index, true);
  numbers.forEach((x, i) => view.setFloat64(8 + 8 * i, x, true));
  return bytes;
}

export interface Status {
  playing: boolean; speed: number; factor: number; message: string; trouble: string;
  scales: number[];    // friction, mass, actuation
  drag: number;        // body, -1: none
}

export interface Session {
  readonly remote: boolean;
  readonly status: Status;
  recording: Recording;
  control: boolean;  // this page controls
  readonly: boolean; // nobody does
  clients: number;
  send(kind: Command, index?: number, ...numbers: number[]): void;
  tick(dt: number): void; // once a picture, dt seconds of the clock later
  changed: () => void;    // called when the status or the frames changed
  close(): void;
}

export const idle = (): Status => ({ playing: false, speed: 1, factor: 0, message: '', trouble: '', scales: [1, 1, 1], drag: -1 });

const KEEP = 60; // how much of the past a live page keeps [s]

// Drops what is older than a minute and, after a branch, what is now in the future.
export function trim(r: Recording): void {
  const oldest = r.end - KEEP;
  if (r.frames.length > 200 && r.frames[100].time < oldest) {
    r.frames.splice(0, 100);
    r.events = r.events.filter(e => e.time >= r.start);
  }
}

export function cut(r: Recording, time: number): void {
  while (r.frames.length && r.frames[r.frames.length - 1].time > time + 1e-9) r.frames.pop();
  r.events = r.events.filter(e => e.time <= time + 1e-9);
}
