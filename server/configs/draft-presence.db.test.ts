import { beforeAll, expect, test } from 'vitest'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { createProjectCaller, installed } from '@/server/test/installation.ts'

withTestDatabase()

const PROMPT = { ns: 'here', key: 'now' }
let editor: Awaited<ReturnType<typeof createProjectCaller>>
let viewer: Awaited<ReturnType<typeof createProjectCaller>>

beforeAll(async () => {
  const project = await installed()
  editor = await createProjectCaller(project, 'editor')
  viewer = await createProjectCaller(project, 'viewer')
  await editor.configs.create(PROMPT)
})

const present = async () =>
  (await viewer.drafts.present(PROMPT)).map(({ tab, part }) => [tab, part])

test('draft presence shows the part that each tab edits, until the tab leaves or is silent for 30 seconds', async () => {
  const say = (tab: string, part: string | null, leaving = false) =>
    editor.drafts.sayPresence({ ...PROMPT, tab, part, leaving })
  await say('one', null)
  await say('two', 'Feedback')
  await say('one', 'Policies')
  expect((await present()).sort()).toEqual([
    ['one', 'Policies'],
    ['two', 'Feedback'],
  ])
  await say('two', 'Feedback', true)
  expect(await present()).toEqual([['one', 'Policies']])
  await database().prisma.draftPresence.updateMany({
    data: { seenAt: new Date(Date.now() - 31_000) },
  })
  expect(await present()).toEqual([])
})

test('a discarded draft is kept with its text for 30 days, and can be restored', async () => {
  const { draft } = await editor.drafts.open(PROMPT)
  if (draft === null) throw new Error('A new config has a draft.')
  const seen = { id: draft.id, revision: draft.revision }
  expect(await editor.drafts.trash(PROMPT)).toEqual([])
  await editor.drafts.discard({ ...PROMPT, ...seen })
  expect(await editor.drafts.trash(PROMPT)).toMatchObject([{ id: draft.id, text: draft.text }])
  expect(await editor.drafts.restore({ ...PROMPT, id: draft.id })).toEqual({ ok: true })
  expect(await editor.drafts.trash(PROMPT)).toEqual([])

  await editor.drafts.discard({ ...PROMPT, ...seen })
  const old = new Date(Date.now() - 31 * 86_400_000)
  await database().prisma.draft.updateMany({ data: { discardedAt: old } })
  expect(await editor.drafts.trash(PROMPT)).toEqual([])
  const made = await editor.drafts.save({ ...PROMPT, text: '{}', seen: null, baseVersion: null })
  if (!made.ok) throw new Error('There was another draft.')
  await editor.drafts.discard({ ...PROMPT, id: made.id, revision: made.revision })
  expect(await database().prisma.draft.count({ where: { id: draft.id } })).toBe(0)
})
