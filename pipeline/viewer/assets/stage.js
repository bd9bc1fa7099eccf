// One conversation on the page: who has the floor, and a lane a speaker, over one window of time.
"use strict";

/** How far it is from each of these moments to the next later one [pixels]. */
function rooms(moments, scale) {
  const sorted = [...moments].sort((a, b) => a - b);
  return moments.map((one) => ((sorted[firstFrom(sorted, one + 1e-6, (other) => other)] ?? Infinity) - one) * scale);
}

class Stage {
  constructor(talk, peaks, page) {
    Object.assign(this, { talk, peaks, page, hits: new Map(), drawn: 0 });
    const rate = talk.rate, seconds = (one) => ({ ...one, start: one.start / rate, end: one.end / rate });
    this.duration = talk.n_samples / rate;
    this.gold = goldOf(talk);
    this.number = Object.fromEntries(talk.speakers.map((speaker, n) => [speaker.id, n]));
    this.names = Object.fromEntries(talk.speakers.map((speaker) => [speaker.id, speaker.name]));
    this.holdings = new Spans(talk.ownership.map(seconds));
    this.lanes = talk.speakers.map((speaker) => this.laneOf(speaker, seconds));
    this.sound = new Sound(`${turnfloor.corpus.sound}/${talk.id}/`, talk.speakers.map((speaker) => speaker.id), this.duration);
    this.waves = new Waves(this);
    this.build();
  }

  laneOf(speaker, seconds) {
    const { talk } = this, own = (one) => one.speaker === speaker.id;
    const spans = (task, part) => talk[task][part].filter(own).map((one) => ({ start: one.start_s, end: one.end_s, task }));
    const anchors = (task) => talk[task].positives.filter(own).map((one) => ({ start: one.time_s, end: one.time_s, task }));
    const words = talk.words[speaker.id].map(seconds);
    const withWords = (one) => ({ ...one, words: words.filter((word) => word.start >= one.start && word.end <= one.end) });
    const events = talk.events.filter(own).map((event) => ({ event, start: event.onset / talk.rate, end: event.offset / talk.rate, at: placeOf(event, talk.rate).at }));
    return {
      speaker,
      stretches: new Spans(talk.stretches.filter(own).map(seconds).map(withWords)),
      events: new Spans(events),
      anchors: new Spans([...anchors("eot"), ...anchors("interruption")]),
      negatives: new Spans([...spans("eot", "negatives"), ...spans("interruption", "negatives")]),
      excluded: new Spans([...spans("eot", "excluded"), ...spans("interruption", "excluded")]),
      detectors: Object.fromEntries(talk.detectors.map((detector) => [detector.name, new Spans(detector.decisions.filter(own).map((one) => ({ ...one, start: one.time_s, end: one.time_s })))])),
    };
  }

  build() {
    const { talk } = this;
    this.element = make("section", { class: "stage panel", "aria-label": `Conversation ${talk.id}` });
    this.title = make("div", { class: "stage-title" });
    this.strip = make("canvas", { class: "strip", tabindex: 0, role: "slider", "aria-label": "Place in the conversation", "aria-valuemin": 0, "aria-valuemax": this.duration.toFixed(1) });
    this.floor = make("canvas", { class: "floor", role: "img", "aria-label": "Who has the floor in the window shown; the table of events has it in words" });
    this.cursor = make("div", { class: "cursor" });
    const row = (head, ...track) => make("div", { class: "row" }, make("div", { class: "head soft" }, head), make("div", { class: "track" }, ...track));
    const body = make("div", { class: "lanes" }, row("floor", this.floor), ...this.lanes.map((lane, n) => this.laneRow(lane, n)), this.cursor);
    this.body = body;
    this.element.append(this.title, row("whole", this.strip), body);
    this.pointer = new Pointer(this);
  }

  laneRow(lane, n) {
    const { speaker } = lane, button = (says, what, keys) => make("button", { type: "button", "aria-pressed": "false", "aria-label": `${what} ${speaker.name}`, title: what, "aria-keyshortcuts": keys }, says);
    lane.soloButton = button("S", "Solo", n + 1);
    lane.muteButton = button("M", "Mute", `Shift+${n + 1}`);
    lane.soloButton.addEventListener("click", () => this.page.hear(this, () => this.sound.toggleSolo(speaker.id)));
    lane.muteButton.addEventListener("click", () => this.page.hear(this, () => this.sound.toggleMute(speaker.id)));
    lane.wave = make("div", { class: "wave" });
    lane.canvas = make("canvas", { role: "img", "aria-label": `${speaker.name}: waveform, speech, events and gold; the table of events has them in words` });
    lane.row = make(
      "div", { class: "row lane" },
      make("div", { class: "head" }, make("span", { class: `badge s${n}` }, String(n + 1)), make("span", { class: "name", title: `${speaker.id} · ${speaker.voice}` }, speaker.name), make("span", { class: "buttons" }, lane.soloButton, lane.muteButton)),
      make("div", { class: "track" }, lane.wave, lane.canvas),
    );
    return lane.row;
  }

  height() {
    const { layers } = this.page, shown = this.talk.detectors.filter((one) => layers.has(`detector ${one.name}`)).length;
    return HEIGHTS.wave + HEIGHTS.signs + HEIGHTS.bar + (layers.has("gold") ? HEIGHTS.gold : 0) + shown * HEIGHTS.detector + HEIGHTS.gap;
  }

  layOut() {
    const height = this.height();
    for (const lane of this.lanes) lane.row.style.height = `${height}px`;
  }

  draw(colours) {
    const { view } = this.page;
    this.drawn = 0;
    const pen = new Pen(this.floor, view, colours);
    pen.ticks(0, HEIGHTS.axis + HEIGHTS.floor);
    this.marks(pen);
    pen.floor(this.holdings.within(view.start, view.end), this.number, this.names);
    this.drawn += pen.drawn;
    this.lanes.forEach((lane, n) => this.drawLane(lane, n, colours));
    this.drawStrip(colours);
  }

  /** What crosses all lanes: the loop, and where the members of a pair part. */
  marks(pen) {
    const { loop } = this.page, { pair, rate } = this.talk;
    if (loop) { pen.band(loop.from, loop.to, "--focus", 0.13); pen.line(loop.from, "--focus", [2, 2]); pen.line(loop.to, "--focus", [2, 2]); }
    if (pair) {
      pen.line(pair.fork / rate, "--ink", [6, 3]);
      if (pen.height < 60) pen.text("fork", pen.x(pair.fork / rate) + 4, pen.height - 7, { weight: 700 });
    }
  }

  drawLane(lane, n, colours) {
    const { view, layers, chosen } = this.page, pen = new Pen(lane.canvas, view, colours), { start, end } = view;
    const signs = HEIGHTS.wave, bars = signs + HEIGHTS.signs;
    pen.ticks(1, pen.height);
    this.marks(pen);
    for (const one of lane.stretches.within(start, end)) pen.stretch(one, bars, `--s${n}`, layers.has("words"));
    const hits = [];
    let top = bars + HEIGHTS.bar + 1;
    if (layers.has("gold")) { this.drawGold(lane, pen, top); top += HEIGHTS.gold; }
    const events = lane.events.within(start - 1, end + 1), room = rooms(events.map((one) => one.at), view.scale);
    for (const [place, one] of events.entries()) {
      const own = chosen?.stage === this && chosen.event === one.event;
      if (own) pen.band(one.start, one.end, "--focus", 0.12);
      hits.push(pen.sign(one.event, one.event.kind === "turn_hold" ? one.start : one.at, one.end, signs, own, room[place]));
    }
    for (const detector of this.talk.detectors) {
      if (!layers.has(`detector ${detector.name}`)) continue;
      for (const one of lane.detectors[detector.name].within(start, end)) pen.decision(one, top);
      pen.label(detector.name, top);
      top += HEIGHTS.detector;
    }
    this.hits.set(lane.canvas, hits);
    this.drawn += pen.drawn;
    this.waves.scroll(lane);
  }

  drawGold(lane, pen, top) {
    const { start, end } = this.page.view, short = { eot: "EOT", interruption: "INT" }, colour = { eot: "--k-yield", interruption: "--k-take" };
    for (const one of lane.excluded.within(start, end)) pen.span(one.start, one.end, "ex", "/\\", top, "--soft");
    for (const one of lane.negatives.within(start, end)) pen.span(one.start, one.end, `${short[one.task]}−`, "/", top, colour[one.task]);
    const anchors = lane.anchors.within(start - 1, end + 1), room = rooms(anchors.map((one) => one.start), this.page.view.scale);
    for (const [place, one] of anchors.entries()) pen.anchor(one.start, short[one.task], top, colour[one.task], room[place]);
  }

  drawStrip(colours) {
    const { view } = this.page, scale = this.strip.clientWidth / this.duration;
    const pen = new Pen(this.strip, { start: 0, scale, duration: this.duration }, colours), { context } = pen;
    const step = pen.height - 14, each = step / this.lanes.length;
    for (const one of this.holdings.items) {
      if (one.holder === undefined) continue;
      context.fillStyle = colours(`--s${this.number[one.holder]}`);
      context.fillRect(pen.x(one.start), 0, Math.max(1, (one.end - one.start) * scale), 11);
    }
    this.lanes.forEach((lane, n) => {
      context.fillStyle = colours(`--s${n}`);
      for (const one of lane.stretches.items) context.fillRect(pen.x(one.start), 14 + n * each, Math.max(1, (one.end - one.start) * scale), Math.max(1.5, each - 2));
    });
    this.marks(pen);
    context.strokeStyle = colours("--ink");
    context.lineWidth = 2;
    context.strokeRect(pen.x(view.start) + 1, 1, Math.max(4, view.span * scale - 2), pen.height - 2);
    context.lineWidth = 1;
    pen.line(this.page.time, "--focus");
  }

  showTime(time) {
    const { view } = this.page, x = (time - view.start) * view.scale;
    this.cursor.hidden = x < 0 || x > view.width;
    this.cursor.style.transform = `translateX(${x}px)`;
    this.strip.setAttribute("aria-valuenow", time.toFixed(1));
    this.strip.setAttribute("aria-valuetext", `${time.toFixed(1)} seconds`);
  }

  showButtons() {
    for (const lane of this.lanes) {
      lane.soloButton.setAttribute("aria-pressed", String(this.sound.solo.has(lane.speaker.id)));
      lane.muteButton.setAttribute("aria-pressed", String(this.sound.muted.has(lane.speaker.id)));
      lane.row.classList.toggle("silent", !this.sound.heard(lane.speaker.id));
    }
  }

  /** The event whose sign is at this place of a canvas. */
  hit(canvas, x, y) {
    return (this.hits.get(canvas) ?? []).findLast((one) => x >= one.left && x <= one.right && y >= one.top && y <= one.bottom)?.event;
  }

  close() {
    this.sound.close();
    this.waves.close();
    this.element.remove();
  }
}
