// Starts the page: a report carries its recording; the live view connects to the server that sent it.
import { App } from './app';
import { make } from './dom';
import { Recording, unpack } from './recording';

declare global { interface Window { holdfast: unknown } }

async function start(): Promise<void> {
  const root = document.getElementById('app')!, data = document.getElementById('recording');
  try {
    if (!data) throw new Error('This page holds no recording.');
    const recording = Recording.parse(await unpack(data.textContent!));
    const app = new App(root, recording);
    app.show();
    window.holdfast = { app, recording, ready: true };
  } catch (error) {
    root.replaceChildren(make('p', { class: 'fatal', text: `The page cannot show this: ${(error as Error).message}` }));
    throw error;
  }
}
void start();
