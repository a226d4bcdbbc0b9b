// The session inside the page: the core compiled to wasm goes on from a moment of the recording.
//
// It starts at the last state that was recorded before that moment and repeats the steps up to it, with the
// controls that were recorded: while nothing is changed its future is the recorded one.
import { Recording, unpack } from './recording';
import { Command, cut, encode, idle, Session, trim } from './session';

interface Core {
  memory: WebAssembly.Memory;
  _initialize(): void;
  hf_web_room(size: number): number;
  hf_web_out(): number;
  hf_web_out_size(): number;
  hf_web_model(size: number): number;
  hf_web_option(): number;
  hf_web_open(): number;
  hf_web_close(): void;
  hf_web_restore(size: number, withControls: number): number;
  hf_web_controls(): void;
  hf_web_command(size: number): number;
  hf_web_time(): number;
  hf_web_step_size(): number;
  hf_web_step(count: number): number;
  hf_web_clear(): void;
  hf_web_frame(): void;
  hf_web_state(): number;
  hf_web_state_size(): number;
}

const MOST = 3600; // frames that a session of the page keeps of its own: a minute at 60 a second

let compiled: Promise<WebAssembly.Module> | null = null;

export function hasCore(): boolean { return (document.getElementById('core')?.textContent ?? '').length > 100; }

async function loadCore(): Promise<Core> {
  compiled ??= unpack(document.getElementById('core')!.textContent!).then(bytes => WebAssembly.compile(bytes as BufferSource));
  const nothing = () => 0; // the core writes to no file
  const instance = await WebAssembly.instantiate(await compiled, { wasi_snapshot_preview1: { fd_close: nothing, fd_seek: nothing, fd_write: nothing } });
  const core = instance.exports as unknown as Core;
  core._initialize();
  return core;
}

export class PageSession implements Session {
  readonly remote = false;
  status = idle();
  readonly broken = '';
  control = true;
  readonly = false;
  clients = 1;
  changed: () => void = () => {};
  recording: Recording;
  private debt = 0;
  private nextFrame = 0;
  private applied = -1; // index of the recorded controls in force

  private constructor(private readonly core: Core, readonly original: Recording, readonly from: number) {
    this.recording = new Recording();
    const r = this.recording, o = original;
    r.scene = o.scene; r.model = o.model; r.run = o.run; r.figures = o.figures;
    this.status.method = o.run?.options.method ?? 0;
    this.takeOver();
  }

  // The recording up to the moment from which this session goes on.
  private takeOver(): void {
    const past = <T extends { time: number }>(list: T[]) => list.filter(x => x.time <= this.from + 1e-9);
    this.recording.frames = past(this.original.frames);
    this.recording.events = past(this.original.events);
    this.recording.states = past(this.original.states);
  }

  static async open(original: Recording, time: number): Promise<PageSession> {
    const start = original.states.filter(s => s.time <= time + 1e-9).pop();
    if (!start || !original.run) throw new Error('This recording holds no state to go on from.');
    const core = await loadCore();
    const session = new PageSession(core, original, original.frames[original.indexAt(time)].time);
    session.put(original.model.block);
    session.check(core.hf_web_model(original.model.block.length));
    for (const [name, value] of Object.entries(original.run.options)) {
      session.put(new TextEncoder().encode(`${name}=${value}\0`));
      core.hf_web_option(); // options that the scene leaves open (-1) are refused and stay open
    }
    session.check(core.hf_web_open());
    session.restore(start.bytes, 1);
    session.runTo(session.from);
    session.planFrame();
    session.pushFrame();
    session.status.message = 'From here this page simulates itself. Change something and press play; the pale shapes are the recorded run.';
    return session;
  }

  // ---- memory of the core -------------------------------------------------------------------------

  private put(bytes: Uint8Array): void {
    const at = this.core.hf_web_room(bytes.length);
    new Uint8Array(this.core.memory.buffer, at, bytes.length).set(bytes);
  }
  private out(): Uint8Array { return new Uint8Array(this.core.memory.buffer, this.core.hf_web_out(), this.core.hf_web_out_size()).slice(); }
  private check(status: number): void { if (status !== 0) throw new Error(new TextDecoder().decode(this.out())); }

  private restore(bytes: Uint8Array, withControls: number): void {
    this.put(bytes);
    this.check(this.core.hf_web_restore(bytes.length, withControls));
  }

  // Every bit of the present state, to compare with another run.
  stateBytes(): Uint8Array { return new Uint8Array(this.core.memory.buffer, this.core.hf_web_state(), this.core.hf_web_state_size()).slice(); }

  // ---- time ---------------------------------------------------------------------------------------

  private step(): boolean {
    const h = this.core.hf_web_step_size(), controls = this.original.controls, now = this.core.hf_web_time();
    let i = this.applied;
    while (i + 1 < controls.length && controls[i + 1].time <= now + 0.5 * h) ++i;
    if (i !== this.applied && i >= 0) {
      this.put(new Uint8Array(controls[i].values.buffer, controls[i].values.byteOffset, controls[i].values.byteLength));
      this.core.hf_web_controls();
      this.applied = i;
    }
    if (this.core.hf_web_step(1) === 0) return true;
    this.status.message = new TextDecoder().decode(this.out());
    this.core.hf_web_clear();
    this.status.playing = false;
    return false;
  }

  private runTo(time: number): void {
    const h = this.core.hf_web_step_size();
    while (this.core.hf_web_time() < time - 0.5 * h && this.step()) {}
    this.core.hf_web_clear();
  }

  // Frames fall on the times of the recorded ones as long as there are some.
  private planFrame(): void {
    const now = this.core.hf_web_time(), next = this.original.frames.find(f => f.time > now + 1e-9);
    this.nextFrame = next ? next.time : now + 1 / 60;
  }

  private pushFrame(): void {
    this.core.hf_web_frame();
    cut(this.recording, this.core.hf_web_time() - 1e-6);
    this.recording.append(this.out());
    this.core.hf_web_clear();
    const frames = this.recording.frames, most = MOST + this.original.frames.length;
    if (frames.length > most) trim(this.recording, frames[frames.length - most].time);
  }

  advance(time: number, budget: number): void {
    const h = this.core.hf_web_step_size(), end = performance.now() + budget;
    this.debt += time;
    while (this.debt >= h) {
      if (!this.step()) break;
      this.debt -= h;
      if (this.core.hf_web_time() >= this.nextFrame - 1e-3 * h) { this.pushFrame(); this.planFrame(); }
      if (performance.now() > end) { this.debt %= h; break; }
    }
  }

  tick(dt: number): void {
    if (!this.status.playing) return;
    const before = this.core.hf_web_time();
    this.advance(this.status.speed * dt, 25);
    if (dt > 0) this.status.factor = (this.core.hf_web_time() - before) / dt;
    this.changed();
  }

  // ---- commands -------------------------------------------------------------------------------------

  private seek(time: number): void {
    if (time <= this.from + 1e-9) this.takeOver();
    const state = this.recording.states.filter(s => s.time <= time + 1e-9).pop();
    if (!state) { this.status.message = `${time.toFixed(3)} s is too long ago`; return; }
    this.restore(state.bytes, 0);
    this.applied = -1;
    this.runTo(time);
    cut(this.recording, time);
    this.recording.states = this.recording.states.filter(s => s.time <= time + 1e-9);
    this.planFrame();
  }

  send(kind: Command, index = 0, ...numbers: number[]): void {
    const s = this.status;
    s.message = '';
    if (kind === Command.Play) {
      s.playing = true;
      s.speed = numbers[0];
      this.debt = 0;
    } else if (kind === Command.Pause) s.playing = false;
    else if (kind === Command.Step) {
      s.playing = false;
      for (let i = 0; i < index; ++i) this.step();
      this.pushFrame();
      this.planFrame();
    } else if (kind === Command.Seek) this.seek(numbers[0]);
    else if (kind === Command.Reset && index === 0) this.seek(this.from);
    else {
      this.put(new Uint8Array(encode(kind, index, ...numbers)));
      if (this.core.hf_web_command(8 + 8 * numbers.length) !== 0) {
        s.message = new TextDecoder().decode(this.out());
        this.core.hf_web_clear();
      } else if (kind === Command.Scale) s.scales[index] = numbers[0];
      else if (kind === Command.Option && index === Object.keys(this.original.run!.options).indexOf('method')) s.method = numbers[0];
      else if (kind === Command.Drag) s.drag = index;
      else if (kind === Command.Drop) s.drag = -1;
      else if (kind === Command.Reset || kind === Command.Joint) { this.pushFrame(); this.planFrame(); }
    }
    this.changed();
  }

  close(): void { this.core.hf_web_close(); }
}
