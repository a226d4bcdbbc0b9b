// Sentences for people: what an event means, what is happening now.
import { number, Pair, pairsOf } from './contacts';
import { Model } from './model';
import { Event, EventKind, Frame } from './recording';

const RUNGS = ['no contact', 'TAMSI', 'merit line search', 'convex'];

export function eventText(model: Model, e: Event): string {
  const a = e.a >= 0 ? model.label('body', e.a) : '', b = e.b >= 0 ? model.label('body', e.b) : '';
  switch (e.kind) {
    case EventKind.Touch: return `${a} and ${b} begin to touch`;
    case EventKind.Leave: return `${a} and ${b} separate`;
    case EventKind.Slide: return `${a} starts to slip on ${b}`;
    case EventKind.Stick: return `${a} and ${b} hold again`;
    case EventKind.Rung: return `the solver fell back to “${RUNGS[e.value] ?? e.value}”`;
    case EventKind.Rigid: return 'the contact model became rigid';
    case EventKind.Compliant: return 'the contact model became compliant';
    case EventKind.Dropped: return `${e.value} contacts were dropped: there are more than max_contacts`;
    default: return `event ${e.kind}`;
  }
}

export const EVENT_COLOURS: Record<number, string> = {
  [EventKind.Touch]: '#2563eb', [EventKind.Leave]: '#94a3b8', [EventKind.Slide]: '#dc2626', [EventKind.Stick]: '#16a34a',
  [EventKind.Rung]: '#9333ea', [EventKind.Rigid]: '#0891b2', [EventKind.Compliant]: '#0891b2', [EventKind.Dropped]: '#9333ea',
};
export const EVENT_NAMES: [EventKind, string][] = [
  [EventKind.Touch, 'touch'], [EventKind.Leave, 'separate'], [EventKind.Slide, 'start to slip'], [EventKind.Stick, 'hold again'],
  [EventKind.Rung, 'solver fell back'], [EventKind.Rigid, 'contact model switched'],
];

export interface Line { pair: Pair; text: string; detail: string }

// One line for every pair of touching bodies, things that are grasped first, then the largest forces.
export function nowLines(model: Model, frame: Frame): Line[] {
  const pairs = [...pairsOf(model, frame).values()];
  pairs.sort((x, y) => Number(model.isFree(y.a)) - Number(model.isFree(x.a)) || y.fn - x.fn);
  return pairs.map(pair => {
    const a = model.label('body', pair.a), b = model.label('body', pair.b);
    const computed = pair.slides || pair.holds, state = pair.bound === 0 || !computed ? 'touches' : pair.slides ? 'slips on' : 'is held by';
    const word = model.isStatic(pair.b) && state === 'is held by' ? 'rests on' : state;
    return { pair, text: `${a} ${word} ${b}`,
      detail: pair.bound === 0 ? `${number(pair.fn)} N, no friction`
        : !computed ? `pressed with ${number(pair.fn)} N; the next step computes the friction`
        : `pressed with ${number(pair.fn)} N; friction ${number(pair.use * pair.bound)} N of at most ${number(pair.bound)} N` };
  });
}
