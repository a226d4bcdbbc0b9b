// The session on the server that sent this page.
import { Recording } from './recording';
import { Command, cut, encode, idle, Session, trim } from './session';

export class LiveSession implements Session {
  readonly remote = true;
  status = idle();
  recording!: Recording;
  control = false;
  readonly = false;
  clients = 1;
  opened: (first: boolean) => void = () => {}; // a scene came: the first one, or one that was read again
  changed: () => void = () => {};
  lost: () => void = () => {};
  received = 0; // bytes
  private readonly socket: WebSocket;

  constructor() {
    this.socket = new WebSocket(`ws://${location.host}/?${location.search.slice(1)}`, 'holdfast');
    this.socket.binaryType = 'arraybuffer';
    this.socket.onmessage = e => this.take(new Uint8Array(e.data as ArrayBuffer));
    this.socket.onclose = () => this.lost();
  }

  private take(bytes: Uint8Array): void {
    this.received += bytes.length;
    if (bytes.length > 64 && new TextDecoder().decode(bytes.subarray(0, 8)) === 'HFRECORD') {
      const first = !this.recording;
      this.recording = Recording.parse(bytes);
      this.recording.onLive = (kind, text) => this.note(kind, text);
      if (this.recording.frames.length) this.opened(first); // a recording, whole
      else this.waiting = first ? 1 : 2;
      return;
    }
    if (!this.recording) return this.early.push(bytes), undefined;
    const before = this.recording.frames.length;
    this.recording.append(bytes);
    const frames = this.recording.frames, last = frames[frames.length - 1];
    // A frame of the past: somebody reset the world or went back.
    if (frames.length > before && before > 0 && last.time < frames[frames.length - 2].time + 1e-9) {
      frames.pop();
      cut(this.recording, last.time - 1e-6);
      frames.push(last);
    }
    trim(this.recording);
    if (this.waiting && frames.length) {
      const first = this.waiting === 1;
      this.waiting = 0;
      this.opened(first);
    }
    if (!this.waiting) this.changed();
  }
  private waiting = 0; // for the first frame: 1 of the first scene, 2 of a later one
  private readonly early: Uint8Array[] = [];

  private note(kind: number, text: string): void {
    const o = JSON.parse(text);
    if (kind === 8) this.status = { ...o, playing: o.playing === 1 };
    else { this.control = o.control && !o.readonly; this.readonly = o.readonly; this.clients = o.clients; }
  }

  send(kind: Command, index = 0, ...numbers: number[]): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(encode(kind, index, ...numbers));
  }
  tick(): void {}
  close(): void { this.socket.close(); }
}
