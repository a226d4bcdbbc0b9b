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
  oldest: number;      // the first moment that one can go back to [s]
  method: number;      // hfMethod
  scales: number[];    // friction, mass, actuation
  drag: number;        // body, -1: none
}

export interface Session {
  readonly remote: boolean;
  readonly status: Status;
  recording: Recording;
  broken: string;    // why nothing comes from the session any more, '' while it does
  control: boolean;  // this page controls
  readonly: boolean; // nobody does
  clients: number;
  send(kind: Command, index?: number, ...numbers: number[]): void;
  tick(dt: number): void; // once a picture, dt seconds of the clock later
  changed: () => void;    // called when the status or the frames changed
  close(): void;
}

// Whether what this page sends is obeyed.
export const obeys = (s: Session) => s.broken === '' && s.control;

export const idle = (): Status => ({ playing: false, speed: 1, factor: 0, message: '', trouble: '', oldest: 0, method: 0, scales: [1, 1, 1], drag: -1 });

// Drops what is older than the oldest moment that the session can go back to, so that a page holds no more than its session does.
export function trim(r: Recording, oldest: number): void {
  const drop = (list: { time: number }[]) => {
    let n = 0;
    while (n < list.length && list[n].time < oldest - 1e-9) ++n;
    if (n) list.splice(0, n);
  };
  for (const list of [r.frames, r.events, r.states]) drop(list);
}

// After a branch: drops what is now in the future.
export function cut(r: Recording, time: number): void {
  while (r.frames.length && r.frames[r.frames.length - 1].time > time + 1e-9) r.frames.pop();
  r.events = r.events.filter(e => e.time <= time + 1e-9);
}
