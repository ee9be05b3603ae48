// A finding links to its place on the timeline: the evidence is inside the view, and its slice is selected.
import assert from 'node:assert/strict';
import { selected, settledView, tab, test, timelineReady, withPage } from './_page.mjs';
import { reportOf, synth } from './_program.mjs';

const plants = ['gap', 'pageable', 'sync', 'tiny_kernels', 'small_grid'];
const report = reportOf(synth(...plants.flatMap((plant) => ['--plant', plant])));
const [{ diagnosis, timeline, span_ns }] = report.document.profiles;
const { findings } = diagnosis;
const texts = report.json(timeline.texts.id);

/** Whether the tracks of the evidence's place have slices with its name; the name may be of another place. */
const isThere = ({ place, what }) =>
  timeline.tracks.some((track) => track.place === place && track.names.some(([text]) => texts[text] === what));

/** Links to the timeline are named by what they lead to. */
const linkOf = (page, finding, evidence) => page.locator(`a[href="#timeline/evidence-0-${finding}-${evidence}"]`);

test('there are findings with evidence, some of which is a slice', () => {
  assert.ok(findings.filter((finding) => finding.evidence.length > 0).length >= 3);
  assert.ok(findings.flatMap((finding) => finding.evidence).filter(isThere).length >= 4);
});

findings.forEach((finding, f) => {
  finding.evidence.slice(0, 2).forEach((evidence, e) => {
    test(`${finding.id}, evidence ${e}`, () =>
      withPage(report, {}, async (page) => {
        await linkOf(page, f, e).first().click();
        await timelineReady(page);
        assert.equal(await tab(page, 'Timeline').getAttribute('aria-selected'), 'true');
        const view = await settledView(page);
        const span = JSON.stringify({ view, evidence });
        assert.ok(view.start <= evidence.start_ns && view.end >= evidence.end_ns, `outside of the view: ${span}`);
        assert.ok(view.end - view.start < span_ns, `nothing was zoomed: ${span}`);
        if (isThere(evidence)) assert.notEqual(await selected(page), '', span);
      }));
  });
});
