// The tab that changes a running world: time, actuators, joints, friction, mass, grip, method.
import { button, choice, make } from './dom';
import { isScalar, JointType } from './model';
import { Command, obeys, Session } from './session';

const METHODS: [string, string][] = [
  ['0', 'TAMSI'], ['1', 'convex'], ['2', 'MLCP (rigid)'], ['3', 'Runge-Kutta 3'], ['4', 'implicit Euler'],
  ['5', 'SDIRK'], ['6', 'switching'],
];

interface Slider {
  row: HTMLElement;
  update: () => void; // shows the value as it is now, unless the user holds the slider
}

// What a slider changes.
interface SliderOf {
  name: string;
  id: string;
  range: [number, number];
  isLogarithmic?: boolean; // its places are logarithms of its values, which are factors
  value: () => number;
  set: (x: number) => void;
}

// A slider with its name and value. A value beyond the range widens it: then no limit says how far it goes.
function slider({ name, id, range, isLogarithmic = false, value, set }: SliderOf): Slider {
  const input = make('input', { id });
  const output = make('output');
  const toPlace = (x: number) => isLogarithmic ? Math.log10(x) : x;
  const fromPlace = (place: number) => isLogarithmic ? Math.pow(10, place) : place;
  const setRange = (low: number, high: number) => {
    input.min = String(low);
    input.max = String(high);
    input.step = String((high - low) / 400);
  };
  const show = (x: number) => { output.textContent = `${isLogarithmic ? '× ' : ''}${Number(x.toPrecision(3))}`; };

  input.type = 'range';
  setRange(toPlace(range[0]), toPlace(range[1]));

  let isHeld = false;
  input.addEventListener('pointerdown', () => { isHeld = true; });
  for (const end of ['pointerup', 'pointercancel', 'lostpointercapture'])
    input.addEventListener(end, () => { isHeld = false; });
  input.addEventListener('input', () => {
    const x = fromPlace(Number(input.value));
    show(x);
    set(x);
  });

  const update = () => {
    if (isHeld) return;
    const x = value();
    const isOutside = x < Number(input.min) || x > Number(input.max);
    if (!isLogarithmic && isOutside) setRange(-4 * Math.abs(x), 4 * Math.abs(x));
    input.value = String(toPlace(x));
    show(x);
  };
  return { row: make('label', { title: name }, make('span', { text: name }), input, output), update };
}

export class Controls {
  readonly element = make('div', { class: 'controls' });
  private readonly updates: (() => void)[] = [];
  private readonly status = make('p', { class: 'about', id: 'status' });
  private readonly take: HTMLButtonElement;

  constructor(private readonly session: Session) {
    const about = 'Control this world; whoever controls it now watches';
    this.take = button('Take control', about, () => session.send(Command.Take), 'take');

    const row = make('div', { class: 'row' },
      button('Step', 'One step of the simulation', () => session.send(Command.Step, 1), 'step'),
      button('Reset', 'Back to the start', () => session.send(Command.Reset, 0), 'reset'));
    if (session.recording.model.counts.nkey > 0) row.append(this.keyframeChoice());
    if (session.remote) {
      const saveRecording = () => session.send(Command.Save, 0);
      const saveReport = () => session.send(Command.Save, 1);
      row.append(
        button('Save recording', 'Write the last minute to a file on the server', saveRecording, 'saverec'),
        button('Save report', 'Write the last minute as a page on the server', saveReport, 'savereport'),
        this.take);
    }

    const hint = 'Hold Shift (or switch on the hand in the picture) and drag a body: a spring pulls it.';
    this.element.append(row, this.status, make('p', { class: 'about', text: hint }));
    this.addScales();
    this.addActuators();
    this.addJoints();
  }

  // A list of keyframes to start from. It falls back to its title, so that the same one can be chosen again.
  private keyframeChoice(): HTMLSelectElement {
    const model = this.session.recording.model;
    const names = Array.from({ length: model.counts.nkey },
      (_, i) => [String(i + 1), model.label('key', i)] as [string, string]);
    const list = choice('Start from a keyframe', [['', 'keyframe …'], ...names], '', key => {
      this.session.send(Command.Reset, Number(key));
      list.value = '';
    }, 'keyframe');
    return list;
  }

  // A group of sliders that can be folded; returns the element for its rows.
  private group(title: string, open: boolean): HTMLElement {
    const body = make('div', { class: 'sliders' });
    const box = make('details', {}, make('summary', { text: title }), body);
    box.open = open;
    this.element.append(box);
    return body;
  }

  private addSlider(body: HTMLElement, of: SliderOf): void {
    const made = slider(of);
    body.append(made.row);
    this.updates.push(made.update);
  }

  // Factors of friction, mass and grip, and the method.
  private addScales(): void {
    const session = this.session;
    const body = this.group('What if …', true);
    const scales = [['Friction', 'friction'], ['Mass of things', 'mass'], ['Grip and motors', 'grip']];
    for (const [i, [name, id]] of scales.entries())
      this.addSlider(body, {
        name, id: `scale-${id}`, range: [0.1, 10], isLogarithmic: true,
        value: () => session.status.scales[i],
        set: x => session.send(Command.Scale, i, x),
      });

    const run = session.recording.run;
    if (!run) return;
    const option = Object.keys(run.options).indexOf('method');
    const setMethod = (method: string) => session.send(Command.Option, option, Number(method));
    const list = choice('Method', METHODS, String(session.status.method), setMethod, 'method');
    body.append(make('label', {}, make('span', { text: 'Method' }), list, make('output')));
    this.updates.push(() => { if (document.activeElement !== list) list.value = String(session.status.method); });
  }

  // The newest frame; undefined: there is none yet.
  private lastFrame() {
    const frames = this.session.recording.frames;
    return frames.length > 0 ? frames[frames.length - 1] : undefined;
  }

  // How far the control of an actuator goes: its limits, those of its force if the control is a force, or four times
  // what it is now.
  private controlRange(i: number): [number, number] {
    const model = this.session.recording.model;
    const now = Math.abs(this.lastFrame()?.ctrl[i] ?? 1) || 1;
    const range = model.get('actuator_ctrlrange');
    if (model.get('actuator_ctrllimited')[i]) return [range[2 * i], range[2 * i + 1]];

    const force = model.get('actuator_forcerange');
    const isForce = model.get('actuator_biastype')[i] === 0;
    if (model.get('actuator_forcelimited')[i] && isForce)
      return [Math.max(force[2 * i], -20 * now), Math.min(force[2 * i + 1], 20 * now)];
    return [-4 * now, 4 * now];
  }

  private addActuators(): void {
    const session = this.session;
    const model = session.recording.model;
    if (model.counts.nu === 0) return;

    const body = this.group('Actuators', true);
    for (let i = 0; i < model.counts.nu; ++i)
      this.addSlider(body, {
        name: model.label('actuator', i), id: `actuator-${i}`, range: this.controlRange(i),
        value: () => this.lastFrame()?.ctrl[i] ?? 0,
        set: x => session.send(Command.Control, i, x),
      });
    const letGo = () => session.send(Command.Release);
    body.append(button('Let go', 'The controls of the scene act again', letGo, 'release'));
  }

  // How far a joint goes: its limits, one metre or half a turn each way.
  private jointRange(j: number): [number, number] {
    const model = this.session.recording.model;
    const range = model.get('jnt_range');
    if (model.get('jnt_limited')[j]) return [range[2 * j], range[2 * j + 1]];
    return model.get('jnt_type')[j] === JointType.Slide ? [-1, 1] : [-Math.PI, Math.PI];
  }

  private addJoints(): void {
    const session = this.session;
    const model = session.recording.model;
    const body = this.group('Joints', false);
    for (let j = 0; j < model.counts.njnt; ++j) {
      if (!isScalar(model.get('jnt_type')[j])) continue;
      const address = model.get('jnt_qposadr')[j];
      this.addSlider(body, {
        name: model.label('jnt', j), id: `joint-${j}`, range: this.jointRange(j),
        value: () => this.lastFrame()?.q[address] ?? 0,
        set: x => session.send(Command.Joint, j, x),
      });
    }
  }

  // Who controls a world on a server.
  private whoControls(): string {
    const { remote, broken, readonly, control, clients } = this.session;
    if (!remote) return '';
    if (broken) return 'Not connected. ';
    if (readonly) return 'Read only. ';
    if (!control) return 'Somebody else controls, you watch. ';
    return clients > 1 ? `You control, ${clients - 1} watch. ` : 'You control. ';
  }

  // Shows the values of the present, and who may change them.
  update(): void {
    const session = this.session;
    for (const update of this.updates) update();
    this.take.hidden = !session.remote || session.control || session.readonly || session.broken !== '';

    const { playing, factor } = session.status;
    const pace = playing ? `${Number(factor.toPrecision(2))} times real time` : 'Paused';
    this.status.textContent = this.whoControls() + pace;

    const controls = this.element.querySelectorAll<HTMLInputElement>('input, select, button');
    for (const control of controls)
      if (control.id !== 'take') control.disabled = !obeys(session);
  }
}
