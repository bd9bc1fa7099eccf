// Colours, hatching, and where words go.
"use strict";

const WORD_PX = 11.5;
const NARROWEST = 0.7; // of a word's width: what would be narrower is written as the beginning of the text

/** The colours of the style sheet, as they are in light or dark. */
function palette() {
  const style = getComputedStyle(document.documentElement), cache = {};
  return (name) => (cache[name] ??= style.getPropertyValue(name).trim());
}

/** Hatching in one colour: lines one way, the other way, or both. */
function hatch(context, colour, ways) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const pen = tile.getContext("2d");
  pen.strokeStyle = colour;
  pen.lineWidth = 1.1;
  pen.beginPath();
  if (ways.includes("/")) { pen.moveTo(-1, 7); pen.lineTo(7, -1); }
  if (ways.includes("\\")) { pen.moveTo(-1, -1); pen.lineTo(7, 7); }
  pen.stroke();
  return context.createPattern(tile, "repeat");
}

/** Places the words of a stretch [pixels from its start]: at their onsets, moved apart, narrowed where all are too wide. */
function flow(stretch, scale, measure) {
  const room = (stretch.end - stretch.start) * scale - 4, natural = stretch.words.map((word) => measure(word.text) + 4);
  const total = natural.reduce((sum, one) => sum + one, 0), share = Math.min(1, room / total);
  if (!natural.length || share < NARROWEST) return { words: null };
  const widths = natural.map((one) => one * share), places = [];
  let at = 3;
  stretch.words.forEach((word, n) => { places.push(at = Math.max(at, (word.start - stretch.start) * scale)); at += widths[n]; });
  let end = room + 4;
  for (let n = places.length - 1; n >= 0; n--) { places[n] = Math.min(places[n], end - widths[n]); end = places[n]; }
  return { share, words: stretch.words.map((word, n) => ({ says: word.text, x: places[n], width: widths[n] - 4 * share })) };
}
