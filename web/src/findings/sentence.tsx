import type { Finding } from '../data/format.ts';
import { Name } from '../page/name.tsx';
import { cutMiddle } from '../text/names.ts';
import { sentenceParts } from './sentence_parts.ts';

/** Characters of a name, or of a list of names with their shares, within a sentence: `says` has no more of one. */
const kMostOfName = 210;

/** What a finding says, in at most about `most` characters; its names whole on hover. */
export function Sentence({ finding, most }: { finding: Finding; most: number }) {
  return (
    <bdi>
      {sentenceParts(finding).map(({ text, isName }, i) =>
        isName ? <Name key={i} text={text} most={kMostOfName} /> : cutMiddle(text, most),
      )}
    </bdi>
  );
}
