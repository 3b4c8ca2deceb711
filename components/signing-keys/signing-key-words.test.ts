import { expect, test } from 'vitest'
import {
  countRuntimes,
  describeActivation,
  describePrivateKey,
  knowledgeText,
  outlook,
} from './signing-key-words.ts'

const environment = (total: number, knows: number) => ({
  environment: 'dev',
  total,
  knows,
  silent: 0,
  away: 1,
})

test('runtimes that know the next signing key are counted over all environments in one sentence', () => {
  const count = countRuntimes({ environments: [environment(10, 9), environment(6, 5)] })
  expect(count).toEqual({ total: 16, knows: 14, away: 2 })
  expect(knowledgeText(count)).toBe('14 of 16 connected runtimes have it.')
  expect(knowledgeText({ total: 1, knows: 1, away: 0 })).toBe('1 of 1 connected runtime has it.')
  expect(knowledgeText({ total: 0, knows: 0, away: 3 })).toContain('No runtime is connected')
})

test('a runtime that cannot follow key records is distinguished from one that has not reported yet', () => {
  const runtime = { id: 'rt_1', name: 'w', environment: 'dev', sdkVersion: '0.0.9' }
  expect(outlook({ ...runtime, isSilent: true })).toContain('will refuse new configs')
  expect(outlook({ ...runtime, isSilent: false })).toContain('next heartbeat')
})

test('the text of each key state names the place of the private part of a signing key', () => {
  const key = {
    id: 'a',
    publicKey: 'b',
    createdAt: 1,
    activatedAt: 1,
    endedAt: null,
    isLinked: true,
  }
  const say = (state: 'active' | 'next' | 'retired', fromEnvironment: boolean) =>
    describePrivateKey({ ...key, state, fromEnvironment })
  expect(say('active', true)).toBe('in `SIGNALBOX_SIGNING_KEY` of the server')
  expect(say('retired', true)).toContain('change it there')
  expect(say('next', false)).toBe('in the database, sealed')
  expect(say('retired', false)).toBe('erased')
})

test('a new key erases the old private key only where the database holds it', () => {
  const say = (fromEnvironment: boolean) =>
    describeActivation({
      keys: [
        { state: 'active', fromEnvironment },
        { state: 'next', fromEnvironment: false },
        { state: 'retired', fromEnvironment: true },
      ],
    })
  expect(say(false)).toContain('its private key erased')
  expect(say(true)).toContain('stays in SIGNALBOX_SIGNING_KEY')
})
