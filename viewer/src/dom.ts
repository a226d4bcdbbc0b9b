// Small helpers to make elements.
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K, options: { class?: string; text?: string; title?: string; id?: string } = {}, ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (options.class) element.className = options.class;
  if (options.text !== undefined) element.textContent = options.text;
  if (options.title) element.title = options.title;
  if (options.id) element.id = options.id;
  element.append(...children);
  return element;
}

// Drawn in a 16 x 16 box, so that they do not depend on the fonts of a machine.
export const ICONS: Record<string, string> = {
  play: 'M4 2.5 13 8 4 13.5Z', pause: 'M4 3h3v10H4ZM9 3h3v10H9Z', first: 'M3 3h2v10H3ZM13 3 6 8l7 5Z', back: 'M10.5 3 5 8l5.5 5Z', on: 'M5.5 3 11 8l-5.5 5Z',
  hand: 'M6 1.5a1 1 0 0 1 2 0V7h.6V2.6a1 1 0 0 1 2 0V7.4h.5V4.2a1 1 0 0 1 2 0V10c0 3-1.7 5-4.6 5-2.3 0-3.4-1-4.5-2.9L2 8.6c-.5-1 .7-1.8 1.5-.9L6 10Z',
  fit: 'M2 2h4v1.6H3.6V6H2ZM10 2h4v4h-1.6V3.6H10ZM2 10h1.6v2.4H6V14H2ZM12.4 10H14v4h-4v-1.6h2.4Z', reset: 'M8 3a5 5 0 1 1-4.6 3l1.5.6A3.4 3.4 0 1 0 8 4.6V7L4.5 3.8 8 .6Z',
};
export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('width', '14');
  svg.setAttribute('height', '14');
  path.setAttribute('d', ICONS[name]);
  path.setAttribute('fill', 'currentColor');
  svg.append(path);
  return svg;
}

// text: words, or the name of an icon.
export function button(text: string, title: string, act: () => void, id?: string): HTMLButtonElement {
  const made = make('button', { title, id });
  made.append(text in ICONS ? icon(text) : text);
  made.type = 'button';
  made.setAttribute('aria-label', title);
  made.addEventListener('click', act);
  return made;
}

export function checkbox(text: string, title: string, on: boolean, act: (on: boolean) => void,
  id?: string): HTMLLabelElement {
  const input = make('input', { id });
  input.type = 'checkbox';
  input.checked = on;
  input.addEventListener('change', () => act(input.checked));
  return make('label', { class: 'check', title }, input, text);
}

export function choice(title: string, options: [string, string][], value: string, act: (value: string) => void,
  id?: string): HTMLSelectElement {
  const select = make('select', { title, id });
  select.setAttribute('aria-label', title);
  for (const [key, text] of options) {
    const option = make('option', { text });
    option.value = key;
    select.append(option);
  }
  select.value = value;
  select.addEventListener('change', () => act(select.value));
  return select;
}
