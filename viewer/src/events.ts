// The tab that lists what happened: a recording's events from the start on, a running world's from the present back.
import { make } from './dom';
import { EventKind, Recording } from './recording';
import { EVENT_COLOURS, EVENT_NAMES, eventText } from './words';

const MOST = 400; // events in the list

function dot(kind: EventKind): HTMLElement {
  const made = make('i');
  made.style.background = EVENT_COLOURS[kind];
  return made;
}

export class EventList {
  private readonly keys = make('p', { class: 'keys' });
  private readonly list = make('ol', { class: 'events' });
  readonly element = make('div', {}, this.keys, this.list);
  private listed = ''; // which events the list shows

  constructor(private readonly recording: () => Recording, private readonly goTo: (time: number) => void) {}

  // Lists the events anew where they changed.
  refresh(backwards: boolean, time: number): void {
    const { model, events } = this.recording(), all = backwards ? [...events].reverse() : events;
    const listed = [backwards, all.length, all[0]?.time, all[all.length - 1]?.time].join(' ');
    if (listed !== this.listed) {
      const present = new Set(all.map(e => e.kind));
      this.keys.replaceChildren(...EVENT_NAMES.filter(([k]) => present.has(k) || k <= EventKind.Stick).map(([kind, name]) => make('span', {}, dot(kind), name)));
      this.list.replaceChildren(...all.slice(0, MOST).map(e => {
        const item = make('li', {}, make('time', { text: `${e.time.toFixed(3)} s` }), dot(e.kind), make('span', { text: eventText(model, e) }));
        item.dataset.time = String(e.time);
        item.addEventListener('click', () => this.goTo(e.time));
        return item;
      }), ...(all.length > MOST ? [make('li', { text: `and ${all.length - MOST} ${backwards ? 'earlier ones' : 'more'}` })] : []), ...(all.length === 0 ? [make('li', { text: 'Nothing happened.' })] : []));
      this.listed = listed;
    }
    this.mark(time);
  }

  // Marks what has happened by a time.
  mark(time: number): void {
    for (const item of this.list.children) item.classList.toggle('past', Number((item as HTMLElement).dataset.time) <= time + 1e-9);
  }
}
