// Which checks a page gets, by its name. Opening and clicking takes time, so what a page's kind changes nothing about
// is checked on few. Nothing is decided by what a page says of itself: a check that a row names has to find what it is
// about.
import { checks } from "./checks.mjs";
import { codeletChecks } from "./codelet_checks.mjs";
import { displayChecks } from "./display_checks.mjs";
import { memoryChecks } from "./memory_checks.mjs";
import { pairChecks } from "./pair_checks.mjs";
import { viewChecks } from "./view_checks.mjs";

const all = { ...checks, ...viewChecks, ...displayChecks, ...codeletChecks, ...memoryChecks };

const kEvery = ["everyNodeCanBeSeen", "criticalPathIsRed"];
const kMade = [...kEvery, "everyNodeIsThere", "oneNumberOfGrains", "formsTellAllGrains"]; // by make_page
const kRecorded = [...kEvery, "everyRecordedGrainIsThere"];
const kViews = [
  "problemsStandFirst",
  "coloursByMetric",
  "coloursAndTable",
  "timeline",
  "otherViews",
  "panAndZoomChangeThePicture",
  "addressKeepsTheView",
  "addressKeepsEverything",
];
const kWhole = [
  ...kViews,
  "clickSelectsAGrain",
  "searchFindsByLine",
  "reductions",
  "timelineSelects",
  "textBesideTheLines",
];

const kPages = {
  tree: [...kMade, "clickSelectsAGrain"],
  loops: [...kMade, "coloursAndTable", "reductions", "otherViews"], // chunks
  mixed: [...kMade, ...kWhole, "thresholdsMove"],
  rogue: [...kMade, "panAndZoomChangeThePicture"],
  wide: [...kMade, "panAndZoomChangeThePicture"],
  deep: [...kMade, "panAndZoomChangeThePicture"],
  regions: [...kMade, "aBarOpensByLine", "panAndZoomChangeThePicture"], // one line of boxes
  long_names: [...kMade, "namesLeaveNumbersWhereTheyAre", "otherViews"],
  busy: [
    ...kMade,
    "aBusyMachineStillCounts",
    "noPartIsMoreThanAll",
    "waitingTasksAndTheirData",
    "coloursByMetric",
    "thresholdsMove",
  ],
  // Wherever names are shown.
  hostile: [
    ...kEvery,
    "everyNodeIsThere",
    "hostileNamesDoNothing",
    "problemsStandFirst",
    "timeline",
    "timelineSelects",
    "otherViews",
  ],
  tuned: [...kEvery, "whatWasTriedStandsFirst"],
  memory: [...kEvery, "everyNodeIsThere", "whoAllocatesWhatAndWhere"],
  hostile_memory: ["hostileVariablesDoNothing"],
  no_source: [...kMade, "sourceIsLeftOut", "clickSelectsAGrain"],
  large: [...kMade, "clickSelectsAGrain", "searchFindsByLine", "panAndZoomChangeThePicture"],
  cut: [...kEvery, "aCutGraphSaysSo", "oneNumberOfGrains", ...kViews],
  recorded_fib: [...kRecorded, "clickSelectsAGrain", "panAndZoomChangeThePicture"],
  recorded_sparselu: [...kRecorded, "clickSelectsAGrain"],
  recorded_heat: [...kRecorded, "searchFindsByLine"],
  recorded_sort: [...kRecorded, "coloursByMetric", "otherViews", "textBesideTheLines"],
  recorded_tasks: [...kRecorded, "besideTheBaseline", "textBesideTheLines"],
  recorded_graph: [...kRecorded, "codeletsAsAPicture"],
  recorded_procedures: [...kRecorded, "codeletsAsAPicture"],
  recorded_memory: [...kRecorded, "recordedAllocations"],
  recorded_elsewhere: [...kRecorded, ...kWhole, "machineHasItsPicture"], // as on another machine
};
const named = new Set(Object.values(kPages).flat());
for (const name of new Set([...named, ...Object.keys(all)]))
  if (!all[name] || !named.has(name))
    throw new Error(`plan.mjs: ${name} is ${all[name] ? "a check of no page" : "no check"}`);

// By name: the checks of a page; of two recordings all of pair_checks.mjs.
export function checksOf(page, only) {
  const pair = page.endsWith(".pair");
  if (!pair && !kPages[page]) throw new Error(`plan.mjs says nothing of the page ${page}`);
  const those = Object.entries(pair ? pairChecks : all).filter(([name]) => pair || kPages[page].includes(name));
  return only.length ? those.filter(([name]) => only.includes(name)) : those;
}
