import { expect, it } from 'vitest'
import { compileConfig, initialState, type SessionEvent, step } from '../index.ts'

function startedWith(data: { readonly semantics?: number }): SessionEvent {
  const rest = { ns: 'a', key: 'b', environment: 'dev', harness: { name: 't' } }
  return {
    session: 'sess_1',
    seq: 1,
    at: 1,
    type: 'session.started',
    data: { ...rest, ...data },
  }
}

function semanticsAfter(event: SessionEvent): number {
  const compiled = compileConfig({ schema_version: 1, ns: 'a', key: 'b' })
  if (!compiled.ok) throw new Error('The config does not compile.')
  return step(compiled.config, initialState('a:b'), event).state.semantics
}

it('a session is folded under its recorded semantics, and under semantics 1 without a record', () => {
  expect([{}, { semantics: 1 }, { semantics: 2 }].map(startedWith).map(semanticsAfter)).toEqual([
    1, 1, 2,
  ])
})

it('a session with unknown semantics is refused', () => {
  expect(() => semanticsAfter(startedWith({ semantics: 3 }))).toThrow(
    'The session was decided under semantics 3; this version of Signalbox knows 1 to 2. Update Signalbox here.',
  )
})
