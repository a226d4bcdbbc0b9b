// The bar of time: scrubbing, and a mark for every event.
import { make } from './dom';
import { Event } from './recording';
import { EVENT_COLOURS } from './words';

export class Timeline {
  readonly element = make('div', { class: 'timeline', id: 'timeline' });
  private readonly canvas = make('canvas');
  private readonly tip = make('div', { class: 'tip' });
  start = 0;
  end = 1;
  time = 0;
  events: Event[] = [];
  branch = NaN; // where a new future begins [s]

  constructor(private readonly seek: (time: number) => void, private readonly describe: (e: Event) => string) {
    this.element.append(this.canvas, this.tip);
    this.element.tabIndex = 0;
    this.element.setAttribute('role', 'slider');
    this.element.setAttribute('aria-label', 'Time');
    this.element.addEventListener('pointerdown', e => {
      this.element.setPointerCapture(e.pointerId);
      this.seek(this.timeAt(e.clientX));
    });
    this.element.addEventListener('pointermove', e => {
      if (e.buttons & 1) this.seek(this.timeAt(e.clientX));
      this.showTip(e.clientX);
    });
    this.element.addEventListener('pointerleave', () => { this.tip.style.display = 'none'; });
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  private timeAt(x: number): number {
    const box = this.element.getBoundingClientRect();
    const part = Math.min(1, Math.max(0, (x - box.left) / box.width));
    return this.start + part * (this.end - this.start);
  }

  private showTip(x: number): void {
    const box = this.element.getBoundingClientRect(), t = this.timeAt(x), near = 5 * (this.end - this.start) / box.width;
    const found = this.events.filter(e => Math.abs(e.time - t) <= near).slice(0, 6);
    this.tip.style.display = 'block';
    this.tip.style.left = `${Math.min(box.width - 10, Math.max(10, x - box.left))}px`;
    this.tip.classList.toggle('left', x - box.left > box.width / 2);
    this.tip.replaceChildren(make('b', { text: `${t.toFixed(3)} s` }), ...found.map(e => make('div', { text: this.describe(e) })));
  }

  draw(): void {
    const ratio = Math.min(2, devicePixelRatio), w = this.element.clientWidth, h = this.element.clientHeight;
    if (w === 0) return;
    if (this.canvas.width !== Math.round(w * ratio) || this.canvas.height !== Math.round(h * ratio)) {
      this.canvas.width = Math.round(w * ratio);
      this.canvas.height = Math.round(h * ratio);
    }
    const g = this.canvas.getContext('2d')!;
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, w, h);
    const place = (t: number) => (t - this.start) / Math.max(1e-9, this.end - this.start) * w;
    g.fillStyle = '#dbe1e8';
    g.fillRect(0, h / 2 - 3, w, 6);
    g.fillStyle = '#2563eb';
    g.fillRect(0, h / 2 - 3, place(this.time), 6);
    if (this.branch < this.end) {
      g.fillStyle = '#d946ef';
      g.fillRect(place(this.branch), h / 2 - 3, Math.max(0, place(this.time) - place(this.branch)), 6);
    }
    let last = '';
    for (const e of this.events) {
      const x = Math.round(place(e.time)), key = `${x} ${e.kind}`;
      if (key === last) continue;
      last = key;
      g.fillStyle = EVENT_COLOURS[e.kind] ?? '#64748b';
      g.fillRect(x - 1, e.kind % 2 ? 1 : h - 10, 2, 9);
    }
    g.fillStyle = '#1d4ed8';
    g.beginPath();
    g.arc(Math.min(w - 7, Math.max(7, place(this.time))), h / 2, 7, 0, 2 * Math.PI);
    g.fill();
    this.element.setAttribute('aria-valuenow', this.time.toFixed(3));
    this.element.setAttribute('aria-valuemin', this.start.toFixed(3));
    this.element.setAttribute('aria-valuemax', this.end.toFixed(3));
  }
}
