// The page: 3-D view, bar of time, and a panel of what happens, plots, events, the selection and the run.
import { colour, number, pairsOf } from './contacts';
import { Controls } from './controls';
import { Drag } from './drag';
import { button, checkbox, choice, icon, make } from './dom';
import { drawPlot, Plots, TimePlot } from './plots';
import { EventKind, Recording } from './recording';
import { Command, cut, obeys, Session } from './session';
import { Timeline } from './timeline';
import { Pick, View3D } from './view3d';
import { hasCore, PageSession } from './whatif';
import { EVENT_COLOURS, EVENT_NAMES, eventText, nowLines } from './words';

const SPEEDS: [string, string][] = [['0.02', '1/50 ×'], ['0.1', '1/10 ×'], ['0.25', '1/4 ×'], ['0.5', '1/2 ×'], ['1', '1 ×'], ['2', '2 ×'], ['5', '5 ×'], ['20', '20 ×']];

// What a page that shows a scene takes over from the one before it.
export interface Kept { look: View3D['look']; tab: string; speed: string; checks: Map<string, boolean>; plots: string[]; arrows: string; follow: string }
const READ = 12000; // how long a message is shown [ms]
const CHECKS = ['forces', 'cones', 'visual', 'collision'];

export class App {
  readonly view: View3D;
  readonly timeline: Timeline;
  readonly plots: Plots;
  time: number;
  playing = false;
  speed = 1;
  selection: Pick | null = null;
  session: Session | null = null; // a world that runs, whose frames are shown
  original: Recording | null = null; // the recording beside which a session of the page runs
  readonly drag: Drag;
  private controls: Controls | null = null;
  private lastPlots = 0;
  private refreshes = 0; // the timer of the next refresh, 0: none
  private lastValues = 0;
  readonly toolbar = make('div', { class: 'tools' });
  readonly bar = make('div', { class: 'bar' });
  readonly message = make('div', { class: 'message', id: 'message' });
  private readonly clock = make('span', { class: 'clock', id: 'clock' });
  private readonly playButton: HTMLButtonElement;
  private readonly speedChoice: HTMLSelectElement;
  private readonly whatIf: HTMLButtonElement;
  private readonly hand: HTMLButtonElement;
  private readonly fit: HTMLButtonElement;
  private readonly now = make('div', { class: 'now', id: 'now' });
  private readonly selected = make('div', { id: 'selected' });
  private readonly tabs = make('div', { class: 'tabs' });
  private readonly pages = make('div', { class: 'pages' });
  private readonly eventKeys = make('p', { class: 'keys' });
  private readonly events = make('ol', { class: 'events' });
  private listed = '';       // which events the list shows
  private pressing = false;  // the pointer is down in the panel, where what it presses must not be replaced
  private readonly scale = make('div', { class: 'scale' });
  private before = 0;
  private shown = -1;
  private lastPanel = 0;
  private readonly ended = new AbortController(); // of what the page does outside of its own elements

  constructor(private readonly root: HTMLElement, public recording: Recording, kept?: Kept) {
    const canvas = make('canvas', { id: 'view' });
    this.time = recording.start;
    this.timeline = new Timeline(t => this.goTo(t), e => eventText(this.recording.model, e));
    this.speedChoice = choice('Speed', SPEEDS, '1', v => { this.speed = Number(v); if (this.session?.status.playing) this.session.send(Command.Play, 0, this.speed); }, 'speed');
    this.playButton = button('play', 'Play or pause (space)', () => this.setPlaying(!this.isPlaying), 'play');
    this.plots = new Plots(() => this.recording, () => this.time, t => this.goTo(t));
    const stage = make('div', { class: 'stage' }, canvas, this.heading(), this.toolbar, this.legend(), this.message);
    this.bar.append(button('first', 'To the start', () => this.goTo(this.recording.start), 'first'),
      button('back', 'One frame back (left arrow)', () => this.stepFrame(-1), 'back'), this.playButton,
      button('on', 'One frame on (right arrow)', () => this.stepFrame(1), 'on'),
      this.speedChoice, this.timeline.element, this.clock);
    this.whatIf = button('What if …', 'Go on simulating from this moment, with other friction, mass or grip', () => { if (this.original) this.backToRecording(); else void this.askWhatIf(); }, 'whatif');
    this.whatIf.classList.add('strong');
    this.whatIf.hidden = !hasCore() || recording.states.length === 0;
    this.bar.append(this.whatIf);
    const left = make('div', { class: 'left' }, stage, this.bar);
    const panel = make('aside', { class: 'panel' }, make('h2', { text: 'What happens now' }), this.now, this.tabs, this.pages);
    root.replaceChildren(left, panel);
    panel.addEventListener('pointerdown', () => { this.pressing = true; });
    for (const end of ['pointerup', 'pointercancel'] as const)
      window.addEventListener(end, () => { setTimeout(() => { this.pressing = false; }); }, { capture: true, signal: this.ended.signal });
    this.view = new View3D(canvas, recording);
    this.hand = button('hand', 'Drag bodies with the pointer (or hold Shift)', () => { this.drag.hand = !this.drag.hand; this.hand.classList.toggle('strong', this.drag.hand); }, 'hand');
    this.hand.hidden = true; // until something runs that can be pulled
    this.fit = button('fit', 'Show everything', () => this.showAll(), 'fit');
    this.fillToolbar();
    this.drag = new Drag(this.view, () => this.session, recording.model);
    this.addTab('Plots', this.plots.element, () => this.plots.refresh(true));
    this.addTab('Selected', this.selected, () => this.showSelected(true));
    this.addTab('Events', make('div', {}, this.eventKeys, this.events), () => this.listEvents(true));
    this.addTab('Run', this.runPage());
    this.chooseTab('Plots');
    this.timeline.events = recording.events;
    this.resetRange();
    this.listenToPointer(canvas);
    window.addEventListener('keydown', e => this.key(e), { signal: this.ended.signal });
    new ResizeObserver(() => { this.view.invalidate(); this.updateScale(); }).observe(canvas);
    this.updateSelected();
    requestAnimationFrame(t => { this.view.draw(); this.view.fitCamera(); if (kept) this.take(kept); this.tick(t); });
  }

  // ---- one page after another ---------------------------------------------------------------------

  private input(id: string): HTMLInputElement { return this.root.querySelector(`#${id}`)!; }

  // Ends this page, whose place another one takes.
  leave(): Kept {
    const follow = this.root.querySelector<HTMLSelectElement>('#follow')!;
    const kept = { look: this.view.look, tab: this.tab, speed: this.speedChoice.value, checks: new Map(CHECKS.map(id => [id, this.input(id).checked])),
      plots: this.plots.open(), arrows: this.input('arrowscale').value, follow: follow.selectedOptions[0].text };
    this.ended.abort();
    this.view.dispose();
    return kept;
  }

  private take(kept: Kept): void {
    for (const [id, on] of kept.checks) if (this.input(id).checked !== on) this.input(id).click();
    this.input('arrowscale').value = kept.arrows;
    this.input('arrowscale').dispatchEvent(new globalThis.Event('input'));
    const follow = this.root.querySelector<HTMLSelectElement>('#follow')!, same = [...follow.options].find(o => o.text === kept.follow);
    if (same) { follow.value = same.value; follow.dispatchEvent(new globalThis.Event('change')); }
    this.speedChoice.value = kept.speed;
    this.speed = Number(kept.speed);
    this.plots.setOpen(kept.plots);
    this.view.look = kept.look;
    this.chooseTab(kept.tab);
    if (kept.tab === 'Control') this.controls?.update();
  }

  // ---- parts of the page ------------------------------------------------------------------------

  private heading(): HTMLElement {
    const r = this.recording, path = r.scene.split('/'), general = /^(scene|model|world|robot)\w*\.\w+$/.test(path[path.length - 1]);
    const name = path.slice(general ? -2 : -1).join('/'); // scene.xml alone says nothing
    document.title = `${name} - Holdfast`;
    return make('header', { title: r.scene }, make('h1', { text: name }),
      make('p', { text: r.run ? `${r.run.method}, ${r.run.friction} friction, step ${number(1000 * r.run.step)} ms` : '' }));
  }

  private legend(): HTMLElement {
    const bar = make('div', { class: 'gradient' });
    const stops = [0, 0.3, 0.6, 0.85, 1].map(s => `rgb(${colour(s, false).map(x => Math.round(255 * x))}) ${100 * s * 0.9}%`);
    bar.style.background = `linear-gradient(to right, ${stops.join(', ')}, rgb(${colour(1, true).map(x => Math.round(255 * x))}) 91%)`;
    return make('div', { class: 'legend', title: 'An arrow is the force that a contact puts on the grasped body. Its colour says how much of the available friction it uses.' },
      make('div', { text: 'Contact force, share of friction used' }), bar,
      make('div', { class: 'ends' }, make('span', { text: '0 % holds easily' }), make('span', { text: '100 % slips' })), this.scale);
  }

  private updateScale(): void {
    const per = this.view.arrows.metresPerNewton, force = Math.pow(10, Math.round(Math.log10(0.2 * this.view.size / per)));
    this.scale.textContent = `Arrow length: ${number(force)} N = ${number(100 * per * force, 2)} cm`;
  }

  private fillToolbar(): void {
    const r = this.recording, v = this.view, moving = [...Array(r.model.counts.nbody).keys()].filter(b => !r.model.isStatic(b));
    const more = make('details', { class: 'more' }, make('summary', { text: 'View' }), make('div', { class: 'sheet' },
      checkbox('Forces', 'Contact forces as arrows', true, on => { v.arrows.visible = on; v.invalidate(); }, 'forces'),
      checkbox('Friction cones', 'A force inside its cone needs no slip', false, on => { v.arrows.showCones = on; v.invalidate(); }, 'cones'),
      checkbox('Bodies', 'The shapes that are drawn', true, on => v.setVisual(on), 'visual'),
      checkbox('Collision shapes', 'The shapes that touch', false, on => v.setCollision(on), 'collision'),
      make('label', {}, 'Arrows ', this.arrowScale()),
      make('label', {}, 'Follow ', choice('Follow a body with the camera', [['-1', 'nothing'], ...moving.map(b => [String(b), r.model.label('body', b)] as [string, string])], '-1', b => v.setFollow(Number(b)), 'follow'))));
    this.toolbar.append(this.hand, more, this.fit);
  }

  // Of a recording all of its time, of a world that runs where things are now.
  private showAll(): void {
    const r = this.recording, now = r.frames[r.indexAt(this.time)];
    if (this.session) this.view.fitCamera(this.view.bounds([now]), now);
    else this.view.fitCamera();
    this.fit.classList.remove('strong');
  }

  // The camera goes along with what walks or flies out of the picture as long as the user has not turned it; else the button says it.
  private keepInSight(): void {
    const r = this.recording, lost = !this.view.moversInSight();
    const caught = lost && !this.view.turned && !this.held && this.view.catchUp(r.frames[r.frames.length - 1]);
    this.fit.classList.toggle('strong', lost && !caught);
  }

  private arrowScale(): HTMLInputElement {
    const input = make('input', { id: 'arrowscale' });
    input.type = 'range'; input.min = '-1'; input.max = '1'; input.step = '0.05'; input.value = '0';
    input.addEventListener('input', () => { this.view.scaleArrows(Math.pow(10, Number(input.value))); this.updateScale(); this.shown = -1; this.show(); });
    return input;
  }

  private listEventKeys(): void {
    const present = new Set(this.recording.events.map(e => e.kind));
    this.eventKeys.replaceChildren(...EVENT_NAMES.filter(([k]) => present.has(k) || k <= EventKind.Stick).map(([kind, name]) => {
      const dot = make('i');
      dot.style.background = EVENT_COLOURS[kind];
      return make('span', {}, dot, name);
    }));
  }

  private runPage(): HTMLElement {
    const r = this.recording, table = make('table', { class: 'figures' });
    const row = (a: string, b: string) => table.append(make('tr', {}, make('td', { text: a }), make('td', { text: b })));
    for (const [a, b] of r.figures) row(a, b);
    if (!r.figures.length) row('scene', r.scene);
    const options = make('table', { class: 'figures' });
    for (const [a, b] of Object.entries(r.run?.options ?? {}))
      options.append(make('tr', {}, make('td', { text: a }), make('td', { text: String(b) })));
    return make('div', {}, table, make('details', {}, make('summary', { text: 'All options' }), options),
      make('p', { class: 'about', text: `Holdfast ${r.run?.version ?? ''}. ${r.model.counts.nbody - 1} bodies, ${r.model.counts.nv} degrees of freedom, ${r.frames.length} frames.` }));
  }

  // A short recording plays slowly enough to be seen: for a second or as long as the slowest speed allows.
  slowDown(): void {
    const length = this.recording.end - this.recording.start, fits = SPEEDS.map(([s]) => Number(s)).filter(s => s <= 1 && length / s >= 1);
    this.speed = Math.max(Number(SPEEDS[0][0]), ...fits);
    this.speedChoice.value = String(this.speed);
  }

  addTab(name: string, content: HTMLElement, opened?: () => void): void {
    const page = make('section', {}, content);
    page.dataset.tab = name;
    const tab = button(name, name, () => this.chooseTab(name));
    tab.dataset.tab = name;
    tab.addEventListener('click', () => opened?.());
    this.tabs.append(tab);
    this.pages.append(page);
    page.hidden = true;
  }

  chooseTab(name: string): void {
    for (const tab of this.tabs.children) tab.classList.toggle('chosen', (tab as HTMLElement).dataset.tab === name);
    for (const page of this.pages.children) (page as HTMLElement).hidden = (page as HTMLElement).dataset.tab !== name;
    if (name === 'Plots') requestAnimationFrame(() => this.plots.refresh(true));
  }
  private get running(): Session | null { return this.session?.broken === '' ? this.session : null; }
  get isPlaying(): boolean { return this.running ? this.running.status.playing && !this.held : this.playing; }
  private updatePlayButton(): void {
    if (this.playButton.dataset.playing === String(this.isPlaying)) return;
    this.playButton.dataset.playing = String(this.isPlaying);
    this.playButton.replaceChildren(icon(this.isPlaying ? 'pause' : 'play'));
  }
  get tab(): string { return ([...this.tabs.children].find(t => t.classList.contains('chosen')) as HTMLElement)?.dataset.tab ?? ''; }

  // ---- time ---------------------------------------------------------------------------------------

  resetRange(): void {
    this.timeline.start = this.recording.start;
    this.timeline.end = Math.max(this.recording.end, this.recording.start + 1e-6);
    this.shown = -1;
  }

  goTo(time: number): void {
    this.time = Math.min(this.recording.end, Math.max(this.recording.start, time));
    if (this.session?.status.playing && this.time < this.recording.end) this.session.send(Command.Pause);
    this.held = this.time < this.recording.end - 1e-9;
    this.updatePlayButton();
    this.show();
  }

  stepFrame(by: number): void {
    this.setPlaying(false);
    const i = Math.min(this.recording.frames.length - 1, Math.max(0, this.recording.indexAt(this.time) + by));
    this.goTo(this.recording.frames[i].time);
  }

  private news = false;
  held = false; // the user looks at the past of a session

  // A session is paused, or goes on from the moment that is shown: what came after it is forgotten. Who only watches stops his own picture
  // and comes back to the present.
  private playSession(session: Session, on: boolean): void {
    if (!obeys(session)) {
      this.held = !on;
      this.news = true;
      return;
    }
    if (!on) return session.send(Command.Pause);
    if (this.held) {
      session.send(Command.Seek, 0, this.time);
      cut(this.recording, this.time);
      this.held = false;
    }
    session.send(Command.Play, 0, this.speed);
  }

  setPlaying(on: boolean): void {
    if (this.running) return this.playSession(this.running, on);
    if (on && this.time >= this.recording.end - 1e-9) this.time = this.recording.start;
    this.playing = on;
    this.updatePlayButton();
  }

  private tick(now: number): void {
    if (this.ended.signal.aborted) return;
    const dt = Math.min(0.5, (now - this.before) / 1000); // a page that was hidden does not jump
    this.before = now;
    this.session?.tick(dt);
    if (this.news) { this.news = false; this.grown(); }
    if (this.playing) {
      this.time += this.speed * dt;
      if (this.time >= this.recording.end) { this.time = this.recording.end; this.setPlaying(false); }
      this.show();
    }
    this.drag.update();
    this.view.draw();
    requestAnimationFrame(t => this.tick(t));
  }

  // Shows the present.
  show(): void {
    const r = this.recording;
    if (r.frames.length === 0) return;
    const i = r.indexAt(this.time), frame = r.frames[i], next = r.frames[i + 1] ?? null;
    const part = next ? Math.min(1, Math.max(0, (this.time - frame.time) / (next.time - frame.time))) : 0;
    this.view.show(frame, next, part);
    this.timeline.time = this.time;
    this.timeline.draw();
    this.clock.textContent = `${this.time.toFixed(3)} s`;
    const plays = this.playing || this.session?.status.playing, now = performance.now();
    const pace = this.view.lite ? 250 : 100; // between changes of texts while it plays [ms]
    if (this.tab === 'Plots') this.plots.movePresent();
    if (this.tab === 'Selected') for (const plot of this.histories) plot.movePresent();
    if (!plays || now - this.lastValues > pace) { this.lastValues = now; this.plots.showValues(i); for (const { plot } of this.histories) plot.setLegend({ idx: i }, false); }
    if (this.original) this.view.showGhost(this.original.frames[this.original.indexAt(this.time)] ?? null);
    if (i === this.shown || (plays && now - this.lastPanel < pace)) return;
    this.shown = i;
    this.lastPanel = now;
    this.showNow();
    if (this.tab === 'Selected') this.showSelected(false);
    if (this.tab === 'Events') this.markEvents();
  }

  private showNow(): void {
    if (this.pressing) return;
    const frame = this.recording.frames[this.recording.indexAt(this.time)], lines = nowLines(this.recording.model, frame);
    const most = 6;
    this.now.replaceChildren(...lines.slice(0, most).map(({ pair, text, detail }) => {
      const fill = make('i');
      fill.style.width = `${100 * pair.use}%`;
      fill.style.background = `rgb(${colour(pair.use, pair.slides && pair.bound > 0).map(x => Math.round(255 * x))})`;
      const line = make('div', { class: 'line', title: detail }, make('span', { text }), make('b', { text: pair.bound > 0 ? `${Math.round(100 * pair.use)} %` : '' }), make('div', { class: 'meter' }, fill), make('small', { text: detail }));
      line.addEventListener('click', () => { this.selection = { kind: 'body', body: pair.a, point: null as never }; this.view.select(pair.a); this.updateSelected(); this.chooseTab('Selected'); this.showSelected(true); });
      return line;
    }), ...(lines.length > most ? [make('small', { text: `and ${lines.length - most} more pairs of bodies that touch` })] : []),
    ...(lines.length === 0 ? [make('small', { text: 'Nothing touches.' })] : []));
  }

  // ---- selection ------------------------------------------------------------------------------------

  private listenToPointer(canvas: HTMLCanvasElement): void {
    let down = [0, 0];
    canvas.addEventListener('pointerdown', e => { down = [e.clientX, e.clientY]; });
    canvas.addEventListener('click', e => {
      if (Math.hypot(e.clientX - down[0], e.clientY - down[1]) > 4) return;
      this.choose(this.view.pick(e.clientX, e.clientY));
    });
  }

  choose(pick: Pick | null): void {
    this.selection = pick;
    this.view.select(pick?.kind === 'body' ? pick.body : -1);
    this.updateSelected();
    if (pick) { this.chooseTab('Selected'); this.showSelected(true); }
  }

  private facts = make('table', { class: 'figures' });
  private history = make('div', { class: 'plot' });
  private histories: TimePlot[] = [];

  private updateSelected(): void {
    const pick = this.selection, model = this.recording.model;
    if (!pick) {
      this.selected.replaceChildren(make('p', { class: 'about', text: 'Click a body or an arrow in the picture to see its name, pose, forces and history.' }));
      return;
    }
    const title = pick.kind === 'body' ? model.label('body', pick.body) : `Contact of ${model.label('geom', pick.geomA)} and ${model.label('geom', pick.geomB)}`;
    this.selected.replaceChildren(make('h3', { text: title }), this.facts, make('h4', { text: 'History' }), this.history);
  }

  private showSelected(history: boolean): void {
    const pick = this.selection, r = this.recording;
    if (!pick || r.frames.length === 0) return;
    const rows = pick.kind === 'body' ? this.bodyFacts(pick.body) : this.contactFacts(pick.geomA, pick.geomB);
    this.facts.replaceChildren(...rows.map(([a, b]) => make('tr', {}, make('td', { text: a }), make('td', { text: b }))));
    if (history) requestAnimationFrame(() => this.drawHistory(pick));
  }

  private bodyFacts(body: number): [string, string][] {
    const r = this.recording, frame = r.frames[r.indexAt(this.time)], p = frame.pose.subarray(7 * body, 7 * body + 7);
    const rows: [string, string][] = [['mass', `${number(r.model.get('body_mass')[body])} kg`],
      ['position', `${[0, 1, 2].map(k => p[k].toFixed(4)).join(', ')} m`], ['orientation', [3, 4, 5, 6].map(k => p[k].toFixed(4)).join(', ')]];
    for (const pair of pairsOf(r.model, frame).values()) {
      if (pair.a !== body && pair.b !== body) continue;
      const other = pair.a === body ? pair.b : pair.a;
      rows.push([`from ${r.model.label('body', other)}`, `normal ${number(Math.hypot(...pair.normal))} N, friction ${number(Math.hypot(...pair.friction))} N, ${pair.count} contacts${pair.slides && pair.bound > 0 ? ', slips' : ''}`]);
    }
    return rows;
  }

  private contactFacts(a: number, b: number): [string, string][] {
    const r = this.recording, frame = r.frames[r.indexAt(this.time)], rows: [string, string][] = [];
    for (let i = 0; i < frame.ncontact; ++i) {
      const c = frame.contact(i);
      if (c.geomA !== a || c.geomB !== b) continue;
      rows.push(['normal force', `${number(c.fn)} N`], ['friction', `${number(Math.hypot(...c.ft))} N of at most ${number(c.mu * c.fn)} N (µ ${number(c.mu)})`],
        ['slip', `${number(1000 * Math.hypot(...c.vt))} mm/s${c.stick ? ', sticks' : c.fn > 0 ? ', slips' : ''}`], ['overlap', `${number(1e6 * c.depth)} µm`]);
    }
    return rows.length ? rows : [['', 'These two do not touch now.']];
  }

  private drawHistory(pick: Pick): void {
    const r = this.recording, times = r.frames.map(f => f.time), seek = (t: number) => this.goTo(t), time = () => this.time;
    for (const { plot } of this.histories) plot.destroy();
    this.histories = [];
    this.history.replaceChildren();
    const draw = (curves: { name: string; values: (number | null)[] }[], unit: string) => {
      const box = make('div', { class: 'plot' });
      this.history.append(box);
      const made = drawPlot(box, times, curves, unit, 140, time, seek);
      made.plot.setLegend({ idx: r.indexAt(this.time) }, false);
      this.histories.push(made);
    };
    if (pick.kind === 'body') {
      draw(['x', 'y', 'z'].map((name, k) => ({ name, values: r.frames.map(f => f.pose[7 * pick.body + k]) })), 'm');
      const sums = r.frames.map(f => [...pairsOf(r.model, f).values()].filter(p => p.a === pick.body || p.b === pick.body));
      draw([{ name: 'normal', values: sums.map(s => s.reduce((x, p) => x + p.fn, 0)) }, { name: 'friction', values: sums.map(s => s.reduce((x, p) => x + p.use * p.bound, 0)) }], 'N');
      return;
    }
    const of = (f: Recording['frames'][0]) => { let fn = 0, ft = 0, bound = 0; for (let i = 0; i < f.ncontact; ++i) { const c = f.contact(i); if (c.geomA === pick.geomA && c.geomB === pick.geomB) { fn += c.fn; ft += Math.hypot(...c.ft); bound += c.mu * c.fn; } } return { fn, ft, bound }; };
    const all = r.frames.map(of);
    draw([{ name: 'normal', values: all.map(x => x.fn) }, { name: 'friction', values: all.map(x => x.ft) }, { name: 'friction bound', values: all.map(x => x.bound) }], 'N');
  }

  // ---- events ---------------------------------------------------------------------------------------

  // A recording's from the start on, a running world's from the present back.
  private listEvents(opened = false): void {
    const most = 400, live = this.session !== null, all = live ? [...this.recording.events].reverse() : this.recording.events;
    const list = [live, all.length, all[0]?.time, all[all.length - 1]?.time].join(' ');
    if (list === this.listed || (this.pressing && !opened)) return this.markEvents();
    this.listed = list;
    this.listEventKeys();
    this.events.replaceChildren(...all.slice(0, most).map(e => {
      const dot = make('i');
      dot.style.background = EVENT_COLOURS[e.kind];
      const item = make('li', {}, make('time', { text: `${e.time.toFixed(3)} s` }), dot, make('span', { text: eventText(this.recording.model, e) }));
      item.dataset.time = String(e.time);
      item.addEventListener('click', () => this.goTo(e.time));
      return item;
    }), ...(all.length > most ? [make('li', { text: `and ${all.length - most} ${live ? 'earlier ones' : 'more'}` })] : []), ...(all.length === 0 ? [make('li', { text: 'Nothing happened.' })] : []));
    this.markEvents();
  }
  private markEvents(): void {
    for (const item of this.events.children) (item as HTMLElement).classList.toggle('past', Number((item as HTMLElement).dataset.time) <= this.time + 1e-9);
  }

  // ---- sessions -------------------------------------------------------------------------------------

  attach(session: Session): void {
    this.session = session;
    this.recording = session.recording;
    this.held = this.hand.hidden = false;
    this.controls = new Controls(session);
    session.changed = () => { this.news = true; }; // shown with the next picture, however many came
    this.removeTab('Control');
    this.addTab('Control', this.controls.element, () => this.controls?.update());
    this.resetRange();
    this.grown();
  }

  detach(): void {
    this.session?.close();
    this.session = null;
    this.controls = null;
    this.removeTab('Control');
    this.held = this.news = this.drag.hand = false; // nothing more comes of it
    this.hand.classList.remove('strong');
    this.hand.hidden = true;
  }

  // Goes on from the moment that is shown, inside this page, beside the recorded future.
  async askWhatIf(): Promise<void> {
    this.setPlaying(false);
    try {
      const session = await PageSession.open(this.recording, this.time);
      this.original = this.recording;
      this.attach(session);
      this.timeline.branch = session.from;
      this.whatIf.textContent = 'Back to the recording';
      this.chooseTab('Control');
      this.grown();
      this.controls?.update();
    } catch (error) { this.say((error as Error).message, true); }
  }

  backToRecording(): void {
    if (!this.original) return;
    const recording = this.original, time = this.time;
    this.detach();
    this.original = null;
    this.recording = recording;
    this.timeline.branch = NaN;
    this.timeline.events = recording.events;
    this.view.showGhost(null);
    this.whatIf.textContent = 'What if …';
    this.say('');
    this.resetRange();
    this.chooseTab('Plots');
    this.goTo(time);
  }

  private removeTab(name: string): void {
    for (const list of [this.tabs, this.pages]) for (const e of [...list.children]) if ((e as HTMLElement).dataset.tab === name) e.remove();
  }

  // New frames, events or a new status came.
  grown(): void {
    const session = this.session!, r = this.recording;
    this.speedChoice.disabled = session.broken === '' && !session.control;
    if (session.broken) return this.loseSession(session);
    if (r !== session.recording) this.recording = session.recording;
    this.timeline.events = this.recording.events;
    this.timeline.start = this.recording.start;
    this.timeline.end = Math.max(this.recording.end, this.original?.end ?? 0, this.recording.start + 1e-6);
    this.time = this.held ? Math.max(this.time, this.recording.start) : this.recording.end; // who looks back at what goes stays at the oldest
    this.playing = false;
    this.updatePlayButton();
    this.followSpeed(session.status.speed);
    this.say(session.status.trouble ? `The scene file is not used as it is now:\n${session.status.trouble}` : session.status.message, session.status.trouble !== '');
    this.shown = this.held ? this.shown : -1;
    this.show();
    this.refreshSoon();
  }

  // What is costly to draw anew is drawn twice a second, and once more after the last news.
  private refreshSoon(): void {
    const wait = this.lastPlots + 500 - performance.now();
    if (wait <= 0) this.refresh();
    else if (!this.refreshes) this.refreshes = window.setTimeout(() => this.refresh(), wait);
  }

  private refresh(): void {
    window.clearTimeout(this.refreshes);
    this.refreshes = 0;
    this.lastPlots = performance.now();
    if (!this.session) return;
    this.keepInSight();
    if (this.view.rescaleArrows()) this.updateScale();
    if (this.tab === 'Plots') this.plots.refresh();
    if (this.tab === 'Events') this.listEvents();
    if (this.tab === 'Control') this.controls?.update();
  }

  // Nothing more comes: what was received is replayed as a recording.
  private loseSession(session: Session): void {
    this.updatePlayButton();
    this.say(session.broken, true);
    this.controls?.update();
  }

  // Takes over the speed that somebody else chose.
  private followSpeed(speed: number): void {
    if (!this.session?.remote || speed === this.sessionSpeed) return;
    this.sessionSpeed = this.speed = speed;
    this.speedChoice.value = String(speed);
  }
  private sessionSpeed = NaN;

  // Errors stay; other messages go after a while, because they cover the picture.
  say(text: string, bad = false): void {
    if (text === this.said && bad === this.message.classList.contains('bad')) return;
    this.said = text;
    this.message.textContent = text;
    this.message.classList.toggle('bad', bad);
    this.message.hidden = text === '';
    clearTimeout(this.fading);
    if (!bad) this.fading = window.setTimeout(() => { this.message.hidden = true; }, READ);
  }
  private said = '';
  private fading = 0;

  private key(e: KeyboardEvent): void {
    const target = e.target as HTMLElement;
    if (['INPUT', 'SELECT', 'TEXTAREA'].includes(target.tagName)) return;
    if (e.key === ' ') { this.setPlaying(!this.isPlaying); e.preventDefault(); }
    else if (e.key === 'ArrowRight') this.stepFrame(1);
    else if (e.key === 'ArrowLeft') this.stepFrame(-1);
    else if (e.key === '.') this.session?.send(Command.Step, 1);
    else if (e.key === 'Home') this.goTo(this.recording.start);
    else if (e.key === 'End') this.goTo(this.recording.end);
  }
}
