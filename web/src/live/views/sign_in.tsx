import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { ThemeSwitch } from '../../theme/theme_switch.tsx';
import { Client } from '../api/client.ts';
import type { Caller } from '../api/types.ts';
import { mayBeKey } from '../state/key_store.ts';
import { problemText } from '../text/problem_text.ts';
import { texts } from '../text/texts.ts';

interface SignInProps {
  /** Why the reader is here; empty at first. */
  said: string;
  /** Tries the key that is kept, where there is one. */
  retry: (() => void) | null;
  onSigned: (key: string, caller: Caller, remember: boolean) => void;
}

/** Asks for a key until the service takes it. */
export function SignIn({ said, retry, onSigned }: SignInProps) {
  const [key, setKey] = useState('');
  const [remember, setRemember] = useState(false);
  const [seen, setSeen] = useState(false);
  const [waiting, setWaiting] = useState(false);
  const [error, setError] = useState(said);
  const field = useRef<HTMLInputElement>(null);
  const errorId = useId();
  useEffect(() => {
    document.title = `${texts.signIn.heading} – ${texts.title}`;
    field.current?.focus();
  }, []);
  useEffect(() => setError(said), [said]);
  const fail = (why: string) => {
    setError(why);
    field.current?.focus();
    field.current?.select();
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    const wanted = key.trim();
    if (waiting) return;
    if (wanted === '') return fail(texts.signIn.empty);
    if (!mayBeKey(wanted)) return fail(texts.signIn.malformed);
    setWaiting(true);
    try {
      onSigned(wanted, await new Client(wanted).me(), remember);
    } catch (problem) {
      fail(problemText(problem));
    }
    setWaiting(false);
  };
  const common = {
    ref: field,
    name: 'sonde-key',
    autocomplete: 'current-password',
    autocapitalize: 'off',
    spellcheck: false,
    value: key,
    'aria-describedby': errorId,
    'aria-invalid': error !== '',
    onInput: (event: InputEvent) => setKey((event.currentTarget as HTMLInputElement).value),
  } as const;
  return (
    <main class="sign-in">
      <h1>{texts.title}</h1>
      <form onSubmit={(event) => void submit(event)}>
        <h2>{texts.signIn.heading}</h2>
        <p class="sign-in-said" role="alert" id={errorId}>
          {error}
        </p>
        <label>
          <span>{texts.signIn.key}</span>
          {seen ? <input type="text" {...common} /> : <input type="password" {...common} />}
        </label>
        <Choice checked={seen} onChange={setSeen} title={texts.signIn.show} />
        <Choice checked={remember} onChange={setRemember} title={texts.signIn.remember} />
        <p class="muted">{texts.signIn.rememberHint}</p>
        <p class="sign-in-buttons">
          <button type="submit" class="primary" aria-disabled={waiting}>
            {waiting ? texts.signIn.waiting : texts.signIn.submit}
          </button>
          {retry && (
            <button type="button" onClick={retry}>
              {texts.problem.retry}
            </button>
          )}
        </p>
        <p class="muted">
          {texts.signIn.hint} <code>{texts.signIn.command}</code>
        </p>
      </form>
      <ThemeSwitch />
    </main>
  );
}

export function Choice(props: { checked: boolean; onChange: (checked: boolean) => void; title: string }) {
  return (
    <label class="choice">
      <input
        type="checkbox"
        checked={props.checked}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      <span>{props.title}</span>
    </label>
  );
}
