// What contacts say: how much of the friction bound they use, sums over pairs of bodies, words.
import { Contact, Frame, Recording } from './recording';
import { Model } from './model';

export const length = (a: ArrayLike<number>) => Math.hypot(a[0], a[1], a[2]);

// |ft|/(mu fn): 0 no friction is needed, 1 the bound is reached.
export function use(c: Contact): number {
  const bound = c.mu * c.fn;
  return bound > 0 ? Math.min(1, length(c.ft) / bound) : 0;
}

// Green where much friction is left, yellow near the bound, red where it slips.
export function colour(share: number, slips: boolean): [number, number, number] {
  if (slips) return [0.86, 0.16, 0.16];
  const stops: [number, [number, number, number]][] = [
    [0, [0.10, 0.62, 0.47]], [0.6, [0.55, 0.75, 0.25]], [0.85, [0.95, 0.77, 0.06]], [1, [0.93, 0.45, 0.13]]];
  for (let i = 1; i < stops.length; ++i)
    if (share <= stops[i][0]) {
      const [a, from] = stops[i - 1], [b, to] = stops[i], t = (share - a) / (b - a);
      return [0, 1, 2].map(k => from[k] + t * (to[k] - from[k])) as [number, number, number];
    }
  return stops[stops.length - 1][1];
}

export function slips(c: Contact): boolean { return c.mu > 0 && c.fn > 0 && !c.stick; }

// The body whose side of a contact is shown: what floats freely, else what moves, else A.
export function shownSide(model: Model, a: number, b: number): 1 | -1 {
  const rank = (body: number) => model.isFree(body) ? 2 : model.isStatic(body) ? 0 : 1;
  return rank(b) > rank(a) ? -1 : 1;
}

export interface Pair {
  a: number; b: number;      // bodies; a is the one whose side is shown
  normal: number[];          // sum on a [N]
  friction: number[];
  fn: number; bound: number; // sums of |fn| and of mu fn [N]
  use: number;               // sum of |ft| over the bound: 1 where every contact slips
  slip: number;              // largest slip speed of a loaded contact [m/s]
  slides: boolean; count: number;
}

export const pairKey = (a: number, b: number) => a < b ? `${a}:${b}` : `${b}:${a}`;

const known = new WeakMap<Frame, Map<string, Pair>>(); // plots ask for all frames again and again
const KNOWN_CONTACTS = 64; // sums of frames with more contacts are not kept: they would need more memory than the frames

export function pairsOf(model: Model, frame: Frame): Map<string, Pair> {
  const found = known.get(frame);
  if (found) return found;
  const pairs = sumContacts(model, frame);
  if (frame.ncontact <= KNOWN_CONTACTS) known.set(frame, pairs);
  return pairs;
}

function sumContacts(model: Model, frame: Frame): Map<string, Pair> {
  const bodies = model.get('geom_body'), pairs = new Map<string, Pair & { ft: number }>();
  for (let i = 0; i < frame.ncontact; ++i) {
    const c = frame.contact(i);
    if (c.fn <= 0) continue;
    const a = bodies[c.geomA], b = bodies[c.geomB], key = pairKey(a, b), side = shownSide(model, a, b);
    let pair = pairs.get(key);
    if (!pair) {
      pair = { a: side > 0 ? a : b, b: side > 0 ? b : a, normal: [0, 0, 0], friction: [0, 0, 0], fn: 0, bound: 0,
        use: 0, slip: 0, slides: true, count: 0, ft: 0 };
      pairs.set(key, pair);
    }
    const sign = pair.a === a ? 1 : -1;
    for (let k = 0; k < 3; ++k) {
      pair.normal[k] += sign * c.fn * c.n[k];
      pair.friction[k] += sign * c.ft[k];
    }
    pair.fn += c.fn; pair.bound += c.mu * c.fn; pair.ft += length(c.ft); pair.count++;
    pair.slip = Math.max(pair.slip, length(c.vt));
    pair.slides = pair.slides && slips(c);
  }
  for (const pair of pairs.values()) pair.use = pair.bound > 0 ? Math.min(1, pair.ft / pair.bound) : 0;
  return pairs;
}

// Pairs that touch at any time, those with the largest forces first.
export function allPairs(recording: Recording): { key: string; a: number; b: number; peak: number }[] {
  const found = new Map<string, { key: string; a: number; b: number; peak: number }>();
  for (const frame of recording.frames)
    for (const [key, pair] of pairsOf(recording.model, frame)) {
      const known = found.get(key);
      if (!known) found.set(key, { key, a: pair.a, b: pair.b, peak: pair.fn });
      else known.peak = Math.max(known.peak, pair.fn);
    }
  return [...found.values()].sort((x, y) => y.peak - x.peak);
}

export function number(x: number, digits = 3): string {
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-4) return x.toExponential(1);
  return String(Number(x.toPrecision(digits)));
}
