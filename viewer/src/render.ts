// Pictures without a screen: draws the asked moments and leaves them as text in the page, where
// `holdfast render` reads them.
//
// The address ends in #render= and JSON: { times, width, height, type, forces, cones, collision, follow, camera,
// zoom, azimuth, elevation }.
import { App } from './app';
import { make } from './dom';

interface Order {
  times: number[]; width: number; height: number; type: string;
  forces: boolean;
  cones: boolean;
  collision: boolean;
  follow: number;
  camera: number; // of the model, or -1
  zoom: number;
  azimuth: number; elevation: number; // direction of the camera, seen from the point that it looks at [degrees]
}

export function renderOrder(): Order | null {
  const match = location.hash.match(/^#render=(.*)$/);
  return match ? JSON.parse(decodeURIComponent(match[1])) : null;
}

export function render(app: App, order: Order): void {
  const view = app.view;
  view.fixSize(order.width, order.height);
  view.arrows.visible = order.forces;
  view.arrows.showCones = order.cones;
  if (order.collision) view.setCollision(true);
  app.goTo(order.times[0]);
  const r = app.recording; // a picture shows its moment, a video all of its time
  view.fitCamera(view.bounds(order.times.length === 1 ? [r.frames[r.indexAt(order.times[0])]] : r.frames));
  view.lookFrom(order.azimuth, order.elevation);
  view.zoom(order.zoom);
  view.setFollow(order.follow);
  if (order.camera >= 0) view.setThrough(order.camera);
  const frames = order.times.map(time => {
    app.goTo(time);
    view.drawNow();
    return `HFFRAME:${view.canvas.toDataURL(order.type, 0.92).split(',')[1]}:END`;
  });
  document.body.replaceChildren(make('pre', { id: 'frames', text: frames.join('\n') }));
}
