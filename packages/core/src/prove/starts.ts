// The first event, for everything about a session that cannot change later and that a condition reads.
import type { CompiledConfig } from '../engine/compile.ts'
import { SEMANTICS } from '../model/semantics.ts'
import { type Move, START_AT } from './moves.ts'
import type { Observed } from './observe.ts'

/** Long after every deadline that a condition compares with. */
export const DEADLINE_SECONDS = 1_000_000
/** An environment, or the value of a tag, that no condition names. */
export const OTHER = 'any-other'

export function listStarts(
  { document: { ns, key } }: CompiledConfig,
  { session }: Observed,
): readonly Move[] {
  const environments = [...listTexts(session.get('environment')), OTHER]
  const deadlines = session.has('remaining_seconds')
    ? [{}, { deadline_at: START_AT + DEADLINE_SECONDS * 1000 }]
    : [{}]
  return environments.flatMap((environment) =>
    deadlines.flatMap((deadline) =>
      listTags(session).map((tags) => ({
        waitMs: 0,
        body: {
          type: 'session.started',
          data: {
            ns,
            key,
            environment,
            harness: { name: 'library' },
            semantics: SEMANTICS,
            ...deadline,
            ...tags,
          },
        },
      })),
    ),
  )
}

type Tags = { readonly tags?: { readonly [name: string]: string } }

/** Every combination of the values that a tag is compared with, another value, and none. */
function listTags(session: Observed['session']): readonly Tags[] {
  let all: readonly Tags[] = [{}]
  for (const [field, constants] of session) {
    if (!field.startsWith('tags.')) continue
    const name = field.slice('tags.'.length)
    const values = [...listTexts(constants), OTHER]
    const tagged = all.flatMap(({ tags }) =>
      values.map((value) => ({ tags: { ...tags, [name]: value } })),
    )
    all = all.concat(tagged)
  }
  return all
}

function listTexts(constants: Iterable<unknown> = []): readonly string[] {
  return [...constants].filter((constant) => typeof constant === 'string')
}
