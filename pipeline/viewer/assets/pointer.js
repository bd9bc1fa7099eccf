// What a mouse, a pen or a finger does on a stage.
"use strict";

const STILL_PX = 4; // a press that moves less is a click

class Pointer {
  constructor(stage) {
    this.stage = stage;
    this.page = stage.page;
    for (const canvas of [stage.floor, ...stage.lanes.map((lane) => lane.canvas)]) this.listen(canvas);
    this.listenWhole(stage.strip);
    stage.body.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  /** In the picture of the whole, a press and a drag go there. */
  listenWhole(strip) {
    const seek = (event) => this.page.seek((event.offsetX / strip.clientWidth) * this.stage.duration);
    strip.addEventListener("pointerdown", (event) => { strip.setPointerCapture(event.pointerId); seek(event); });
    strip.addEventListener("pointermove", (event) => { if (strip.hasPointerCapture(event.pointerId)) seek(event); });
  }

  /** In a lane, a click chooses a sign or goes to a moment, a drag moves the window. */
  listen(canvas) {
    let from = null;
    canvas.addEventListener("pointerdown", (event) => {
      from = { x: event.clientX, start: this.page.view.start, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!from) { this.hover(canvas, event); return; }
      const by = event.clientX - from.x;
      from.moved ||= Math.abs(by) > STILL_PX;
      if (from.moved) this.page.pan(from.start - by / this.page.view.scale);
    });
    canvas.addEventListener("pointerup", (event) => {
      if (from && !from.moved) this.click(canvas, event);
      from = null;
    });
    canvas.addEventListener("pointercancel", () => { from = null; });
  }

  hover(canvas, event) {
    const under = this.stage.hit(canvas, event.offsetX, event.offsetY), says = under ? describe(this.stage, under) : "";
    if (canvas.title !== says) canvas.title = says;
    canvas.style.cursor = under ? "pointer" : "";
  }

  click(canvas, event) {
    const { page } = this, found = this.stage.hit(canvas, event.offsetX, event.offsetY);
    if (found) page.choose(this.stage, found);
    else page.seek(page.view.start + event.offsetX / page.view.scale);
  }

  /** Sideways the wheel moves the window, with Ctrl it zooms; else the page scrolls. */
  wheel(event) {
    const { view } = this.page, across = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (event.ctrlKey || event.metaKey) {
      const left = this.stage.floor.getBoundingClientRect().left;
      this.page.zoom(Math.exp(-event.deltaY / 300), view.start + (event.clientX - left) / view.scale);
    } else if (Math.abs(across) > Math.abs(event.shiftKey ? 0 : event.deltaY)) this.page.pan(view.start + across / view.scale);
    else return;
    event.preventDefault();
  }
}
