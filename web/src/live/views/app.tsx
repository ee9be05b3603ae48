import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Client } from '../api/client.ts';
import type { Caller } from '../api/types.ts';
import { forgetKey, storedKey, storeKey } from '../state/key_store.ts';
import { Service } from '../state/service.ts';
import { useWhileVisible } from '../state/use_hidden.ts';
import { problemText } from '../text/problem_text.ts';
import { isExpired } from '../api/problem.ts';
import { texts } from '../text/texts.ts';
import { LivePage } from './live_page.tsx';
import { SignIn } from './sign_in.tsx';

interface Session {
  key: string;
  caller: Caller;
}

/** Sign-in, or the page for who has signed in. */
export function App() {
  const [session, setSession] = useState<Session | null>(null);
  const [said, setSaid] = useState('');
  const [kept] = useState(storedKey);
  const [resuming, setResuming] = useState(kept !== null);
  const leave = (why: string) => {
    forgetKey();
    setSaid(why);
    setSession(null);
  };
  const resume = async (key: string) => {
    setResuming(true);
    try {
      setSession({ key, caller: await new Client(key).me() });
    } catch (error) {
      // A service that is away for a while does not take the key away.
      if (isExpired(error)) leave(texts.signIn.expired);
      else setSaid(problemText(error));
    }
    setResuming(false);
  };
  useEffect(() => {
    if (kept !== null) void resume(kept);
  }, []);
  if (session) return <Signed key={session.key} session={session} leave={leave} />;
  if (resuming) return <p class="waiting">{texts.signIn.waiting}</p>;
  const stored = storedKey();
  return (
    <SignIn
      said={said}
      retry={stored === null ? null : () => void resume(stored)}
      onSigned={(key, caller, remember) => {
        storeKey(key, remember);
        setSaid('');
        setSession({ key, caller });
      }}
    />
  );
}

function Signed({ session, leave }: { session: Session; leave: (why: string) => void }) {
  const left = useRef(false);
  const service = useMemo(
    () =>
      new Service(new Client(session.key), session.caller, () => {
        if (!left.current) leave(texts.signIn.expired);
        left.current = true;
      }),
    [],
  );
  useWhileVisible(
    () => service.start(),
    () => service.stop(),
    service,
  );
  useEffect(() => () => service.close(), [service]);
  return <LivePage service={service} signOut={() => leave('')} />;
}
