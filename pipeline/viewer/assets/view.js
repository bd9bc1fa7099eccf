// The window of time that is shown.
"use strict";

/** The window of time that is visible, shared by all stages. */
class View {
  constructor(duration) { Object.assign(this, { duration, start: 0, scale: 100, width: 600 }); }
  get end() { return this.start + this.width / this.scale; }
  get span() { return this.width / this.scale; }
  get least() { return this.width / this.duration; }
  clamp() {
    this.scale = Math.min(Math.max(this.scale, this.least), Math.max(400, this.least));
    this.start = Math.max(0, Math.min(this.start, this.duration - this.span));
  }
  /** Zoom about a moment, which stays where it is. */
  zoom(factor, about) {
    const place = (about - this.start) * this.scale;
    this.scale *= factor;
    this.scale = Math.min(Math.max(this.scale, this.least), Math.max(400, this.least));
    this.start = about - place / this.scale;
    this.clamp();
  }
  show(time) {
    if (time < this.start || time > this.end) this.start = time - this.span * 0.25;
    this.clamp();
  }
}
