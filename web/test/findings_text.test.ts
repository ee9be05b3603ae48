import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Diagnosis, Finding } from '../src/data/format.ts';
import { otherEvidence } from '../src/findings/evidence_order.ts';
import {
  abstentionsOf,
  ceilingNote,
  ceilingText,
  evidencePlaceText,
  explainedText,
  judgedText,
  headlineText,
  likelyText,
  shareText,
} from '../src/findings/finding_text.ts';
import { sentenceParts } from '../src/findings/sentence_parts.ts';
import { hostile, sampleReport } from './sample_report.ts';

const thin = '\u202f';
const { diagnosis } = sampleReport().document.profiles[0]!;
const byId = (id: string): Finding => diagnosis.findings.find((finding) => finding.id === id)!;

test('a ceiling says whether it can be saved', () => {
  assert.equal(ceilingText(byId('pageable_copy')), `saves at most 97.0${thin}ms`);
  assert.equal(ceilingNote(byId('pageable_copy')), '');
  assert.equal(ceilingText(byId('dominant_kernel')), `bound: 40.0${thin}ms`);
  assert.match(ceilingNote(byId('dominant_kernel')), /no fix can save/);
  assert.equal(ceilingText(byId('memory_growth')), 'costs no time yet');
  assert.equal(shareText(byId('memory_growth')), '–');
  assert.equal(likelyText(byId('pageable_copy')), '');
  assert.equal(likelyText(byId('gpu_idle_range')), `likely 46.9${thin}ms to 55.2${thin}ms, by 5 measured fixes`);
});

test('what was judged is told: steps, or the whole run', () => {
  assert.equal(judgedText(diagnosis), `19 of 20 × ‘iteration’, 255${thin}ms`);
  assert.equal(judgedText({ ...diagnosis, steps: null }), `the whole run, 255${thin}ms`);
});

test('nothing found is no verdict on what was not looked at', () => {
  assert.equal(headlineText(diagnosis), '');
  const headline = 'Could not look for problems: records were dropped.';
  const blind: Diagnosis = { ...diagnosis, findings: [], answer: 'could_not_look', headline };
  assert.equal(headlineText(blind), headline);
  assert.equal(explainedText(blind), '');
  assert.match(
    explainedText(diagnosis),
    /^Of this time: 60\.0.% covered by findings, 30\.0.% GPU work .* 10\.0.% idle/,
  );
});

test('without a run there is nothing to find, and that is said', () => {
  const none = { ...diagnosis, wall_ns: 0, steps: null };
  assert.match(headlineText(none), /no run to judge/);
  assert.equal(judgedText(none), '');
});

test('rules that abstain for one reason stand together', () => {
  assert.deepEqual(abstentionsOf(diagnosis), [
    { says: 'the job has 8 ranks, but the profile contains 2 of them', rules: ['straggler', 'gpu_imbalance'] },
  ]);
});

test('evidence names its place and what it is in', () => {
  const at = { start_ns: 0, end_ns: 1, place: 'GPU 0' };
  assert.equal(evidencePlaceText({ ...at, what: null, brief: null }), 'GPU 0');
  assert.equal(evidencePlaceText({ ...at, what: 'void f<int>(int)', brief: 'f<int>' }), 'GPU 0, in f<int>');
});

test('evidence goes round in both directions', () => {
  const at = { profile: 0, finding: 2, evidence: 0 };
  assert.equal(otherEvidence(at, 5, -1).evidence, 4);
  assert.equal(otherEvidence({ ...at, evidence: 4 }, 5, 1).evidence, 0);
  assert.deepEqual(otherEvidence(at, 0, 1), at);
});

test('names within a sentence are told from its words, and nothing gets lost', () => {
  const finding = byId('gpu_idle_range');
  const parts = sentenceParts(finding);
  assert.equal(parts.map(({ text }) => text).join(''), finding.says);
  assert.deepEqual(
    parts.filter(({ isName }) => isName).map(({ text }) => text),
    [hostile.markup, hostile.rightToLeft, hostile.emoji],
  );
});

test('short arguments are words', () => {
  assert.deepEqual(sentenceParts({ says: 'GPU is idle', arguments: { cause: 'is' } }), [
    { text: 'GPU is idle', isName: false },
  ]);
});
