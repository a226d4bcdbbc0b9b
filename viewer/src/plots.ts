// Plots over time that share one cursor with the replay.
import uPlot from 'uplot';
import { busiestPairs, PairHistory, PairSums } from './contacts';
import { make } from './dom';
import { isScalar, JointType, Transmission } from './model';
import { Recording } from './recording';

const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#6b7280', '#7c3aed'];
const MOST = 8; // curves in a plot

interface Curve { name: string; values: (number | null)[]; unit?: string } // unit: where curves of one plot have different ones
export interface TimePlot { plot: uPlot; movePresent: () => void; showValues: () => void }
interface Plot { title: string; unit: string; about: string; open: boolean; range?: [number, number]; curves: () => Curve[] }

function pairPlots(r: Recording): Plot[] {
  let busiest: PairHistory[] | null = null; // all plots of pairs show the same ones
  const name = (a: number, b: number) => `${r.model.label('body', a)} on ${r.model.label('body', b)}`;
  const curves = (value: (p: PairSums) => number | null) =>
    (busiest ??= busiestPairs(r, MOST)).map(p => ({ name: name(p.b, p.a), values: p.frames.map(sums => sums ? value(sums) : null) }));
  return [
    { title: 'Use of friction', unit: '%', about: 'Share of the friction bound (µ times normal force) that is used. At 100 % everything slips.',
      open: true, range: [0, 105], curves: () => curves(p => p.bound > 0 ? 100 * p.use : null) },
    { title: 'Contact force', unit: 'N', about: 'How hard two bodies press on each other: normal forces summed over their contacts.',
      open: true, curves: () => curves(p => p.fn) },
    { title: 'Slip speed', unit: 'mm/s', about: 'Fastest sliding of a contact between two bodies.', open: false, curves: () => curves(p => 1000 * p.slip) },
  ];
}

function jointCurves(r: Recording, velocity: boolean): Curve[] {
  const type = r.model.get('jnt_type'), q = r.model.get('jnt_qposadr'), v = r.model.get('jnt_dofadr'), out: Curve[] = [], per = velocity ? '/s' : '';
  for (let j = 0; j < r.model.counts.njnt; ++j) {
    const label = r.model.label('jnt', j);
    if (isScalar(type[j]))
      out.push({ name: label, values: r.frames.map(f => velocity ? f.v[v[j]] : f.q[q[j]]), unit: (type[j] === JointType.Slide ? 'm' : 'rad') + per });
    else if (type[j] === JointType.Free)
      for (const [k, axis] of ['x', 'y', 'z'].entries())
        out.push({ name: `${label} ${axis}`, values: r.frames.map(f => velocity ? f.v[v[j] + k] : f.q[q[j] + k]), unit: 'm' + per });
  }
  const range = (c: Curve) => Math.max(...c.values as number[]) - Math.min(...c.values as number[]);
  return out.length <= MOST ? out : out.map(c => ({ c, r: range(c) })).sort((a, b) => b.r - a.r).slice(0, MOST).map(x => x.c);
}

// The unit of an actuator's force, where its target decides it: a tendon may run over hinges or over slides.
function forceUnit(r: Recording, actuator: number): string {
  const transmission = r.model.get('actuator_trntype')[actuator], target = r.model.get('actuator_trnid')[2 * actuator];
  if (transmission === Transmission.Body || transmission === Transmission.SliderCrank) return 'N';
  if (transmission !== Transmission.Joint) return 'N or N m';
  const type = r.model.get('jnt_type')[target];
  return type === JointType.Slide ? 'N' : type === JointType.Free ? 'N or N m' : 'N m';
}

function plotsOf(r: Recording): Plot[] {
  const nu = r.model.counts.nu;
  return [
    ...pairPlots(r),
    { title: 'Joint positions', unit: 'rad or m', about: 'The joints that move most.', open: false, curves: () => jointCurves(r, false) },
    { title: 'Joint speeds', unit: 'rad/s or m/s', about: 'The joints that move most.', open: false, curves: () => jointCurves(r, true) },
    { title: 'Actuator forces', unit: 'N or N m', about: 'What the motors do.', open: false,
      curves: () => Array.from({ length: Math.min(nu, MOST) }, (_, i) => ({ name: r.model.label('actuator', i), values: r.frames.map(f => f.force[i]), unit: forceUnit(r, i) })) },
    { title: 'Energy', unit: 'J', about: 'Kinetic energy, and potential energy of gravity and springs.', open: false,
      curves: () => [{ name: 'kinetic', values: r.frames.map(f => f.kinetic) }, { name: 'potential', values: r.frames.map(f => f.potential) }] },
    { title: 'Solver', unit: 'a step', about: 'Newton iterations a step, and the rung that served: 1 TAMSI, 2 merit, 3 convex.', open: false,
      curves: () => [{ name: 'iterations', values: r.frames.map(f => f.steps ? f.iterations / f.steps : null) }, { name: 'rung', values: r.frames.map(f => f.steps ? f.rung : null) }] },
    { title: 'Times real time', unit: '×', about: 'How much faster than a clock the simulation ran.', open: false,
      curves: () => [{ name: 'factor', values: r.frames.map((f, i) => i && f.wall > 0 ? (f.time - r.frames[i - 1].time) / f.wall : null) }] },
  ].filter(p => p.title !== 'Actuator forces' || nu > 0);
}

// The numbers beside an axis, with as many digits as tell neighbours apart, at least four: forces that vary by 1e-5 of themselves have a scale, too.
function scaleNumbers(values: number[]): string[] {
  const step = Math.abs(values[1] - values[0]), most = Math.max(...values.map(Math.abs));
  const digits = step > 0 ? Math.ceil(Math.log10(most / step)) + 1 : 4;
  return values.map(x => String(Number(x.toPrecision(Math.min(15, Math.max(4, digits))))));
}

const LETTER = 6.5, AXIS = 48; // width of a digit, and the least width of an axis beside its label [px]

// A plot drawn into `parent`; returns it. The vertical line is at time(): an element that is shifted, so that curves are not drawn anew.
export function drawPlot(parent: HTMLElement, times: number[], curves: Curve[], unit: string, height: number,
                         time: () => number, seek: (t: number) => void, range?: [number, number]): TimePlot {
  const line = make('div', { class: 'present' });
  const movePresent = (u: uPlot) => {
    const x = u.valToPos(time(), 'x'), seen = x >= -0.5 && x <= u.over.clientWidth + 0.5;
    line.style.visibility = seen ? 'visible' : 'hidden';
    if (seen) line.style.transform = `translateX(${x}px)`;
  };
  // The values beside the names of curves: those at the present, or the last ones that are drawn, because a running world has newer frames.
  const showValues = (u: uPlot) => {
    const drawn = u.data[0], nearest = u.valToIdx(time());
    if (drawn.length > 0) u.setLegend({ idx: nearest > 0 && drawn[nearest] > time() + 1e-9 ? nearest - 1 : nearest }, false);
  };
  const plot = new uPlot({
    width: Math.max(180, parent.clientWidth), height,
    cursor: { sync: { key: 'time' }, y: false, drag: { x: false, y: false } },
    legend: { live: true },
    scales: { x: { time: false }, y: range ? { range: () => range } : {} },
    axes: [{ size: 26, font: '11px sans-serif', space: 60, values: (_, v) => v.map(x => `${Number(x.toFixed(3))} s`) },
      { size: (_, v) => Math.max(AXIS, 16 + LETTER * Math.max(0, ...(v ?? []).map(x => x.length))), font: '11px sans-serif', label: unit, labelSize: 16,
        labelFont: '11px sans-serif', values: (_, v) => scaleNumbers(v) }],
    series: [{ label: 'time', value: (_, v) => v == null ? '' : `${v.toFixed(3)} s` }, ...curves.map((c, i) => ({
      label: c.name, stroke: COLOURS[i % COLOURS.length], width: 1.5, spanGaps: false, points: { show: false },
      value: (_: uPlot, v: number | null) => v == null ? '–' : `${Number(v.toPrecision(4))} ${c.unit ?? unit}` }))],
    hooks: { ready: [u => { u.over.append(line); movePresent(u); showValues(u); }], draw: [movePresent] }, // the first drawing ends with no values
  }, [times, ...curves.map(c => c.values)] as uPlot.AlignedData, parent);
  plot.over.addEventListener('click', () => { const t = plot.posToVal(plot.cursor.left ?? 0, 'x'); if (isFinite(t)) seek(t); });
  return { plot, movePresent: () => movePresent(plot), showValues: () => showValues(plot) };
}

export class Plots {
  readonly element = make('div', { class: 'plots' });
  private readonly drawn = new Map<string, TimePlot>();
  private readonly details: { plot: Plot; box: HTMLDetailsElement; body: HTMLDivElement }[] = [];
  private shown = ''; // says which frames the curves show

  constructor(private readonly recording: () => Recording, private readonly time: () => number, private readonly seek: (t: number) => void) {
    for (const plot of plotsOf(recording())) {
      const body = make('div', { class: 'plot' }), box = make('details', {}, make('summary', { text: plot.title }), make('p', { class: 'about', text: plot.about }), body);
      box.open = plot.open;
      box.addEventListener('toggle', () => this.refresh(true));
      this.details.push({ plot, box, body });
      this.element.append(box);
    }
    new ResizeObserver(() => { for (const [title, p] of this.drawn) { const d = this.details.find(x => x.plot.title === title)!; if (d.body.clientWidth > 180) p.plot.setSize({ width: d.body.clientWidth, height: 150 }); } }).observe(this.element);
  }

  // Draws open plots that are not drawn yet; all of them anew when data were added.
  refresh(force = false): void {
    if (!this.element.isConnected || this.element.offsetParent === null) return;
    const r = this.recording(), shown = [r.frames.length, r.start, r.end].join(' ');
    const grown = shown !== this.shown;
    if (!grown && !force) return;
    this.shown = shown;
    const plots = plotsOf(r), times = r.frames.map(f => f.time);
    for (const { plot, box, body } of this.details) {
      if (!box.open) continue;
      const known = this.drawn.get(plot.title), fresh = plots.find(p => p.title === plot.title)!;
      if (known && !grown) continue;
      const curves = fresh.curves();
      if (known && known.plot.series.length === curves.length + 1) { known.plot.setData([times, ...curves.map(c => c.values)] as uPlot.AlignedData); continue; }
      known?.plot.destroy();
      this.drawn.delete(plot.title);
      body.replaceChildren();
      if (curves.length === 0) body.append(make('p', { class: 'about', text: 'Nothing touches in this run.' }));
      else this.drawn.set(plot.title, drawPlot(body, times, curves, plot.unit, 150, this.time, this.seek, plot.range));
    }
    this.showValues();
  }

  // Moves the lines of the present.
  movePresent(): void { for (const plot of this.drawn.values()) plot.movePresent(); }
  // Writes the present values beside the names of curves.
  showValues(): void { for (const plot of this.drawn.values()) plot.showValues(); }
  open(): string[] { return this.details.filter(d => d.box.open).map(d => d.plot.title); }
  setOpen(titles: string[]): void { for (const d of this.details) d.box.open = titles.includes(d.plot.title); }
  titles(): string[] { return this.details.map(d => d.plot.title); }
}
