// What of a browser a store asks for: the colours that the system wants, and the document's theme.
const dataset: Record<string, string> = {};
Object.assign(globalThis, {
  window: { matchMedia: () => ({ matches: false, addEventListener: () => {} }) },
  document: { documentElement: { dataset, style: {} } },
});

export const themeOfPage = (): string | undefined => dataset.theme;
