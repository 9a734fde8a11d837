// The sections of a region. Texts of the data only ever become text nodes.

// The first character of a head says what its column holds: # numbers, ~ long texts, = texts that stay on one line.
function table(heads, rows, label) {
  const kinds = { "#": "number", "~": "wide", "=": "whole" };
  const cell = (name, head, value, scope) => {
    const node = el(name, { className: kinds[head[0]] || "" });
    if (scope) node.setAttribute("scope", scope);
    node.append(value ?? "");
    return node;
  };
  const body = rows.map(row => el("tr", {}, ...row.map((value, i) => cell("td", heads[i], value))));
  return el("div", { className: "scroll", tabIndex: 0, data: { role: "region", "aria-label": label } },
    el("table", { data: { "aria-label": label } }, el("thead", {}, el("tr", {}, ...heads.map(head => cell("th", head, head.replace(/^[#~=]/, ""), "col")))),
      el("tbody", {}, ...body)));
}

function more(summary, build) {
  const node = el("details", { className: "more" }, el("summary", { textContent: summary }));
  node.addEventListener("toggle", () => { if (node.open && node.children.length === 1) node.append(build()); });
  return node;
}

const section = (title, ...children) => el("section", { data: { "aria-label": title } }, el("h3", { textContent: title }), ...children);
const note = text => el("p", { className: "note", textContent: text });
const code = text => el("code", { textContent: text });

// Buttons of which one is chosen; `show(name)` returns what is shown then.
function choice(label, names, start, show) {
  const place = el("div"), bar = el("div", { className: "bar", data: { role: "group", "aria-label": label } });
  const choose = name => {
    for (const button of bar.children) button.setAttribute("aria-pressed", String(button.value === name));
    place.replaceChildren(...[show(name)].flat());
    place.querySelectorAll("figure").forEach(figure => figure.redraw());
  };
  for (const [name, text] of Object.entries(names))
    bar.append(el("button", { type: "button", value: name, textContent: text, onclick: () => choose(name) }));
  place.start = () => choose(start);
  return [bar, place];
}

function select(label, names, start, change) {
  const node = el("select", { onchange: () => change(node.value) }, ...names.map(name =>
    el("option", { value: name, textContent: name, selected: name === start })));
  return el("label", {}, label, node);
}

function factsSection(region, entry, candidates) {
  const { provenance: made, search, device, resources } = entry, { verification, stability, author } = made;
  const list = el("dl", { className: "facts" });
  const fact = (name, value) => value && list.append(el("div", {}, el("dt", { textContent: name }), el("dd", {}, value)));
  const general = entry.baseline_best ? "the original kernel" : textOf(entry.configuration);
  fact("Configuration", code(general));
  fact("Device", `${device.name}${device.cc ? `, sm_${device.cc}` : ""}, ${device.multiprocessors} multiprocessors`);
  fact("Search", `${search.tried.toLocaleString("en")} of ${search.legal.toLocaleString("en")} legal configurations measured${{
    exhausted: ", all that the device can run", measured: ", which is enough", trials: "; the budget's trials are spent",
    budget: "; the budget is spent" }[search.state] || ""}`);
  if (candidates.length) fact("Trials in the store", `${candidates.length.toLocaleString("en")} configurations, ${
    candidates.filter(c => c.verdict === "ok").length.toLocaleString("en")} right`);
  fact("Resources", `${resources.registers} registers, ${resources.shared_bytes} bytes shared, ${resources.local_bytes} bytes local`);
  if (verification) fact("Verification", `right on the problems and ${verification.checks} other launches${
    verification.watched_by ? `; watched by ${verification.watched_by}` : ""}`);
  if (stability) fact("Clocks", `${stability.sm_mhz_least} to ${stability.sm_mhz_most} MHz, at most ${stability.celsius_most} °C and ${
    stability.watts_most} W in ${stability.blocks} measurements; ${stability.throttled} throttled, ${stability.repeats} repeated`);
  fact("Made by", `${made.tool}, generator ${made.generator}, ${made.date}`);
  fact("Toolchain", `${/^\d/.test(made.toolkit) ? "CUDA " : ""}${made.toolkit}, driver ${made.driver}`);
  if (author) fact("Text written by", `${author.model}, ${author.when}`);
  if (region.stale) fact("Stale", region.stale);
  fact("Entry", region.path ? `${region.source}: ${region.path}` : region.source);
  fact("Region key", code(entry.keys.region.slice(0, 16)));
  return section("Summary", list);
}

function timesSection(entry, problems) {
  const spread = problems.flatMap(p => [p.original, p.tuned, p.bound]).filter(v => v > 0);
  const wide = Math.max(...spread) / Math.min(...spread) > 20;
  const relative = (s, median) => s && median ? `${(100 * s.deviation_ns / median).toFixed(1)} %` : "";
  const rows = () => problems.map(p => [p.text, time(p.original), relative(p.spread.original, p.original), time(p.tuned),
    relative(p.spread.tuned, p.tuned), time(p.general), time(p.bound), p.tuned ? factor(p.original / p.tuned) : "",
    p.bound && p.tuned ? `${(100 * p.bound / p.tuned).toFixed(0)} %` : "", variantName(entry, p.variant)]);
  const axes = choice("Axis of the times", { linear: "linear axis", log: "logarithmic axis" }, wide ? "log" : "linear",
    name => timesChart(problems, name === "log"));
  const heads = ["problem", "#original", "#noise", "#tuned", "#noise", "#general", "#bound", "#speedup", "#of bound", "runs"];
  return section("Times", note("Comparison times: medians of one launch of the kernel alone, with data that is not in the cache, beside the original. The bound is a copy that moves the same bytes. Noise is the median absolute deviation."),
    ...axes, more("Times as a table", () => table(heads, rows(), "Times")));
}

function searchSection(candidates, verdicts) {
  if (!candidates.length) return null;
  const views = candidates.timed ? { order: "by configuration", seconds: "by seconds" } : { order: "by configuration" };
  const parts = choice("Axis of the search", views, "order", name => searchChart(candidates, name === "seconds"));
  const best = () => [...candidates].filter(c => c.speedup > 0).sort((a, b) => b.speedup - a.speedup).slice(0, 25).map(c =>
    [factor(c.speedup), c.looked ? "first look" : "verified", String(c.order), c.registers, c.local, c.shared, code(c.text)]);
  const failures = failuresOf(candidates);
  const why = "Each point is a configuration: its geometric mean over the problems, or 0 where it failed. Speedups here are of search times, one short measurement for each configuration. " + (candidates.timed
    ? "Pauses of more than a minute are left out of the seconds." : "When these trials were measured is not recorded; they are in the order of their names.");
  return section("Search", note(why), ...parts,
    more("Best configurations", () => table(["#speedup (search)", "checked", "#number", "#registers", "#local bytes", "#shared bytes", "configuration"], best(), "Best configurations")),
    failures.length ? more(`Verdicts and reasons of ${sum(failures.map(f => f.count)).toLocaleString("en")} configurations that lost or failed`, () =>
      table(["verdict", "#count", "~reason", "~for example"], failures.slice(0, 200).map(f =>
        [f.verdict, f.count.toLocaleString("en"), f.reason, code(f.example)]), "Verdicts and reasons")) : null);
}

function parameterSection(entry, candidates) {
  const parameters = parametersOf(candidates).map(p => boxesOf(p, candidates)).filter(p => p.boxes.some(b => b.at));
  if (!parameters.length) return [];
  parameters.sort((a, b) => b.spread - a.spread);
  const panels = el("div", { className: "panels" }, ...parameters.map(p => {
    const figure = boxChart(p, entry.baseline_best ? undefined : entry.configuration[p.name]);
    figure.prepend(el("figcaption", { textContent: p.name }));
    return figure;
  }));
  const single = section("Parameters", note("Speedup of the configurations with each value: least, quartiles, most. " +
    "The parameter whose best values are furthest apart comes first; the box of the chosen value is filled more strongly."), panels);
  return parameters.length < 2 ? [single] : [single, pairSection(parameters, candidates)];
}

function pairSection(parameters, candidates) {
  const names = parameters.map(p => p.name), place = el("div");
  const chosen = [names[0], names[1]];
  const show = () => {
    const [a, b] = chosen.map(name => parameters.find(p => p.name === name));
    place.replaceChildren(a === b ? note("Choose two different parameters.") : heat(a, b, candidates));
  };
  const bar = el("div", { className: "bar" }, ...[0, 1].map(i =>
    select(i ? "columns " : "rows ", names, chosen[i], name => { chosen[i] = name; show(); })));
  show();
  return section("Pairs of parameters", note("Best speedup with both values. Empty: no configuration with both was right."), bar, place);
}

function heat(a, b, candidates) {
  const cells = pairOf(a, b, candidates), best = [...cells.values()].map(cell => cell.best).filter(v => v > 0);
  const [low, high] = [Math.min(...best), Math.max(...best)];
  const rows = a.values.map(va => el("tr", {}, el("th", { scope: "row", textContent: `${a.name}=${va}` }), ...b.values.map(vb => {
    const cell = cells.get(`${va} ${vb}`), td = el("td", { textContent: cell && cell.best ? factor(cell.best) : "" });
    if (!cell || !cell.best) td.className = "empty";
    if (cell && !cell.best) td.textContent = "failed";
    if (cell && cell.best) {
      td.style.setProperty("--share", (high > low ? (cell.best - low) / (high - low) : 1).toFixed(3));
      td.title = `${cell.count} of ${cell.tried} configurations are right`;
      td.className = "filled";
    }
    return td;
  })));
  return el("div", { className: "scroll", tabIndex: 0, data: { role: "region", "aria-label": "Pairs of parameters" } },
    el("table", { className: "heat" }, el("thead", {}, el("tr", {}, el("th"), ...b.values.map(v => el("th", { scope: "col", textContent: `${b.name}=${v}` })))),
      el("tbody", {}, ...rows)));
}

const styles = ["circle", "rect", "triangle", "rectRot", "star", "cross"];
function spaceSection(entry, problems) {
  const unlisted = (entry.unlisted || []).map(u => ({ text: textOf(u.problem), values: u.problem, original: u.baseline_ns, tuned: u.tuned_ns,
    variant: u.variant || 0, unlisted: true }));
  const points = [...problems, ...unlisted].filter(p => p.tuned > 0), specials = entry.specialised || [];
  if (points.length < 2 || (!specials.length && !unlisted.length)) return null;
  const names = Object.keys(points[0].values).filter(name => new Set(points.map(p => p.values[name])).size > 1);
  const rules = table(["=variant", "runs where", "configuration", "#registers", "#shared bytes"], [
    ...specials.map((s, i) => [`variant ${i + 1}`, code(s.when), code(textOf(s.configuration)), s.resources.registers, s.resources.shared_bytes]),
    ["general", "no rule holds, and the guards do", code(entry.baseline_best ? "the original kernel" : textOf(entry.configuration)), entry.resources.registers, entry.resources.shared_bytes],
  ], "Variants and their rules");
  const sizes = more(`Sizes that no problem lists (${unlisted.length})`, () => table(["size", "#original", "#now", "#speedup", "runs"],
    unlisted.map(p => [p.text, time(p.original), time(p.tuned), factor(p.original / p.tuned), variantName(entry, p.variant)]), "Sizes that no problem lists"));
  const two = names.length > 1, [x, y] = names;
  const groups = [...new Set(points.map(p => p.variant))].sort((a, b) => a - b);
  const figure = names.length ? scatterChart(`Variants over ${names.join(" and ")}`, 300, [x, two ? y : "times faster than the original"], c =>
    groups.flatMap(g => [false, true].map(open => ({ label: `${variantName(entry, g)}${open ? ", size not listed" : ""}`,
      pointStyle: styles[Math.max(0, g + 1) % styles.length], pointRadius: open ? 4 : 7, pointHoverRadius: 9, borderWidth: 1.5,
      backgroundColor: open ? "transparent" : [c.original, c.tuned, c.bound, c.general, c.warn, c.bad][(g + 1) % 6],
      borderColor: [c.original, c.tuned, c.bound, c.general, c.warn, c.bad][(g + 1) % 6],
      data: points.filter(p => p.variant === g && Boolean(p.unlisted) === open && p.values[x] > 0).map(p => ({ x: p.values[x],
        y: two ? p.values[y] : p.original / p.tuned, title: p.text,
        lines: [variantName(entry, g), `${time(p.original)} → ${time(p.tuned)}, ${factor(p.original / p.tuned)}`] })) })).filter(set => set.data.length)), !two) : null;
  return section("Variants over sizes", note("Filled: problems of the tuning. Open: sizes that no problem lists."), figure, rules, unlisted.length ? sizes : null);
}

function rooflineSection(region, problems) {
  const work = (region.code || {}).work, counters = countersOf(region);
  const parts = [];
  if (work) {
    const rows = work.map(w => ({ ...w, p: problems.find(p => p.text === textOf(w.problem)) })).filter(w => w.p && w.p.tuned);
    const bandwidth = Math.max(...rows.map(w => w.p.bound ? w.bytes / w.p.bound : 0)); // bytes per ns: GB/s
    if (rows.length) parts.push(scatterChart("Roofline: operations per byte and per second, before and after", 300,
      ["floating-point operations per byte", "Gflop/s"], c => [["original", "original", "circle"], ["tuned", "tuned", "rectRot"]].map(([key, colour, pointStyle]) =>
        ({ label: key, pointStyle, pointRadius: 6, backgroundColor: c[colour], data: rows.map(w => ({ x: w.flops / w.bytes, y: w.flops / w.p[key],
          title: w.p.text, lines: `${number(w.flops / w.p[key])} Gflop/s, ${number(w.bytes / w.p[key])} GB/s` })) })).concat(bandwidth > 0 ? [{
        type: "line", label: `bandwidth of a copy, ${number(bandwidth)} GB/s`, borderColor: c.bound, borderWidth: 1.5, pointRadius: 0, pointStyle: "line", silent: true,
        data: [Math.min(...rows.map(w => w.flops / w.bytes)) / 2, Math.max(...rows.map(w => w.flops / w.bytes)) * 2].map(v => ({ x: v, y: v * bandwidth })) }] : [])));
  }
  if (counters.length) parts.push(table(["problem", "of", "#time", "#read", "#written", "#bandwidth", "#memory busy", "#warps resident", "limited by"], counters.map(r =>
    [r.text, r.of, time(r.time_ns), number(r.read_bytes / 1e6) + " MB", number(r.written_bytes / 1e6) + " MB",
      r.time_ns ? number((r.read_bytes + r.written_bytes) / r.time_ns) + " GB/s" : "", Number.isFinite(r.memory_busy_percent) ? number(r.memory_busy_percent) + " %" : "",
      Number.isFinite(r.warps_percent) ? number(r.warps_percent) + " %" : "", r.bound || ""]), "Hardware counters"));
  return parts.length ? section("Roofline and counters", ...parts) : null;
}

function energySection(entry, problems) {
  const energy = entry.energy;
  if (!energy) return null;
  const points = (energy.points || []).map(p => ({ x: p.time_ns / 1e3, y: p.energy_uj,
    title: p.configuration ? textOf(p.configuration) : "original", lines: `${time(p.time_ns)}, ${number(p.energy_uj)} µJ` }));
  const rows = problems.filter(p => p.energy).map(p => [p.text, `${number(p.energy.original)} µJ`, `${number(p.energy.tuned)} µJ`,
    factor(p.energy.original / p.energy.tuned)]);
  return section("Energy", note(`Chosen by ${energy.objective}; energies may be off by ${(energy.error_permille / 10).toFixed(1)} %.`),
    points.length ? scatterChart("Energy over time", 260, ["µs of one launch", "µJ of one launch"], c =>
      [{ label: "nothing compared is both faster and uses less", data: points, backgroundColor: c.tuned, pointRadius: 5 }]) : null,
    table(["problem", "#original", "#tuned", "#less by"], rows, "Energy"));
}

function side(title, lines, changed) {
  return el("div", {}, el("h4", { textContent: title }), el("pre", { tabIndex: 0, data: { "aria-label": title } },
    ...lines.map((line, i) => el("span", { textContent: line, className: changed[i] ? "changed" : "" }))));
}

function codeSection(region, entry) {
  const known = region.code, after = known && known.after[entry.keys.device];
  if (!known || !known.before.length) return null;
  const before = known.before.filter(Boolean).join("\n\n").split("\n");
  if (!after || !after.length) return section("Code", note(`${known.file}:${known.line}. The original kernel runs.`), el("div", {}, side("Before", before, [])));
  const names = Object.fromEntries(after.map(v => [String(v.variant), variantName(entry, v.variant)]));
  const show = name => {
    const text = after.find(v => String(v.variant) === name).text.trimEnd().split("\n"), [left, right] = differences(before, text);
    return el("div", { className: "sides" }, side("Before", before, left), side(`After: ${names[name]}`, text, right));
  };
  return section("Code", note(`${known.file}:${known.line}. Lines that differ are coloured.`), ...choice("Variant", names, String(after[0].variant), show));
}

function historySection(region) {
  const ledger = region.ledger;
  if (!ledger) return null;
  const start = ledger[0].time;
  return section("Decisions", more(`What the last tuning decided (${ledger.length} lines, ${new Date(start * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC)`, () =>
    table(["#second", "event", "~what"], ledger.map(line => [String(line.time - start), line.event, line.detail]), "Decisions")));
}

function buildRegion(region, verdicts) {
  const entry = region.entry, problems = problemsOf(entry), candidates = candidatesOf(region, problems, verdicts);
  return [factsSection(region, entry, candidates), timesSection(entry, problems), spaceSection(entry, problems), searchSection(candidates, verdicts),
    ...parameterSection(entry, candidates), rooflineSection(region, problems), energySection(entry, problems),
    codeSection(region, entry), historySection(region)].filter(Boolean);
}
