// Starts the page: a report carries its recording; the live view connects to the server that sent it.
import { App } from './app';
import { make } from './dom';
import { LiveSession } from './live';
import { Recording, unpack } from './recording';
import { render, renderOrder } from './render';

declare global { interface Window { holdfast: Record<string, unknown> } }

function fail(root: HTMLElement, error: Error): void {
  root.replaceChildren(make('p', { class: 'fatal', text: `The page cannot show this: ${error.message}` }));
}

function startLive(root: HTMLElement): void {
  const session = new LiveSession();
  let app: App | null = null;
  session.opened = () => {
    const whole = session.recording.run !== null && session.recording.frames.length > 1;
    app = new App(root, session.recording, app?.leave());
    if (whole) app.slowDown();
    else app.live.attach(session);
    app.show();
    window.holdfast = { app, session, recording: session.recording, ready: true };
  };
  session.lost = () => {
    if (!app) fail(root, new Error('the server closed the connection.'));
  };
}

async function startReport(root: HTMLElement, data: HTMLElement): Promise<void> {
  const recording = Recording.parse(await unpack(data.textContent!));
  if (recording.frames.length === 0) throw new Error('the recording has no frames.');
  const app = new App(root, recording);
  app.slowDown();
  app.show();
  window.holdfast = { app, recording, ready: true };
  const order = renderOrder();
  if (order) render(app, order);
}

const root = document.getElementById('app')!, data = document.getElementById('recording');
if (data) startReport(root, data).catch(error => { fail(root, error); throw error; });
else startLive(root);
