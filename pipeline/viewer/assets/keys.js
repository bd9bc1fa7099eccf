// What keys do on the page of a conversation.
"use strict";

/** Do what a key stands for; says whether it stands for anything. */
function press(page, event) {
  const number = /^Digit([1-8])$/.exec(event.code)?.[1], step = event.shiftKey ? 10 : 1;
  if (number) return pressNumber(page, page.stage.lanes[number - 1]?.speaker.id, event.shiftKey);
  const { view } = page, does = {
    " ": () => page.toggle(),
    ArrowLeft: () => page.seek(page.time - step),
    ArrowRight: () => page.seek(page.time + step),
    Home: () => page.seek(0),
    End: () => page.seek(page.stage.duration),
    ",": () => page.step(false),
    ".": () => page.step(true),
    l: () => page.toggleLoop(),
    n: () => page.setKind(page.stage.sound.kind === "noisy" ? "clean" : "noisy"),
    "+": () => page.zoom(1.5),
    "=": () => page.zoom(1.5),
    "-": () => page.zoom(1 / 1.5),
    0: () => page.zoom(0),
    "[": () => page.pan(view.start - view.span * 0.9),
    "]": () => page.pan(view.start + view.span * 0.9),
    b: () => page.pair.show(page.stages.length < 2),
    o: () => page.pair.hear(1 - page.heard),
    Escape: () => { if (page.loop) page.toggleLoop(); else page.leave(); },
  }[event.key];
  does?.();
  return Boolean(does);
}

/** A number is a speaker: alone, or with Shift muted. */
function pressNumber(page, speaker, shift) {
  const { sound } = page.stage;
  if (speaker) page.hear(page.stage, () => { if (shift) sound.toggleMute(speaker); else sound.toggleSolo(speaker, true); });
  return true;
}
