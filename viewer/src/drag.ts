// Pulling a body with the pointer: a spring from the point that was caught to where the pointer is.
import * as THREE from 'three';
import { Command, Session } from './session';
import { View3D } from './view3d';

export class Drag {
  hand = false; // dragging without a key
  private body = -1;
  private point = new THREE.Vector3(); // the point that is dragged, in the frame of the body
  private target = new THREE.Vector3();

  constructor(private readonly view: View3D, private readonly session: () => Session | null,
    private readonly model: { isStatic(b: number): boolean }) {
    const canvas = view.canvas;
    canvas.addEventListener('pointerdown', e => this.begin(e), { capture: true });
    canvas.addEventListener('pointermove', e => this.move(e));
    for (const end of ['pointerup', 'pointercancel'] as const) canvas.addEventListener(end, () => this.end());
  }

  private begin(e: PointerEvent): void {
    const session = this.session();
    if (!session || !session.control || !(e.shiftKey || e.ctrlKey || this.hand)) return;
    const pick = this.view.pick(e.clientX, e.clientY, true);
    if (pick?.kind !== 'body' || this.model.isStatic(pick.body)) return;
    this.body = pick.body;
    this.point = this.view.toBody(pick.body, pick.point);
    this.target.copy(pick.point);
    this.view.controls.enabled = false;
    this.view.canvas.setPointerCapture(e.pointerId);
    this.pull();
    e.stopPropagation();
    e.preventDefault();
  }

  private move(e: PointerEvent): void {
    if (this.body < 0) return;
    this.target = this.view.pointInPlane(e.clientX, e.clientY, this.view.toWorld(this.body, this.point));
    this.pull();
  }

  private pull(): void {
    const { x, y, z } = this.point, t = this.target;
    this.session()?.send(Command.Drag, this.body, x, y, z, t.x, t.y, t.z, 0);
  }

  private end(): void {
    if (this.body < 0) return;
    this.session()?.send(Command.Drop);
    this.body = -1;
    this.view.controls.enabled = true;
    this.view.spring.visible = false;
    this.view.invalidate();
  }

  // Draws the spring where the body is now.
  update(): void {
    if (this.body < 0) return;
    const from = this.view.toWorld(this.body, this.point);
    this.view.spring.geometry.setFromPoints([from, this.target]);
    this.view.spring.visible = true;
    this.view.invalidate();
  }
  get active(): boolean { return this.body >= 0; }
}
