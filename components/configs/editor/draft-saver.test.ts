import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { SaveResult } from '@/server/configs/drafts.ts'
import { createDraftSaver, Refused, type Seen, type UnsavedText } from './draft-saver.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function world() {
  const server = { text: 'v0', revision: 1, online: true, saves: 0, refuse: '' }
  const kept: { text: string | null; last: UnsavedText | null; hasRoom: boolean } = {
    text: null,
    last: null,
    hasRoom: true,
  }
  const save = async (text: string, seen: Seen): Promise<SaveResult> => {
    server.saves += 1
    await new Promise((resolve) => setTimeout(resolve, 50))
    if (!server.online) throw new TypeError('fetch failed')
    if (server.refuse !== '') throw new Refused(server.refuse)
    const { revision } = server
    const base = { baseVersion: null, updatedBy: 'usr_2', updatedByName: 'Ana', updatedAt: 5 }
    if (seen?.revision !== revision) {
      return {
        ok: false,
        reason: 'stale',
        current: { id: 'drf', text: server.text, revision, ...base },
      }
    }
    server.text = text
    server.revision += 1
    return { ok: true, id: 'drf', revision: server.revision, savedAt: 7 }
  }
  const saver = createDraftSaver({
    text: 'v0',
    seen: { id: 'drf', revision: 1 },
    save,
    keep: (unsaved) => {
      kept.text = unsaved?.text ?? null
      kept.last = unsaved
      return kept.hasRoom
    },
  })
  return { server, kept, saver }
}

test('the draft saver saves a burst of typing once, then keeps nothing in the browser', async () => {
  const { server, kept, saver } = world()
  for (const text of ['v1', 'v12', 'v123']) saver.change(text)
  expect(kept.text).toBe('v123')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(server).toMatchObject({ text: 'v123', saves: 1 })
  expect([saver.state(), kept.text]).toEqual([{ kind: 'clean', savedAt: 7 }, null])
})

test('the draft saver saves text typed during a save after that save, never concurrently', async () => {
  const { server, saver } = world()
  saver.change('a')
  await vi.advanceTimersByTimeAsync(610)
  saver.change('ab')
  expect(saver.state().kind).toBe('saving')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(server).toMatchObject({ text: 'ab', revision: 3, saves: 2 })
})

test('the draft saver keeps the text while offline and saves it when the server is back', async () => {
  const { server, kept, saver } = world()
  server.online = false
  saver.change('typed offline')
  await vi.advanceTimersByTimeAsync(5_000)
  expect([saver.state().kind, kept.text]).toEqual(['offline', 'typed offline'])
  server.online = true
  await vi.advanceTimersByTimeAsync(4_000)
  expect([server.text, saver.state().kind, kept.text]).toEqual(['typed offline', 'clean', null])
})

test('on a conflict, the draft saver reports the other text, keeps the own text, and does not save it', async () => {
  const { server, kept, saver } = world()
  server.text = 'theirs'
  server.revision = 9
  saver.change('mine')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(saver.state()).toMatchObject({ kind: 'conflict', theirs: { text: 'theirs', revision: 9 } })
  saver.change('mine, longer')
  await vi.advanceTimersByTimeAsync(10_000)
  expect([server.text, kept.text]).toEqual(['theirs', 'mine, longer'])
  saver.keepMine()
  await vi.advanceTimersByTimeAsync(1_000)
  expect([server.text, server.revision, kept.text]).toEqual(['mine, longer', 10, null])
})

test('the draft saver ends a conflict with the other text when the user chooses it', async () => {
  const { server, saver } = world()
  server.text = 'theirs'
  server.revision = 9
  saver.change('mine')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(saver.takeTheirs()).toBe('theirs')
  saver.change('theirs, and more')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(server.text).toBe('theirs, and more')
})

test('after a refusal, the draft saver reports the reason, keeps the text, and retries only after a change', async () => {
  const { server, kept, saver } = world()
  server.refuse = 'too long'
  saver.change('x')
  await vi.advanceTimersByTimeAsync(10_000)
  expect([saver.state(), kept.text, server.saves]).toEqual([
    { kind: 'refused', message: 'too long', kept: true },
    'x',
    1,
  ])
  server.refuse = ''
  saver.change('y')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(server.text).toBe('y')
})

test('a flush of the draft saver saves immediately and returns the revision, or null when it failed', async () => {
  const { server, saver } = world()
  saver.change('now')
  const flushed = saver.flush()
  await vi.advanceTimersByTimeAsync(60)
  expect(await flushed).toEqual({ id: 'drf', revision: 2 })
  server.online = false
  saver.change('later')
  const failed = saver.flush()
  await vi.advanceTimersByTimeAsync(200)
  expect(await failed).toBeNull()
})

test('the draft saver reports the common base of a conflict and ends it with the merged text', async () => {
  const { server, kept, saver } = world()
  server.text = 'theirs'
  server.revision = 9
  saver.change('mine')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(saver.state()).toMatchObject({ kind: 'conflict', base: 'v0' })
  saver.resolve('mine and theirs')
  expect(kept.text).toBe('mine and theirs')
  await vi.advanceTimersByTimeAsync(1_000)
  expect([server.text, server.revision, kept.text]).toEqual(['mine and theirs', 10, null])
  server.text = 'theirs again'
  server.revision = 11
  saver.change('mine again')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(saver.state()).toMatchObject({ kind: 'conflict', base: 'mine and theirs' })
})

test('the draft saver saves when a conflict is resolved inside the callback that reports it', async () => {
  const { server, saver } = world()
  server.text = 'theirs'
  server.revision = 9
  saver.subscribe(() => {
    if (saver.state().kind === 'conflict') saver.resolve('both')
  })
  saver.change('mine')
  await vi.advanceTimersByTimeAsync(1_000)
  expect([server.text, saver.state().kind]).toEqual(['both', 'clean'])
})

test('the draft saver keeps the base of an unsaved text, even when typing continues during a save', async () => {
  const { kept, saver } = world()
  saver.change('a')
  expect(kept.last).toEqual({ text: 'a', base: 'v0', seen: { id: 'drf', revision: 1 } })
  await vi.advanceTimersByTimeAsync(610)
  saver.change('ab')
  await vi.advanceTimersByTimeAsync(50)
  expect(kept.last).toEqual({ text: 'ab', base: 'a', seen: { id: 'drf', revision: 2 } })
})

test('the draft saver does not report a text as kept when the browser has no room for it', async () => {
  const { server, kept, saver } = world()
  kept.hasRoom = false
  server.online = false
  saver.change('mine')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(saver.state()).toEqual({ kind: 'offline', kept: false })
})

test('the draft saver reports no conflict with its own save whose answer was lost, and saves a change back', async () => {
  const { server, saver } = world()
  Object.assign(server, { text: 'mine', revision: 2 })
  saver.change('mine')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(saver.state().kind).toBe('clean')
  saver.change('v0')
  await vi.advanceTimersByTimeAsync(1_000)
  expect([server.text, server.revision]).toEqual(['v0', 3])
})
