// Which page is shown: the address says. Keys go to it.
"use strict";

const app = (turnfloor.app = { list: null, page: null, ready: Promise.resolve() });

async function route() {
  const fields = address.read(), id = fields.get("c"), changed = byId("talk").hidden === Boolean(id);
  byId("talk").hidden = !id;
  byId("list").hidden = Boolean(id);
  if (!id) {
    app.page.close();
    app.list.restore(fields);
    document.title = turnfloor.corpus.name;
    return;
  }
  if (changed) scrollTo(0, 0);
  try {
    await app.page.open(id, fields);
  } catch (error) {
    history.replaceState(null, "", "#");
    await route();
    byId("nothing").textContent = error.message;
    byId("nothing").hidden = false;
  }
}

let pointed = null; // the button that was clicked last
addEventListener("pointerdown", (event) => { pointed = event.target.closest("button, a, summary"); });

function keys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
  const own = event.target.closest("input, select, textarea");
  if (own) { if (event.key === "Escape") own.blur(); return; }
  // A button that the keyboard went to is pressed by it; one that was clicked keeps no key for itself.
  const pressed = event.target.closest("button, a, summary");
  if (event.key === "Tab") pointed = null;
  if (pressed && pressed !== pointed && (event.key === " " || event.key === "Enter")) return;
  let done = true;
  if (event.key === "?") byId("help").showModal();
  else if (event.key === "/") { if (!byId("talk").hidden) app.page.leave(); setTimeout(() => byId("filter").q.focus(), 50); }
  else done = !byId("talk").hidden && press(app.page, event);
  if (done) event.preventDefault();
}

if (turnfloor.corpus) {
  app.list = new List(turnfloor.corpus);
  app.page = new TalkPage(app.list);
  const go = () => { app.ready = app.ready.then(route); };
  addEventListener("hashchange", go);
  addEventListener("keydown", keys);
  go();
} else {
  document.body.prepend(make("p", {}, "data/corpus.js is missing: the page was not written to its end; write it again."));
}
