// What the other scripts share: the registries that data scripts fill, the address, small helpers.
"use strict";

window.turnfloor = { corpus: null, talks: {}, peaks: {} };

const byId = (id) => document.getElementById(id);

/** An element with attributes and children; text is put in as text, never as HTML. */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

/** The same for SVG. */
function draw(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Runs a data script of a conversation once: a page from a file may run scripts, but not fetch. */
const scripts = new Map();
function load(path) {
  if (!scripts.has(path)) {
    scripts.set(path, new Promise((done, failed) => {
      const element = make("script", { src: path });
      element.onload = () => done();
      element.onerror = () => { scripts.delete(path); failed(new Error(`${path} is missing; write the page again`)); };
      document.head.append(element);
    }));
  }
  return scripts.get(path);
}

/** Minutes and seconds, with hundredths where `exact`. */
function clock(seconds, exact = false) {
  const hundredths = Math.max(0, Math.round(seconds * 100));
  const minutes = Math.floor(hundredths / 6000), rest = (hundredths - minutes * 6000) / 100;
  return `${minutes}:${exact ? rest.toFixed(2).padStart(5, "0") : String(Math.floor(rest)).padStart(2, "0")}`;
}

/** The part of the address after #: what is shown, and where. */
const address = {
  read: () => new URLSearchParams(location.hash.slice(1)),
  text(fields) {
    const kept = Object.entries(fields).filter(([, value]) => value !== "" && value !== null && value !== undefined);
    return "#" + new URLSearchParams(kept).toString();
  },
  /** Change it without a new place in the history and without going anywhere. */
  replace(fields) { history.replaceState(null, "", this.text(fields)); },
};

/** The first place in `items`, in order of `key`, whose key is not below `value`. */
function firstFrom(items, value, key) {
  let low = 0, high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (key(items[middle]) < value) low = middle + 1; else high = middle;
  }
  return low;
}

/** Spans in order of their start, asked for by window. */
class Spans {
  constructor(items) {
    this.items = [...items].sort((a, b) => a.start - b.start);
    this.longest = this.items.reduce((most, one) => Math.max(most, one.end - one.start), 0);
  }
  /** Those that lie in part between `start` and `end`. */
  within(start, end) {
    const found = [];
    for (let n = firstFrom(this.items, start - this.longest, (one) => one.start); n < this.items.length; n++) {
      const one = this.items[n];
      if (one.start > end) break;
      if (one.end >= start) found.push(one);
    }
    return found;
  }
}
