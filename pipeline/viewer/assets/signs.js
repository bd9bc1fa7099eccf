// Events as signs: a shape and a letter each, so that no colour is needed to tell them apart.
"use strict";

const SIGNS = {
  turn_yield: { letter: "Y", colour: "--k-yield", filled: true, path: "M-5-5L6 0L-5 5Z" },
  turn_hold: { letter: "H", colour: "--k-hold", filled: true, path: "M-5-5h3.4v10H-5ZM1.6-5H5v10H1.6Z" },
  turn_interrupted: { letter: "X", colour: "--k-cut", filled: false, path: "M-4-4L4 4M-4 4L4-4" },
  interruption: { letter: "I", colour: "--k-take", filled: true, path: "M0-6L6 0L0 6L-6 0Z" },
  non_floor_taking: { letter: "F", colour: "--k-claim", filled: false, path: "M0-5.5L5.5 0L0 5.5L-5.5 0Z" },
  backchannel: { letter: "B", colour: "--k-bc", filled: true, path: "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0Z" },
  laughter: { letter: "L", colour: "--k-laugh", filled: false, path: "M-6 3l3-6l3 6l3-6l3 6" },
};
for (const sign of Object.values(SIGNS)) sign.shape = new Path2D(sign.path);

/** Where the moment of an event is, and what is looped over around it [s]. */
function placeOf(event, rate) {
  const onset = event.onset / rate, offset = event.offset / rate;
  if (event.kind === "turn_yield" || event.kind === "turn_interrupted") return { at: offset, from: offset - 2, to: offset + 1.2 };
  if (event.kind === "interruption") return { at: onset, from: onset - 1.5, to: onset + 2 };
  return { at: onset, from: onset - 0.7, to: offset + 0.7 };
}

/** The sign of a kind as a picture for HTML. */
function signPicture(kind) {
  const sign = SIGNS[kind];
  const style = sign.filled ? `fill:var(${sign.colour})` : `fill:none;stroke-width:1.9;stroke:var(${sign.colour})`;
  return draw("svg", { class: "sign-picture", viewBox: "-8 -8 16 16", "aria-hidden": "true" }, draw("path", { d: sign.path, style }));
}

/** What the gold makes of each event: by id, in words. */
function goldOf(talk) {
  const found = {};
  const add = (items, says) => items.forEach((one) => { (found[one.event_id] ??= []).push(says); });
  for (const [task, name] of [["eot", "EOT"], ["interruption", "INT"]]) {
    add(talk[task].positives, `${name} positive`);
    add(talk[task].negatives, `${name} hard negative`);
    add(talk[task].excluded, `excluded from ${name}`);
  }
  return found;
}

/** What a detector makes of an event, in words; empty where it is not asked. */
function verdictOf(detector, id) {
  if (id in (detector.latency_ms ?? {})) return `✓ ${detector.latency_ms[id] > 0 ? "+" : ""}${Math.round(detector.latency_ms[id])} ms`;
  if (detector.missed?.includes(id)) return "– missed";
  if (detector.fired?.includes(id)) return "✕ fired";
  return "";
}

/** The legend. */
function writeLegend(kinds, detectors) {
  const items = Object.entries(kinds).map(([kind, says]) => make("li", {}, signPicture(kind), make("b", {}, SIGNS[kind].letter), ` ${says}`));
  const word = (sign, says) => make("li", {}, make("b", {}, sign), ` ${says}`);
  items.push(word("EOT, INT", "positives"), word("EOT−, INT−", "hard negatives, hatched one way"), word("ex", "excluded, hatched both ways"));
  if (detectors.length) {
    items.push(word("▼ ◆", "a detector decides EOT, INT"), word("filled", "claimed by a positive"), word("✕", "on a hard negative"), word("hollow", "neither"), word("small", "excluded"));
  }
  byId("legend").replaceChildren(...items);
}
