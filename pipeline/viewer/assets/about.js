// What is said of a conversation, and of an event.
"use strict";

const FILES = ["events.jsonl", "gold.json", "timeline.json", "meta.json"];

/** Write what a conversation is, and the ways to its files and to its neighbours in the list. */
function writeAbout(row, talk, list) {
  byId("title").textContent = talk.title.slice(0, 1).toUpperCase() + talk.title.slice(1);
  document.title = `${talk.id} · ${talk.title}`;
  byId("setting").textContent = talk.setting;
  const snr = row.snr_db === undefined ? "" : `, SNR ${row.snr_db.toFixed(1)} dB`;
  byId("facts").textContent = [plain(row.type), row.domain, row.tone, clock(row.duration_s), `${row.split} voices`, `${row.scene}${snr}`].join(" · ");
  const ids = list.ids(), at = ids.indexOf(row.id);
  byId("place").textContent = at < 0 ? row.id : `${row.id} · ${at + 1} of ${ids.length} listed`;
  byId("back").setAttribute("href", address.text(list.fields()));
  for (const [id, other] of [["before", at < 0 ? null : ids[at - 1]], ["after", at < 0 ? null : ids[at + 1]]]) {
    byId(id).hidden = !other;
    byId(id).setAttribute("href", other ? address.text({ c: other }) : "#");
  }
  const files = FILES.map((name) => make("a", { href: `${turnfloor.corpus.sound}/${row.id}/${name}` }, name));
  byId("files").replaceChildren("Files: ", ...files.flatMap((link) => [link, " "]));
}

/** An event in words: what, when, which words, its links, and what gold and detectors make of it. */
function describe(stage, event) {
  const { rate, detectors } = stage.talk, times = `${(event.onset / rate).toFixed(3)} to ${(event.offset / rate).toFixed(3)} s`;
  const planned = `planned ${(event.planned.start / rate).toFixed(3)} to ${(event.planned.end / rate).toFixed(3)}`;
  const links = Object.entries(event.links ?? {}).map(([what, turn]) => `${what.replace("_", " ")} ${turn}`);
  const gold = stage.gold[event.id] ?? [];
  const found = detectors.map((one) => [one.name, verdictOf(one, event.id)]).filter(([, says]) => says).map(([name, says]) => `${name} ${says}`);
  return [`${event.id} · ${stage.names[event.speaker]} · ${turnfloor.corpus.kinds[event.kind]}`, times, planned, event.text && `“${event.text}”`, ...links, ...gold, ...found].filter(Boolean).join(" · ");
}
