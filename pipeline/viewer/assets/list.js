// The first page: totals, figures beside their targets, and the list with its filter.
"use strict";

const LEVELS = { ok: "met", MISSED: "off" };
const COLUMNS = [
  ["Conversation", (row) => row.id, false],
  ["Type", (row) => row.type, false],
  ["Speakers", (row) => row.speakers.length, false],
  ["Scene", (row) => row.scene, false],
  ["SNR dB", (row) => row.snr_db ?? -Infinity, true],
  ["Length", (row) => row.duration_s, true],
  ["Overlap %", (row) => row.overlap_share, true],
  ["Yields", (row) => row.events.turn_yield, true],
  ["Holds", (row) => row.events.turn_hold, true],
  ["Interr.", (row) => row.events.interruption, true],
  ["Failed claims", (row) => row.events.non_floor_taking, true],
  ["Backch.", (row) => row.events.backchannel, true],
  ["Laughter", (row) => row.events.laughter, true],
];
const plain = (name) => name.replaceAll("_", "-");

class List {
  constructor(corpus) {
    this.corpus = corpus;
    this.form = byId("filter");
    this.order = { column: 0, down: false };
    this.rows = corpus.rows.map((row) => ({ row, element: this.line(row), text: List.text(row) }));
    this.head();
    this.fillFilter();
    this.figures();
    this.form.addEventListener("input", () => this.apply());
    this.form.addEventListener("reset", () => setTimeout(() => this.apply()));
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.sort();
  }

  static text(row) {
    return [row.id, row.title, row.domain, row.tone, row.scene, plain(row.type), ...row.speakers].join(" ").toLowerCase();
  }

  head() {
    const { corpus } = this;
    byId("name").textContent = corpus.name;
    byId("headline").textContent = corpus.headline;
    for (const [what, value] of Object.entries(corpus.totals)) {
      byId("totals").append(make("li", { class: "panel" }, make("b", {}, value), make("span", {}, what)));
    }
    const cells = COLUMNS.map(([name, , number], n) => {
      const button = make("button", { type: "button" }, name);
      button.addEventListener("click", () => {
        this.order = { column: n, down: this.order.column === n ? !this.order.down : number };
        this.sort();
      });
      return make("th", { scope: "col", class: number ? "num" : "" }, button);
    });
    document.querySelector("#rows thead tr").append(...cells);
    byId("only-pairs").hidden = !corpus.rows.some((row) => row.pair);
  }

  line(row) {
    const cell = (value) => make("td", { class: "num" }, String(value));
    const title = row.title.slice(0, 1).toUpperCase() + row.title.slice(1);
    const about = `${row.id} · ${row.split}` + (row.pair ? ` · ${row.pair.member} of a pair (${row.pair.kind})` : "");
    const { events } = row;
    return make(
      "tr", { "data-id": row.id },
      make("td", {}, make("a", { href: address.text({ c: row.id }) }, title), make("br"), make("span", { class: "soft" }, about)),
      make("td", {}, plain(row.type)),
      make("td", {}, `${row.speakers.length}: `, make("span", { class: "soft" }, row.speakers.join(", "))),
      make("td", {}, row.scene),
      cell(row.snr_db === undefined ? "-" : row.snr_db.toFixed(1)), cell(clock(row.duration_s)),
      cell((100 * row.overlap_share).toFixed(1)), cell(events.turn_yield), cell(events.turn_hold),
      cell(events.interruption), cell(events.non_floor_taking), cell(events.backchannel), cell(events.laughter),
    );
  }

  fillFilter() {
    const choose = (name, values, says = (value) => value) => {
      const choices = [...new Set(values)].sort((a, b) => (a > b ? 1 : a < b ? -1 : 0));
      this.form[name].append(
        make("option", { value: "" }, "any"),
        ...choices.map((value) => make("option", { value }, says(value))),
      );
    };
    const { rows, kinds } = this.corpus;
    choose("type", rows.map((row) => row.type), plain);
    choose("speakers", rows.map((row) => row.speakers.length));
    choose("split", rows.map((row) => row.split));
    choose("scene", rows.map((row) => row.scene));
    this.form.with.append(
      make("option", { value: "" }, "anything"),
      ...Object.entries(kinds).map(([kind, says]) => make("option", { value: kind }, says.split(":")[0].toLowerCase())),
    );
  }

  /** The fields of the form that are set, as the address states them. */
  fields() {
    return Object.fromEntries([...new FormData(this.form)].filter(([, value]) => value));
  }

  /** Set the form from the address. */
  restore(fields) {
    for (const element of this.form.elements) {
      if (!element.name) continue;
      if (element.type === "checkbox") element.checked = fields.has(element.name);
      else element.value = fields.get(element.name) ?? "";
    }
    this.apply(false);
  }

  apply(record = true) {
    const wanted = this.fields(), words = (wanted.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    this.visible = this.rows.filter(({ row, text }) =>
      words.every((word) => text.includes(word))
      && (!wanted.type || row.type === wanted.type)
      && (!wanted.speakers || row.speakers.length === +wanted.speakers)
      && (!wanted.split || row.split === wanted.split)
      && (!wanted.scene || row.scene === wanted.scene)
      && (!wanted.with || row.events[wanted.with] > 0)
      && (!wanted.pairs || row.pair));
    const kept = new Set(this.visible);
    for (const one of this.rows) one.element.hidden = !kept.has(one);
    byId("shown").textContent = `${this.visible.length} of ${this.rows.length}`;
    byId("nothing").hidden = this.visible.length > 0;
    if (record) address.replace(wanted);
  }

  sort() {
    const { column, down } = this.order, key = COLUMNS[column][1];
    const compare = (a, b) => (key(a.row) > key(b.row) ? 1 : key(a.row) < key(b.row) ? -1 : 0);
    this.rows.sort((a, b) => (down ? -1 : 1) * compare(a, b) || (a.row.id > b.row.id ? 1 : -1));
    document.querySelector("#rows tbody").append(...this.rows.map(({ element }) => element));
    document.querySelectorAll("#rows thead th").forEach((cell, n) => {
      if (n === column) cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    });
    this.apply(false);
  }

  /** The ids that are listed, in order. */
  ids() { return this.visible.map(({ row }) => row.id); }

  figures() {
    const { figures, notes, plots, report } = this.corpus;
    const count = (verdict) => figures.filter((one) => one.verdict.startsWith(verdict)).length;
    byId("targets").hidden = figures.length === 0;
    byId("targets").open = figures.length <= 36;
    byId("verdicts").textContent = `Realised against target: ${count("ok")} within tolerance, ${count("MISSED")} missed, ${count("no verdict")} without a verdict`;
    byId("notes").append(...notes.map((note) => make("p", {}, note)));
    const groups = Map.groupBy ? Map.groupBy(figures, (one) => one.table) : List.grouped(figures);
    for (const [table, own] of groups) {
      byId("figures").append(make("section", {}, make("h3", {}, table), make("ul", {}, ...own.map(List.figure))));
    }
    byId("plots").append(...plots.map((plot) => make("figure", {}, make("img", { src: plot.path, alt: plot.says, loading: "lazy" }), make("figcaption", { class: "soft" }, plot.says))));
    if (report) byId("plots").append(make("p", {}, make("a", { href: report }, "All of the report")));
  }

  static grouped(figures) {
    const found = new Map();
    for (const one of figures) found.set(one.table, [...(found.get(one.table) ?? []), one]);
    return found;
  }

  /** A figure as a line: what, a picture of where it lies beside its tolerance, and both values in words. */
  static figure(one) {
    const [realised, target, distance, tolerance] = one.said;
    const level = LEVELS[one.verdict] ?? "open", sign = { met: "●", off: "✕", open: "○" }[level];
    return make(
      "li", { class: level, title: `${one.label}, ${one.group}: ${realised}, target ${target}, distance ${distance}, tolerance ${tolerance}: ${one.verdict}` },
      make("span", { class: "what" }, one.label, make("span", { class: "soft" }, one.group === "all" ? "" : ` ${one.group}`)),
      List.reach(one, level),
      make("span", { class: "num" }, make("b", {}, realised), make("span", { class: "soft" }, ` / ${target}`)),
      make("span", { class: "sign", "aria-label": one.verdict }, sign),
    );
  }

  static reach(one, level) {
    const width = 120, reach = Math.max(one.high - one.target, one.target - one.low) || 1;
    const x = (value) => 60 + ((value - one.target) / reach) * 27;
    const picture = draw("svg", { class: "reach", viewBox: `0 0 ${width} 16`, "aria-hidden": "true" });
    picture.append(
      draw("rect", { class: "band", x: x(one.low), y: 2, width: x(one.high) - x(one.low), height: 12 }),
      draw("path", { class: "aim", d: "M60 1v14" }),
    );
    if (one.realised === undefined) return picture;
    const at = x(one.realised);
    if (at < 5) picture.append(draw("path", { class: level, d: "M9 3L2 8l7 5z" }));
    else if (at > width - 5) picture.append(draw("path", { class: level, d: `M${width - 9} 3l7 5-7 5z` }));
    else if (level === "off") picture.append(draw("path", { class: "off cross", d: `M${at - 4} 4l8 8m0-8l-8 8` }));
    else picture.append(draw("circle", { class: level, cx: at, cy: 8, r: 4.5 }));
    return picture;
  }
}
