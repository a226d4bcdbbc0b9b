// A world that runs in the page: the live part of the App. It shows what a session sends, plays and pauses it, and starts "What if …"
// beside a recording.
import type { App } from './app';
import { Controls } from './controls';
import { button } from './dom';
import { Recording } from './recording';
import { Command, cut, obeys, Session } from './session';
import { hasCore, PageSession } from './whatif';

const REFRESH = 500; // between two drawings of what is costly to draw [ms]

export class Running {
  session: Session | null = null; // a world that runs, whose frames are shown
  original: Recording | null = null; // the recording beside which a session of the page runs
  held = false; // the user looks at the past of a session
  readonly whatIf: HTMLButtonElement;
  readonly hand: HTMLButtonElement;
  private controls: Controls | null = null;
  private news = false;     // the session changed since the last picture
  private refreshed = 0;    // when plots and lists were drawn last [ms]
  private refreshing = 0;   // how long that took [ms]
  private nextRefresh = 0;  // the timer of the next time, 0: none
  private sessionSpeed = NaN; // the speed that somebody chose last

  constructor(private readonly app: App) {
    this.whatIf = button('What if …', 'Go on simulating from this moment, with other friction, mass or grip', () => {
      if (this.original) this.backToRecording();
      else void this.askWhatIf();
    }, 'whatif');
    this.whatIf.classList.add('strong');
    this.whatIf.hidden = !hasCore() || app.recording.states.length === 0;
    this.hand = button('hand', 'Drag bodies with the pointer (or hold Shift)', () => {
      app.drag.hand = !app.drag.hand;
      this.hand.classList.toggle('strong', app.drag.hand);
    }, 'hand');
    this.hand.hidden = true; // until something runs that can be pulled
  }

  // ---- beginning and end ----------------------------------------------------------------------------

  attach(session: Session): void {
    this.session = session;
    this.app.recording = session.recording;
    this.held = this.hand.hidden = false;
    this.controls = new Controls(session);
    session.changed = () => { this.news = true; }; // shown with the next picture, however many came
    this.app.removeTab('Control');
    this.app.addTab('Control', this.controls.element, () => this.updateControls());
    this.app.resetRange();
    this.grown();
  }

  private detach(): void {
    this.session?.close();
    this.session = null;
    this.controls = null;
    this.app.removeTab('Control');
    this.held = this.news = this.app.drag.hand = false; // nothing more comes of it
    this.hand.classList.remove('strong');
    this.hand.hidden = true;
  }

  updateControls(): void { this.controls?.update(); }

  // Goes on from the moment that is shown, inside this page, beside the recorded future.
  async askWhatIf(): Promise<void> {
    const app = this.app;
    app.setPlaying(false);
    try {
      const session = await PageSession.open(app.recording, app.time);
      this.original = app.recording;
      this.attach(session);
      app.timeline.branch = session.from;
      this.whatIf.textContent = 'Back to the recording';
      app.chooseTab('Control');
      this.grown();
      this.updateControls();
    } catch (error) { app.say((error as Error).message, true); }
  }

  backToRecording(): void {
    if (!this.original) return;
    const app = this.app, recording = this.original, time = app.time;
    this.detach();
    this.original = null;
    app.recording = recording;
    app.timeline.branch = NaN;
    app.timeline.events = recording.events;
    app.view.showGhost(null);
    this.whatIf.textContent = 'What if …';
    app.say('');
    app.resetRange();
    app.chooseTab('Plots');
    app.goTo(time);
  }

  // ---- time -----------------------------------------------------------------------------------------

  // The session, unless nothing comes from it any more: what was received is then replayed as a recording.
  get connected(): Session | null { return this.session?.broken === '' ? this.session : null; }
  get isPlaying(): boolean { return this.connected !== null && this.connected.status.playing && !this.held; }

  // A session is paused, or goes on from the moment that is shown: what came after it is forgotten. Who only watches stops his own picture
  // and comes back to the present.
  setPlaying(session: Session, on: boolean): void {
    if (!obeys(session)) {
      this.held = !on;
      this.news = true;
      return;
    }
    if (!on) return session.send(Command.Pause);
    if (this.held) {
      session.send(Command.Seek, 0, this.app.time);
      cut(this.app.recording, this.app.time);
      this.held = false;
    }
    session.send(Command.Play, 0, this.app.speed);
  }

  setSpeed(speed: number): void { if (this.session?.status.playing) this.session.send(Command.Play, 0, speed); }

  // Who goes to a moment of the past stays there.
  look(time: number, end: number): void {
    if (this.session?.status.playing && time < end) this.session.send(Command.Pause);
    this.held = time < end - 1e-9;
  }

  // Once a picture, dt seconds after the one before.
  tick(dt: number): void {
    this.session?.tick(dt);
    if (!this.news) return;
    this.news = false;
    this.grown();
  }

  // ---- what came ------------------------------------------------------------------------------------

  // New frames, events or a new status came.
  private grown(): void {
    const app = this.app, session = this.session!, { status, recording } = session;
    app.speedChoice.disabled = session.broken === '' && !session.control;
    if (session.broken) {
      app.updatePlayButton();
      app.say(session.broken, true);
      return this.updateControls();
    }
    app.recording = recording;
    app.timeline.events = recording.events;
    app.timeline.start = recording.start;
    app.timeline.end = Math.max(recording.end, this.original?.end ?? 0, recording.start + 1e-6);
    app.time = this.held ? Math.max(app.time, recording.start) : recording.end; // who looks back at what goes stays at the oldest
    app.playing = false;
    app.updatePlayButton();
    if (session.remote) this.followSpeed(status.speed);
    app.say(status.trouble ? `The scene file is not used as it is now:\n${status.trouble}` : status.message, status.trouble !== '');
    app.show(!this.held);
    this.refreshSoon();
  }

  // What is costly to draw anew is drawn twice a second, and once more after the last news; where drawing takes long, so seldom that the picture has
  // three quarters of the time.
  private refreshSoon(): void {
    const wait = this.refreshed + Math.max(REFRESH, 3 * this.refreshing) - performance.now();
    if (wait <= 0) this.refresh();
    else if (!this.nextRefresh) this.nextRefresh = window.setTimeout(() => this.refresh(), wait);
  }

  private refresh(): void {
    window.clearTimeout(this.nextRefresh);
    this.nextRefresh = 0;
    const begun = performance.now();
    if (this.session) {
      this.app.refresh();
      if (this.app.tab === 'Control') this.updateControls();
    }
    this.refreshed = performance.now();
    this.refreshing = this.refreshed - begun;
  }

  // Takes over the speed that somebody else chose.
  private followSpeed(speed: number): void {
    if (speed === this.sessionSpeed) return;
    this.sessionSpeed = speed;
    this.app.chooseSpeed(speed);
  }
}
