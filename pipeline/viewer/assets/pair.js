// The two members of a counterfactual pair on one page, in one window of time; one of them is heard.
"use strict";

class Pair {
  constructor(page) { this.page = page; }

  /** Say of a member what it is, with a way to the other one. */
  about(talk) {
    const { pair } = talk, place = byId("pair");
    place.hidden = !pair;
    if (!pair) return;
    const there = Pair.listed(pair.sibling);
    const button = make("button", { type: "button", id: "beside", "aria-pressed": "false", "aria-keyshortcuts": "b", disabled: !there }, "show it beside this one");
    button.addEventListener("click", () => this.show(this.page.stages.length < 2));
    place.replaceChildren(
      `Member ${pair.member} of a counterfactual pair (${pair.kind}): sounds like `,
      there ? make("a", { href: address.text({ c: pair.sibling }) }, pair.sibling) : `${pair.sibling} (not on this page)`,
      ` before ${(pair.fork / talk.rate).toFixed(3)} s. `, button,
    );
  }

  static listed(id) { return turnfloor.corpus.rows.some((row) => row.id === id); }

  /** The other member beside this one, or this one alone again. */
  async show(both) {
    const { page } = this, [first, second] = page.stages, { pair } = first.talk;
    if (!pair || !Pair.listed(pair.sibling) || both === Boolean(second)) return;
    const time = page.time;
    page.pause();
    page.heard = 0;
    page.chosen = page.loop = null;
    if (both) page.put([first, await page.load(pair.sibling)]);
    else { second.close(); page.put([first]); }
    byId("beside").setAttribute("aria-pressed", String(both));
    if (both) page.stages[1].sound.kind = first.sound.kind;
    page.settle();
    page.seek(both && time === 0 ? Math.max(0, pair.fork / first.talk.rate - 4) : time);
  }

  /** Hear this one from now on, where the other one was. */
  hear(index) {
    const { page } = this;
    if (index === page.heard || !page.stages[index]) return;
    const { playing, time } = page;
    page.pause();
    page.heard = index;
    page.chosen = page.loop = null;
    page.stage.sound.seek(time);
    if (playing) page.stage.sound.play();
    page.events.write(page.stage);
    page.showState();
  }

  /** Say above a stage which member it is. */
  title(stage, n) {
    const { stages, heard } = this.page;
    stage.title.hidden = stages.length < 2;
    if (stages.length < 2) { stage.element.classList.remove("heard"); return; }
    const { pair, id } = stage.talk;
    if (!stage.hearButton) {
      stage.hearButton = make("button", { type: "button", "aria-keyshortcuts": "o" }, "hear this one");
      stage.hearButton.addEventListener("click", () => this.hear(this.page.stages.indexOf(stage)));
      stage.title.replaceChildren(stage.hearButton, ` Member ${pair.member} · ${id} · the floor ${pair.member === "a" ? "stays" : "goes to another"}`);
    }
    stage.hearButton.setAttribute("aria-pressed", String(n === heard));
    stage.element.classList.toggle("heard", n === heard);
  }
}
