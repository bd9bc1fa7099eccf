// The sound of one conversation: an audio element a channel, kept on one clock.
"use strict";

const SEEK_BEYOND_S = 0.12; // drift that is jumped over
const STEER_BEYOND_S = 0.003; // drift that is made up by playing faster or slower
const MOST_STEERED = 0.02; // by this share at most
const SETTLE_MS = 700; // after a jump, before another

class Sound {
  constructor(base, speakers, duration) {
    Object.assign(this, { base, speakers, duration, kind: "noisy", playing: false, at: 0 });
    this.elements = new Map();
    this.muted = new Set();
    this.solo = new Set();
    this.jumped = new Map();
    this.began = 0; // for the clock while nobody is heard
  }

  /** Whether a speaker is heard. */
  heard(speaker) { return this.solo.size ? this.solo.has(speaker) : !this.muted.has(speaker); }

  /** The files that are heard: the mix where it is what all noisy channels together would be, with the noise once. */
  files() {
    const heard = this.speakers.filter((speaker) => this.heard(speaker));
    if (this.kind === "noisy" && heard.length === this.speakers.length) return ["mix.flac"];
    return heard.map((speaker) => `${this.kind}/${speaker}.flac`);
  }

  element(file) {
    if (!this.elements.has(file)) {
      const audio = new Audio();
      audio.preload = "auto";
      audio.preservesPitch = false;
      audio.src = this.base + file;
      audio.addEventListener("error", () => this.onfault?.(`${file} cannot be played`));
      this.elements.set(file, audio);
    }
    return this.elements.get(file);
  }

  active() { return this.files().map((file) => this.element(file)); }

  /** The element whose time is that of all. */
  master() { return this.active().find((audio) => !audio.paused && !audio.seeking && audio.readyState > 1); }

  /** Where it is [s]. */
  get time() {
    if (this.playing) {
      const master = this.master();
      if (master) this.at = master.currentTime;
      else if (!this.files().length) this.at = Math.min(this.duration, (performance.now() - this.began) / 1000);
    }
    return this.at;
  }

  play() {
    if (this.at >= this.duration - 0.05) this.at = 0;
    this.playing = true;
    this.began = performance.now() - this.at * 1000;
    this.start(this.active());
  }

  start(elements) {
    for (const audio of elements) {
      audio.playbackRate = 1;
      if (Math.abs(audio.currentTime - this.at) > 0.001) audio.currentTime = this.at;
      audio.play().catch((error) => { if (error.name !== "AbortError") { this.pause(); this.onfault?.(error.message); } });
    }
  }

  pause() {
    this.at = this.time;
    this.playing = false;
    for (const audio of this.elements.values()) audio.pause();
  }

  seek(time) {
    this.at = Math.min(Math.max(time, 0), this.duration);
    this.began = performance.now() - this.at * 1000;
    if (this.playing) for (const audio of this.active()) audio.currentTime = this.at;
  }

  /** After a change of what is heard: stop the others, and let the new ones join where the clock is. */
  changed() {
    if (!this.playing) return;
    const wanted = new Set(this.active());
    for (const audio of this.elements.values()) if (!wanted.has(audio)) audio.pause();
    this.began = performance.now() - this.at * 1000;
    this.start([...wanted].filter((audio) => audio.paused));
  }

  change(what) {
    const time = this.time; // of those heard until now
    what();
    this.at = time;
    this.changed();
  }

  setKind(kind) { this.change(() => { this.kind = kind; }); }
  toggleMute(speaker) { this.change(() => { if (!this.muted.delete(speaker)) this.muted.add(speaker); }); }
  toggleSolo(speaker, alone = false) {
    this.change(() => {
      const was = this.solo.has(speaker) && (!alone || this.solo.size === 1);
      if (alone) this.solo.clear();
      if (was) this.solo.delete(speaker); else this.solo.add(speaker);
    });
  }

  /** Called once a frame while it plays: stop at the end, and bring what has drifted back to the clock. */
  tick() {
    const time = this.time, master = this.master();
    if (time >= this.duration - 0.02 || (master?.ended ?? this.active().some((audio) => audio.ended))) {
      this.pause();
      this.at = this.duration;
      return;
    }
    if (!master) return;
    for (const audio of this.active()) if (audio !== master) this.steer(audio, master);
  }

  steer(audio, master) {
    if (audio.paused || audio.seeking || audio.readyState < 3) return;
    const late = master.currentTime - audio.currentTime, now = performance.now();
    if (Math.abs(late) > SEEK_BEYOND_S && now - (this.jumped.get(audio) ?? -SETTLE_MS) >= SETTLE_MS) {
      this.jumped.set(audio, now);
      audio.currentTime = master.currentTime;
    }
    // What is late by 10 ms plays 1 % faster, and is there within seconds; in whole thousandths, to be set seldom.
    const steered = Math.round(1000 * Math.min(MOST_STEERED, Math.max(-MOST_STEERED, late))) / 1000;
    const rate = Math.abs(late) < STEER_BEYOND_S ? 1 : 1 + steered;
    if (audio.playbackRate !== rate) audio.playbackRate = rate;
  }

  /** The greatest distance of any channel from the clock [s]. */
  drift() {
    const master = this.master();
    return master ? Math.max(...this.active().map((audio) => Math.abs(audio.currentTime - master.currentTime))) : 0;
  }

  close() {
    this.pause();
    for (const audio of this.elements.values()) { audio.removeAttribute("src"); audio.load(); }
    this.elements.clear();
  }
}
