import { CUSTOM_TYPES, configDocument, eventLog } from '@signalbox/testkit'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type ConfigDocument, compileConfig, initialState, type SessionEvent } from '../index.ts'
import { restoreState, snapshotState } from '../snapshot/snapshot.ts'
import { type GovernedState, governedStep } from '../tighten/governing.ts'
import { foldedPart } from './folded-part.ts'

function compiled(document: ConfigDocument) {
  const result = compileConfig(document, { customTypes: CUSTOM_TYPES })
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

function sent(event: SessionEvent): SessionEvent {
  const { session, seq, at, type } = event
  const data = JSON.parse(JSON.stringify(foldedPart(event))) ?? {}
  return { session, seq, at, type, data } as SessionEvent
}

const DIGESTS: readonly [string, ...string[]] = ['sha256:a', 'sha256:b', 'sha256:c']

it('a fold resumed from a stored state at any event ends in the same state', () => {
  const session = fc.record({
    documents: fc.tuple(configDocument, configDocument),
    log: eventLog,
    digests: fc.array(fc.constantFrom(...DIGESTS), { maxLength: 3 }),
    cut: fc.nat(60),
  })
  fc.assert(
    fc.property(session, ({ documents, log, digests, cut }) => {
      const configs = documents.map(compiled)
      // The third digest is not known here.
      const find = (digest: string) => configs[DIGESTS.indexOf(digest)] ?? null
      const applied = digests.map((digest) => ({ type: 'config.applied', data: { digest } }))
      const middle = Math.floor(log.length / 2)
      const drafts = [...log.slice(0, middle), ...applied, ...log.slice(middle)]
      const events = drafts.map((draft, i) => ({
        session: 's',
        at: i * 1_000,
        ...draft,
        seq: i + 1,
      })) as readonly SessionEvent[]
      const [began] = configs
      if (began === undefined) throw new Error('There are two versions.')
      let here: GovernedState = {
        digest: DIGESTS[0],
        config: began,
        state: initialState(began.promptName),
      }
      let elsewhere: GovernedState | null = null
      for (const [i, event] of events.entries()) {
        if (i === cut % events.length) {
          const text = JSON.stringify(snapshotState(here.state))
          elsewhere = { ...here, state: restoreState(JSON.parse(text)) }
        }
        here = governedStep(here, event, find)
        if (elsewhere !== null) elsewhere = governedStep(elsewhere, sent(event), find)
      }
      if (elsewhere === null) return
      expect(JSON.stringify(snapshotState(elsewhere.state))).toBe(
        JSON.stringify(snapshotState(here.state)),
      )
      expect(elsewhere.digest).toBe(here.digest)
    }),
  )
})
