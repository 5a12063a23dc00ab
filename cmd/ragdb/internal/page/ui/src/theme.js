// Dark and light: as the system has it, unless a visitor chooses.

import { button } from "./parts/dom.js";

const KEY = "ragdb-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

const dark = () => (localStorage.getItem(KEY) ?? (system.matches ? "dark" : "light")) === "dark";

// themeSwitch makes the button that changes the colours, and sets them.
export function themeSwitch() {
  const b = button("", () => {
    localStorage.setItem(KEY, dark() ? "light" : "dark");
    apply();
  }, { class: "plain" });
  function apply() {
    document.documentElement.dataset.theme = dark() ? "dark" : "light";
    b.textContent = dark() ? "Light" : "Dark";
    b.setAttribute("aria-label", `Use ${dark() ? "light" : "dark"} colours`);
    document.dispatchEvent(new Event("themechange")); // for what is drawn on a canvas
  }
  system.addEventListener("change", apply);
  apply();
  return b;
}
