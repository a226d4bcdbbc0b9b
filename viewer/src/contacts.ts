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

// A contact that slips has friction. One that neither sticks nor has friction is of a state from which no step has been
// taken yet.
export function slips(c: Contact): boolean { return c.mu > 0 && c.fn > 0 && !c.stick && length(c.ft) > 0; }

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
  slides: boolean;           // every contact slips
  holds: boolean;            // a contact sticks
  count: number;
}

export const pairKey = (a: number, b: number) => a < b ? `${a}:${b}` : `${b}:${a}`;

export function pairsOf(model: Model, frame: Frame): Map<string, Pair> {
  const bodies = model.get('geom_body'), pairs = new Map<string, Pair & { ft: number }>();
  for (let i = 0; i < frame.ncontact; ++i) {
    const c = frame.contact(i);
    if (c.fn <= 0) continue;
    const a = bodies[c.geomA], b = bodies[c.geomB], key = pairKey(a, b), side = shownSide(model, a, b);
    let pair = pairs.get(key);
    if (!pair) {
      pair = { a: side > 0 ? a : b, b: side > 0 ? b : a, normal: [0, 0, 0], friction: [0, 0, 0], fn: 0, bound: 0,
        use: 0, slip: 0, slides: true, holds: false, count: 0, ft: 0 };
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
    pair.holds = pair.holds || c.stick;
  }
  for (const pair of pairs.values()) pair.use = pair.bound > 0 ? Math.min(1, pair.ft / pair.bound) : 0;
  return pairs;
}

// What plots ask of a pair in a frame.
export interface PairSums { fn: number; bound: number; use: number; slip: number }

// These sums of all pairs of a frame. They are kept, because plots ask for all frames again and again, and need less than a third of the memory of the
// contacts: bodies 2i and 2i + 1 are those of pair i, whose numbers are SUMS i to SUMS i + 3.
interface FrameSums { bodies: Int32Array; sums: Float32Array }
const SUMS = 4;
const known = new WeakMap<Frame, FrameSums>();

function sumsOf(model: Model, frame: Frame): FrameSums {
  const found = known.get(frame);
  if (found) return found;
  const pairs = [...pairsOf(model, frame).values()];
  const kept = {
    bodies: Int32Array.from(pairs.flatMap(p => [p.a, p.b])),
    sums: Float32Array.from(pairs.flatMap(p => [p.fn, p.bound, p.use, p.slip])),
  };
  known.set(frame, kept);
  return kept;
}

function sumsOfPair(s: FrameSums, i: number): PairSums {
  const [fn, bound, use, slip] = s.sums.subarray(SUMS * i, SUMS * (i + 1));
  return { fn, bound, use, slip };
}

export interface PairHistory {
  a: number;
  b: number;
  peak: number;
  frames: (PairSums | null)[]; // null: the two do not touch in that frame
}

// The pairs that touch at any time, those with the largest forces first, and `most` of them at most.
export function busiestPairs(recording: Recording, most: number): PairHistory[] {
  const model = recording.model;
  const all = recording.frames.map(f => sumsOf(model, f));
  const found = new Map<number, PairHistory>();
  const key = (a: number, b: number) => Math.min(a, b) * model.counts.nbody + Math.max(a, b);
  for (const { bodies, sums } of all)
    for (let i = 0; 2 * i < bodies.length; ++i) {
      const [a, b] = [bodies[2 * i], bodies[2 * i + 1]], pair = found.get(key(a, b));
      if (!pair) found.set(key(a, b), { a, b, peak: sums[SUMS * i], frames: [] });
      else pair.peak = Math.max(pair.peak, sums[SUMS * i]);
    }
  const busiest = [...found.values()].sort((x, y) => y.peak - x.peak).slice(0, most);
  const chosen = new Map(busiest.map(p => [key(p.a, p.b), p]));
  all.forEach((s, frame) => {
    for (const pair of busiest) pair.frames.push(null);
    for (let i = 0; 2 * i < s.bodies.length; ++i) {
      const pair = chosen.get(key(s.bodies[2 * i], s.bodies[2 * i + 1]));
      if (pair) pair.frames[frame] = sumsOfPair(s, i);
    }
  });
  return busiest;
}

// The sums of all pairs of a body, frame by frame.
export function pairsOfBody(recording: Recording, body: number): PairSums[][] {
  return recording.frames.map(f => {
    const s = sumsOf(recording.model, f), out: PairSums[] = [];
    for (let i = 0; 2 * i < s.bodies.length; ++i)
      if (s.bodies[2 * i] === body || s.bodies[2 * i + 1] === body) out.push(sumsOfPair(s, i));
    return out;
  });
}

export function number(x: number, digits = 3): string {
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-4) return x.toExponential(1);
  return String(Number(x.toPrecision(digits)));
}
