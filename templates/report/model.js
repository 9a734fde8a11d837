// What the sections show, derived from the data of the page. Nothing here touches the document.
const PAUSE_MS = 60000; // a longer time between two trials is a pause between tunings

const sum = list => list.reduce((a, b) => a + b, 0);
const geomean = list => list.length ? Math.exp(sum(list.map(Math.log)) / list.length) : 0;
const textOf = values => Object.entries(values).map(([name, value]) => `${name}=${value}`).join(" ");

function quantile(sorted, q) {
  const at = (sorted.length - 1) * q, low = Math.floor(at), high = Math.ceil(at);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - low);
}

function number(value, digits = 3) {
  if (!Number.isFinite(value)) return "";
  if (value === 0) return "0";
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  return magnitude >= digits ? Math.round(value).toLocaleString("en") : Number(value.toPrecision(digits)).toString();
}
const factor = value => `${value.toFixed(2)}×`;
function time(ns) {
  if (!(ns > 0)) return "";
  const [scale, unit] = ns < 1e3 ? [1, "ns"] : ns < 1e6 ? [1e3, "µs"] : ns < 1e9 ? [1e6, "ms"] : [1e9, "s"];
  return `${number(ns / scale)} ${unit}`;
}

function valuesOf(text) {
  return Object.fromEntries(text.split(" ").filter(word => word.includes("=")).map(word => {
    const at = word.indexOf("=");
    return [word.slice(0, at), Number(word.slice(at + 1))];
  }));
}

function variantName(entry, index) {
  if (index < 0 || (index === 0 && entry.baseline_best)) return "original";
  return index === 0 ? "general" : `variant ${index}`;
}

function problemsOf(entry) {
  return entry.problems.map(p => ({
    text: textOf(p.problem), values: p.problem, original: p.baseline_ns, tuned: p.tuned_ns || 0, bound: p.floor_ns || 0,
    general: p.general_ns || 0, variant: p.variant || 0, spread: { original: p.baseline, tuned: p.tuned },
    energy: p.baseline_uj ? { original: p.baseline_uj, tuned: p.tuned_uj } : null,
  }));
}

// One point for each configuration: its trials, verdict, and times relative to the original's.
function candidatesOf(region, problems, verdicts) {
  const trials = region.trials;
  if (!trials) return [];
  const original = new Map(problems.map(p => [p.text, p.original]));
  const all = trials.configurations.map((text, index) =>
    ({ index, text, values: valuesOf(text), verdict: "ok", looked: false, detail: "", measured: 0, ns: new Map() }));
  for (const [c, p, verdict, median, , , , registers, local, shared, measured, detail] of trials.rows) {
    const one = all[c], name = verdicts[verdict];
    one.measured = Math.max(one.measured, measured);
    one.registers = Math.max(one.registers || 0, registers);
    one.local = Math.max(one.local || 0, local);
    one.shared = Math.max(one.shared || 0, shared);
    if (name === "ok") one.ns.set(trials.problems[p], median);
    else if (one.verdict === "ok" || one.verdict === "skipped") [one.verdict, one.detail] = [name, detail || ""];
    if (name === "ok" && detail === "screened") one.looked = true;
  }
  for (const one of all) {
    const ratios = [...one.ns].filter(([p]) => original.has(p)).map(([p, ns]) => original.get(p) / ns);
    one.speedup = one.verdict === "ok" ? geomean(ratios) : 0;
    one.partial = one.verdict === "skipped" ? geomean(ratios) : 0;
  }
  return inOrder(all);
}

// By time where it is known. `seconds` counts the time between trials without pauses.
function inOrder(all) {
  all.timed = all.length > 0 && all.every(one => one.measured > 0);
  if (all.timed) all.sort((a, b) => a.measured - b.measured || a.index - b.index);
  let seconds = 0;
  all.forEach((one, i) => {
    const since = i ? one.measured - all[i - 1].measured : 0;
    seconds += since > PAUSE_MS ? 0 : since / 1000;
    one.order = i + 1;
    one.seconds = seconds;
  });
  return all;
}

function parametersOf(candidates) {
  const names = new Map();
  for (const one of candidates)
    for (const [name, value] of Object.entries(one.values)) {
      if (!names.has(name)) names.set(name, new Set());
      names.get(name).add(value);
    }
  return [...names].map(([name, values]) => ({ name, values: [...values].sort((a, b) => a - b) }))
    .filter(p => p.values.length > 1);
}

// Least, quartiles and most of the speedups of each value; `spread`: how far the best of the values are apart.
function boxesOf(parameter, candidates) {
  const right = candidates.filter(one => one.speedup > 0);
  const boxes = parameter.values.map(value => {
    const list = right.filter(one => one.values[parameter.name] === value).map(one => one.speedup).sort((a, b) => a - b);
    return { value, count: list.length, at: list.length ? [0, .25, .5, .75, 1].map(q => quantile(list, q)) : null };
  });
  const best = boxes.filter(box => box.at).map(box => box.at[4]);
  return { ...parameter, boxes, spread: best.length ? Math.max(...best) / Math.min(...best) : 1 };
}

function pairOf(a, b, candidates) {
  const cells = new Map();
  for (const one of candidates) {
    const key = `${one.values[a.name]} ${one.values[b.name]}`, cell = cells.get(key) || { best: 0, count: 0, tried: 0 };
    cell.tried++;
    if (one.speedup > 0) cell.count++;
    cell.best = Math.max(cell.best, one.speedup);
    cells.set(key, cell);
  }
  return cells;
}

// Failures by verdict and the first line of their reason.
function failuresOf(candidates) {
  const groups = new Map();
  for (const one of candidates.filter(c => c.verdict !== "ok")) {
    const reason = one.detail.split("\n")[0].slice(0, 300), key = `${one.verdict} ${reason}`;
    const group = groups.get(key) || { verdict: one.verdict, reason, count: 0, example: one.text };
    group.count++;
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}

function countersOf(region) {
  return (region.rounds || []).flatMap(round => ((round.tuning || {}).counters || []).map(row =>
    ({ ...row, round: round.round, text: textOf(row.problem) })));
}

// Which lines of two texts differ: by a longest common subsequence.
function differences(a, b) {
  const trimmed = list => list.map(line => line.trim());
  const [left, right] = [trimmed(a), trimmed(b)];
  if (left.length * right.length > 4e6) return [a.map(() => false), b.map(() => false)];
  const length = Array.from({ length: left.length + 1 }, () => new Uint16Array(right.length + 1));
  for (let i = left.length - 1; i >= 0; i--)
    for (let j = right.length - 1; j >= 0; j--)
      length[i][j] = left[i] === right[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
  const changed = [left.map(() => true), right.map(() => true)];
  for (let i = 0, j = 0; i < left.length && j < right.length;) {
    if (left[i] === right[j]) changed[0][i++] = changed[1][j++] = false;
    else if (length[i + 1][j] >= length[i][j + 1]) i++;
    else j++;
  }
  return changed;
}
