// Light or dark, and the canvas's share of it; everything else is in style.css.
import { rgb } from "../draw/surface";

interface Theme {
  background: number;
  critical: number;
  criticalBesideProblems: number;
  edge: [number, number, number, number]; // creation, join, continuation, dependence
  rim: number; // nodes' borders are mixed towards black (0) or white (255)
  selection: string;
  hover: string;
  halo: string;
  dependence: string; // the selected grain's
}

const kLight: Theme = {
  background: rgb(252, 252, 251),
  critical: rgb(214, 28, 36),
  criticalBesideProblems: rgb(28, 78, 170),
  edge: [rgb(88, 176, 110), rgb(232, 160, 82), rgb(110, 116, 124), rgb(146, 104, 204)],
  rim: 0,
  selection: "#111827",
  hover: "#4b5563",
  halo: "rgba(255,255,255,.9)",
  dependence: "#6d28d9",
};
const kDark: Theme = {
  background: rgb(20, 23, 28),
  critical: rgb(255, 76, 76),
  criticalBesideProblems: rgb(122, 176, 255),
  edge: [rgb(52, 132, 76), rgb(172, 112, 48), rgb(122, 130, 140), rgb(150, 116, 214)],
  rim: 0,
  selection: "#ffffff",
  hover: "#c7ced8",
  halo: "rgba(0,0,0,.75)",
  dependence: "#b794f6",
};

// "auto": as the system says. style.css follows the attribute.
export type ThemeName = "auto" | "light" | "dark";
const system = (): MediaQueryList => window.matchMedia("(prefers-color-scheme: dark)");
let chosen: ThemeName = "auto";

export function setTheme(name: ThemeName): void {
  chosen = name;
  document.documentElement.dataset.theme = name;
}

// A step through them: the other one first.
export function nextTheme(name: ThemeName): ThemeName {
  return name === "auto" ? (isDark() ? "light" : "dark") : name === "dark" ? "light" : "dark";
}

export function isDark(): boolean {
  return chosen === "auto" ? system().matches : chosen === "dark";
}

export function theme(): Theme {
  return isDark() ? kDark : kLight;
}

export function onThemeChange(run: () => void): void {
  system().addEventListener("change", run);
}

// Black or white, whichever reads better on the colour.
export function textOn(colour: number): string {
  const light = 0.299 * (colour & 255) + 0.587 * ((colour >> 8) & 255) + 0.114 * ((colour >> 16) & 255);
  return light > 140 ? "#15181d" : "#ffffff";
}
