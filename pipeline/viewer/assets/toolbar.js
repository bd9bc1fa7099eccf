// The buttons of the player.
"use strict";

/** Let the buttons do what they say, and make one for each layer that can be hidden. */
function equip(page) {
  const on = (id, what) => byId(id).addEventListener("click", what);
  on("play", () => page.toggle());
  on("noisy", () => page.setKind("noisy"));
  on("clean", () => page.setKind("clean"));
  on("previous", () => page.step(false));
  on("next", () => page.step(true));
  on("loop", () => page.toggleLoop());
  on("out", () => page.zoom(1 / 1.5));
  on("in", () => page.zoom(1.5));
  on("fit", () => page.zoom(0));
  on("ask", () => byId("help").showModal());
  for (const layer of page.layers) {
    const button = make("button", { type: "button", "aria-pressed": "true" }, layer.replace("detector ", ""));
    button.addEventListener("click", () => {
      if (!page.layers.delete(layer)) page.layers.add(layer);
      button.setAttribute("aria-pressed", String(page.layers.has(layer)));
      page.resized();
    });
    byId("layers").append(button);
  }
}
