// The bar of time: scrubbing, and a mark for every event. The marks are drawn when they change; what moves with time are elements that
// are only shifted.
import { make } from './dom';
import { Event } from './recording';
import { EVENT_COLOURS } from './words';

const KINDS = 16; // more than there are kinds of events

export class Timeline {
  readonly element = make('div', { class: 'timeline', id: 'timeline' });
  private readonly canvas = make('canvas');
  private readonly done = make('div', { class: 'done' });
  private readonly future = make('div', { class: 'done future' }); // since the branch
  private readonly knob = make('div', { class: 'knob' });
  private readonly tip = make('div', { class: 'tip' });
  private drawn = ''; // what the canvas shows
  start = 0;
  end = 1;
  time = 0;
  events: Event[] = [];
  branch = NaN; // where a new future begins [s]

  constructor(private readonly seek: (time: number) => void, private readonly describe: (e: Event) => string) {
    this.element.append(this.canvas, this.done, this.future, this.knob, this.tip);
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
    const box = this.element.getBoundingClientRect();
    const t = this.timeAt(x);
    const near = 5 * (this.end - this.start) / box.width; // five pixels [s]
    const found = this.events.filter(e => Math.abs(e.time - t) <= near).slice(0, 6);
    this.tip.style.display = 'block';
    this.tip.style.left = `${Math.min(box.width - 10, Math.max(10, x - box.left))}px`;
    this.tip.classList.toggle('left', x - box.left > box.width / 2);
    this.tip.replaceChildren(make('b', { text: `${t.toFixed(3)} s` }), ...found.map(e => make('div', { text: this.describe(e) })));
  }

  draw(): void {
    const ratio = Math.min(2, devicePixelRatio), w = this.element.clientWidth, h = this.element.clientHeight;
    if (w === 0) return;
    const place = (t: number) => (t - this.start) / Math.max(1e-9, this.end - this.start) * w;
    const last = this.events[this.events.length - 1];
    const shows = [w, h, ratio, this.start, this.end, this.events.length, last?.time].join(' ');
    if (shows !== this.drawn) this.drawMarks(w, h, ratio, place);
    this.drawn = shows;
    const now = place(this.time), branch = this.branch < this.end ? place(this.branch) : now;
    this.done.style.transform = `scaleX(${Math.min(now, branch)})`;
    this.future.style.transform = `translateX(${branch}px) scaleX(${Math.max(0, now - branch)})`;
    this.knob.style.transform = `translateX(${Math.min(w - 7, Math.max(7, now))}px)`;
    this.element.setAttribute('aria-valuenow', this.time.toFixed(3));
    this.element.setAttribute('aria-valuemin', this.start.toFixed(3));
    this.element.setAttribute('aria-valuemax', this.end.toFixed(3));
  }

  private drawMarks(w: number, h: number, ratio: number, place: (t: number) => number): void {
    if (this.canvas.width !== Math.round(w * ratio) || this.canvas.height !== Math.round(h * ratio)) {
      this.canvas.width = Math.round(w * ratio);
      this.canvas.height = Math.round(h * ratio);
    }
    const g = this.canvas.getContext('2d')!;
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, w, h);
    g.fillStyle = '#dbe1e8';
    g.fillRect(0, h / 2 - 3, w, 6);
    const marks = new Set<number>(); // A heap has thousands of events in the time of one pixel.
    for (const e of this.events) {
      const x = Math.round(place(e.time)), mark = KINDS * x + e.kind;
      if (marks.has(mark)) continue;
      marks.add(mark);
      g.fillStyle = EVENT_COLOURS[e.kind] ?? '#64748b';
      g.fillRect(x - 1, e.kind % 2 ? 1 : h - 10, 2, 9);
    }
  }
}
