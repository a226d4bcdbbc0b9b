// The session on the server that sent this page.
import { Recording } from './recording';
import { Command, cut, encode, idle, Session, trim } from './session';

export class LiveSession implements Session {
  readonly remote = true;
  status = idle();
  recording!: Recording;
  broken = '';
  control = false;
  readonly = false;
  clients = 1;
  opened: (first: boolean) => void = () => {}; // a scene came: the first one, or one that was read again
  changed: () => void = () => {};
  lost: () => void = () => {};
  received = 0; // bytes
  private socket!: WebSocket;
  private tries = 0; // attempts to connect since the connection was lost

  constructor() { this.connect(); }

  private connect(): void {
    this.socket = new WebSocket(`ws://${location.host}/?${location.search.slice(1)}`, 'holdfast');
    this.socket.binaryType = 'arraybuffer';
    this.socket.onopen = () => { this.tries = 0; this.broken = ''; };
    this.socket.onmessage = e => this.take(new Uint8Array(e.data as ArrayBuffer));
    this.socket.onclose = () => this.lose();
  }

  // A connection can break while the server goes on, as through ssh. A server that was started anew has another address.
  private lose(): void {
    this.broken = 'The connection to the server is gone; the page tries to connect again. What was received can still be looked at. A server that was started anew prints another address.';
    this.control = false;
    this.status = { ...this.status, playing: false };
    this.lost();
    this.changed();
    setTimeout(() => this.connect(), Math.min(5000, 250 * 2 ** this.tries++));
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
    if (!this.recording) return; // the server sends the scene first
    const before = this.recording.frames.length;
    this.recording.append(bytes);
    const frames = this.recording.frames, last = frames[frames.length - 1];
    // A frame of the past: somebody reset the world or went back.
    if (frames.length > before && before > 0 && last.time < frames[frames.length - 2].time + 1e-9) {
      frames.pop();
      cut(this.recording, last.time - 1e-6);
      frames.push(last);
    }
    trim(this.recording, this.status.oldest);
    if (this.waiting && frames.length) {
      const first = this.waiting === 1;
      this.waiting = 0;
      this.opened(first);
    }
    if (!this.waiting) this.changed();
  }
  private waiting = 0; // 1: waits for the first frame of the first scene, 2: for the first frame of a later scene, 0: does not wait

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
