// A grain by its kind and line, and a button that leads to it.

import { GrainKind, kGrainKindNames, kNone, Model } from "../data/model";
import { dispatch } from "../state/actions";
import type { Store } from "../state/store";

export function titleOf(model: Model, grain: number): string {
  const kind = model.grains.kind[grain];
  const source = model.grains.source[grain];
  const where = source === kNone ? "" : ` at ${model.placeOf(source)}`;
  return kGrainKindNames[kind] + (kind === GrainKind.initial ? "" : where);
}

export function Link({ store, grain }: { store: Store; grain: number }) {
  return (
    <button
      class="link"
      data-grain={grain}
      title="Select this grain and show it"
      onClick={() => dispatch(store, { type: "select grain", grain })}
    >
      {titleOf(store.model, grain)}
    </button>
  );
}
