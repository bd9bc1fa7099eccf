// The page of a conversation: its stages, one clock, and what buttons and keys do.
"use strict";

class TalkPage {
  constructor(list) {
    Object.assign(this, { list, stages: [], heard: 0, chosen: null, loop: null, view: new View(1), frames: 0, draws: 0 });
    this.layers = new Set(["words", "gold", ...turnfloor.corpus.detectors.map((name) => `detector ${name}`)]);
    this.events = new Events(this);
    this.colours = palette();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour());
    new ResizeObserver(() => this.resized()).observe(byId("stages"));
    this.buttons();
    writeLegend(turnfloor.corpus.kinds, turnfloor.corpus.detectors);
  }

  get stage() { return this.stages[this.heard]; }
  get time() { return this.stage?.sound.time ?? 0; }
  get playing() { return this.stage?.sound.playing ?? false; }

  buttons() {
    const on = (id, what) => byId(id).addEventListener("click", what);
    on("play", () => this.toggle());
    on("noisy", () => this.setKind("noisy"));
    on("clean", () => this.setKind("clean"));
    on("previous", () => this.step(false));
    on("next", () => this.step(true));
    on("loop", () => this.toggleLoop());
    on("out", () => this.zoom(1 / 1.5));
    on("in", () => this.zoom(1.5));
    on("fit", () => this.zoom(0));
    on("ask", () => byId("help").showModal());
    for (const layer of this.layers) {
      const button = make("button", { type: "button", "aria-pressed": "true" }, layer.replace("detector ", ""));
      button.addEventListener("click", () => {
        if (!this.layers.delete(layer)) this.layers.add(layer);
        button.setAttribute("aria-pressed", String(this.layers.has(layer)));
        this.resized();
      });
      byId("layers").append(button);
    }
  }

  /** Show a conversation, at a moment and with an event where the address names them. */
  async open(id, fields) {
    const row = turnfloor.corpus.rows.find((one) => one.id === id);
    if (!row) throw new Error(`No conversation ${id} on this page.`);
    if (this.stages[0]?.talk.id !== id) await this.show(row);
    if (fields.has("pair") !== this.stages.length > 1 && row.pair) await this.showPair(fields.has("pair"));
    const member = fields.get("m"), index = this.stages.findIndex((stage) => stage.talk.id === member);
    if (index >= 0) this.hearStage(index);
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
    this.about(row, stage.talk);
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
    for (const stage of this.stages) if (!stage.lanes[0].waveform) stage.outline(this.colours);
    this.events.write(this.stage);
    this.showState();
  }

  about(row, talk) {
    byId("title").textContent = talk.title.slice(0, 1).toUpperCase() + talk.title.slice(1);
    document.title = `${talk.id} · ${talk.title}`;
    byId("setting").textContent = talk.setting;
    const snr = row.snr_db === undefined ? "" : `, SNR ${row.snr_db.toFixed(1)} dB`;
    byId("facts").textContent = [plain(row.type), row.domain, row.tone, clock(row.duration_s), `${row.split} voices`, `${row.scene}${snr}`].join(" · ");
    const ids = this.list.ids(), at = ids.indexOf(row.id);
    byId("place").textContent = at < 0 ? row.id : `${row.id} · ${at + 1} of ${ids.length} listed`;
    byId("back").setAttribute("href", address.text(this.list.fields()));
    for (const [id, other] of [["before", at < 0 ? null : ids[at - 1]], ["after", at < 0 ? null : ids[at + 1]]]) {
      byId(id).hidden = !other;
      byId(id).setAttribute("href", other ? address.text({ c: other }) : "#");
    }
    this.aboutPair(talk);
  }

  aboutPair(talk) {
    const { pair } = talk, place = byId("pair");
    place.hidden = !pair;
    if (!pair) return;
    const there = turnfloor.corpus.rows.some((row) => row.id === pair.sibling);
    const button = make("button", { type: "button", id: "beside", "aria-pressed": "false", "aria-keyshortcuts": "b", disabled: !there }, "show it beside this one");
    button.addEventListener("click", () => this.showPair(this.stages.length < 2));
    place.replaceChildren(
      `Member ${pair.member} of a counterfactual pair (${pair.kind}): sounds like `,
      there ? make("a", { href: address.text({ c: pair.sibling }) }, pair.sibling) : `${pair.sibling} (not on this page)`,
      ` before ${(pair.fork / talk.rate).toFixed(3)} s. `, button,
    );
  }

  /** The other member of a pair beside this one, in the same window of time, or this one alone again. */
  async showPair(both) {
    const [first, second] = this.stages, { pair } = first.talk;
    if (!pair || !turnfloor.corpus.rows.some((row) => row.id === pair.sibling) || both === Boolean(second)) return;
    const time = this.time;
    this.pause();
    this.heard = 0;
    this.chosen = this.loop = null;
    if (both) this.put([first, await this.load(pair.sibling)]);
    else { second.close(); this.put([first]); }
    byId("beside").setAttribute("aria-pressed", String(both));
    if (both) this.stages[1].sound.kind = first.sound.kind;
    this.settle();
    this.seek(both && time === 0 ? Math.max(0, pair.fork / first.talk.rate - 4) : time);
  }

  hearStage(index) {
    if (index === this.heard || !this.stages[index]) return;
    const playing = this.playing, time = this.time;
    this.pause();
    this.heard = index;
    this.chosen = this.loop = null;
    this.stage.sound.seek(time);
    if (playing) this.stage.sound.play();
    this.events.write(this.stage);
    this.showState();
  }

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
    this.hearStage(this.stages.indexOf(stage));
    change();
    this.showState();
  }

  setKind(kind) {
    for (const stage of this.stages) {
      if (stage.sound.kind === kind) continue;
      stage.sound.setKind(kind);
      stage.outlineAgain();
    }
    this.showState();
  }

  choose(stage, event, time) {
    this.hearStage(this.stages.indexOf(stage));
    const place = placeOf(event, stage.talk.rate);
    this.chosen = { stage, event, shown: place.at };
    if (this.loop) this.loop = this.around(place);
    this.events.mark(event);
    this.seek(time ?? (this.loop ? this.loop.from : place.at));
    this.chosen.shown = this.time;
    byId("chosen").textContent = this.says(stage, event);
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

  says(stage, event) {
    const { rate, detectors } = stage.talk, times = `${(event.onset / rate).toFixed(3)} to ${(event.offset / rate).toFixed(3)} s`;
    const planned = `planned ${(event.planned.start / rate).toFixed(3)} to ${(event.planned.end / rate).toFixed(3)}`;
    const links = Object.entries(event.links ?? {}).map(([what, turn]) => `${what.replace("_", " ")} ${turn}`);
    const gold = this.events.stage === stage ? this.events.gold[event.id] ?? [] : [];
    const found = detectors.map((one) => [one.name, verdictOf(one, event.id)]).filter(([, says]) => says).map(([name, says]) => `${name} ${says}`);
    return [`${event.id} · ${stage.names[event.speaker]} · ${turnfloor.corpus.kinds[event.kind]}`, times, planned, event.text && `“${event.text}”`, ...links, ...gold, ...found].filter(Boolean).join(" · ");
  }

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
    this.stages.forEach((stage, n) => { stage.showButtons(); this.showTitle(stage, n); });
    if (!this.playing) address.replace({ ...this.fields(), t: this.time.toFixed(2), e: this.chosen?.event.id });
    this.request();
  }

  showTitle(stage, n) {
    stage.title.hidden = this.stages.length < 2;
    if (this.stages.length < 2) return;
    const { pair, id } = stage.talk, heard = n === this.heard;
    if (!stage.hearButton) {
      stage.hearButton = make("button", { type: "button", "aria-keyshortcuts": "o" }, "hear this one");
      stage.hearButton.addEventListener("click", () => this.hearStage(this.stages.indexOf(stage)));
      stage.title.replaceChildren(stage.hearButton, ` Member ${pair.member} · ${id} · the floor ${pair.member === "a" ? "stays" : "goes to another"}`);
    }
    stage.hearButton.setAttribute("aria-pressed", String(heard));
    stage.element.classList.toggle("heard", heard);
  }

  recolour() {
    this.colours = palette();
    for (const stage of this.stages) stage.recolour(this.colours);
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
    this.frames++;
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

  // Keys ---------------------------------------------------------------------------------------------------------

  key(event) {
    const number = /^Digit([1-8])$/.exec(event.code)?.[1], step = event.shiftKey ? 10 : 1;
    if (number) {
      const lane = this.stage.lanes[number - 1];
      if (lane) this.hear(this.stage, () => { if (event.shiftKey) this.stage.sound.toggleMute(lane.speaker.id); else this.stage.sound.toggleSolo(lane.speaker.id, true); });
      return true;
    }
    const does = {
      " ": () => this.toggle(), ArrowLeft: () => this.seek(this.time - step), ArrowRight: () => this.seek(this.time + step),
      Home: () => this.seek(0), End: () => this.seek(this.stage.duration), ",": () => this.step(false), ".": () => this.step(true),
      l: () => this.toggleLoop(), n: () => this.setKind(this.stage.sound.kind === "noisy" ? "clean" : "noisy"),
      "+": () => this.zoom(1.5), "=": () => this.zoom(1.5), "-": () => this.zoom(1 / 1.5), 0: () => this.zoom(0),
      "[": () => this.pan(this.view.start - this.view.span * 0.9), "]": () => this.pan(this.view.start + this.view.span * 0.9),
      b: () => this.showPair(this.stages.length < 2), o: () => this.hearStage(1 - this.heard),
      Escape: () => { if (this.loop) this.toggleLoop(); else location.hash = byId("back").getAttribute("href"); },
    }[event.key];
    does?.();
    return Boolean(does);
  }
}
