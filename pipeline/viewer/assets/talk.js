// The page of a conversation: its stages, one clock, and what buttons and keys do.
"use strict";

class TalkPage {
  constructor(list) {
    Object.assign(this, { list, stages: [], heard: 0, chosen: null, loop: null, view: new View(1), draws: 0 });
    this.layers = new Set(["words", "gold", ...turnfloor.corpus.detectors.map((name) => `detector ${name}`)]);
    this.events = new Events(this);
    this.pair = new Pair(this);
    this.colours = palette();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour());
    new ResizeObserver(() => this.resized()).observe(byId("stages"));
    equip(this);
    writeLegend(turnfloor.corpus.kinds, turnfloor.corpus.detectors);
  }

  get stage() { return this.stages[this.heard]; }
  get time() { return this.stage?.sound.time ?? 0; }
  get playing() { return this.stage?.sound.playing ?? false; }

  /** Show a conversation, at a moment and with an event where the address names them. */
  async open(id, fields) {
    const row = turnfloor.corpus.rows.find((one) => one.id === id);
    if (!row) throw new Error(`No conversation ${id} on this page.`);
    if (this.stages[0]?.talk.id !== id) await this.show(row);
    if (fields.has("pair") !== this.stages.length > 1 && row.pair) await this.pair.show(fields.has("pair"));
    const member = fields.get("m"), index = this.stages.findIndex((stage) => stage.talk.id === member);
    if (index >= 0) this.pair.hear(index);
    const event = this.stage.talk.events.find((one) => one.id === fields.get("e"));
    if (event) this.choose(this.stage, event, fields.has("t") ? +fields.get("t") : undefined);
    else if (fields.has("t")) this.seek(+fields.get("t") || 0);
  }

  async show(row) {
    this.close();
    const stage = await this.load(row.id);
    this.put([stage]);
    this.view = new View(stage.duration);
    this.heard = 0;
    writeAbout(row, stage.talk, this.list);
    this.pair.about(stage.talk);
    this.settle();
  }

  async load(id) {
    await Promise.all([load(`data/${id}.log.js`), load(`data/${id}.peaks.js`)]);
    const stage = new Stage(turnfloor.talks[id], turnfloor.peaks[id], this);
    stage.sound.onfault = (says) => { byId("chosen").textContent = `Sound: ${says}`; };
    return stage;
  }

  put(stages) {
    this.stages = stages;
    byId("stages").replaceChildren(...stages.map((stage) => stage.element));
    byId("stages").classList.toggle("two", stages.length > 1);
  }

  /** After stages were put: measure, outline, and write what belongs to them. */
  settle() {
    this.view.duration = Math.max(...this.stages.map((stage) => stage.duration));
    this.resized();
    for (const stage of this.stages) if (!stage.waves.made) stage.waves.make(this.colours);
    this.events.write(this.stage);
    this.showState();
  }

  /** Back to the list, as it was filtered. */
  leave() { location.hash = byId("back").getAttribute("href"); }

  close() {
    for (const stage of this.stages) stage.close();
    Object.assign(this, { stages: [], heard: 0, chosen: null, loop: null });
  }

  // What is done -------------------------------------------------------------------------------------------------

  toggle() { if (this.playing) this.pause(); else { this.stage.sound.play(); this.showState(); } }

  pause() { this.stage.sound.pause(); this.showState(); }

  seek(time) {
    this.stage.sound.seek(time);
    if (this.loop && (this.time < this.loop.from || this.time > this.loop.to)) this.loop = null;
    this.view.show(this.time);
    this.showState();
  }

  hear(stage, change) {
    this.pair.hear(this.stages.indexOf(stage));
    change();
    this.showState();
  }

  setKind(kind) {
    for (const stage of this.stages) {
      if (stage.sound.kind === kind) continue;
      stage.sound.setKind(kind);
      stage.waves.again();
    }
    this.showState();
  }

  choose(stage, event, time) {
    this.pair.hear(this.stages.indexOf(stage));
    const place = placeOf(event, stage.talk.rate);
    this.chosen = { stage, event, shown: place.at };
    if (this.loop) this.loop = this.around(place);
    this.events.mark(event);
    this.seek(time ?? (this.loop ? this.loop.from : place.at));
    this.chosen.shown = this.time;
    byId("chosen").textContent = describe(stage, event);
    byId("link").hidden = false;
    byId("link").setAttribute("href", this.linkTo(stage, event));
  }

  around(place) { return { from: Math.max(0, place.from), to: Math.min(this.stage.duration - 0.03, place.to) }; }

  step(on) {
    const event = this.events.beside(this.time, on);
    if (event) this.choose(this.stage, event);
  }

  toggleLoop() {
    if (this.loop) this.loop = null;
    else {
      if (this.chosen?.stage !== this.stage) this.step(true);
      if (!this.chosen) return;
      this.loop = this.around(placeOf(this.chosen.event, this.stage.talk.rate));
      this.seek(this.loop.from);
    }
    this.showState();
  }

  zoom(factor, about) {
    const middle = this.time >= this.view.start && this.time <= this.view.end ? this.time : this.view.start + this.view.span / 2;
    this.view.zoom(factor, about ?? middle);
    this.request();
  }

  pan(start) { this.view.start = start; this.view.clamp(); this.request(); }

  // What is shown ------------------------------------------------------------------------------------------------

  linkTo(stage, event) { return address.text({ ...this.fields(stage), t: placeOf(event, stage.talk.rate).at.toFixed(2), e: event.id }); }

  fields(stage = this.stage) {
    const both = this.stages.length > 1;
    return { c: this.stages[0].talk.id, pair: both ? "1" : "", m: both ? stage.talk.id : "" };
  }

  showState() {
    if (!this.stage) return;
    byId("play").textContent = this.playing ? "❚❚ Stop" : "▶ Play";
    for (const kind of ["noisy", "clean"]) byId(kind).setAttribute("aria-pressed", String(this.stage.sound.kind === kind));
    byId("loop").setAttribute("aria-pressed", String(Boolean(this.loop)));
    if (!this.chosen) { byId("chosen").textContent = "No event chosen: click a sign, or press . for the next one."; byId("link").hidden = true; this.events.mark(null); }
    this.stages.forEach((stage, n) => { stage.showButtons(); this.pair.title(stage, n); });
    if (!this.playing) address.replace({ ...this.fields(), t: this.time.toFixed(2), e: this.chosen?.event.id });
    this.request();
  }

  recolour() {
    this.colours = palette();
    for (const stage of this.stages) stage.waves.recolour(this.colours);
    this.request();
  }

  resized() {
    if (!this.stages.length) return;
    for (const stage of this.stages) stage.layOut();
    this.view.width = this.stages[0].floor.clientWidth || 1;
    this.view.clamp();
    this.request();
  }

  /** Draw at the next frame; while it plays there is one anyway. */
  request() {
    this.stale = true;
    if (!this.scheduled) { this.scheduled = true; requestAnimationFrame(() => this.frame()); }
  }

  frame() {
    this.scheduled = false;
    if (!this.stage) return;
    if (this.playing) this.advance();
    const time = this.time;
    if (this.stale) {
      this.stale = false;
      this.draws++;
      for (const stage of this.stages) stage.draw(this.colours);
    }
    for (const stage of this.stages) stage.showTime(time);
    byId("clock").textContent = `${clock(time, true)} / ${clock(this.stage.duration)}`;
    if (this.playing && !this.scheduled) { this.scheduled = true; requestAnimationFrame(() => this.frame()); }
  }

  advance() {
    const { sound } = this.stage, { view } = this, before = this.shownTime ?? sound.at;
    sound.tick();
    if (this.loop && sound.time >= this.loop.to) sound.seek(this.loop.from);
    const time = sound.time;
    // Follow, unless somebody has moved the window away.
    if (before >= view.start && before <= view.end && (time > view.start + view.span * 0.92 || time < view.start)) {
      view.start = time - view.span * 0.08;
      view.clamp();
      this.stale = true;
    }
    this.shownTime = time;
    if (Math.floor(time * 4) !== Math.floor(before * 4)) this.stages.forEach((stage) => stage.drawStrip(this.colours));
    if (!sound.playing) this.showState();
  }
}
