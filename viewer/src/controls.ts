// The tab that changes a running world: time, actuators, joints, friction, mass, grip, method.
import { button, choice, make } from './dom';
import { isScalar, JointType } from './model';
import { Command, obeys, Session } from './session';

const METHODS: [string, string][] = [['0', 'TAMSI'], ['1', 'convex'], ['2', 'MLCP (rigid)'], ['3', 'Runge-Kutta 3'], ['4', 'implicit Euler'], ['5', 'SDIRK'], ['6', 'switching']];

function slider(name: string, range: [number, number], value: () => number, set: (x: number) => void, id: string, log = false): { row: HTMLElement; update: () => void } {
  const input = make('input', { id }), output = make('output');
  const setRange = (lo: number, hi: number) => { input.min = String(lo); input.max = String(hi); input.step = String((hi - lo) / 400); };
  input.type = 'range';
  setRange(...(log ? range.map(Math.log10) : range) as [number, number]);
  let held = false;
  const show = (x: number) => { output.textContent = `${log ? '× ' : ''}${Number(x.toPrecision(3))}`; };
  input.addEventListener('pointerdown', () => { held = true; });
  for (const end of ['pointerup', 'pointercancel', 'lostpointercapture']) input.addEventListener(end, () => { held = false; });
  input.addEventListener('input', () => { const x = log ? Math.pow(10, Number(input.value)) : Number(input.value); show(x); set(x); });
  const update = () => {
    if (held) return;
    const x = value();
    if (!log && (x < Number(input.min) || x > Number(input.max))) setRange(-4 * Math.abs(x), 4 * Math.abs(x)); // no limit says how far it goes
    input.value = String(log ? Math.log10(x) : x);
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
    const s = session, model = s.recording.model, keys = model.counts.nkey;
    this.take = button('Take control', 'Control this world; whoever controls it now watches', () => s.send(Command.Take), 'take');
    const row = make('div', { class: 'row' }, button('Step', 'One step of the simulation', () => s.send(Command.Step, 1), 'step'),
      button('Reset', 'Back to the start', () => s.send(Command.Reset, 0), 'reset'));
    if (keys > 0) {
      const names = Array.from({ length: keys }, (_, i) => [String(i + 1), model.label('key', i)] as [string, string]);
      const keyframe = choice('Start from a keyframe', [['', 'keyframe …'], ...names], '', v => { s.send(Command.Reset, Number(v)); keyframe.value = ''; }, 'keyframe');
      row.append(keyframe); // it falls back to its title, so that the same one can be chosen again
    }
    if (s.remote)
      row.append(button('Save recording', 'Write the last minute to a file on the server', () => s.send(Command.Save, 0), 'saverec'),
        button('Save report', 'Write the last minute as a page on the server', () => s.send(Command.Save, 1), 'savereport'), this.take);
    this.element.append(row, this.status, make('p', { class: 'about', text: 'Hold Shift (or switch on the hand in the picture) and drag a body: a spring pulls it.' }));
    this.addScales();
    this.addActuators();
    this.addJoints();
  }

  private group(title: string, open: boolean): HTMLElement {
    const body = make('div', { class: 'sliders' }), box = make('details', {}, make('summary', { text: title }), body);
    box.open = open;
    this.element.append(box);
    return body;
  }

  private addScales(): void {
    const s = this.session, body = this.group('What if …', true);
    [['Friction', 'friction'], ['Mass of things', 'mass'], ['Grip and motors', 'grip']].forEach(([name, id], i) => {
      const made = slider(name, [0.1, 10], () => s.status.scales[i], x => s.send(Command.Scale, i, x), `scale-${id}`, true);
      body.append(made.row);
      this.updates.push(made.update);
    });
    const run = s.recording.run;
    if (!run) return;
    const names = Object.keys(run.options), method = names.indexOf('method');
    const chosen = choice('Method', METHODS, String(s.status.method), v => s.send(Command.Option, method, Number(v)), 'method');
    body.append(make('label', {}, make('span', { text: 'Method' }), chosen, make('output')));
    this.updates.push(() => { if (document.activeElement !== chosen) chosen.value = String(s.status.method); });
  }

  private addActuators(): void {
    const s = this.session, m = s.recording.model, limited = m.get('actuator_ctrllimited'), range = m.get('actuator_ctrlrange'), force = m.get('actuator_forcerange'), flimited = m.get('actuator_forcelimited');
    if (m.counts.nu === 0) return;
    const body = this.group('Actuators', true), last = () => s.recording.frames[s.recording.frames.length - 1];
    for (let i = 0; i < m.counts.nu; ++i) {
      const now = Math.abs(last()?.ctrl[i] ?? 1) || 1;
      const [lo, hi] = limited[i] ? [range[2 * i], range[2 * i + 1]] : flimited[i] && m.get('actuator_biastype')[i] === 0 ? [Math.max(force[2 * i], -20 * now), Math.min(force[2 * i + 1], 20 * now)] : [-4 * now, 4 * now];
      const made = slider(m.label('actuator', i), [lo, hi], () => last()?.ctrl[i] ?? 0, x => s.send(Command.Control, i, x), `actuator-${i}`);
      body.append(made.row);
      this.updates.push(made.update);
    }
    body.append(button('Let go', 'The controls of the scene act again', () => s.send(Command.Release), 'release'));
  }

  private addJoints(): void {
    const s = this.session, m = s.recording.model, type = m.get('jnt_type'), limited = m.get('jnt_limited'), range = m.get('jnt_range'), q = m.get('jnt_qposadr');
    const body = this.group('Joints', false);
    for (let j = 0; j < m.counts.njnt; ++j) {
      if (!isScalar(type[j])) continue;
      const reach: [number, number] = limited[j] ? [range[2 * j], range[2 * j + 1]] : type[j] === JointType.Slide ? [-1, 1] : [-Math.PI, Math.PI];
      const made = slider(m.label('jnt', j), reach, () => s.recording.frames[s.recording.frames.length - 1]?.q[q[j]] ?? 0, x => s.send(Command.Joint, j, x), `joint-${j}`);
      body.append(made.row);
      this.updates.push(made.update);
    }
  }

  update(): void {
    const s = this.session;
    for (const u of this.updates) u();
    this.take.hidden = !s.remote || s.control || s.readonly || s.broken !== '';
    const who = !s.remote ? '' : s.broken ? 'Not connected. ' : s.readonly ? 'Read only. ' : s.control ? (s.clients > 1 ? `You control, ${s.clients - 1} watch. ` : 'You control. ') : 'Somebody else controls, you watch. ';
    this.status.textContent = `${who}${s.status.playing ? `${Number(s.status.factor.toPrecision(2))} times real time` : 'Paused'}`;
    for (const e of this.element.querySelectorAll<HTMLInputElement>('input, select, button')) if (e.id !== 'take') e.disabled = !obeys(s);
  }
}
