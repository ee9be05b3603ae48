import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonOfNotes, nameOfCopy, notesOf, type Note } from '../src/timeline/notes.ts';

const note: Note = { profile: 0, rank: 0, start_ns: 5, end_ns: 9, text: '</script>' };

test('what is written is read, and ends no element', () => {
  assert.ok(!jsonOfNotes([note]).includes('<'));
  assert.deepEqual(notesOf(jsonOfNotes([note]), 1), [note]);
});

test('notes are in the order of time; what is no note is left out', () => {
  const early = { ...note, start_ns: 1 };
  assert.deepEqual(notesOf(JSON.stringify([note, early]), 1), [early, note]);
  const wrong = [
    null,
    7,
    {},
    { ...note, profile: 1 },
    { ...note, end_ns: 0 },
    { ...note, text: 5 },
    { ...note, start_ns: 'x' },
  ];
  assert.deepEqual(notesOf(JSON.stringify(wrong), 1), []);
  for (const json of ['', '{', '{}', 'null']) assert.deepEqual(notesOf(json, 1), []);
});

test('a copy has a name of its own', () => {
  assert.equal(nameOfCopy('/reports/run%201.html'), 'run 1_notes.html');
  assert.equal(nameOfCopy('/reports/run_notes.html'), 'run_notes.html');
  assert.equal(nameOfCopy('/'), 'report_notes.html');
});
