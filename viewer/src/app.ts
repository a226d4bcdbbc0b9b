// The page: 3-D view, bar of time, and a panel of what happens, plots, events, the selection and the run.
import { colour, number } from './contacts';
import { Drag } from './drag';
import { button, checkbox, choice, icon, make } from './dom';
import { EventList } from './events';
import { Plots } from './plots';
import { Recording } from './recording';
import { Running } from './running';
import { Selected } from './selected';
import { Command } from './session';
import { Timeline } from './timeline';
import { Pick, View3D } from './view3d';
import { eventText, nowLines } from './words';

// Seconds shown in a second, and how the choice names them.
const SPEEDS: [string, string][] = [['0.02', '1/50 ×'], ['0.1', '1/10 ×'], ['0.25', '1/4 ×'], ['0.5', '1/2 ×'],
  ['1', '1 ×'], ['2', '2 ×'], ['5', '5 ×'], ['20', '20 ×']];

// What a page that shows a scene takes over from the one before it.
export interface Kept {
  look: View3D['look'];
  tab: string;
  speed: string;
  checks: Map<string, boolean>; // by their ids
  plots: string[];              // the open ones
  arrows: string;               // the position of their scale
  follow: string;
  camera: string;
}

const READ = 12000;    // how long a message is shown [ms]
const MOST_PAIRS = 6;  // pairs of bodies that the panel lists
const CLICK_REACH = 4; // a pointer that moved farther between down and up did not click [CSS pixels]
const CHECKS = ['forces', 'cones', 'visual', 'collision'];

export class App {
  readonly view: View3D;
  readonly timeline: Timeline;
  readonly plots: Plots;
  time: number;
  playing = false;
  speed = 1;
  readonly live: Running;
  readonly drag: Drag;
  readonly toolbar = make('div', { class: 'tools' });
  readonly bar = make('div', { class: 'bar' });
  readonly message = make('div', { class: 'message', id: 'message' });
  private readonly clock = make('span', { class: 'clock', id: 'clock' });
  private readonly playButton: HTMLButtonElement;
  readonly speedChoice: HTMLSelectElement;
  private readonly fit: HTMLButtonElement;
  private readonly now = make('div', { class: 'now', id: 'now' });
  private readonly tabs = make('div', { class: 'tabs' });
  private readonly pages = make('div', { class: 'pages' });
  private pressing = false;  // the pointer is down in the panel, whose elements must not be replaced until it is up
  private readonly selected = new Selected(() => this.recording, () => this.time, t => this.goTo(t));
  private readonly events = new EventList(() => this.recording, t => this.goTo(t));
  private readonly scale = make('div', { class: 'scale' });
  private before = 0;
  private shown = -1;     // the frame that the panel shows
  private lastPanel = 0;  // when the panel was filled [ms]
  private lastValues = 0; // when the values beside plots were written [ms]
  private readonly ended = new AbortController(); // ends the listeners on the window

  constructor(private readonly root: HTMLElement, public recording: Recording, kept?: Kept) {
    const canvas = make('canvas', { id: 'view' });
    this.time = recording.start;
    this.live = new Running(this);
    this.timeline = new Timeline(t => this.goTo(t), e => eventText(this.recording.model, e));
    this.speedChoice = choice('Speed', SPEEDS, '1', v => {
      this.speed = Number(v);
      this.live.setSpeed(this.speed);
    }, 'speed');
    this.playButton = button('play', 'Play or pause (space)', () => this.setPlaying(!this.isPlaying), 'play');
    this.plots = new Plots(() => this.recording, () => this.time, t => this.goTo(t));

    // the parts of the page
    const stage = make('div', { class: 'stage' }, canvas, this.heading(), this.toolbar, this.legend(), this.message);
    this.bar.append(button('first', 'To the start', () => this.goTo(this.recording.start), 'first'),
      button('back', 'One frame back (left arrow)', () => this.stepFrame(-1), 'back'), this.playButton,
      button('on', 'One frame on (right arrow)', () => this.stepFrame(1), 'on'),
      this.speedChoice, this.timeline.element, this.clock, this.live.whatIf);
    const left = make('div', { class: 'left' }, stage, this.bar);
    const heading = make('h2', { text: 'What happens now' });
    const panel = make('aside', { class: 'panel' }, heading, this.now, this.tabs, this.pages);
    root.replaceChildren(left, panel);

    // a press ends after what listens to the click has run
    const release = () => { setTimeout(() => { this.pressing = false; }); };
    panel.addEventListener('pointerdown', () => { this.pressing = true; });
    for (const end of ['pointerup', 'pointercancel'] as const)
      window.addEventListener(end, release, { capture: true, signal: this.ended.signal });

    // the view and the tabs
    this.view = new View3D(canvas, recording);
    this.fit = button('fit', 'Show everything', () => this.showAll(), 'fit');
    this.fillToolbar();
    this.drag = new Drag(this.view, () => this.live.session, recording.model);
    this.addTab('Plots', this.plots.element, () => this.plots.refresh(true));
    this.addTab('Selected', this.selected.element, () => this.selected.show(true));
    this.addTab('Events', this.events.element, () => this.listEvents());
    this.addTab('Run', this.runPage());
    this.chooseTab('Plots');

    this.timeline.events = recording.events;
    this.resetRange();
    this.listenToPointer(canvas);
    window.addEventListener('keydown', e => this.key(e), { signal: this.ended.signal });
    new ResizeObserver(() => {
      this.view.invalidate();
      this.updateScale();
    }).observe(canvas);

    // the first picture sets the canvas's size, for which the camera is placed
    requestAnimationFrame(t => {
      this.view.draw();
      this.view.fitCamera();
      if (kept) this.take(kept);
      this.tick(t);
    });
  }

  // ---- one page after another ---------------------------------------------------------------------

  private input(id: string): HTMLInputElement { return this.root.querySelector(`#${id}`)!; }

  // Ends this page, whose place another one takes.
  leave(): Kept {
    const chosen = (id: string) => this.select(id)?.selectedOptions[0].text ?? '';
    const kept = {
      look: this.view.look,
      tab: this.tab,
      speed: this.speedChoice.value,
      checks: new Map(CHECKS.map(id => [id, this.input(id).checked])),
      plots: this.plots.open(),
      arrows: this.input('arrowscale').value,
      follow: chosen('follow'),
      camera: chosen('camera'),
    };
    this.ended.abort();
    this.view.dispose();
    return kept;
  }

  // Sets what the page before this one had set, as a user would.
  private take(kept: Kept): void {
    for (const [id, on] of kept.checks)
      if (this.input(id).checked !== on) this.input(id).click();
    this.input('arrowscale').value = kept.arrows;
    this.input('arrowscale').dispatchEvent(new globalThis.Event('input'));
    this.chooseText('follow', kept.follow);
    this.chooseSpeed(Number(kept.speed));
    this.plots.setOpen(kept.plots);
    this.view.look = kept.look;
    this.chooseText('camera', kept.camera);
    this.chooseTab(kept.tab);
    if (kept.tab === 'Control') this.live.updateControls();
  }

  // ---- parts of the page ------------------------------------------------------------------------

  private heading(): HTMLElement {
    const r = this.recording;
    const path = r.scene.split('/');
    const general = /^(scene|model|world|robot)\w*\.\w+$/.test(path[path.length - 1]);
    const name = path.slice(general ? -2 : -1).join('/'); // scene.xml alone says nothing
    document.title = `${name} - Holdfast`;

    const run = r.run ? `${r.run.method}, ${r.run.friction} friction, step ${number(1000 * r.run.step)} ms` : '';
    return make('header', { title: r.scene }, make('h1', { text: name }), make('p', { text: run }));
  }

  // The colours of arrows: nine tenths of the bar are those of a share that holds, the rest is of what slips.
  private legend(): HTMLElement {
    const rgb = (share: number, slides: boolean) => `rgb(${colour(share, slides).map(x => Math.round(255 * x))})`;
    const stops = [0, 0.3, 0.6, 0.85, 1].map(s => `${rgb(s, false)} ${100 * s * 0.9}%`);
    const bar = make('div', { class: 'gradient' });
    bar.style.background = `linear-gradient(to right, ${stops.join(', ')}, ${rgb(1, true)} 91%)`;

    const title = 'An arrow is the force that a contact puts on the grasped body. ' +
      'Its colour says how much of the available friction it uses.';
    const ends = [make('span', { text: '0 % holds easily' }), make('span', { text: '100 % slips' })];
    return make('div', { class: 'legend', title }, make('div', { text: 'Contact force, share of friction used' }), bar,
      make('div', { class: 'ends' }, ...ends), this.scale);
  }

  // Says how long the arrow of a force is: of the power of ten whose arrow is nearest to a fifth of what moves.
  private updateScale(): void {
    const per = this.view.arrows.metresPerNewton;
    const force = Math.pow(10, Math.round(Math.log10(0.2 * this.view.size / per)));
    this.scale.textContent = `Arrow length: ${number(force)} N = ${number(100 * per * force, 2)} cm`;
  }

  private fillToolbar(): void {
    const r = this.recording;
    const v = this.view;
    const showForces = (on: boolean) => {
      v.arrows.visible = on;
      v.invalidate();
    };
    const showCones = (on: boolean) => {
      v.arrows.showCones = on;
      v.invalidate();
    };

    const moving = [...Array(r.model.counts.nbody).keys()].filter(b => !r.model.isStatic(b));
    const bodies = moving.map(b => [String(b), r.model.label('body', b)] as [string, string]);
    const follow = choice('Follow a body with the camera', [['-1', 'nothing'], ...bodies], '-1',
      b => v.setFollow(Number(b)), 'follow');

    const more = make('details', { class: 'more' }, make('summary', { text: 'View' }), make('div', { class: 'sheet' },
      checkbox('Forces', 'Contact forces as arrows', true, showForces, 'forces'),
      checkbox('Friction cones', 'A force inside its cone needs no slip', false, showCones, 'cones'),
      checkbox('Bodies', 'The shapes that are drawn', true, on => v.setVisual(on), 'visual'),
      checkbox('Collision shapes', 'The shapes that touch', false, on => v.setCollision(on), 'collision'),
      make('label', {}, 'Arrows ', this.arrowScale()),
      make('label', {}, 'Follow ', follow),
      ...(r.model.counts.ncam ? [make('label', {}, 'Camera ', this.cameraChoice())] : [])));
    this.toolbar.append(this.live.hand, more, this.fit);
  }

  private select(id: string): HTMLSelectElement | null { return this.root.querySelector<HTMLSelectElement>(`#${id}`); }

  // Chooses an option, as a user would.
  private chooseOption(id: string, value: string): void {
    const select = this.select(id)!;
    select.value = value;
    select.dispatchEvent(new globalThis.Event('change'));
  }

  // Chooses what has this text, if it is there.
  private chooseText(id: string, text: string): void {
    const same = [...this.select(id)?.options ?? []].find(o => o.text === text);
    if (same) this.chooseOption(id, same.value);
  }

  private cameraChoice(): HTMLElement {
    const m = this.recording.model;
    const label = (c: number) => m.name('cam', c) || `camera ${c}`;
    const cameras = [...Array(m.counts.ncam).keys()].map(c => [String(c), label(c)] as [string, string]);
    return choice('Look through a camera of the scene', [['-1', 'your own'], ...cameras], '-1',
      c => this.view.setThrough(Number(c)), 'camera');
  }

  // Moves the camera so that it sees everything: in a recording all that moves during it, in a live world all things
  // where they are now.
  private showAll(): void {
    if (this.view.through >= 0) this.chooseOption('camera', '-1');
    const r = this.recording;
    const now = r.frames[r.indexAt(this.time)];
    if (this.live.session) this.view.fitCamera(this.view.bounds([now]), now);
    else this.view.fitCamera();
    this.fit.classList.remove('strong');
  }

  // The camera goes along with what walks or flies out of the picture as long as the user has not turned it; else the
  // button says it.
  private keepInSight(): void {
    const r = this.recording;
    const lost = this.view.through < 0 && !this.view.moversInSight();
    const mayMove = !this.view.turned && !this.live.held;
    const caught = lost && mayMove && this.view.catchUp(r.frames[r.frames.length - 1]);
    this.fit.classList.toggle('strong', lost && !caught);
  }

  private arrowScale(): HTMLInputElement {
    const input = make('input', { id: 'arrowscale' });
    input.type = 'range';
    input.min = '-1'; // a power of ten
    input.max = '1';
    input.step = '0.05';
    input.value = '0';

    input.addEventListener('input', () => {
      this.view.scaleArrows(Math.pow(10, Number(input.value)));
      this.updateScale();
      this.show(true);
    });
    return input;
  }

  private runPage(): HTMLElement {
    const r = this.recording;
    const row = (a: string, b: string) => make('tr', {}, make('td', { text: a }), make('td', { text: b }));

    const table = make('table', { class: 'figures' });
    for (const [a, b] of r.figures) table.append(row(a, b));
    if (!r.figures.length) table.append(row('scene', r.scene));

    const options = make('table', { class: 'figures' });
    for (const [a, b] of Object.entries(r.run?.options ?? {})) options.append(row(a, String(b)));

    const { nbody, nv } = r.model.counts;
    const size = `${nbody - 1} bodies, ${nv} degrees of freedom, ${r.frames.length} frames.`;
    return make('div', {}, table, make('details', {}, make('summary', { text: 'All options' }), options),
      make('p', { class: 'about', text: `Holdfast ${r.run?.version ?? ''}. ${size}` }));
  }

  // A short recording plays slowly enough to be seen: for a second or as long as the slowest speed allows.
  slowDown(): void {
    const length = this.recording.end - this.recording.start;
    const fits = SPEEDS.map(([s]) => Number(s)).filter(s => s <= 1 && length / s >= 1);
    this.chooseSpeed(Math.max(Number(SPEEDS[0][0]), ...fits));
  }

  chooseSpeed(speed: number): void {
    this.speed = speed;
    this.speedChoice.value = String(speed);
  }

  // Adds a hidden page with a button that shows it. opened: called when the user presses the button.
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

  removeTab(name: string): void {
    for (const list of [this.tabs, this.pages])
      for (const e of [...list.children])
        if ((e as HTMLElement).dataset.tab === name) e.remove();
  }

  chooseTab(name: string): void {
    const hasName = (e: Element) => (e as HTMLElement).dataset.tab === name;
    for (const tab of this.tabs.children) tab.classList.toggle('chosen', hasName(tab));
    for (const page of this.pages.children) (page as HTMLElement).hidden = !hasName(page);
    if (name === 'Plots') requestAnimationFrame(() => this.plots.refresh(true));
  }

  get isPlaying(): boolean { return this.playing || this.live.isPlaying; }

  updatePlayButton(): void {
    if (this.playButton.dataset.playing === String(this.isPlaying)) return;
    this.playButton.dataset.playing = String(this.isPlaying);
    this.playButton.replaceChildren(icon(this.isPlaying ? 'pause' : 'play'));
  }

  // The name of the tab that is shown.
  get tab(): string {
    const chosen = [...this.tabs.children].find(t => t.classList.contains('chosen')) as HTMLElement | undefined;
    return chosen?.dataset.tab ?? '';
  }

  // ---- time ---------------------------------------------------------------------------------------

  resetRange(): void {
    this.timeline.start = this.recording.start;
    this.timeline.end = Math.max(this.recording.end, this.recording.start + 1e-6);
    this.shown = -1;
  }

  goTo(time: number): void {
    this.time = Math.min(this.recording.end, Math.max(this.recording.start, time));
    this.live.look(this.time, this.recording.end);
    this.updatePlayButton();
    this.show();
  }

  stepFrame(by: number): void {
    this.setPlaying(false);
    const i = Math.min(this.recording.frames.length - 1, Math.max(0, this.recording.indexAt(this.time) + by));
    this.goTo(this.recording.frames[i].time);
  }

  setPlaying(on: boolean): void {
    if (this.live.connected) return this.live.setPlaying(this.live.connected, on);
    if (on && this.time >= this.recording.end - 1e-9) this.time = this.recording.start;
    this.playing = on;
    this.updatePlayButton();
  }

  private tick(now: number): void {
    if (this.ended.signal.aborted) return;
    const dt = Math.min(0.5, (now - this.before) / 1000); // a page that was hidden does not jump
    this.before = now;
    this.live.tick(dt);
    if (this.playing) {
      this.time += this.speed * dt;
      if (this.time >= this.recording.end) {
        this.time = this.recording.end;
        this.setPlaying(false);
      }
      this.show();
    }
    this.drag.update();
    this.view.draw();
    requestAnimationFrame(t => this.tick(t));
  }

  // Shows the moment `time`. With `anew` the panel is filled again even if it shows this frame already.
  show(anew = false): void {
    const r = this.recording;
    if (anew) this.shown = -1;
    if (r.frames.length === 0) return;

    // the picture and the bar of time, at each call
    const i = r.indexAt(this.time);
    const frame = r.frames[i];
    const next = r.frames[i + 1] ?? null;
    const part = next ? Math.min(1, Math.max(0, (this.time - frame.time) / (next.time - frame.time))) : 0;
    this.view.show(frame, next, part);
    this.timeline.time = this.time;
    this.timeline.draw();
    this.clock.textContent = `${this.time.toFixed(3)} s`;
    if (this.tab === 'Plots') this.plots.movePresent();
    if (this.tab === 'Selected') this.selected.movePresent();
    const original = this.live.original;
    if (original) this.view.showGhost(original.frames[original.indexAt(this.time)] ?? null);

    // values and texts, not too often while it plays
    const plays = this.playing || this.live.session?.status.playing;
    const now = performance.now();
    const pace = this.view.lite ? 250 : 100; // between changes of texts while it plays [ms]
    if (!plays || now - this.lastValues > pace) {
      this.lastValues = now;
      this.plots.showValues();
      this.selected.showValues();
    }
    if (i === this.shown || (plays && now - this.lastPanel < pace)) return;
    this.shown = i;
    this.lastPanel = now;
    this.showNow();
    if (this.tab === 'Selected') this.selected.show(false);
    if (this.tab === 'Events') this.events.mark(this.time);
  }

  // Lists the pairs of bodies that touch now, each with the share of its friction that it uses.
  private showNow(): void {
    if (this.pressing) return;
    const frame = this.recording.frames[this.recording.indexAt(this.time)];
    const lines = nowLines(this.recording.model, frame);

    const shown: HTMLElement[] = lines.slice(0, MOST_PAIRS).map(({ pair, text, detail }) => {
      const fill = make('i');
      fill.style.width = `${100 * pair.use}%`;
      fill.style.background = `rgb(${colour(pair.use, pair.slides && pair.bound > 0).map(x => Math.round(255 * x))})`;

      const share = pair.bound > 0 ? `${Math.round(100 * pair.use)} %` : '';
      const line = make('div', { class: 'line', title: detail }, make('span', { text }), make('b', { text: share }),
        make('div', { class: 'meter' }, fill), make('small', { text: detail }));
      line.addEventListener('click', () => this.choose({ kind: 'body', body: pair.a, point: null as never }));
      return line;
    });

    const more = lines.length - MOST_PAIRS;
    if (more > 0) shown.push(make('small', { text: `and ${more} more pairs of bodies that touch` }));
    if (lines.length === 0) shown.push(make('small', { text: 'Nothing touches.' }));
    this.now.replaceChildren(...shown);
  }

  // ---- selection ------------------------------------------------------------------------------------

  private listenToPointer(canvas: HTMLCanvasElement): void {
    let down = [0, 0];
    canvas.addEventListener('pointerdown', e => { down = [e.clientX, e.clientY]; });
    canvas.addEventListener('click', e => {
      if (Math.hypot(e.clientX - down[0], e.clientY - down[1]) > CLICK_REACH) return;
      this.choose(this.view.pick(e.clientX, e.clientY));
    });
  }

  choose(pick: Pick | null): void {
    this.view.select(pick?.kind === 'body' ? pick.body : -1);
    this.selected.select(pick);
    if (!pick) return;
    this.chooseTab('Selected');
    this.selected.show(true);
  }

  private listEvents(): void { this.events.refresh(this.live.session !== null, this.time); }

  // Draws anew what is costly to draw while a world runs.
  refresh(): void {
    this.keepInSight();
    if (this.view.rescaleArrows()) this.updateScale();
    if (this.tab === 'Plots') this.plots.refresh();
    if (this.tab === 'Events' && !this.pressing) this.listEvents();
  }

  // ---- messages and keys ----------------------------------------------------------------------------

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

    if (e.key === ' ') {
      this.setPlaying(!this.isPlaying);
      e.preventDefault();
    } else if (e.key === 'ArrowRight') this.stepFrame(1);
    else if (e.key === 'ArrowLeft') this.stepFrame(-1);
    else if (e.key === '.') this.live.session?.send(Command.Step, 1);
    else if (e.key === 'Home') this.goTo(this.recording.start);
    else if (e.key === 'End') this.goTo(this.recording.end);
  }
}
