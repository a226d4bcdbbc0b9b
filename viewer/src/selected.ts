// The tab about the body or the contact that was clicked: its name, what is true of it now, and its history.
import { number, pairsOf, pairsOfBody, slips } from './contacts';
import { make } from './dom';
import { drawPlot, TimePlot } from './plots';
import { Frame, Recording } from './recording';
import { Pick } from './view3d';

export class Selected {
  readonly element = make('div', { id: 'selected' });
  private pick: Pick | null = null;
  private readonly facts = make('table', { class: 'figures' });
  private readonly history = make('div', { class: 'plot' });
  private plots: TimePlot[] = [];

  // recording, time: what is shown now; seek: goes to another time.
  constructor(private readonly recording: () => Recording, private readonly time: () => number,
    private readonly seek: (t: number) => void) {
    this.select(null);
  }

  // Takes what was clicked; null: nothing. show fills the facts and the plots.
  select(pick: Pick | null): void {
    this.pick = pick;
    if (!pick) {
      const text = 'Click a body or an arrow in the picture to see its name, pose, forces and history.';
      this.element.replaceChildren(make('p', { class: 'about', text }));
      return;
    }

    const model = this.recording().model;
    let title: string;
    if (pick.kind === 'body') title = model.label('body', pick.body);
    else title = `Contact of ${model.label('geom', pick.geomA)} and ${model.label('geom', pick.geomB)}`;
    const heading = make('h4', { text: 'History' });
    this.element.replaceChildren(make('h3', { text: title }), this.facts, heading, this.history);
  }

  // Shows what is true now, and with `history` also draws the plots anew.
  show(history: boolean): void {
    const pick = this.pick;
    const r = this.recording();
    if (!pick || r.frames.length === 0) return;

    const frame = r.frames[r.indexAt(this.time())];
    let rows: [string, string][];
    if (pick.kind === 'body') rows = bodyFacts(r, frame, pick.body);
    else rows = contactFacts(frame, pick.geomA, pick.geomB);
    const row = (a: string, b: string) => make('tr', {}, make('td', { text: a }), make('td', { text: b }));
    this.facts.replaceChildren(...rows.map(([a, b]) => row(a, b)));
    if (history) requestAnimationFrame(() => this.drawHistory(pick));
  }

  movePresent(): void {
    for (const plot of this.plots) plot.movePresent();
  }

  showValues(): void {
    for (const plot of this.plots) plot.showValues();
  }

  // Adds a plot of curves over the recording's frames.
  private draw(curves: { name: string; values: (number | null)[] }[], unit: string): void {
    const r = this.recording();
    const box = make('div', { class: 'plot' });
    this.history.append(box);
    this.plots.push(drawPlot(box, r.frames.map(f => f.time), curves, unit, 140, this.time, this.seek));
  }

  private drawHistory(pick: Pick): void {
    const r = this.recording();
    for (const { plot } of this.plots) plot.destroy();
    this.plots = [];
    this.history.replaceChildren();

    if (pick.kind === 'body') {
      const coordinate = (k: number) => r.frames.map(f => f.pose[7 * pick.body + k]);
      this.draw(['x', 'y', 'z'].map((name, k) => ({ name, values: coordinate(k) })), 'm');

      const pairs = pairsOfBody(r, pick.body);
      this.draw([
        { name: 'normal', values: pairs.map(s => sum(s, p => p.fn)) },
        { name: 'friction', values: pairs.map(s => sum(s, p => p.use * p.bound)) },
      ], 'N');
    } else {
      const contacts = r.frames.map(f => contactsOf(f, pick.geomA, pick.geomB));
      this.draw([
        { name: 'normal', values: contacts.map(s => sum(s, c => c.fn)) },
        { name: 'friction', values: contacts.map(s => sum(s, c => Math.hypot(...c.ft))) },
        { name: 'friction bound', values: contacts.map(s => sum(s, c => c.mu * c.fn)) },
      ], 'N');
    }
    this.showValues();
  }
}

function sum<T>(list: T[], value: (x: T) => number): number { return list.reduce((total, x) => total + value(x), 0); }

// The contacts of two geoms in a frame.
function contactsOf(frame: Frame, a: number, b: number): ReturnType<Frame['contact']>[] {
  return Array.from({ length: frame.ncontact }, (_, i) => frame.contact(i)).filter(c => c.geomA === a && c.geomB === b);
}

// Rows of name and text: mass, pose (position; quaternion, w first) and the forces from each body that touches it.
function bodyFacts(r: Recording, frame: Frame, body: number): [string, string][] {
  const p = frame.pose.subarray(7 * body, 7 * body + 7);
  const rows: [string, string][] = [
    ['mass', `${number(r.model.get('body_mass')[body])} kg`],
    ['position', `${[0, 1, 2].map(k => p[k].toFixed(4)).join(', ')} m`],
    ['orientation', [3, 4, 5, 6].map(k => p[k].toFixed(4)).join(', ')],
  ];

  for (const pair of pairsOf(r.model, frame).values()) {
    if (pair.a !== body && pair.b !== body) continue;
    const other = pair.a === body ? pair.b : pair.a;
    const normal = number(Math.hypot(...pair.normal));
    const friction = number(Math.hypot(...pair.friction));
    const slide = pair.slides && pair.bound > 0 ? ', slips' : '';
    const text = `normal ${normal} N, friction ${friction} N, ${pair.count} contacts${slide}`;
    rows.push([`from ${r.model.label('body', other)}`, text]);
  }
  return rows;
}

// Rows of name and text about each contact of two geoms.
function contactFacts(frame: Frame, a: number, b: number): [string, string][] {
  const rows: [string, string][] = [];
  for (const c of contactsOf(frame, a, b)) {
    let motion = '';
    if (c.stick) motion = ', sticks';
    else if (slips(c)) motion = ', slips';

    const friction = number(Math.hypot(...c.ft));
    rows.push(['normal force', `${number(c.fn)} N`]);
    rows.push(['friction', `${friction} N of at most ${number(c.mu * c.fn)} N (µ ${number(c.mu)})`]);
    rows.push(['slip', `${number(1000 * Math.hypot(...c.vt))} mm/s${motion}`]);
    rows.push(['overlap', `${number(1e6 * c.depth)} µm`]);
  }
  return rows.length ? rows : [['', 'These two do not touch now.']];
}
