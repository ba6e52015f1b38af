// Which boxes the picture is made of.

import { makeForm } from "../data/forms";
import { kNone } from "../data/model";
import type { Form } from "../data/scene";
import { light } from "../data/search";
import { repaint } from "./paint";
import { selectGrain } from "./selection";
import type { Store } from "./store";

interface Chosen {
  level?: number; // of tasks; else the one that was chosen before, or one that still reads
  collapsed?: number[]; // grains, besides those that are already
  opened?: number[];
}

export function setForm(store: Store, form: Form, chosen: Chosen = {}): void {
  if (form === store.scene.form) return;
  const { level } = chosen;
  if (form !== "nodes" && (level !== undefined || store.form.level < 0))
    store.form.level = Math.min(level ?? store.facts.readableLevel(), store.facts.deepest);
  for (const grain of chosen.collapsed ?? []) store.form.collapsed.add(grain);
  for (const grain of chosen.opened ?? []) store.form.opened.add(grain);
  rebuild(store, form);
}

export function setLevel(store: Store, level: number): void {
  store.form.level = Math.min(level, store.facts.deepest);
  store.form.opened.clear();
  store.form.collapsed.clear();
  rebuild(store, store.scene.form);
}

// A grain's subtree as one box, or again as many.
export function toggleSubtree(store: Store, grain: number): void {
  const { collapsed, opened } = store.form;
  if (isCollapsed(store, grain)) {
    collapsed.delete(grain);
    opened.add(grain);
  } else {
    collapsed.add(grain);
    opened.delete(grain);
  }
  rebuild(store, "grains");
}

export function isCollapsed({ scene }: Store, grain: number): boolean {
  const { closed, nodes, nodesOf } = scene;
  return closed !== null && closed[grain] === 1 && nodes.grain[nodesOf.of(grain)[0]] === grain;
}

function rebuild(store: Store, form: Form): void {
  const grain = store.selectedGrain;
  const same = form === store.scene.form;
  store.scene = form === "nodes" ? store.full : makeForm(form, store.facts, store.form);
  store.stage?.setScene(store.scene);
  store.view.show(store.scene.extent, store.scene.unitsPerPixel);
  store.result = store.found ? light(store.model, store.scene, store.found) : null;
  store.stop = -1;
  store.selectedNode = -1;
  repaint(store);
  if (grain !== kNone) selectGrain(store, grain, same);
  else store.notify();
  store.stage?.request();
}
