// The waveforms of a stage: drawn by wavesurfer.js from the outlines that came with the page.
"use strict";

/** Magnitudes from base64, a byte each. */
const bytesOf = (coded) => Uint8Array.from(atob(coded), (one) => one.charCodeAt(0));

/** What fills a lane: only one in 200 of the magnitudes that are heard at all is greater. */
function full(channels) {
  const heard = channels.flatMap((bytes) => [...bytes.filter((one) => one > 2)]).sort((a, b) => a - b);
  return heard[Math.floor(heard.length * 0.995)] ?? 1;
}

class Waves {
  constructor(stage) {
    this.stage = stage;
    this.outlines = {};
  }

  /** Make one in each lane; before this the stage must be in the page. */
  make(colours) {
    const { stage } = this, { view } = stage.page;
    stage.lanes.forEach((lane, n) => {
      lane.waveform = WaveSurfer.create({
        container: lane.wave, height: HEIGHTS.wave, waveColor: colours(`--s${n}`), progressColor: "transparent", cursorWidth: 0,
        interact: false, autoScroll: false, autoCenter: false, hideScrollbar: true, fillParent: false, minPxPerSec: view.scale,
        peaks: [this.magnitudes(lane)], duration: stage.duration,
      });
      lane.scale = view.scale;
      lane.waveform.on("redraw", () => { lane.ready = true; stage.page.request(); });
    });
    this.made = true;
  }

  magnitudes(lane) {
    const { kind } = this.stage.sound;
    this.outlines[kind] ??= Object.fromEntries(Object.entries(this.stage.peaks[kind]).map(([speaker, coded]) => [speaker, bytesOf(coded)]));
    this.full ??= full(Object.values(this.outlines[kind])); // of what is shown first, so that both kinds have one scale
    return Float32Array.from(this.outlines[kind][lane.speaker.id], (one) => Math.min(1, one / this.full));
  }

  /** After a change from clean to noisy or back. */
  again() {
    for (const lane of this.stage.lanes) lane.waveform.load("", [this.magnitudes(lane)], this.stage.duration).catch(() => {});
  }

  recolour(colours) { this.stage.lanes.forEach((lane, n) => lane.waveform?.setOptions({ waveColor: colours(`--s${n}`) })); }

  /** Bring one to the window that is shown. */
  scroll(lane) {
    if (!lane.ready) return;
    const { view } = this.stage.page, wanted = view.start * view.scale;
    if (lane.scale !== view.scale) {
      lane.scale = view.scale;
      lane.waveform.zoom(view.scale);
    }
    lane.waveform.setScroll(wanted);
    // The shorter one of two members ends before the window does.
    lane.wave.style.transform = `translateX(${lane.waveform.getScroll() - wanted}px)`;
  }

  close() { for (const lane of this.stage.lanes) lane.waveform?.destroy(); }
}
