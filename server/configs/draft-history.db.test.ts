import { beforeEach, expect, test } from 'vitest'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { createProjectCaller, installed, type TestProject } from '@/server/test/installation.ts'
import { forgetEarlierTexts } from './draft-history.ts'

withTestDatabase()

const DAY_MS = 86_400_000
let project: TestProject
let count = 0

beforeEach(async () => {
  project ??= await installed()
})

async function newDraft() {
  const prompt = { ns: 'past', key: `k${count++}` }
  const text = (more: string) => JSON.stringify({ schema_version: 1, ...prompt, name: more })
  const first = await createProjectCaller(project, 'editor')
  await first.configs.create({ ...prompt, text: text('first') })
  const { draft } = await first.drafts.open(prompt)
  let seen = { id: draft?.id ?? '', revision: draft?.revision ?? 0 }
  const save = async (saved: string, by = first) => {
    const result = await by.drafts.save({ ...prompt, text: saved, seen, baseVersion: null })
    if (!result.ok) throw new Error('The draft moved.')
    seen = { id: result.id, revision: result.revision }
    return (await by.drafts.open(prompt)).draft?.updatedAt
  }
  const viewer = await createProjectCaller(project, 'viewer')
  const history = async () => {
    const { texts } = await viewer.drafts.history(prompt)
    const full = texts.map(({ id }) => viewer.drafts.earlierText({ ...prompt, id }))
    return (await Promise.all(full)).map((one) => one.text)
  }
  const age = async (ms: number) => {
    const rows = await database().prisma.earlierText.findMany({ where: { draftId: seen.id } })
    for (const { id, replacedAt } of rows) {
      const data = { replacedAt: new Date(replacedAt.getTime() - ms) }
      await database().prisma.earlierText.update({ where: { id }, data })
    }
  }
  return { prompt, text, first, viewer, save, history, age }
}

test('the draft history keeps one text per minute of typing, every large change, and each change of author', async () => {
  const { text, save, history, age } = await newDraft()
  await save(text('first, typed'))
  await save(text('first, typed on'))
  await save(text('first, typed on'))
  expect(await history()).toEqual([text('first')])
  await age(61_000)
  await save(text('first, typed later'))
  expect(await history()).toEqual([text('first, typed on'), text('first')])
  await save(text('x'.repeat(600)))
  await save(text('mine'), await createProjectCaller(project, 'editor'))
  expect(await history()).toEqual([
    ...[text('x'.repeat(600)), text('first, typed later')],
    ...[text('first, typed on'), text('first')],
  ])
})

test('the draft history stores the author, the time and the size of each change', async () => {
  const { prompt, text, first, viewer, save, age } = await newDraft()
  const other = await createProjectCaller(project, 'editor')
  const begun = (await first.drafts.open(prompt)).draft?.updatedAt
  const times = [begun, await save(text('second'), other)]
  await age(61_000)
  times.push(await save('{ no JSON', other), await save(text('fourth')))
  await save(text('fifth'), other)
  const { texts, nextCursor } = await viewer.drafts.history(prompt)
  const [mine, theirs] = await Promise.all([first.members.me(), other.members.me()])
  expect(texts.map(({ savedByName, changes }) => [savedByName, changes])).toEqual([
    [mine.name, null],
    [theirs.name, null],
    [theirs.name, 1],
    [mine.name, null],
  ])
  expect(texts.map(({ savedAt }) => savedAt)).toEqual(times.toReversed())
  expect(nextCursor).toBeNull()
  expect(texts[0]).toMatchObject({ characters: text('fourth').length })
})

test('the draft history removes a text thirty days after its replacement, and shows twenty per page', async () => {
  const { prompt, text, viewer, save, history, age } = await newDraft()
  await save(text('second'))
  await age(31 * DAY_MS)
  const old = await database().prisma.earlierText.findFirstOrThrow({
    where: { text: text('first') },
  })
  expect(await history()).toEqual([])
  await expect(viewer.drafts.earlierText({ ...prompt, id: old.id })).rejects.toThrow('30 days')
  await save(text('third'))
  await forgetEarlierTexts()
  expect(await database().prisma.earlierText.count({ where: { id: old.id } })).toBe(0)
  expect(await history()).toEqual([text('second')])

  for (let n = 0; n < 22; n++) {
    await age(61_000)
    await save(text(`saved ${n}`))
  }
  const page = await viewer.drafts.history(prompt)
  expect(page.texts).toHaveLength(20)
  const rest = await viewer.drafts.history({ ...prompt, cursor: page.nextCursor })
  expect(rest.texts).toHaveLength(3)
  expect(rest.nextCursor).toBeNull()
  const ids = [...page.texts, ...rest.texts].map(({ id }) => id)
  expect(new Set(ids).size).toBe(23)
})

test('the draft history keeps nothing of a save that was refused as stale', async () => {
  const { prompt, text, first, save, history } = await newDraft()
  const { draft } = await first.drafts.open(prompt)
  const stale = { id: draft?.id ?? '', revision: draft?.revision ?? 0 }
  await save(text('second'))
  const lost = { ...prompt, text: text('lost'), seen: stale, baseVersion: null }
  expect(await first.drafts.save(lost)).toMatchObject({ ok: false })
  expect(await history()).toEqual([text('first')])
})
