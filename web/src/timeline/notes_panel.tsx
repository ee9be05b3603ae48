import { useState } from 'preact/hooks';
import { copyOfPage } from '../page/page_copy.ts';
import { saveText } from '../text/clipboard.ts';
import { counted, momentText, timeText } from '../text/units.ts';
import { inOrder, jsonOfNotes, kMostOfNote, kNotesElement, nameOfCopy, spanOfNote, type Note } from './notes.ts';
import type { TimelineModel } from './timeline_model.ts';
import { focusView, lengthOf } from './viewport.ts';

/** What a new note is about: the selection, or the middle of the view. */
export function placeOfNote(model: TimelineModel): Omit<Note, 'text'> {
  const { selected, area, view, documents } = model;
  const loaded = selected && model.store.peek(selected);
  const middle = (view.start + view.end) / 2;
  const of = selected ?? area?.tracks[0];
  const profile = of?.profile ?? 0;
  const rank = of?.track.rank ?? documents[profile]?.timeline.tracks[0]?.rank ?? 0;
  const span =
    selected && loaded?.kind === 'slices'
      ? model.spanOf(selected, loaded)
      : (area?.span ?? { start: middle, end: middle });
  const shift = model.lanes.shift(profile, rank);
  return { profile, rank, start_ns: Math.round(span.start - shift), end_ns: Math.round(span.end - shift) };
}

/** Notes on times of the run; a saved copy of the page has them in it. */
export function NotesPanel({ model, field }: { model: TimelineModel; field: { current: HTMLInputElement | null } }) {
  const [text, setText] = useState('');
  const { notes } = model;
  const place = placeOfNote(model);
  const time = (at: Omit<Note, 'text'>) => timeOf(model, at);
  const add = (event: Event) => {
    event.preventDefault();
    if (text.trim() === '') return;
    model.setNotes(inOrder([...notes, { ...placeOfNote(model), text: text.trim() }]));
    setText('');
  };
  const save = async () => {
    saveText(nameOfCopy(location.pathname), 'text/html', await copyOfPage(kNotesElement, jsonOfNotes(model.notes)));
    model.notesSaved();
  };
  return (
    <div class="tl-notes" role="region" aria-label="Notes" tabIndex={0}>
      <form onSubmit={add}>
        <input
          ref={field}
          type="text"
          aria-label="New note"
          placeholder={`Note on ${place.end_ns > place.start_ns ? 'the selection' : 'the middle of the view'}`}
          maxLength={kMostOfNote}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit" disabled={text.trim() === ''}>
          Add
        </button>
        <span class="tl-note">{time(place)}</span>
      </form>
      {notes.length > 0 && (
        <ol>
          {notes.map((note, i) => (
            <NoteRow key={i} model={model} note={note} index={i} />
          ))}
        </ol>
      )}
      <p>
        <button type="button" disabled={notes.length === 0 && model.savedNotes} onClick={() => void save()}>
          Save a copy with notes
        </button>{' '}
        <span role="status">
          {model.savedNotes ? '' : `${counted(notes.length, 'note')}, not saved: closing the page discards changes.`}
        </span>
      </p>
    </div>
  );
}

function timeOf(model: TimelineModel, at: Omit<Note, 'text'>): string {
  const start = at.start_ns + model.lanes.shift(at.profile, at.rank);
  const moment = momentText(start, lengthOf(model.lanes.bounds) / 1000);
  return at.end_ns > at.start_ns ? `${moment}, ${timeText(at.end_ns - at.start_ns)} long` : moment;
}

function NoteRow({ model, note, index }: { model: TimelineModel; note: Note; index: number }) {
  const with_ = (other: Note | null) =>
    model.setNotes(model.notes.flatMap((one, i) => (i === index ? (other ?? []) : one)));
  const show = () => {
    const span = spanOfNote(note, model.lanes.shift(note.profile, note.rank));
    const { view, lanes } = model;
    const half = lengthOf(view) / 2;
    const moment = span.end <= span.start;
    model.glideTo(
      moment ? { start: span.start - half, end: span.start + half } : focusView(span, lanes.bounds),
      performance.now(),
    );
  };
  return (
    <li>
      <button type="button" title="Show on the timeline" onClick={show}>
        {timeOf(model, note)}
      </button>{' '}
      <input
        type="text"
        dir="auto"
        aria-label={`Note ${index + 1}`}
        maxLength={kMostOfNote}
        value={note.text}
        onChange={(event) => with_({ ...note, text: event.currentTarget.value })}
      />{' '}
      <button type="button" aria-label={`Remove note ${index + 1}`} onClick={() => with_(null)}>
        Remove
      </button>
    </li>
  );
}
