// The table of events of a conversation: in words what the pictures show, and a way to each.
"use strict";

class Events {
  constructor(page) {
    this.page = page;
    this.hidden = new Set();
  }

  /** Write the table of a stage. */
  write(stage) {
    this.stage = stage;
    const { talk, gold } = stage, detectors = talk.detectors;
    const names = ["Time", "Speaker", "Event", "Words", "Gold", ...detectors.map((one) => one.name)];
    document.querySelector("#events thead").replaceChildren(make("tr", {}, ...names.map((name) => make("th", { scope: "col" }, name))));
    const at = (event) => placeOf(event, talk.rate).at;
    const events = [...talk.events].sort((a, b) => at(a) - at(b));
    this.lines = new Map(events.map((event) => [event.id, this.line(event, gold[event.id] ?? [], detectors)]));
    document.querySelector("#events tbody").replaceChildren(...this.lines.values());
    this.writeKinds(talk);
    this.apply();
  }

  line(event, gold, detectors) {
    const { stage, page } = this, { talk } = stage;
    const time = make("a", { href: page.linkTo(stage, event) }, clock(placeOf(event, talk.rate).at, true));
    time.addEventListener("click", (clicked) => { clicked.preventDefault(); page.choose(stage, event); });
    const row = make(
      "tr", { "data-kind": event.kind },
      make("td", { class: "num" }, time),
      make("td", {}, make("span", { class: `badge s${stage.number[event.speaker]}` }, String(stage.number[event.speaker] + 1)), ` ${stage.names[event.speaker]}`),
      make("td", { class: "kind" }, signPicture(event.kind), `${SIGNS[event.kind].letter} ${turnfloor.corpus.kinds[event.kind].split(":")[0]}`),
      make("td", {}, event.text),
      make("td", { class: "soft" }, gold.join(", ")),
      ...detectors.map((one) => make("td", { class: "num" }, verdictOf(one, event.id))),
    );
    row.addEventListener("click", () => { if (!getSelection().toString()) page.choose(stage, event); });
    return row;
  }

  writeKinds(talk) {
    const buttons = Object.entries(turnfloor.corpus.kinds).map(([kind, says]) => {
      const count = talk.events.filter((event) => event.kind === kind).length;
      const button = make("button", { type: "button", "aria-pressed": String(!this.hidden.has(kind)), disabled: count === 0 }, signPicture(kind), `${SIGNS[kind].letter} ${says.split(":")[0]} ${count}`);
      button.addEventListener("click", () => {
        if (!this.hidden.delete(kind)) this.hidden.add(kind);
        button.setAttribute("aria-pressed", String(!this.hidden.has(kind)));
        this.apply();
      });
      return button;
    });
    byId("kinds").replaceChildren(...buttons);
  }

  apply() { for (const line of this.lines.values()) line.hidden = this.hidden.has(line.dataset.kind); }

  /** The event before or after a moment among those listed. */
  beside(time, on) {
    const { talk } = this.stage;
    const places = talk.events.filter((event) => !this.hidden.has(event.kind)).map((event) => ({ event, at: placeOf(event, talk.rate).at }));
    places.sort((a, b) => a.at - b.at);
    const { chosen } = this.page, at = chosen?.stage === this.stage ? places.findIndex((one) => one.event === chosen.event) : -1;
    // From the chosen event on while nothing has moved away from it: two may share a moment.
    if (at >= 0 && Math.abs(time - chosen.shown) < 0.02) return places[at + (on ? 1 : -1)]?.event;
    return (on ? places.find((one) => one.at > time + 0.01) : places.findLast((one) => one.at < time - 0.01))?.event;
  }

  mark(event) {
    for (const [id, line] of this.lines) {
      const own = id === event?.id;
      line.classList.toggle("now", own);
      if (own) { line.setAttribute("aria-current", "true"); this.reveal(line); } else line.removeAttribute("aria-current");
    }
  }

  /** Scroll the table, and only the table, to a line. */
  reveal(line) {
    const box = line.closest(".tall"), place = line.offsetTop - box.querySelector("thead").offsetHeight;
    if (place < box.scrollTop || line.offsetTop + line.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = place - box.clientHeight / 3;
  }
}
