// What is drawn on the canvases of a stage, for the window that is visible and nothing else.
"use strict";

const HEIGHTS = { axis: 18, floor: 22, wave: 44, signs: 17, bar: 22, gold: 15, detector: 13, gap: 5 };

class Pen {
  constructor(canvas, view, colours) {
    this.view = view;
    this.colours = colours;
    const ratio = window.devicePixelRatio || 1, { clientWidth: width, clientHeight: height } = canvas;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    this.context = canvas.getContext("2d");
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.clearRect(0, 0, width, height);
    this.width = width;
    this.height = height;
    this.drawn = 0;
  }

  x(seconds) { return (seconds - this.view.start) * this.view.scale; }

  text(says, x, y, { colour = "--ink", size = 11, weight = 400, most } = {}) {
    this.context.font = `${weight} ${size}px system-ui, "DejaVu Sans", sans-serif`;
    this.context.fillStyle = this.colours(colour);
    this.context.fillText(says, x, y, most);
  }

  /** Something from `x` to `end`, cut to what is visible, so that no path is longer than the canvas. */
  box(x, end, top, height) {
    const left = Math.max(x, -8), right = Math.min(end, this.width + 8);
    return [left, top, Math.max(1.5, right - left), height];
  }

  ticks(top, bottom) {
    const { start, scale } = this.view, context = this.context;
    const step = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300].find((one) => one * scale >= 64) ?? 600;
    context.fillStyle = this.colours("--grid");
    for (let n = Math.ceil(start / step); n * step <= start + this.width / scale; n++) {
      const x = this.x(n * step);
      context.fillRect(x, top, 1, bottom - top);
      if (top === 0) this.text(step < 1 ? clock(n * step, true) : clock(n * step), x + 4, 12, { colour: "--soft" });
      context.fillStyle = this.colours("--grid");
      this.drawn++;
    }
  }

  /** Who holds the floor: a band with names. */
  floor(holdings, number, names) {
    const { context } = this, top = HEIGHTS.axis;
    for (const one of holdings) {
      const place = this.box(this.x(one.start), this.x(one.end), top, HEIGHTS.floor - 4);
      this.drawn++;
      if (one.holder === undefined) {
        context.strokeStyle = this.colours("--line");
        context.strokeRect(place[0] + 0.5, top + 0.5, place[2] - 1, place[3] - 1);
        continue;
      }
      context.fillStyle = this.colours(`--s${number[one.holder]}`);
      context.fillRect(...place);
      if (place[2] > 26) {
        context.save();
        context.beginPath();
        context.rect(...place);
        context.clip();
        this.text(place[2] > 60 ? `${number[one.holder] + 1} ${names[one.holder]}` : `${number[one.holder] + 1}`, place[0] + 5, top + 13, { colour: "--on-solid", weight: 600 });
        context.restore();
      }
    }
  }

  /** A segment: framed where it holds the floor, dashed for a claim, rounded for what is said beside it. */
  stretch(one, top, colour, written) {
    const { context } = this, place = this.box(this.x(one.start), this.x(one.end), top, HEIGHTS.bar);
    this.drawn++;
    context.beginPath();
    context.roundRect(...place, one.role === "backchannel" || one.role === "laughter" ? HEIGHTS.bar / 2 : 3);
    context.fillStyle = context.strokeStyle = this.colours(colour);
    if (one.role === "floor") { context.globalAlpha = 0.22; context.fill(); context.globalAlpha = 1; }
    context.setLineDash(one.role === "claim" ? [5, 3] : one.role === "laughter" ? [1.5, 2.5] : []);
    context.stroke();
    context.setLineDash([]);
    if (!written || place[2] < 22 || this.words(one, top)) return;
    context.save();
    context.clip();
    this.text(one.text, Math.max(place[0], 0) + 5, top + 15);
    context.restore();
  }

  /** The words of a stretch, each where it is said or as near as all of them have room; the whole text where they have not. */
  words(one, top) {
    const { context, view } = this;
    context.font = `400 ${WORD_PX}px system-ui, "DejaVu Sans", sans-serif`;
    if (one.placed?.scale !== view.scale) one.placed = { scale: view.scale, ...flow(one, view.scale, (says) => context.measureText(says).width) };
    const { share, words } = one.placed, left = this.x(one.start);
    if (!words) return false;
    for (const { says, x, width } of words) {
      if (left + x > this.width || left + x + width < 0) continue;
      this.text(says, left + x, top + 15, { size: WORD_PX, most: share < 1 ? width : undefined });
      this.drawn++;
    }
    return true;
  }

  /** An event at its moment; its letter only where there is `room` before the next one. */
  sign(event, at, end, top, chosen, room) {
    const { context } = this, sign = SIGNS[event.kind], y = top + HEIGHTS.signs / 2;
    const x = event.kind === "turn_hold" ? (this.x(at) + this.x(end)) / 2 : this.x(at);
    const colour = this.colours(sign.colour), foot = top + HEIGHTS.signs + HEIGHTS.bar;
    context.strokeStyle = colour;
    context.lineWidth = 1.4;
    context.beginPath();
    if (event.kind === "turn_hold") {
      context.moveTo(this.x(at), foot); context.lineTo(this.x(at), foot - 11);
      context.lineTo(this.x(end), foot - 11); context.lineTo(this.x(end), foot);
    } else { context.moveTo(x, y + 6); context.lineTo(x, foot); }
    context.stroke();
    context.save();
    context.translate(x, y);
    context.fillStyle = colour;
    context.lineWidth = 1.9;
    if (sign.filled) context.fill(sign.shape); else context.stroke(sign.shape);
    if (chosen) {
      context.strokeStyle = this.colours("--focus");
      context.lineWidth = 2;
      context.strokeRect(-9, -8, 28, 16);
    }
    context.restore();
    context.lineWidth = 1;
    if (room >= 17) this.text(sign.letter, x + 8, y + 4, { size: 10.5, weight: 700 });
    this.drawn++;
    return { left: x - 9, right: x + (room >= 17 ? 19 : 9), top, bottom: top + HEIGHTS.signs, event };
  }

  /** The anchor of a positive; its name only where there is `room` before the next one. */
  anchor(at, name, top, colour, room) {
    const { context } = this, x = this.x(at);
    context.fillStyle = this.colours(colour);
    context.fillRect(x - 0.75, top - HEIGHTS.bar, 1.5, HEIGHTS.bar + 13);
    this.drawn++;
    if (room < 28) return;
    context.beginPath();
    context.roundRect(x, top + 1, 27, 12, 2);
    context.fill();
    this.text(name, x + 3, top + 11, { colour: "--on-solid", size: 10, weight: 700 });
  }

  span(start, end, name, ways, top, colour) {
    const { context } = this, place = this.box(this.x(start), this.x(end), top + 1, 12);
    const tint = this.colours(colour);
    context.fillStyle = hatch(context, tint, ways);
    context.fillRect(...place);
    context.strokeStyle = tint;
    context.strokeRect(place[0] + 0.5, place[1] + 0.5, place[2] - 1, 11);
    if (place[2] > 8 * name.length + 6) {
      context.fillStyle = this.colours("--panel");
      context.fillRect(place[0] + 3, place[1] + 1.5, 6.6 * name.length + 2, 9);
      this.text(name, place[0] + 4, top + 10.5, { size: 10, weight: 700 });
    }
    this.drawn++;
  }

  /** A decision: a triangle for EOT, a diamond for INT; its look says what came of it. */
  decision(one, top) {
    const { context } = this, x = this.x(one.time_s), y = top + 6.5, r = one.outcome === "excluded" ? 2.6 : 5;
    context.strokeStyle = context.fillStyle = this.colours(one.outcome === "false_alarm" ? "--k-cut" : "--ink");
    context.lineWidth = 1.5;
    context.beginPath();
    if (one.outcome === "false_alarm") { context.moveTo(x - 4, y - 4); context.lineTo(x + 4, y + 4); context.moveTo(x - 4, y + 4); context.lineTo(x + 4, y - 4); }
    else if (one.task === "eot") { context.moveTo(x - r, y - r * 0.8); context.lineTo(x + r, y - r * 0.8); context.lineTo(x, y + r); context.closePath(); }
    else { context.moveTo(x, y - r); context.lineTo(x + r, y); context.lineTo(x, y + r); context.lineTo(x - r, y); context.closePath(); }
    if (one.outcome === "hit") context.fill(); else context.stroke();
    context.lineWidth = 1;
    if (one.outcome === "false_alarm") this.text(one.task === "eot" ? "▼" : "◆", x + 5, y + 4, { size: 9 });
    this.drawn++;
  }

  /** A name at the left edge, over whatever is there. */
  label(says, top) {
    const { context } = this;
    this.text(says, 3, top + 10, { colour: "--soft", size: 10 });
    const { width } = context.measureText(says);
    context.fillStyle = this.colours("--panel");
    context.fillRect(0, top, width + 7, HEIGHTS.detector);
    this.text(says, 3, top + 10, { colour: "--soft", size: 10 });
  }

  band(start, end, colour, alpha) {
    const { context } = this;
    context.globalAlpha = alpha;
    context.fillStyle = this.colours(colour);
    context.fillRect(...this.box(this.x(start), this.x(end), 0, this.height));
    context.globalAlpha = 1;
  }

  line(at, colour, dash = []) {
    const { context } = this, x = Math.round(this.x(at)) + 0.5;
    if (x < 0 || x > this.width) return;
    context.strokeStyle = this.colours(colour);
    context.setLineDash(dash);
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, this.height);
    context.stroke();
    context.setLineDash([]);
  }
}
