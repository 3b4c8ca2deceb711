import { randomUUID } from 'node:crypto'
import { afterEach, expect, test, vi } from 'vitest'
import { resetAll } from '@/server/platform/base/process-memory.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { requestEvaluationSoon } from './request-evaluation.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('a reset ends a request that waits, which would read the next database too early', async () => {
  vi.useFakeTimers()
  requestEvaluationSoon(randomUUID() as AuthorizedProjectId)
  expect(vi.getTimerCount()).toBe(1)
  await resetAll()
  expect(vi.getTimerCount()).toBe(0)
})
