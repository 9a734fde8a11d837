// Reads the data and builds the page; a region is built when it is opened first.
const report = JSON.parse(document.getElementById("data").textContent);
const count = region => region.trials ? region.trials.rows.length : 0;

function gainOf(region) {
  const changed = !region.entry.baseline_best || (region.entry.specialised || []).length;
  return el("span", { className: changed ? "gain" : "gain none", textContent: changed ? factor(region.gain) : "original kept" });
}

function staleMark(region) {
  return region.stale ? el("span", { className: "stale", textContent: "stale", title: region.stale }) : "";
}

function overview() {
  const most = Math.max(...report.regions.map(r => r.gain), 1);
  const rows = report.regions.map((region, i) => {
    const problems = problemsOf(region.entry).filter(p => p.tuned), ratios = problems.map(p => p.original / p.tuned);
    const bounds = problems.filter(p => p.bound).map(p => p.bound / p.tuned);
    const link = el("a", { href: `#region-${i}`, textContent: region.entry.instance, onclick: () => open(i) });
    const named = region.stale ? el("span", {}, link, " ", staleMark(region)) : link;
    const meter = el("span", { className: "meter", data: { "aria-hidden": "true" } }, el("span"));
    meter.firstChild.style.width = `${100 * region.gain / most}%`;
    return [named, gainOf(region), region.gain > 1 ? meter : "", region.entry.device.name, ratios.length ? `${factor(Math.min(...ratios))} to ${factor(Math.max(...ratios))}` : "",
      bounds.length ? `${Math.round(100 * geomean(bounds))} %` : "", problems.length, count(region).toLocaleString("en")];
  });
  const grid = table(["region", "#speedup", "", "device", "#range", "#of bound", "#problems", "#trials"], rows, "Regions");
  grid.querySelectorAll("tr").forEach(tr => [2, 3, 4, 5, 6].forEach(i => tr.children[i].classList.add("optional")));
  return [el("h2", { id: "overview-title", className: "unseen", textContent: "Overview" }), grid];
}

function open(i) {
  const node = document.getElementById(`region-${i}`);
  node.open = true;
}

function fill(node, region) {
  if (node.children.length > 1) return;
  const body = el("div", { className: "body" }, ...buildRegion(region, report.verdicts));
  node.append(body);
  body.querySelectorAll("*").forEach(part => part.start && part.start());
  body.querySelectorAll("figure").forEach(figure => figure.chart || figure.redraw());
}

function regionNode(region, i) {
  const { instance, kernel, device } = region.entry;
  const node = el("details", { className: "region", id: `region-${i}` }, el("summary", {}, el("h2", { textContent: instance }), gainOf(region), staleMark(region),
    el("span", { className: "of", textContent: `${instance === kernel ? "" : `kernel ${kernel}, `}${device.name}` })));
  node.addEventListener("toggle", () => node.open && fill(node, region));
  return node;
}

function themeButton() {
  const button = document.getElementById("theme"), names = ["system", "light", "dark"];
  button.onclick = () => {
    const next = names[(names.indexOf(document.documentElement.dataset.theme || "system") + 1) % names.length];
    if (next === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    button.textContent = `Theme: ${next}`;
    redrawAll();
  };
}

// Paper is light, whatever the screen is.
function printing() {
  const root = document.documentElement;
  let theme;
  addEventListener("beforeprint", () => { theme = root.dataset.theme; root.dataset.theme = "light"; redrawAll(); });
  addEventListener("afterprint", () => { theme ? root.dataset.theme = theme : delete root.dataset.theme; redrawAll(); });
}

Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
const trials = sum(report.regions.map(count));
document.getElementById("about").textContent = `${report.regions.length} region${report.regions.length === 1 ? "" : "s"}, ` +
  `${trials.toLocaleString("en")} trials. ${report.tool}, ${report.date.slice(0, 16).replace("T", " ")} UTC.`;
document.getElementById("overview").append(...overview());
document.getElementById("regions").append(...report.regions.map(regionNode));
document.getElementById("all").onclick = () => report.regions.forEach((_, i) => open(i));
themeButton();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
printing();
const asked = /^#region-(\d+)$/.exec(location.hash);
const first = asked && Number(asked[1]) < report.regions.length ? Number(asked[1]) : 0;
open(first);
fill(document.getElementById(`region-${first}`), report.regions[first]);
if (asked) document.getElementById(`region-${first}`).scrollIntoView();
document.documentElement.dataset.ready = String(Math.round(performance.now())); // milliseconds until all of this was there
