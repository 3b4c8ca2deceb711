import { expect, test } from 'vitest'
import { rejectionText, standingText, type VersionStanding } from './standing-words.ts'

const TOLD: VersionStanding = {
  status: 'live',
  version: 15,
  applied: 4,
  rejected: 0,
  total: 4,
  successor: null,
  rejection: null,
  lastApplied: null,
}

const rejection = { runtime: 'worker-2', reason: 'unknown checker type TestPassing' }

const successor = { kind: 'rollback', version: 14, author: 'M. Ruiz', at: 0 } as const

test('the status of a release states how many runtimes run it, and which rejected it', () => {
  expect(standingText(TOLD)).toBe('live · 4 of 4 runtimes on v15')
  expect(standingText({ ...TOLD, status: 'publishing', applied: 0, total: 1 })).toBe(
    'publishing · 0 of 1 runtime on v15',
  )
  const partial = { ...TOLD, status: 'partial', applied: 3, rejected: 1, rejection } as const
  expect(standingText(partial)).toBe(
    'partial · 3 of 4 runtimes on v15 · worker-2 rejected it: unknown checker type TestPassing',
  )
  expect(rejectionText({ rejection: { runtime: 'a', reason: null }, rejected: 3 })).toBe(
    'a rejected it: no reason given · 2 more rejected it',
  )
})

test('the status of a release without runtimes states that it waits, or names the last one that applied it', () => {
  const nobody = { ...TOLD, applied: 0, total: 0 }
  expect(standingText({ ...nobody, status: 'waiting' })).toBe('released · waiting for a runtime')
  const lastApplied = { runtime: 'demo-agent', at: 0 }
  expect(standingText({ ...nobody, lastApplied })).toBe('live · last applied by demo-agent')
})

test('the status of a replaced release names its successor, or the user who rolled it back', () => {
  const gone = { ...TOLD, applied: 0, total: 0 }
  expect(standingText({ ...gone, status: 'rolled_back', successor })).toBe(
    'rolled back to v14 by M. Ruiz',
  )
  const newer = { ...successor, kind: 'publish', version: 16 } as const
  expect(standingText({ ...gone, status: 'superseded', successor: newer })).toBe(
    'superseded by v16',
  )
})
