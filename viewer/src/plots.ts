// Plots over time that share one cursor with the replay.
import uPlot from 'uplot';
import { busiestPairs, PairHistory, PairSums } from './contacts';
import { make } from './dom';
import { isScalar, JointType, Transmission } from './model';
import { Recording } from './recording';

const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#6b7280', '#7c3aed'];
const MOST_CURVES = 8; // in a plot

interface Curve {
  name: string;
  values: (number | null)[];
  unit?: string; // if curves of one plot have different ones
}

export interface TimePlot {
  plot: uPlot;
  movePresent: () => void; // moves the line of the present
  showValues: () => void; // writes the present values beside the names of curves
}

interface Plot {
  title: string;
  unit: string;
  about: string;
  open: boolean;
  range?: [number, number];
  curves: () => Curve[];
}

// The plots of the pairs of bodies that touch most.
function pairPlots(r: Recording): Plot[] {
  let busiest: PairHistory[] | null = null; // all plots of pairs show the same ones
  const name = (a: number, b: number) => `${r.model.label('body', a)} on ${r.model.label('body', b)}`;
  const curves = (value: (p: PairSums) => number | null) => {
    busiest ??= busiestPairs(r, MOST_CURVES);
    return busiest.map(p => ({ name: name(p.b, p.a), values: p.frames.map(sums => sums ? value(sums) : null) }));
  };

  return [
    { title: 'Use of friction', unit: '%',
      about: 'Share of the friction bound (µ times normal force) that is used. At 100 % everything slips.',
      open: true, range: [0, 105], curves: () => curves(p => p.bound > 0 ? 100 * p.use : null) },
    { title: 'Contact force', unit: 'N',
      about: 'How hard two bodies press on each other: normal forces summed over their contacts.',
      open: true, curves: () => curves(p => p.fn) },
    { title: 'Slip speed', unit: 'mm/s', about: 'Fastest sliding of a contact between two bodies.',
      open: false, curves: () => curves(p => 1000 * p.slip) },
  ];
}

// The positions or velocities of the joints that move most; a free joint has a curve for each axis of its place.
function jointCurves(r: Recording, velocity: boolean): Curve[] {
  const type = r.model.get('jnt_type');
  const address = r.model.get(velocity ? 'jnt_dofadr' : 'jnt_qposadr');
  const per = velocity ? '/s' : '';
  const values = (place: number) => r.frames.map(f => velocity ? f.v[place] : f.q[place]);

  const curves: Curve[] = [];
  for (let j = 0; j < r.model.counts.njnt; ++j) {
    const label = r.model.label('jnt', j);
    if (isScalar(type[j]))
      curves.push({ name: label, values: values(address[j]), unit: (type[j] === JointType.Slide ? 'm' : 'rad') + per });
    else if (type[j] === JointType.Free)
      for (const [k, axis] of ['x', 'y', 'z'].entries())
        curves.push({ name: `${label} ${axis}`, values: values(address[j] + k), unit: 'm' + per });
  }
  if (curves.length <= MOST_CURVES) return curves;

  const span = (c: Curve) => Math.max(...c.values as number[]) - Math.min(...c.values as number[]);
  const spans = curves.map(curve => ({ curve, span: span(curve) }));
  return spans.sort((a, b) => b.span - a.span).slice(0, MOST_CURVES).map(x => x.curve);
}

// The unit of an actuator's force, where its target decides it: a tendon may run over hinges or over slides.
function forceUnit(r: Recording, actuator: number): string {
  const transmission = r.model.get('actuator_trntype')[actuator];
  const target = r.model.get('actuator_trnid')[2 * actuator];
  if (transmission === Transmission.Body || transmission === Transmission.SliderCrank) return 'N';
  if (transmission !== Transmission.Joint) return 'N or N m';
  const type = r.model.get('jnt_type')[target];

  if (type === JointType.Slide) return 'N';
  return type === JointType.Free ? 'N or N m' : 'N m';
}

// All plots of a recording, in their order on the page.
function plotsOf(r: Recording): Plot[] {
  const actuatorCurves = () => Array.from({ length: Math.min(r.model.counts.nu, MOST_CURVES) }, (_, i) => ({
    name: r.model.label('actuator', i), values: r.frames.map(f => f.force[i]), unit: forceUnit(r, i) }));
  const energyCurves = () => [
    { name: 'kinetic', values: r.frames.map(f => f.kinetic) },
    { name: 'potential', values: r.frames.map(f => f.potential) },
  ];
  const solverCurves = () => [
    { name: 'iterations', values: r.frames.map(f => f.steps ? f.iterations / f.steps : null) },
    { name: 'rung', values: r.frames.map(f => f.steps ? f.rung : null) },
  ];
  const pace = (i: number) => {
    const wall = r.frames[i].wall; // wall time since the frame before [s]
    return i > 0 && wall > 0 ? (r.frames[i].time - r.frames[i - 1].time) / wall : null;
  };
  const paceCurves = () => [{ name: 'factor', values: r.frames.map((_, i) => pace(i)) }];

  const plots = [
    ...pairPlots(r),
    { title: 'Joint positions', unit: 'rad or m', about: 'The joints that move most.',
      open: false, curves: () => jointCurves(r, false) },
    { title: 'Joint speeds', unit: 'rad/s or m/s', about: 'The joints that move most.',
      open: false, curves: () => jointCurves(r, true) },
    { title: 'Actuator forces', unit: 'N or N m', about: 'What the motors do.', open: false, curves: actuatorCurves },
    { title: 'Energy', unit: 'J', about: 'Kinetic energy, and potential energy of gravity and springs.',
      open: false, curves: energyCurves },
    { title: 'Solver', unit: 'a step',
      about: 'Newton iterations a step, and the rung that served: 1 TAMSI, 2 merit, 3 convex.',
      open: false, curves: solverCurves },
    { title: 'Times real time', unit: '×', about: 'How much faster than a clock the simulation ran.',
      open: false, curves: paceCurves },
  ];
  return plots.filter(p => p.title !== 'Actuator forces' || r.model.counts.nu > 0);
}

// The numbers beside an axis, with as many digits as tell neighbours apart, at least four: forces that vary by 1e-5 of
// themselves have a scale, too.
function scaleNumbers(values: number[]): string[] {
  const step = Math.abs(values[1] - values[0]);
  const largest = Math.max(...values.map(Math.abs));
  const digits = step > 0 ? Math.ceil(Math.log10(largest / step)) + 1 : 4;
  return values.map(x => String(Number(x.toPrecision(Math.min(15, Math.max(4, digits))))));
}

const DIGIT_WIDTH = 6.5; // [px]
const AXIS_WIDTH = 48; // the least width of an axis beside its label [px]
const PLOT_WIDTH = 180; // the least width of a plot [px]
const PLOT_HEIGHT = 150; // [px]
const FONT = '11px sans-serif';

// A plot drawn into `parent`; returns it. The vertical line is at time(): an element that is shifted, so that curves
// are not drawn anew.
export function drawPlot(parent: HTMLElement, times: number[], curves: Curve[], unit: string, height: number,
                         time: () => number, seek: (t: number) => void, range?: [number, number]): TimePlot {
  const line = make('div', { class: 'present' });
  const movePresent = (u: uPlot) => {
    const x = u.valToPos(time(), 'x');
    const isSeen = x >= -0.5 && x <= u.over.clientWidth + 0.5;
    line.style.visibility = isSeen ? 'visible' : 'hidden';
    if (isSeen) line.style.transform = `translateX(${x}px)`;
  };

  // The values at the present, or the last ones that are drawn, because a running world has newer frames.
  const showValues = (u: uPlot) => {
    const drawn = u.data[0];
    if (drawn.length === 0) return;
    const nearest = u.valToIdx(time());
    const isLater = nearest > 0 && drawn[nearest] > time() + 1e-9;
    u.setLegend({ idx: isLater ? nearest - 1 : nearest }, false);
  };

  const timeAxis: uPlot.Axis = {
    size: 26, font: FONT, space: 60, values: (_, v) => v.map(x => `${Number(x.toFixed(3))} s`),
  };
  const valueAxis: uPlot.Axis = {
    size: (_, v) => Math.max(AXIS_WIDTH, 16 + DIGIT_WIDTH * Math.max(0, ...(v ?? []).map(x => x.length))),
    font: FONT, label: unit, labelSize: 16, labelFont: FONT, values: (_, v) => scaleNumbers(v),
  };
  const series = curves.map((c, i) => ({
    label: c.name, stroke: COLOURS[i % COLOURS.length], width: 1.5, spanGaps: false, points: { show: false },
    value: (_: uPlot, v: number | null) => v == null ? '–' : `${Number(v.toPrecision(4))} ${c.unit ?? unit}`,
  }));

  const plot = new uPlot({
    width: Math.max(PLOT_WIDTH, parent.clientWidth), height,
    cursor: { sync: { key: 'time' }, y: false, drag: { x: false, y: false } },
    legend: { live: true },
    scales: { x: { time: false }, y: range ? { range: () => range } : {} },
    axes: [timeAxis, valueAxis],
    series: [{ label: 'time', value: (_, v) => v == null ? '' : `${v.toFixed(3)} s` }, ...series],
    hooks: {
      ready: [u => { // the first drawing ends with no values
        u.over.append(line);
        movePresent(u);
        showValues(u);
      }],
      draw: [movePresent],
    },
  }, [times, ...curves.map(c => c.values)] as uPlot.AlignedData, parent);

  plot.over.addEventListener('click', () => {
    const clicked = plot.posToVal(plot.cursor.left ?? 0, 'x');
    if (isFinite(clicked)) seek(clicked);
  });
  return { plot, movePresent: () => movePresent(plot), showValues: () => showValues(plot) };
}

// The plots of a recording, in boxes that can be opened.
export class Plots {
  readonly element = make('div', { class: 'plots' });
  private readonly drawn = new Map<string, TimePlot>();
  private readonly details: { plot: Plot; box: HTMLDetailsElement; body: HTMLDivElement }[] = [];
  private shown = ''; // says which frames the curves show

  constructor(private readonly recording: () => Recording, private readonly time: () => number,
              private readonly seek: (t: number) => void) {
    for (const plot of plotsOf(recording())) {
      const body = make('div', { class: 'plot' });
      const about = make('p', { class: 'about', text: plot.about });
      const box = make('details', {}, make('summary', { text: plot.title }), about, body);
      box.open = plot.open;
      box.addEventListener('toggle', () => this.refresh(true));
      this.details.push({ plot, box, body });
      this.element.append(box);
    }
    new ResizeObserver(() => this.fitWidth()).observe(this.element);
  }

  // Gives all drawn plots the width of the page.
  private fitWidth(): void {
    for (const { plot, body } of this.details) {
      const drawn = this.drawn.get(plot.title);
      if (drawn && body.clientWidth > PLOT_WIDTH) drawn.plot.setSize({ width: body.clientWidth, height: PLOT_HEIGHT });
    }
  }

  // Draws open plots that are not drawn yet; all of them anew when data were added.
  refresh(force = false): void {
    if (!this.element.isConnected || this.element.offsetParent === null) return;
    const r = this.recording();
    const shown = [r.frames.length, r.start, r.end].join(' ');
    const hasGrown = shown !== this.shown;
    if (!hasGrown && !force) return;
    this.shown = shown;

    const plots = plotsOf(r);
    const times = r.frames.map(f => f.time);
    for (const { plot, box, body } of this.details) {
      if (!box.open || (this.drawn.has(plot.title) && !hasGrown)) continue;
      this.drawOne(plot, body, times, plots.find(p => p.title === plot.title)!.curves());
    }
    this.showValues();
  }

  // Draws a plot; one with as many curves as before only gets new data.
  private drawOne(plot: Plot, body: HTMLDivElement, times: number[], curves: Curve[]): void {
    const known = this.drawn.get(plot.title);
    if (known && known.plot.series.length === curves.length + 1) {
      known.plot.setData([times, ...curves.map(c => c.values)] as uPlot.AlignedData);
      return;
    }

    known?.plot.destroy();
    this.drawn.delete(plot.title);
    body.replaceChildren();
    if (curves.length === 0) {
      body.append(make('p', { class: 'about', text: 'Nothing touches in this run.' }));
      return;
    }
    const drawn = drawPlot(body, times, curves, plot.unit, PLOT_HEIGHT, this.time, this.seek, plot.range);
    this.drawn.set(plot.title, drawn);
  }

  // Moves the lines of the present.
  movePresent(): void {
    for (const plot of this.drawn.values()) plot.movePresent();
  }

  // Writes the present values beside the names of curves.
  showValues(): void {
    for (const plot of this.drawn.values()) plot.showValues();
  }

  // The titles of the plots that are open.
  open(): string[] {
    return this.details.filter(d => d.box.open).map(d => d.plot.title);
  }

  setOpen(titles: string[]): void {
    for (const d of this.details) d.box.open = titles.includes(d.plot.title);
  }

  titles(): string[] {
    return this.details.map(d => d.plot.title);
  }
}
